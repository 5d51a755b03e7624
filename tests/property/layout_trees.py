"""Trees of public segmentation sets, challenges and exports of annotation tools; layouts.py draws them."""
import gzip
import io
import struct
import zipfile

from gate_cases import JPEG, npy, photo, png
from layout_files import CLASSES, NAMES, any_mask, any_photo, as_json, box, coco, jpegs, named, read, stems, text, yolo_text

TIFF = b"II*\0\x08\0\0\0" + bytes(60)
NIFTI = gzip.compress(struct.pack("<i", 348) + bytes(340) + b"n+1\0" + bytes(200), mtime=0)
MAT = b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 86 + b"\0\1IM" + bytes(100)
BAD_ROWS = [[77 if 9 < x < 30 and 9 < y < 30 else 0 for x in range(48)] for y in range(48)]
BAD = png(48, 48, BAD_ROWS)
NO_WORD = {"may_warn": {"unaudited-labels"}}


def areas(draw):
    a, b = draw.randrange(8, 20), draw.randrange(1, CLASSES)
    return [[b if a < x < a + 14 and a < y < a + 14 else 0 for x in range(48)] for y in range(48)]


def colours(draw):
    return png(48, 48, [[c for i in row for c in ((128, 64, 128), (220, 20, 60), (0, 0, 142), (107, 142, 35), (70, 130, 180))[i]]
                        for row in areas(draw)], colour=2)


def wide(draw):
    """Numbers of instances, class * 1000 + n, in 16 bits."""
    rows = [[1001 + i for i in row] if any(row) else row for row in areas(draw)]
    return png(48, 48, [[c for i in row for c in divmod(i, 256)] for row in rows], depth=16)


def one_bit(draw):
    return png(48, 48, [[sum((row[x + k] > 0) << 7 - k for k in range(8)) for x in range(0, 48, 8)] for row in areas(draw)], depth=1)


def bmp8(rows):
    w, h = len(rows[0]), len(rows)
    table = b"".join(bytes((i, i, i, 0)) for i in range(256))
    return (b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54 + 1024, 40, w, h, 1, 8, 0, 0, 0, 0, 0, 0) + table
            + b"".join(bytes(row) + bytes(-w % 4) for row in reversed(rows)))


def bmp24(draw):
    return b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 40, 30, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(
        draw.randrange(256) for _ in range(40 * 30 * 3))


def gif(rows):
    """A GIF of 8 bits whose codes are never longer than nine."""
    w, h = len(rows[0]), len(rows)
    codes, bits, count = [], 0, 0
    for k, pixel in enumerate(p for row in rows for p in row):
        if k % 250 == 0:
            codes.append(256)
        codes.append(pixel)
    codes.append(257)
    data = bytearray()
    for code in codes:
        bits |= code << count
        count += 9
        while count >= 8:
            data.append(bits & 255)
            bits >>= 8
            count -= 8
    data.append(bits & 255)
    blocks = b"".join(bytes([len(data[i:i + 255])]) + bytes(data[i:i + 255]) for i in range(0, len(data), 255))
    return (b"GIF89a" + struct.pack("<HHBBB", w, h, 0xf7, 0, 0) + b"".join(bytes((i, i, i)) for i in range(256)) +
            b"," + struct.pack("<HHHHB", 0, 0, w, h, 0) + b"\x08" + blocks + b"\0;")


def runs(draw):
    return " ".join("%d %d" % (100 * k + draw.randrange(50), draw.randrange(1, 40)) for k in range(draw.randrange(1, 5)))


def bad(want, path, content=BAD):
    return {**want, "bad": (path, content)}


NOT_PASSED = {"formats": None, "files": None, "unread": None, "status": None}


# ---- segmentation ---------------------------------------------------------------------------------------------------

def carvana(draw):
    names = ["%012x_%02d" % (draw.getrandbits(48), i + 1) for i in range(draw.randrange(5, 10))]
    return {**jpegs("train/", names), **{"train_masks/%s_mask.gif" % n: gif(areas(draw)) for n in names},
            "train_masks.csv": text(["img,rle_mask"] + ["%s.jpg,%s" % (n, runs(draw)) for n in names]),
            "metadata.csv": text(["id,year,make,model,trim1,trim2"] + ["%s,2012,Acura,TL,TL,4dr Sdn" % n[:-3] for n in names]),
            "sample_submission.csv": text(["img,rle_mask"] + ["%s.jpg,1 1" % n for n in names])}, bad(
                {**read("gif", len(names)), **NO_WORD}, "train_masks/%s_mask.gif" % names[0], gif(BAD_ROWS))


def salt(draw):
    names = ["%010x" % draw.getrandbits(40) for _ in range(draw.randrange(6, 12))]
    return {**{"train/images/%s.png" % n: any_photo(draw, False) for n in names},
            **{"train/masks/%s.png" % n: any_mask(draw) for n in names},
            **{"test/images/%s.png" % n[::-1]: any_photo(draw, False) for n in names},
            "train.csv": text(["id,rle_mask"] + ["%s,%s" % (n, runs(draw)) for n in names]),
            "depths.csv": text(["id,z"] + ["%s,%d" % (n, draw.randrange(50, 900)) for n in names])}, bad(
                {**read("png", len(names)), **NO_WORD}, "train/masks/%s.png" % names[0])


def bowl(draw):
    """Data Science Bowl 2018: a folder for each image, and a mask for each nucleus."""
    names, files, count = ["%064x" % draw.getrandbits(256) for _ in range(draw.randrange(4, 8))], {}, 0
    for n in names:
        files["stage1_train/%s/images/%s.png" % (n, n)] = any_photo(draw, True)
        for _ in range(draw.randrange(2, 6)):
            last = "stage1_train/%s/masks/%064x.png" % (n, draw.getrandbits(256))
            files[last] = any_mask(draw)
            count += 1
        files["stage1_test/%s/images/%s.png" % (n[::-1], n[::-1])] = any_photo(draw, True)
    files["stage1_train_labels.csv"] = text(["ImageId,EncodedPixels"] + ["%s,%s" % (n, runs(draw)) for n in names])
    return files, bad({**read("png", count), **NO_WORD}, last)


def tract(draw):
    """UW-Madison: a class, and runs or nothing, for each slice."""
    rows, files = ["id,class,segmentation"], {}
    for c in (2, 5):
        for i in range(1, 6):
            files["train/case%d/case%d_day0/scans/slice_%04d_266_266_1.50_1.50.png" % (c, c, i)] = any_photo(draw, False)
            rows += ["case%d_day0_slice_%04d,%s,%s" % (c, i, k, runs(draw) if i % 2 else "") for k in NAMES[:3]]
    files["train.csv"] = text(rows)
    return files, bad(read("list", 1), "train.csv", text(rows + ["case2_day0_slice_0009,spleen,1 2"]))


def clouds(draw):
    names = ["%07x" % draw.getrandbits(28) for _ in range(8)]
    return {**jpegs("train_images/", names), "train.csv": text(["Image_Label,EncodedPixels"] + [
        "%s.jpg_%s,%s" % (n, c, runs(draw) if draw.random() < .5 else "") for n in names for c in ("Fish", "Flower", "Gravel", "Sugar")])
        }, NOT_PASSED


def skin(draw):
    """ISIC 2018, task 1."""
    names = ["ISIC_%07d" % i for i in range(draw.randrange(6, 12))]
    return {**jpegs("ISIC2018_Task1-2_Training_Input/", names), "ISIC2018_Task1-2_Training_Input/ATTRIBUTION.txt": b"The images belong to\n",
            **{"ISIC2018_Task1_Training_GroundTruth/%s_segmentation.png" % n: any_mask(draw) for n in names}}, bad(
                read("png", len(names)), "ISIC2018_Task1_Training_GroundTruth/%s_segmentation.png" % names[0])


def polyps_of_both(draw):
    """CVC-ClinicDB: the same in PNG and TIFF."""
    names = range(1, draw.randrange(7, 12))
    return {**{"PNG/Original/%d.png" % n: any_photo(draw, True) for n in names}, **{"PNG/Ground Truth/%d.png" % n: any_mask(draw) for n in names},
            **{"TIF/%s/%d.tif" % (f, n): TIFF for f in ("Original", "Ground Truth") for n in names},
            "metadata.csv": text(["frame_id,sequence_id,frame_path,mask_path"] + ["%d,1,PNG/Original/%d.png,PNG/Ground Truth/%d.png" % (n, n, n) for n in names])
            }, bad({**read("png", len(names), ["tiff"]), **NO_WORD}, "PNG/Ground Truth/1.png")


def nuclei(draw):
    """MoNuSeg: ImageScope's XML."""
    names = ["TCGA-%04d-01Z-00-DX1" % i for i in range(6)]
    return {**{"Tissue Images/%s.tif" % n: TIFF for n in names}, **{"Annotations/%s.xml" % n: (
        '<?xml version="1.0"?>\n<Annotations MicronsPerPixel="0.252"><Annotation Id="1"><Regions><Region Id="1" Type="0"><Vertices>'
        '<Vertex X="519.3" Y="858.3" Z="0"/></Vertices></Region></Regions></Annotation></Annotations>').encode() for n in names}}, {
            **named(), **NO_WORD}


def glands(draw):
    """GlaS: BMP masks beside BMP photos."""
    names = ["train_%d" % i for i in range(1, 9)] + ["testA_%d" % i for i in range(1, 5)]
    return {**{"Warwick QU Dataset/%s.bmp" % n: bmp24(draw) for n in names},
            **{"Warwick QU Dataset/%s_anno.bmp" % n: bmp8(areas(draw)) for n in names},
            "Warwick QU Dataset/Grade.csv": text(["name,patient ID, grade (GlaS), grade (Sirinukunwattana et al. 2015)"] + [
                "%s,%d, benign, adenomatous" % (n, i) for i, n in enumerate(names)])}, bad(
                    {**read("bmp", len(names)), **NO_WORD}, "Warwick QU Dataset/train_1_anno.bmp", bmp8(BAD_ROWS))


def overlays(draw):
    """CRAG: annotations, and the same drawn over the photos."""
    names = ["train_%d" % i for i in range(1, draw.randrange(7, 12))]
    return {**{"CRAG/train/%s/%s.png" % (f, n): any_photo(draw, True) for f in ("Images", "Overlay") for n in names},
            **{"CRAG/train/Annotation/%s.png" % n: any_mask(draw) for n in names}}, bad(
                read("png", len(names)), "CRAG/train/Annotation/train_1.png")


def liver(draw):
    return {"Training Batch 1/%s-%d.nii.gz" % (k, i): NIFTI for k in ("volume", "segmentation") for i in range(6)}, named("nifti")


def tumours(draw):
    """BraTS 2020."""
    names = ["BraTS20_Training_%03d" % i for i in range(1, 7)]
    return {**{"MICCAI_BraTS2020_TrainingData/%s/%s_%s.nii.gz" % (n, n, k): NIFTI for n in names for k in ("flair", "t1", "t1ce", "t2", "seg")},
            "MICCAI_BraTS2020_TrainingData/name_mapping.csv": text(["Grade,BraTS_2017_subject_ID,BraTS_2020_subject_ID"] + [
                "HGG,Brats17_CBICA_%d_1,%s" % (i, n) for i, n in enumerate(names)]),
            "MICCAI_BraTS2020_TrainingData/survival_info.csv": text(["Brats20ID,Age,Survival_days,Extent_of_Resection"] + [
                "%s,%.2f,%d,GTR" % (n, 40 + i, 100 * i) for i, n in enumerate(names)])}, {**named("nifti"), "status": None}


def lungs(draw):
    """Montgomery: a mask for each lung, in one bit, and notes about each patient."""
    names = ["MCUCXR_%04d_%d" % (i, i % 2) for i in range(1, draw.randrange(7, 12))]
    return {**{"MontgomerySet/CXR_png/%s.png" % n: any_photo(draw, False) for n in names},
            **{"MontgomerySet/ManualMask/%sMask/%s.png" % (s, n): one_bit(draw) for s in ("left", "right") for n in names},
            **{"MontgomerySet/ClinicalReadings/%s.txt" % n: b"Patient's Sex: F\r\nPatient's Age: 027Y\r\nnormal\r\n" for n in names}}, bad(
                {**read("png", 2 * len(names)), "may_warn": {"expanded-bit-depth"}}, "MontgomerySet/ManualMask/leftMask/%s.png" % names[0])


def abdomen(draw):
    """CHAOS: DICOM, and masks in Ground/."""
    files, count = {}, 0
    for p in (1, 2):
        for i in range(2, 9):
            files["Train_Sets/MR/%d/T2SPIR/DICOM_anon/IMG-0004-%05d.dcm" % (p, i)] = bytes(128) + b"DICM" + bytes(90)
            files["Train_Sets/MR/%d/T2SPIR/Ground/IMG-0004-%05d.png" % (p, i)] = any_mask(draw)
            count += 1
    return files, bad(read("png", count), "Train_Sets/MR/1/T2SPIR/Ground/IMG-0004-00002.png")


def slices(draw):
    """TransUNet's Synapse: .npz of image and label, and volumes in HDF5."""
    def packed(value):
        out = io.BytesIO()
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (30,), }"
        header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
        with zipfile.ZipFile(out, "w") as z:
            z.writestr("image.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<30f", *(.1 * k for k in range(30))))
            z.writestr("label.npy", npy(value))
        return out.getvalue()
    names = ["case0005_slice%03d" % i for i in range(draw.randrange(6, 12))]
    return {**{"train_npz/%s.npz" % n: packed([k % CLASSES for k in range(30)]) for n in names},
            "test_vol_h5/case0001.npy.h5": b"\x89HDF\r\n\x1a\n" + bytes(60), "lists/lists_Synapse/train.txt": text(names)}, bad(
                {**read("npy", len(names)), **NO_WORD, "unread": None}, "train_npz/%s.npz" % names[0], packed([77, 0, 1]))


def cup_and_disc(draw):
    """REFUGE: photos in JPEG, masks in BMP elsewhere."""
    names = ["g%04d" % i for i in range(1, 9)]
    return {**jpegs("Training400/Glaucoma/", names), **{
        "Annotation-Training400/Disc_Cup_Masks/Glaucoma/%s.bmp" % n: bmp8(areas(draw)) for n in names}}, bad(
            read("bmp", len(names)), "Annotation-Training400/Disc_Cup_Masks/Glaucoma/g0001.bmp", bmp8(BAD_ROWS))


def vessels(draw):
    """DRIVE as published: GIF."""
    names = range(21, 21 + draw.randrange(5, 10))
    return {**{"training/images/%d_training.tif" % n: TIFF for n in names},
            **{"training/1st_manual/%d_manual1.gif" % n: gif(areas(draw)) for n in names},
            **{"training/mask/%d_training_mask.gif" % n: gif(areas(draw)) for n in names},
            **{"test/images/%02d_test.tif" % (n - 20): TIFF for n in names},
            **{"test/mask/%02d_test_mask.gif" % (n - 20): gif(areas(draw)) for n in names}}, bad(
                read("gif", 3 * len(names)), "training/1st_manual/21_manual1.gif", gif(BAD_ROWS))


def loveda(draw):
    files, names = {}, range(1366, 1366 + draw.randrange(6, 12))
    for place in ("Urban", "Rural"):
        files.update({"Train/%s/images_png/%d.png" % (place, n): any_photo(draw, True) for n in names})
        files.update({"Train/%s/masks_png/%d.png" % (place, n): any_mask(draw) for n in names})
        files.update({"Test/%s/images_png/%d.png" % (place, n + 900): any_photo(draw, True) for n in names})
    return files, bad(read("png", 2 * len(names)), "Train/Urban/masks_png/1366.png")


def mmseg(draw):
    names = ["2_10_0_%d_512_%d" % (512 * i, 512 * i + 512) for i in range(draw.randrange(6, 12))]
    return {**{"potsdam/img_dir/%s/%s.png" % (s, n): any_photo(draw, True) for s in ("train", "val") for n in names},
            **{"potsdam/ann_dir/%s/%s.png" % (s, n): any_mask(draw) for s in ("train", "val") for n in names}}, bad(
                read("png", 2 * len(names)), "potsdam/ann_dir/val/%s.png" % names[0])


def roofs(draw):
    """Inria: both in TIFF."""
    names = ["austin%d" % i for i in range(1, 9)]
    return {"AerialImageDataset/train/%s/%s.tif" % (f, n): TIFF for f in ("images", "gt") for n in names}, named("tiff")


def land(draw):
    """DeepGlobe: masks in colours beside the photos, and the colours' names."""
    names = ["%d" % (119 + 7 * i) for i in range(draw.randrange(6, 12))]
    return {**{"train/%s_sat.jpg" % n: JPEG for n in names}, **{"train/%s_mask.png" % n: colours(draw) for n in names},
            "class_dict.csv": text(["name,r,g,b", "urban_land,0,255,255", "agriculture_land,255,255,0", "unknown,0,0,0"]),
            "metadata.csv": text(["image_id,split,sat_image_path,mask_path"] + ["%s,train,train/%s_sat.jpg,train/%s_mask.png" % (n, n, n) for n in names])
            }, {**read("png", len(names)), "status": 1, "rules": {"color-mask"}}


def roads(draw):
    """Massachusetts: photos in train/, labels in train_labels/."""
    names = ["%d_15" % (10078660 + 15 * i) for i in range(draw.randrange(6, 12))]
    return {**{"png/%s/%s.png" % (s, n): any_photo(draw, True) for s in ("train", "val") for n in names},
            **{"png/%s_labels/%s.png" % (s, n): any_mask(draw) for s in ("train", "val") for n in names},
            "label_class_dict.csv": text(["name,r,g,b", "background,0,0,0", "road,255,255,255"]),
            "metadata.csv": text(["image_id,split,tiff_image_path,tif_label_path"] + ["%s,train,tiff/train/%s.tiff,tiff/train_labels/%s.tif" % (n, n, n) for n in names])
            }, bad(read("png", 2 * len(names)), "png/train_labels/%s.png" % names[0])


def damages(draw):
    """xBD: polygons in labels/, masks in targets/."""
    names = ["hurricane-michael_%08d_%s_disaster" % (i, t) for i in range(draw.randrange(4, 8)) for t in ("pre", "post")]
    return {**{"train/images/%s.png" % n: any_photo(draw, True) for n in names},
            **{"train/targets/%s_target.png" % n: any_mask(draw) for n in names},
            **{"train/labels/%s.json" % n: as_json({"features": {"lng_lat": [], "xy": [{"properties": {
                "feature_type": "building", "subtype": "no-damage", "uid": "1"}, "wkt": "POLYGON ((1 2, 3 4, 5 6))"}]}, "metadata": {
                    "img_name": n + ".png"}}) for n in names}}, bad({**read("png", len(names)), **NO_WORD}, "train/targets/%s_target.png" % names[0])


def bdd(draw):
    names = ["%08x-%08x" % (draw.getrandbits(32), draw.getrandbits(32)) for _ in range(draw.randrange(6, 12))]
    return {**jpegs("bdd100k/images/10k/train/", names),
            **{"bdd100k/labels/sem_seg/masks/train/%s.png" % n: any_mask(draw) for n in names},
            **{"bdd100k/labels/sem_seg/colormaps/train/%s.png" % n: colours(draw) for n in names},
            "bdd100k/labels/sem_seg/polygons/sem_seg_train.json": as_json([{"name": n + ".jpg", "labels": [
                {"id": "1", "category": "road", "poly2d": [{"vertices": [[1, 2], [3, 4], [5, 6]], "types": "LLL", "closed": True}]}]} for n in names])
            }, bad({**read("png", len(names)), **NO_WORD}, "bdd100k/labels/sem_seg/masks/train/%s.png" % names[0])


def vistas(draw):
    """Mapillary: labels of two versions, instances, panoptic."""
    names = ["%s" % "".join(draw.choice("abcdefXYZ0123_-") for _ in range(22)) for _ in range(draw.randrange(6, 10))]
    names = ["a" + n for n in dict.fromkeys(names)]
    files = jpegs("training/images/", names)
    for v in ("v1.2", "v2.0"):
        files.update({"training/%s/labels/%s.png" % (v, n): any_mask(draw) for n in names})
        files.update({"training/%s/instances/%s.png" % (v, n): wide(draw) for n in names})
        files.update({"training/%s/panoptic/%s.png" % (v, n): colours(draw) for n in names})
        files["training/%s/panoptic/panoptic_2018.json" % v] = as_json({"images": [{"id": n, "file_name": n + ".jpg"} for n in names], "annotations": [
            {"image_id": n, "file_name": n + ".png", "segments_info": [{"id": 1, "category_id": 1, "area": 9}]} for n in names],
            "categories": [{"id": 1, "name": "bird", "isthing": 1}]})
        files["config_%s.json" % v] = as_json({"labels": [{"name": "animal--bird", "readable": "Bird", "instances": True, "color": [165, 42, 42]}]})
    return files, bad({**read("png", 2 * len(names)), **NO_WORD}, "training/v2.0/labels/%s.png" % names[0])


def weather(draw):
    """ACDC: several masks of each image, one in colours, and none among the photos."""
    names = ["GOPR0475_frame_%06d" % (41 + i) for i in range(draw.randrange(6, 12))]
    files = {"rgb_anon/fog/train/GOPR0475/%s_rgb_anon.png" % n: any_photo(draw, True) for n in names}
    for n in names:
        for kind in ("labelIds", "labelTrainIds", "invIds"):
            files["gt/fog/train/GOPR0475/%s_gt_%s.png" % (n, kind)] = any_mask(draw)
        files["gt/fog/train/GOPR0475/%s_gt_labelColor.png" % n] = colours(draw)
    return files, bad({**read("png", 3 * len(names)), **NO_WORD}, "gt/fog/train/GOPR0475/%s_gt_labelTrainIds.png" % names[0])


def pets(draw):
    names = ["%s_%d" % (b, i) for b in ("Abyssinian", "beagle") for i in range(1, draw.randrange(5, 9))]
    return {**jpegs("images/", names), **{"annotations/trimaps/%s.png" % n: any_mask(draw) for n in names},
            **{"annotations/trimaps/._%s.png" % n: bytes(120) for n in names},
            **{"annotations/xmls/%s.xml" % n: ("<annotation><folder>OXIIIT</folder><filename>%s.jpg</filename><object><name>cat</name><bndbox>"
                                             "<xmin>33</xmin><ymin>7</ymin><xmax>40</xmax><ymax>50</ymax></bndbox></object></annotation>" % n).encode() for n in names},
            "annotations/README": b"The format of the annotation files is\n",
            "annotations/list.txt": text(["#Image CLASS-ID SPECIES BREED ID", "#ID: 1:37 Class ids"] + ["%s 1 1 1" % n for n in names]),
            "annotations/trainval.txt": text("%s %d 1 1" % (n, 1 + (i > 3)) for i, n in enumerate(names))}, bad(
                {**read("png", len(names), ["voc-xml"]), **NO_WORD}, "annotations/trimaps/%s.png" % names[0])


def scenes(draw):
    """Stanford background: matrices of numbers in texts."""
    names = ["%07d" % (100 + i) for i in range(6)]
    return {**jpegs("images/", names), "horizons.txt": text("%s 48 64 %d" % (n, 9 + i) for i, n in enumerate(names)), **{
        "labels/%s.%s.txt" % (n, k): text(" ".join("%d" % v for v in row) for row in areas(draw)) for n in names for k in ("regions", "surfaces", "layers")
    }}, NOT_PASSED


def boundaries(draw):
    """SBD."""
    names = ["2008_%06d" % i for i in range(8)]
    return {**jpegs("benchmark_RELEASE/dataset/img/", names), **{"benchmark_RELEASE/dataset/%s/%s.mat" % (f, n): MAT for f in ("cls", "inst") for n in names},
            "benchmark_RELEASE/dataset/train.txt": text(names)}, named("mat")


def glass(draw):
    """Trans10K."""
    names = ["%d" % (10 + i) for i in range(draw.randrange(6, 12))]
    return {**jpegs("Trans10K/train/images/", names), **{"Trans10K/train/masks/%s_mask.png" % n: any_mask(draw) for n in names}}, bad(
        read("png", len(names)), "Trans10K/train/masks/10_mask.png")


def beets(draw):
    """PhenoBench: semantics beside numbers of plants and leaves."""
    names = ["05-15_%05d_P0030851" % i for i in range(draw.randrange(6, 12))]
    return {**{"PhenoBench/train/images/%s.png" % n: any_photo(draw, True) for n in names},
            **{"PhenoBench/train/semantics/%s.png" % n: any_mask(draw) for n in names},
            **{"PhenoBench/train/%s_instances/%s.png" % (k, n): wide(draw) for k in ("plant", "leaf") for n in names}}, bad(
                read("png", len(names)), "PhenoBench/train/semantics/%s.png" % names[0])


def leaves_of_plants(draw):
    """CVPPP: labels, foreground and centres of one pixel each, beside the photos."""
    files, count = {}, draw.randrange(5, 10)
    for i in range(1, count + 1):
        stem = "training/A1/plant%03d_" % i
        files[stem + "rgb.png"] = any_photo(draw, True)
        files[stem + "label.png"] = any_mask(draw)
        files[stem + "fg.png"] = one_bit(draw)
        centres = {(draw.randrange(48), draw.randrange(48)) for _ in range(6)}
        files[stem + "centers.png"] = png(48, 48, [[sum(((x + k, y) in centres) << 7 - k for k in range(8)) for x in range(0, 48, 8)]
                                                   for y in range(48)], depth=1)
    return files, bad({**read("png", 2 * count), "may_warn": {"unaudited-labels", "expanded-bit-depth"}}, "training/A1/plant001_label.png")


def cells(draw):
    """Cell Tracking Challenge: TIFF, and a table of tracks."""
    return {**{"Fluo-N2DH-SIM+/01/t%03d.tif" % i: TIFF for i in range(6)}, **{"Fluo-N2DH-SIM+/01_GT/SEG/man_seg%03d.tif" % i: TIFF for i in range(6)},
            **{"Fluo-N2DH-SIM+/01_GT/TRA/man_track%03d.tif" % i: TIFF for i in range(6)},
            "Fluo-N2DH-SIM+/01_GT/TRA/man_track.txt": text("%d %d %d %d" % (i, i % 3, 5, max(0, i - 4)) for i in range(1, 12))}, {**named("tiff"), **NO_WORD}


def salient(draw):
    """DUTS."""
    names = ["ILSVRC2012_test_%08d" % (4 + 9 * i) for i in range(draw.randrange(6, 12))]
    return {**jpegs("DUTS-TR/DUTS-TR-Image/", names), **{"DUTS-TR/DUTS-TR-Mask/%s.png" % n: any_mask(draw) for n in names}}, bad(
        read("png", len(names)), "DUTS-TR/DUTS-TR-Mask/%s.png" % names[0])


def camouflage(draw):
    """COD10K: objects, edges, and instances in colours."""
    names = ["COD10K-CAM-1-Aquatic-1-BatFish-%d" % i for i in range(1, draw.randrange(7, 12))]
    return {**jpegs("Train/Image/", names), **{"Train/GT_Object/%s.png" % n: any_mask(draw) for n in names},
            **{"Train/GT_Edge/%s.png" % n: any_mask(draw) for n in names}, **{"Train/GT_Instance/%s.png" % n: colours(draw) for n in names},
            "Info/Train.txt": text(n + ".jpg" for n in names)}, bad({**read("png", 2 * len(names)), **NO_WORD}, "Train/GT_Object/%s.png" % names[0])


def kitti_semantic(draw):
    names = ["%06d_10" % i for i in range(draw.randrange(6, 12))]
    return {**{"training/image_2/%s.png" % n: any_photo(draw, True) for n in names}, **{"training/semantic/%s.png" % n: any_mask(draw) for n in names},
            **{"training/semantic_rgb/%s.png" % n: colours(draw) for n in names}, **{"training/instance/%s.png" % n: wide(draw) for n in names},
            **{"testing/image_2/%s.png" % n: any_photo(draw, True) for n in names}}, bad(read("png", len(names)), "training/semantic/%s.png" % names[0])


def mots(draw):
    """KITTI MOTS: class * 1000 + instance in 16 bits, and nothing else."""
    return {"instances/%04d/%06d.png" % (v, i): wide(draw) for v in range(2) for i in range(6)}, {
        **read("png", 12), "status": 1, "rules": {"instance-ids", "out-of-range-id"}}


def mots_and_photos(draw):
    """The same beside the photos, and in texts of runs."""
    files = {"training/%s/%04d/%06d.png" % (k, v, i): any_photo(draw, True) if k == "image_02" else wide(draw)
             for k in ("image_02", "instances") for v in range(2) for i in range(6)}
    return {**files, **{"training/instances_txt/%04d.txt" % v: text("%d %d %d 375 1242 WSV:2d;1O10000O10000O1" % (i, 1001 + i % 3, 1 + i % 2) for i in range(9))
                        for v in range(2)}}, {
                            **read("png", 12), "status": 1, "rules": {"instance-ids", "out-of-range-id"}}


def videos(draw):
    """YouTube-VOS."""
    files = {}
    for v in ("003234408d", "0043f083b5"):
        for i in range(0, 30, 5):
            files["train/JPEGImages/%s/%05d.jpg" % (v, i)] = JPEG
            files["train/Annotations/%s/%05d.png" % (v, i)] = any_mask(draw)
    files["train/meta.json"] = as_json({"videos": {v: {"objects": {"1": {"category": "penguin", "frames": ["00000", "00005"]}}} for v in ("003234408d", "0043f083b5")}})
    return files, bad({**read("png", 12), **NO_WORD}, "train/Annotations/003234408d/00000.png")


def fields(draw):
    """Agriculture-Vision: a folder for each class, and the borders of the fields."""
    names = ["1A1ALA6Y3_%d-%d-512" % (100 * i, 7 * i) for i in range(draw.randrange(6, 10))]
    return {**{"train/images/%s/%s.jpg" % (k, n): JPEG for k in ("rgb", "nir") for n in names},
            **{"train/labels/%s/%s.png" % (k, n): any_mask(draw) for k in ("cloud_shadow", "double_plant") for n in names},
            **{"train/%s/%s.png" % (k, n): any_mask(draw) for k in ("boundaries", "masks") for n in names}}, bad(
                read("png", 4 * len(names)), "train/labels/double_plant/%s.png" % names[0])


def drone(draw):
    """Semantic Drone: masks in label_images_semantic/, and the same in colours."""
    names = ["%03d" % i for i in range(draw.randrange(6, 12))]
    return {**jpegs("dataset/semantic_drone_dataset/original_images/", names),
            **{"dataset/semantic_drone_dataset/label_images_semantic/%s.png" % n: any_mask(draw) for n in names},
            **{"RGB_color_image_masks/RGB_color_image_masks/%s.png" % n: colours(draw) for n in names},
            "class_dict_seg.csv": text(["name, r, g, b", "unlabeled, 0, 0, 0", "paved-area, 128, 64, 128"])}, bad(
                {**read("png", len(names)), **NO_WORD}, "dataset/semantic_drone_dataset/label_images_semantic/000.png")


def defects(draw):
    """DAGM: capital letters, and a table of which images have a mask."""
    files, rows = {}, ["1"]
    for i in range(576, 592):
        files["Class1/Train/%04d.PNG" % i] = any_photo(draw, False)
        with_mask = i % 3 == 0
        if with_mask:
            files["Class1/Train/Label/%04d_label.PNG" % i] = any_mask(draw)
        rows.append("%d\t%04d.PNG\t%d\t%s\t0" % (i - 575, i, with_mask, "%04d_label.PNG" % i if with_mask else "0"))
    files["Class1/Train/Label/Labels.txt"] = text(rows)
    return files, bad({**read("png", 6), **NO_WORD}, "Class1/Train/Label/0576_label.PNG")


def commutators(draw):
    """KolektorSDD: BMP beside JPEG, a folder for each part."""
    return {**{"kos%02d/Part%d.jpg" % (k, i): JPEG for k in range(1, 5) for i in range(4)},
            **{"kos%02d/Part%d_label.bmp" % (k, i): bmp8(areas(draw)) for k in range(1, 5) for i in range(4)}}, bad(
                read("bmp", 16), "kos01/Part0_label.bmp", bmp8(BAD_ROWS))


def surfaces(draw):
    """KolektorSDD2: 10000_GT.png beside 10000.png."""
    return {**{"train/%d.png" % n: any_photo(draw, True) for n in range(10000, 10009)}, **{"train/%d_GT.png" % n: any_mask(draw) for n in range(10000, 10009)}}, bad(
        read("png", 9), "train/10000_GT.png")


def tiles(draw):
    """Magnetic tiles: masks in PNG beside photos in JPEG, in Imgs/."""
    names = ["exp%d_num_%d" % (1 + i % 6, 1000 + i) for i in range(8)]
    return {**{"%s/Imgs/%s.jpg" % (k, n): JPEG for k in ("MT_Blowhole", "MT_Crack") for n in names},
            **{"%s/Imgs/%s.png" % (k, n): any_mask(draw) for k in ("MT_Blowhole", "MT_Crack") for n in names}}, bad(
                read("png", 16), "MT_Crack/Imgs/%s.png" % names[0])


def cracks(draw):
    """Crack500: the same, with lists of pairs."""
    names = ["20160222_081011_%d_%d" % (1 + 640 * (i % 3), 361 * (i // 3)) for i in range(9)]
    return {**{"traincrop/%s.jpg" % n: JPEG for n in names}, **{"traincrop/%s.png" % n: any_mask(draw) for n in names},
            "train.txt": text("traincrop/%s.jpg traincrop/%s.png" % (n, n) for n in names)}, bad(read("png", 9), "traincrop/%s.png" % names[0])


def dishes(draw):
    """FoodSeg103: photos and masks below Images/, and a text of the classes."""
    names = ["%08d" % i for i in range(draw.randrange(6, 12))]
    return {**jpegs("FoodSeg103/Images/img_dir/train/", names), **{"FoodSeg103/Images/ann_dir/train/%s.png" % n: any_mask(draw) for n in names},
            "FoodSeg103/category_id.txt": text("%d\t%s" % (i, n) for i, n in enumerate(["background", "candy", "egg tart", "french fries"])),
            "FoodSeg103/ImageSets/train.txt": text(n + ".jpg" for n in names)}, bad(read("png", len(names)), "FoodSeg103/Images/ann_dir/train/00000000.png")


def parts_of_faces(draw):
    """CelebAMask-HQ: a mask for each part, and tables of attributes."""
    names, files = range(draw.randrange(5, 9)), {}
    for n in names:
        files["CelebAMask-HQ/CelebA-HQ-img/%d.jpg" % n] = JPEG
        for part in ("hair", "nose", "skin"):
            files["CelebAMask-HQ/CelebAMask-HQ-mask-anno/0/%05d_%s.png" % (n, part)] = any_mask(draw)
    files["CelebAMask-HQ/CelebAMask-HQ-attribute-anno.txt"] = text([str(len(names)), "Bald Bangs Smiling"] + ["%d.jpg %d 1 -1" % (n, 1 - 2 * (n % 2)) for n in names])
    files["CelebAMask-HQ/CelebA-HQ-to-CelebA-mapping.txt"] = text(["idx         orig_idx    orig_file   "] + ["%d           %d      %06d.jpg  " % (n, 119 + n, 120 + n) for n in names])
    return files, bad({**read("png", 3 * len(names)), **NO_WORD}, "CelebAMask-HQ/CelebAMask-HQ-mask-anno/0/00000_hair.png")


def persons(draw):
    """LIP."""
    names = ["%d_%d" % (1000 + i, 1234567 + i) for i in range(draw.randrange(6, 12))]
    return {**jpegs("LIP/TrainVal_images/train_images/", names), **{"LIP/TrainVal_parsing_annotations/train_segmentations/%s.png" % n: any_mask(draw) for n in names},
            "LIP/TrainVal_images/train_id.txt": text(names)}, bad(read("png", len(names)), "LIP/TrainVal_parsing_annotations/train_segmentations/%s.png" % names[0])


def uavid(draw):
    names = ["%06d" % (100 * i) for i in range(8)]
    return {**{"uavid_train/seq%d/Images/%s.png" % (s, n): any_photo(draw, True) for s in (1, 2) for n in names},
            **{"uavid_train/seq%d/Labels/%s.png" % (s, n): colours(draw) for s in (1, 2) for n in names}}, {
                **read("png", 16), "status": 1, "rules": {"color-mask"}}


def context(draw):
    """Pascal Context."""
    names = ["2008_%06d" % i for i in range(8)]
    return {**jpegs("VOC2010/JPEGImages/", names), **{"VOC2010/SegmentationClassContext/%s.png" % n: any_mask(draw) for n in names},
            "VOC2010/ImageSets/SegmentationContext/train.txt": text(names), "VOC2010/trainval_merged.json": as_json({
                "images": [{"file_name": n + ".jpg", "image_id": i, "phase": "train"} for i, n in enumerate(names)], "annos_segm": [], "categories": []})}, bad(
                    {**read("png", 8), **NO_WORD}, "VOC2010/SegmentationClassContext/%s.png" % names[0])


# ---- exports of annotation tools ------------------------------------------------------------------------------------

def datumaro(draw):
    names = stems(draw)
    return {**jpegs("images/default/", names), "annotations/default.json": as_json({
        "info": {}, "categories": {"label": {"labels": [{"name": n, "parent": "", "attributes": []} for n in NAMES], "attributes": []}},
        "items": [{"id": n, "annotations": [{"id": 0, "type": "bbox", "attributes": {}, "group": 0, "label_id": 1, "z_order": 0, "bbox": [1.0, 2.0, 9.0, 8.0]}],
                   "attr": {}, "image": {"path": n + ".jpg", "size": [64, 64]}} for n in names]})}, {**named(), **NO_WORD}


def fiftyone_classes(draw):
    names = stems(draw)
    return {**jpegs("data/", names), "labels.json": as_json({"classes": NAMES, "labels": {n: i % CLASSES for i, n in enumerate(names)}})}, {**named(), **NO_WORD}


def supervisely(draw):
    names = stems(draw)
    return {"meta.json": as_json({"classes": [{"title": "cat", "shape": "polygon", "color": "#50E3C2"}], "tags": []}), **jpegs("ds1/img/", names),
            **{"ds1/ann/%s.jpg.json" % n: as_json({"description": "", "tags": [], "size": {"height": 64, "width": 64}, "objects": [
                {"id": 1, "classTitle": "cat", "geometryType": "polygon", "points": {"exterior": [[1, 2], [3, 4], [5, 6]], "interior": []}}]}) for n in names}}, {
                    **named(), **NO_WORD}


def supervisely_masks(draw):
    names = stems(draw)
    return {"obj_class_to_machine_color.json": as_json({"cat": [1, 1, 1]}), "meta.json": as_json({"classes": [{"title": "cat", "shape": "bitmap"}]}),
            **jpegs("ds1/img/", names), **{"ds1/ann/%s.jpg.json" % n: as_json({"tags": [], "size": {"height": 64, "width": 64}, "objects": [
                {"classTitle": "cat", "bitmap": {"data": "eJw", "origin": [1, 2]}}]}) for n in names},
            **{"ds1/masks_machine/%s.png" % n: any_mask(draw) for n in names}, **{"ds1/masks_human/%s.png" % n: any_photo(draw, True) for n in names}}, bad(
                {**read("png", len(names)), **NO_WORD}, "ds1/masks_machine/%s.png" % names[0])


def cvat_masks(draw):
    names = stems(draw)
    return {"labelmap.txt": text(["# label:color_rgb:parts:actions", "background:128,64,128::", "cat:220,20,60::", "dog:0,0,142::", "fish:107,142,35::", "horse:70,130,180::"]),
            "ImageSets/Segmentation/default.txt": text(names), **jpegs("JPEGImages/", names),
            **{"SegmentationClass/%s.png" % n: colours(draw) for n in names}, **{"SegmentationObject/%s.png" % n: colours(draw) for n in names}}, {
                **read("png", len(names)), "classes": "labelmap.txt"}


def ultralytics(draw):
    """CVAT's Ultralytics YOLO: polygons, and train.txt."""
    names = stems(draw)
    return {"data.yaml": text(["names:"] + ["  %d: %s" % (i, n) for i, n in enumerate(NAMES)] + ["path: .", "train: train.txt"]),
            "train.txt": text("data/images/train/%s.jpg" % n for n in names), **jpegs("images/train/", names),
            **{"labels/train/%s.txt" % n: text("%d %s" % (i % CLASSES, " ".join("%.6f" % draw.uniform(.1, .9) for _ in range(8))) for i in range(3)) for n in names}}, bad(
                read("yolo", len(names)), "labels/train/%s.txt" % names[0], b"77 0.1 0.1 0.2 0.2 0.3 0.1 0.2 0.1\n")


def labelbox(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "export-result.ndjson": b"".join(as_json({
        "data_row": {"id": "cl%d" % i, "external_id": n + ".jpg", "row_data": "https://storage/%s.jpg" % n}, "media_attributes": {"height": 64, "width": 64},
        "projects": {"p": {"name": "cats", "labels": [{"id": "l", "annotations": {"objects": [{"name": "cat", "annotation_kind": "ImageBoundingBox",
                     "bounding_box": {"top": 1, "left": 2, "height": 9, "width": 8}}], "classifications": []}}]}}}) + b"\n" for i, n in enumerate(names))}, {**named(), **NO_WORD}


def v7_masks(draw):
    names = stems(draw)
    return {**jpegs("images/", names), **{"masks/%s.png" % n: any_mask(draw) for n in names},
            "class_mapping.csv": text(["class_name,class_color", "__background__,0 0 0", "cat,1 1 1", "dog,2 2 2"])}, bad(read("png", len(names)), "masks/%s.png" % names[0])


def prodigy(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "annotations.jsonl": b"".join(as_json({
        "image": n + ".jpg", "width": 64, "height": 64, "spans": [{"label": "cat", "points": [[1, 2], [3, 4], [5, 6]], "type": "polygon"}], "answer": "accept"}) + b"\n" for n in names)
    }, {**named(), **NO_WORD}


def segments_ai(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "cats-v0.1.json": as_json({"name": "v0.1", "description": "", "dataset": {"name": "cats", "task_type": "segmentation-bitmap", "samples": [
        {"uuid": "a", "name": n + ".jpg", "attributes": {"image": {"url": "https://x/%s.jpg" % n}}, "labels": {"ground-truth": {"label_status": "LABELED", "attributes": {
            "format_version": "0.1", "annotations": [{"id": 1, "category_id": 1}], "segmentation_bitmap": {"url": "https://x/1.png"}}}}} for n in names]}})}, {**named(), **NO_WORD}


def parquet(draw):
    """Hugging Face: tables of bytes, and the names beside them."""
    return {**{"data/train-%05d-of-00002.parquet" % i: b"PAR1" + bytes(80) + b"PAR1" for i in range(2)}, "id2label.json": as_json({str(i): n for i, n in enumerate(NAMES)}),
            "README.md": b"---\nlicense: mit\n---\n# sidewalk\n", ".gitattributes": b"*.parquet filter=lfs\n"}, named("parquet")


LAYOUTS = {
    "carvana": carvana, "salt": salt, "bowl": bowl, "tract": tract, "clouds": clouds, "skin": skin, "polyps of both": polyps_of_both, "nuclei": nuclei, "glands": glands,
    "overlays": overlays, "liver": liver, "tumours": tumours, "lungs": lungs, "abdomen": abdomen, "slices": slices, "cup and disc": cup_and_disc, "vessels": vessels,
    "loveda": loveda, "mmseg": mmseg, "roofs": roofs, "land": land, "roads": roads, "damages": damages, "bdd": bdd, "vistas": vistas, "weather": weather, "pets": pets,
    "scenes": scenes, "boundaries": boundaries, "glass": glass, "beets": beets, "leaves of plants": leaves_of_plants, "cells": cells, "salient": salient,
    "camouflage": camouflage, "kitti semantic": kitti_semantic, "mots": mots, "mots and photos": mots_and_photos, "videos": videos, "fields": fields, "drone": drone, "defects": defects, "commutators": commutators,
    "surfaces": surfaces, "magnetic tiles": tiles, "cracks": cracks, "dishes": dishes, "parts of faces": parts_of_faces, "persons": persons, "uavid": uavid, "context": context,
    "datumaro": datumaro, "fiftyone classes": fiftyone_classes, "supervisely": supervisely, "supervisely masks": supervisely_masks, "cvat masks": cvat_masks,
    "ultralytics": ultralytics, "labelbox": labelbox, "v7 masks": v7_masks, "prodigy": prodigy, "segments.ai": segments_ai, "parquet": parquet,
}
