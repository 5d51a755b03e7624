"""Files that public data sets are made of, for the layouts of layouts.py and the modules beside it."""
import json
import random

from gate_cases import JPEG, photo, png

CLASSES = 5
NAMES = ["bird", "cat", "dog", "fish", "horse"]
PHOTOS = {True: [photo(seed) for seed in range(4)], False: [photo(seed, 0) for seed in range(4)]}


def mask(seed):
    """Rectangles of some classes that do not touch."""
    draw, side = random.Random(seed), 48
    rows = [[0] * side for _ in range(side)]
    for cell in range(4):
        x, y, i = 24 * (cell % 2) + draw.randrange(2, 8), 24 * (cell // 2) + draw.randrange(2, 8), draw.randrange(CLASSES)
        for row in rows[y:y + 12]:
            row[x:x + 12] = [i] * 12
    return png(side, side, rows)


def coco(names):
    return json.dumps({
        "images": [{"id": i, "file_name": n, "width": 64, "height": 64} for i, n in enumerate(names, 1)],
        "annotations": [{"id": i, "image_id": i, "category_id": i % CLASSES, "bbox": [1, 1, 20, 20], "area": 400, "iscrowd": 0}
                        for i, n in enumerate(names, 1)],
        "categories": [{"id": i, "name": n} for i, n in enumerate(NAMES)]}).encode()


MASKS = [mask(seed) for seed in range(8)]


def stems(draw):
    """Names of images, as data sets have them."""
    pattern = draw.choice(["%06d", "img_%d", "IMG_2021%04d", "frame%05d", "scene%d_left", "%dx"])
    first = draw.randrange(1, 900)
    return [pattern % (first + i) for i in range(draw.randrange(5, 14))]


def any_mask(draw):
    return draw.choice(MASKS)


def any_photo(draw, colour=None):
    return draw.choice(PHOTOS[draw.random() < .5 if colour is None else colour])


def jpegs(folder, names):
    return {folder + n + ".jpg": JPEG for n in names}


def box(draw):
    x, y = draw.randrange(1, 20), draw.randrange(1, 20)
    return x, y, x + draw.randrange(5, 30), y + draw.randrange(5, 30)


def text(lines):
    return ("\n".join(lines) + "\n").encode()


def yolo_text(draw):
    return text("%d %.6f %.6f %.6f %.6f" % (draw.randrange(CLASSES), .5, .4, .1 + draw.random() / 5, .2)
                for _ in range(draw.randrange(1, 5)))


def as_json(value):
    return json.dumps(value).encode()


def read(formats, files, unread=()):
    return {"formats": {formats}, "files": files, "unread": set(unread), "status": 0}


def named(*kinds):
    return {"formats": set(), "files": 0, "unread": set(kinds), "status": 2}
