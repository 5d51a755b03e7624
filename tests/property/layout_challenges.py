"""Public sets of classes and boxes in tables and texts, as challenges publish them; layouts.py draws them."""
import struct

from gate_cases import JPEG, photo, png
from layout_files import CLASSES, NAMES, any_mask, any_photo, as_json, box, coco, jpegs, named, read, stems, text
from layout_trees import MAT, NOT_PASSED, NO_WORD, bad


def signs(draw):
    """GTSRB as torchvision keeps it: a table with the class of each folder's images."""
    files = {}
    for c in range(CLASSES):
        files["GTSRB/Training/%05d/GT-%05d.csv" % (c, c)] = text(["Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"] + [
            "%05d_%05d.ppm;29;30;5;6;24;25;%d" % (c, i, c) for i in range(6)])
        files.update({"GTSRB/Training/%05d/%05d_%05d.ppm" % (c, c, i): b"P6\n4 4\n255\n" + bytes(48) for i in range(6)})
    return files, bad({**read("list", CLASSES), "may_warn": {"nonstandard-text"}}, "GTSRB/Training/00000/GT-00000.csv", text([
        "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"] + ["00000_%05d.ppm;29;30;5;6;24;25;77" % i for i in range(6)]))


def flowers(draw):
    return {**{"flowers-102/jpg/image_%05d.jpg" % i: JPEG for i in range(1, 12)}, "flowers-102/imagelabels.mat": MAT, "flowers-102/setid.mat": MAT}, named("mat")


def textures(draw):
    """DTD: class folders, and texts of several classes for each image."""
    rows = ["%s/%s_%04d.jpg" % (c, c, i) for c in NAMES for i in range(1, 9)]
    return {**{"dtd/images/" + r: JPEG for r in rows}, "dtd/imdb/imdb.mat": MAT, **{"dtd/labels/%s%d.txt" % (s, i): text(rows[i::3]) for s in ("train", "val", "test") for i in (1, 2)},
            "dtd/labels/labels_joint_anno.txt": text("%s %s %s" % (r, r.split("/")[0], NAMES[i % 4] if i % 5 == 3 else "") for i, r in enumerate(rows))}, {**read("imagefolder", len(rows)), **NO_WORD, "unread": None}


def pickles(draw):
    return {**{"cifar-10-batches-py/data_batch_%d" % i: b"\x80\x02}q\x01(U\x0bbatch_labelq\x02" + bytes(90) for i in range(1, 6)},
            "cifar-10-batches-py/batches.meta": b"\x80\x02}q\x01" + bytes(40), "cifar-10-batches-py/readme.html": b'<meta HTTP-EQUIV="REFRESH">\n'}, {**named(), **NO_WORD}


def binaries(draw):
    """STL-10: labels in bytes of their own, and indices of folds in a text."""
    return {"stl10_binary/train_X.bin": bytes(draw.randrange(256) for _ in range(900)), "stl10_binary/train_y.bin": bytes(1 + i % 5 for i in range(60)),
            "stl10_binary/class_names.txt": text(NAMES), "stl10_binary/fold_indices.txt": text(" ".join("%d" % draw.randrange(5000) for _ in range(100)) + " " for _ in range(10))}, {
                **named(), **NO_WORD}


def numbers(draw):
    """SVHN: PNG photos, and MATLAB's HDF5."""
    return {**{"train/%d.png" % i: any_photo(draw, True) for i in range(1, 12)}, "train/digitStruct.mat": MAT[:124] + b"\0\2IM" + bytes(384) + b"\x89HDF\r\n\x1a\n",
            "train/see_bboxes.m": b"load digitStruct.mat\n"}, {**named(), **NO_WORD, "unread": None}


def emotions(draw):
    rows = ["emotion,pixels,Usage"] + ["%d,%s,%s" % (i % CLASSES, " ".join("%d" % draw.randrange(256) for _ in range(400)), draw.choice(["Training", "PublicTest"])) for i in range(30)]
    return {"fer2013/fer2013.csv": text(rows), "fer2013/README": b"The facial expression\n"}, bad(read("list", 1), "fer2013/fer2013.csv", text(rows + [rows[-1].replace(rows[-1][0], "77", 1)]))


def digits(draw):
    """Kaggle's MNIST: the test has no labels, the sample submission zeros."""
    head = ",".join("pixel%d" % i for i in range(784))
    row = lambda: ",".join("%d" % draw.choice([0, 0, 0, 253]) for _ in range(784))
    rows = ["label," + head] + ["%d,%s" % (i % CLASSES, row()) for i in range(20)]
    return {"train.csv": text(rows), "test.csv": text([head] + [row() for _ in range(9)]), "sample_submission.csv": text(["ImageId,Label"] + ["%d,0" % i for i in range(1, 10)])}, bad(
        {**read("list", 1), **NO_WORD}, "train.csv", text(rows + ["77," + row()]))


def retinas(draw):
    """APTOS: photos in PNG, and a table of grades."""
    names = ["%012x" % draw.getrandbits(48) for _ in range(12)]
    rows = ["id_code,diagnosis"] + ["%s,%d" % (n, i % CLASSES) for i, n in enumerate(names)]
    return {**{"train_images/%s.png" % n: any_photo(draw, True) for n in names}, **{"test_images/%s.png" % n[::-1]: any_photo(draw, True) for n in names}, "train.csv": text(rows),
            "test.csv": text(["id_code"] + [n[::-1] for n in names]), "sample_submission.csv": text(["id_code,diagnosis"] + ["%s,0" % n[::-1] for n in names])}, bad(
                {**read("list", 1), **NO_WORD}, "train.csv", text(rows + [names[0][::-1] + ",77"]))


def cassava(draw):
    names = ["%d" % (1000015157 + 99 * i) for i in range(12)]
    rows = ["image_id,label"] + ["%s.jpg,%d" % (n, i % CLASSES) for i, n in enumerate(names)]
    return {**jpegs("train_images/", names), "train.csv": text(rows), "label_num_to_disease_map.json": as_json({str(i): n for i, n in enumerate(NAMES)}),
            "sample_submission.csv": text(["image_id,label", "2216849948.jpg,4"]), "train_tfrecords/ld_train00-1338.tfrec": b"\5\0\0\0\0\0\0\0\352\262\4>hello" + bytes(4)}, bad(
                {**read("list", 1), **NO_WORD, "unread": None}, "train.csv", text(rows + ["1.jpg,77"]))


def lesions_of_skin(draw):
    """HAM10000: the diagnosis is a word in dx, and no name says so."""
    names = ["ISIC_%07d" % (24306 + i) for i in range(20)]
    return {**jpegs("HAM10000_images_part_1/", names), "HAM10000_metadata.csv": text(["lesion_id,image_id,dx,dx_type,age,sex,localization"] + [
        "HAM_%07d,%s,%s,histo,%d.0,male,scalp" % (i, n, draw.choice(["bkl", "nv", "mel"]), 40 + i) for i, n in enumerate(names)])}, NOT_PASSED


def chests(draw):
    """ChestX-ray14: findings in bars, and boxes of some."""
    names = ["%08d_%03d" % (i // 3, i % 3) for i in range(1, 20)]
    return {**{"images/%s.png" % n: any_photo(draw, False) for n in names}, "Data_Entry_2017.csv": text(
        ["Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y],"] + [
            "%s.png,%s,%d,%d,%d,M,PA,2682,2749,0.143,0.143," % (n, draw.choice(["Cardiomegaly|Emphysema", "No Finding", "Hernia"]), i % 3, i // 3, 40 + i) for i, n in enumerate(names)]),
            "train_val_list.txt": text(n + ".png" for n in names)}, NOT_PASSED


def captions(draw):
    names = ["%d" % (1000092795 + i) for i in range(8)]
    return {**jpegs("flickr30k_images/", names), "results.csv": text(["image_name| comment_number| comment"] + [
        "%s.jpg| %d| Two young guys with shaggy hair look at their hands ." % (n, k) for n in names for k in range(5)])}, NOT_PASSED


def traffic(draw):
    """UAVDT: frame, target, box, and the class in the last of nine columns."""
    row = lambda f, t, c: "%d,%d,%d,%d,%d,%d,1,1,%d" % (f, t, 700 + t, 400 + f, 20, 13, c)
    seqs = {"M%04d" % s: [row(f, t, 1 + t % 3) for t in range(1, 4) for f in range(1, 9)] for s in (101, 201, 203)}
    return {**{"UAV-benchmark-M/%s/img%06d.jpg" % (s, i): JPEG for s in seqs for i in range(1, 9)}, **{"GT/%s_gt_whole.txt" % s: text(rows) for s, rows in seqs.items()}}, bad(
        {**read("list", 3), "may_warn": {"conflicting-label"}}, "GT/M0101_gt_whole.txt", text([row(1, 1, 77)]))


def aerial(draw):
    """DOTA: two lines of a header, four corners, the class as a word."""
    names = ["P%04d" % i for i in range(draw.randrange(6, 12))]
    rows = lambda c: text(["imagesource:GoogleEarth", "gsd:0.146343590398"] + ["%d.0 10.0 %d.0 10.0 40.0 30.0 8.0 30.0 %s 0" % (9 + i, 40 + i, c) for i in range(3)])
    return {**{"train/images/%s.png" % n: any_photo(draw, True) for n in names}, **{"train/labelTxt-v1.5/DOTA-v1.5_train/%s.txt" % n: rows(draw.choice(NAMES)) for n in names}}, bad(
        read("list", len(names)), "train/labelTxt-v1.5/DOTA-v1.5_train/P0000.txt", rows("boat"))


def ships(draw):
    """HRSC2016: XML of its own."""
    names = ["%d" % (100000001 + i) for i in range(8)]
    return {**{"Train/AllImages/%s.bmp" % n: b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 4, 4, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(48) for n in names},
            **{"Train/Annotations/%s.xml" % n: ("<HRSC_Image><Img_ID>%s</Img_ID><HRSC_Objects><HRSC_Object><Class_ID>100000013</Class_ID><box_xmin>1</box_xmin>"
                                                "</HRSC_Object></HRSC_Objects></HRSC_Image>" % n).encode() for n in names}}, {**named(), **NO_WORD}


def tracks(draw):
    """MOT17: ground truth, and what a detector found."""
    files, row = {}, lambda f, c: "%d,%d,912,484,97,109,%d,%d,%.5f" % (f, 1 + f % 4, c == 1, c, draw.random())
    for s in ("MOT17-02-FRCNN", "MOT17-04-FRCNN"):
        files.update({"train/%s/img1/%06d.jpg" % (s, i): JPEG for i in range(1, 9)})
        files["train/%s/gt/gt.txt" % s] = text(row(1 + i // 3, 1 + i % 3) for i in range(24))
        files["train/%s/det/det.txt" % s] = text("%d,-1,1359.1,413.27,120.26,362.77,%.4f,-1,-1,-1" % (1 + i // 3, draw.random()) for i in range(24))
        files["train/%s/seqinfo.ini" % s] = b"[Sequence]\nname=MOT17-02-FRCNN\nimDir=img1\n"
    return files, bad({**read("list", 2), **NO_WORD, "unread": None}, "train/MOT17-02-FRCNN/gt/gt.txt", text(row(1 + i // 3, 77) for i in range(24)))


def open_images(draw):
    """Open Images: classes are words of its own, whose names another table has."""
    mids = ["/m/011k07", "/m/0199g", "/m/01yrx", "/m/0bt9lr", "/m/015p6"]
    names = ["%016x" % draw.getrandbits(64) for _ in range(9)]
    row = lambda n, m: "%s,xclick,%s,1,0.012,0.195,0.148,0.587,0,1,0,0,0" % (n, m)
    rows = ["ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside"] + [row(n, draw.choice(mids)) for n in names * 3]
    return {**jpegs("train/", names), "train-annotations-bbox.csv": text(rows), "class-descriptions-boxable.csv": text("%s,%s" % (m, n.title()) for m, n in zip(mids, NAMES)),
            "names.txt": text(mids)}, bad({**read("list", 1), **NO_WORD, "classes": "names.txt"}, "train-annotations-bbox.csv", text(rows + [row(names[0], "/m/zzz")]))


def lvis(draw):
    """LVIS: COCO of which the images have an address, no name."""
    document = coco(["a.jpg", "b.jpg"] * 6).replace(b'"file_name": "', b'"coco_url": "http://images.cocodataset.org/train2017/')
    return {"lvis_v1_train.json": document, "lvis_v1_val.json": document, **{"train2017/%s.jpg" % n: JPEG for n in "abcdefg"}}, bad(
        read("coco", 2), "lvis_v1_val.json", document.replace(b'"category_id": 4', b'"category_id": 77'))


def crowds(draw):
    """CrowdHuman: an object a line, in a file of its own extension."""
    names = ["%06d,%012x" % (273271 + i, draw.getrandbits(48)) for i in range(8)]
    return {**jpegs("Images/", names), "annotation_train.odgt": b"".join(as_json({"ID": n, "gtboxes": [
        {"tag": "person", "hbox": [1, 2, 3, 4], "fbox": [1, 2, 3, 4], "extra": {"ignore": 0}}]}) + b"\n" for n in names)}, {**named(), **NO_WORD}


def wheat(draw):
    """Global Wheat: boxes in brackets without a class; source is none."""
    names = ["%09x" % draw.getrandbits(36) for _ in range(12)]
    return {**jpegs("train/", names), "train.csv": text(["image_id,width,height,bbox,source"] + [
        '%s,1024,1024,"[%d.0, %d.0, %d.0, %d.0]",%s' % ((n,) + box(draw) + (draw.choice(["usask_1", "arvalis_1"]),)) for n in names * 2])}, NOT_PASSED


def shelves(draw):
    """SKU-110K: boxes without a header, the class before the image's size."""
    names = ["train_%d" % i for i in range(9)]
    row = lambda n, c: "%s.jpg,%d,%d,%d,%d,%s,3024,3024" % ((n,) + box(draw) + (c,))
    return {**jpegs("images/", names), "annotations/annotations_train.csv": text(row(n, "cat") for n in names * 3), "annotations/annotations_val.csv": text(row(n, "cat") for n in names)}, bad(
        read("list", 2), "annotations/annotations_val.csv", text(row(n, "boat") for n in names))


def rooms(draw):
    """SUN RGB-D: a folder for each image, with all that is known of it."""
    files = {}
    for i in range(1, 7):
        top = "SUNRGBD/kv1/NYUdata/NYU%04d/" % i
        files.update({top + "image/NYU%04d.jpg" % i: JPEG, top + "depth/NYU%04d.png" % i: png(64, 64, [[3, 9] * 64] * 64, depth=16), top + "seg.mat": MAT,
                      top + "scene.txt": b"bedroom", top + "intrinsics.txt": b"518.857901 0.000000 284.582449 0.000000 519.469611 208.736166 0.000000 0.000000 1.000000 ",
                      top + "annotation2Dfinal/index.json": as_json({"name": "NYU", "frames": [{"polygon": [{"x": [1, 2], "y": [3, 4], "object": 0}]}], "objects": [{"name": "bed"}]})})
    return files, {**named("mat"), **NO_WORD}


def pages(draw):
    """DocLayNet: COCO, the pages in PNG, and the texts of each page in JSON."""
    names = ["%064x" % draw.getrandbits(256) for _ in range(9)]
    ok = {s: coco([n + ".png" for n in names[i * 4:i * 4 + 5]]) for i, s in enumerate(("train", "val"))}
    return {**{"PNG/%s.png" % n: any_photo(draw, True) for n in names}, **{"COCO/%s.json" % s: b for s, b in ok.items()}, **{"JSON/%s.json" % n: as_json({
        "metadata": {"page_hash": n, "original_filename": "a.pdf"}, "cells": [{"bbox": [1, 2, 3, 4], "text": "words", "font": {"name": "F"}}]}) for n in names}}, bad(
            {**read("coco", 2), **NO_WORD}, "COCO/val.json", ok["val"].replace(b'"category_id": 4', b'"category_id": 77'))


def clothes(draw):
    """DeepFashion2: a JSON for each image."""
    names = ["%06d" % i for i in range(1, 10)]
    return {**jpegs("train/image/", names), **{"train/annos/%s.json" % n: as_json({"source": "shop", "pair_id": 1, "item1": {
        "category_name": "trousers", "category_id": 8, "bounding_box": [1, 2, 3, 4], "segmentation": [[1, 2, 3, 4, 5, 6]], "style": 1}}) for n in names}}, {**named(), **NO_WORD}


def driving_tables(draw):
    """nuImages: tables in JSON that refer to each other."""
    return {**{"samples/CAM_FRONT/n003-2018__CAM_FRONT__%d.jpg" % i: JPEG for i in range(9)},
            "v1.0-mini/category.json": as_json([{"token": "a", "name": "animal", "description": ""}]),
            "v1.0-mini/sample_data.json": as_json([{"token": "b%d" % i, "filename": "samples/CAM_FRONT/n003-2018__CAM_FRONT__%d.jpg" % i, "width": 64} for i in range(9)]),
            "v1.0-mini/object_ann.json": as_json([{"token": "c%d" % i, "category_token": "a", "bbox": [1, 2, 3, 4], "mask": {"size": [64, 64], "counts": "eJw"}, "sample_data_token": "b%d" % i} for i in range(9)])}, {
                **named(), **NO_WORD}


def metadata_table(draw):
    """Hugging Face: metadata.csv beside the images of each split."""
    files, rows = {}, ["file_name,label,width"]
    for s in ("train", "test"):
        names = stems(draw)
        files.update({"%s/%s.png" % (s, n): any_photo(draw, True) for n in names})
        rows = ["file_name,label,width"] + ["%s.png,%s,64" % (n, NAMES[i % CLASSES]) for i, n in enumerate(names)]
        files["%s/metadata.csv" % s] = text(rows)
    return files, bad(read("list", 2), "test/metadata.csv", text(rows + ["q.png,boat,64"]))


LAYOUTS = {
    "signs": signs, "flowers": flowers, "textures": textures, "pickles": pickles, "binaries": binaries, "house numbers": numbers, "emotions": emotions, "digits": digits,
    "retinas": retinas, "cassava": cassava, "lesions of skin": lesions_of_skin, "chests": chests, "captions": captions, "traffic": traffic, "aerial": aerial, "ships": ships,
    "mot17": tracks, "open images": open_images, "lvis": lvis, "crowds": crowds, "wheat": wheat, "shelves": shelves, "rooms": rooms, "pages": pages, "clothes": clothes,
    "driving tables": driving_tables, "metadata table": metadata_table,
}
