#!/usr/bin/env -S python3 -SE
"""One set of boxes in every container gets the same verdict: COCO, YOLO, tables, the public forms of rows, packed, in archives.

usage: tests/property/boxes.py     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: all cases, not one of three

Each fault of FAULTS is written in each container of CONTAINERS, by a few lines here that know the container's form alone.
A verdict is the exit status, and the rules with their levels. Where a container's is another on purpose, EXCEPT says so.
"""
import gzip
import json
import os
import random
import struct
import sys
import tarfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

from checks import ALL, FOLDER, check, finish, run, verdict
from pngs import png_of_bytes

WIDTH, HEIGHT, IMAGES = 640, 480, 14
NAMES = ("car", "dog", "cat", "cow")  # the last one is not declared
NAN, HUGE = float("nan"), 1e308


def clean():
    """Boxes [image, class, left, top, width, height], all within their image, in every part of it."""
    draw = random.Random(7)
    boxes = []
    for image in range(IMAGES):
        for k in range(3):
            w, h = draw.randint(30, 200), draw.randint(30, 150)
            boxes.append([image, (image + k) % 3, draw.randint(1, WIDTH - w - 1), draw.randint(1, HEIGHT - h - 1), w, h])
    return boxes


def one(**changes):
    """One box is another: its class, x, y, w, h."""
    def change(boxes):
        for key, value in changes.items():
            boxes[4]["_cxywh".index(key)] = value
        return boxes
    return change


def all_of(function):
    return lambda boxes: [[image, c, *function(x, y, w, h)] for image, c, x, y, w, h in boxes]


def again(c=0, dx=0):
    """A box is there twice; c, dx: the second one's class and place differ by that."""
    def change(boxes):
        image, label, x, y, w, h = boxes[4]
        return boxes + [[image, (label + c) % 3, x + dx, y, w, h]]
    return change


# Name: (what is changed in the clean boxes, the exit status, the findings).
FAULTS = {
    "clean": (lambda boxes: boxes, 0, ""),
    "no width": (one(w=0), 1, "e:empty-box"),
    "no height": (one(h=0), 1, "e:empty-box"),
    "negative width": (one(w=-30), 1, "e:empty-box"),
    "begins before 0": (one(x=-50), 0, "w:box-outside-image"),
    "ends beyond": (one(x=WIDTH - 50, w=60), 0, "w:box-outside-image"),
    "wholly outside": (one(x=WIDTH + 100), 1, "e:box-outside-image"),
    "just beyond": (lambda boxes: [[i, c, WIDTH - w + 0.4, y, w, h] for i, c, x, y, w, h in boxes], 0, ""),
    "below a pixel": (one(w=0.3, h=0.3), 0, "i:unusual-box-size"),
    "all of a pixel": (all_of(lambda x, y, w, h: (x, y, 1, 1)), 0, "i:unusual-box-size"),
    "as large as the image": (lambda boxes: [[*b[:2], 0, 0, WIDTH, HEIGHT] for b in boxes[::3]], 0, "i:unusual-box-size"),
    "fractions": (all_of(lambda x, y, w, h: (x / WIDTH, y / HEIGHT, w / WIDTH, h / HEIGHT)), 1, "e:box-numbers"),
    "times the size": (all_of(lambda x, y, w, h: (x * WIDTH, y * HEIGHT, w * WIDTH, h * HEIGHT)), 1, "e:box-outside-image i:unusual-box-size"),
    "corners as sizes": (all_of(lambda x, y, w, h: (x, y, x + w, y + h)), 1, "e:box-numbers"),
    "centres as corners": (all_of(lambda x, y, w, h: (x + w / 2, y + h / 2, w, h)), 1, "e:box-numbers"),
    "y before x": (all_of(lambda x, y, w, h: (y, x, h, w)), 1, "e:box-numbers"),
    "twice": (again(), 0, "w:duplicate-box"),
    "nearly twice": (again(dx=0.5), 0, "w:duplicate-box"),
    "two classes": (again(c=1), 0, "i:duplicate-box"),
    "NaN": (one(x=NAN), 1, "e:malformed"),
    "1e308": (one(w=HUGE), 1, "e:malformed"),
    "unknown class": (one(c=3), 1, "e:class"),
}


def image_is(data):
    """The fourth image is that; None: it is missing."""
    def change(path):
        os.remove(path)
        if data is not None:
            with open(path, "wb") as f:
                f.write(data)
    return change


def orphan(path):
    os.link(path, os.path.join(os.path.dirname(path), "other.png"))


SMALL = png_of_bytes(WIDTH // 2, [bytes(WIDTH // 2)] * (HEIGHT // 2))
PHOTO = png_of_bytes(WIDTH, [bytes((y & 255, y // 2 & 255, 7)) * WIDTH for y in range(HEIGHT)], colour=2)

def turned(width, height):
    """The head of a JPEG that is stored in that size, and turned by EXIF, orientation 6: the pixels are not read."""
    exif = b"Exif\0\0II*\0" + struct.pack("<IHHHIII", 8, 1, 0x112, 3, 1, 6, 0)
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"\1\x22\0\2\x11\1\3\x11\1"
    segments = b"".join(struct.pack(">HH", marker, len(data) + 2) + data for marker, data in (
        (0xffe1, exif), (0xffc0, frame), (0xffda, b"\3\1\0\2\x11\3\x11\0\x3f\0")))
    return b"\xff\xd8" + segments + bytes(64) + b"\xff\xd9"


# The same of the images of the clean boxes.
IMAGE_FAULTS = {
    "image missing": (image_is(None), 1, "e:missing-image"),
    "image empty": (image_is(b""), 1, "e:broken-image"),
    "image cut off": (image_is(PHOTO[:-40]), 1, "e:broken-image"),
    "image of text": (image_is(b"<html>not found</html>" * 9), 1, "e:broken-image"),
    "image of another size": (image_is(SMALL), 1, "e:size-mismatch"),
    "image of no label": (orphan, 0, "i:image-without-label"),
    "image turned by EXIF": (image_is(turned(WIDTH, HEIGHT)), 0, "w:mixed-images"),
    "image upright by EXIF": (image_is(turned(HEIGHT, WIDTH)), 0, "w:mixed-images"),
}

# ---- the containers: each writes a set into a folder, and returns the arguments of the program ----------------------


def name_of(image):
    return "im%03d" % image


def of_image(boxes):
    return [[b for b in boxes if b[0] == image] for image in range(IMAGES)]


PHOTO_FILE = os.path.join(FOLDER, "photo.png")
with open(PHOTO_FILE, "wb") as photo:
    photo.write(PHOTO)


case = threading.local()  # .fault: what is done to the images


def put_images(folder, name=name_of):
    os.makedirs(folder)
    for image in range(IMAGES):
        os.link(PHOTO_FILE, os.path.join(folder, name(image) + ".png"))
    case.fault(os.path.join(folder, name(3) + ".png"))


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def named(folder):
    put(folder + "/names.txt", "".join(name + "\n" for name in NAMES[:3]))
    return "--classes", folder + "/names.txt"


def coco(folder, boxes, within=False):
    """within: the images' folder is not named, since all is to go into an archive."""
    put_images(folder + "/images")
    file = folder + ("/annotations/instances.json" if within else "/instances.json")
    put(file, json.dumps({
        "images": [{"id": i, "file_name": name_of(i) + ".png", "width": WIDTH, "height": HEIGHT} for i in range(IMAGES)],
        "categories": [{"id": c, "name": name} for c, name in enumerate(NAMES[:3])],
        "annotations": [{"id": k, "image_id": b[0], "category_id": b[1], "bbox": b[2:], "area": min(b[4] * b[5], 1e12), "iscrowd": 0}
                        for k, b in enumerate(boxes)]}))
    return (*named(folder + "/.." * within), *(() if within else ("--images", folder + "/images")), folder if within else file)


def yolo(task):
    def row(c, x, y, w, h):
        x, y, w, h = x / WIDTH, y / HEIGHT, w / WIDTH, h / HEIGHT
        corners = (x, y, x + w, y, x + w, y + h, x, y + h)
        return [c, *{"detect": (x + w / 2, y + h / 2, w, h), "obb": corners, "segment": (*corners, x, y + h / 2),
                     "pose": (x + w / 2, y + h / 2, w, h, x + w / 3, y + h / 3, 2, x + w / 2, y + h / 2, 1)}[task]]

    def write(folder, boxes):
        put_images(folder + "/images/train")
        for image, own in enumerate(of_image(boxes)):
            put(folder + "/labels/train/%s.txt" % name_of(image), "".join(" ".join("%.7g" % v for v in row(*b[1:])) + "\n" for b in own))
        return "--classes", "3", "--task", task, folder
    return write


def table(columns, separator=",", values=lambda x, y, w, h: (x, y, x + w, y + h), more=()):
    def write(folder, boxes, within=False):
        put_images(folder + "/images")
        rows = [columns] + [(name_of(b[0]) + ".png", *more, NAMES[b[1]], *("%.7g" % v for v in values(*b[2:]))) for b in boxes]
        path = folder + ("/boxes.tsv" if separator == "\t" else "/boxes.csv")
        put(path, "".join(separator.join(map(str, row)) + "\n" for row in rows))
        return (*named(folder + "/.." * within), *(() if within else ("--images", folder + "/images")), folder if within else path)
    return write


CORNERS = ("filename", "class", "xmin", "ymin", "xmax", "ymax")


def objects(lines):
    """An array of objects, or one a line."""
    def write(folder, boxes):
        put_images(folder + "/images")
        rows = [dict(zip(CORNERS, (name_of(b[0]) + ".png", NAMES[b[1]], b[2], b[3], b[2] + b[4], b[3] + b[5]))) for b in boxes]
        path = folder + ("/boxes.jsonl" if lines else "/boxes.json")
        put(path, "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows))
        return (*named(folder), "--images", folder + "/images", path)
    return write


def cells(form, between):
    """A box in one cell."""
    def write(folder, boxes):
        put_images(folder + "/images")
        put(folder + "/boxes.csv", "image,bbox,label\n" + "".join("%s.png,%s,%s\n" % (
            name_of(b[0]), form % between.join("%.7g" % v for v in b[2:]), NAMES[b[1]]) for b in boxes))
        return (*named(folder), "--images", folder + "/images", folder + "/boxes.csv")
    return write


def lists(folder, boxes):
    """Hugging Face's metadata.jsonl: the boxes of an image beside their classes."""
    put_images(folder + "/images")
    rows = [{"file_name": name_of(image) + ".png", "objects": {"bbox": [b[2:] for b in own], "categories": [NAMES[b[1]] for b in own]}}
            for image, own in enumerate(of_image(boxes))]
    put(folder + "/metadata.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return (*named(folder), "--images", folder + "/images", folder + "/metadata.jsonl")


def retinanet(folder, boxes):
    put_images(folder + "/images")
    put(folder + "/annotations.csv", "".join("images/%s.png,%.7g,%.7g,%.7g,%.7g,%s\n" % (name_of(b[0]), b[2], b[3], b[2] + b[4], b[3] + b[5], NAMES[b[1]])
                                             for b in boxes))
    return (*named(folder), "--kind", "keras-retinanet", "--root", folder, folder + "/annotations.csv")


def kitti(folder, boxes):
    put_images(folder + "/training/image_2")
    for image, own in enumerate(of_image(boxes)):
        put(folder + "/training/label_2/%s.txt" % name_of(image), "".join(
            "%s 0.00 0 -1.57 %.7g %.7g %.7g %.7g 1.5 1.6 3.9 1.0 1.5 20.0 -1.5\n" % (NAMES[b[1]], b[2], b[3], b[2] + b[4], b[3] + b[5]) for b in own))
    return (*named(folder), "--kind", "kitti", folder + "/training")


def visdrone(folder, boxes):
    put_images(folder + "/images")
    for image, own in enumerate(of_image(boxes)):
        put(folder + "/annotations/%s.txt" % name_of(image), "".join("%.7g,%.7g,%.7g,%.7g,1,%d,0,0\n" % (*b[2:], b[1]) for b in own))
    return "--classes", "3", "--kind", "visdrone", folder


def dota(folder, boxes):
    put_images(folder + "/images")
    for image, own in enumerate(of_image(boxes)):
        put(folder + "/labelTxt/%s.txt" % name_of(image), "imagesource:GoogleEarth\ngsd:0.15\n" + "".join(
            " ".join("%.7g" % v for v in (x, y, x + w, y, x + w, y + h, x, y + h)) + " %s 0\n" % NAMES[c] for _, c, x, y, w, h in own))
    return (*named(folder), "--kind", "dota", folder)


def mot(folder, boxes):
    put_images(folder + "/train/MOT-01/img1", lambda image: "%06d" % (image + 1))
    put(folder + "/train/MOT-01/seqinfo.ini", "[Sequence]\nname=MOT-01\nimDir=img1\nframeRate=30\nseqLength=%d\nimWidth=%d\nimHeight=%d\nimExt=.png\n"
        % (IMAGES, WIDTH, HEIGHT))
    put(folder + "/train/MOT-01/gt/gt.txt", "".join("%d,%d,%.7g,%.7g,%.7g,%.7g,1,%d,0.8\n" % (b[0] + 1, k, *b[2:], b[1]) for k, b in enumerate(boxes)))
    return "--classes", "3", "--kind", "mot", folder


def visdrone_video(folder, boxes):
    put_images(folder + "/sequences/uav1_v", lambda image: "%07d" % (image + 1))
    put(folder + "/annotations/uav1_v.txt", "".join("%d,%d,%.7g,%.7g,%.7g,%.7g,1,%d,0,0\n" % (b[0] + 1, k, *b[2:], b[1]) for k, b in enumerate(boxes)))
    return "--classes", "3", "--kind", "visdrone-video", folder


def yolo3(folder, boxes):
    put_images(folder + "/images")
    put(folder + "/train.txt", "".join("images/%s.png%s\n" % (name_of(image), "".join(" %.7g,%.7g,%.7g,%.7g,%s" % (
        b[2], b[3], b[2] + b[4], b[3] + b[5], NAMES[b[1]]) for b in own)) for image, own in enumerate(of_image(boxes))))
    return (*named(folder), "--root", folder, folder + "/train.txt")


def packed(write):
    """The file that the arguments end with, packed with gzip."""
    def pack(folder, boxes):
        *arguments, path = write(folder, boxes)
        with open(path, "rb") as f:
            data = f.read()
        os.remove(path)
        with open(path + ".gz", "wb") as f:
            f.write(gzip.compress(data, 1))
        return (*arguments, path + ".gz")
    return pack


def archived(write, ending, **more):
    """The folder that the arguments end with as an archive, its files in the order of their names."""
    def pack(folder, boxes):
        *arguments, path = write(folder + "/set", boxes, **more)
        archive = folder + "/set" + ending
        files = sorted(os.path.join(root, name) for root, _, names in os.walk(path) for name in names)
        if ending == ".zip":
            with zipfile.ZipFile(archive, "w") as z:
                for file in files:
                    z.write(file, os.path.relpath(file, path), zipfile.ZIP_STORED if file.endswith(".png") else zipfile.ZIP_DEFLATED, 1)
        else:
            with tarfile.open(archive, "w:gz" if ending == ".tar.gz" else "w", dereference=True,
                              **({"compresslevel": 1} if ending == ".tar.gz" else {})) as t:
                for file in files:
                    t.add(file, os.path.relpath(file, path))
        return (*arguments, archive)
    return pack


CONTAINERS = {
    "COCO": coco, "COCO, packed": packed(coco),
    "YOLO": yolo("detect"), "YOLO polygons": yolo("segment"), "YOLO oriented": yolo("obb"), "YOLO poses": yolo("pose"), "YOLO in zip": archived(yolo("detect"), ".zip"),
    "CSV of corners": table(CORNERS), "CSV of sizes": table(("filename", "class", "x", "y", "w", "h"), values=lambda *box: box),
    "CSV with columns for the image": table(("filename", "width", "height", "class", "xmin", "ymin", "xmax", "ymax"), more=(WIDTH, HEIGHT)),
    "CSV, packed": packed(table(CORNERS)), "TSV": table(CORNERS, "\t"), "JSON": objects(False), "JSON Lines": objects(True),
    "keras-retinanet": retinanet, "KITTI": kitti, "VisDrone": visdrone, "DOTA": dota, "MOT": mot, "VisDrone-VID": visdrone_video, "keras-yolo3": yolo3, "KITTI in zip": archived(kitti, ".zip"),
    "YOLO in tar": archived(yolo("detect"), ".tar"), "KITTI in tar.gz": archived(kitti, ".tar.gz"), "MOT in tar": archived(mot, ".tar"),
    "COCO in zip": archived(coco, ".zip", within=True), "COCO in tar": archived(coco, ".tar", within=True),
    "CSV in zip": archived(table(CORNERS), ".zip", within=True), "CSV, boxes in a cell": cells('"[%s]"', ", "), "CSV, bare boxes": cells("%s", " "), "lists of boxes": lists,
}

YOLO = [c for c in CONTAINERS if c.startswith("YOLO")]
TEXTS = YOLO + ["KITTI", "VisDrone", "DOTA", "KITTI in zip", "KITTI in tar.gz"]  # one for each image
COCO = [c for c in CONTAINERS if c.startswith("COCO")]
MOT = ["MOT", "MOT in tar"]
UNASKED = TEXTS + MOT + ["VisDrone-VID", "COCO in zip", "COCO in tar", "CSV in zip"]  # neither --images nor --root says where the images are
UNSIZED = ["CSV of corners", "CSV of sizes", "CSV, packed", "TSV", "JSON", "JSON Lines", "keras-retinanet", "CSV in zip", "CSV, boxes in a cell",
           "CSV, bare boxes", "lists of boxes"]  # without columns for the image
HEADED = [c for c in UNSIZED if c != "keras-retinanet"]  # which do not say that they are pixels

# (container, fault): the verdict instead, or None where the container cannot have the fault.
EXCEPT = {}


def but(containers, faults, *verdict):
    EXCEPT.update({(c, f): verdict or None for c in containers for f in faults})


but(COCO, ("no width", "no height"), 0, "w:empty-box")  # COCO's own files have such boxes, and its loaders leave them out
but(COCO, ("NaN",), 1, "e:malformed w:nonstandard-json")  # of the box, and of the JSON
but(YOLO, ("fractions", "y before x"))  # of fractions all of this is the same as other boxes
but(HEADED, ("fractions",), 0, "")
but(["YOLO polygons", "YOLO oriented", "DOTA"], ("negative width",), 0, "")  # points the other way round
but(YOLO, ("wholly outside", "times the size"), 1, "e:malformed")  # Ultralytics leaves out the image if a centre is beyond
# Texts are judged one by one, before it is known what all of them have in common.
but(TEXTS, ("centres as corners", "corners as sizes"), 1, "e:box-numbers w:box-outside-image")
but(YOLO, ("corners as sizes",), 1, "e:box-numbers e:malformed w:box-outside-image")
but(TEXTS[len(YOLO):], ("y before x",), 1, "e:box-numbers e:box-outside-image")
# Of another size is what has a declared one; else the boxes are outside, or nothing is known.
but(UNSIZED + ["VisDrone-VID", "keras-yolo3"], ("image of another size",), 1, "e:box-outside-image")
but(TEXTS[len(YOLO):], ("image of another size",), 1, "e:box-outside-image i:mixed-images")
but(YOLO, ("image of another size",), 0, "i:mixed-images")
# Without --images or --root the labels can be right without their images, and nobody has said where they are.
but(UNASKED, ("image missing",), 0, "w:missing-image")
but(UNASKED, ("image empty", "image cut off", "image of text"), 0, "w:broken-image")
but(["MOT", "COCO in zip", "COCO in tar"], ("image of another size",), 0, "w:size-mismatch")
but(COCO + ["CSV with columns for the image", "MOT"], ("image turned by EXIF", "image upright by EXIF"), 0, "w:size-mismatch")
but(["MOT in tar"], ("image of another size",), 0, "w:box-outside-image")  # seqinfo.ini, which declares it, is no label file
but(["keras-retinanet", "keras-yolo3"], ("image of no label",), 0, "")  # --root is where paths begin, which is more than images
but(["lists of boxes"], ("image of no label",), 0, "w:image-without-label")  # datasets stops at images that metadata.jsonl lacks
# MOTChallenge draws boxes around the hidden part of its objects, too.
but(MOT, ("begins before 0", "ends beyond"), 0, "")
but(MOT, ("wholly outside",), 0, "w:box-outside-image")
but(MOT, ("times the size",), 0, "i:unusual-box-size w:box-outside-image")

SAME = {"malformed-annotation": "malformed", "malformed-box": "malformed", "malformed-labels": "malformed",
        "unknown-category": "class", "missing-listed-file": "missing-image", "label-without-image": "missing-image",
         "out-of-range-id": "class", "unknown-class-name": "class"}


def audit(numbered):
    number, (container, fault) = numbered
    folder = os.path.join(FOLDER, "%03d" % number)
    os.mkdir(folder)
    case.fault = IMAGE_FAULTS[fault][0] if fault in IMAGE_FAULTS else lambda path: None
    arguments = CONTAINERS[container](folder, FAULTS.get(fault, FAULTS["clean"])[0](clean()))
    done = run("-q", "-f", "json", "--no-config", "-j", "1", *arguments)
    if not done.stdout:
        return container, fault, done.returncode, done.stderr[-300:]
    return container, fault, *verdict(done, SAME)


CASES = [(c, f) for i, f in enumerate((*FAULTS, *IMAGE_FAULTS)) for k, c in enumerate(CONTAINERS) if ALL or (i + k) % 3 == 0]
with ThreadPoolExecutor(2) as threads:
    for container, fault, status, found in threads.map(audit, enumerate(CASES)):
        of_fault = (FAULTS.get(fault) or IMAGE_FAULTS[fault])[1:]
        expected = EXCEPT.get((container, fault), of_fault)
        check(expected is None or (status, found) == expected, container, "|", fault, "|", status, found, "| expected", *(expected or ()))
case.fault = lambda path: None
for numbered, images, found in ("as it is", "im%03d", "i:image-without-label"), ("with a prefix", "photo_%03d", ""):
    path = os.path.join(FOLDER, numbered)
    kitti(path, clean()[:-6])  # the last two have no text
    for image in range(IMAGES):
        os.rename("%s/training/image_2/im%03d.png" % (path, image), path + "/training/image_2/" + images % image + ".png")
        text = "%s/training/label_2/%%s.txt" % path
        if image < IMAGES - 2:
            os.rename(text % name_of(image), text % (images % image).replace("photo_", ""))
        else:
            os.remove(text % name_of(image))
    got = verdict(run("-q", "-f", "json", "--no-config", *named(path), path + "/training"), SAME)
    check(got == (0, found), "KITTI | images named", numbered, "|", *got)
ignored = os.path.join(FOLDER, "ignored")
arguments = kitti(ignored, [[image, 3, *box] for image, _, *box in clean()])
put(ignored + "/names.txt", "".join(name + "\n" for name in NAMES))
done = run("-q", "-f", "json", "--no-config", "--ignore", NAMES[3], *arguments[:2], arguments[-1])
check(verdict(done, SAME) == (1, "e:all-ignored w:missing-class"), "KITTI | all rows ignored |", done.returncode, done.stdout[-300:])
finish()
