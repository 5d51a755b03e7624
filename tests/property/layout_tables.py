"""Layouts of public data sets whose labels are in tables and texts; layouts.py draws them."""
import struct

from gate_cases import JPEG
from layout_files import CLASSES, NAMES, any_mask, any_photo, as_json, box, jpegs, named, read, stems, text

ATTRIBUTES = ["5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs", "Big_Lips", "Big_Nose",
              "Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair"]
LANDMARKS = ["%s_%s" % (part, axis) for part in ("lefteye", "righteye", "nose", "leftmouth", "rightmouth") for axis in "xy"]


def celeba_files(draw):
    """A first line counts the rows, and a header has no word for their first column."""
    names = ["%06d.jpg" % (i + 1) for i in range(draw.randrange(12, 30))]
    count, header = str(len(names)), " ".join(ATTRIBUTES) + " "
    # the column after Bald is never -1: read by mistake, it would show
    rows = ["%s %s" % (n, " ".join("%2d" % (1 if a == "Bangs" else draw.choice([-1, 1])) for a in ATTRIBUTES)) for n in names]
    return names, {
        **{"img_align_celeba/" + n: JPEG for n in names}, "list_attr_celeba.txt": text([count, header] + rows),
        "list_landmarks_align_celeba.txt": text([count, " ".join(LANDMARKS)] + [
            "%s %s" % (n, " ".join("%3d" % draw.randrange(60, 160) for _ in LANDMARKS)) for n in names]),
        "list_bbox_celeba.txt": text([count, "image_id x_1 y_1 width height"] + [
            "%s    %d  %d %d %d" % ((n,) + box(draw)) for n in names]),
        "list_eval_partition.txt": text("%s %d" % (n, i % 3) for i, n in enumerate(names))}


def celeba(draw):
    return celeba_files(draw)[1], {"formats": set(), "files": 1, "unread": set(), "status": 2, "rules": {"ambiguous-columns"}}


def celeba_bald(draw):
    """--column names one attribute; the persons are in another table, of another width."""
    names, files = celeba_files(draw)
    files["identity_CelebA.txt"] = text("%s %d" % (n, 9 + i // 2) for i, n in enumerate(names))
    return files, {**read("list", 1), "options": ["--column", "Bald", "--ignore=-1"]}


def celeba_landmarks(draw):
    """Coordinates alone: no column of them is taken for labels."""
    return {n: b for n, b in celeba_files(draw)[1].items() if "attr" not in n and "partition" not in n}, {**named(), "may_warn": {"unaudited-labels"}}


def patients(draw):
    return ["%08x-36c0-4150-84ed" % draw.getrandbits(32) for _ in range(draw.randrange(20, 40))]


def rsna(draw):
    """Boxes of patients, empty for those without any, and another table whose classes are words."""
    rows, words = ["patientId,x,y,width,height,Target"], ["patientId,class"]
    for i, p in enumerate(patients(draw)):
        found = i % 3 == 0
        rows.append("%s,%s" % (p, "%d.0,%d.0,%d.0,%d.0,1" % box(draw) if found else ",,,,0"))
        words.append("%s,%s" % (p, "Lung Opacity" if found else ("Normal", "No Lung Opacity / Not Normal")[i % 2]))
    files = {"stage_2_train_images/%s.dcm" % p.split(",")[0]: bytes(128) + b"DICM" + bytes(90) for p in rows[1:]}
    return {**files, "stage_2_train_labels.csv": text(rows), "stage_2_detailed_class_info.csv": text(words),
            "stage_2_sample_submission.csv": text(["patientId,PredictionString"] + [r.split(",")[0] + ",0.5 0 0 100 100" for r in rows[1:9]])
            }, {**read("list", 1), "options": ["--column", "Target"], "may_warn": {"unaudited-labels"}}


def wider_person(draw):
    """A line that counts the objects of an image, and each object's class before its box."""
    names, files = stems(draw), {}
    for n in names:
        boxes = ["%d %d %d %d %d" % ((draw.randrange(1, CLASSES),) + box(draw)) for _ in range(draw.randrange(1, 6))]
        files["Annotations/%s.jpg.txt" % n] = text([str(len(boxes))] + boxes)
    return {**jpegs("Images/", names), **files, "train.txt": text(names)}, {**read("list", len(names)), "may_warn": {"box-outside-image"}}


def box_label_tool(draw):
    """BBox-Label-Tool: the same with the class's name after its box."""
    names, files = stems(draw), {}
    for i, n in enumerate(names):
        boxes = ["%d %d %d %d" % box(draw) + " " + NAMES[(i + k) % CLASSES] for k in range(draw.randrange(1, 4))]
        files["Labels/%s.txt" % n] = text([str(len(boxes))] + boxes)
    return {**jpegs("Images/", names), **files}, read("list", len(names))


def wider_face(draw):
    """Images, the number of the faces in each, and their boxes: there is no class."""
    names = ["0--Parade/0_Parade_%d.jpg" % i for i in range(draw.randrange(6, 12))]
    files = {"WIDER_%s/images/%s" % (split, n): JPEG for n in names for split in ("train", "val")}
    for split in ("train", "val"):
        rows = []
        for n in names:
            count = draw.randrange(4)
            rows += [n, str(count)] + ["%d %d %d %d" % box(draw) + " 0 0 0 0 %d 0 " % draw.randrange(2) for _ in range(max(1, count))]
        files["wider_face_split/wider_face_%s_bbx_gt.txt" % split] = text(rows)
    return {**files, "wider_face_split/readme.txt": b"Attached the mappings between attribute names and label values.\n"}, {**named(), "may_warn": {"unaudited-labels"}}


def points(draw):
    """300-W, Helen: 68 landmarks of each face beside its photo."""
    names, colour = stems(draw), draw.random() < .5
    return {**({"01_Indoor/%s.png" % n: any_photo(draw, True) for n in names} if colour else jpegs("01_Indoor/", names)),
            **{"01_Indoor/%s.pts" % n: text(["version: 1", "n_points:  68", "{"] + [
                "%.6f %.6f" % (draw.uniform(5, 60), draw.uniform(5, 60)) for _ in range(68)] + ["}"]) for n in names}}, named(
                    "coordinates-without-classes")


def lapa(draw):
    """Masks, and landmarks of the same faces: the masks are the labels."""
    names = stems(draw)
    return {**jpegs("images/", names), **{"labels/%s.png" % n: any_mask(draw) for n in names},
            **{"landmarks/%s.txt" % n: text(["106"] + ["%.2f %.2f" % (draw.uniform(5, 60), draw.uniform(5, 60)) for _ in range(106)])
               for n in names}}, read("png", len(names))


def written_texts(draw):
    """ICDAR, SROIE: four corners and what is written there; words that nobody can read are ###."""
    names = stems(draw)
    words = ["Genaxis Theatre", "[06]", "###", "62-03", "Carpark", "TAN WOON YANN", "2"]
    return {**jpegs("images/", names), **{"gt/gt_%s.txt" % n: b"\xef\xbb\xbf" + "\r\n".join(
        "%d,%d,%d,%d,%d,%d,%d,%d,%s" % (x, y, x2, y + 1, x2, y2, x, y2 - 1, w)
        for w in draw.sample(words, 5) for x, y, x2, y2 in [box(draw)]).encode() for n in names}}, {**named(), "may_warn": {"unaudited-labels"}}


def handwriting(draw):
    """IAM: a text whose lines begin with the names of the images of words, which are grey."""
    names = ["a01-%03du-00-%02d" % (i // 4, i % 4) for i in range(24)]
    return {**{"words/a01/%s/%s.png" % (n[:8], n): any_photo(draw, False) for n in names}, "ascii/words.txt": text(
        ["#--- words.txt ---", "#", "# iam database word information", "#"] + [
            "%s ok 154 %d %d %d %d %s %s" % ((n,) + box(draw) + (draw.choice(["AT", "NN"]), draw.choice(NAMES))) for n in names])}, {
                **named(), "status": None}


def polygons(draw):
    """India Driving: a folder of polygons, whose names differ from the images' in their last part."""
    names = ["%06d" % draw.randrange(1000 * i, 1000 * i + 999) for i in range(draw.randrange(5, 12))]
    return {**{"leftImg8bit/train/0/%s_leftImg8bit.png" % n: any_photo(draw, True) for n in names},
            **{"gtFine/train/0/%s_gtFine_polygons.json" % n: as_json({"imgHeight": 64, "imgWidth": 64, "objects": [
                {"label": "road", "draw": True, "polygon": [[1.5, 2], [30, 4], [5, 60]]}]}) for n in names}}, {
                    **named(), "may_warn": {"unaudited-labels"}}


def cities(draw):
    """Photos of five cities, as many as the classes, and their polygons: the cities are no classes."""
    names = ["%s/%s_%03d" % (city, city, i) for city in ("aachen", "bonn", "celle", "delft", "essen") for i in range(4)]
    return {**{"frames/%s.jpg" % n: JPEG for n in names}, **{"polygons/%s.json" % n: as_json({
        "objects": [{"label": "road", "polygon": [[1.5, 2], [30, 4], [5, 60]]}]}) for n in names}}, {
            **named(), "may_warn": {"unaudited-labels"}}


def buildings(draw):
    """SpaceNet: GeoJSON beside images in TIFF."""
    names = ["SN2_img%d" % i for i in range(draw.randrange(5, 12))]
    return {**{"PS-RGB/%s.tif" % n: b"II*\0\x08\0\0\0" + bytes(60) for n in names}, **{"geojson_buildings/%s.geojson" % n: as_json({
        "type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"building": "yes"}, "geometry": {
            "type": "Polygon", "coordinates": [[[1, 2], [3, 4], [5, 6]]]}}]}) for n in names}}, {**named(), "may_warn": {"unaudited-labels"}}


def actions(draw):
    """AVA: a video, a second, a box in fractions of the image, the class, and a person; the classes are another text."""
    rows = ["-5KQ66BBWC4,%04d,%.3f,%.3f,%.3f,%.3f,%d,%d" % (902 + i // 3, draw.random() / 2, draw.random() / 2, .5 + draw.random() / 2,
                                                            .5 + draw.random() / 2, i % CLASSES, draw.randrange(300)) for i in range(60)]
    return {"ava_train_v2.2.csv": text(rows), "ava_action_list_v2.2.pbtxt": text(
        'label {\n  name: "%s"\n  label_id: %d\n  label_type: PERSON_MOVEMENT\n}' % (n, i) for i, n in enumerate(NAMES))}, read("list", 1)


def food(draw):
    """Food-101, VGGFace2, CUB: class folders in a folder, and folders of texts beside it."""
    top, rows = draw.choice(["images", "train", "Images"]), ["%s/%d" % (c, 1000 + i) for c in NAMES for i in range(8)]
    return {**{"%s/%s.jpg" % (top, r): JPEG for r in rows}, "meta/classes.txt": text(NAMES), "meta/train.txt": text(rows[::2]),
            "meta/train.json": as_json({"cat": rows[:4]}), "bb_landmark/loose_bb_train.csv": text(["NAME_ID,X,Y,W,H"] + [
                '"%s",%d,%d,%d,%d' % ((r,) + box(draw)) for r in rows])}, read("imagefolder", len(rows))


def places(draw):
    """Places365: lists of ids, and one of the classes in their order."""
    return {"places365_train_standard.txt": text("/%s/%s/%08d.jpg %d" % (c[0], c, i, k) for k, c in enumerate(NAMES) for i in range(9)),
            "places365_val.txt": text("Places365_val_%08d.jpg %d" % (i, draw.randrange(CLASSES)) for i in range(30)),
            "categories_places365.txt": text("/%s/%s %d" % (c[0], c, k) for k, c in enumerate(NAMES))}, read("list", 2)


def poses(draw):
    """ScanNet: a camera's pose for each image is no box."""
    names, files = [str(20 * i) for i in range(draw.randrange(6, 12))], {}
    for n in names:
        files["scene0000_00/color/%s.jpg" % n] = JPEG
        files["scene0000_00/label/%s.png" % n] = any_mask(draw)
        files["scene0000_00/pose/%s.txt" % n] = text(" ".join("%.6f" % draw.uniform(-1, 1) for _ in range(4)) for _ in range(4))
    return files, read("png", len(names))


def findings(draw):
    """CheXpert: a column for each finding, of 1.0, 0.0, -1.0 where it is not certain, and blanks."""
    names = stems(draw)
    words = ["No Finding", "Cardiomegaly", "Edema", "Pneumonia", "Pneumothorax", "Fracture", "Support Devices"]
    return {**jpegs("train/", names), "train.csv": text(["Path,Sex,Age,AP/PA," + ",".join(words)] + ["train/%s.jpg,%s,%d,AP,%s" % (
        n, draw.choice(["Male", "Female"]), draw.randrange(20, 90), ",".join(draw.choice(["1.0", "0.0", "-1.0", "", ""]) for _ in words))
        for n in (names * 9)[:40]])}, {"formats": set(), "files": 1, "unread": set(), "status": 2, "rules": {"ambiguous-columns"}}


def one_hot(draw):
    """ISIC 2018: a column for each diagnosis, one of which is 1.0."""
    names = stems(draw)
    return {**jpegs("input/", names), "GroundTruth.csv": text(["image,MEL,NV,BCC,AKIEC,DF"] + [
        "%s,%s" % (n, ",".join("%d.0" % (k == i % 5) for k in range(5))) for i, n in enumerate(names)])}, {
            "formats": set(), "files": 1, "unread": set(), "status": 2, "rules": {"ambiguous-columns"}}


def votes(draw):
    """Common Voice: counts of votes and words about the speaker, no label."""
    return {"cv/train.tsv": text(["client_id\tpath\tsentence\tup_votes\tdown_votes\tage\tgender\tlocale"] + [
        "%032x\tcommon_voice_en_%d.mp3\tsome words.\t%d\t%d\t%s\t%s\ten" % (
            draw.getrandbits(64), i, 2 + i % 3, i % 2, draw.choice(["twenties", ""]), draw.choice(["male", "female", ""]))
        for i in range(20)])}, {"formats": set(), "files": 1, "unread": set(), "status": 2, "rules": {"ambiguous-columns"}}


def aircraft(draw):
    """FGVC: classes whose names have blanks, after the numbers of images; and boxes without classes."""
    names = ["%07d" % (34309 + i) for i in range(draw.randrange(8, 20))]
    kinds = ["707-320", "A300B4", "Boeing 717", "DC-9-30", "Cessna 172"]
    return {**jpegs("data/images/", names), "data/images_variant_train.txt": text("%s %s" % (n, kinds[i % 5]) for i, n in enumerate(names)),
            "data/variants.txt": text(kinds), "data/images_train.txt": text(names),
            "data/images_box.txt": text("%s %d %d %d %d" % ((n,) + box(draw)) for n in names)}, {
                **named(), "may_warn": {"unaudited-labels"}}


def points_of_a_laser(draw):
    """SemanticKITTI: labels/ holds files of numbers, which are not read."""
    return {**{"00/velodyne/%06d.bin" % i: bytes(draw.randrange(256) for _ in range(160)) for i in range(6)},
            **{"00/labels/%06d.label" % i: struct.pack("<40I", *[draw.choice([10, 40, 48, 70, 252]) for _ in range(40)]) for i in range(6)},
            "00/poses.txt": text(" ".join("%.6e" % draw.uniform(-1, 1) for _ in range(12)) for _ in range(6)),
            "00/times.txt": text("%.6e" % (.1 * i) for i in range(6))}, {**named(), "may_warn": {"unaudited-labels"}}


def json_lines(value):
    """Hugging Face's imagefolder: an object a line beside the images of each split."""
    def layout(draw):
        files, names = {}, stems(draw) + ["q%d" % i for i in range(6)]
        for i, n in enumerate(names):
            folder = ("train/", "test/")[i % 3 == 0]
            files[folder + n + ".jpg"] = JPEG
            files[folder + "metadata.jsonl"] = files.get(folder + "metadata.jsonl", b"") + as_json(
                {"file_name": n + ".jpg", **value(draw, i)}) + b"\n"
        return files, read("list", 2) if "label" in value(draw, 0) else named("json-lines")
    return layout


def sentences(draw):
    """The same of texts, without images."""
    return {"train.jsonl": b"".join(as_json({"text": 'some "words" %d' % i, "label": i % CLASSES}) + b"\n" for i in range(40))
            }, read("list", 1)


LAYOUTS = {
    "json lines of ids": json_lines(lambda draw, i: {"label": i % CLASSES}),
    "json lines of names": json_lines(lambda draw, i: {"label": NAMES[i % CLASSES], "width": 64}),
    "json lines of boxes": json_lines(lambda draw, i: {"objects": {"bbox": [[1.0, 2.0, 9.0, 8.0]], "categories": [i % CLASSES]}}),
    "json lines of captions": json_lines(lambda draw, i: {"text": "a photo, number %d" % i}),
    "sentences": sentences,
    "written texts": written_texts, "handwriting": handwriting, "polygons": polygons, "buildings": buildings, "cities": cities, "actions": actions,
    "food": food, "places": places, "poses": poses, "several findings": findings, "one-hot": one_hot, "votes": votes,
    "aircraft": aircraft, "laser": points_of_a_laser,
    "wider person": wider_person, "box label tool": box_label_tool, "wider face": wider_face, "points": points, "lapa": lapa,
    "celeba": celeba, "celeba bald": celeba_bald, "celeba landmarks": celeba_landmarks, "rsna": rsna,
}
