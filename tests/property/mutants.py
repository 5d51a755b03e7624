"""What tests/property/mutants.sh says.

usage: mutants.py PROGRAM TESTDATA FOLDER     FOLDER: empty; what breaks the program is copied to $BUILD/found
"""
import bz2
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import zlib

import pngs
from checks import check, finish
from damage import damage

PROGRAM, TESTDATA, FOLDER = (os.path.abspath(p) for p in sys.argv[1:4])
SEEDS = int(os.environ.get("MUTANT_SEEDS", "0"))
EACH = 1460 if SEEDS else 400
FOUND = os.path.join(os.path.dirname(PROGRAM), "found")
LARGEST = 64 << 10
SEEDS_OF_ARCHIVES = os.path.join(os.path.dirname(TESTDATA), "tests", "fuzz", "corpus", "archive")
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
                with open(path, "rb") as f:
                    kinds[kind].append((name, f.read()))
    for kind in PACKERS:
        with open(os.path.join(SEEDS_OF_ARCHIVES, "tar-" + kind), "rb") as f:
            kinds[kind].append(("seed.tar." + kind, f.read()))
    assert all(kinds.values())
    return kinds


def damage_within(kind, data, r):
    """What is packed, damaged and packed again: the checksums of the packed data are right."""
    unpack, pack = PACKERS[kind]
    inner = damage(unpack(data), r, [b"\0" * 64])
    return pack(mend_tar(inner) if r.randrange(2) else inner)


def mend_tar(b):
    """The checksum of one header after the other."""
    out = bytearray(b)
    for at in range(0, len(out) - 511, 512):
        if out[at + 257:at + 262] == b"ustar":
            out[at + 148:at + 156] = b" " * 8
            out[at + 148:at + 156] = b"%06o\0 " % sum(out[at:at + 512])
    return bytes(out)


def make(seed, where):
    r = random.Random(seed)
    kinds = sources()
    os.makedirs(where)
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
        with open(os.path.join(where, "%04d-%s" % (i, name)), "wb") as f:
            f.write(b)


def broken(run):
    return run.returncode not in (0, 1, 2) or b"Sanitizer" in run.stderr or b"runtime error" in run.stderr


def keep(path, run):
    os.makedirs(FOUND, exist_ok=True)
    shutil.copy(path, FOUND)
    return "%s (in %s): exit status %d, %r" % (os.path.basename(path), FOUND, run.returncode, run.stderr[-300:])


def audit(names, where, decoder="fast"):
    command = [PROGRAM, "-q", "-c", "21", "-i", "255", "-f", "jsonl", "-o", os.path.join(FOLDER, "report.json"), "-o",
               os.path.join(FOLDER, "report.html"), *names]
    return subprocess.run(command, cwd=where, capture_output=True, check=False, timeout=600, env={**os.environ, "LABELAUDIT_DECODER": decoder})


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
    report = json.load(open(os.path.join(FOLDER, "report.json"), encoding="utf-8"))
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
