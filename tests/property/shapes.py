#!/usr/bin/env -S python3 -SE
"""One set of keypoints or polygons gets the same verdict in COCO, YOLO poses, YOLO polygons and DOTA.

usage: tests/property/shapes.py     BUILD=dir: where the program was built

As tests/property/boxes.py, for what is in a box: each object has a box, five keypoints and a polygon of five points.
"""
import json
import os
import random

from checks import FOLDER, check, finish, run, verdict

WIDTH, HEIGHT, IMAGES = 640, 480, 12


def clean():
    draw = random.Random(5)
    objects = []
    for image in range(IMAGES):
        for _ in range(2):
            w, h = draw.randint(60, 200), draw.randint(60, 150)
            x, y = draw.randint(1, WIDTH - w - 1), draw.randint(1, HEIGHT - h - 1)
            objects.append({"image": image, "box": [x, y, w, h], "keypoints": [[x + w * k / 6, y + h * k / 6, 2] for k in range(1, 6)],
                            "polygon": [[x, y], [x + w, y], [x + w, y + h], [x + w / 2, y + h * .8], [x, y + h]]})
    return objects


def first(function):
    """Changes the keypoints or the polygon of one object."""
    def change(objects):
        function(objects[4])
        return objects
    return change


def keypoint(x=None, y=None, v=None):
    def change(o):
        o["keypoints"][1] = [new if new is not None else old for new, old in zip((x, y, v), o["keypoints"][1])]
    return first(change)


def every(function):
    def change(objects):
        for o in objects:
            o["keypoints"] = [function(o, *k) for k in o["keypoints"]]
        return objects
    return change


def away(o, x, y, v):
    return [(x + o["box"][2] + 40) % WIDTH if v else x, y, v]


def points(function):
    def change(o):
        o["polygon"] = function(o["polygon"], *o["box"])
    return first(change)


KEYPOINTS = ("COCO", "YOLO poses")
POLYGONS = ("COCO", "YOLO polygons")
CORNERS = ("COCO", "YOLO oriented", "DOTA")
# Name: (the containers, what is changed, the exit status, the findings).
FAULTS = {
    "clean": (("COCO", "YOLO poses", "YOLO polygons", "YOLO oriented", "DOTA"), lambda objects: objects, 0, ""),
    "visibility 3": (KEYPOINTS, keypoint(v=3), 1, "e:malformed"),
    "visibility below 0": (KEYPOINTS, keypoint(v=-1), 1, "e:malformed"),
    "a score for a visibility": (KEYPOINTS, keypoint(v=0.7), 1, "e:malformed"),
    "NaN": (KEYPOINTS, keypoint(x=float("nan")), 1, "e:malformed"),
    "too few": (KEYPOINTS, first(lambda o: o["keypoints"].pop()), 1, "e:malformed"),
    "too few everywhere": (KEYPOINTS, lambda objects: [o["keypoints"].pop() and o for o in objects], 1, "e:malformed"),
    "a keypoint outside the image": (KEYPOINTS, keypoint(x=WIDTH + 200), 0, "w:box-outside-image"),
    "a keypoint outside its box": (KEYPOINTS, keypoint(x=1), 0, ""),
    "one that is not labelled, with a place": (KEYPOINTS, keypoint(v=0), 0, ""),
    "labelled at 0, 0": (KEYPOINTS, keypoint(0, 0, 2), 0, "w:contradicting-annotation"),
    "all outside their boxes": (KEYPOINTS, every(away), 0, "i:contradicting-annotation"),
    "none labelled": (KEYPOINTS, every(lambda o, x, y, v: [0, 0, 0]), 0, "w:no-annotations"),
    "two points": (POLYGONS, points(lambda p, x, y, w, h: p[:2]), 1, "e:malformed"),
    "crossing": (POLYGONS, points(lambda p, x, y, w, h: [[x, y], [x + w, y + h], [x + w, y], [x, y + h], [x, y + h / 2]]), 0, "w:contradicting-annotation"),
    "corners that cross": (CORNERS, points(lambda p, x, y, w, h: [[x, y], [x + w, y + h], [x + w, y], [x, y + h]]), 0, "w:contradicting-annotation"),
    "one point": (POLYGONS, points(lambda p, x, y, w, h: [p[0]] * 5), 1, "e:empty-box"),
    "on a line": (POLYGONS, points(lambda p, x, y, w, h: [[x, y], [x + w, y], [x + w / 2, y], [x + w / 3, y]]), 1, "e:empty-box"),
}

# (container, fault): the verdict instead.
EXCEPT = {
    ("YOLO poses", "a keypoint outside the image"): (1, "e:malformed"),  # Ultralytics leaves out the image
    ("COCO", "one point"): (0, "w:contradicting-annotation"),  # the box is written, and has an area
    ("COCO", "on a line"): (0, "w:contradicting-annotation"),
}
SAME = {"malformed-annotation": "malformed", "malformed-box": "malformed", "malformed-keypoints": "malformed"}


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def coco(folder, objects):
    put(folder + "/keypoints.json", json.dumps({
        "images": [{"id": i, "file_name": "%d.jpg" % i, "width": WIDTH, "height": HEIGHT} for i in range(IMAGES)],
        "categories": [{"id": 0, "name": "person", "keypoints": list("abcde")}],
        "annotations": [{"id": k, "image_id": o["image"], "category_id": 0, "bbox": o["box"], "area": o["box"][2] * o["box"][3] * .8,
                         "iscrowd": 0, "segmentation": [[v for p in o["polygon"] for v in p]], "keypoints": [v for p in o["keypoints"] for v in p],
                         "num_keypoints": sum(p[2] > 0 for p in o["keypoints"])} for k, o in enumerate(objects)]}))
    return folder + "/keypoints.json"


def texts(folder, objects, row):
    for image in range(IMAGES):
        put("%s/%d.txt" % (folder, image), "".join(row(o) + "\n" for o in objects if o["image"] == image))
        put(folder.replace("labels", "images") + "/%d.jpg" % image, "")


def numbers(values):
    return " ".join("%.7g" % v for v in values)


def scaled(points_of, *rest):
    return [v for x, y, *more in points_of for v in (x / WIDTH, y / HEIGHT, *more)]


def poses(folder, objects):
    def row(o):
        x, y, w, h = o["box"]
        return numbers([0, (x + w / 2) / WIDTH, (y + h / 2) / HEIGHT, w / WIDTH, h / HEIGHT, *scaled(o["keypoints"])])
    texts(folder + "/labels", objects, row)
    put(folder + "/data.yaml", "train: images\nval: images\nkpt_shape: [5, 3]\nflip_idx: [0, 1, 2, 3, 4]\nnames: [person]\n")
    return "--skip", "training-config", "--skip", "broken-image", folder + "/data.yaml"


def yolo(task, of):
    def write(folder, objects):
        texts(folder + "/labels", objects, lambda o: numbers([0, *scaled(of(o["polygon"]))]))
        return "--task", task, "--skip", "broken-image", folder + "/labels"
    return write


def four(polygon):
    return polygon if len(polygon) == 4 else [*polygon[:3], polygon[4]]


def dota(folder, objects):
    texts(folder, objects, lambda o: numbers(v for p in four(o["polygon"]) for v in p) + " person 0")
    return "--kind", "dota", "--skip", "broken-image", folder


CONTAINERS = {"COCO": coco, "YOLO poses": poses, "YOLO polygons": yolo("segment", lambda p: p), "YOLO oriented": yolo("obb", four), "DOTA": dota}
names = os.path.join(FOLDER, "names.txt")
put(names, "person\n")
for number, (fault, (containers, change, status, found)) in enumerate(FAULTS.items()):
    for container in containers:
        place = os.path.join(FOLDER, "%02d-%s" % (number, container.replace(" ", "-")))
        path = CONTAINERS[container](place, change(clean()))
        words = (path,) if isinstance(path, str) else path
        done = run("-q", "-f", "json", "--no-config", *(() if container == "YOLO poses" else ("-c", names)), *words)
        if not check(done.stdout, container, fault, done.stderr[-300:]):
            continue
        got = verdict(done, SAME, {"w:nonstandard-json"})
        check(got == EXCEPT.get((container, fault), (status, found)), container, "|", fault, "|", *got)
finish()
