#!/usr/bin/env -S python3 -SE
"""Archives of all packings, damaged at random: the same report however many threads read and unpack them, of a file and of a pipe.

usage: tests/property/damaged_archives.py [COUNT [SEED]]     26 archives, two of each kind; LABELAUDIT_TEST=all: 400     BUILD=dir: where the
       program was built
"""
import bz2
import gzip
import lzma
import os
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile

from checks import ALL, BUILD, FOLDER, TESTDATA, check, finish, run
from damage import damage
from made import npy_head, read, tar, write, zip_of

COUNT, SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 400 if ALL else 26, int((*sys.argv, 1, 1)[2])
PLAIN = ("--io", "0", "-j", "1")
OTHERS = (("-j", "2"), ("--io", "0", "-j", "4"), ("--io", "8", "-j", "2"), ("--io", "64", "-j", "4"), ("--io", "64", "-j", "1"),
          ("--io", "8", "-j", "2", "-d", "sim"))
LONG = 1300000  # more than what is read before a thread begins to unpack ahead


def audit(path, words, through_pipe):
    """Returns the exit status, and the report without `run`."""
    command = ["-q", "--no-config", "-c", "4", "-i", "255", "-f", "json", "--max-inflated", "64M", *words]
    try:
        done = run(*command, "-", input=read(path)) if through_pipe else run(*command, path)
    except subprocess.TimeoutExpired:
        return "hangs", b""
    return done.returncode, done.stdout.split(b'"run": {')[0]


def members(r):
    """Yields names and bytes: masks many times over, and what fills an archive."""
    masks = {}
    for folder in ("clean", "png"):
        for name in sorted(os.listdir(os.path.join(TESTDATA, folder))):
            if name.endswith(".png"):
                masks[f"{folder}-{name}"] = read(os.path.join(TESTDATA, folder, name))
    header = npy_head("|u1", (1000, 300))
    text = b"".join(b"%d 0.5 0.5 0.25 0.125\n" % r.randrange(4) for _ in range(9000))
    for i in range(3):
        for name, content in masks.items():
            yield f"{i}/{name}", content
        yield f"{i}/array.npy", header + bytes(r.randrange(4) for _ in range(1000)) * 300
        yield f"{i}/boxes.txt", text
        yield f"{i}/other.bin", r.randbytes(20000) * 5


def make_archives(r):
    all_members = list(members(r))
    raw = tar(all_members, tarfile.PAX_FORMAT)
    check(len(raw) > LONG, "the archives are long enough")
    half = len(raw) // 2
    archives = {
        "a.tar": raw,
        "a.tar.gz": gzip.compress(raw, 6),
        "fast.tgz": gzip.compress(raw, 1),
        "two.tar.gz": gzip.compress(raw[:half], 9) + gzip.compress(raw[half:], 6),
        "stored.tar.gz": gzip.compress(raw, 0),
        "a.tar.bz2": bz2.compress(raw, 1),
        "a.tar.xz": lzma.compress(raw, preset=0),
    }
    for level in ("-1", "-12"):
        try:
            archives[f"a{level}.tar.zst"] = subprocess.run(["zstd", "-q", "-c", level], input=raw, capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            print("skipped: zstd is not here")
    arrays = [(name.replace("/", "-"), content) for name, content in all_members if name.endswith(".npy")]
    return {**archives, "a.zip": zip_of(all_members, zipfile.ZIP_DEFLATED), "stored.zip": zip_of(all_members),
            "a.npz": zip_of(arrays, zipfile.ZIP_DEFLATED)}


def main():
    r = random.Random(SEED)
    archives = make_archives(r)
    names = sorted(archives)
    for i in range(COUNT):
        name = names[i % len(names)]
        data = archives[name] if i < len(names) else damage(archives[name], r, list(archives.values()))
        path = write(name, data)
        through_pipe = ".t" in name and r.random() < 0.25
        words = r.choice(OTHERS)
        expected, got = audit(path, PLAIN, through_pipe), audit(path, words, through_pipe)
        what = f"{'pipe of ' if through_pipe else ''}{name} {i} of seed {SEED}, {' '.join(words)}"
        good = check(expected[0] in (0, 1, 2), what, "without threads: exit status", expected[0])
        if not (good and check(got == expected, what, f"exit status {got[0]}, {expected[0]} without threads")):
            print("what was damaged:", shutil.move(os.path.join(FOLDER, path), os.path.join(BUILD, f"bad-{i}-{name}")))
    finish()


main()
