"""Compares labelaudit's histograms with what Pillow and OpenCV read, file by file; see views.sh.

usage: views.py LABELAUDIT FOLDER TESTDATA     FOLDER: empty, for generated files
"""
import json
import os
import random
import struct
import subprocess
import sys
import zlib

try:
    import cv2
    import numpy
    import PIL.Image
except ImportError as e:  # they are there, but not what they need
    print("skipped: %s\n0 passed, 0 failed, 1 skipped" % e)
    sys.exit()

from pngs import chunk, header

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def row_bytes(samples, depth):
    """The samples of a row, packed, behind filter type 0."""
    if depth == 16:
        return b"\0" + b"".join(struct.pack(">H", s) for s in samples)
    out, bits, held = bytearray(b"\0"), 0, 0
    for s in samples:
        held = held << depth | s
        bits += depth
        if bits == 8:
            out.append(held)
            bits = held = 0
    if bits:
        out.append(held << (8 - bits))
    return bytes(out)


def png(rows, colour, depth, interlaced, extra):
    """rows: lists of samples, channels side by side."""
    height, n = len(rows), CHANNELS[colour]
    width = len(rows[0]) // n
    if interlaced:
        data = b""
        for x0, y0, dx, dy in PASSES:
            for y in range(y0, height, dy):
                samples = [s for x in range(x0, width, dx) for s in rows[y][x * n:(x + 1) * n]]
                data += row_bytes(samples, depth) if samples else b""
    else:
        data = b"".join(row_bytes(row, depth) for row in rows)
    return (header(width, height, depth, colour, interlaced) + extra + chunk(b"IDAT", zlib.compress(data)) +
            chunk(b"IEND", b""))


def generate(folder, seed):
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
                    elif colour == 0 and variant == 1:
                        extra = chunk(b"tRNS", struct.pack(">H", ids[0]))
                    elif colour == 0 and variant == 2:
                        extra = chunk(b"gAMA", struct.pack(">I", 45455))
                    rows = [[rng.choice(ids) for _ in range(width * CHANNELS[colour])] for _ in range(height)]
                    name = "%d-%d-%d-%d.png" % (colour, depth, interlaced, variant)
                    with open(os.path.join(folder, name), "wb") as f:
                        f.write(png(rows, colour, depth, interlaced, extra))
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


def read_ours(program, view, device, paths):
    command = [program, "-q", "-c", "65536", "--view", view, "--device", device, "--fail-on", "never", "-f", "jsonl"]
    lines = subprocess.run(command + paths, check=True, capture_output=True, text=True).stdout.splitlines()
    files = [json.loads(line) for line in lines]
    return {f["path"]: f.get("histogram") for f in files if f["type"] == "file"}


def main():
    program, folder, testdata = sys.argv[1:]
    truth = generate(folder, 20)
    paths = [os.path.join(folder, name) for name in sorted(truth)]
    paths += [os.path.join(testdata, name) for name in sorted(os.listdir(testdata))]
    passed = failed = 0
    print("Pillow %s, OpenCV %s, NumPy %s" % (PIL.__version__, cv2.__version__, numpy.__version__))
    for view in ("pil", "cv2", "raw"):
        expected = {}
        for path in paths:
            name = os.path.basename(path)
            if view == "pil":
                expected[path] = read_pil(path)
            elif view == "cv2":
                expected[path] = read_cv2(path)
            elif os.path.dirname(path) == folder:
                expected[path] = histogram(truth[name]) if truth[name] else None
        for device in ("cpu", "sim"):
            ours = read_ours(program, view, device, paths)
            for path, theirs in expected.items():
                name = os.path.basename(path)
                if ours[path] == theirs:
                    passed += 1
                else:
                    failed += 1
                    print("%s, --view %s, --device %s: %s instead of %s" %
                          (name, view, device, str(ours[path])[:150], str(theirs)[:150]))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
