#!/usr/bin/env -S python3 -SE
"""The numbers of tests/boundaries, at and beside each edge, through every container: ids in lists, tables, JSON Lines, YOLO, COCO, IDX,
arrays, archives, standard input and shards; lengths of texts, arrays and members; sizes of masks that fix writes anew. Each id is
named, each label and each pixel counted, and nothing crashes.

usage: tests/property/boundaries.py     BUILD=dir: where the program was built; .ci/run gives the sanitized one, too
"""
import bz2
import gzip
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import zipfile

import checks
from checks import FOLDER, ROOT, check, finish
from made import npy, tar, write, zip_of
from pngs import png_of_bytes

CLASSES = 5
INT64 = range(-2 ** 63, 2 ** 63)
TOO_LARGE = range(2 ** 63 - 2 ** 25, 2 ** 63 - 1)  # no ids, so that colours can have them

# ---- the table

CONSTANT = re.compile(r"^\s*(?:#define )?(?:enum \{ )?([A-Z][A-Z0-9_]+)(?: = |\s+)([^,;{}\n]*[0-9)])", re.M)


def constants():
    """The constants of src/ that an expression of numbers and of each other gives, by name; each may have several."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for match in CONSTANT.finditer(file.read()):
                        found.setdefault(match[1], set()).add(match[2])
    return found


def evaluate(text):
    text = re.sub(r"\((?:u?int64_t|size_t)\)|\b([0-9x][0-9a-fx]*)u?\b", lambda m: m[1] or "", text)
    text = re.sub(r"U?INT64_C", "", text).replace("INT64_MAX", str(2 ** 63 - 1))
    return eval(text, {"__builtins__": {}}) if re.fullmatch(r"[0-9a-fx()+*<\- ]+", text) else None  # pylint: disable=eval-used


def table():
    """The numbers of tests/boundaries: {kind: sorted numbers at and beside each}."""
    known = constants()
    numbers = {}
    with open(os.path.join(ROOT, "tests/boundaries"), encoding="utf-8") as file:
        for line in file:
            kind, *words = line.split("#")[0].split() or [""]
            for word in words:
                if word.startswith("="):
                    edges = [v for v in map(evaluate, known.get(word[1:], ())) if v is not None]
                    check(edges, word, "of tests/boundaries is no constant of src/: take it out of the table")
                else:
                    edges = [sum(int(base) ** int(power or 1) * sign for sign, base, power in
                                 ((-1 if s == "-" else 1, b, p) for s, b, p in re.findall(r"([+-]?)(\d+)(?:\^(\d+))?", word)))]
                for edge in edges:
                    numbers.setdefault(kind, set()).update((edge - 1, edge, edge + 1))
    return {kind: sorted(v) for kind, v in numbers.items()}


# ---- the program


def run(*arguments, stdin=None):
    done = checks.run(*arguments, input=stdin)
    check(done.returncode in (0, 1), *arguments, "ends with", done.returncode, done.stderr.decode("utf-8", "replace")[-400:])
    return done


def audit(*arguments, stdin=None):
    """The report as JSON; {} if there is none."""
    done = run("--no-config", "-c", str(CLASSES), "-f", "json", "-q", *arguments, stdin=stdin)
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(False, *arguments, "gives no report")
        return {}


def named(member):
    """The path of a file or member without its folder."""
    return os.path.basename(member or "")


# ---- containers of ids


INTEGERS = {"%s%d" % (sign, size): range(-(2 ** (8 * size - 1)) if sign == "i" else 0, 2 ** (8 * size - (sign == "i")))
            for sign in "iu" for size in (1, 2, 4, 8)}


def coco(value):
    return json.dumps({
        "images": [{"id": 1, "file_name": "1.jpg", "width": 9, "height": 9}],
        "annotations": [{"id": i, "image_id": 1, "category_id": c, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
                        for i, c in enumerate((0, 1, value))],
        "categories": [{"id": i, "name": "n%d" % i} for i in range(CLASSES)] + [{"id": value, "name": "n"}]})


def idx(values, code="i", kind=0x0c):
    return struct.pack(">BBBBI%d%s" % (len(values), code), 0, 0, kind, 1, len(values), *values)


def float_npy(value, dtype, code):
    """None where a float is not that integer."""
    try:
        exact = struct.unpack(code, struct.pack(code, value))[0] == value
    except OverflowError:
        return None
    return npy([0, 1, value], "<" + dtype) if exact else None


# name of the container: (the file of a value, or None where it cannot hold it)
CONTAINERS = {
    "txt": lambda v: "0\n1\n%d\n" % v,
    "csv": lambda v: "file,label\na,0\nb,1\nc,%d\n" % v,
    "jsonl": lambda v: "".join('{"file": "%s", "label": %d}\n' % (n, i) for n, i in (("a", 0), ("b", 1), ("c", v))),
    "yolo": lambda v: "".join("%d 0.5 0.5 0.2 0.2\n" % i for i in (0, 1, v)),
    "coco": coco,
    "idx": lambda v: idx((0, 1, v)) if -2 ** 31 <= v < 2 ** 31 else None,
    "png": lambda v: png_of_bytes(3, [struct.pack(">HHH", 0, 1, v)], 16) if 0 <= v < 2 ** 16 else None,
    "npy-f4": lambda v: float_npy(v, "f4", "f"),
    "npy-f8": lambda v: float_npy(v, "f8", "d"),
}
for dtype, holds in INTEGERS.items():
    CONTAINERS["npy-" + dtype] = lambda v, dtype=dtype, holds=holds: npy([0, 1, v], "<" + dtype) if v in holds else None
SUFFIX = {"yolo": "txt", "coco": "json", "idx": "idx1"}
ARCHIVES = {"tar": tar, "tar.gz": lambda members: gzip.compress(tar(members), 1), "zip": lambda members: zip_of(members, zipfile.ZIP_DEFLATED)}
IN_FOLDERS = {"txt", "csv", "yolo", "coco", "png", "npy-i8"}
ALWAYS_IDS = {"txt", "csv", "jsonl", "coco", "idx", "png"}  # what is an id must be named as one


def judge(container, report, values):
    """Each file has one id out of range: that one, or an error that says it cannot be one."""
    errors = {}
    for finding in report.get("findings", ()):
        if finding["level"] == "error" and finding["path"]:
            errors.setdefault(named(finding["member"] or finding["path"]), {})[finding["rule"]] = finding
    for value in values:
        found = errors.get("%d.%s" % (value, SUFFIX.get(container, container.split("-")[0])), {})
        if not check(found, container, value, "is no error"):
            continue
        finding = found.get("out-of-range-id")
        is_id = value in INT64 and value not in TOO_LARGE
        if finding is None:
            check(not is_id or container not in ALWAYS_IDS and not container.startswith("npy"), container, value, "is said to be", *found)
            continue
        ids = finding.get("details", {}).get("ids", [])
        check("color" not in finding["message"] and "colour" not in finding["message"], container, value, finding["message"])
        if is_id:
            check(ids == [[value, 1]], container, value, "is reported as", ids)
        else:
            unnamed = container in ("coco", "npy-f4", "npy-f8")
            check(unnamed or str(value) in finding["message"], container, value, "is not named:", finding["message"])


def values_in_containers(values):
    for container, content in CONTAINERS.items():
        held = [v for v in values if content(v) is not None]
        folder = "v-" + container + ("/labels" if container == "yolo" else "")
        files = {"%d.%s" % (v, SUFFIX.get(container, container.split("-")[0])): content(v) for v in held}
        if container in IN_FOLDERS:
            for name, data in files.items():
                write("%s/%s" % (folder, name), data)
        else:  # one file is sooner written
            folder += ".tar"
            write(folder, tar({name: data if isinstance(data, bytes) else data.encode() for name, data in files.items()}))
        if container == "yolo":
            write("v-yolo/classes.txt", "".join("n%d\n" % i for i in range(CLASSES)))
        judge(container, audit(folder, *(["--kind", "yolo"] if container == "yolo" else [])), held)
        if container in ("txt", "npy-i8", "coco"):
            run("fix", "--no-config", "-c", str(CLASSES), folder)
    # in archives, by standard input, in shards that are merged, and beside an ignored colour
    for kind, pack in ARCHIVES.items():
        write("v.%s" % kind, pack({"%d.txt" % v: CONTAINERS["txt"](v).encode() for v in values}))
        judge("txt", audit("v.%s" % kind), values)
    for value in (2 ** 32, 2 ** 32 + 5, 2 ** 32 + 2 ** 24 - 1):
        report = audit("--kind", "list", "--ignore", "#000005", "-", stdin=CONTAINERS["txt"](value).encode())
        found = [row["id"] for row in report.get("out_of_range", ())]
        check(found == [value], "standard input", value, found)
    whole = audit("v-npy-i8")
    for shard in (1, 2):
        audit("v-npy-i8", "--shard", "%d/2" % shard, "-o", "json:shard-%d.json" % shard)
    merged = run("merge", "-f", "json", "shard-1.json", "shard-2.json")
    if merged.returncode > 1:
        return
    merged = json.loads(merged.stdout)
    for key in ("histogram", "out_of_range", "findings"):
        check(whole.get(key) == merged.get(key), "merged shards differ from the whole in", key)


# ---- sizes


def text_of(size):
    """A list of `size` bytes, and its labels."""
    lines = size // 2
    return b"1\n" * lines + b"2" * (size % 2), lines + size % 2


def rows_of(size, head, row, last):
    """A text of `size` bytes of a head and equal rows, of which the last one is as long as it must be, and its labels."""
    rows = (size - len(head) - len(last % b"")) // len(row)
    if rows < 1:
        return None
    return head + row * rows + last % (b"0" * (size - len(head) - rows * len(row) - len(last % b""))), rows + 1


def lengths_in_containers(sizes):
    texts = {"%d.txt" % n: text_of(n) for n in sizes if n >= 2}
    arrays = {"%d.npy" % n: (npy([1] * n, dtype), n) for n, dtype in zip(sizes, ["|u1", "<i2", "<i4", "|u1", "<i8"] * len(sizes)) if n}
    padded = {"%d.json" % n: (coco(1).encode()[:-1] + b" " * (n - len(coco(1))) + b"}", 3) for n in sizes if n >= len(coco(1))}
    idxs = {"%d-idx1-ubyte" % n: (idx(b"\1" * n, "B", 8), n) for n in sizes if n}
    forms = {"csv": (b"file,label\n", b"a.jpg,1\n", b"b%s.jpg,1\n"), "yolo": (b"", b"1 0.5 0.5 0.2 0.2\n", b"1 0.5 0.5 0.2 0.2%s\n"),
             "jsonl": (b"", b'{"file": "a", "label": 1}\n', b'{"file": "b%s", "label": 1}\n')}
    written = {name: {"%d.%s" % (n, SUFFIX.get(name, name)): rows_of(n, *form) for n in sizes} for name, form in forms.items()}
    for members in written.values():
        for member in [m for m, made in members.items() if made is None]:
            del members[member]
    packers = {"gz": lambda data: gzip.compress(data, 1), "bz2": lambda data: bz2.compress(data, 1),
               "xz": lambda data: lzma.compress(data, preset=0)}
    for name, members in (("texts", texts), ("arrays", arrays), ("coco", padded), ("idx", idxs), *written.items()):
        packs = packers if name == "texts" else {"gz": packers["gz"]}
        for member, (data, _) in members.items():
            write("s-%s/%s" % (name, member), data)
            for packing, pack in packs.items():
                write("s-%s-%s/%s.%s" % (name, packing, member, packing), pack(data))
        total = sum(n for _, n in members.values())
        for kind, pack in ARCHIVES.items():
            write("s-%s.%s" % (name, kind), pack({m: d for m, (d, _) in members.items()}))
        folders = ["s-" + name] + ["s-%s-%s" % (name, packing) for packing in packs]
        archives = ["s-%s.%s" % (name, kind) for kind in ARCHIVES]
        if name == "texts" and shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "-1", "s-texts.tar"], cwd=FOLDER, check=True)
            archives.append("s-texts.tar.zst")
        for path in folders + archives:
            summary = audit(path).get("summary", {})
            check(summary.get("labels") == total and summary.get("files_read") == len(members), path, "has", total, "labels in",
                  len(members), "files, not", summary)


def row_of(kind, width, y):
    """Ids from 1 to 5: blocks of a mask, noise that no window helps with, or one id."""
    if kind == "blocks":
        return (b"\1" * 7 + bytes([1 + y // 7 % 5]) * 9)[: width] * (width // 16 + 1)
    if kind == "noise":
        return bytes(1 + (i * i * 31 + y * 17 * i + y * y) % 251 % 5 for i in range(min(width, 64))) * (width // 64 + 1)
    return b"\5" * width


def masks_copied(sides):
    """Masks from 1 to 5 that fix writes anew: each size is one file, and all pixels come back, less by one."""
    count = {}
    sides = [n for n in sides if n]
    pairs = sorted({size for n in sides for size in ((n, n), (n, 3), (3, n))})
    for number, (width, height) in enumerate(pairs):
        kind = ("blocks", "noise", "one")[number % 3]
        rows = [row_of(kind, width, y)[:width] for y in range(height)]
        if (width, height) == (3, 3):  # all ids occur, so that the map has one reading
            rows = [b"\1\2\3", b"\4\5\1", b"\1\1\1"]
        for row in rows:
            for id in set(row):
                count[id] = count.get(id, 0) + row.count(id)
        write("masks/%dx%d-%s.png" % (width, height, kind), png_of_bytes(width, rows, level=1))
    done = run("fix", "--no-config", "-c", str(CLASSES), "-q", "-f", "json", "-o", "fixed", "masks")
    if not check(done.returncode == 0, "fix -o ends with", done.returncode, done.stdout[-300:], done.stderr[-300:]):
        return
    after = audit("fixed")
    histogram = dict(map(tuple, after.get("histogram", ())))
    check(histogram == {id - 1: n for id, n in count.items()}, "after fix the ids are", histogram, "from", count)
    check(after.get("summary", {}).get("files_read") == len(pairs), "after fix there are", after.get("summary"))


numbers = table()
values_in_containers([v for edge in numbers["value"] for v in (edge, -edge) if not 0 <= v < CLASSES])
lengths_in_containers(numbers["bytes"])
masks_copied(numbers["side"])
finish()
