"""Draws public layouts of data sets, and checks which files of each are audited.

usage: layouts.py PROGRAM FOLDER [-s SEED] [WORDS]

A layout is a function of a random generator. It returns the files of a data set, and what an audit must find there: the
format of its label files and their number, or the format that is named because it is not read.
"""
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor

import checks
import layout_challenges
import layout_corpora
import layout_tables
import layout_trees
from gate_cases import JPEG, idx, npy, photo, plot, png
from layout_files import (CLASSES, MASKS, NAMES, any_mask, any_photo, as_json, box, coco, jpegs, mask, named, read, stems,
                          text, yolo_text)



# ---- layouts --------------------------------------------------------------------------------------------------------

def yolo(draw):
    names, data = stems(draw), draw.random() < .5
    files = {"data.yaml" if data else "classes.txt": b"names: [bird, cat, dog, fish, horse]\nnc: 5\n" if data else text(NAMES)}
    for i, n in enumerate(names):
        split = "val" if i % 4 == 0 else "train"
        files["images/%s/%s.jpg" % (split, n)] = JPEG
        files["labels/%s/%s.txt" % (split, n)] = yolo_text(draw)
    return files, read("yolo", len(names))


def yolo_of_png(draw):
    names = stems(draw)
    files = {"images/%s.png" % n: any_photo(draw) for n in names}
    files.update({"labels/%s.txt" % n: yolo_text(draw) for n in names})
    return files, read("yolo", len(names))


def roboflow(make):
    """The folders of Roboflow's exports: train/, valid/, test/."""
    def layout(draw):
        names, files, want = stems(draw) + stems(draw), {"README.roboflow.txt": b"cats - v1\nProvided by a user\n",
                                                         "README.dataset.txt": b"# cats\n"}, None
        names = ["%s_jpg.rf.%032x" % (n, draw.getrandbits(128)) for n in dict.fromkeys(names)]
        for i, split in enumerate(("train", "valid", "test")):
            part, more = make(draw, names[i::3])
            files.update({split + "/" + n: b for n, b in part.items()})
            want = more if want is None else {**want, "files": want["files"] + more["files"]}
        return files, want
    return layout


def roboflow_yolo(draw, names):
    return {**jpegs("images/", names), **{"labels/%s.txt" % n: yolo_text(draw) for n in names}}, read("yolo", len(names))


def roboflow_coco(draw, names):
    return {**jpegs("", names), "_annotations.coco.json": coco([n + ".jpg" for n in names])}, read("coco", 1)


def roboflow_masks(draw, names):
    return {**jpegs("", names), **{n + "_mask.png": any_mask(draw) for n in names},
            "_classes.csv": b"Pixel Value, Class\n0, background\n1, cat\n2, dog\n3, bird\n4, fish\n"}, read("png", len(names))


def roboflow_folders(draw, names):
    names = (names * 9)[:12]
    return {"%s/%d%s.jpg" % (NAMES[i % CLASSES], i, n): JPEG for i, n in enumerate(names)}, read("imagefolder", len(names))


def one_split_of_folders(draw):
    return {"train/%s/%d.jpg" % (NAMES[i % CLASSES], i): JPEG for i in range(60)}, read("imagefolder", 60)


def voc_xml(n, draw):
    return ("<annotation><folder></folder><filename>%s.jpg</filename><object><name>cat</name><bndbox><xmin>%d</xmin>"
            "<ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox></object></annotation>" % ((n,) + box(draw))).encode()


def roboflow_voc(draw, names):
    return {**jpegs("", names), **{n + ".xml": voc_xml(n, draw) for n in names}}, named("voc-xml")


def roboflow_createml(draw, names):
    return {**jpegs("", names), "_annotations.createml.json": as_json([
        {"image": n + ".jpg", "annotations": [{"label": "cat", "coordinates": {"x": 20, "y": 20, "width": 9, "height": 9}}]}
        for n in names])}, named("createml")


def roboflow_tfrecord(draw, names):
    return {"cats.tfrecord": b"\5\0\0\0\0\0\0\0\352\262\4>hello" + bytes(4),
            "cats_label_map.pbtxt": b"item {\n  name: \"cat\",\n  id: 1\n}\n"}, named("tfrecord")


def roboflow_retinanet(draw, names):
    return {**jpegs("", names), "_annotations.csv": text("%s.jpg,%d,%d,%d,%d,%s" % ((n,) + box(draw) + (NAMES[i % CLASSES],))
                                                         for i, n in enumerate(names * 3))}, read("list", 1)


def roboflow_tensorflow(draw, names):
    return {**jpegs("", names), "_annotations.csv": text(
        ["filename,width,height,class,xmin,ymin,xmax,ymax"] +
        ["%s.jpg,64,64,%s,%d,%d,%d,%d" % ((n, NAMES[i % CLASSES]) + box(draw)) for i, n in enumerate(names * 3)])}, read("list", 1)


def roboflow_yolov4(draw, names):
    return {**jpegs("", names), "_classes.txt": text(NAMES), "_annotations.txt": text(
        "%s.jpg " % n + " ".join("%d,%d,%d,%d,%d" % (box(draw) + (draw.randrange(CLASSES),)) for _ in range(draw.randrange(1, 4)))
        for n in names)}, read("list", 1)


def roboflow_multi_label(draw, names):
    rows = ["filename, cat, dog, bird, fish, horse"] + ["%s.jpg, %s" % (n, ", ".join(draw.choice("01") for _ in NAMES))
                                                        for n in (names * 9)[:12]]
    return {**jpegs("", names), "_classes.csv": text(rows)}, {"formats": set(), "files": 1, "unread": set(), "status": 2,
                                                             "rules": {"ambiguous-columns"}}


def darknet(draw):
    names = stems(draw)
    return {**jpegs("obj_train_data/", names), **{"obj_train_data/%s.txt" % n: yolo_text(draw) for n in names},
            "obj.names": text(NAMES), "obj.data": b"classes = 5\ntrain = data/train.txt\nnames = data/obj.names\n",
            "train.txt": text("data/obj_train_data/%s.jpg" % n for n in names)}, read("yolo", len(names))


def coco_instances(draw):
    names, photos = stems(draw), draw.random() < .5
    files = {"val2017/%s.%s" % (n, "png" if photos else "jpg"): any_photo(draw) if photos else JPEG for n in names}
    files["annotations/instances_val2017.json"] = coco([os.path.basename(f) for f in files])
    return files, read("coco", 1)


def cityscapes(draw):
    files, count = {}, draw.randrange(5, 12)
    for i in range(count):
        split, city = draw.choice([("train", "aachen"), ("val", "lindau")])
        stem = "%s/%s/%s_%06d_000019" % (split, city, city, i)
        files["leftImg8bit/%s_leftImg8bit.png" % stem] = any_photo(draw, True)
        files["gtFine/%s_gtFine_labelTrainIds.png" % stem] = any_mask(draw)
        files["gtFine/%s_gtFine_color.png" % stem] = plot()
        files["gtFine/%s_gtFine_polygons.json" % stem] = as_json({"imgHeight": 64, "imgWidth": 64, "objects": [
            {"label": "road", "polygon": [[1, 2], [3, 4], [5, 6]]}]})
    return files, {**read("png", count), "may_warn": {"unaudited-labels"}}


def ade(draw):
    files, names = {}, ["ADE_train_%08d" % i for i in range(draw.randrange(5, 12))]
    for i, n in enumerate(names):
        split = "validation" if i % 4 == 0 else "training"
        files["images/%s/%s.jpg" % (split, n)] = JPEG
        files["annotations/%s/%s.png" % (split, n)] = any_mask(draw)
    files["objectInfo150.txt"] = b"Idx\tRatio\tTrain\tVal\tStuff\tName\n1\t0.15\t11664\t1172\t1\twall\n2\t0.1\t6046\t612\t1\tsky\n"
    return files, read("png", len(names))


def pix2pix(draw):
    names = stems(draw)
    files = {"trainA/%s.%s" % (n, "jpg"): JPEG for n in names}
    files.update({"trainB/%s.png" % n: any_mask(draw) for n in names})
    return files, read("png", len(names))


def davis(draw):
    files, count = {}, draw.randrange(5, 12)
    for i in range(count):
        files["JPEGImages/480p/bear/%05d.jpg" % i] = JPEG
        files["Annotations/480p/bear/%05d.png" % i] = any_mask(draw)
    files["ImageSets/480p/train.txt"] = text("/JPEGImages/480p/bear/%05d.jpg /Annotations/480p/bear/%05d.png" % (i, i)
                                             for i in range(count))
    return files, read("png", count)


def mvtec(draw):
    files, count, colour = {}, draw.randrange(4, 9), draw.random() < .5
    for i in range(count):
        files["bottle/train/good/%03d.png" % i] = any_photo(draw, colour)
        files["bottle/test/good/%03d.png" % i] = any_photo(draw, colour)
        files["bottle/test/broken/%03d.png" % i] = any_photo(draw, colour)
        files["bottle/ground_truth/broken/%03d_mask.png" % i] = any_mask(draw)
    return files, read("png", count)


def voc(draw):
    names, files = ["2007_%06d" % i for i in range(draw.randrange(5, 12))], {}
    for n in names:
        files["VOC2012/JPEGImages/%s.jpg" % n] = JPEG
        files["VOC2012/SegmentationClass/%s.png" % n] = any_mask(draw)
        files["VOC2012/SegmentationObject/%s.png" % n] = any_mask(draw)
        files["VOC2012/Annotations/%s.xml" % n] = voc_xml(n, draw)
    files["VOC2012/ImageSets/Segmentation/train.txt"] = text(names)
    return files, read("png", len(names), ["voc-xml"])


def voc_boxes(draw):
    names, files = ["%06d" % i for i in range(1, draw.randrange(6, 12))], {}
    for n in names:
        files["VOC2007/JPEGImages/%s.jpg" % n] = JPEG
        files["VOC2007/Annotations/%s.xml" % n] = voc_xml(n, draw)
    files["VOC2007/ImageSets/Main/train.txt"] = text(names)
    return files, named("voc-xml")


def bmp(rows):
    w, h = len(rows[0]), len(rows)
    table = b"".join(bytes((i * 7 % 256, i * 3 % 256, i, 0)) for i in range(256))
    return (b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54 + 1024, 40, w, h, 1, 8, 0, 0, 0, 0, 0, 0) + table
            + b"".join(bytes(row) + bytes(-w % 4) for row in reversed(rows)))


def retina(draw):
    """Masks in BMP beside photos in TIFF, as DRIVE's are in GIF."""
    files, count = {}, draw.randrange(5, 12)
    for i in range(21, 21 + count):
        files["training/images/%d_training.tif" % i] = b"II*\0\x08\0\0\0" + bytes(500)
        files["training/1st_manual/%d_manual1.bmp" % i] = bmp([[(x // 9 + y // 7 + i) % 3 for x in range(40)] for y in range(30)])
    return files, read("bmp", count)


def chase(draw):
    files, count = {}, draw.randrange(4, 10)
    for i in range(count):
        files["Image_%02dL.jpg" % i] = JPEG
        files["Image_%02dL_1stHO.png" % i] = any_mask(draw)
    return files, read("png", count)


def orphan_in_colours(draw):
    """One mask was saved in colours, and its image is not there: it is no plot."""
    names = stems(draw)
    return {**jpegs("jpg/", names), **{"ground/%s.png" % n: any_mask(draw) for n in names}, "ground/9999.png": in_colours(draw)}, {
        **read("png", len(names) + 1), "status": 1, "rules": {"color-mask", "mixed-encoding"}}


def chase_and_a_photo(draw):
    """A photo of no image among the masks, such as a preview."""
    files, want = chase(draw)
    return {**files, "photo.png": photo(3)}, want


def nnunet_png(draw):
    files, count = {}, draw.randrange(5, 12)
    for i in range(count):
        files["Dataset001_Cells/imagesTr/cell_%03d_0000.png" % i] = any_photo(draw)
        files["Dataset001_Cells/labelsTr/cell_%03d.png" % i] = any_mask(draw)
    files["Dataset001_Cells/dataset.json"] = as_json({"channel_names": {"0": "rgb"}, "labels": {"background": 0, "cell": 1},
                                                      "numTraining": count, "file_ending": ".png"})
    return files, read("png", count)


def nnunet_nifti(draw):
    files = {}
    for i in range(draw.randrange(4, 9)):
        volume = struct.pack("<i", 348) + bytes(340) + b"n+1\0" + bytes(200)
        files["Dataset002_Heart/imagesTr/la_%03d_0000.nii" % i] = volume
        files["Dataset002_Heart/labelsTr/la_%03d.nii" % i] = volume
    files["Dataset002_Heart/dataset.json"] = as_json({"labels": {"background": 0, "atrium": 1}, "file_ending": ".nii"})
    return files, named("nifti")


def retinanet(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "classes.csv": text("%s,%d" % (n, i) for i, n in enumerate(NAMES)),
            "annotations.csv": text("images/%s.jpg,%d,%d,%d,%d,%s" % ((n,) + box(draw) + (NAMES[i % CLASSES],))
                                    for i, n in enumerate(names * 3))}, read("list", 1)


def keras_yolo3(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "model_data/my_classes.txt": text(NAMES), "train.txt": text(
        "images/%s.jpg " % n + " ".join("%d,%d,%d,%d,%d" % (box(draw) + (draw.randrange(CLASSES),)) for _ in range(draw.randrange(1, 4)))
        for n in names)}, read("list", 1)


def kitti(draw):
    files, count = {}, draw.randrange(5, 12)
    for i in range(count):
        files["training/image_2/%06d.png" % i] = any_photo(draw, True)
        files["training/calib/%06d.txt" % i] = text("%s: %s" % (p, " ".join("%.12e" % draw.random() for _ in range(12)))
                                                    for p in ("P0", "P1", "P2", "P3", "R0_rect"))
        files["training/label_2/%06d.txt" % i] = text(
            "%s 0.00 0 -1.58 %d.01 %d.33 %d.12 %d.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59" % ((NAMES[k % CLASSES],) + box(draw))
            for k in range(draw.randrange(1, 4)))
    return files, read("list", count)


def via(draw):
    names = stems(draw)
    project = {"_via_settings": {}, "_via_img_metadata": {n + ".jpg999": {
        "filename": n + ".jpg", "size": 999, "regions": [{"shape_attributes": {"name": "rect", "x": 1, "y": 2, "width": 9, "height": 8},
                                                          "region_attributes": {"class": "cat"}}], "file_attributes": {}} for n in names}}
    value = project if draw.random() < .5 else project["_via_img_metadata"]
    return {**jpegs("", names), "via_region_data.json": as_json(value)}, named("via-json")


def via_csv(draw):
    names = stems(draw)
    return {**jpegs("", names), "via_export_csv.csv": text(
        ["filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes"] +
        ['%s.jpg,999,"{}",1,0,"{""name"":""rect"",""x"":1,""y"":2,""width"":9,""height"":8}","{""class"":""cat""}"' % n
         for n in names])}, named("via-csv")


def darwin(draw):
    names = stems(draw)
    return {**jpegs("images/", names), **{"annotations/%s.json" % n: as_json({
        "version": "2.0", "item": {"name": n + ".jpg", "path": "/"},
        "annotations": [{"bounding_box": {"h": 9, "w": 8, "x": 1, "y": 2}, "id": "a", "name": "cat"}]}) for n in names}}, named("darwin")


def labelme(draw):
    names = stems(draw)
    return {**jpegs("", names), **{n + ".json": as_json({
        "version": "5.0.1", "flags": {}, "shapes": [{"label": "cat", "points": [[1, 2], [9, 4], [5, 8]], "shape_type": "polygon"}],
        "imagePath": n + ".jpg", "imageData": None}) for n in names}}, {
            **named("labelme"), "may_warn": {"sample-lacks-member"}}  # preview.jpg beside samples of .jpg and .json


def described(draw):
    """JSON of kinds that nobody has named yet: FUNSD, CORD, xBD, TuSimple, SuperAnnotate, FiftyOne."""
    want = {**named(), "may_warn": {"unaudited-labels"}}
    names = ["s%03d" % i for i in range(draw.randrange(5, 14))]
    kind, photos = draw.choice(["forms", "lines", "objects", "samples", "keys"]), draw.choice(["images/", "image/", "img/"])
    if kind == "forms":
        return {**{photos + n + ".png": any_photo(draw, True) for n in names}, **{"annotations/%s.json" % n: as_json(
            {"form": [{"box": [1, 2, 3, 4], "text": "TO:", "id": 0}]}) for n in names}}, want
    if kind == "lines":
        return {**jpegs("clips/", names), "label_data.json": text(json.dumps(
            {"lanes": [[-2, 10, 20]], "h_samples": [240, 250, 260], "raw_file": "clips/%s.jpg" % n}) for n in names)}, want
    if kind == "keys":
        return {**jpegs("data/", names), "labels.json": as_json({"classes": NAMES, "labels": {n: i % 5 for i, n in enumerate(names)}})}, want
    if kind == "objects":
        return {**jpegs("", names), **{n + ".jpg___objects.json": as_json({"instances": [{"classId": 1, "type": "bbox"}]}) for n in names},
                "classes/classes.json": as_json([{"id": 1, "name": "cat"}])}, want
    return {**jpegs("data/", names), "samples.json": as_json({"samples": [
        {"filepath": "data/%s.jpg" % n, "ground_truth": {"_cls": "Detections"}} for n in names]})}, want


def cvat(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "annotations.xml": ('<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n<meta>'
            "<task><name>cats</name></task></meta>\n" + "".join(
                '<image id="%d" name="%s.jpg" width="64" height="64"><box label="cat" xtl="1" ytl="2" xbr="9" ybr="8"/></image>\n' % (i, n)
                for i, n in enumerate(names)) + "</annotations>\n").encode()}, named("cvat-xml")


def label_studio(draw):
    names = stems(draw)
    return {**jpegs("images/", names), "project-1-at-2024-01-02.json": as_json([
        {"id": i, "annotations": [{"id": i, "completed_by": 1, "result": [{"type": "rectanglelabels", "value": {
            "x": 1, "y": 2, "width": 9, "height": 8, "rectanglelabels": ["cat"]}}]}], "data": {"image": "/data/%s.jpg" % n}}
        for i, n in enumerate(names)])}, named("label-studio")


def camvid(draw):
    names, files = stems(draw), {}
    for i, n in enumerate(names):
        split = "val" if i % 3 == 0 else "train"
        files["%s/%s.png" % (split, n)] = any_photo(draw, True)
        files["%sannot/%s.png" % (split, n)] = any_mask(draw)
    files["train.txt"] = text("/SegNet/CamVid/train/%s.png /SegNet/CamVid/trainannot/%s.png" % (n, n) for n in names)
    return files, read("png", len(names))


def grey_photos(draw):
    """masks/ beside photos in a folder of any name, of which the content tells that they are photos."""
    names, folder = stems(draw), draw.choice(["xrays", "frames", "raw", "scans", "ct", "tiles", "slices", "crops"])
    files = {"%s/%s.png" % (folder, n): any_photo(draw, False) for n in names}
    files.update({"masks/%s.png" % n: any_mask(draw) for n in names})
    return files, read("png", len(names))


def unknown_label_folder(draw):
    names, folder = stems(draw), draw.choice(["1st_manual", "stuffthingmaps", "category_ids", "Labeled", "y", "B", "train_inst"])
    files = {"images/%s.png" % n: any_photo(draw) for n in names}
    files.update({"%s/%s.png" % (folder, n): any_mask(draw) for n in names})
    return files, read("png", len(names))


def flat_photo(draw, colour):
    """A sky without clouds above a strip of ground: as few bits a pixel as in a mask."""
    channels, sky = 3 if colour else 1, draw.choice([0, 255])
    return png(64, 64, [[sky] * 64 * channels if y < 52 else [draw.randrange(90, 130) for _ in range(64 * channels)] for y in range(64)],
               colour=2 if colour else 0)


def flat_photos(draw):
    """A third of the photos look like masks, one by one; the folder does not."""
    names, colour = stems(draw) + ["q%d" % i for i in range(8)], draw.random() < .5
    folder, masks = draw.choice(["xrays", "frames", "A", "images/p1", "tiles"]), draw.choice(["masks", "B", "stuffthingmaps", "gt"])
    files = {"%s/%s.png" % (folder, n): flat_photo(draw, colour) if i % 3 == 1 else any_photo(draw, colour) for i, n in enumerate(names)}
    files.update({"%s/%s.png" % (masks, n): any_mask(draw) for n in names})
    return files, read("png", len(names))


def framed_photo(draw, colour):
    """A photo within a black frame, as of a retina, an ultrasound or a CT."""
    channels = 3 if colour else 1
    return png(96, 96, [[0] * 96 * channels if not 40 <= y < 84 else [0] * 20 * channels + [
        40 + x // channels + y + draw.randrange(-12, 13) for x in range(56 * channels)] + [0] * 20 * channels
        for y in range(96)], colour=2 if colour else 0)


def framed_photos(draw):
    names, colour = stems(draw), draw.random() < .5
    folder, masks = draw.choice(["scans", "A", "xrays"]), draw.choice(["B", "gt", "vessels"])
    files = {"%s/%s.png" % (folder, n): framed_photo(draw, colour) for n in names}
    files.update({"%s/%s.png" % (masks, n): any_mask(draw) for n in names})
    return files, read("png", len(names))


def named_as_masks(draw):
    """A folder above photos and masks is called as those of masks are."""
    names, colour = stems(draw), draw.random() < .5
    top = draw.choice(["segmentation", "Face-Mask", "lung_mask_set", "gt_v2", "annotations_new"])
    folder, masks = draw.choice([("raw", "masks"), ("xrays", "lesions"), ("A", "B"), ("source", "gt")])
    files = {"%s/%s/%s.png" % (top, folder, n): draw.choice([any_photo, framed_photo])(draw, colour) for n in names}
    files.update({"%s/%s/%s.png" % (top, masks, n): any_mask(draw) for n in names})
    return files, read("png", len(names))


def suffixes_in_gt(draw):
    """Breast ultrasound: benign (1).png is the image of benign (1)_mask.png, below Dataset_with_GT/."""
    files, count, colour = {}, draw.randrange(4, 9), draw.random() < .5
    for c in ("benign", "malignant", "normal"):
        for i in range(1, count):
            files["Dataset_with_GT/%s/%s (%d).png" % (c, c, i)] = framed_photo(draw, colour)
            files["Dataset_with_GT/%s/%s (%d)_mask.png" % (c, c, i)] = any_mask(draw)
    return files, read("png", 3 * (count - 1))


def coloured_masks(draw):
    """CholecSeg8k: x.png, its x_mask.png, and the same in colours."""
    files, count = {}, draw.randrange(4, 9)
    for i in range(count):
        files["video01/frame_%d_endo.png" % i] = any_photo(draw, True)
        files["video01/frame_%d_endo_mask.png" % i] = any_mask(draw)
        files["video01/frame_%d_endo_color_mask.png" % i] = png(64, 64, [[90, 60, i] * 30 + [7, 200, 30] * 34] * 64, colour=2)
    return files, read("png", count)


def frames_with_annotations(draw):
    """RUGD: the folder of the photos names the masks, too; visibility/ of PhenoBench counts pixels."""
    files, count = {}, draw.randrange(4, 9)
    for i in range(count):
        files["RUGD_frames-with-annotations/creek/creek_%05d.png" % i] = any_photo(draw, True)
        files["RUGD_annotations/creek/creek_%05d.png" % i] = any_mask(draw)
        files["plant_visibility/creek/creek_%05d.png" % i] = png(64, 64, [[b for x in range(64) for b in (0, (x + y + i) % 101)]
                                                                        for y in range(64)], depth=16)
    return files, read("png", count)


def colours_elsewhere(draw):
    """FloodNet: the masks in colours have a tree of their own, with the same names."""
    files = {}
    for split, count in (("train", 7), ("val", 5)):
        for i in range(count):
            stem = "%s/%s-%%s/%d%s" % (split, split, 10161 + i, split[0])
            files["FloodNet/%s.jpg" % stem % "org-img"] = JPEG
            files["FloodNet/%s_lab.png" % stem % "label-img"] = any_mask(draw)
            files["ColorMasks/%s_lab.png" % stem % "label-img"] = png(64, 64, [[90, 60, i] * 30 + [7, 200, 30] * 34] * 64, colour=2)
    return files, {**read("png", 12), "may_warn": {"unaudited-labels"}}


def parts(draw):
    """Two parts number their masks alike; those of one are in colours. Nothing says that they render the others."""
    files = {"part1/labels/%03d.png" % i: any_mask(draw) for i in range(9)}
    files.update({"part2/labels/%03d.png" % i: png(64, 64, [[90, 60, i] * 30 + [7, 200, 30] * 34] * 64, colour=2) for i in range(9)})
    return files, {**read("png", 18), "status": 1, "may_warn": {"color-mask"}}


def masks_of_others(draw):
    """labelme's files describe the photos; the masks have other names, and are audited all the same."""
    names = ["s%02d" % i for i in range(14)]
    return {**jpegs("images/", names), **{"images/%s.json" % n: as_json({
        "version": "5.0.1", "shapes": [{"label": "cat", "points": [[1, 2], [9, 4]]}], "imagePath": n + ".jpg"}) for n in names},
        **{"masks/m%02d_label.png" % i: any_mask(draw) for i in range(4)}}, {**read("png", 4), "unread": {"labelme"}, "may_warn": {
            "sample-lacks-member"}}


def tags(draw):
    """Planet: words of which each image has several; a table, and photos that are no masks."""
    names = stems(draw)
    return {**jpegs("train-jpg/", names), "train_v2.csv": text(["image_name,tags"] + [
        "%s,%s" % (n, draw.choice(["haze primary", "clear primary water"])) for n in names])}, {**named(), "may_warn": {"unaudited-labels"}}


def tagged_masks(draw):
    """CamVid: a letter at the end of the name tells a mask from its photo."""
    names = ["0001TP_%06d" % i for i in range(draw.randrange(6, 12))]
    return {**{"701_StillsRaw_full/%s.png" % n: any_photo(draw, True) for n in names},
            **{"LabeledApproved_full/%s_L.png" % n: any_mask(draw) for n in names}}, read("png", len(names))


def tagged_colours(draw):
    """The same in colours, which no table explains."""
    files, want = tagged_masks(draw)
    return {n: png(64, 64, [[90, 60, 9] * 30 + [7, 200, 30] * 34] * 64, colour=2) if n.endswith("_L.png") else b for n, b in files.items()}, {
        **want, "status": 1, "may_warn": {"color-mask", "duplicate-mask"}}


def depth_alone(draw):
    """Photos and their depth maps: no labels."""
    names = stems(draw)
    return {**jpegs("rgb/", names), **{"depth/%s.png" % n: png(64, 64, [[b for x in range(64) for b in divmod(900 + 7 * x + 5 * y, 256)]
                                                                       for y in range(64)], depth=16) for n in names}}, named()


def boxes_twice(draw):
    """Pascal VOC's XML and the table that was made of it, without the images."""
    names = stems(draw)
    return {**{"annotations/%s.xml" % n: voc_xml(n, draw) for n in names}, "labels.csv": text(
        ["filename,width,height,class,xmin,ymin,xmax,ymax"] +
        ["%s.jpg,64,64,%s,%d,%d,%d,%d" % ((n, NAMES[i % CLASSES]) + box(draw)) for i, n in enumerate(names)])}, {
            **read("list", 1), "unread": {"voc-xml"}}


def visdrone(draw):
    names = stems(draw)
    return {**jpegs("images/", names), **{"annotations/%s.txt" % n: text(
        "%d,%d,%d,%d,%d,%d,%d,%d" % (draw.randrange(900), draw.randrange(500), draw.randrange(12, 99), draw.randrange(12, 99),
                                     k % 2, 1 + k % 4, 0, k % 3) for k in range(20)) for n in names}}, read("list", len(names))


def labelme_dataset(draw):
    """What labelme_json_to_dataset writes: a folder for each image."""
    files, count = {}, draw.randrange(4, 9)
    for i in range(count):
        folder = "%03d_json/" % i
        files[folder + "img.png"] = any_photo(draw, True)
        files[folder + "label.png"] = any_mask(draw)
        files[folder + "label_viz.png"] = photo(40 + i)
        files[folder + "label_names.txt"] = text(["_background_"] + NAMES)
    return files, read("png", count)


def depth_suffixes(draw):
    files, count = {}, draw.randrange(4, 9)
    for i in range(count):
        files["scene/%04d_rgb.png" % i] = any_photo(draw, True)
        files["scene/%04d_depth.png" % i] = png(64, 64, [[b for x in range(64) for b in divmod(900 + 7 * x + 5 * y + i, 256)]
                                                        for y in range(64)], depth=16)
        files["scene/%04d_seg.png" % i] = any_mask(draw)
    return files, read("png", count)


def plot_among_annotations(draw):
    files, want = labelme(draw)
    files = {("annotations/" if n.endswith(".json") else "pics/") + n: b for n, b in files.items()}
    files.update({"annotations/%d.json" % i: next(b for n, b in files.items() if n.endswith(".json")) for i in range(20)})
    files["annotations/counts.png"] = plot() if draw.random() < .5 else png(
        90, 60, [[255, 255, 255] * 50 + [31, 119, 180] * 40] * 60, colour=2)
    return files, want


def subjects(draw):
    """UCI's activities: y_train.txt has the labels, subject_train.txt the persons."""
    files = {"activity_labels.txt": text("%d %s" % (i + 1, n.upper()) for i, n in enumerate(NAMES)),
             "features.txt": text("%d tBodyAcc-%d()-X" % (i + 1, i) for i in range(300))}
    for split, count in (("train", 60), ("test", 40)):
        files["%s/y_%s.txt" % (split, split)] = text("%d" % (i % CLASSES) for i in range(count))
        files["%s/subject_%s.txt" % (split, split)] = text("%d" % (7 + i // 3) for i in range(count))
        files["%s/X_%s.txt" % (split, split)] = text(" %.7e %.7e %.7e" % (draw.random(), draw.random(), draw.random())
                                                     for i in range(count))
    return files, {**read("list", 2), "may_warn": {"guessed-label-column", "unaudited-labels"}}


def drawings(draw):
    """Plots as people save them: with a palette, in grey, in black and white."""
    side = 120
    rows = [[int(40 * x < y * y) * draw.randrange(2, 90) for x in range(side)] for y in range(side)]
    palette = png(side, side, rows, colour=3)
    at = palette.index(b"IDAT") - 4
    table = bytes(range(256)) * 3
    plte = struct.pack(">I", 768) + b"PLTE" + table + struct.pack(">I", zlib.crc32(b"PLTE" + table))
    return {"results.png": palette[:at] + plte + palette[at:], "docs/loss.png": png(side, side, rows),
            "runs/exp/curve.png": png(side, side, [[0] * (side // 8)] * side, depth=1), "assets/logo.png": plot(),
            "demo.gif": b"GIF89a" + struct.pack("<HHBBB", 8, 8, 0x80, 0, 0) + bytes(14)}


def masks_and_drawings(draw):
    """masks/ says which PNGs are the labels; curve.npy is none."""
    names = ["img_%d" % i for i in range(50)]
    files = {**jpegs("images/", names), **{"masks/%s.png" % n: any_mask(draw) for n in names}, **drawings(draw),
             "history.npy": curve()}
    return files, {**read("png", len(names)), "may_warn": {"unaudited-labels"}}


def curve():
    """The losses of a training."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (500,), }"
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<500d", *range(500))


def coco_and_curve(draw):
    files, want = coco_instances(draw)
    return {**files, "history.npy": curve()}, {**want, "may_warn": {"unaudited-labels"}}


def table_and_curve(draw):
    files, want = kaggle(draw)
    return {**files, "logs/val_loss.npy": curve(), "model_data/yolo_anchors.txt": b"10,13,  16,30,  33,23,  30,61,  62,45\n"
            }, {**want, "may_warn": {"unaudited-labels"}}


def arrays_and_drawings(draw):
    files, want = arrays(draw)
    drawn = drawings(draw)
    return {**files, **{n: drawn[n] for n in ("results.png", "assets/logo.png")}}, {**want, "may_warn": {"unaudited-labels"}}


def two_labels(draw):
    """Roboflow's multi-label export of two classes that exclude each other."""
    rows = ["filename, cat, dog"] + ["%d.jpg, %d, %d" % (i, i % 3 == 0, i % 3 != 0) for i in range(30)]
    return {"_classes.csv": text(rows), **jpegs("", [str(i) for i in range(30)])}, {
        "formats": set(), "files": 1, "unread": set(), "status": 2, "rules": {"ambiguous-columns"}}


def damaged_split(draw):
    """Masks that look like photos, and have the names of others: not their images."""
    files = {"train/%d.png" % i: any_mask(draw) for i in range(12)}
    for i in range(12):  # as many bits as a photo has, where edges were
        files["val/%d.png" % i] = png(64, 64, [[0] * 64 if y % 4 else [draw.randrange(1, 130) for _ in range(64)] for y in range(64)])
    return files, {**read("png", 24), "status": 1, "may_warn": {"image-as-mask", "out-of-range-id", "interpolated-mask",
                                                               "interpolated-dataset", "suspected-interpolation"}}


def photos_of_patients(draw):
    """Folders of two files each: what the others of their place hold decides."""
    files, colour = {}, draw.random() < .5
    for i in range(12):
        for k in range(2):
            files["scans/p%02d/%d.png" % (i, k)] = flat_photo(draw, colour) if (i + k) % 6 == 0 else any_photo(draw, colour)
            files["gt/p%02d/%d.png" % (i, k)] = any_mask(draw)
    return files, read("png", 24)


def words_and_indices(draw):
    """GLUE and CUB: sentences of a test without labels, an index of the images, and paths of labels that are no labels."""
    files = {"train.tsv": text(["sentence\tlabel"] + ["some words %d\t%d" % (i, i % CLASSES) for i in range(30)]),
             "test.tsv": text(["index\tsentence"] + ["%d\tother words" % i for i in range(20)]),
             "images.txt": text("%d %03d.Bird/Bird_%d.jpg" % (i + 1, i % 5, i) for i in range(20)),
             "train_test_split.txt": text("%d %d" % (i + 1, i % 2) for i in range(20)),
             "metadata.csv": text(["image_id,image_path,label_path"] + ["%d,a/%d.tif,b/%d.tif" % (i, i, i) for i in range(20)]),
             "label_class_dict.csv": b"name,r,g,b\nbird,0,0,0\ncat,1,1,1\n"}
    return files, read("list", 1)


def kaggle(draw):
    names = stems(draw)
    return {**jpegs("train/", names), "train.csv": text(["id,label"] + ["%s.jpg,%d" % (n, i % CLASSES) for i, n in enumerate(names)])
            }, read("list", 1)


def arrays(draw):
    return {"x_train.npy": npy([draw.randrange(256) for _ in range(90)]), "y_train.npy": npy([i % CLASSES for i in range(30)])
            }, read("npy", 1)


def mnist(draw):
    return {"train-labels-idx1-ubyte": idx(False, 40), "train-images-idx3-ubyte": struct.pack(">IIII", 2051, 40, 4, 4) + bytes(640)
            }, read("idx", 1)


def tiff_masks(draw):
    names = stems(draw)
    return {**jpegs("images/", names), **{"masks/%s.tif" % n: b"II*\0\x08\0\0\0" + bytes(60) for n in names}}, named("tiff")


def hdf5(draw):
    return {"labels/%d.h5" % i: b"\x89HDF\r\n\x1a\n" + bytes(60) for i in range(4)}, named("hdf5")


def matlab(draw):
    return {**jpegs("img/", stems(draw)), **{"groundTruth/%d.mat" % i: b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(128) + bytes(40)
                                             for i in range(4)}}, named("mat")


def words_in_text(draw):
    names = stems(draw)
    return {**jpegs("img/", names), "train.txt": text("img/%s.jpg %s" % (n, NAMES[i % 3]) for i, n in enumerate(names))}, read("list", 1)


def runs_of_pixels(draw):
    """Each row is an object: an image has several of them, of other classes."""
    names = stems(draw)
    rows = ["id,class,segmentation"] + ["%s,%s,%d %d %d %d" % (n, c, k + 1, 5, k + 40, 3) for k, n in enumerate(names * 4) for c in NAMES]
    return {**jpegs("train/", names), "train.csv": text(rows)}, {**read("list", 1), "may_warn": {"duplicate-entry"}}


def jpeg_masks_and_pairs(draw):
    names = stems(draw)
    return {**jpegs("images/", names), **jpegs("masks/", names), "train.csv": text(
        ["image,mask"] + ["images/%s.jpg,masks/%s.jpg" % (n, n) for n in names])}, {
            "formats": set(), "files": len(names), "unread": set(), "status": 1, "rules": {"lossy-format"}}


def tiff_masks_and_labels(draw):
    """The table has labels of the patients, but the masks are not read: no silence about these."""
    names = stems(draw) + ["p%d" % i for i in range(20)]
    files = {"%s/%s.tif" % (folder, n): b"II*\0\x08\0\0\0" + bytes(60) for n in names for folder in ("images", "masks")}
    files["labels.csv"] = text(["image,label"] + ["%s.tif,%d" % (n, i % 2) for i, n in enumerate(names)])
    return files, {**read("list", 1), "unread": {"tiff"}, "status": 1}


def tiff_masks_and_table(draw):
    names = stems(draw)
    files = {"%s/%s.tif" % (folder, n): b"II*\0\x08\0\0\0" + bytes(60) for n in names for folder in ("images", "masks")}
    files["outcome.csv"] = text(["patient,death01"] + ["%s,%d" % (n, i % 2) for i, n in enumerate(names)])
    return files, {**read("list", 1, ["tiff"]), "status": 1}


def split_of_numbers(draw):
    files, count = {}, draw.randrange(6, 12)
    for i in range(count):
        files["images/%d.jpg" % i] = JPEG
        files["masks/%d.png" % i] = any_mask(draw)
    files["train.txt"] = text(str(i) for i in range(count - 2))
    return files, read("png", count)


def railway(draw):
    """Masks in a folder of an unknown name, and JSON files of their names with the polygons they were drawn from."""
    names = stems(draw)
    files = jpegs("jpgs/val/", names)
    for n in names:
        files["uint8/val/%s.png" % n] = any_mask(draw)
        files["jsons/val/%s.json" % n] = as_json({"frame": n, "imgHeight": 48, "imgWidth": 48, "objects": [{"label": "cat", "boundingbox": [1, 2, 9, 8]}]})
    files["config.json"] = as_json({"labels": [{"name": n, "color": [9, 9, i]} for i, n in enumerate(NAMES)]})
    return files, {**read("png", len(names)), "may_warn": {"unaudited-labels"}}


def masks_and_coco(draw):
    """Masks with the names of their images and more, made from the COCO file."""
    names = stems(draw)
    files = jpegs("frames/", names)
    files.update({"ids/%s_semantic_ids_v2.png" % n: any_mask(draw) for n in names})
    files["polygons.json"] = coco([n + ".jpg" for n in names])
    return files, {**read("png", len(names)), "may_warn": {"unaudited-labels"}}


def in_colours(draw):
    return png(64, 64, [[90, 60, draw.randrange(256)] * 30 + [7, 200, 30] * 34] * 64, colour=2)


def colours_of_unknown_name(draw):
    names = (stems(draw) * 3)[:12]
    names = ["%s_%d" % (n, i) for i, n in enumerate(names)]
    return {**jpegs("jpg/", names), **{"ground/%s.png" % n: in_colours(draw) for n in names}}, {
        **read("png", len(names)), "status": 1, "rules": {"color-mask"}}


def leaves():
    """A JPEG of 128 x 128 pixels of which each block has a texture."""
    bits = ("0000" + "10" + "01" + "1" + "00") * 256  # no change of the level; sixteen zeros, one coefficient, the end
    tables = (b"\xff\xc4\0\x1f\0" + bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12)) +
              b"\xff\xc4\0\x16\x10" + bytes([0, 3] + [0] * 14) + b"\0\1\xf0")
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8\xff\xc0\0\x0b\x08\0\x80\0\x80\1\1\x11\0" + tables + b"\xff\xda\0\x08\1\1\0\0\x3f\0" + data + b"\xff\xd9")


def progressive(draw):
    """A progressive JPEG of 128 x 128 pixels, of two levels: the DCs of all blocks, then their ACs, which are none."""
    def bits_to_bytes(bits):
        bits += "1" * (-len(bits) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")

    tables = (b"\xff\xc4\0\x1f\0" + bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12)) +
              b"\xff\xc4\0\x16\x10" + bytes([0, 3] + [0] * 14) + b"\0\1\xf0")
    edge, dcs, last = draw.randrange(4, 12), "", 0
    for i in range(256):
        level = 60 if i // 16 < edge else 0  # a difference of six bits
        dcs += "0000" if level == last else "0110" + format(level if level else 63 - 60, "06b")
        last = level
    return (b"\xff\xd8\xff\xc2\0\x0b\x08\0\x80\0\x80\1\1\x11\0" + tables + b"\xff\xda\0\x08\1\1\0\0\0\0" + bits_to_bytes(dcs) +
            b"\xff\xda\0\x08\1\1\0\1\x3f\0" + bits_to_bytes("00" * 256) + b"\xff\xd9")


def progressive_masks(draw):
    """Some masks of a folder of an unknown name were saved as progressive JPEGs."""
    names = ["img_%d" % i for i in range(12)]
    return {**jpegs("images/", names), **{"zones/%s.png" % n: any_mask(draw) for n in names[:9]},
            **{"zones/%s.jpg" % n: progressive(draw) for n in names[9:]}}, {**read("png", 12), "status": 1, "rules": {"lossy-format"}}


def faces(draw):
    """UTKFace: age and sex are in the names. No file holds labels, and photos are no masks that were saved as JPEG."""
    return {"UTKFace/%d_%d_0_2017011221350%04d.jpg.chip.jpg" % (20 + i, i % 2, i): leaves() for i in range(20)}, named()


def a2d2(draw):
    """A folder above both is called as those of labels are, and the names have those of their folders in the middle."""
    files, count = {"camera_lidar_semantic/class_list.json": as_json({"#ff%02x00" % i: n for i, n in enumerate(NAMES)})}, draw.randrange(6, 12)
    for i in range(count):
        stem = "camera_lidar_semantic/20180807_145028/%%s/cam_front_center/20180807145028_%%s_frontcenter_%09d.png" % (100 + 7 * i)
        files[stem % ("camera", "camera")] = any_photo(draw, True)
        files[stem % ("label", "label")] = any_mask(draw)
    return files, read("png", count)


def pastis(draw):
    """Images of several times and channels, and targets: arrays with more axes than those that are called labels."""
    count = draw.randrange(4, 8)
    header = b"{'descr': '<i2', 'fortran_order': False, 'shape': (4, 2, 9, 8), }"
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    image = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(range(128)) * 9
    return {**{"DATA_S2/S2_1000%d.npy" % i: image for i in range(count)},
            **{"ANNOTATIONS/TARGET_1000%d.npy" % i: npy([k % CLASSES for k in range(30)]) for i in range(count)}}, read("npy", count)


def tiny_imagenet(draw):
    """Boxes after the names of their images, without a class; those of val/ have one."""
    files = {"val/val_annotations.txt": text("val_%d.JPEG\t%s\t0\t2\t34\t%d" % (i, NAMES[i % CLASSES], 20 + i) for i in range(8))}
    for c in NAMES:
        files["train/%s/%s_boxes.txt" % (c, c)] = text("%s_%d.JPEG\t0\t10\t%d\t30" % (c, i, 20 + i) for i in range(6))
    files.update({"val/images/val_%d.JPEG" % i: JPEG for i in range(8)})
    return files, {**read("list", 1), "may_warn": {"unaudited-labels"}}


def exdark(draw):
    names = stems(draw)
    return {**jpegs("ExDark/Cat/", names), **{"ExDark_Annno/Cat/%s.jpg.txt" % n: text(
        ["% bbGt version=3"] + ["cat %d %d %d %d 0 0 0 0 0 0 0" % box(draw)]) for n in names}}, named("bbgt")


def lesions(draw):
    """PH2: each image has folders of its own for the photo and for masks in BMP; images/ is above all of them."""
    files, count = {}, draw.randrange(4, 9)
    photo_in_bmp = b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 40, 30, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(
        draw.randrange(256) for _ in range(40 * 30 * 3))
    for i in range(2, 2 + count):
        stem = "PH2 Dataset images/IMD%03d/IMD%03d_%%s/IMD%03d%%s.bmp" % (i, i, i)
        files[stem % ("Dermoscopic_Image", "")] = photo_in_bmp
        files[stem % ("lesion", "_lesion")] = bmp([[(x // 9 + y // 7 + i) % 3 for x in range(40)] for y in range(30)])
        files[stem % ("roi", "_R1_Label3")] = bmp([[(x // 8 + y // 5 + i) % 3 for x in range(40)] for y in range(30)])
    return files, read("bmp", 2 * count)


def patches(draw):
    """iSAID: the masks, in colours, lie in images/ beside their photos."""
    files, count = {}, draw.randrange(5, 12)
    for i in range(count):
        files["train/images/P%04d.png" % i] = any_photo(draw, True)
        for kind in ("color", "id"):
            files["train/images/P%04d_instance_%s_RGB.png" % (i, kind)] = in_colours(draw)
    return files, {**read("png", 2 * count), "status": 1, "may_warn": {"color-mask"}}


LAYOUTS = {
    "progressive masks": progressive_masks, "lesions": lesions, "patches": patches,
    "railway": railway, "masks and coco": masks_and_coco, "colours of unknown name": colours_of_unknown_name, "exdark": exdark, "faces": faces, "pastis": pastis, "tiny imagenet": tiny_imagenet, "a2d2": a2d2,
    "damaged split": damaged_split,
    "folders of one split": one_split_of_folders,
    "words in a text": words_in_text, "runs of pixels": runs_of_pixels, "jpeg masks and pairs": jpeg_masks_and_pairs,
    "tiff and a table": tiff_masks_and_table, "tiff and labels": tiff_masks_and_labels, "framed photos": framed_photos,
    "named as masks": named_as_masks, "suffixes in gt": suffixes_in_gt, "labelme dataset": labelme_dataset,
    "coloured masks": coloured_masks, "visdrone": visdrone, "colours elsewhere": colours_elsewhere, "depth alone": depth_alone, "tags": tags, "tagged masks": tagged_masks, "tagged colours": tagged_colours, "parts": parts, "masks of others": masks_of_others, "boxes twice": boxes_twice, "frames with annotations": frames_with_annotations,
    "depth suffixes": depth_suffixes, "plot among annotations": plot_among_annotations, "subjects": subjects,
    "masks and drawings": masks_and_drawings, "coco and a curve": coco_and_curve, "table and a curve": table_and_curve,
    "arrays and drawings": arrays_and_drawings, "two labels": two_labels,
    "split of numbers": split_of_numbers,
    "yolo": yolo, "yolo of PNGs": yolo_of_png, "darknet": darknet, "coco": coco_instances, "cityscapes": cityscapes, "ade": ade,
    "pix2pix": pix2pix, "davis": davis, "mvtec": mvtec, "voc": voc, "voc boxes": voc_boxes, "retina": retina, "chase": chase, "orphan in colours": orphan_in_colours, "chase and a photo": chase_and_a_photo,
    "nnunet png": nnunet_png, "nnunet nifti": nnunet_nifti, "keras-retinanet": retinanet, "keras-yolo3": keras_yolo3, "kitti": kitti,
    "via": via, "via csv": via_csv, "darwin": darwin, "labelme": labelme, "cvat": cvat, "described": described, "label studio": label_studio, "camvid": camvid,
    "grey photos": grey_photos, "flat photos": flat_photos, "photos of patients": photos_of_patients, "unknown label folder": unknown_label_folder, "kaggle": kaggle, "words and indices": words_and_indices, "arrays": arrays, "mnist": mnist,
    "tiff": tiff_masks, "hdf5": hdf5, "matlab": matlab,
    "roboflow yolo": roboflow(roboflow_yolo), "roboflow coco": roboflow(roboflow_coco), "roboflow masks": roboflow(roboflow_masks),
    "roboflow folders": roboflow(roboflow_folders), "roboflow voc": roboflow(roboflow_voc),
    "roboflow createml": roboflow(roboflow_createml), "roboflow tfrecord": roboflow(roboflow_tfrecord),
    "roboflow retinanet": roboflow(roboflow_retinanet), "roboflow tensorflow": roboflow(roboflow_tensorflow),
    "roboflow yolov4": roboflow(roboflow_yolov4), "roboflow multi-label": roboflow(roboflow_multi_label),
    **layout_tables.LAYOUTS, **layout_trees.LAYOUTS, **layout_challenges.LAYOUTS, **layout_corpora.LAYOUTS,
}


# ---- surroundings ---------------------------------------------------------------------------------------------------

CURVE = plot()


def with_plots(files):
    return {**files, "runs/detect/train/F1_curve.png": CURVE, "runs/detect/train/confusion_matrix.png": CURVE,
            "assets/teaser.png": CURVE, "preview.jpg": JPEG}


def in_repository(files):
    log = "epoch,train/loss,val/loss\n" + "".join("%d,%.3f,%.3f\n" % (i, 1 / (i + 1), 1 / (i + 2)) for i in range(20))
    notebook = {"cells": [{"cell_type": "code", "source": ["import torch"], "outputs": []}], "metadata": {}, "nbformat": 4}
    return {**{"data/" + n: b for n, b in files.items()}, "README.md": b"# Cats\n\nTrain with `python train.py`.\n", "LICENSE": b"MIT\n",
            "train.py": b"import torch\n", "requirements.txt": b"torch==2.1\nnumpy\n", "setup.cfg": b"[flake8]\nmax-line-length = 99\n",
            "configs/base.yaml": b"lr: 0.1\n", "notebooks/look.ipynb": json.dumps(notebook).encode(), "docs/figure.png": CURVE,
            "logs/results.csv": log.encode(), "logs/train_log.txt": text(
                "%d %.4f %.4f %.4f %.4f" % (i, 2 / (i + 1), i / 50, 2.1 / (i + 1), i / 60) for i in range(40)),
            "logs/loss.txt": text("%d %.5f" % (i, 1 / (i + 1)) for i in range(40)), ".gitignore": b"*.pt\n", "package.json": b'{"name": "cats", "version": "1.0.0"}\n'}


def deeper(files):
    return {"cats-v2/" + n: b for n, b in files.items()}


def put_folder(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, "set", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
    return "set"


def put_tar(folder, files):
    os.makedirs(folder)
    with tarfile.open(os.path.join(folder, "set.tar"), "w") as tar:
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size = len(files[name])
            tar.addfile(info, io.BytesIO(files[name]))
    return "set.tar"


def put_zip(folder, files):
    os.makedirs(folder)
    with zipfile.ZipFile(os.path.join(folder, "set.zip"), "w") as z:
        for name in sorted(files):
            z.writestr(name, files[name])
    return "set.zip"


PLACES = {
    "alone": (lambda files: files, put_folder), "with plots": (with_plots, put_folder), "in a repository": (in_repository, put_folder),
    "deeper": (deeper, put_folder), "in tar": (lambda files: files, put_tar), "in zip": (lambda files: files, put_zip),
    "in tar with plots": (with_plots, put_tar),
}
PLOTS = ("with plots", "in a repository", "in tar with plots")
ARCHIVES = ("in tar", "in zip", "in tar with plots")
# One file that is no part of the set: it never decides what the others are.
STRAYS = {
    "plot": ("results.png", CURVE), "mask": ("example.png", MASKS[3]), "named mask": ("sample_labels.png", MASKS[5]),
    "yolo text": ("example.txt", b"0 0.5 0.5 0.2 0.2\n1 0.4 0.4 0.1 0.1\n"), "curve": ("weights.npy", curve()),
    "table": ("metadata.csv", b"id,age,class\np1,20,1\np2,23,0\n"), "labels": ("labels.npy", npy([1, 2, 3, 0])),
    "coco": ("instances.json", coco(["a.jpg", "b.jpg"])), "xml": ("example.xml", voc_xml("x", random.Random(1))),
    "log": ("results.csv", b"epoch,train/loss,val/loss\n" + b"".join(b"%d,.5,.6\n" % i for i in range(9))),
    "seeds": ("seeds.txt", text(str(i) for i in range(7))), "model": ("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(60)),
    "labelme": ("x.json", as_json({"version": "5.0.1", "flags": {}, "shapes": [], "imagePath": "x.jpg", "imageData": None})),
    "photo": ("thumb.jpg", JPEG), "mask in images": ("images/stray.png", MASKS[3]),
}
# Too few files to tell a stray, or files of another kind that were there before it. A stray of the set's own kind is audited.
STRAY_LIMITS = {"celeba landmarks": ("coco",), "bowl": ("labels",), "faces": ("labels",), "laser": ("labels", "mask"), "progressive masks": ("named mask",), "written texts": ("labels",), "hdf5": ("labels",),
                "nnunet nifti": ("labels",), "cells": ("named mask", "labels"), "rooms": ("labels",), "crowds": ("photo",),
                "food": ("mask in images",), "folders of one split": ("mask in images",), "textures": ("mask in images",),
                "places": ("mask in images",), "abdomen": ("plot",), "brushes": ("plot",), "ships at angles": ("labels",), "cvat masks": ("mask", "named mask")}
# Sets that fail with or without it, or have one file and strays already.
NO_STRAYS = {"words of sounds", "reviews", "entities", "pickles", "binaries","votes", "chase and a photo", "orphan in colours", "tiff and a table", "arrays and drawings"}
# Not told yet: which members lie side by side.
LIMITS = {"slices": ARCHIVES, "downloads": ARCHIVES, "supervisely masks": ARCHIVES, "pickles": PLOTS, "binaries": PLOTS, "votes": PLOTS, "chase and a photo": ("in tar with plots",), "faces": ARCHIVES, "tags": ("in a repository",), "colours elsewhere": ARCHIVES, "coloured masks": ARCHIVES, "subjects": ARCHIVES}
HARMLESS = {"missing-class", "image-without-label", "duplicate-mask", "unread-format", "mixed-sizes", "rare-class", "split-leak", "duplicate-entry",
            "split-drift", "class-names-differ", "box-outside-image", "mixed-encoding", "loader-divergence", "gap-in-ids", "single-id",
            "label-without-image", "missing-image", "duplicate-box"}
# One of them speaks of an id that is no class.
OFFENCES = {"out-of-range-id", "unknown-category", "unknown-class-name", "malformed-labels"}


def audit(program, folder, path, names, options=(), asks=None):
    """Audits; where the program asks, with the answer, which must be among those that it offers."""
    done = subprocess.run([program, "-c", names, "-i", "255", *options, "-f", "json", "--no-config", path], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode == 2 and b"ambiguous-set" in done.stderr and asks and b"--kind " + asks.encode() in done.stderr:
        return audit(program, folder, path, names, (*options, "--kind", asks))
    try:
        return done.returncode, json.loads(done.stdout), done.stderr.decode(errors="replace")
    except ValueError:
        return done.returncode, None, done.stderr.decode(errors="replace")


# Several kinds of labels belong to the same images: the audit asks, and --kind gives the right one.
ASKS = {"masks and coco": "mask", "salt": "mask", "bowl": "mask", "vistas": "mask", "pets": "mask", "defects": "mask", "parts of faces": "mask",
        "context": "mask", "lanes": "mask", "candles": "mask", "rooms of forty": "mask", "stuff": "mask"}


def is_same(want, got, said):
    """Returns whether a stray changed neither the family nor the verdict, be it audited itself or not."""
    if want["status"] is None or (want["status"] == 2 and got["unread"] >= (want["unread"] or set()) and got["unread"]):
        return got["status"] != 0
    # one more file that is not read makes a warning about others an error
    status = {want["status"]} | ({1} if said == {"unaudited-labels"} and "unaudited-labels" in want.get("may_warn", ()) else set())
    want = {k: got[k] if want[k] is None else want[k] for k in got}
    return (got["formats"] >= want["formats"] and want["files"] <= got["files"] <= want["files"] + 1 and
            got["unread"] >= want["unread"] and got["status"] in status and
            (want["formats"] or not got["formats"] or want["status"] == 1))


def class_file(folder, files, want, names):
    """Returns the file of the classes: a set's own, kept beside the PATH, or the usual one."""
    if "classes" not in want:
        return names
    with open(os.path.join(folder, "own_" + want["classes"]), "wb") as f:
        f.write(files[want["classes"]])
    return "own_" + want["classes"]


def summary(status, report):
    """Returns what an audit found, as layouts say it, and the rules that speak."""
    if not report:
        return {**named(), "status": status}, set()
    return {"formats": {f["format"].split()[0] for f in report["formats"]},
            "files": report["summary"]["files_read"] + report["summary"]["files_failed"],
            "unread": {k["kind"] for k in report["coverage"]["unread"]}, "status": status}, {
                f["rule"] for f in report["findings"] if f["level"] != "info"}


def run_stray(program, scratch, names, number, layout, stray):
    files, want = LAYOUTS[layout](random.Random("stray %s" % layout))
    folder = os.path.join(scratch, "stray%d" % number)
    name, content = STRAYS[stray]
    path = put_folder(folder, {**files, name: content})
    status, report, said = audit(program, folder, path, class_file(folder, files, want, names), want.get("options", ()), ASKS.get(layout))
    if status == 2 and "ambiguous-set" in said:  # a question is no pass
        shutil.rmtree(folder)
        return
    got, _ = summary(status, report)
    errors = {f["rule"] for f in report["findings"] if f["level"] == "error"} if report else set()
    checks.check(is_same(want, got, errors - {"unread-format"}), layout, "with a stray", stray, "exit", status, got or said.strip()[-300:], "wanted", want)
    shutil.rmtree(folder)


def main():
    program, scratch, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    seed = 1
    if words[:1] == ["-s"]:
        seed, words = int(words[1]), words[2:]
    names = os.path.join(scratch, "classes.txt")
    with open(names, "wb") as f:
        f.write(text(NAMES))

    def run(row):
        number, layout, place = row
        files, want = LAYOUTS[layout](random.Random("%d %s" % (seed, layout)))
        surround, put = PLACES[place]
        folder = os.path.join(scratch, "row%d" % number)
        path = put(folder, surround(files))
        classes = class_file(folder, files, want, names)
        status, report, said = audit(program, folder, path, classes, want.get("options", ()), ASKS.get(layout))
        got, rules = summary(status, report)
        if want["status"] is None:
            right, more = status != 0, set()
        else:
            right = (report or not (want["unread"] or want["formats"])) and all(want[k] in (None, got[k]) for k in got)
            more = rules - HARMLESS - want.get("may_warn", set())
            if want.get("rules"):
                more = rules ^ want["rules"] if rules - HARMLESS != want["rules"] else set()
        checks.check(right and not more, layout, place, "exit", status, got if report else said.strip()[-300:], sorted(more),
                     [(r["reason"], r["label_files"], r["example"]) for r in report["coverage"]["left_out"] if r["labels"]] if report else "",
                     "wanted", {k: want[k] for k in got})
        shutil.rmtree(folder)
        if place == "alone" and "bad" in want:
            name, content = want["bad"]
            path = put(folder, {**files, name: content})
            status, report, said = audit(program, folder, path, class_file(folder, files, want, names), want.get("options", ()), ASKS.get(layout))
            rules = summary(status, report)[1]
            checks.check(status == 1 and rules & OFFENCES, layout, "with a bad id, exit", status, sorted(rules), said.strip()[-300:])
            shutil.rmtree(folder)

    checks.check(8 * len(ASKS) <= len(LAYOUTS), "at most one layout in eight ends in a question")
    rows = [(i, layout, place) for i, (layout, place) in enumerate((a, b) for a in LAYOUTS for b in PLACES)
            if (not words or any(word in layout for word in words)) and place not in LIMITS.get(layout, ())]
    if not words and os.environ.get("LABELAUDIT_TEST") != "all":  # alone, and most in one of the other places in turn
        checks.check(8 * len(ASKS) <= len(LAYOUTS), "at most one layout in eight ends in a question")
    rows = [(i, layout, place) for i, layout, place in rows if place == "alone" or (i + i // len(PLACES)) % 9 == 0]
    strays = [(i, layout, stray) for i, (layout, stray) in enumerate((a, b) for a in LAYOUTS if a not in NO_STRAYS for b in STRAYS)
              if stray not in STRAY_LIMITS.get(layout, ()) and (not words or any(word in layout for word in words))]
    if not words and os.environ.get("LABELAUDIT_TEST") != "all":
        strays = [row for row in strays if row[0] % 37 == 0 or (row[1] in ("tags", "tagged colours", "magnetic tiles") and row[0] % 4 == 0)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, rows))
        list(pool.map(lambda row: run_stray(program, scratch, names, *row), strays))
    checks.finish()


main()
