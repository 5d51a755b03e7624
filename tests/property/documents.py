#!/usr/bin/env -S python3 -SE
"""Documents that are read back or given: a report, that of a shard, a baseline, annotations, class names, settings. Each is valid, and then
one value of it is another one: that is refused with a word, or read, but nothing crashes, hangs or is made up.

usage: tests/property/documents.py     some of the changes; TORTURE=more: more of them     BUILD=dir: where the program was built
"""
import copy
import glob
import json
import os
import subprocess
import sys

import checks
from checks import ALL, FOLDER, TESTDATA, check, finish
from made import read, write

# Odd, and no divisor of the number of values that each place gets: so that every one comes by somewhere.
STEP = 17 if os.environ.get("TORTURE") in ("more", "all") or ALL else 73
# One of each type, and numbers and text at the ends of what is read anywhere.
VALUES = (None, True, [], [[]], {}, {"a": {}}, "", "x", "\u00e9" * 3000, 0, 1, -1, 0.5, 255, 2**31, 2**32, 2**63 - 1, 2**63, 2**64,
          -(2**63), [1, 2], [-1, 0], "2-1", "99999999999999999999", "a\u0000b")


def run(*words):
    return checks.run(*words, timeout=60)


def places(value, path=()):
    """The way to each value; of a list, to its first and second."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i in range(min(len(value), 2)):
            yield from places(value[i], path + (i,))


def kind(path):
    """The same for places in two elements of a list."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def changed(document, path, value):
    if not path:
        return value
    document = copy.deepcopy(document)
    at = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return document


def without(document, path):
    document = copy.deepcopy(document)
    at = document
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return document


def doubled(document, path):
    """The text with one key twice, or one element."""
    mark = "\u0001here\u0001"
    text = json.dumps(changed(document, path, mark))
    at = document
    for step in path:
        at = at[step]
    value = json.dumps(at)
    if isinstance(path[-1], str):
        return text.replace(json.dumps(mark), value + ", " + json.dumps(path[-1]) + ": " + value)
    return text.replace(json.dumps(mark), value + ", " + value)


def variants(document):
    """Yields a place, a word for what becomes of it, and the text with it: a function, since most are not wanted."""
    seen = {}
    for path in places(document):
        seen.setdefault(kind(path), []).append(path)
    for some in seen.values():
        for path in some[:2]:
            for value in VALUES:
                yield path, value, lambda p=path, v=value: json.dumps(changed(document, p, v), ensure_ascii=False)
            if path:
                yield path, "nothing", lambda p=path: json.dumps(without(document, p))
                yield path, "it twice", lambda p=path: doubled(document, p)


def try_document(name, document, commands):
    """commands: of which each is given the file `changed`, and says with its exit status, 0 to 2, what becomes of it"""
    write("changed", json.dumps(document))
    for command in commands:
        result = run(*command)
        check(result.returncode in (0, 1), name, "as it was made:", result.stderr[-300:])
    for n, (path, value, text) in enumerate(variants(document)):
        if n % STEP:
            continue
        write("changed", text())
        for command in commands:
            what = "%s, %s: %.60r: %s:" % (name, ".".join(str(s) for s in path), value, command[0])
            try:
                result = run(*command)
            except subprocess.TimeoutExpired:
                check(False, what, "hangs")
                continue
            if not check(result.returncode in (0, 1, 2), what, "exit status", result.returncode, result.stderr[-300:]):
                continue
            if result.returncode == 2:
                check(result.stderr.startswith(b"labelaudit: ") and not any(c < 32 and c != 10 for c in result.stderr), what,
                      result.stderr[-300:])
                continue
            try:
                report = json.loads(result.stdout)
            except ValueError:
                check(False, what, "no report:", result.stdout[-200:])
                continue
            s = report.get("summary")
            check(not s or s["files"] == s["files_read"] + s["files_failed"] + s["files_skipped"], what, "lost a file", s)


def make(*words):
    result = run("-q", "-f", "none", "--fail-on", "never", *words)
    if result.returncode:
        sys.exit("documents: %s: %s" % (words, result.stderr.decode(errors="replace")))


def load(name):
    return json.loads(read(name))


SETTINGS = {"classes": "4", "ignore": [255, "7-9"], "view": "raw", "follow": False, "hidden": True, "reduce-zero-label": False,
            "severity": ["missing-class=off", "single-id=error"], "select": "all", "skip": ["edge-halo"],
            "per-path": {"a/*": ["file", "encoding"], "b": "file"}, "max-pixels": "1G", "max-findings": 10, "fail-on": "never",
            "color": "never", "exclude": ["x*"], "cache": False, "jobs": 1}


RULES = os.path.join(TESTDATA, "rules")
CLEAN = os.path.join(TESTDATA, "clean")
PNG = os.path.join(CLEAN, "01.png")
# each of one kind of labels
DATA = [os.path.join(TESTDATA, *name.split("/")) for name in (
    "masks", "clean", "yolo", "lists", "arrays/mnist", "arrays/numpy", "arrays/odd.npz", "archives", "rules/duplicate-mask",
    "rules/inconsistent-palette", "rules/unknown-category", "rules/missing-class")]
AUDIT = ("-f", "json", "--no-config", "--fail-on", "never", "-j", "1")

make("--no-config", "-c", "4", "-i", "255", "-o", "whole.json", *DATA)
make("--no-config", "-c", "4", "-i", "255", "--shard", "1/1", "-o", "part.json", *DATA)
make("--no-config", "-c", "4", "--kind", "imagefolder", "--shard", "1/1", "-o", "folders.json",
     os.path.join(RULES, "hidden-class-folder", "fires"))
make("--no-config", "-c", "4", "-i", "255", "--write-baseline", "known.json", *DATA)
try_document("a report", load("whole.json"), [("render", "-f", "json", "changed"), ("diff", "--fail-on", "never", "-f", "json", "whole.json", "changed")])
try_document("the report of a shard", load("part.json"), [("merge", "--fail-on", "never", "-f", "json", "changed")])
try_document("the report of a shard of folders", load("folders.json"), [("merge", "--fail-on", "never", "-f", "json", "changed")])
try_document("a baseline", load("known.json"), [(*AUDIT, "-c", "4", "--baseline", "changed", PNG)])
for name in ("box-outside-image", "panoptic-mismatch", "noncontiguous-categories", "malformed-annotation"):
    file = sorted(glob.glob(os.path.join(RULES, name, "*", "*.json")))[0]
    with open(file, encoding="utf-8") as f:
        try_document("annotations, " + name, json.load(f), [(*AUDIT, "-c", "4", "--kind", "coco", "changed")])
POLYGONS = {"images": [{"id": 1, "file_name": "a.jpg", "width": 10, "height": 8}],
            "categories": [{"id": 1, "name": "cat", "supercategory": "animal"}, {"id": 2, "name": "dog"}],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12.5, "iscrowd": 0,
                             "segmentation": [[1, 1, 5, 1, 5, 5], [2, 2, 3, 3, 4, 2]]},
                            {"id": 2, "image_id": 1, "category_id": 2, "bbox": [0, 0, 10, 8], "iscrowd": 1,
                             "segmentation": {"size": [8, 10], "counts": [0, 80], "more": 1}},
                            {"id": 3, "image_id": 1, "category_id": 2, "bbox": [0, 0, 10, 8], "iscrowd": 1,
                             "segmentation": {"size": [8, 10], "counts": "0`2"}}]}
PANOPTIC = {"images": [{"id": 1, "file_name": "1.jpg", "width": 4, "height": 4}],
            "categories": [{"id": 1, "name": "cat", "isthing": 1, "color": [1, 2, 3]}],
            "annotations": [{"image_id": 1, "file_name": "1.png", "segments_info": [
                {"id": 1, "category_id": 1, "area": 3, "bbox": [0, 0, 2, 2], "iscrowd": 0},
                {"id": 2, "category_id": 1, "area": 13, "bbox": [0, 0, 4, 4], "iscrowd": 0}]}]}
try_document("polygons", POLYGONS, [(*AUDIT, "-c", "4", "--kind", "coco", "changed")])
try_document("panoptic annotations", PANOPTIC, [(*AUDIT, "-c", "4", "--kind", "coco", "changed")])
os.symlink("changed", os.path.join(FOLDER, "c.json"))
for name, document in {
        "id2label": {"id2label": {"0": "sky", "1": "r\u00f6ad"}},
        "dataset.json": {"labels": {"background": 0, "road": 1, "all": [0, 1], "ignore": 3}},
        "categories": {"categories": [{"id": 3, "name": "man"}, {"id": 1, "name": "road"}]}}.items():
    try_document(name, document, [(*AUDIT, "-c", "c.json", PNG)])
try_document("settings", SETTINGS, [("-f", "json", "--fail-on", "never", "--config", "changed", PNG)])
finish()
