#!/usr/bin/env -S python3 -SE
"""No reader is quadratic: four times the input takes at most 2.5 x 2.5 times the processor time, of files made to hurt each of them.

usage: tests/property/doubling.py [READER...]     BUILD=dir: where the program was built; left out with sanitizers, whose malloc
                                                  is another; DOUBLING_VERBOSE=1: the figures. Needs python3.
"""
import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import warnings

import made
from checks import ALL, FOLDER, PROGRAM, check, finish, is_instrumented, skip_all
from made import npy, npy_head, tar, zip_of
from pngs import chunk, png_of_bytes as png

WANTED = sys.argv[1:]
# Of the sizes below, which are those of make check-all; what is quadratic shows at a fifth of them, too.
PART = 1 if ALL else 5
VERBOSE = bool(os.environ.get("DOUBLING_VERBOSE"))
# Four times the input: 2.5 times the time twice. Linear is 4, n log n hardly more; quadratic is 16.
LIMIT = 2.5 ** 2
SMALL = 0.02  # seconds: what takes less at four times the size is told by noise alone
warnings.simplefilter("ignore")  # of two members of one name


def noise(n, seed=1):
    return random.Random(seed).randbytes(n)


def long_names(n):
    """A tar whose names have headers of their own, as GNU tar writes what is longer than 100 bytes."""
    one = tar({"d/" * 120 + "000000.png": MASK}, tarfile.GNU_FORMAT)[:512 * (4 + (len(MASK) - 1) // 512)]
    at = one.index(b"000000.png")
    return b"".join(b"%s%06d%s" % (one[:at], i, one[at + 6:]) for i in range(n)) + bytes(1024)


def coco(n, images=None, categories=5, annotations=None, extra=""):
    return json.dumps({
        "images": [{"id": i, "width": 640, "height": 480, "file_name": "%d.jpg" % i} for i in range(images or n)],
        "annotations": [{"id": i, "image_id": i % (images or n), "category_id": i % categories, "bbox": [1, 2, 3 + i % 7, 4], "area": 12,
                         "iscrowd": 0, "segmentation": [[1, 2, 3, 4, 5, 6 + i % 5]]} for i in range(annotations or n)],
        "categories": [{"id": i, "name": "class %d%s" % (i, extra)} for i in range(categories)]}).encode()


def panoptic(n):
    return json.dumps({
        "images": [{"id": i, "width": 64, "height": 48, "file_name": "%d.jpg" % i} for i in range(n)],
        "annotations": [{"image_id": i, "file_name": "%d.png" % i, "segments_info": [
            {"id": 9 * i + k, "category_id": k, "area": 12, "bbox": [0, 0, 2, 2], "iscrowd": 0} for k in range(3)]} for i in range(n)],
        "categories": [{"id": i, "name": "class %d" % i, "isthing": 1} for i in range(3)]}).encode()


MASK = png(8, [bytes(range(8))] * 8)
SMALL_NPY = npy([1] * 8)


def masks(n, at):
    """n masks with a finding each."""
    os.makedirs(at)
    for i in range(n):
        with open(os.path.join(at, "%06d.png" % i), "wb") as f:
            f.write(png(4, [struct.pack("<I", i | 0x40404040)]))
    return at


def report_of(n, *more):
    where = "masks-%d" % n
    if not os.path.isdir(where):
        masks(n, where)
    out = "report-%d.json" % n
    subprocess.run([PROGRAM, "-q", "-c", "4", "-f", "none", "--fail-on", "never", "-o", out, *more, where], check=False, stderr=subprocess.DEVNULL)
    return out


def file_of(name):
    """Makes a reader whose input is one file of that name, audited."""
    def make(content):
        def command(n):
            return [write("%d-%s" % (n, name), content(n))]
        return command
    return make


def write(path, content):
    """In the reader's folder."""
    return made.write(os.path.abspath(path), content)


def list_of(n):
    write("one.png", MASK)
    return ["--files-from", write("%d.list" % n, b"one.png\n" * n)]


def baseline(n):
    out = "baseline-%d.json" % n
    report_of(n, "--write-baseline", out)
    write("one.png", MASK)
    return ["--baseline", out, "one.png"]


def parts(n):
    halves = ["part-%d-%d.json" % (n, i) for i in (1, 2)]
    for i, part in enumerate(halves):
        report_of(n, "--shard", "%d/2" % (i + 1), "-o", part)
    return [None, "merge", "-q", "-f", "none", *halves]


# name: (n at once, what makes the arguments for n)
READERS = {
    "png, rows": (2000, file_of("a.png")(lambda n: png(500, [noise(500, i) for i in range(n)]))),
    "png, rows of equal pixels": (20000, file_of("a.png")(lambda n: png(500, [b"\1" * 500] * n))),
    "png, rows of 16 bits": (1000, file_of("a.png")(lambda n: png(250, [noise(500, i) for i in range(n)], depth=16))),
    "png, colours": (1000, file_of("a.png")(lambda n: png(100, [noise(300, i) for i in range(n)], colour=2))),
    "png, text chunks": (30000, file_of("a.png")(lambda n: png(8, [bytes(8)] * 8, before=chunk(b"tEXt", b"k\0v") * n))),
    "png, IDAT of a byte": (60000, file_of("a.png")(lambda n: png(n, [noise(n)], level=0, size=1))),
    "npy, few ids": (2000000, file_of("a.npy")(lambda n: npy_head("|u1", (n,)) + noise(n))),
    "npy, wide ids": (60000, file_of("a.npy")(lambda n: npy([7 << 40 | i % 65000 * 0x9e3779b1 for i in range(n)], "<i8"))),
    "npy, floats": (500000, file_of("a.npy")(lambda n: npy([1, 2, 3, 0.5] * (n // 4), "<f4"))),
    "npz": (3000, file_of("a.npz")(lambda n: zip_of(("%d.npy" % i, SMALL_NPY) for i in range(n)))),
    "idx": (4000000, file_of("t10k-labels-idx1-ubyte")(lambda n: b"\0\0\x08\1" + struct.pack(">I", n) + noise(n))),
    "idx, packed": (1000000, file_of("t10k-labels-idx1-ubyte.gz")(
        lambda n: gzip.compress(b"\0\0\x08\1" + struct.pack(">I", n) + noise(n), 1))),
    "gz, members": (20000, file_of("t10k-labels-idx1-ubyte.gz")(
        lambda n: gzip.compress(b"\0\0\x08\1" + struct.pack(">I", n)) + gzip.compress(b"\1") * n)),
    "list of ids": (300000, file_of("a.txt")(lambda n: b"".join(b"%d\n" % (i % 7) for i in range(n)))),
    "csv": (60000, file_of("a.csv")(lambda n: b"path,label\n" + b"".join(b"images/%d.jpg,%d\n" % (i, i % 4) for i in range(n)))),
    "csv of names": (60000, file_of("a.csv")(lambda n: b"path,label\n" + b"".join(b"%d.jpg,name %d\n" % (i, i % 4) for i in range(n)))),
    "csv, quoted": (60000, file_of("a.csv")(lambda n: b"path,label\n" + b"".join(b'"a\n""%d""",%d\n' % (i, i % 4) for i in range(n)))),
    "csv, an open quote": (400000, file_of("a.csv")(lambda n: b'path,label\na.png,1\n"' + b"a,\n" * n)),
    "yolo": (40000, file_of("a.txt")(lambda n: b"".join(b"%d 0.5 0.5 0.%06d 0.2\n" % (i % 4, i + 1) for i in range(n)))),
    "yolo, one polygon": (200000, file_of("a.txt")(lambda n: b"0" + b" 0.5 0.25" * n + b"\n")),
    "coco": (10000, file_of("a.json")(coco)),
    "coco, annotations of few images": (10000, file_of("a.json")(lambda n: coco(n, images=3))),
    "coco, categories": (20000, file_of("a.json")(lambda n: coco(n, images=3, categories=n, annotations=3))),
    "coco, categories of one name": (20000, file_of("a.json")(lambda n: coco(n, images=3, categories=n, annotations=3, extra="x" * 40))),
    "coco, equal keys": (100000, file_of("a.json")(lambda n: b'{"images": [], "annotations": [{' + b",".join([b'"id": 1'] * n)
                                                   + b"}], " + coco(3)[1:])),
    "coco, a long text": (4000000, file_of("a.json")(lambda n: b'{"info": "' + b"\\u00e9ab" * (n // 8) + b'", ' + coco(3)[1:])),
    "coco, a long number": (1000000, file_of("a.json")(lambda n: b'{"info": ' + b"1" * n + b", " + coco(3)[1:])),
    "panoptic": (6000, file_of("a.json")(panoptic)),
    "tar": (3000, file_of("a.tar")(lambda n: tar(("%d.png" % i, MASK) for i in range(n)))),
    "tar, extended headers": (2000, file_of("a.tar")(long_names)),
    "tar, lost headers": (20000, file_of("a.tar")(lambda n: tar({"a.png": MASK})[:1024] + (b"x" * 512 + bytes(511) + b"y") * n)),
    "tar, packed": (3000, file_of("a.tgz")(lambda n: gzip.compress(tar(("%d.png" % i, MASK) for i in range(n)), 1))),
    "zip": (3000, file_of("a.zip")(lambda n: zip_of(("%d.png" % i, MASK) for i in range(n)))),
    "zip, members of one name": (2000, file_of("a.zip")(lambda n: zip_of(("%d.png" % (i % 2), MASK) for i in range(n)))),
    "class names": (2000, lambda n: ["-c", write("%d-names.txt" % n, b"".join(b"name %d\n" % i for i in range(n))), write("one.png", MASK)]),
    "class names, JSON": (1500, lambda n: ["-c", write("%d.json" % n, json.dumps({"id2label": {str(i): "name %d" % i for i in range(n)}}).encode()),
                                           write("one.png", MASK)]),
    "class names, YAML": (1500, lambda n: ["-c", write("%d.yaml" % n, b"names:\n" + b"".join(b"  %d: name %d\n" % (i, i) for i in range(n))),
                                           write("one.png", MASK)]),
    "labelaudit.yaml": (1500, lambda n: ["--config", write("%d-labelaudit.yaml" % n, b"exclude:\n" + b"".join(b"  - '*.%d'\n" % i for i in range(n))),
                                         write("one.png", MASK)]),
    "file list": (3000, list_of),
    "baseline": (800, baseline),
    "parts of a report": (800, parts),
    "report to render": (800, lambda n: [None, "render", "-f", "html", report_of(n)]),
    "reports to compare": (400, lambda n: [None, "diff", "--allow", "settings", report_of(n), report_of(2 * n)]),
}


def seconds(arguments):
    """Processor time, of the program alone; and its exit status."""
    command = [PROGRAM, "-q", "-j", "1", "-c", "4", "-f", "json", "--no-config", *arguments]
    if "-c" in arguments:
        command = [PROGRAM, "-q", "-j", "1", "-f", "json", "--no-config", *arguments]
    if "--config" in arguments:
        command.remove("--no-config")
    if arguments[0] is None:
        command = [PROGRAM, *arguments[1:]]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
        error = p.stderr.read()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, p.returncode, error


def judge(name, n, make):
    where = os.path.join(FOLDER, "input")
    shutil.rmtree(where, ignore_errors=True)
    os.mkdir(where)
    os.chdir(where)
    nothing = seconds(["--version"])[0]
    sizes = (2, 4, 8) if VERBOSE else (2, 8)
    arguments = {k: make(n * k) for k in sizes}
    least = dict.fromkeys(sizes, float("inf"))
    for _ in range(6):  # others use the machine, too: the least of a few
        for k in sizes:
            took, status, error = seconds(arguments[k])
            least[k] = min(least[k], took)
            if status not in (0, 1, 2) or (arguments[k][0] is None and status == 2):
                check(False, "%s: exit status %d, %s" % (name, status, error[:200]))
                return
        grown = (least[8] - nothing) / max(least[2] - nothing, 1e-9)
        if least[8] - nothing < SMALL or grown <= LIMIT:
            break
    check(least[8] - nothing < SMALL or grown <= LIMIT,
          "%s: four times the input take %.1f times as long: %.3f s and %.3f s" % (name, grown, least[2], least[8]))
    if VERBOSE:
        print("%-36s n=%-8d %s  x%.2f" % (name, n, "  ".join("%.4f" % (least[k] - nothing) for k in sizes), grown))
    shutil.rmtree(where, ignore_errors=True)


if is_instrumented():
    skip_all("built with sanitizers")
# Those whose way through the program is another one's, but for what they count: for make check-all.
ALIKE = {"png, rows of equal pixels", "png, rows of 16 bits", "npy, few ids", "idx, packed", "csv of names", "coco, categories of one name",
         "panoptic", "tar, packed", "class names, JSON", "yolo, one polygon", "coco, annotations of few images", "report to render"}
for reader, (count, maker) in READERS.items():
    if reader in WANTED if WANTED else PART == 1 or reader not in ALIKE:
        judge(reader, count // PART // 4 * 4, maker)
finish()
