#!/usr/bin/env -S python3 -SE
"""Every family of label files with a bad stray of every other: bad labels are never passed in silence.

usage: tests/property/gate.py [WORDS]     only the rows whose names contain one of the WORDS; prints what was said
       BUILD=dir: where the program was built; LABELAUDIT_TEST=all: each pair in each container, not in a folder and another one

The stray is bad: its own error, or the warning unaudited-labels. (What is audited of a set, and what a stray changes of that:
trees.txt.) Further rows have bad labels where a walk, an archive or the look at a file may lose them.
"""
import bz2
import gzip
import json
import lzma
import os
import shutil
import struct
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor

import checks
import made
import pngs
from made import tar, tif, zip_of
from pngs import png_of_bytes
from tree_files import BAD, CLASSES, JPEG, blobs, coco, ids, noise, photo

ALL = checks.ALL or len(sys.argv) > 1


# ---- files ----------------------------------------------------------------------------------------------------------

def rechunked(data, before=b"", idat=0, after=0):
    """A PNG with other chunks before its pixels, its IDATs of `idat` bytes, and bytes behind IEND."""
    parts, pixels = pngs.chunks(data), pngs.idat(data)
    size = idat or len(pixels)
    frames = [(b"IDAT", pixels[i:i + size]) for i in range(0, len(pixels), size)]
    return pngs.join(parts[:1] + ([(b"iTXt", before)] if before else []) + frames + parts[-1:]) + b"\xff" * after


def mask(bad, seed=0, level=9):
    return png_of_bytes(48, blobs(seed, bad), level=level)


def yolo(bad):
    return b"%d 0.5 0.5 0.2 0.2\n" % (BAD if bad else 1)


def table(bad, names):
    return ("file,label\n" + "".join("%s,%d\n" % (n, BAD if bad else i % CLASSES) for i, n in enumerate(names))).encode()


def idx(bad, n):
    return struct.pack(">II", 2049, n) + bytes(BAD if bad else i % CLASSES for i in range(n))


# ---- families -------------------------------------------------------------------------------------------------------
# As a set of n: a dict of names and bytes. As a stray: one file, or a small one.

HUNDREDS = ["%04d" % i for i in range(300)]
TEN = HUNDREDS[:10]
MASKS = {bad: [mask(bad, seed) for seed in range(10)] for bad in (False, True)}
PHOTO, GREY = photo(0), photo(0, 0)


def photos(names=TEN):
    return {"images/%s.jpg" % n: JPEG for n in names}


def each(pattern, make):
    return {pattern % n: make(i) for i, n in enumerate(TEN)}


def clean_mask(i):
    return MASKS[False][i]


def jpgs(names=TEN):
    return [n + ".jpg" for n in names]


SETS = {
    "mask": each("m/%s.png", clean_mask), "mask-and-photo": {**photos(), **each("masks/%s.png", clean_mask)},
    "mask-and-png": {**each("scans/%s.png", lambda i: PHOTO), **each("1st_manual/%s.png", clean_mask)},
    "array": {"y_train.npy": ids([i % CLASSES for i in range(10)])}, "yolo": {**photos(), **each("labels/%s.txt", lambda i: yolo(False))},
    "yolo-flat": {**each("%s.png", lambda i: PHOTO), **each("%s.txt", lambda i: yolo(False))},
    "coco": {**photos(), "annotations/instances.json": coco(jpgs())}, "list": {**photos(), "labels.csv": table(False, jpgs())},
    "idx": {"train-labels-idx1-ubyte": idx(False, 10)}, "imagefolder": {"%s/%d.jpg" % (c, i): JPEG for c in "abcde" for i in range(2)},
}
STRAYS = {
    "mask": {"extra/x_mask.png": MASKS[True][0]}, "png": {"0.png": MASKS[True][1]}, "array": {"aaa.npy": ids([BAD])},
    "yolo": {"extra/labels/q.txt": yolo(True)}, "coco": {"_annotations.coco.json": coco(["q.jpg"], True)},
    "list": {"index.csv": table(True, ["q.jpg", "r.jpg"])}, "idx": {"t10k-labels-idx1-ubyte": idx(True, 1)},
}


def family(name):
    return {"png": "mask"}.get(name.split("-")[0], name.split("-")[0])


def offence(name):
    return {"coco": "unknown-category"}.get(family(name), "out-of-range-id")


# ---- containers -----------------------------------------------------------------------------------------------------

def write(folder, files):
    for name, data in files.items():
        made.write(os.path.join(folder, name), data)


def in_folder(folder, files, stray):
    write(folder + "/d", {**files, **stray})
    return ["d"]


def in_tar(folder, files, stray):
    made.write(folder + "/d.tar", tar(sorted({**files, **stray}.items())))
    return ["d.tar"]


def in_zip(folder, files, stray):
    made.write(folder + "/d.zip", zip_of(sorted({**files, **stray}.items())))
    return ["d.zip"]


def through_links(folder, files, stray):
    """Each of the stray's files is a link to one in another folder below the PATH."""
    write(folder + "/d", files)
    write(folder + "/d/zz", {os.path.basename(n): data for n, data in stray.items()})
    for name in stray:
        path = os.path.join(folder, "d", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(os.path.relpath(os.path.join(folder, "d/zz", os.path.basename(name)), os.path.dirname(path)), path)
    return ["d"]


def second_path(folder, files, stray):
    write(folder + "/a", stray)
    write(folder + "/d", files)
    return ["a", "d"]


CONTAINERS = {"folder": in_folder, "tar": in_tar, "zip": in_zip, "link": through_links, "second": second_path}


# ---- rows -----------------------------------------------------------------------------------------------------------

def mirror_rows():
    """A bad stray beside a clean set, in a folder and in the other containers by turns. (Of the set's own: trees.txt.)"""
    for k, (kind, files) in enumerate(SETS.items()):
        for s, (stray, more) in enumerate(STRAYS.items()):
            for c, (container, pack) in enumerate(CONTAINERS.items()):
                if not ALL and c and (k + s) % 4 + 1 != c:
                    continue
                if kind == "imagefolder" and (stray in ("mask", "yolo") or container == "link"):
                    continue  # their folder is one class too many: no ImageFolder, neither to torchvision
                name = "%s + bad %s in %s" % (kind, stray, container)
                yield name, pack, files, more, (1,) if container == "second" else (0, 1), {
                    offence(stray)} | (set() if container == "second" else {"unaudited-labels"})


def many(make, count=20):
    return {"%03d.png" % i: make(i) for i in range(count)}


OUT, LEFT = {"out-of-range-id"}, {"unaudited-labels"}
BAD_MASKS = many(lambda i: MASKS[True][i % 10])


def other_rows():
    """Name, files, exit statuses, rules; more arguments."""
    clean, bad = MASKS[False][0], MASKS[True][0]
    labels = {"labels/%d.txt" % i: yolo(False) for i in range(5)}
    coco_ok = {"ok.json": coco(["a.jpg"])}
    list_ok = {"ok.csv": table(False, jpgs(HUNDREDS[:50]))}
    document = coco(["b.jpg"], True)
    long_info = json.dumps({"info": {"description": "x" * 20000}, **json.loads(document)}).encode()

    yield "masks, one in no name's folder", {"a.png": clean, "b.png": bad}, (1,), OUT
    yield "uncompressed masks and a list", {**many(lambda i: mask(True, i, 0)), "list.csv": table(False, list(BAD_MASKS))}, (1,), OUT
    yield "noisy masks and a list", {**many(noise), "list.csv": table(False, list(BAD_MASKS))}, (1,), OUT
    yield "masks and the COCO of others", {**BAD_MASKS, "_annotations.coco.json": coco(["a.jpg"])}, (1,), OUT
    yield "masks and one YOLO text of theirs", {**BAD_MASKS, "000.txt": yolo(False)}, (1,), OUT
    yield "a bad mask beside 9_mask.png", {**{"%d.png" % i: clean for i in range(5)}, "9.png": bad, "9_mask.png": clean}, (0, 1), OUT | LEFT
    # so small that its bits a pixel tell nothing
    yield "a tiny bad mask in a folder of its own", {**{"b/%d.png" % i: clean for i in range(5)}, "a/b.png": png_of_bytes(7, [[0, 0, 0, 0, 0, 1, 0, BAD] + [0] * 6], 16)}, (1,), OUT
    yield "a narrow bad mask in a folder of its own", {**{"b/%d.png" % i: clean for i in range(5)}, "a/b.png": png_of_bytes(5, [[0, 0, 1, 0, BAD]] * 60, level=0)}, (1,), OUT
    # bytes that are no pixels do not make a photo of a mask
    deep = png_of_bytes(24, [[0, 0, 0, 1, 0, BAD] + [0, 2] * 21] * 24, 16)
    for what, data in {"9 KB of XMP": rechunked(bad, b"XML:com.adobe.xmp\0\0\0\0\0" + b"x" * 9500),
                       "bytes behind its end": rechunked(bad, after=9500), "16 bits and bytes behind its end": rechunked(deep, after=500),
                       "16 bits and a profile": rechunked(deep, b"Title\0\0\0\0\0" + bytes(range(256)) * 3),
                       "IDATs of a byte": rechunked(mask(True, 0, 0), idat=1)}.items():
        yield ("masks with %s among photos" % what, {**many(lambda i: data if i % 4 == 0 else clean), **{"images/%03d.jpg" % i: JPEG for i in range(20)}}, (1,), OUT)
    for folder in ("images", "instances", "depth", "color", "vis"):
        yield "bad masks in masks/%s/" % folder, {"masks/a.png": clean, "masks/%s/b.png" % folder: bad}, (0, 1), OUT | LEFT
    yield "a bad a_rgb.png beside a_mask.png", {"masks/a_mask.png": clean, "masks/b_mask.png": clean, "masks/b_rgb.png": bad}, (0, 1), OUT | LEFT
    yield "a mask that calls itself a cache", {"m/a.png": clean, "m/b.cache": bad}, (0, 1), OUT | LEFT
    yield "two families of equal weight", {**{"labels/%d.txt" % i: yolo(True) for i in range(30)}, **{"masks/%d.png" % i: clean for i in range(30)}}, (0, 1), OUT | LEFT
    yield "masks not in the preset's place", {"SegmentationClass/a.png": clean, "train_masks/b.png": bad}, (0, 1), LEFT | OUT, "--preset", "voc"
    for what, data in {
            "words": b"this is not a label at all\n", "semicolons": b"77;0.5;0.5;0.2;0.2\n", "latin-1": b"77 0.5 0.5 0.2 0.2 \xe9\n",
            "few": b"77 0.5 0.5\n", "long": b"x" * 9000 + b"\n77 0.5 0.5 0.2 0.2\n", "utf-16": yolo(True).decode().encode("utf-16"),
            "commas": b"77,0.5,0.5,0.2,0.2\n", "json": b'{"shapes":[]}', "xml": b"<annotation></annotation>", "name": b"cat 0.5 0.5 0.2 0.2\n",
            "bytes": bytes(range(128, 256)), "only a class": b"77\n", "html": b"<html>404</html>", "dicts": b"{'class': 77}\n"}.items():
        yield "YOLO text of " + what, {**labels, "labels/9.txt": data}, (0, 1), None
        yield "YOLO text of %s with its image" % what, {**labels, "labels/9.txt": data, "images/9.jpg": JPEG}, (0, 1), None
    for what, data in {"a long description": long_info, "UTF-16": document.decode().encode("utf-16"), "newlines first": b"\n" * 5000 + document,
                       "a list": b'[{"category_id": 77}]', "no end": document[:80], "a level more": b'{"data": %s}' % document,
                       "a comment": b"// c\n" + document}.items():
        yield "COCO with " + what, {**coco_ok, "z.json": data}, (0, 1), None
    yield "COCO with a long description is read", {**coco_ok, "z.json": long_info}, (1,), {"unknown-category"}
    for what, data in {"a long line": b"c" * 300000 + b"\nfile,77\n", "words": b"a.jpg cat\n" * 20, "a spreadsheet": b"PK\3\4" + bytes(100)}.items():
        yield "list with " + what, {**list_ok, "z.csv": data}, (0, 1), None
    yield "masks in images/ and one YOLO text", {**{"images/%d.png" % i: bad for i in range(20)}, "labels/1.txt": yolo(False)}, (1,), OUT | LEFT
    yield "masks in images/ and a list of others", {**{"images/%d.png" % i: bad for i in range(20)}, "l.csv": table(False, ["q.jpg"] * 20)}, (1,), OUT | LEFT
    yield "masks that COCO lists as its images", {**BAD_MASKS, "l.json": coco(list(BAD_MASKS))}, (0, 1), OUT | LEFT
    yield "masks of photos that COCO lists", {**photos(HUNDREDS), **{"masks/%04d.png" % i: bad for i in range(20)}, "l.json": coco(jpgs(HUNDREDS))}, (1,), OUT | LEFT
    yield "a mask of zeros, renamed", {"masks/a.png": clean, "masks/b.PNG_": bytes(500)}, (0, 1), LEFT


def tar_rows():
    clean, bad = MASKS[False][0], MASKS[True][0]
    yield "one of nine has 1.seg.png", [("000.png", bad), ("000.seg.png", clean)] + [("%03d.png" % i, bad) for i in range(1, 9)], (1,), OUT
    yield "one of ten has 1_mask.png", [("1.png", bad), ("1_mask.png", clean)] + [("m/%d.png" % i, bad) for i in range(9)], (1,), OUT
    yield "bad masks beside 1.cls", [("000.cls", b"1"), ("000.png", bad), ("001.cls", b"2"), ("001.png", bad)], (0, 1), OUT | LEFT
    yield "photos beside 1.seg.png", [(n, d) for i in range(9) for n, d in (("%d.png" % i, photo(0, 0, 48)), ("%d.seg.png" % i, clean))], (0,), set()
    yield "photos beside 1.cls", [(n, d) for i in range(9) for n, d in (("%d.cls" % i, b"%d" % (i % 5)), ("%d.png" % i, GREY))], (0,), set()
    yield "masks behind a photo", [("0.png", PHOTO)] + [("m/%d.png" % i, bad) for i in range(9)], (1,), OUT
    # a text that has an image of its name is a label file, as in a folder
    for what, data in {"words": b"this is no label\n", "semicolons": b"77;0.5;0.5;0.2;0.2\n", "half a BOM": b"\xff\xfe" + yolo(True),
                       "a class": b"77\n", "bytes": bytes(range(128, 256))}.items():
        for form, image in ("%d.txt", "%d.jpg"), ("labels/%d.txt", "images/%d.jpg"):
            yield ("%s of %s" % (form, what), [(image % i, JPEG) for i in range(6)] + [(form % i, yolo(False)) for i in range(5)] + [(form % 5, data)],
                   (1,), {"malformed-box", "malformed-labels"} | OUT)


def place_rows():
    """A bad file beside a clean one, where a walk or an archive may lose it: (name, files, links, statuses, rules, arguments)."""
    clean, bad = MASKS[False][0], MASKS[True][0]
    read, said, either = (1,), (0, 1), OUT | LEFT
    beside = {
        "b.PNG": (read, OUT, bad), "b": (read, OUT, bad), "b.png.bak": (read, OUT, bad), "b.png.gz": (read, OUT, gzip.compress(bad)),
        "b.png.bz2": (read, OUT, bz2.compress(bad)), "b.png.xz": (read, OUT, lzma.compress(bad)), ".b.png": (said, LEFT, bad),
        ".x/b.png": (said, LEFT, bad), "b.tif": (read, {"corrupt-data"}, b"II*\0" + bytes(100)),
        "b.tiff": (read, OUT, tif([[BAD] * 9] * 9)),
        "b.gif": (said, LEFT | {"corrupt-data"}, b"GIF89a\x40\0\x40\0\0\0\0;"), "b.PNG_": (said, LEFT, bytes(500)),
        "b.7z": (said, LEFT, b"7z\xbc\xaf'\x1c" + bytes(100)), "b.dat": (said, either, zip_of([("b.png", bad)])),
        "c.dat": (said, either, tar([("b.png", bad)])), "b.png/c": (read, OUT, bad), "deep/er/b.png": (read, OUT, bad),
        "labels.csv": (said, either, table(True, jpgs(HUNDREDS[:50]))), "train-labels-idx1-ubyte": (said, either, idx(True, 10)),
    }
    for name, (status, rules, data) in beside.items():
        yield "masks/%s beside a mask" % name, {"masks/a.png": clean, "masks/" + name: data}, {}, status, rules, ["masks"]
    for name, link, stored in (("file", "m/b.png", "../store/b.png"), ("folder", "m/sub", "../store"), ("nothing", "m/b.png", "../nowhere.png")):
        yield "a link to a %s elsewhere" % name, {"m/a.png": clean, "store/b.png": bad}, {link: stored}, said, LEFT, ["m"]
        if name != "nothing":
            yield "a link to a %s elsewhere, followed" % name, {"m/a.png": clean, "store/b.png": bad}, {link: stored}, read, OUT, ["-L", "m"]
    yield ("50 links and a mask", {"m/a.png": clean, **{"store/%d.png" % i: bad for i in range(50)}},
           {"m/s%d.png" % i: "../store/%d.png" % i for i in range(50)}, read, LEFT, ["m"])
    inner = {
        "a tar": ("inner.tar", tar([("b.png", bad)]), said, LEFT), "a zip": ("inner.zip", zip_of([("b.png", bad)]), said, LEFT),
        "a packed mask": ("b.png.gz", gzip.compress(bad), read, OUT), "an npz": ("b.npz", zip_of([("b.npy", ids([BAD]))]), said, either),
        "a hidden mask": (".b.png", bad, said, LEFT),
    }
    for what, (name, data, status, rules) in inner.items():
        for form, pack in ("tar", tar), ("zip", zip_of):
            yield "%s in a %s" % (what, form), {"d." + form: pack([("a.png", clean), (name, data)])}, {}, status, rules, ["d." + form]
    yield "a link in a tar", {"d.tar": tar([("a.png", clean), ("b.png", tarfile.SYMTYPE, "/data/b.png")])}, {}, said, LEFT, ["d.tar"]
    yield "a hard link in a tar", {"d.tar": tar([("a.png", clean), ("b.png", tarfile.LNKTYPE, "a.png")])}, {}, said, LEFT, ["d.tar"]
    yield "a tar after a tar", {"d.tar": tar([("a.png", clean)]) + tar([("b.png", bad)])}, {}, read, {"malformed-archive"}, ["d.tar"]
    yield ("an npz of other names", {"a.npz": zip_of([("y.npy", ids([0, 1])), ("labels", ids([BAD])), ("masks.NPY", ids([BAD]))])}, {},
           read, OUT, ["a.npz"])
    yield "labels among features", {"d/y_train.npy": ids([0, 1]), "d/x_labels.npy": ids([BAD]), "d/features.npy": ids([BAD])}, {}, said, either, ["d"]
    # a PATH of several that gives nothing, and what --allow empty passes
    yield "an empty second PATH", {"m/a.png": clean, "n/.keep": b""}, {}, (2,), set(), ["m", "n"]
    yield "a second PATH that is not read", {"m/a.png": clean, "n/x.npy.lz4": bytes(100)}, {}, (2,), set(), ["m", "n"]
    yield "a second PATH of another kind", {"m/a.png": clean, "n/labels/1.txt": yolo(True)}, {}, read, OUT, ["m", "n"]
    yield "a set that is not read, --allow empty", {"m/a.hdf5": b"\x89HDF\r\n\x1a\n" + bytes(100)}, {}, (2,), {"unread-format"}, \
        ["--allow", "empty", "m"]
    yield "photos alone, --allow empty", {"m/a.jpg": JPEG}, {}, (2,), set(), ["--allow", "empty", "m"]
    yield "an empty folder, --allow empty", {"m/.keep": b""}, {}, (0,), set(), ["--allow", "empty", "m"]
    yield "an empty list", {"list": b""}, {}, (2,), set(), ["--files-from", "list"]
    yield "a folder in a list", {"list": b"a.png\nd\n", "a.png": clean, "d/b.png": bad}, {}, (2,), {"unreadable-file"}, ["--files-from", "list"]
    yield "COCO under other keys", {"d/ok.json": coco(["a.jpg"]), "d/z.json": coco(["b.jpg"], True).replace(b"annotations", b"Annotations")}, {}, said, \
        {"no-annotations", "malformed-annotation"} | LEFT, ["d"]


def audit(folder, args):
    done = checks.run("-c", str(CLASSES), "-i", "255", "-f", "json", "--no-config", *args, cwd=folder)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {}
    return done.returncode, {f["rule"] for f in report.get("findings", []) if f["level"] != "info"}, done.stderr.decode(errors="replace")


def main():
    words, asked = sys.argv[1:], []

    def run(row):
        number, (name, pack, want_status, want_rules, more) = row
        if words and not any(word in name for word in words):
            return
        folder = os.path.join(checks.FOLDER, "row%d" % number)
        args = pack(folder)
        status, rules, said = audit(folder, [*more, *args])
        if status == 2 and "ambiguous-set" in said:  # a question is no pass
            asked.append(name)
            shutil.rmtree(folder)
            return
        if want_rules is None:
            ok = status == 1 or "unaudited-labels" in rules
        else:
            ok = not want_rules or want_rules & rules
            ok = ok and (want_rules or not rules - {"missing-class", "image-without-label", "duplicate-mask", "gap-in-ids"})
        checks.check(status in want_status and ok, name, ": exit", status, sorted(rules), said.strip()[-200:] if words else "",
                     "wanted", want_status, sorted(want_rules or []))
        if words:
            print(name, status, sorted(rules))
        shutil.rmtree(folder)

    rows = []
    for name, pack, files, stray, status, rules in mirror_rows():
        def mirrored(folder, pack=pack, files=files, stray=stray):
            os.makedirs(folder)
            return pack(folder, files, stray)
        rows.append((name, mirrored, status, rules, []))
    for name, files, status, rules, *more in other_rows():
        rows.append((name, lambda folder, files=files: in_folder(folder, files, {}), status, rules, more))
    for name, members, status, rules in tar_rows():
        def packed(folder, members=members):
            os.makedirs(folder)
            return in_tar(folder, dict(members), {})
        rows.append((name, packed, status, rules, []))
    for name, files, links, status, rules, arguments in place_rows():
        def placed(folder, files=files, links=links, arguments=arguments):
            write(folder, files)
            for link, target in links.items():
                os.symlink(target, os.path.join(folder, link))
            for path in files:
                if path.endswith(".keep"):
                    os.unlink(os.path.join(folder, path))
            return arguments
        rows.append((name, placed, status, rules, []))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, enumerate(rows)))
    if not words:
        checks.check(8 * len(asked) <= len(rows), "at most one row in eight ends in a question:", len(asked), "of", len(rows))
    checks.finish()


if __name__ == "__main__":
    main()
