/*
 * The class names of the presets, in the order of the ids, as the datasets spell them or,
 * where those have none, the frameworks that train on them.
 */
#include "base/preset_names.h"

/* Names flow as text; in columns they would fill 660 lines. */
/* clang-format off */

/* Pascal VOC 2012: ids 0 to 20. */
const char *const voc_names[21] = {
	"background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
	"diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
};

/* Cityscapes trainIds 0 to 18; BDD100K has the same. */
const char *const cityscapes_names[19] = {
	"road", "sidewalk", "building", "wall", "fence", "pole", "traffic light", "traffic sign", "vegetation",
	"terrain", "sky", "person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle",
};

/* Cityscapes ids 0 to 33; KITTI has the same. */
const char *const cityscapes_labelids_names[34] = {
	"unlabeled", "ego vehicle", "rectification border", "out of roi", "static", "dynamic", "ground", "road",
	"sidewalk", "parking", "rail track", "building", "wall", "fence", "guard rail", "bridge", "tunnel", "pole",
	"polegroup", "traffic light", "traffic sign", "vegetation", "terrain", "sky", "person", "rider", "car",
	"truck", "bus", "caravan", "trailer", "train", "motorcycle", "bicycle",
};

/* Mapillary Vistas 1.2: ids 0 to 65. */
const char *const mapillary_v1_names[66] = {
	"Bird", "Ground Animal", "Curb", "Fence", "Guard Rail", "Barrier", "Wall", "Bike Lane", "Crosswalk - Plain",
	"Curb Cut", "Parking", "Pedestrian Area", "Rail Track", "Road", "Service Lane", "Sidewalk", "Bridge",
	"Building", "Tunnel", "Person", "Bicyclist", "Motorcyclist", "Other Rider", "Lane Marking - Crosswalk",
	"Lane Marking - General", "Mountain", "Sand", "Sky", "Snow", "Terrain", "Vegetation", "Water", "Banner",
	"Bench", "Bike Rack", "Billboard", "Catch Basin", "CCTV Camera", "Fire Hydrant", "Junction Box", "Mailbox",
	"Manhole", "Phone Booth", "Pothole", "Street Light", "Pole", "Traffic Sign Frame", "Utility Pole",
	"Traffic Light", "Traffic Sign (Back)", "Traffic Sign (Front)", "Trash Can", "Bicycle", "Boat", "Bus", "Car",
	"Caravan", "Motorcycle", "On Rails", "Other Vehicle", "Trailer", "Truck", "Wheeled Slow", "Car Mount",
	"Ego Vehicle", "Unlabeled",
};

/* Mapillary Vistas 2.0: ids 0 to 123. */
const char *const mapillary_v2_names[124] = {
	"Bird", "Ground Animal", "Ambiguous Barrier", "Concrete Block", "Curb", "Fence", "Guard Rail", "Barrier",
	"Road Median", "Road Side", "Lane Separator", "Temporary Barrier", "Wall", "Bike Lane", "Crosswalk - Plain",
	"Curb Cut", "Driveway", "Parking", "Parking Aisle", "Pedestrian Area", "Rail Track", "Road", "Road Shoulder",
	"Service Lane", "Sidewalk", "Traffic Island", "Bridge", "Building", "Garage", "Tunnel", "Person",
	"Person Group", "Bicyclist", "Motorcyclist", "Other Rider", "Lane Marking - Dashed Line",
	"Lane Marking - Straight Line", "Lane Marking - Zigzag Line", "Lane Marking - Ambiguous",
	"Lane Marking - Arrow (Left)", "Lane Marking - Arrow (Other)", "Lane Marking - Arrow (Right)",
	"Lane Marking - Arrow (Split Left or Straight)", "Lane Marking - Arrow (Split Right or Straight)",
	"Lane Marking - Arrow (Straight)", "Lane Marking - Crosswalk", "Lane Marking - Give Way (Row)",
	"Lane Marking - Give Way (Single)", "Lane Marking - Hatched (Chevron)", "Lane Marking - Hatched (Diagonal)",
	"Lane Marking - Other", "Lane Marking - Stop Line", "Lane Marking - Symbol (Bicycle)",
	"Lane Marking - Symbol (Other)", "Lane Marking - Text", "Lane Marking (only) - Dashed Line",
	"Lane Marking (only) - Crosswalk", "Lane Marking (only) - Other", "Lane Marking (only) - Test", "Mountain",
	"Sand", "Sky", "Snow", "Terrain", "Vegetation", "Water", "Banner", "Bench", "Bike Rack", "Catch Basin",
	"CCTV Camera", "Fire Hydrant", "Junction Box", "Mailbox", "Manhole", "Parking Meter", "Phone Booth",
	"Pothole", "Signage - Advertisement", "Signage - Ambiguous", "Signage - Back", "Signage - Information",
	"Signage - Other", "Signage - Store", "Street Light", "Pole", "Pole Group", "Traffic Sign Frame",
	"Utility Pole", "Traffic Cone", "Traffic Light - General (Single)", "Traffic Light - Pedestrians",
	"Traffic Light - General (Upright)", "Traffic Light - General (Horizontal)", "Traffic Light - Cyclists",
	"Traffic Light - Other", "Traffic Sign - Ambiguous", "Traffic Sign (Back)",
	"Traffic Sign - Direction (Back)", "Traffic Sign - Direction (Front)", "Traffic Sign (Front)",
	"Traffic Sign - Parking", "Traffic Sign - Temporary (Back)", "Traffic Sign - Temporary (Front)", "Trash Can",
	"Bicycle", "Boat", "Bus", "Car", "Caravan", "Motorcycle", "On Rails", "Other Vehicle", "Trailer", "Truck",
	"Vehicle Group", "Wheeled Slow", "Water Valve", "Car Mount", "Dynamic", "Ego Vehicle", "Ground", "Static",
	"Unlabeled",
};

/* ADE20K, the 150 classes of SceneParsing: ids 1 to 150 in the files. */
const char *const ade20k_names[150] = {
	"wall", "building", "sky", "floor", "tree", "ceiling", "road", "bed", "windowpane", "grass", "cabinet",
	"sidewalk", "person", "earth", "door", "table", "mountain", "plant", "curtain", "chair", "car", "water",
	"painting", "sofa", "shelf", "house", "sea", "mirror", "rug", "field", "armchair", "seat", "fence", "desk",
	"rock", "wardrobe", "lamp", "bathtub", "railing", "cushion", "base", "box", "column", "signboard",
	"chest of drawers", "counter", "sand", "output", "skyscraper", "fireplace", "refrigerator", "grandstand",
	"path", "stairs", "runway", "case", "pool table", "pillow", "screen door", "stairway", "river", "bridge",
	"bookcase", "blind", "coffee table", "toilet", "flower", "book", "hill", "bench", "countertop", "stove",
	"palm", "kitchen island", "computer", "swivel chair", "boat", "bar", "arcade machine", "hovel", "bus",
	"towel", "light", "truck", "tower", "chandelier", "awning", "streetlight", "booth", "television receiver",
	"airplane", "dirt track", "apparel", "pole", "land", "bannister", "escalator", "ottoman", "bottle", "buffet",
	"poster", "stage", "van", "ship", "fountain", "conveyer belt", "canopy", "washer", "plaything",
	"swimming pool", "stool", "barrel", "basket", "waterfall", "tent", "bag", "minibike", "cradle", "oven",
	"ball", "food", "step", "tank", "trade name", "microwave", "pot", "animal", "bicycle", "lake", "dishwasher",
	"screen", "blanket", "sculpture", "hood", "sconce", "vase", "traffic light", "tray", "ashcan", "fan", "pier",
	"crt screen", "plate", "monitor", "bulletin board", "shower", "radiator", "glass", "clock", "flag",
};

/* COCO-Stuff: 80 things and 91 stuffs, in the order of their ids. */
const char *const coco_stuff_names[171] = {
	"person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
	"fire hydrant", "stop sign", "parking measurer", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
	"elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
	"skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
	"tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple",
	"sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
	"potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone",
	"microwave", "oven", "toaster", "output", "refrigerator", "book", "clock", "vase", "scissors", "teddy bear",
	"hair drier", "toothbrush", "banner", "blanket", "branch", "bridge", "building-other", "bush", "cabinet",
	"cage", "cardboard", "carpet", "ceiling-other", "ceiling-tile", "cloth", "clothes", "clouds", "counter",
	"cupboard", "curtain", "desk-stuff", "dirt", "door-stuff", "fence", "floor-marble", "floor-other",
	"floor-stone", "floor-tile", "floor-wood", "flower", "fog", "food-other", "fruit", "furniture-other",
	"grass", "gravel", "ground-other", "hill", "house", "leaves", "light", "mat", "metal", "mirror-stuff",
	"moss", "mountain", "mud", "napkin", "net", "paper", "pavement", "pillow", "plant-other", "plastic",
	"platform", "playingfield", "railing", "railroad", "river", "road", "rock", "roof", "rug", "salad", "sand",
	"sea", "shelf", "sky-other", "skyscraper", "snow", "solid-other", "stairs", "stone", "straw",
	"structural-other", "table", "tent", "textile-other", "towel", "tree", "vegetable", "wall-brick",
	"wall-concrete", "wall-other", "wall-panel", "wall-stone", "wall-tile", "wall-wood", "water-other",
	"waterdrops", "window-blind", "window-other", "wood",
};

/* Pascal Context: background, then the 59 classes. */
const char *const pascal_context_names[60] = {
	"background", "aeroplane", "bag", "bed", "bedclothes", "bench", "bicycle", "bird", "boat", "book", "bottle",
	"building", "bus", "cabinet", "car", "cat", "ceiling", "chair", "cloth", "computer", "cow", "cup", "curtain",
	"dog", "door", "fence", "floor", "flower", "food", "grass", "ground", "horse", "keyboard", "light",
	"motorbike", "mountain", "mouse", "person", "plate", "platform", "pottedplant", "road", "rock", "sheep",
	"shelves", "sidewalk", "sign", "sky", "snow", "sofa", "table", "track", "train", "tree", "truck",
	"tvmonitor", "wall", "water", "window", "wood",
};

/* CamVid in the 11 classes of SegNet. */
const char *const camvid_names[11] = {
	"sky", "building", "pole", "road", "pavement", "tree", "sign symbol", "fence", "car", "pedestrian",
	"bicyclist",
};

/* LoveDA: ids 1 to 7 in the files. */
const char *const loveda_names[7] = {
	"background", "building", "road", "water", "barren", "forest", "agricultural",
};

/* ISPRS Potsdam and Vaihingen: ids 1 to 6 in the converted files. */
const char *const isprs_names[6] = {
	"impervious_surface", "building", "low_vegetation", "tree", "car", "clutter",
};

/* iSAID: ids 0 to 15. */
const char *const isaid_names[16] = {
	"background", "ship", "store_tank", "baseball_diamond", "tennis_court", "basketball_court",
	"Ground_Track_Field", "Bridge", "Large_Vehicle", "Small_Vehicle", "Helicopter", "Swimming_pool",
	"Roundabout", "Soccer_ball_field", "plane", "Harbor",
};

/* NYU Depth v2 in 40 classes: ids 1 to 40 in the files. */
const char *const nyuv2_names[40] = {
	"wall", "floor", "cabinet", "bed", "chair", "sofa", "table", "door", "window", "bookshelf", "picture",
	"counter", "blinds", "desk", "shelves", "curtain", "dresser", "pillow", "mirror", "floor mat", "clothes",
	"ceiling", "books", "refrigerator", "television", "paper", "towel", "shower curtain", "box", "whiteboard",
	"person", "night stand", "toilet", "output", "lamp", "bathtub", "bag", "other structure", "other furniture",
	"other prop",
};

/* DRIVE, STARE, CHASE_DB1, HRF. */
const char *const vessels_names[2] = {
	"background", "vessel",
};

/* Oxford-IIIT Pet: ids 1 to 3. */
const char *const trimap_names[3] = {
	"foreground", "background", "not classified",
};
