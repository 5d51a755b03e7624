#!/usr/bin/env -S python3 -SE
"""One set of masks in every container gets the same verdict: PNG, BMP, GIF, TIFF, .npy, .npz, NIfTI, packed, and as members; and by every way to the bytes.

usage: tests/property/containers.py     BUILD=dir: where the program was built

Each fault of SETS is written in each container of CONTAINERS that can hold it, by a few lines here that know the container's
specification alone. Where a container's verdict is another on purpose, EXCEPT says so.
"""
import bz2
import gzip
import io
import json
import lzma
import os
import random
import struct
import tarfile
import zipfile
import zlib

from checks import FOLDER, check, finish, run, skip
from pngs import GREY, RGB, png_of_bytes

WIDTH, HEIGHT, FILES, CLASSES = 96, 64, 12, 5
COLOURS = ((0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128))


def scene(seed):
    """Rows of ids 0 to 4, in rectangles."""
    draw = random.Random(seed)
    rows = [[0] * WIDTH for _ in range(HEIGHT)]
    for c in list(range(1, CLASSES)) * 2:
        w, h = draw.randint(8, 26), draw.randint(8, 20)
        x, y = draw.randint(0, WIDTH - w), draw.randint(0, HEIGHT - h)
        for row in rows[y:y + h]:
            row[x:x + w] = [c] * w
    return rows


def smooth(rows):
    """As a bilinear resize to twice the width and height leaves them."""
    def wider(row):
        return [v for a, b in zip(row, row[1:] + row[-1:]) for v in (a, (a + b) // 2)]
    wide = [wider(row) for row in rows]
    return [row for a, b in zip(wide, wide[1:] + wide[-1:]) for row in (a, [(x + y) // 2 for x, y in zip(a, b)])]


SCENES = [scene(i) for i in range(FILES)]


def each(change):
    return [[[change(v) for v in row] for row in rows] for rows in SCENES]


def one_pixel(value):
    sets = each(lambda v: v)
    sets[3][5][7] = value
    return sets


# Name: (the type of an element as `struct` names it, how many a pixel has, the masks, the rules that are warnings or errors).
SETS = {
    "clean": ("B", 1, SCENES, set()),
    "stray": ("B", 1, one_pixel(77), {"out-of-range-id"}),
    "one-based": ("B", 1, each(lambda v: v + 1), {"out-of-range-id", "one-based-ids"}),
    "scaled": ("B", 1, each(lambda v: v * 50), {"out-of-range-id", "scaled-ids"}),
    "smooth": ("B", 1, [smooth([[v * 60 for v in row] for row in rows]) for rows in SCENES], {"out-of-range-id", "interpolated-mask", "interpolated-dataset"}),
    "empty": ("B", 1, each(lambda v: 0), {"only-background"}),
    "ignored": ("B", 1, each(lambda v: 255), {"all-ignored", "foreground-is-ignored"}),
    "colours": ("B", 3, each(lambda v: COLOURS[v]), {"color-mask"}),
    "equal channels": ("B", 3, each(lambda v: (v, v, v)), {"replicated-channels"}),
    "uint16": ("H", 1, SCENES, set()),
    "uint16, stray": ("H", 1, one_pixel(300), {"out-of-range-id"}),
    "int16, -1": ("h", 1, one_pixel(-1), {"out-of-range-id"}),
    "int32, stray": ("i", 1, one_pixel(70000), {"out-of-range-id"}),
    "float": ("f", 1, SCENES, {"wrong-dtype"}),
    "float, a fraction": ("f", 1, one_pixel(0.5), {"non-integer-labels", "wrong-dtype"}),
    "float, NaN": ("f", 1, one_pixel(float("nan")), {"nan-labels", "wrong-dtype"}),
}


def elements(code, channels, rows, order="<"):
    values = [v for row in rows for v in row]
    if channels > 1:
        values = [part for pixel in values for part in pixel]
    return struct.pack("%s%d%s" % (order, len(values), code), *values)


def png(code, channels, rows):
    if code not in "BH" or (code == "H" and channels > 1):
        return None
    line = elements(code, channels, rows, ">")
    size = len(line) // len(rows)
    return png_of_bytes(len(rows[0]), [line[i:i + size] for i in range(0, len(line), size)], 8 * struct.calcsize(code), GREY if channels == 1 else RGB)


def bmp(code, channels, rows):
    if code != "B":
        return None
    colours = b"".join(bytes((i, i, i, 0)) for i in range(256)) if channels == 1 else b""
    lines = [bytes(row) if channels == 1 else bytes(p for pixel in row for p in pixel[::-1]) for row in rows[::-1]]
    data = b"".join(line + bytes(-len(line) % 4) for line in lines)
    at = 14 + 40 + len(colours)
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", at + len(data), 0, 0, at, 40, len(rows[0]), len(rows), 1, 8 * channels, 0, len(data), 0, 0, 0, 0) \
        + colours + data


def gif(code, channels, rows):
    """Literals of 9 bits, a clear code before the table is full."""
    if code != "B" or channels > 1:
        return None
    bits = n = used = 0
    data = bytearray()
    for at, v in enumerate(v for row in rows for v in row):
        for symbol in ((256,) if at % 200 == 0 else ()) + (v,):
            bits |= symbol << n
            n += 9
        while n >= 8:
            data.append(bits & 255)
            bits >>= 8
            n -= 8
    bits |= 257 << n
    data += struct.pack("<I", bits)[:(n + 9 + 7) // 8]
    blocks = b"".join(bytes((len(data[i:i + 255]),)) + data[i:i + 255] for i in range(0, len(data), 255))
    size = struct.pack("<HH", len(rows[0]), len(rows))
    return b"GIF89a" + size + b"\xf7\0\0" + b"".join(bytes((i, i, i)) for i in range(256)) + b",\0\0\0\0" + size + b"\0\x08" + blocks + b"\0;"


def tiff(code, channels, rows, order="<"):
    data = elements(code, channels, rows, order)
    size = struct.calcsize(code)
    extra = 8 + len(data) + 2 + 11 * 12 + 4  # where the three sizes of a pixel stand
    bits = (8 * size) if channels == 1 else extra
    entries = [(256, 4, 1, len(rows[0])), (257, 4, 1, len(rows)), (258, 3, channels, bits), (259, 3, 1, 1), (262, 3, 1, 1 if channels == 1 else 2),
               (273, 4, 1, 8), (277, 3, 1, channels), (278, 4, 1, len(rows)), (279, 4, 1, len(data)), (284, 3, 1, 1),
               (339, 3, 1, 3 if code == "f" else 2 if code.islower() else 1)]

    def entry(tag, kind, count, value):
        return struct.pack(order + "HHI" + ("HH" if kind == 3 and count == 1 else "I"), tag, kind, count, *((value, 0) if kind == 3 and count == 1 else (value,)))
    return (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8 + len(data)) + data + struct.pack(order + "H", len(entries)) \
        + b"".join(entry(*e) for e in entries) + bytes(4) + struct.pack(order + "3H", 8 * size, 8 * size, 8 * size)


def npy(code, channels, rows):
    kind = {"B": "|u1", "H": "<u2", "h": "<i2", "i": "<i4", "f": "<f4"}[code]
    shape = (len(rows), len(rows[0])) + ((channels,) if channels > 1 else ())
    text = ("{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (kind, shape)).ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + elements(code, channels, rows)


def npz(code, channels, rows):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mask.npy", npy(code, channels, rows))
    return out.getvalue()


def nifti(code, channels, rows):
    if channels > 1:
        return None
    kind = {"B": 2, "H": 512, "h": 4, "i": 8, "f": 16}[code]
    columns = [list(column) for column in zip(*rows)]  # the first axis runs fastest; which is x does not matter here
    return struct.pack("<i36x8h14xhh2x8f3f", 348, 3, len(columns), len(rows), 1, 1, 1, 1, 1, kind, 8 * struct.calcsize(code), *[1] * 8, 352, 0, 0) \
        .ljust(344, b"\0") + b"n+1\0" + bytes(4) + elements(code, 1, rows)


def text_volume(head, pack):
    def volume(code, channels, rows):
        """[x, y, 1], as the one before."""
        kind = {"B": ("uint8", "UCHAR"), "H": ("uint16", "USHORT"), "h": ("int16", "SHORT"), "i": ("int32", "INT"), "f": ("float", "FLOAT")}[code]
        columns = [list(column) for column in zip(*rows)]
        return channels == 1 and (head % {"type": kind["MET" in head], "shape": "%d %d 1" % (len(columns), len(rows))}).encode() \
            + pack(elements(code, 1, rows)) or None
    return volume


NRRD = "NRRD0005\ntype: %(type)s\ndimension: 3\nsizes: %(shape)s\nendian: little\nencoding: ENCODING\n\n"
METAIMAGE = "ObjectType = Image\nNDims = 3\nDimSize = %(shape)s\nCompressedData = ENCODING\nElementType = MET_%(type)s\nElementDataFile = LOCAL\n"


def packed(write):
    def pack(*mask):
        data = write(*mask)
        return data and gzip.compress(data, 1)
    return pack


# Name: (how a mask is written, its name's end). Those that begin with tar or zip: all masks in one archive.
CONTAINERS = {
    "PNG": (png, ".png"), "BMP": (bmp, ".bmp"), "GIF": (gif, ".gif"), "TIFF": (tiff, ".tif"),
    "TIFF, big-endian": (lambda *mask: tiff(*mask, ">"), ".tif"), ".npy": (npy, ".npy"), ".npz": (npz, ".npz"), "NIfTI": (nifti, ".nii"),
    "NRRD": (text_volume(NRRD.replace("ENCODING", "raw"), bytes), ".nrrd"),
    "NRRD, gzip": (text_volume(NRRD.replace("ENCODING", "gzip"), gzip.compress), ".nrrd"),
    "MetaImage": (text_volume(METAIMAGE.replace("ENCODING", "False"), bytes), ".mha"),
    "MetaImage, zlib": (text_volume(METAIMAGE.replace("ENCODING", "True"), zlib.compress), ".mha"),
    "NIfTI, packed": (packed(nifti), ".nii.gz"), ".npy, packed": (packed(npy), ".npy.gz"), "zip of PNG": (png, ".png"), "zip of TIFF": (tiff, ".tif"),
    "tar of PNG": (png, ".png"), "tar of .npy": (npy, ".npy"), "tar of TIFF": (tiff, ".tif"), "tar of BMP": (bmp, ".bmp"),
}

# (container, set): the rules instead. A volume of floats is what most tools write, so it is said as an info alone.
VOLUMES = ("NIfTI", "NIfTI, packed", "NRRD", "NRRD, gzip", "MetaImage", "MetaImage, zlib")
IMAGES = ("PNG", "TIFF", "TIFF, big-endian", "zip of PNG", "zip of TIFF", "tar of PNG", "tar of TIFF")
EXCEPT = {(c, s): SETS[s][3] - {"wrong-dtype"} for c in VOLUMES for s in SETS if s.startswith("float")}
EXCEPT.update({(c, s): SETS[s][3] | {"loader-divergence"} for c in IMAGES for s in ("uint16", "uint16, stray")})  # cv2 reads 8 bits of 16


def tar(files, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def place(path, data):
    with open(path, "wb") as f:
        f.write(data)


def write(folder, container, masks):
    """Writes the masks. Returns the PATH to audit."""
    end = CONTAINERS[container][1]
    names = ["masks/%02d%s" % (i, end) for i in range(len(masks))]
    if container.startswith("zip"):
        path = os.path.join(folder, "set.zip")
        place(path, zipped(dict(zip(names, masks))))
    elif container.startswith("tar"):
        path = os.path.join(folder, "set.tar")
        place(path, tar(dict(zip(names, masks))))
    else:
        path = os.path.join(folder, "masks")
        os.mkdir(path)
        for name, data in zip(names, masks):
            place(os.path.join(folder, name), data)
    return path


def ids_of(code, channels, masks):
    """The histogram as the program gives it, or None."""
    if channels > 1 or code == "f":
        return None
    counts = {}
    for rows in masks:
        for row in rows:
            for v in row:
                counts[v] = counts.get(v, 0) + 1
    return sorted(counts.items())


built = run("doctor").stdout.decode()
missing = [c for c, word in (("TIFF", "TIFF masks are not read"), ("GIF", "GIF masks are not read")) if word in built]
for number, (container, (writer, _)) in enumerate(CONTAINERS.items()):
    if any(m in container for m in missing):
        skip(container, "not built in")
        continue
    for name, (code, channels, masks, rules) in SETS.items():
        written = [writer(code, channels, rows) for rows in masks]
        if written[0] is None:
            continue
        folder = os.path.join(FOLDER, "%02d-%s" % (number, "".join(c for c in name if c.isalnum())))
        os.mkdir(folder)
        done = run("-q", "-f", "json", "--no-config", "-c", str(CLASSES), "-i", "255", write(folder, container, written))
        if not check(done.stdout, container, name, done.stderr[-300:]):
            continue
        report = json.loads(done.stdout)
        found = {f["rule"] for f in report["findings"] if f["level"] != "info"}
        check(found == EXCEPT.get((container, name), rules), container, name, sorted(found))
        check(report["summary"]["files_read"] == FILES, container, name, report["summary"]["files_read"], "files read")
        ids = ids_of(code, channels, masks)
        check(ids is None or [tuple(e) for e in report["histogram"]] == ids, container, name, "histogram")


# ---- images beside them, in each format of masks -----------------------------------------------------------------------

for container in ("PNG", "BMP", "GIF", "TIFF", ".npy"):
    if container in missing:
        continue
    folder = os.path.join(FOLDER, "pairs-" + container)
    os.makedirs(os.path.join(folder, "images"))
    masks = SETS["clean"][2]
    path = write(folder, container, [CONTAINERS[container][0]("B", 1, rows) for rows in masks])
    for i, rows in enumerate(masks):
        place(os.path.join(folder, "images", "%02d.png" % i), png("B", 1, rows))
    for lost in (False, True):
        done = run("-q", "-f", "json", "--no-config", "-c", str(CLASSES), "-i", "255", "--images", os.path.join(folder, "images"), path)
        found = [f["rule"] for f in json.loads(done.stdout)["findings"] if f["level"] != "info"]
        check(found == ["missing-mask"] * lost, container, "images beside", lost, found)
        if not lost:
            os.unlink(os.path.join(path, sorted(os.listdir(path))[3]))


# ---- each way to the bytes --------------------------------------------------------------------------------------------

def zst(data):
    """A frame of raw blocks (RFC 8878)."""
    blocks = [data[i:i + 65536] for i in range(0, len(data), 65536)]
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) \
        + b"".join(struct.pack("<I", len(b) << 3 | (b is blocks[-1]))[:3] + b for b in blocks)


def audit(*args, stdin=None):
    """The verdict, without the paths that differ."""
    done = run(*args, "-q", "-f", "json", **({"input": stdin} if stdin else {}))
    if not done.stdout:
        return done.returncode, done.stderr[-300:]
    report = json.loads(done.stdout)
    return (done.returncode, report["complete"], report["histogram"], [(o["id"], o["labels"], o["files"]) for o in report["out_of_range"]],
            sorted((f["rule"], f["level"], f["message"], str(f["details"].get("first"))) for f in report["findings"]))


SPOILED = one_pixel(77)[1:5]
WAYS = {"TIFF": ([tiff("B", 1, rows) for rows in SPOILED], ".tif", ()), "NIfTI": ([nifti("h", 1, rows) for rows in SPOILED], ".nii", ()),
        **{c: ([CONTAINERS[c][0]("h", 1, rows) for rows in SPOILED], CONTAINERS[c][1], ()) for c in ("NRRD, gzip", "MetaImage, zlib")},
        "tokens": ([elements("H", 1, rows) for rows in SPOILED], ".bin", ("--dtype", "uint16"))}
for kind, (written, end, options) in WAYS.items():
    if kind in missing:
        continue
    files = {"masks/%d%s" % (i, end): data for i, data in enumerate(written)}
    args = ("--no-config", "-c", str(CLASSES), *options)
    top = os.path.join(FOLDER, "ways-" + kind)
    os.mkdir(top)

    def folder(name, pack, extension):
        path = os.path.join(top, name)
        os.makedirs(os.path.join(path, "masks"))
        for member, data in files.items():
            place(os.path.join(path, member) + extension, pack(data))
        return path

    plain = folder("plain", bytes, "")
    expected = audit(*args, "-j", "1", plain)
    check(expected[0] == 1 and expected[3] == [(77, 1, 1)] and any(f[0] == "out-of-range-id" for f in expected[4]), kind, expected)
    ways = {"jobs": ("-j", "2", plain), "files from": ("--files-from", os.path.join(top, "names"))}
    place(os.path.join(top, "names"), "".join("%s/%s\n" % (plain, name) for name in files).encode())
    for name, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zst)):
        ways[name] = (folder(name, pack, "." + name),)
    for name, data in (("set.zip", zipped(files)), ("set.tar", tar(files)), ("set.tar.gz", tar(files, "w:gz"))):
        ways[name] = (os.path.join(top, name),)
        place(os.path.join(top, name), data)
    ways["cache"] = ways["cache, again"] = ("--cache", os.path.join(top, "cache"), plain)
    for name, words in ways.items():
        found = audit(*args, *words)
        check(found == expected, kind, name, found, "not", expected)
    for name in ("set.tar", "set.tar.gz"):
        with open(os.path.join(top, name), "rb") as f:
            found = audit(*args, "-", stdin=f.read())
        check(found == expected, kind, name, "on standard input", found)
    shards = [os.path.join(top, "%d.json" % i) for i in (1, 2)]
    for i, shard in enumerate(shards):
        run("-q", *args, "--shard", "%d/2" % (i + 1), "-o", shard, "-f", "none", plain)
    found = audit("merge", *shards)
    check(found == expected, kind, "shards", found)
    spoiled = os.path.join(plain, "masks/2" + end)  # it alone
    expected = audit(*args, spoiled)
    for pack in (bytes, gzip.compress, bz2.compress, lzma.compress, zst):
        found = audit(*args, "-", stdin=pack(written[2]))
        check(found == expected and found[0] == 1, kind, "on standard input", pack, found)
finish()
