"""Runs of the program beside the plain audit, each of whose calls may fail: for tests/property/torture.py.

A case is what is run, in which folder, with what on standard input, and what it writes in the folder `out`, which is made anew for
each run. What was there before has the text OLD.
"""
import gzip
import json
import math
import os
import random
import re
import shutil
import subprocess
import tarfile
import zlib

from checks import FOLDER, PROGRAM, ROOT, TESTDATA
from made import npy_head, write
from pngs import png_of_stream

OLD = b"the old report\n"


class Case:
    def __init__(self, name, words, stdin=None, outputs=(), before=None, again=False, tells=None, every=()):
        self.name = name
        self.words = words
        self.stdin = stdin  # a file whose bytes come through a pipe
        self.outputs = outputs  # written by it; there before it, with OLD
        self.before = before  # a folder whose copy out/ begins with
        self.tells = tells  # a report with this is a good one: a failure that is a finding, not an end
        self.every = every  # calls of which none is left out, since one of few is what matters
        self.again = again  # run again without a failure, it gives the same: what it leaves is not trusted blindly


def comparable(data):
    """Without what differs from run to run."""
    data = re.sub(rb'\n  "run": \{.*', b"", data)
    return re.sub(rb'"run": ?\{[^{}]*(\{[^{}]*\}[^{}]*)*\}', b"", data)


class Bench:
    """A folder with the data of all cases, and what runs them."""

    def __init__(self):
        self.data = os.path.join(FOLDER, "more")
        self.out = os.path.join(FOLDER, "out")
        os.mkdir(self.data)
        self.make_data()
        self.cases = self.make_cases()

    def path(self, *names):
        return os.path.join(self.data, *names)

    def write(self, name, text):
        write(self.path(name), text)

    def make_data(self):
        for name in ("clean", "pairs", "yolo"):
            shutil.copytree(os.path.join(TESTDATA, name), self.path(name))
        shutil.copytree(os.path.join(TESTDATA, "arrays", "mnist"), self.path("idx"))
        for rule in ("panoptic-mismatch", "duplicate-category-name", "hidden-class-folder", "inconsistent-palette", "git-lfs-pointer"):
            shutil.copytree(os.path.join(TESTDATA, "rules", rule), self.path("rules", rule))
        os.mkdir(self.path("masks"))
        for name in ("stray-id-21.png", "scene-01.png", "cut-short.png", "resized-bilinear.png", "painted-in-colours.png"):
            shutil.copy(os.path.join(TESTDATA, "masks", name), self.path("masks"))
        for name in ("clean.zip", "clean.tgz", "odd.tar", "odd.zip"):
            shutil.copy(os.path.join(TESTDATA, "archives", name), self.data)
        with open(os.path.join(TESTDATA, "lists", "header.csv"), "rb") as f, gzip.open(self.path("list.csv.gz"), "wb") as g:
            g.write(f.read())
        write(self.path("video.bin"), bytes(1 << 20))
        for form in ("", "gz", "xz"):
            with tarfile.open(self.path("large.tar" + form), "w:" + form) as tar:
                tar.add(self.path("video.bin"), "video.bin")  # to be passed over
                tar.add(self.path("clean", "01.png"), "01.png")
        write(self.path("noise.bin"), random.Random(1).randbytes(1500000))  # so long that a thread unpacks it
        with tarfile.open(self.path("long.targz"), "w:gz", compresslevel=1) as tar:
            for name in ("noise.bin", os.path.join("clean", "01.png")):
                tar.add(self.path(name), name)
        self.make_large()
        for shape in ((20, 30), (30, 20, 40), (40, 20, 4), (20, 40, 3)):
            self.write_array("arrays", shape)
        os.mkdir(self.path("interlaced"))
        for name in sorted(os.listdir(os.path.join(TESTDATA, "png"))):
            if "adam7" in name:
                shutil.copy(os.path.join(TESTDATA, "png", name), self.path("interlaced"))
        seeds = os.path.join(ROOT, "tests/fuzz/corpus/archive")
        for form in ("bz2", "xz", "zst"):
            shutil.copy(os.path.join(seeds, "tar-" + form), self.path("small.tar." + form))
        self.write("data.yaml", "names:\n  0: sky\n  1: road\n  2: car\n  3: man\nnc: 4\ntrain: [a, {b: [c]}]\n")
        self.write("classes.json", '{"categories": [{"id": 3, "name": "man"}, {"id": 1, "name": "r\\u00f6ad"}]}')
        self.write("classes.csv", 'Pixel Value, Class\n0, sky\n1, "road"\n2, car\n3, man\n')
        self.write("labelaudit.yaml", 'classes: data.yaml\nignore: [255]\nseverity:\n  - missing-class=off\nper-path:\n'
                                      '  "masks/c*": [file]\n')
        self.write("paths", "clean/01.png\nclean/02.png\nmasks\n./no-such\n")
        for i in "12":
            self.set_up("-c", "4", "-i", "255", "-f", "none", "--shard", i + "/2", "-o", "part-" + i + ".json", "clean", "masks", "yolo")
        self.set_up("-c", "4", "-i", "255", "-f", "none", "-o", "old.json", "clean")
        self.set_up("-c", "4", "-i", "255", "-f", "none", "-o", "new.json", "clean", "masks")
        self.set_up("-c", "4", "-i", "255", "-f", "none", "--write-baseline", "known.json", "clean", "masks/stray-id-21.png")
        # not the copies: a file that has just been written is not kept
        self.old_data = [os.path.join(TESTDATA, name) for name in ("clean", "masks")]
        self.set_up("-c", "4", "-i", "255", "-f", "none", "--cache=filled/cache", *self.old_data)

    def write_array(self, folder, shape):
        """Regions of 0, 1 and 2; as a mask, a stack of masks, or pictures, by its shape."""
        n = math.prod(shape)
        # large rows repeat: they are soon measured
        write(self.path(folder, "x".join(map(str, shape)) + ".npy"), npy_head("|u1", shape) + (b"\0" * 90 + b"\1" * 70 + b"\2" * 40) * (n // 200) + bytes(n % 200))

    def make_large(self):
        """Beyond the 8 MiB that are read at once: a PNG of stored blocks and an array, which are streamed, and as members that are, too."""
        width, height = 4096, 2100
        packed = zlib.compress(bytes((1 + width) * height), 0)
        write(self.path("large", "stored.png"), png_of_stream(width, height, [packed[at:at + 65536] for at in range(0, len(packed), 65536)]))
        self.write_array("large", (3000, 3000))
        for form, names in (("", ("stored.png",)), ("gz", ("3000x3000.npy",))):
            with tarfile.open(self.path("members.tar" + form), "w:" + form) as tar:
                for name in names:
                    tar.add(self.path("large", name), name)

    def set_up(self, *words):
        run = subprocess.run([PROGRAM, "-q", "--no-config", *words], cwd=self.data, capture_output=True, check=False)
        if run.returncode not in (0, 1):
            raise SystemExit("torture: %s: %s" % (words, run.stderr.decode(errors="replace")))

    def make_cases(self):
        audit = ["-j", "1", "-f", "none", "--no-config"]
        out = os.path.relpath(self.out, self.data) + "/"
        plain = [*audit, "-c", "4", "-i", "255", "-o", out + "r.json"]
        return [
            Case("settings, a baseline, a page", ["-j", "1", "-f", "none", "--baseline", "known.json", "--write-baseline",
                                                  out + "known.json", "-o", out + "r.json", "-o", out + "r.html", "clean", "masks"],
                 outputs=("r.json", "r.html", "known.json")),
            Case("a cache", [*plain, "--cache=" + out + "cache", *self.old_data], outputs=("r.json",), again=True),
            Case("a filled cache", [*plain, "--cache=" + out + "cache", *self.old_data], outputs=("r.json",), before="filled", again=True),
            Case("pairs", [*plain, "--images", "pairs/images", "pairs/masks"], outputs=("r.json",),
                 tells=rb"cannot be used: (cannot|not enough memory)", every=("readdir",)),
            Case("pairs below folders", [*plain, "--images", "pairs/images", "pairs"], outputs=("r.json",),
                 tells=rb"cannot be used: (cannot|not enough memory)"),
            Case("YOLO, COCO, IDX and folders", [*plain, "yolo", "idx", "rules", "list.csv.gz"], outputs=("r.json",)),
            Case("an ImageFolder", [*plain, "--kind", "imagefolder", "rules/hidden-class-folder"], outputs=("r.json",)),
            Case("archives", [*plain, "clean.zip", "clean.tgz", "odd.tar", "odd.zip", "large.tar"], outputs=("r.json",)),
            Case("a tar packed by xz", [*plain, "large.tarxz"], outputs=("r.json",)),
            Case("small archives of all packings", [*plain, "small.tar.bz2", "small.tar.xz", "small.tar.zst"], outputs=("r.json",)),
            Case("a tar that a thread unpacks", ["-j", "2", *plain[2:], "long.targz"], outputs=("r.json",), every=("pthread_create",)),
            Case("interlaced", [*plain, "interlaced"], outputs=("r.json",)),
            Case("arrays of masks", [*plain, "arrays"], outputs=("r.json",), every=("calloc",)),
            Case("large files", [*plain, "large"], outputs=("r.json",)),
            Case("large members", [*plain, "members.tar", "members.targz"], outputs=("r.json",)),
            Case("a list of files", [*plain, "--files-from", "-"], stdin="paths", outputs=("r.json",)),
            Case("a tar through a pipe", [*plain, "-"], stdin="clean.tgz", outputs=("r.json",)),
            Case("a large tar through a pipe", [*plain, "-"], stdin="large.targz", outputs=("r.json",)),
            Case("a zip through a pipe", [*plain, "-"], stdin="clean.zip", outputs=("r.json",)),
            Case("a mask through a pipe", [*plain, "-"], stdin="clean/01.png", outputs=("r.json",)),
            Case("a class file, YAML", [*audit, "-c", "data.yaml", "-o", out + "r.json", "clean/01.png"], outputs=("r.json",)),
            Case("a class file, JSON", [*audit, "-c", "classes.json", "-o", out + "r.json", "clean/01.png"], outputs=("r.json",)),
            Case("a class file, CSV", [*audit, "-c", "classes.csv", "-o", out + "r.json", "clean/01.png"], outputs=("r.json",)),
            Case("merge", ["merge", "-f", "none", "-o", out + "r.json", "part-1.json", "part-2.json"], outputs=("r.json",)),
            Case("render", ["render", "-f", "sarif", "-o", out + "r.html", "new.json"], outputs=("r.html",)),
            Case("diff", ["diff", "-f", "text", "-o", out + "r.json", "old.json", "new.json"], outputs=("r.json",)),
        ]

    def start_over(self, case):
        shutil.rmtree(self.out, ignore_errors=True)
        if case.before:
            shutil.copytree(self.path(case.before), self.out)
        else:
            os.mkdir(self.out)
        for name in case.outputs:
            with open(os.path.join(self.out, name), "wb") as f:
                f.write(OLD)

    def run(self, case, env=None):
        """(exit status, standard output, standard error, what was written); None: it hangs"""
        data = b""
        if case.stdin:
            with open(self.path(case.stdin), "rb") as f:
                data = f.read()
        try:
            run = subprocess.run([PROGRAM, *case.words], cwd=self.data, env=env, input=data, capture_output=True,
                                 check=False, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        written = {}
        for name in case.outputs:
            with open(os.path.join(self.out, name), "rb") as f:
                written[name] = f.read()
        return run.returncode, comparable(run.stdout), run.stderr, written

    def left(self):
        """Temporary files."""
        return [name for name in os.listdir(self.out) if name not in ("r.json", "r.html", "known.json", "cache", "CACHEDIR.TAG")]


def same(result, whole):
    """All but what is said: a cache or a picture that could not be written is a word on standard error."""
    return result[0] == whole[0] and result[1] == whole[1] and all(
        comparable(result[3][name]) == comparable(whole[3][name]) or name.endswith(".html") and whole_page(result[3][name])
        for name in whole[3])


def whole_page(data):
    return data.rstrip().endswith(b"</html>")


def told(case, result):
    return bool(case.tells) and any(re.search(case.tells, data) for data in result[3].values())


def half(case, result, whole):
    """Which of the outputs is neither the old one nor a new one, whole or called incomplete; None if all are good."""
    for name, data in result[3].items():
        if data == OLD or comparable(data) == comparable(whole[3][name]) or whole_page(data) or told(case, result):
            continue
        try:
            report = json.loads(data)
            if report.get("complete") is False or "findings" in report and "labelaudit_baseline" in report:
                continue
        except ValueError:
            pass
        return name + ": " + data[-200:].decode(errors="replace")
    return None
