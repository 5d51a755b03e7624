"""Tells what tests/property/damaged_archives.sh does.

usage: damaged_archives.py PROGRAM FOLDER TESTDATA COUNT SEED     FOLDER: empty; COUNT: archives that are damaged
"""
import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import tarfile
import zipfile

from checks import check, finish
from damage import damage

PROGRAM, FOLDER, TESTDATA = (os.path.abspath(p) for p in sys.argv[1:4])
COUNT, SEED = int(sys.argv[4]), int(sys.argv[5])
PLAIN = ("--io", "0", "-j", "1")
OTHERS = (("-j", "2"), ("--io", "0", "-j", "4"), ("--io", "8", "-j", "2"), ("--io", "64", "-j", "4"), ("--io", "64", "-j", "1"),
          ("--io", "8", "-j", "2", "-d", "sim"))
LONG = 1300000  # more than what is read before a thread begins to unpack ahead


def audit(path, words, through_pipe):
    """Returns the exit status, and the report without `run`."""
    with open(path, "rb") as file:
        command = [PROGRAM, "-q", "--no-config", "-c", "4", "-i", "255", "-f", "json", "--max-inflated", "64M", *words]
        try:
            if through_pipe:
                run = subprocess.run([*command, "-"], input=file.read(), capture_output=True, check=False, timeout=120)
            else:
                run = subprocess.run([*command, path], capture_output=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            return "hangs", b""
    return run.returncode, run.stdout.split(b'"run": {')[0]


def members(r):
    """Yields names and bytes: masks many times over, and what fills an archive."""
    masks = {}
    for folder in ("clean", "png"):
        for name in sorted(os.listdir(os.path.join(TESTDATA, folder))):
            if name.endswith(".png"):
                with open(os.path.join(TESTDATA, folder, name), "rb") as file:
                    masks[f"{folder}-{name}"] = file.read()
    header = b"\x93NUMPY\1\0v\0" + b"%-117s\n" % b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000, 300), }"
    text = b"".join(b"%d 0.5 0.5 0.25 0.125\n" % r.randrange(4) for _ in range(9000))
    for i in range(3):
        for name, content in masks.items():
            yield f"{i}/{name}", content
        yield f"{i}/array.npy", header + bytes(r.randrange(4) for _ in range(1000)) * 300
        yield f"{i}/boxes.txt", text
        yield f"{i}/other.bin", r.randbytes(20000) * 5


def make_archives(r):
    all_members = list(members(r))
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in all_members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    raw = raw.getvalue()
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
    for name, method in (("a.zip", zipfile.ZIP_DEFLATED), ("stored.zip", zipfile.ZIP_STORED)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as packed:
            for member, content in all_members:
                packed.writestr(member, content)
        archives[name] = out.getvalue()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, content in all_members:
            if member.endswith(".npy"):
                packed.writestr(member.replace("/", "-"), content)
    archives["a.npz"] = out.getvalue()
    return archives


def main():
    r = random.Random(SEED)
    archives = make_archives(r)
    names = sorted(archives)
    for i in range(COUNT):
        name = names[i % len(names)]
        data = archives[name] if i < len(names) else damage(archives[name], r, list(archives.values()))
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(data)
        through_pipe = ".t" in name and r.random() < 0.25
        words = r.choice(OTHERS)
        expected, got = audit(path, PLAIN, through_pipe), audit(path, words, through_pipe)
        what = f"{'pipe of ' if through_pipe else ''}{name} {i} of seed {SEED}, {' '.join(words)}"
        good = check(expected[0] in (0, 1, 2), what, "without threads: exit status", expected[0])
        if not (good and check(got == expected, what, f"exit status {got[0]}, {expected[0]} without threads")):
            os.rename(path, os.path.join(FOLDER, f"bad-{i}-{name}"))
    finish()


main()
