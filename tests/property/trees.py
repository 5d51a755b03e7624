#!/usr/bin/env -S python3 -SE
"""Trees of public data sets, of trees.txt: what is audited of each, alone, in a repository, in archives, with strays and bad ids.

usage: tests/property/trees.py [WORDS]     only sets whose names contain one; prints what was said     BUILD=dir: the program's
       LABELAUDIT_TEST=all: each in all places with all strays, not some of them in turn
"""
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor

import checks
import tree_files
from checks import ALL, FOLDER
from made import zip_of
from pngs import png_of_bytes
from tree_files import content

# Warnings of a set of a few files, which have nothing to do with what is audited.
HARMLESS = {"missing-class", "image-without-label", "duplicate-mask", "unread-format", "mixed-sizes", "rare-class", "split-leak", "duplicate-entry",
            "split-drift", "class-names-differ", "box-outside-image", "mixed-encoding", "loader-divergence", "gap-in-ids", "single-id",
            "label-without-image", "missing-image", "duplicate-box", "size-mismatch", "broken-image"}
# A bad id is said by one of these.
OFFENCES = {"out-of-range-id", "unknown-category", "unknown-class-name", "malformed-labels"}
MADE = {}


# ---- the table ------------------------------------------------------------------------------------------------------

class Set:
    """name; what: of `png`, `nothing`, `asks` ...; words: of the verdict by their first; rows: of the tree."""

    def __init__(self, name, verdict, choice):
        first, *more = verdict.split("; ")
        self.base, self.choice, self.rows = name, choice, []
        self.name = " ".join([name, *choice])
        self.what, *self.kinds = first.split()
        self.words = {w.split()[0]: w.split()[1:] for w in more}

    def files(self, bad=False):
        """{path: bytes}, {path: mark}; bad: the first label file has an id that is no class."""
        files, marks = {}, {}
        for mark, paths, text in self.rows:
            for path, n, names in paths:
                spoilt = bad and mark and not any(marks.values())
                key = (text, path if text[:3] in ("voc", ": <") else path.rsplit(".", 1)[-1], n, tuple(names or ()), spoilt)
                if key not in MADE:
                    MADE[key] = content(text, path, n if n is not None else 0, names, n is not None, spoilt)
                files[path] = MADE[key]
                marks[path] = mark
        if bad and self.what == "imagefolder":  # a folder that is no class
            path = re.sub(r"[^/]*(/[^/]*)$", r"boat\1", next(p for p, m in marks.items() if m))
            files[path], marks[path] = tree_files.JPEG, "="
        return files, marks


def expand(pattern, numbers, subs=1):
    """(path, number) of each file; a pattern without a number is one file."""
    parts = [list(enumerate(p.split(","))) if i % 2 else [(0, p)] for i, p in enumerate(re.split(r"\{([^{}]*)\}", pattern.replace(";", ",;")))]
    for choice in itertools.product(*parts):
        path = "".join(p for _, p in choice)
        shift = sum(100 * i for i, p in choice if p.startswith(";"))  # other numbers for each
        path = path.replace(";", "")
        if not re.search(r"[#*@~]", path):
            yield path, None
            continue
        for n in numbers:
            for j in range(1, subs + 1):
                yield tree_files.numbered(path.replace("@", str(j)).replace("~", tree_files.hashed(n, j)), n + shift), n + shift


def span(words):
    """The numbers and the files of each that a line says, and what is left of it."""
    said = re.match(r"(\d+)(?:-(\d+))?(?:x(\d+))? ", words)
    if not said:
        return range(1, 9), 1, words
    first, last = (int(said[1]), int(said[2])) if said[2] else (1, int(said[1]))
    return range(first, last + 1), int(said[3] or 1), words[said.end():]


def read_row(line):
    mark, pattern, words = re.match(r"(=\S*|) *(.*?)  +(.*)", line).groups()
    numbers, subs, text = span(words)
    word, _, rest = text.partition(" ")
    names = None
    if word in ("coco", "lvis", "zip"):
        inner, _, more = rest.partition(" ")
        names = [p for p, _ in expand(inner, span(more + " ")[0])]
        text = word + " " + rest
    return mark, [(path, n, names) for path, n in expand(pattern, numbers, subs)], text


def read_table(path):
    """The sets; a name with alternatives, `[a|b]`, is a set of each."""
    sets, lines = [], []
    with open(path) as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("    "):  # goes on
                lines[-1] += " " + line.strip()
            elif line and line[0] != "#":
                lines.append(line)
    for block in re.split(r"\n(?=[^ =])", "\n".join(lines)):
        choices = [c.split("|") for c in dict.fromkeys(re.findall(r"\[([^][\s]*\|[^][\s]*)\]", block))]
        for choice in zip(*choices) if len(set(map(len, choices))) == 1 else itertools.product(*choices):
            text = block
            for options, chosen in zip(choices, choice):
                text = text.replace("[%s]" % "|".join(options), chosen)
            head, *rows = text.split("\n")
            name, verdict = head.split(": ", 1)
            sets.append(Set(name, verdict, choice))
            sets[-1].rows = [read_row(row if row[0] == "=" else row.strip()) for row in rows]
    return sets


# ---- where a tree lies ----------------------------------------------------------------------------------------------

PLOT = tree_files.plot()
CLUTTER = {
    "README.md": b"# Cats\n\nTrain with `python train.py`.\n", "LICENSE": b"MIT\n", "train.py": b"import torch\n", "package.json": b'{"name": "cats"}\n',
    "requirements.txt": b"torch==2.1\nnumpy\n", "setup.cfg": b"[flake8]\nmax-line-length = 99\n", "configs/base.yaml": b"lr: 0.1\n",
    "notebooks/look.ipynb": b'{"cells": [{"cell_type": "code", "source": ["import torch"], "outputs": []}], "metadata": {}, "nbformat": 4}',
    "docs/figure.png": PLOT, "logs/results.csv": tree_files.rows("epoch,train/loss,val/loss | 20* <k>,<.>,<.>", 0, False, False),
    "logs/train_log.txt": tree_files.rows("40* <k> <.> <.> <.> <.>", 0, False, False),
    "logs/loss.txt": tree_files.rows("40* <k> <.>", 0, False, False), "runs/events.out.tfevents.1": tree_files.MAGIC["tfrecord"],
}
PLACES = {
    "alone": lambda files: files,
    "plots": lambda files: {**files, "runs/detect/train/F1_curve.png": PLOT, "assets/teaser.png": PLOT, "preview.jpg": tree_files.JPEG},
    "repository": lambda files: {**{"data/" + n: b for n, b in files.items()}, **CLUTTER},
    "deeper": lambda files: {"cats-v2/" + n: b for n, b in files.items()},
    "tar": lambda files: files, "zip": lambda files: files,
}
# One file that is no part of the set.
STRAYS = {
    "mask": ("example.png", png_of_bytes(48, tree_files.blobs(3))), "photo": ("thumb.jpg", tree_files.JPEG),
    "labels.npy": ("labels.npy", tree_files.ids([1, 2, 3, 0])), "yolo": ("example.txt", b"0 0.5 0.5 0.2 0.2\n1 0.4 0.4 0.1 0.1\n"),
    "coco": ("instances.json", tree_files.coco(["a.jpg", "b.jpg"])), "table": ("metadata.csv", b"id,age,class\np1,20,1\np2,23,0\n"),
    "events": ("events.out.tfevents.1", tree_files.MAGIC["tfrecord"]), "readme": ("README", b"# Cats\n\n1 2 3\n"), "plot": ("results.png", PLOT),
    "named mask": ("sample_labels.png", png_of_bytes(48, tree_files.blobs(5))), "curve": ("weights.npy", tree_files.floats(500)),
    "log": ("results.csv", b"epoch,train/loss,val/loss\n" + b"".join(b"%d,.5,.6\n" % i for i in range(9))), "seeds": ("seeds.txt", b"1\n2\n3\n4\n5\n"),
    "labelme": ("x.json", b'{"version": "5.0.1", "flags": {}, "shapes": [], "imagePath": "x.jpg", "imageData": null}'),
    "model": ("model.h5", tree_files.MAGIC["hdf5"]), "xml": ("x.xml", b"<annotation><filename>x.jpg</filename><object></object></annotation>"),
}


def put(folder, files, place="alone"):
    """Writes them; returns the PATH."""
    files = PLACES[place](files)
    os.makedirs(folder)
    if place == "zip":
        with open(folder + "/set.zip", "wb") as f:
            f.write(zip_of(files))
        return "set.zip"
    if place == "tar":
        with tarfile.open(folder + "/set.tar", "w") as tar:
            for name in sorted(files):
                info = tarfile.TarInfo(name)
                info.size = len(files[name])
                tar.addfile(info, io.BytesIO(files[name]))
        return "set.tar"
    made = set()
    for name, data in files.items():
        path = folder + "/set/" + name
        parent = os.path.dirname(path)
        if parent not in made:
            os.makedirs(parent, exist_ok=True)
            made.add(parent)
        with open(path, "wb") as f:
            f.write(data)
    return "set"


# ---- audits ---------------------------------------------------------------------------------------------------------

class Audit:
    """status; audited: the paths below the set's root, less `inside`; formats, unread, rules; said: of standard error."""

    def __init__(self, program, folder, path, classes, options, inside=""):
        done = subprocess.run([program, "-c", classes, "-i", "255", *(options if "--config" in options else ["--no-config", *options]), "-f", "jsonl", path], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.status, self.said, self.audited, self.formats, findings = done.returncode, done.stderr.decode(errors="replace"), set(), set(), []
        self.unread, self.left = set(), []
        for line in done.stdout.splitlines():
            part = json.loads(line)
            findings += part.get("findings", [])
            if part["type"] == "summary":
                self.unread = {k["kind"] for k in part["coverage"]["unread"]}
                self.left = [(r["reason"], r["label_files"], r["example"]) for r in part["coverage"]["left_out"] if r["labels"]]
            elif part["type"] == "file" and part["status"] != "skipped":
                name = part["path"] + ("/" + part["member"] if part["member"] else "")
                name = part["path"] if part["path"].endswith(".npz") else name
                self.audited.add(name[len(path) + 1 + len(inside):] if name.startswith(path + "/" + inside) else "!" + name)
                self.formats |= {part["format"].split()[0]} if part["format"] else set()
        self.rules = {f["rule"] for f in findings if f["level"] != "info"}
        self.findings = findings

    def asks(self):
        return self.status == 2 and "ambiguous-set" in self.said

    def __str__(self):
        return "exit %d %s %d files, unread %s, %s, left out %s %s" % (
            self.status, "+".join(sorted(self.formats)) or "nothing", len(self.audited), sorted(self.unread), sorted(self.rules - HARMLESS), self.left,
            self.said.strip()[-300:] if self.status == 2 else "")


def right(s, got, marks, mark="="):
    """Why an audit is not what the table says; None: it is."""
    expected = {p for p, m in marks.items() if m and (m == "=" or m == mark)}
    expected = {p + "/" + n for p in expected for n in ZIPPED.get(p, ())} or expected
    exits = "exit" in s.words
    if s.what == "not":
        return None if got.status else "it passes"
    if got.asks():
        return "it asks"
    if expected != got.audited:
        return "audited and should not %s, not audited and should %s" % (sorted(got.audited - expected)[:3], sorted(expected - got.audited)[:3])
    if s.what == "asks":
        return None
    status = int(s.words["exit"][0]) if exits else 2 if s.what == "columns" or not expected else 0
    if got.status != status:
        return "exit %d, not %d" % (got.status, status)
    if s.what not in ("nothing", "asks", "columns") and got.formats - set(s.what.split("+")):
        return "read as " + "+".join(sorted(got.formats))
    if "unread" in s.words and set(s.words["unread"]) - got.unread:
        return "unread %s are not named" % s.words["unread"]
    said = got.rules - HARMLESS - set(s.words.get("may", ()))
    must = {"ambiguous-columns"} if s.what == "columns" else set(s.words["exit"][1:]) if exits else set()
    return None if said == must - HARMLESS else "rules %s, not %s" % (sorted(said), sorted(must))


ZIPPED = {}


def class_file(s, folder, files):
    """The set's own, kept beside the PATH, or the usual one."""
    if "classes" not in s.words:
        return "../classes.txt"
    with open(folder + "/own_" + s.words["classes"][0], "wb") as f:
        f.write(files[s.words["classes"][0]])
    return "own_" + s.words["classes"][0]


class Runner:
    def __init__(self, program, scratch, words):
        self.program, self.scratch, self.words, self.numbers, self.known = program, scratch, words, itertools.count(), {}
        with open(scratch + "/classes.txt", "w") as f:
            f.write("\n".join(tree_files.NAMES) + "\n")

    def audit(self, s, files, place="alone", options=()):
        folder = "%s/%d" % (self.scratch, next(self.numbers))
        path = put(folder, files, place)
        inside = {"repository": "data/", "deeper": "cats-v2/"}.get(place, "")
        got = Audit(self.program, folder, path, class_file(s, folder, files), [*s.words.get("with", ()), *options], inside)
        shutil.rmtree(folder)
        return got

    def check(self, why, s, where, got, group):
        if self.words:
            print("%s, %s: %s: %s" % (s.name, where, why or "right", got))
        if group in s.words.get("wrong", ()):
            self.known.setdefault((s.base, group), []).append(why)
        else:
            checks.check(not why, s.name + ",", where + ":", why, "|", got)

    def alone(self, s, place):
        files, marks = s.files()
        got = self.audit(s, files, place)
        if s.what != "asks":
            why = right(s, got, marks)
        elif not got.asks():
            why = "it does not ask"
        else:  # each option that it offers leads to what the table says of it
            offered = re.findall(r"--kind (\w+)", got.said)
            why = None if offered == s.kinds else "it offers %s" % offered
            for kind in offered if not why else []:
                got = self.audit(s, files, place, ["--kind", kind])
                why = why or right(s, got, marks, "=" + kind)
        if s.what == "columns" and not why and place == "alone":
            pasted = (self.audit(s, files, place, ["--column", str(n)]) for n in range(2, 7))
            why = None if any(a.formats == {"list"} and a.status < 2 for a in pasted) else "no --column leads to an audit"
        self.check(why, s, place, got, place)

    def written(self, s):
        """What --explain --write-config writes leads to the same audit."""
        files, marks = s.files()
        folder = "%s/%d" % (self.scratch, next(self.numbers))
        path, classes = put(folder, files), class_file(s, folder, files)
        done = subprocess.run([self.program, "--no-config", "-c", classes, *s.words.get("with", ()), "--explain", "--write-config", path], cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        got = Audit(self.program, folder, path, classes, ["--config", "labelaudit.yaml", *s.words.get("with", ())])
        self.check(None if done.returncode == 0 and right(s, got, marks) is None else "%s %s" % (
            right(s, got, marks), done.stderr.decode()), s, "by what it writes", got, "written")
        shutil.rmtree(folder)

    def spoilt(self, s, stray=None, spot=""):
        """With a bad id, and a stray: the bad id is said, and nothing else is audited than without."""
        clean = s.files()
        files, marks = s.files(bad="exit" not in s.words and s.what not in ("nothing", "not", "asks"))
        if stray:
            name, data = STRAYS[stray]
            if spot + name in files:
                return
            files = {**files, spot + name: data}
        got = self.audit(s, files)
        where = "a bad id" + (" and a stray %s in %s" % (stray, spot or "its root") if stray else "")
        if got.asks():
            return self.check(None if stray or s.what == "asks" else "it asks", s, where, got, "strays" if stray else "bad")
        expected = {p for p, m in marks.items() if m}
        expected = {p + "/" + n for p in expected for n in ZIPPED.get(p, ())} or expected
        others = got.audited - {spot + (STRAYS[stray][0] if stray else "")}
        why = None
        alone = s.what == "nothing" and not others and ("unread" not in s.words or got.rules & {"unaudited-labels", "unread-format"})
        if got.status == 0 and not alone:
            why = "it passes"
        elif others != expected:
            why = "audited and should not %s, not audited and should %s" % (sorted(others - expected)[:3], sorted(expected - others)[:3])
        elif files != clean[0] and not stray and got.status == 1 and not got.rules & OFFENCES:
            why = "it does not say which id is bad"
        self.check(why, s, where, got, "strays" if stray else "bad")


def main():
    words = sys.argv[1:]
    sets = read_table(os.path.join(checks.ROOT, "tests/property/trees.txt"))
    asks = [s for s in sets if s.what == "asks"]
    if not words:
        checks.check(8 * len(asks) <= len(sets), "at most one set in eight ends in a question")
    for s in sets:
        for mark, paths, text in s.rows:
            if text.startswith("zip "):
                ZIPPED.update({path: names for path, _, names in paths})
    whole = ALL or bool(words)
    runner, jobs = Runner(checks.PROGRAM, FOLDER, words), []
    for i, s in enumerate(sets):
        if words and not any(w in s.name for w in words):
            continue
        away = s.words.get("away", [])
        places = [p for p in PLACES if p not in away]
        jobs += [(runner.alone, s, p) for k, p in enumerate(places) if whole or p == "alone" and (not s.choice or i % 4 == 0) or k == i % 24]
        if s.what not in ("nothing", "not", "asks", "columns") and (whole or i % 8 == 0):
            jobs.append((runner.written, s))
        if s.what not in ("nothing", "not", "asks", "columns") and "exit" not in s.words and (whole or i % 6 == 0):
            jobs.append((runner.spoilt, s))
        folder = next((paths[0][0].rpartition("/") for mark, paths, _ in s.rows if not mark), ("", "", ""))
        spots = dict.fromkeys(["", "extra/", folder[0] + folder[1]])
        strays = [t for t in STRAYS if t not in s.words.get("strays", ())]
        if s.what in ("not", "columns"):
            continue
        jobs += [(runner.spoilt, s, stray, spot) for k, (stray, spot) in enumerate(itertools.product(strays, spots))
                 if whole or (k + 7 * i) % 144 == 0]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: job[0](*job[1:]), jobs))
    for (name, group), reasons in runner.known.items():
        if any(reasons):
            print("known: %s, %s: %s" % (name, group, next(filter(None, reasons))[:150]))
        checks.check(any(reasons) or not whole, name, group, "is right: the mark `wrong` may go")
    checks.FAILURES_SHOWN = 400
    checks.finish()


main()
