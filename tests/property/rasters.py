#!/usr/bin/env -S python3 -SE
"""TIFF masks: which pages, strips and tiles are counted, and that hostile ones are findings within the memory of a thread: whole program.

usage: tests/property/rasters.py     BUILD=dir: where the program was built
       LABELAUDIT_PYTHON=FILE: a Python with tifffile, NumPy and imagecodecs (python3); what it writes; skipped without
"""
import json
import os
import random
import struct
import subprocess

import checks
from checks import FOLDER, check, finish, need_modules, run, skip, skip_all
from made import tiff, write

need_modules("tifffile", "imagecodecs", optional=True)
try:
    import imagecodecs
    import numpy
    import tifffile
except ImportError:
    tifffile = None

MIB = 1 << 20
OVERVIEW, MASK = {254: [1]}, {254: [4]}
if b"TIFF masks are not read" in run("doctor").stdout:
    skip_all("built without libtiff")


def audit(data, name="m.tif", *words):
    """The rules that files break, the report, and the memory of the run in bytes."""
    write(name, data)
    # a process counts the memory of the one that it was forked from, which is this one's
    words = ("-c", "6", "-f", "json", "-q", "-j", "1", "--no-config", *words, name)
    done = subprocess.run(["sh", "-c", '"$@"; exit $?', "sh", checks.PROGRAM, *words], cwd=FOLDER, capture_output=True, check=False, timeout=60)
    os.unlink(os.path.join(FOLDER, name))
    if not check(done.returncode in (0, 1) and done.stdout, name, len(data), done.returncode, done.stderr[-600:], done.stdout[:300]):
        return set(), {"histogram": [], "findings": []}, 0
    report = json.loads(done.stdout)
    return {f["rule"] for f in report["findings"] if f["path"]}, report, report["run"]["peak_memory"]


def counts(*pages):
    out = {}
    for rows in pages:
        for row in rows:
            for v in row:
                out[v] = out.get(v, 0) + 1
    return sorted([v, n] for v, n in out.items())


def rows_of(seed, width, height):
    draw = random.Random(seed)
    rows = [[0] * width for _ in range(height)]
    for _ in range(6):
        x, y, v = draw.randrange(width), draw.randrange(height), draw.randrange(6)
        for row in rows[y : y + 20]:
            row[x : x + 25] = [v] * len(row[x : x + 25])
    return rows


def pages_and_parts():
    """Pages may differ in their parts; bytes of a tile that lie beyond the image are no labels; overviews and masks are not counted."""
    parts = [{"strip": 7}, {"strip": 64}, {"tile": (16, 16)}, {"tile": (128, 64)}, {"tile": (48, 32)}, {"tile": (256, 256)}]
    for order in "<>":
        for n, code in enumerate(("u1", "u2", "i1", "i2", "u4", "i4", "f4", "f8")):
            for i, part in list(enumerate(parts))[n % 3 :: 3]:
                first, second = rows_of(i, 100, 61), rows_of(i + 50, 100, 61)
                page = {"rows": first, "code": code, "packed": i % 2, **part}
                what = (order, code, part)
                _, report, _ = audit(tiff(page, order=order))
                check(report["histogram"] == counts(first), *what, report["histogram"])
                other = {"rows": second, "code": code, "packed": 1, **parts[(i + 2) % len(parts)]}
                small = {"rows": [r[::2] for r in first[::2]], "code": code, "tile": (16, 16)}
                _, report, _ = audit(tiff(page, {**small, "tags": OVERVIEW}, other, {**small, "tags": MASK}, order=order))
                check(report["histogram"] == counts(first, second), "pages", *what, report["histogram"], report["findings"][:1])


def hostile():
    rows = rows_of(1, 100, 61)
    page = {"rows": rows, "strip": 20}
    good = tiff(page)
    twice = tiff(page, page)
    cases = {
        "good": (good, set()),
        "a circle of one page": (tiff(page, end=8), {"corrupt-data"}),
        "a circle of two pages": (tiff(page, page, end=int.from_bytes(twice[4:8], "little")), {"corrupt-data"}),
        "a page after the end": (tiff(page, end=1 << 30), {"truncated-file"}),
        "no rows in a strip": (tiff({**page, "tags": {278: [0]}}), {"corrupt-data"}),
        "more rows in a strip than there are": (tiff({**page, "strip": 61, "tags": {278: [2**32 - 1]}}), set()),
        "fewer strips than rows need": (tiff({**page, "tags": {257: [90]}}), {"corrupt-data", "truncated-file"}),
        "strips of no bytes, which libtiff computes": (tiff({**page, "tags": {279: [0, 0, 0, 0]}}), set()),
        "strips without a place": (tiff({**page, "tags": {273: [8, 0, 0, 0]}}), {"corrupt-data"}),
        "one place for many strips": (tiff({**page, "strip": 61, "tags": {257: [9000], 278: [3]}}), {"corrupt-data"}),
        "strips after the end": (tiff({**page, "tags": {273: [1 << 30] * 4}}), {"truncated-file"}),
        "a strip that is cut": (tiff({**page, "packed": 1})[:60], {"truncated-file"}),
        "tiles of no width": (tiff({"rows": rows, "tile": (16, 16), "tags": {322: [0]}}), {"corrupt-data", "limit-exceeded"}),
        "tiles of an odd width": (tiff({"rows": rows, "tile": (17, 9)}), set()),
        "tiles too large": (tiff({"rows": rows, "tile": (112, 64), "tags": {322: [1 << 20], 323: [1 << 20]}}), {"limit-exceeded"}),
        "pages of two sizes": (tiff(page, {"rows": rows_of(2, 50, 61)}), {"unread-format"}),
        "65535 samples": (tiff({**page, "tags": {277: [65535]}}), {"limit-exceeded", "corrupt-data", "unread-format", "truncated-file"}),
        "2^31 columns": (tiff({**page, "tags": {256: [2**31 - 1]}}), {"limit-exceeded", "truncated-file"}),
        "2^31 rows of one strip each": (tiff({**page, "tags": {257: [2**31 - 1], 278: [1]}}), {"limit-exceeded", "corrupt-data"}),
        "a tag of 4 GB": (tiff({**page, "tags": {42113: [2**32 - 1] * 3}}).replace(b"\x81\xa4\4\0\3\0\0\0", b"\x81\xa4\2\0\xff\xff\xff\xff"), set()),
    }
    for name, (data, rules) in cases.items():
        found, report, memory = audit(data, "h.tif", "--kind", "mask")
        check(bool(found & rules) if rules else not found - {"rare-class", "missing-class"}, name, sorted(found), [f["message"] for f in report["findings"]])
        check(memory < 48 * MIB, name, "takes", memory)
    for seed in range(30):
        draw = random.Random(seed)
        data = bytearray(tiff({**page, "packed": seed % 2}, {"rows": rows, "tile": (32, 16)}))
        start = int.from_bytes(data[4:8], "little")
        for _ in range(draw.randrange(1, 5)):
            data[draw.choice((draw.randrange(start, min(start + 126, len(data))), draw.randrange(len(data))))] = draw.randrange(256)
        _, _, memory = audit(bytes(data), "r.tif", "--kind", "mask")
        check(memory < 64 * MIB, "random", seed, "takes", memory)


def parts_and_memory():
    """A strip or tile that takes more than a thread has is refused before it is read; one that may come row by row is read."""
    for name, width, height, part, stored, read in (
            ("stored as it is, one strip", 4096, 10240, {}, False, True),
            ("Deflate, one strip", 4096, 10240, {}, True, True),
            ("stored as it is, two strips", 4096, 14336, {"strip": 7168}, False, False),
            ("Deflate, large tiles", 4096, 4096, {"tile": (4096, 4096)}, True, False),
            ("Deflate, smaller tiles", 4096, 4096, {"tile": (2048, 1024)}, True, True)):
        rows = [bytes([y >> 9 & 3]) * width for y in range(height)]
        found, report, memory = audit(tiff({"rows": rows, "packed": stored, **part}), "large.tif")
        check(("limit-exceeded" in found) != read, name, sorted(found))
        check(not read or report["histogram"] == sorted([v, width * sum(r[0] == v for r in rows)] for v in range(4)), name, report["histogram"])
        check(memory < 48 * MIB, name, "takes", memory)


def as_tifffile():
    """What its methods of compression come to, and what they take: a decoder with a window holds what it gave once more."""
    draw = numpy.random.default_rng(5)
    ids = draw.integers(0, 6, (900, 700), dtype="u1")
    for method in ("zlib", "lzw", "zstd", "lzma", "packbits"):
        for rows in (100, 900):
            for predictor in (False, True):
                if predictor and method == "packbits":
                    continue
                path = os.path.join(FOLDER, "o.tif")
                tifffile.imwrite(path, ids, compression=method, rowsperstrip=rows, predictor=predictor)
                with open(path, "rb") as f:
                    _, report, _ = audit(f.read(), "o.tif")
                values, number = numpy.unique(ids, return_counts=True)
                check(report["histogram"] == [list(p) for p in zip(values.tolist(), number.tolist())], method, rows, predictor, report["findings"][:2])
    for method in ("zstd", "lzma"):
        path = os.path.join(FOLDER, "w.tif")
        tifffile.imwrite(path, numpy.zeros((5200, 3000), "u1"), compression=method, rowsperstrip=5200)
        with open(path, "rb") as f:
            found, _, memory = audit(f.read(), "w.tif")
        check("limit-exceeded" in found, method, "one strip of 15 MB", sorted(found))
        check(memory < 48 * MIB, method, "takes", memory)


def large_images():
    """More than is held in memory, and noise from the middle on: measured in two ways, and read again for the second."""
    width, height = 3000, 3200
    noise = random.Random(3).randbytes(width * height // 2).translate(bytes(i % 6 for i in range(256)))
    pixels = bytes(len(noise)) + noise
    expected = [[v, pixels.count(v)] for v in range(6)]
    entries = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height), (279, len(pixels)))
    tags = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries) + bytes(4)
    bmp = b"BM" + struct.pack("<IHHIIiiHHIIIIII", 1078 + len(pixels), 0, 0, 1078, 40, width, -height, 1, 8, 0, 0, 0, 0, 256, 0) \
        + b"".join(bytes((i, i, i, 0)) for i in range(256)) + pixels
    for name, data in (("large.tif", b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels + tags), ("large.bmp", bmp)):
        rules, report, memory = audit(data, name)
        check(report["histogram"] == expected and rules <= {"interpolated-mask"}, name, sorted(rules), report["histogram"])
        check(memory < 48 * MIB, name, memory)
        rules, report, _ = audit(data[:-len(tags) - 5000] if name == "large.bmp" else data[:len(data) // 2], name)
        check(rules == {"truncated-file"} and not report["histogram"], name, "cut", sorted(rules))


pages_and_parts()
hostile()
large_images()
parts_and_memory()
if tifffile:
    as_tifffile()
else:
    skip("tifffile", "not installed")
finish()
