#!/usr/bin/env -S python3 -SE
"""The ids that labelaudit reads under --view pil and cv2 are those that Pillow and OpenCV read, and under --view raw those
that were written: whole program, every colour type and depth of PNG, plain and interlaced, on every device that is here.

usage: tests/property/views.py     BUILD=dir: where the program was built
       LABELAUDIT_PYTHON=FILE: a Python with Pillow, NumPy and OpenCV (python3); without them this is skipped, and the
       stored truth in tests/cli/png-types-*.case stands alone
"""
import json
import os
import random
import struct

from checks import ALL, FOLDER, TESTDATA, check, finish, need_modules, run, skip_all
from made import write
from pngs import chunk, png

need_modules("cv2", "numpy", "PIL")
try:
    import cv2
    import numpy
    import PIL.Image
except ImportError as e:  # they are there, but not what they need
    skip_all(e)

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def generate(seed):
    """Every type and depth; greys and palettes with few and many ids, some with transparency, which changes no id."""
    rng = random.Random(seed)
    truth = {}
    for colour, depths in DEPTHS.items():
        for depth in depths:
            for interlaced in (0, 1):
                for variant in range(4):
                    width, height = rng.randint(1, 40), rng.randint(1, 40)
                    top = (1 << depth) - 1
                    ids = [rng.randint(0, top) for _ in range(rng.choice((1, 3, 300)))]
                    extra = b""
                    if colour == 3:
                        entries = top + 1
                        extra = chunk(b"PLTE", bytes(rng.randint(0, 255) for _ in range(3 * entries)))
                        if variant == 1:
                            extra += chunk(b"tRNS", bytes(rng.randint(0, 255) for _ in range(entries)))
                    elif colour in (0, 2) and variant == 1:
                        extra = chunk(b"tRNS", struct.pack(">H", ids[0]) * CHANNELS[colour])
                    elif colour == 0 and variant == 2:
                        extra = chunk(b"gAMA", struct.pack(">I", 45455))
                    rows = [[tuple(rng.choice(ids) for _ in range(CHANNELS[colour])) for _ in range(width)] for _ in range(height)]
                    name = "%d-%d-%d-%d.png" % (colour, depth, interlaced, variant)
                    write(name, png(rows, colour, depth, before=extra, interlaced=interlaced))
                    truth[name] = rows if CHANNELS[colour] == 1 else None
    return truth


def histogram(array):
    values, counts = numpy.unique(numpy.asarray(array).astype(numpy.int64), return_counts=True)
    return [[int(v), int(c)] for v, c in zip(values, counts)]


def read_pil(path):
    with PIL.Image.open(path) as image:
        array = numpy.array(image)
    return histogram(array) if array.ndim == 2 else None


def read_cv2(path):
    return histogram(cv2.imread(path, cv2.IMREAD_GRAYSCALE))


def read_ours(view, device, paths):
    done = run("-q", "-c", "65536", "--view", view, "--device", device, "--fail-on", "never", "-f", "jsonl", *paths, check=True)
    files = [json.loads(line) for line in done.stdout.splitlines()]
    return {f["path"]: f.get("histogram") for f in files if f["type"] == "file"}


def luma():
    """Colours of one luma by OpenCV make a file of that id, for each: all 2^24 of them, or one in 16, of all values of each channel."""
    rows, step = (4096, 1) if ALL else (256, 65521)
    colours = numpy.arange(4096 * rows, dtype=numpy.uint64) * step & 0xffffff
    bgr = numpy.dstack([colours & 255, colours >> 8 & 255, colours >> 16]).astype(numpy.uint8)
    name = os.path.join(FOLDER, "colours.png")
    cv2.imwrite(name, bgr.reshape(rows, 4096, 3))
    of_each = cv2.imread(name, cv2.IMREAD_GRAYSCALE).ravel()
    expected = {}
    for v in range(256):
        path = os.path.join(FOLDER, "luma-%d.png" % v)
        some = bgr[:, of_each == v]
        cv2.imwrite(path, some)
        expected[path] = [[v, some.shape[1]]]
    ours = read_ours("cv2", "cpu", list(expected))
    for path, theirs in expected.items():
        check(ours[path] == theirs, os.path.basename(path), str(ours[path])[:150], "instead of", theirs)


def main():
    truth = generate(20)
    paths = [os.path.join(FOLDER, name) for name in sorted(truth)]
    pictures = os.path.join(TESTDATA, "png")
    paths += [os.path.join(pictures, name) for name in sorted(os.listdir(pictures))]
    print("Pillow %s, OpenCV %s, NumPy %s" % (PIL.__version__, cv2.__version__, numpy.__version__))
    for view in ("pil", "cv2", "raw"):
        expected = {}
        for path in paths:
            name = os.path.basename(path)
            if view == "pil":
                expected[path] = read_pil(path)
            elif view == "cv2":
                expected[path] = read_cv2(path)
            elif os.path.dirname(path) == FOLDER:
                expected[path] = histogram(truth[name]) if truth[name] else None
        for device in ("cpu", "sim"):
            ours = read_ours(view, device, paths)
            for path, theirs in expected.items():
                check(ours[path] == theirs, os.path.basename(path), "--view", view, "--device", device, str(ours[path])[:150],
                      "instead of", str(theirs)[:150])
    luma()
    finish()


main()
