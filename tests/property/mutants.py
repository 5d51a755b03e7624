#!/usr/bin/env -S python3 -SE
"""Damaged files of every format that is read: none ends the program, leaves it hanging, or is lost from the report; and the fast
path says of each what the plain one says. The sanitizers watch where the program was built with them.

usage: tests/property/mutants.py     MUTANT_SEEDS=N: how many sets of 1,460 files (`make mutants`: 10; else 1 of 400)
                                     BUILD=dir: where the program was built. Needs python3.
"""
import bz2
import json
import lzma
import os
import random
import shutil
import zlib

import pngs
from checks import BUILD, FOLDER, ROOT, TESTDATA, check, finish, run as run_program
from damage import damage, mend_tar
from made import read, write

SEEDS = int(os.environ.get("MUTANT_SEEDS", "0"))
EACH = 1460 if SEEDS else 400
FOUND = os.path.join(BUILD, "found")
LARGEST = 64 << 10
SEEDS_OF_ARCHIVES = os.path.join(ROOT, "tests/fuzz/corpus/archive")
# Python has no zstd of its own: its frames are damaged as they are.
PACKERS = {"bz2": (bz2.decompress, bz2.compress), "xz": (lzma.decompress, lzma.compress), "zst": None}


def sources():
    """{kind: [(name, bytes)]} of the files that are damaged."""
    kinds = {kind: [] for kind in ("png", "npy", "npz", "idx", "gz", "list", "yolo", "json", "tar", "tgz", "zip", *PACKERS)}
    for where, _, names in sorted(os.walk(TESTDATA)):
        for name in sorted(names):
            path = os.path.join(where, name)
            kind = name.rsplit(".", 1)[-1]
            kind = "idx" if name.endswith("-ubyte") else "list" if kind == "csv" or "/lists" in where else kind
            kind = "yolo" if kind == "txt" else kind
            if kind in kinds and os.path.getsize(path) <= LARGEST:
                kinds[kind].append((name, read(path)))
    for kind in PACKERS:
        kinds[kind].append(("seed.tar." + kind, read(os.path.join(SEEDS_OF_ARCHIVES, "tar-" + kind))))
    assert all(kinds.values())
    return kinds


def damage_within(kind, data, r):
    """What is packed, damaged and packed again: the checksums of the packed data are right."""
    unpack, pack = PACKERS[kind]
    inner = damage(unpack(data), r, [b"\0" * 64])
    return pack(mend_tar(inner) if r.randrange(2) else inner)


def make(seed, where):
    r = random.Random(seed)
    kinds = sources()
    for i in range(EACH):
        kind = sorted(kinds)[i % len(kinds)]
        name, b = r.choice(kinds[kind])
        b = damage(b, r, [other for _, other in kinds[kind]])[:4 * LARGEST]
        if kind == "png" and r.randrange(4):
            b = pngs.mend_crcs(b)
        if kind == "tar" and r.randrange(4):
            b = mend_tar(b)
        if kind in ("gz", "tgz") and r.randrange(3) == 0:
            try:
                inner = damage(zlib.decompressobj(31).decompress(r.choice(kinds[kind])[1]), r, [b"\0" * 64])
                packer = zlib.compressobj(wbits=31)
                b = packer.compress(inner) + packer.flush()
            except zlib.error:
                pass
        if PACKERS.get(kind) and r.randrange(2):
            b = damage_within(kind, kinds[kind][0][1], r)
        write(os.path.join(where, "%04d-%s" % (i, name)), b)


def broken(run):
    return run.returncode not in (0, 1, 2) or b"Sanitizer" in run.stderr or b"runtime error" in run.stderr


def keep(path, run):
    os.makedirs(FOUND, exist_ok=True)
    shutil.copy(path, FOUND)
    return "%s (in %s): exit status %d, %r" % (os.path.basename(path), FOUND, run.returncode, run.stderr[-300:])


def audit(names, where, decoder="fast"):
    return run_program("-q", "-c", "21", "-i", "255", "-f", "jsonl", "-o", os.path.join(FOLDER, "report.json"), "-o",
                       os.path.join(FOLDER, "report.html"), *names, cwd=where, timeout=600, environment={"LABELAUDIT_DECODER": decoder})


def of_files(out):
    """What is said of each file: not when the audit was, and how long it took."""
    return [line for line in out.splitlines() if line.startswith(b'{"type":"file"')]


def judge(seed):
    where = os.path.join(FOLDER, "mutants")
    make(seed, where)
    names = sorted(os.listdir(where))
    run = audit(names, where)
    if not check(not broken(run), "seed", seed, run.returncode, run.stderr[-300:]):
        for name in names:
            alone = audit([name], where)
            if broken(alone):
                check(False, keep(os.path.join(where, name), alone))
        shutil.rmtree(where)
        return
    report = json.loads(read("report.json"))
    s = report["summary"]
    files = [json.loads(line) for line in run.stdout.decode("utf-8").splitlines()]
    check(s["files"] == s["files_read"] + s["files_failed"] + s["files_skipped"], "seed", seed, s)
    files = [f for f in files if f["type"] == "file"]
    check(len(files) == s["files"], "seed", seed, len(files), s)
    told = {f["path"] for f in files if f["path"]} | {f["path"] for f in report["findings"]}
    for name in names:
        check(name in told, "seed", seed, name, "is not in the report")
    labels = sum(c["labels"] for c in report["classes"] + report["ignored"] + report["out_of_range"])
    check(labels <= s["labels"] and s["labels"] == sum(f.get("labels") or 0 for f in files if f["status"] == "read"), "seed", seed, "counts", s)
    for f in files:
        check(f["status"] == "read" or not f.get("labels"), "seed", seed, f["path"], "failed, and has labels")
        check(f["status"] != "failed" or any(x["level"] == "error" for x in f["findings"]), "seed", seed, f["path"], "failed without a finding")
    # The other way round, too: what a file leaves behind when it fails would be counted for the one after it.
    plain = audit(names[::-1], where, "libpng")
    same = sorted(of_files(plain.stdout)) == sorted(of_files(run.stdout)) != []
    check(plain.returncode == run.returncode and same, "seed", seed, "libpng's report, of the files in reverse, is another one")
    shutil.rmtree(where)


for number in range(max(1, SEEDS)):
    judge(number + 1)
print("%d damaged files" % (max(1, SEEDS) * EACH))
finish()
