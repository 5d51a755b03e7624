#!/usr/bin/env -S python3 -SE
"""Volumes are read as nibabel, pynrrd and SimpleITK read them, hostile headers are findings, and sets of nnU-Net get its verdict: whole program.

usage: tests/property/volumes.py     BUILD=dir: where the program was built
       LABELAUDIT_PYTHON=FILE: a Python with nibabel and NumPy (python3), pynrrd and SimpleITK; volumes of every type, order and
       version that these write; skipped without
"""
import gzip
import json
import os
import random
import struct
import zlib

from checks import FOLDER, check, finish, need_modules, run, skip
from made import write
from pngs import RGB, png

need_modules("nibabel", optional=True)
try:
    import nibabel
    import numpy
except ImportError:
    nibabel = None
try:
    import nrrd
    import numpy
    import SimpleITK
except ImportError:
    nrrd = None


def audit(path, classes="12", stdin=None):
    done = run("-c", classes, "-f", "json", "-q", "--no-config", path, **({"input": stdin} if stdin else {}))
    check(done.stdout, path, done.stderr[-600:])
    return done.returncode, json.loads(done.stdout) if done.stdout else {"findings": [], "complete": False, "histogram": []}


def as_nibabel():
    """The ids, their counts, and the first that is no class."""
    draw = numpy.random.default_rng(3)
    n = 0
    for version, image in ((1, nibabel.Nifti1Image), (2, nibabel.Nifti2Image)):
        header = (nibabel.Nifti1Header, nibabel.Nifti2Header)[version - 1]
        for order in "<>":
            for code in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"):
                for shape in ((20, 17, 5), (30, 18), (16, 5, 1, 3)):
                    ids = draw.integers(0, 14, shape)
                    if n % 3 == 0:  # an area, as masks have it, and one voxel beyond the classes
                        ids = numpy.zeros(shape, int)
                        ids[3:9, 2:5] = 4
                        ids[tuple(draw.integers(0, s) for s in shape)] = 13
                    n += 1
                    volume = image(ids.astype(order + code), numpy.eye(4), header(endianness=order))
                    volume.set_data_dtype(order + code)
                    scaled = n % 4 == 0 and code in ("u1", "i2", "f4")
                    data = bytearray(volume.to_bytes())
                    if scaled:  # 1 added to twice the voxel
                        at, form = ((112, "2f"), (176, "2d"))[version - 1]
                        struct.pack_into(order + form, data, at, 2, 1)
                    path = os.path.join(FOLDER, "v.nii" + (".gz" if n % 2 else ""))
                    with open(path, "wb") as f:
                        f.write(gzip.compress(data, 1) if n % 2 else data)
                    what = (version, order, code, shape, scaled)
                    values = numpy.asarray(nibabel.load(path).dataobj)
                    expected = dict(zip(*(v.tolist() for v in numpy.unique(values.astype("i8"), return_counts=True))))
                    _, report = audit(path)
                    check({i: c for i, c in report["histogram"]} == expected, "histogram", *what)
                    found = {f["rule"]: f for f in report["findings"]}
                    check(("wrong-dtype" in found) == (scaled or code[0] == "f"), "wrong-dtype", *what)
                    bad = [(place, int(values[tuple(place)])) for place in numpy.argwhere((values < 0) | (values > 11)).tolist()]
                    check(("out-of-range-id" in found) == bool(bad), "out-of-range-id", *what)
                    if bad:
                        first = found["out-of-range-id"]["details"]["first"]
                        check((first["index"], first["id"]) == bad[0], "first", first, bad[0], *what)
                    os.unlink(path)


def header(**fields):
    """A volume [4, 3, 2] of uint8, with its fields changed."""
    f = {"size": 348, "dim": (3, 4, 3, 2, 1, 1, 1, 1), "datatype": 2, "bitpix": 8, "offset": 352.0, "slope": 0.0, "inter": 0.0, **fields}
    return struct.pack("<i36x8h14xhh2x8f3f", f["size"], *f["dim"], f["datatype"], f["bitpix"], *[1] * 8, f["offset"], f["slope"], f["inter"]) \
        .ljust(344, b"\0") + b"n+1\0" + bytes(4)


def hostile():
    """Each is a finding or read; none needs much memory or time, or ends the program."""
    voxels = bytes(range(6)) * 4
    cases = {
        "good": (header() + voxels, set()),
        "rank 8": (header(dim=(8, 4, 3, 2, 1, 1, 1, 1)) + voxels, {"malformed-labels"}),
        "negative": (header(dim=(3, -4, 3, 2, 1, 1, 1, 1)) + voxels, {"malformed-labels"}),
        "huge": (header(dim=(7,) + (32767,) * 7) + voxels, {"malformed-labels"}),
        "large": (header(dim=(4, 32767, 32767, 32767, 7, 1, 1, 1)) + voxels, {"truncated-file"}),
        "offset past the end": (header(offset=1e6) + voxels, {"truncated-file"}),
        "offset in the header": (header(offset=100.0) + voxels, {"malformed-labels"}),
        "offset NaN": (header(offset=float("nan")) + voxels, {"malformed-labels"}),
        "slope NaN": (header(slope=float("nan")) + voxels, set()),
        "slope infinite": (header(slope=float("inf")) + voxels, set()),
        "inter NaN": (header(slope=2.0, inter=float("nan")) + voxels, {"malformed-labels"}),
        "bitpix": (header(bitpix=16) + voxels, {"malformed-labels"}),
        "colours": (header(datatype=128, bitpix=24) + voxels * 3, {"malformed-labels"}),
        "complex": (header(datatype=32, bitpix=64) + voxels * 8, {"malformed-labels"}),
        "bits": (header(datatype=1, bitpix=1) + voxels, {"malformed-labels"}),
        "truncated": (header() + voxels[:-1], {"truncated-file"}),
        "more": (header() + voxels + b"x", {"malformed-labels"}),
        "extensions": (header(offset=352.0 + 64)[:348] + b"\1\0\0\0" + struct.pack("<ii", 2**31 - 1, 4) + bytes(56) + voxels, set()),
    }
    for name, (data, rules) in cases.items():
        for packed in (False, True):
            path = os.path.join(FOLDER, "h.nii" + (".gz" if packed else ""))
            with open(path, "wb") as f:
                f.write(gzip.compress(data, 1) if packed else data)
            status, report = audit(path)
            found = {f["rule"] for f in report["findings"] if f["level"] != "info"}
            check(rules <= found and status in (0, 1), name, packed, status, sorted(found))
            if not rules:
                check(not found & {"malformed-labels", "truncated-file"}, name, packed, sorted(found))
            os.unlink(path)
    draw = random.Random(1)
    for _ in range(60):
        data = bytearray(header() + voxels)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(40, 344)] = draw.randrange(256)
        path = os.path.join(FOLDER, "r.nii")
        with open(path, "wb") as f:
            f.write(data)
        check(audit(path)[0] in (0, 1), "random header", data[:348].hex())


# ---- NRRD and MetaImage ----------------------------------------------------------------------------------------------

TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def compare(path, values, *what):
    """The ids, their counts, and the first that is no class; values: [i, j, k]."""
    expected = dict(zip(*(v.tolist() for v in numpy.unique(values.astype("i8"), return_counts=True))))
    _, report = audit(path)
    check({i: c for i, c in report["histogram"]} == expected, "histogram", *what)
    found = {f["rule"]: f for f in report["findings"]}
    place, = numpy.argwhere(values == 13).tolist()
    check(found["out-of-range-id"]["details"]["first"] == {"index": place, "id": 13}, "first",
          found["out-of-range-id"]["details"]["first"], place, *what)
    check(("wrong-dtype" in found) == (values.dtype.kind == "f"), "wrong-dtype", *what)
    os.unlink(path)


def as_pynrrd_and_simpleitk():
    draw = numpy.random.default_rng(4)
    for code in TYPES:
        ids = draw.integers(0, 11, (20, 7, 5))
        ids[tuple(draw.integers(0, s) for s in ids.shape)] = 13
        for order in "<>":
            for encoding in ("raw", "gzip"):
                path = os.path.join(FOLDER, "v.nrrd")
                nrrd.write(path, ids.astype(order + code), {"encoding": encoding})
                compare(path, nrrd.read(path)[0], order, code, encoding)
        for end in (".nrrd", ".mha"):
            for packed in (False, True):
                path = os.path.join(FOLDER, "s" + end)
                SimpleITK.WriteImage(SimpleITK.GetImageFromArray(ids.astype(code).T.copy()), path, packed)
                compare(path, SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path)).T, code, end, packed)
        path = os.path.join(FOLDER, "b.mha")
        with open(path, "wb") as f:
            name = {"u1": "UCHAR", "i1": "CHAR", "u2": "USHORT", "i2": "SHORT", "u4": "ULONG", "i4": "LONG", "u8": "ULONG_LONG", "i8": "LONG_LONG",
                    "f4": "FLOAT", "f8": "DOUBLE"}[code]
            f.write(metaimage(("4 3 2", "20 7 5"), ("UCHAR", name), ("Element", "ElementByteOrderMSB = True\nElement"))[:-24]
                    + ids.astype(">" + code).tobytes("F"))
        compare(path, SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path)).T, code, "MSB")


def as_simpleitk_places_them():
    """Label maps and images of three formats at one place, in any direction, and half of them beside it; sets of nnU-Net in each."""
    draw = numpy.random.default_rng(5)
    ends = (".nii.gz", ".nrrd", ".mha")
    wrong = set()
    for folder in ("labels", "images"):
        os.makedirs(os.path.join(FOLDER, "placed", folder))
    for i in range(18):
        direction = numpy.linalg.qr(draw.normal(size=(3, 3)))[0].ravel().tolist()
        ends_of = {"labels": ends[i % 3], "images": ends[i // 3 % 3]}
        for folder, end in ends_of.items():
            volume = SimpleITK.GetImageFromArray(draw.integers(0, 3, (4, 5, 6)).astype("u1"))
            volume.SetSpacing((.7, 1.25, 3))
            volume.SetOrigin((-10.5, 20, 300 + .5 * (i > 8 and folder == "labels")))
            volume.SetDirection(direction)
            SimpleITK.WriteImage(volume, os.path.join(FOLDER, "placed", folder, "%02d%s" % (i, end)), bool(i % 2))
        if i > 8:
            wrong.add("placed/labels/%02d%s" % (i, ends_of["labels"]))
    done = run("-q", "--no-config", "-c", "3", "-f", "json", "--images", "placed/images", "placed/labels")
    found = {(f["path"], f["rule"], f["message"].split(" placed")[0]) for f in json.loads(done.stdout)["findings"]}
    check(found == {(p, "geometry-mismatch", "its origin is 0.5 from that of its image") for p in wrong}, "places", found)
    for end in (".nrrd", ".mha"):
        write("of%s/dataset.json" % end, json.dumps({"channel_names": {"0": "CT"}, "labels": LABELS, "numTraining": 3, "file_ending": end}))
        os.mkdir(os.path.join(FOLDER, "of" + end, "imagesTr"))
        os.mkdir(os.path.join(FOLDER, "of" + end, "labelsTr"))
        for case in "abc":
            label = SimpleITK.GetImageFromArray(draw.integers(0, 4 if case == "b" else 3, (4, 5, 6)).astype("u1"))
            label.SetSpacing((1, 1, 2 if case == "c" else 1))
            SimpleITK.WriteImage(label, os.path.join(FOLDER, "of%s/labelsTr/%s%s" % (end, case, end)))
            values = draw.normal(size=(4, 5, 6)).astype("f4")
            values[0, 0, 0] = numpy.nan if case == "a" else 0
            SimpleITK.WriteImage(SimpleITK.GetImageFromArray(values), os.path.join(FOLDER, "of%s/imagesTr/%s_0000%s" % (end, case, end)), case == "a")
        done = run("-q", "--no-config", "--check-images", "-f", "json", "of%s/dataset.json" % end)
        found = {(os.path.basename(f["path"])[:1], f["rule"]) for f in json.loads(done.stdout)["findings"]}
        check(found == {("a", "broken-image"), ("b", "out-of-range-id"), ("c", "geometry-mismatch")}, end, found)


def changed(text, changes, voxels):
    for old, new in changes:
        check(old in text, old)
        text = text.replace(old, new)
    return text.encode() + voxels


def nrrd_of(*changes, voxels=bytes(range(6)) * 4):
    return changed("NRRD0004\n# made by hand\ntype: uint8\ndimension: 3\nsizes: 4 3 2\nencoding: raw\n\n", changes, voxels)


def metaimage(*changes, voxels=bytes(range(6)) * 4):
    return changed("ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n", changes, voxels)


def hostile_texts():
    """The same of headers that are texts."""
    voxels, more, broken, few = bytes(range(6)) * 4, "encoding: raw\n", {"malformed-labels"}, {"truncated-file"}
    packed, element = ("raw", "gzip"), "ElementType"
    cases = {
        "good": (nrrd_of(), set()), "CR LF": (nrrd_of(("\n", "\r\n")), set()), "a long comment": (nrrd_of(("by hand", "x" * 9000)), set()),
        "synonym": (nrrd_of(("uint8", "unsigned char")), set()), "kinds": (nrrd_of((more, more + "kinds: domain domain space\n")), set()),
        "the last bytes": (nrrd_of((more, more + "byte skip: -1\n"), voxels=b"abc" + voxels), broken),
        "skipped": (nrrd_of((more, more + "line skip: 0\nbyteskip: 0\n")), set()),
        "gzip": (nrrd_of(packed, voxels=gzip.compress(voxels)), set()),
        "a value of the user's": (nrrd_of((more, more + "sizes:=1 1 1\n")), set()),
        "no dimension": (nrrd_of((": 3", ": 0")), broken), "17 dimensions": (nrrd_of((": 3", ": 17")), broken),
        "negative": (nrrd_of(("4 3", "-4 3")), broken), "a fraction": (nrrd_of(("4 3", "4.5 3")), broken), "NaN": (nrrd_of(("4 3", "nan 3")), broken),
        "few sizes": (nrrd_of(("4 3 2", "4 3")), broken), "many sizes": (nrrd_of(("4 3 2", "4 3 2 1")), broken),
        "overflow": (nrrd_of(("4 3 2", "99999999999 99999999 9999999")), broken), "large": (nrrd_of(("4 3 2", "9999999 9999 2")), few),
        "no type": (nrrd_of(("type: uint8\n", "")), broken), "no encoding": (nrrd_of((more, "")), broken), "block": (nrrd_of(("uint8", "block")), broken),
        "two types": (nrrd_of(("uint8", "uint8|int8")), broken), "a long type": (nrrd_of(("uint8", "x" * 5000)), broken),
        "no endian": (nrrd_of(("uint8", "int16")), broken), "endian": (nrrd_of(("uint8", "int16\nendian: middle")), broken),
        "hex": (nrrd_of(("raw", "hex")), broken), "bzip2": (nrrd_of(("raw", "bzip2")), broken), "ASCII": (nrrd_of(("raw", "ascii")), broken),
        "colours": (nrrd_of((more, more + "kinds: RGB-color domain domain\n")), broken),
        "layers": (nrrd_of((more, more + "kinds: list domain domain\n")), broken),
        "byte skip": (nrrd_of((more, more + "byte skip: -2\n")), broken), "byte skip, huge": (nrrd_of((more, more + "byteskip: 9" + 30 * "9" + "\n")), broken),
        "line skip": (nrrd_of((more, more + "line skip: 9\n")), broken),
        "no end": (nrrd_of(("\n\n", "\n"), voxels=b""), few), "a long header": (nrrd_of(("by hand", "x" * 300000)), {"limit-exceeded"}),
        "elsewhere": (nrrd_of((more, more + "data file: a.raw\n")), {"unread-format"}),
        "elsewhere, late": (nrrd_of((more, more + "# " + "x" * 9000 + "\ndatafile: a.raw\n")), broken),
        "not gzip": (nrrd_of(packed), {"corrupt-data"}), "gzip, cut": (nrrd_of(packed, voxels=gzip.compress(voxels)[:20]), few),
        "gzip of less": (nrrd_of(packed, voxels=gzip.compress(voxels[:20])), few), "gzip of more": (nrrd_of(packed, voxels=gzip.compress(voxels + b"a")), broken),
        "cut": (nrrd_of()[:-1], few), "more": (nrrd_of() + b"a", broken),
        "MetaImage": (metaimage(), set()), "local": (metaimage(("LOCAL", "Local")), set()), "HeaderSize 0": (metaimage((element, "HeaderSize = 0\n" + element)), set()),
        "zlib": (metaimage((element, "CompressedData = True\n" + element), voxels=zlib.compress(voxels)), set()),
        "not zlib": (metaimage((element, "CompressedData = True\n" + element)), {"corrupt-data"}),
        "99 dimensions": (metaimage(("= 3", "= 99")), broken), "channels": (metaimage((element, "ElementNumberOfChannels = 3\n" + element)), broken),
        "MET_OTHER": (metaimage(("UCHAR", "OTHER")), broken), "a text": (metaimage((element, "BinaryData = False\n" + element)), broken),
        "HeaderSize": (metaimage((element, "HeaderSize = 10\n" + element)), broken), "no DimSize": (metaimage(("DimSize = 4 3 2\n", "")), broken),
        "a list of files": (metaimage(("LOCAL", "LIST")), {"unread-format"}), "MetaImage, cut": (metaimage()[:-2], few),
        "no ElementDataFile": (metaimage(("ElementDataFile = LOCAL\n", ""), voxels=b""), few),
    }
    for number, (name, (data, rules)) in enumerate(cases.items()):
        path = os.path.join(FOLDER, "h.bytes" + (".gz" if number % 2 else ""))
        with open(path, "wb") as f:
            f.write(gzip.compress(data) if number % 2 else data)
        status, report = audit(path)
        found = {f["rule"] for f in report["findings"] if f["level"] != "info"}
        check(rules == found and status in (0, 1), name, status, sorted(found))
        os.unlink(path)
    bomb = zlib.compressobj(9)
    data = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(64)) + bomb.flush()
    write("bomb.mha", metaimage(("4 3 2", "67108864 1 1"), (element, "CompressedData = True\n" + element), voxels=data))
    done = run("-c", "12", "-f", "json", "-q", "--no-config", "--max-inflated", "1M", "bomb.mha")
    check([f["rule"] for f in json.loads(done.stdout)["findings"]] == ["limit-exceeded"], "a bomb", done.stdout[-300:])
    draw = random.Random(2)
    for make in (nrrd_of, metaimage) * 30:
        data = bytearray(make())
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(9, len(data) - 24)] = draw.choice(b"\n:= 0123456789-.(),x\0\xff")
        write("r.bytes", bytes(data))
        check(audit("r.bytes")[0] in (0, 1), "random header", bytes(data))


# ---- sets of nnU-Net -------------------------------------------------------------------------------------------------

LABELS = {"background": 0, "core": 1, "edema": 2}
STOPS, WARNS, SILENT = range(3)


def volume(shape, code="B", spacing=(1, 1, 2.5), flip=1, origin=(0, 0, 0), values=None, scale=None):
    count = 1
    for n in shape:
        count *= n
    datatype = {"B": 2, "h": 4, "f": 16}[code]
    rows = [flip * spacing[0], 0, 0, origin[0], 0, spacing[1], 0, origin[1], 0, 0, spacing[2], origin[2]]
    data = struct.pack("<i36x8h14xhh2x8f3f", 348, len(shape), *shape, *[1] * (7 - len(shape)), datatype, 8 * struct.calcsize(code), 1, *spacing,
                       1, 1, 1, 1, 352, scale or 0, 0).ljust(252, b"\0") + struct.pack("<hh24x12f", 0, 1, *rows)
    return data.ljust(344, b"\0") + b"n+1\0" + bytes(4) + struct.pack("<%d%s" % (count, code), *(values or [i % 3 for i in range(count)]))


def write_set(folder, labels=None, images=None, config=None):
    """Three cases of two channels; labels, images: what replaces a file, by its name, None: nothing."""
    files = {"dataset.json": json.dumps({"channel_names": {"0": "T1", "1": "T2"}, "labels": LABELS, "numTraining": 3, "file_ending": ".nii.gz", **(config or {})}).encode()}
    for case in "abc":
        files["labelsTr/%s.nii.gz" % case] = gzip.compress(volume((6, 5, 4)))
        for channel in range(2):
            files["imagesTr/%s_%04d.nii.gz" % (case, channel)] = gzip.compress(volume((6, 5, 4), "f", values=[i * .37 for i in range(120)]))
    for name, data in (labels or {}).items():
        files["labelsTr/" + name] = data and gzip.compress(data)
    for name, data in (images or {}).items():
        files["imagesTr/" + name] = data and gzip.compress(data)
    for name, data in files.items():
        path = os.path.join(folder, name)
        if data:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)


def as_nnunet():
    """What verify_dataset_integrity (nnunetv2/experiment_planning) says of each set, and the rule that says it here. What stops it is a
    finding; of what it warns of or does not see, some is an error here: a mirrored label map trains on the wrong side."""
    ids, grid = [i % 3 for i in range(120)], (6, 5, 4)
    nan = [float("nan")] + [1.5] * 119
    sets = {
        "right": ({}, SILENT, None),
        "an unexpected label": ({"labels": {"a.nii.gz": volume(grid, values=[4] + ids[1:])}}, STOPS, "out-of-range-id"),
        "0.9999": ({"labels": {"a.nii.gz": volume(grid, "f", values=[.9999 * i for i in ids])}}, STOPS, "non-integer-labels"),
        "whole floats": ({"labels": {"a.nii.gz": volume(grid, "f")}}, SILENT, None),
        "scaled to other ids": ({"labels": {"a.nii.gz": volume(grid, "h", scale=2)}}, STOPS, "out-of-range-id"),
        "NaN in labels": ({"labels": {"a.nii.gz": volume(grid, "f", values=[float("nan")] + ids[1:])}}, STOPS, "nan-labels"),
        "NaN in an image": ({"images": {"b_0001.nii.gz": volume(grid, "f", values=nan)}}, STOPS, "broken-image"),
        "a CT in place of labels": ({"labels": {"a.nii.gz": volume((8, 8, 4), "h", values=[i * 7 % 1999 - 1024 for i in range(256)])},
                                     "images": {"a_%04d.nii.gz" % c: volume((8, 8, 4), "f") for c in range(2)}}, STOPS, "image-as-mask"),
        "shape": ({"labels": {"a.nii.gz": volume((6, 5, 5))}}, STOPS, "size-mismatch"),
        "one-hot": ({"labels": {"a.nii.gz": volume((6, 5, 4, 3), values=[int(i // 120 == i % 3) for i in range(360)])}}, STOPS, "one-hot-mask"),
        "spacing": ({"labels": {"a.nii.gz": volume(grid, spacing=(1, 1, 2))}}, STOPS, "geometry-mismatch"),
        "spacing, by 0.9e-5": ({"labels": {"a.nii.gz": volume(grid, spacing=(1, 1, 2.5 * (1 + .9e-5)))}}, SILENT, None),
        "mirrored": ({"labels": {"a.nii.gz": volume(grid, flip=-1)}}, WARNS, "geometry-mismatch"),
        "origin": ({"labels": {"a.nii.gz": volume(grid, origin=(3, 0, 0))}}, WARNS, "geometry-mismatch"),
        "channels of two shapes": ({"images": {"a_0001.nii.gz": volume((6, 5, 5), "f")}}, STOPS, "geometry-mismatch"),
        "no second channel": ({"images": {"a_0001.nii.gz": None}}, STOPS, "missing-image"),
        "channels along a fourth axis": ({"images": {"a_0000.nii.gz": volume((6, 5, 4, 2), "f"), "a_0001.nii.gz": None}}, SILENT, None),
        "no image": ({"images": {"a_0000.nii.gz": None, "a_0001.nii.gz": None}}, STOPS, "missing-image"),
        "no label": ({"labels": {"a.nii.gz": None}}, STOPS, "missing-mask"),
        "no imagesTr": ({"images": {"%s_%04d.nii.gz" % (c, i): None for c in "abc" for i in range(2)}}, STOPS, "training-config"),
        "a third channel": ({"images": {"a_0002.nii.gz": volume(grid, "f")}}, STOPS, "training-config"),
        "numTraining": ({"config": {"numTraining": 4}}, STOPS, "training-config"),
        "a gap in the labels": ({"config": {"labels": {"background": 0, "core": 1, "edema": 3}}}, STOPS, "status 2"),
        "no background": ({"config": {"labels": {"core": 1, "edema": 2}}}, STOPS, "status 2"),
    }
    for name, (changes, verdict, rule) in sets.items():
        folder = os.path.join(FOLDER, "".join(c if c.isalnum() else "_" for c in name))
        write_set(folder, **changes)
        done = run("-q", "--no-config", "--check-images", "-f", "json", os.path.join(folder, "dataset.json"))
        if rule == "status 2":
            check(done.returncode == 2, name, done.returncode)
            continue
        found = {f["rule"]: f["level"] for f in json.loads(done.stdout)["findings"] if f["level"] != "info"}
        check((rule is None) == (verdict == SILENT), name, "the table")
        check((rule in found) if rule else (not found and done.returncode == 0), name, done.returncode, found)
        # the same cases, named by dataset.json: what is wrong beside the labels is a fault of that file
        if rule in ("training-config", "missing-mask"):
            continue
        path = os.path.join(folder, "dataset.json")
        declared = json.load(open(path))
        declared["dataset"] = {c: {"label": "labelsTr/%s.nii.gz" % c, "images": ["imagesTr/%s_%04d.nii.gz" % (c, i) for i in range(
            1 if "fourth axis" in name and c == "a" else 2)]} for c in "abc"}
        json.dump(declared, open(path, "w"))
        done = run("-q", "--no-config", "--check-images", "-f", "json", path)
        found = {f["rule"]: f["level"] for f in json.loads(done.stdout)["findings"] if f["level"] != "info"}
        if rule in ("size-mismatch", "geometry-mismatch", "missing-image", "broken-image"):
            check(found == {"training-config": "error" if verdict == STOPS else "warning"}, "dataset:", name, found)
        else:
            check((rule in found) if rule else not found, "dataset:", name, found)


def natural_set(change=lambda files: None, colour=True, ids=(0, 1, 2), **config):
    """Four cases of natural images: of three channels in one file, or grey. change: of the files by their paths."""
    files = {"dataset.json": {"channel_names": {"0": "R", "1": "G", "2": "B"}, "labels": {"background": 0, "road": 1, "car": 2}, "numTraining": 4,
                              "file_ending": ".png", **config}}
    for i in range(4):
        grey = [[(60 + 7 * x + 13 * y * (i + 1)) % 251 for x in range(40)] for y in range(32)]
        files["imagesTr/i%d_0000.png" % i] = png([[(v, v // 2, 255 - v) for v in row] for row in grey], RGB) if colour else png(grey)
        files["labelsTr/i%d.png" % i] = png([[ids[(x // 8 + y // 8 + i) % len(ids)] for x in range(40)] for y in range(32)])
    change(files)
    return files


def named(change=lambda files, cases: None):
    """Cases that dataset.json names itself."""
    def move(files):
        cases = files["dataset.json"]["dataset"] = {}
        for i in range(4):
            files["a/i%d.png" % i], files["b/l%d.png" % i] = files.pop("imagesTr/i%d_0000.png" % i), files.pop("labelsTr/i%d.png" % i)
            cases["i%d" % i] = {"images": ["a/i%d.png" % i], "label": "b/l%d.png" % i}
        change(files, cases)
    return move


def natural_images():
    """2D sets: what nnU-Net's NaturalImage2DIO and LabelManager stop at, each beside what they take; 2: refused before data are read."""
    three = {"background": 0, "road": 1, "car": 2}
    regions = {"background": 0, "all": [1, 2], "car": 2}
    sets = {
        "right": (natural_set(), None),
        "grey": (natural_set(colour=False, channel_names={"0": "grey"}), None),
        "red, green and blue as one channel": (natural_set(channel_names={"0": "rgb"}), "size-mismatch"),
        "one channel as three": (natural_set(colour=False), "missing-image"),
        "255 for 1": (natural_set(lambda f: f.update({"labelsTr/i1.png": png([[255 * (x > 9) for x in range(40)]] * 32)})), "out-of-range-id"),
        "another height": (natural_set(lambda f: f.update({"labelsTr/i1.png": png([[1] * 20 + [2] * 20] * 33)})), "size-mismatch"),
        "another ending": (natural_set(file_ending=".nii.gz"), "training-config"),
        "numTraining": (natural_set(numTraining=5), "training-config"),
        "no numTraining": (natural_set(lambda f: f["dataset.json"].pop("numTraining")), "training-config"),
        "no channel in a name": (natural_set(lambda f: f.update({"imagesTr/i1.png": f.pop("imagesTr/i1_0000.png")})), "training-config"),
        "regions": (natural_set(labels=regions, regions_class_order=[1, 2]), None),
        "regions without their order": (natural_set(labels=regions), 2),
        "too few in their order": (natural_set(labels=regions, regions_class_order=[1]), "training-config"),
        "lists of one id": (natural_set(labels={"background": 0, "road": [1], "car": [2]}), None),
        "ids as strings": (natural_set(labels={"background": "0", "road": "1", "car": "2"}), None),
        "the form of nnU-Net 1": (natural_set(labels={"0": "background", "1": "road", "2": "car"}), 2),
        "ignore": (natural_set(ids=(0, 1, 2, 3), labels={**three, "ignore": 3}), None),
        "ignore 255": (natural_set(labels={**three, "ignore": 255}), 2),
        "ignore as a list": (natural_set(labels={**three, "ignore": [3]}), 2),
        "a reader": (natural_set(overwrite_image_reader_writer="NaturalImage2DIO"), None),
        "no label": (natural_set(lambda f: f.pop("labelsTr/i1.png")), "missing-mask"),
        "no image": (natural_set(lambda f: f.pop("imagesTr/i1_0000.png")), "missing-image"),
        "cases": (natural_set(named()), None),
        "cases, others beside": (natural_set(named(lambda f, cases: f.update({"b/other.png": png([[99] * 40] * 32)}))), None),
        "cases, a wrong id": (natural_set(named(lambda f, cases: f.update({"b/l1.png": png([[7] * 40] * 32)}))), "out-of-range-id"),
        "cases, no label": (natural_set(named(lambda f, cases: f.pop("b/l1.png"))), "training-config"),
        "cases, no image": (natural_set(named(lambda f, cases: f.pop("a/i1.png"))), "training-config"),
        "cases, numTraining": (natural_set(named(), numTraining=3), "training-config"),
        "cases, a path for a list": (natural_set(named(lambda f, cases: cases["i1"].update(images="a/i1.png"))), "training-config"),
        "cases, a label outside": (natural_set(named(lambda f, cases: cases["i1"].update(label="../right/labelsTr/i1.png"))), 2),
        "cases, a variable": (natural_set(named(lambda f, cases: cases["i1"].update(label="$nnUNet_raw/l1.png"))), 2),
    }
    for name, (files, rule) in sets.items():
        for path, data in files.items():
            write(os.path.join("png", name, path), json.dumps(data) if isinstance(data, dict) else data)
        done = run("-q", "--no-config", "-f", "json", os.path.join("png", name, "dataset.json"))
        found = {} if done.returncode == 2 else {f["rule"]: f["level"] for f in json.loads(done.stdout)["findings"] if f["level"] != "info"}
        check(done.returncode == (rule if rule == 2 else int(rule is not None)), name, done.returncode, found, done.stderr[-300:])
        check(not isinstance(rule, str) or found.get(rule) == "error", name, found)
        check(rule is not None or not found, name, found)


if nibabel:
    as_nibabel()
else:
    skip("nibabel", "not installed")
if nrrd:
    as_pynrrd_and_simpleitk()
    as_simpleitk_places_them()
else:
    skip("pynrrd and SimpleITK", "not installed")
hostile()
hostile_texts()
as_nnunet()
natural_images()
finish()
