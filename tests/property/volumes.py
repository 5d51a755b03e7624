#!/usr/bin/env -S python3 -SE
"""NIfTI volumes are read as nibabel reads them, hostile headers are findings, and sets of nnU-Net get its verdict: whole program.

usage: tests/property/volumes.py     BUILD=dir: where the program was built
       LABELAUDIT_PYTHON=FILE: a Python with nibabel and NumPy (python3); volumes of every type, order and version that it
       writes; skipped without
"""
import gzip
import json
import os
import random
import struct

from checks import FOLDER, check, finish, need_modules, run, skip
from made import write
from pngs import RGB, png

need_modules("nibabel", optional=True)
try:
    import nibabel
    import numpy
except ImportError:
    nibabel = None


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
hostile()
as_nnunet()
natural_images()
finish()
