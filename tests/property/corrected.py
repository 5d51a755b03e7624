"""What the tests of corrected copies share: files as bytes, corrupted sets, runs of `labelaudit fix`, and kills."""
import bz2
import gzip
import hashlib
import json
import lzma
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import zlib

from checks import PROGRAM, check
from made import npy_head, read, write
from pngs import GREY, PALETTE, RGB, chunks, idat, png

COMMAND = [PROGRAM, "fix", "-q", "-f", "none", "--no-config"]
PACKINGS = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
LEFT_OUT = (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)
THINGS = [i for i in range(1, 91) if i not in LEFT_OUT]
TRAIN = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)


def result_of(out, name):
    """The bytes of a file in a result, unpacked: what was packed and changed is not packed any more."""
    stem, packing = os.path.splitext(name)
    if packing not in PACKINGS:
        return read(os.path.join(out, name))
    plain = os.path.join(out, stem)
    return read(plain) if os.path.exists(plain) else PACKINGS[packing].decompress(read(os.path.join(out, name)))


def fix(*args, said=False, **more):
    """Runs fix; said: with what it says of refusals."""
    return subprocess.run([w for w in COMMAND if w != "-q" or not said] + list(args), capture_output=True, text=True, check=False, **more)


# ---- files -----------------------------------------------------------------------------------------------------------


def samples(data):
    """(rows of samples, palette) of what the program writes: 8 or 16 bits, no filters."""
    parts = dict(chunks(data))
    width, height, depth = struct.unpack(">IIB", parts[b"IHDR"][:9])
    raw, step, rows = zlib.decompress(idat(data)), depth // 8, []
    for y in range(height):
        at = y * (width * step + 1)
        assert raw[at] == 0, "a filter"
        rows.append(list(struct.unpack(">%d%s" % (width, "BH"[step - 1]), raw[at + 1 : at + 1 + width * step])))
    return rows, parts.get(b"PLTE")


# the head of a photo, which is not read further
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b080008000801011100ffda0008010100003f00") + bytes(40) + b"\xff\xd9"


def draw(chance, ids, width, height, whole=False):
    """A few boxes of ids over each other; or all ids, in blocks."""
    if whole:
        across = int(len(ids) ** 0.5) + 1
        return [[ids[(y // 8 * across + x // 8) % len(ids)] for x in range(8 * across)] for y in range(8 * across)]
    ground = chance.choice(ids)
    mask = [[ground] * width for _ in range(height)]
    for _ in range(chance.randint(1, 4)):
        x, y, id_ = chance.randrange(0, width - 12, 6), chance.randrange(0, height - 12, 6), chance.choice(ids)
        n = chance.randrange(12, 25, 6)
        for row in mask[y : y + chance.randrange(12, 25, 6)]:
            row[x : x + n] = [id_] * len(row[x : x + n])
    return mask


def mapped(mask, of):
    return [[of(v) for v in row] for row in mask]


# ---- texts: parts of bytes, and ids, which become bytes as they are or by a map ------------------------------------------


class Text:
    def __init__(self, *parts):
        self.parts = list(parts)

    def add(self, *parts):
        self.parts += parts

    def bytes_of(self, wrong=lambda v: v):
        return b"".join(b"%d" % wrong(p) if isinstance(p, int) else p for p in self.parts)


class Array(Text):
    """Bytes, then ids of a fixed width."""

    def __init__(self, head, code, ids):
        super().__init__(*ids)
        self.head, self.code = head, code

    def bytes_of(self, wrong=lambda v: v):
        return self.head + b"".join(struct.pack(self.code, wrong(v)) for v in self.parts)


def one_a_line(chance, ids):
    text, end = Text(), chance.choice((b"\n", b"\n", b"\r\n", b"\r"))
    if chance.random() < 0.2:
        text.add(b"\xef\xbb\xbf")
    for i, id_ in enumerate(ids):
        text.add(id_, b"" if i + 1 == len(ids) and chance.random() < 0.3 else end + (end if chance.random() < 0.05 else b""))
    return {"labels.txt": text}


def path_and_id(chance, ids):
    text, blanks = Text(), chance.choice((b" ", b"\t", b"  "))
    for i, id_ in enumerate(ids):
        text.add(b"images/%05d.jpg" % i, blanks, id_, chance.choice((b"\n", b" \n")))
    return {"train.txt": text}


def table(chance, ids):
    comma = chance.choice((b",", b";", b"\t", b"|"))
    quote = b"" if comma == b"\t" else chance.choice((b"", b"", b'"'))
    pad, end = chance.choice((b"", b"", b" ")), chance.choice((b"\n", b"\r\n"))
    text = Text(chance.choice((b"", b"\xef\xbb\xbf")), comma.join((b"image", b"label", b"note")), end)
    for i, id_ in enumerate(ids):
        note = b'"a, ""b""\n7"' if quote and chance.random() < 0.1 else b"n%d" % chance.randrange(9)
        text.add(b"%05d.jpg" % i, comma, pad, quote, id_, quote, comma, note, end)
    return {"train.csv": text}


def keras_yolo(chance, ids):
    """image.jpg 48,240,195,371,11 8,12,352,498,14"""
    text, at, image = Text(), 0, 0
    while at < len(ids):
        text.add(b"image%d.jpg" % image)
        for id_ in ids[at : at + chance.randint(1, 4)]:
            x, y = chance.randrange(300), chance.randrange(300)
            text.add(b" %d,%d,%d,%d," % (x, y, x + chance.randint(9, 99), y + chance.randint(9, 99)), id_)
            at += 1
        text.add(b"\n")
        image += 1
    return {"train.txt": text}


def fractions(chance, n):
    return b" ".join(b"%.6f" % chance.uniform(0.2, 0.4) for _ in range(n))


def yolo(chance, ids):
    files, at = {}, 0
    end, columns = chance.choice((b"\n", b"\r\n")), chance.choice((4, 4, 8, 10, 7))
    while at < len(ids):
        text = Text()
        for id_ in ids[at : at + chance.randint(1, 6)]:
            rest = fractions(chance, 4) + b" 0.3 0.25 2" if columns == 7 else fractions(chance, columns)
            text.add(chance.choice((b"", b"", b" ")), id_, b" ", rest, chance.choice((b"", b" ")), end)
            at += 1
        files["labels/%04d.txt" % len(files)] = text
    return files


def coco(chance, ids):
    """Ids that the JSON holds elsewhere, too, stay as they are."""
    files = {}
    half = len(ids) // 2
    for name, some in (("train", ids[:half]), ("val", ids[half:])):
        text, mark = Text(), "\ue000"
        notes = [
            {"id": 1 + i, "image_id": i % 3, "category_id": mark + "%d" % id_, "bbox": [1, 2, 3.5, 4], "area": 14, "iscrowd": 0, "attributes": {"category_id": 7, "id": 2}}
            for i, id_ in enumerate(some)
        ]
        if chance.random() < 0.3:  # panoptic
            notes = [{"image_id": n["image_id"], "file_name": "%d.png" % n["id"], "segments_info": [n]} for n in notes]
        lists = [
            ("info", {"categories": [{"id": 1}], "text": '"category_id": 3'}),
            ("images", [{"id": i, "width": 90, "height": 90, "file_name": "é%d.jpg" % i} for i in range(3)]),
            ("annotations", notes),
            ("categories", [{"supercategory": "x", "id": mark + "%d" % i, "name": "class %d" % i, "skeleton": [[1, 2]]} for i in sorted(set(ids))]),
        ]
        chance.shuffle(lists)
        data = json.dumps(dict(lists), indent=chance.choice((None, None, 2)), separators=chance.choice((None, (",", ":"), (" , ", " :  "))), ensure_ascii=False)
        for i, part in enumerate(data.split('"' + mark)):
            if i:
                number, part = part.split('"', 1)
                text.add(int(number))
            text.add(part.encode())
        files["instances_%s.json" % name] = text
    return files


def npy_list(chance, ids):
    code, descr = chance.choice((("<q", "<i8"), ("<i", "<i4"), (">h", ">i2"), ("<H", "<u2")))
    return {"train_y.npy": Array(npy_head(descr, (len(ids),)), code, ids)}


def idx(chance, ids):
    return {chance.choice(("train-labels-idx1-ubyte", "labels.idx1-ubyte")): Array(struct.pack(">BBBBI", 0, 0, 11, 1, len(ids)), ">h", ids)}


TEXTS = (one_a_line, path_and_id, table, keras_yolo, yolo, coco, npy_list, idx)


def write_text(chance, folder, kind, ids, wrong):
    """Writes the files of that kind. Returns {file name: clean bytes, not packed}."""
    clean, packing = {}, chance.choice(("", "", "", *PACKINGS)) if kind is not yolo else ""
    for name, text in kind(chance, ids).items():
        clean[name + packing] = text.bytes_of()
        bad = text.bytes_of(wrong)
        write(os.path.join(folder, name + packing), PACKINGS[packing].compress(bad) if packing else bad)
    return clean


# ---- corrupted masks: each returns (classes, options, id -> wrong id, encoder) --------------------------------------------


def times(chance):
    classes = chance.randint(2, 40)
    factor = chance.randint(2, 254 // (classes - 1))
    return classes, [], lambda v: v * factor, png


def levels(chance):
    classes, cut = chance.randint(2, 40), chance.random() < 0.5
    return classes, ["no-ignore"], lambda v: 255 * v // (classes - 1) if cut else (510 * v + classes - 1) // (2 * (classes - 1)), png


def one_based(chance):
    return chance.randint(2, 150), [], lambda v: v + 1, png


def cityscapes(chance):
    void = chance.randrange(7)
    return 19, [], lambda v: TRAIN[v] if v < 19 else void, png


def things(chance):
    background = chance.randint(0, 1)
    return 80 + background, [], lambda v: THINGS[v - background] if v != 255 and v >= background else v, png


def sparse(chance):
    classes = chance.randint(3, 30)
    ids = sorted(chance.sample(range(250), classes))
    return classes, [], lambda v: ids[v], png


def few_bits(chance):
    depth = chance.choice((2, 4))
    return 1 << depth, ["no-ignore"], lambda v: v, lambda rows: png(rows, GREY, depth)


def replicated(chance):
    return chance.randint(2, 40), [], lambda v: v, lambda rows: png(mapped(rows, lambda v: (v, v, v)), RGB)


def palette(chance):
    colours_ = [tuple(chance.randrange(256) for _ in range(3)) for _ in range(256)]
    return chance.randint(2, 100), [], lambda v: v + 1, lambda rows: png(rows, PALETTE, 8, colours_)


def deep(chance):
    return chance.randint(2, 40), [], lambda v: v + 1, lambda rows: png(rows, GREY, 16)


def colours(chance):
    classes, of = chance.randint(2, 12), {}
    while len(of) < classes:
        colour = tuple(chance.randrange(256) for _ in range(3))
        if colour not in of.values():
            of[len(of)] = colour
    spec = ",".join("%d=#%02x%02x%02x" % ((i,) + of[i]) for i in range(classes))
    return classes, ["no-ignore", "--colors", spec], lambda v: v, lambda rows: png(mapped(rows, lambda v: of[v]), RGB)


def reduced(chance):
    return chance.randint(2, 150), ["--reduce-zero-label"], lambda v: 0 if v == 255 else v + 1, png


MASKS = (times, levels, one_based, cityscapes, deep, things, sparse, few_bits, replicated, palette, colours, reduced)


def write_masks(chance, folder, how, spoil=None, ending="png"):
    """Writes a corrupted set of masks. Returns (options, {file name: clean rows}). spoil: (number of the file, clean rows) -> rows."""
    classes, options, wrong, encode = how(chance)
    ignore = [] if "no-ignore" in options else ["-i", "255"]
    used = list(range(classes))
    if chance.random() < 0.4:  # not every class occurs
        used = sorted(chance.sample(used, max(2, classes - chance.randint(0, classes // 5))))
    if ignore and chance.random() < 0.7:
        used.append(255)
    clean, packing = {}, chance.choice(("", "", "", *PACKINGS))
    for i in range(chance.randint(2, 5)):
        ids = chance.sample(used, max(1, len(used) - chance.randint(0, 3))) if i else used
        mask = draw(chance, ids, chance.randint(20, 60), chance.randint(20, 60), not i)
        name = "%s%02d.%s%s" % (chance.choice(("", "a/", "b/c/")), i, ending, packing)
        keep = 255 if how not in (reduced, cityscapes) else None
        bad = spoil(i, mask) if spoil else mapped(mask, lambda v: v if v == keep else wrong(v))
        data = encode(bad)
        clean[name] = mask
        write(os.path.join(folder, name), PACKINGS[packing].compress(data) if packing else data)
    return ["-c", str(classes), *ignore, *(o for o in options if o != "no-ignore")], clean


# ---- trees and kills -------------------------------------------------------------------------------------------------


def tree_of(folder, of_folders=True):
    """{path: what is there}, modes and times included; of_folders: those of folders, too."""
    out = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            st = os.lstat(path)
            if os.path.islink(path):
                what = os.readlink(path)
            elif os.path.isdir(path):
                what = ""
            else:
                with open(path, "rb") as f:
                    what = hashlib.sha256(f.read()).hexdigest()
            timeless = name == "receipt.json" or os.path.islink(path) or (not of_folders and os.path.isdir(path))
            when = 0 if timeless else st.st_mtime_ns
            out[os.path.relpath(path, folder)] = (what, st.st_mode, when)
    return out


def kill_and_begin_anew(command, args, out, whole, kills, of_folders=True):
    """Kills runs at random moments: what is left is no result, or the whole one; begun anew, a run gives the whole result."""
    command = [*command, *args, "-o", out, "-j", "2"]
    chance, reached, silent = random.Random(11), 0, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = time.monotonic()
    subprocess.run(command, check=False, **silent)
    seconds = time.monotonic() - started
    for i in range(kills):
        shutil.rmtree(out, ignore_errors=True)
        with subprocess.Popen(command, **silent) as run:
            while i % 4 and run.poll() is None and not os.path.exists(out):  # one in four comes before the first byte
                time.sleep(0.0005)
            time.sleep(chance.random() * seconds * 0.7)
            run.send_signal(chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        if os.path.exists(out) and os.listdir(out):
            reached += 1
            finished = os.path.exists(os.path.join(out, "receipt.json"))
            check(not finished or tree_of(out, of_folders) == whole, "a killed run left a receipt of another result", i)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            check(done.returncode == 2 and "is not empty" in done.stderr, "after a kill", i, done.stderr)
            shutil.rmtree(out)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "begun anew", i, done.stderr)
        check(tree_of(out, of_folders) == whole, "begun anew, the result differs", i)
    check(reached > kills // 4 or kills < 10, "most kills came too early")
