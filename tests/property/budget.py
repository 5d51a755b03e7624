#!/usr/bin/env -S python3 -SE
"""Few bytes cannot buy much work: what all files together declare beyond their bytes on disk is bounded (--pixel-budget), in folders,
archives and through several layers of packing; the report is the same for any threads, devices, pipes and caches.

usage: tests/property/budget.py     BUILD=dir: where the program was built. Needs python3.
"""
import bz2
import gzip
import json
import lzma
import os
import struct
import subprocess
import time
import zipfile
import zlib

import made
from checks import ALL, FOLDER, PROGRAM, check, finish
from made import npy_head, tar, zip_of
from pngs import adler32_of_repeated, chunk, png_of_stream

os.chdir(FOLDER)
UNITS_A_BYTE = 1100  # base/work_units.h
FILE_BYTES = 4096


def png(width, height, depth=1, row=None, level=9):
    """A mask of one id, or of the row over and over: what some rows are packed to is repeated, too."""
    row = row or b"\0" + bytes((width * depth + 7) // 8)
    rows = min(height, 1 + (1 << 20) // len(row))
    block, rest = row * rows, row * (height % rows)
    z = zlib.compressobj(level, zlib.DEFLATED, -15)
    piece = z.compress(block) + z.flush(zlib.Z_FULL_FLUSH)
    data = b"\x78\x01" + piece * (height // rows) + z.compress(rest) + z.flush()
    adler = zlib.adler32(rest, adler32_of_repeated(block, height // rows))
    return png_of_stream(width, height, [data + struct.pack(">I", adler)], depth)


def write(path, data):
    """A file that is old enough for the cache."""
    os.utime(made.write(path, data), (1e9, 1e9))


def audit(*arguments, form="json", dribbled=None, environment=None):
    """(exit status, the report without `run`, names of the files over the budget, those over another limit)"""
    r = subprocess.Popen([PROGRAM, "-q", "-c", "5", "-i", "255", "-f", form, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
    if dribbled:
        for at in range(0, len(dribbled), 137):  # a pipe gives what its writer wrote at once
            r.stdin.write(dribbled[at:at + 137])
            r.stdin.flush()
            if at < 137 * 20:
                time.sleep(0.002)
    out = r.communicate(timeout=120)[0]
    report = json.loads(out)
    report.pop("run")
    over, other = [], []
    for f in report["findings"]:
        if f["rule"] == "limit-exceeded":
            (over if "(--pixel-budget)" in f["message"] else other).append(f["member"] or os.path.basename(f["path"]))
    return r.returncode, report, over, other


def first_over(count, units, disk_bytes, budget):
    """The number of files of these units and bytes that pass before the budget is spent."""
    for i in range(count):
        budget -= max(0, units - UNITS_A_BYTE * disk_bytes)
        if budget < 0:
            return i
    return count


# ---- a folder: in the order of the walk, whatever measures -----------------------------------------------------------
COUNT, SIDE, BUDGET = (40, 4800, 100 << 20) if ALL else (12, 2304, 4 << 20)
one = png(SIDE, SIDE, 1, b"\0" + b"\x55" * (SIDE // 8))  # not of one id: it costs what it declares
files = [("%02d.png" % i, one) for i in range(COUNT)]
ordinary = png(300, 200, 8)
for name, data in files:
    write("set/" + name, data)
write("set/99-ordinary.png", ordinary)
passing = first_over(COUNT, SIDE * SIDE, max(len(one), FILE_BYTES), BUDGET)
assert 2 < passing < COUNT // 2
expected = ["%02d.png" % i for i in range(passing, COUNT)]
status, whole, over, other = audit("--pixel-budget", str(BUDGET), "-j", "1", "set")
check((status, over, other) == (1, expected, []), "set:", status, over, other)
for arguments in ["-j", "3"], ["-j", "16"], ["--cache=cache"], ["--cache=cache", "-j", "4"], ["--cache=cache"], ["-d", "sim"]:
    got = audit("--pixel-budget", str(BUDGET), *arguments, "set")
    check(got[1] == whole, "another report with", arguments, got[0], got[2])
got = audit("--pixel-budget", str(BUDGET), "set", environment={"LABELAUDIT_DECODER": "libpng"})
check(got[1] == whole, "another report of libpng", got[0], got[2])
for budget in "0", str(COUNT * SIDE * SIDE):
    status, _, over, other = audit("--pixel-budget", budget, "set")
    check((status, over) == (0, []), "budget", budget, status, over)
# the cache holds those that were measured with another budget: the verdict is the same
audit("--pixel-budget", "0", "--cache=cache", "set")
got = audit("--pixel-budget", str(BUDGET), "--cache=cache", "-j", "2", "set")
check(got[1] == whole, "another report after a larger budget was cached", got[0], got[2])

# ---- archives, and what is packed twice ------------------------------------------------------------------------------
packed = {
    "a.tar": (tar(files), len(one) + 512),
    "a.zip": (zip_of(files), len(one) + 76),
    "b.zip": (zip_of(files, zipfile.ZIP_DEFLATED), len(zlib.compress(one)) - 6 + 76),
    "a.tar.gz": (gzip.compress(tar(files)), None),
    "a.tar.bz2": (bz2.compress(tar(files)), None),
    "a.tar.xz": (lzma.compress(tar(files)), None),
}
for name, (data, disk_bytes) in packed.items():
    write(name, data)
    if disk_bytes:
        passing = first_over(COUNT, SIDE * SIDE, disk_bytes, BUDGET)
    else:  # all that the archive has goes to the first ones
        passing = (BUDGET + len(data) * UNITS_A_BYTE) // (SIDE * SIDE)
    status, whole, over, other = audit("--pixel-budget", str(BUDGET), "-j", "1", name)
    check(status == 1 and not other and abs(COUNT - len(over) - passing) <= (0 if disk_bytes else 1), name, status, passing, over, other)
    check(over == ["%02d.png" % i for i in range(COUNT - len(over), COUNT)], name, over)
    check(audit("--pixel-budget", str(BUDGET), "-j", "3", name)[1] == whole, "another report of", name, "with -j 3")
    check(audit("--pixel-budget", "0", name)[0] == 0, name, "without a budget")
    if not disk_bytes:
        reports = [audit("--pixel-budget", str(BUDGET), "-j", jobs, "-", dribbled=data) for jobs in "12"]
        check(reports[0][1] == reports[1][1], name, "in a pipe is another")
        check(reports[0][0] == 1, name, "in a pipe", reports[0][0])
status, _, over, _ = audit("--pixel-budget", str(BUDGET), *sorted(packed))
check(status == 1 and len(over) > COUNT * len(packed) - 40, "all archives share one budget:", len(over))

# ---- packed label files: what they unpack to is work, too ------------------------------------------------------------
NPY_BYTES, NPY_COUNT = (40 if ALL else 4) << 20, 12 if ALL else 8
BZIP2_UNITS, XZ_UNITS = 8, 6  # base/work_units.h
ARRAYS_BUDGET = 20 * NPY_BYTES
npy = npy_head("|u1", (NPY_BYTES // 4096, 4096)) + bytes(NPY_BYTES)
small = bz2.compress(npy)
for i in range(NPY_COUNT):
    write("arrays/%02d.npy.bz2" % i, small)
passing = first_over(NPY_COUNT, len(npy) * BZIP2_UNITS, max(len(small), FILE_BYTES), ARRAYS_BUDGET)
assert 1 < passing < NPY_COUNT
status, whole, over, other = audit("--pixel-budget", str(ARRAYS_BUDGET), "-j", "1", "arrays")
check((status, over, other) == (1, ["%02d.npy.bz2" % i for i in range(passing, NPY_COUNT)], []), "arrays:", status, over, other)
check(audit("--pixel-budget", str(ARRAYS_BUDGET), "-j", "4", "arrays")[1] == whole, "another report of arrays with -j 4")
check(audit("--pixel-budget", "0", "arrays")[0] == 0, "arrays without a budget")
# what is packed around a PNG is not settled with it, and does not wait for it
write("packed-png/0.png.gz", gzip.compress(one[:33] + chunk(b"teSt", os.urandom(9 << 20)) + one[33:], 1))
write("packed-png/1.png.gz", gzip.compress(one))
check(audit("-j", "1", "packed-png")[0] == 0, "packed PNGs")

# ---- a mask of one id costs its bytes, whatever it declares ----------------------------------------------------------
for bits, count, pack in (1, 20, "zip"), (2, 10, "tar"), (1, 20, "tar"), (2, 10, "zip"):
    if ALL or (bits == 1) == (pack == "zip"):
        flat = png(20000, 20000, bits)
        many = [("%02d.png" % i, flat) for i in range(count)]
        name, data = "flat%d.%s" % (bits, pack), tar(many) if pack == "tar" else zip_of(many)
        assert 800000 < len(data) < 1100000
        write(name, data)
        reports = [audit("--view", "raw", "-j", jobs, name) for jobs in (("1", "2", "16") if ALL else ("2",))]
        check(reports[0][0] == 0 and reports[0][2:] == ([], []), name, *reports[0][2:])
        check(all(r == reports[0] for r in reports), "another report of", name)
# what is reserved for it comes back, in time for the next one; one that is not of one id does not
FLAT_SIDE, FLAT_COUNT = 6000 if ALL else 2304, 30
flat = png(FLAT_SIDE, FLAT_SIDE)
few = png(FLAT_SIDE, FLAT_SIDE, 1, b"\0" + b"\x55" * (FLAT_SIDE // 8))
write("settled/00.png", few)
for i in range(1, FLAT_COUNT):
    write("settled/%02d.png" % i, flat)
write("settled/%02d.png" % FLAT_COUNT, few)
write("settled/%02d.png" % (FLAT_COUNT + 1), flat)
excess = FLAT_SIDE * FLAT_SIDE - UNITS_A_BYTE * max(len(few), FILE_BYTES)
flat_excess = FLAT_SIDE * FLAT_SIDE - UNITS_A_BYTE * max(len(flat), FILE_BYTES)
assert 0 < excess <= flat_excess
for budget, refused in (excess + flat_excess, ["31.png"]), (2 * excess + flat_excess, []):
    reports = [audit("--pixel-budget", str(budget), *more, "settled") for more in
               ([["-j", "1"], ["-j", "2"], ["-j", "16"], ["-d", "sim"], ["-d", "sim", "-j", "3"]] if ALL else
                [["-j", "1"], ["-j", "16"], ["-d", "sim", "-j", "3"]] if refused else [["-j", "2"]])]
    check(reports[0][2:] == (refused, []), "settled:", budget, *reports[0][2:])
    check(all(r == reports[0] for r in reports), "another report of settled with", budget)

# ---- thousands of tiny archives: what they may unpack to beyond the ratio is shared ----------------------------------
FREE_UNITS, RATIO = 512 << 20, 200  # base/work_units.h

for name, pack, tiny_mib, count, units in (("tar.bz2", bz2.compress, 24, 4, BZIP2_UNITS),
                                           ("tar.xz", lambda d: lzma.compress(d, preset=0), 24, 6, XZ_UNITS),
                                           ("tar.gz", lambda d: gzip.compress(d, 6), 40, 18, 1)):
    data = pack(tar([("0.png", ordinary), ("junk.bin", bytes(tiny_mib << 20))]))
    passing = FREE_UNITS // (((tiny_mib << 20) - RATIO * len(data)) * units)
    assert 0 < passing < count, (name, passing)
    for i in range(count):
        write("tiny-%s/%02d.%s" % (name, i, name), data)
    # what 18 archives of 40 MiB unpack to is long, for one size of the pool and for none
    reports = [audit("--kind", "mask", "-j", jobs, "tiny-" + name)
               for jobs in (("1", "2", "16") if ALL else ("3",) if name == "tar.gz" else ("1", "3"))]
    got = reports[0][3]
    check(reports[0][0] == 1 and abs(len(got) - (count - passing)) <= 1, "tiny", name, len(got), count - passing)
    check(got == ["%02d.%s" % (i, name) for i in range(count - len(got), count)], "tiny", name, got)
    check(all(r == reports[0] for r in reports), "another report of tiny", name)
    if ALL or name == "tar.bz2":
        check(audit("--kind", "mask", "--max-archive-ratio", "0", "tiny-" + name)[0] == 0, "tiny", name, "without a limit")

# ---- what real sets hold passes with the usual budget ----------------------------------------------------------------
huge = png(20000, 20000, 8, level=1)
large = [("%d.png" % i, huge) for i in range(3 if ALL else 1)]
for name, data in ("large.zip", zip_of(large)), ("large.tar", tar(large)), ("large.tar.gz", gzip.compress(tar(large[:2]))):
    if not ALL and name != "large.zip":
        continue
    write(name, data)
    status, _, over, other = audit("--view", "raw", name)  # Pillow reads 179 M pixels
    check((status, over, other) == (0, [], []), name, status, over, other)
empty = png(512, 512, 8)
slices = [("%04d.png" % i, empty) for i in range(3000 if ALL else 1000)]
write("slices.tar.xz", lzma.compress(tar(slices), preset=0))
status, _, over, other = audit("slices.tar.xz")
check((status, over, other) == (0, [], []), "slices.tar.xz:", status, len(over), other)

# ---- a gigapixel of one bit, many times in almost nothing: one of them is measured -----------------------------------
pixels = png(65536, 16000, 1, level=1)
write("giga.tar.xz", lzma.compress(tar([("%d.png" % i, pixels) for i in range(20)]), preset=0))
status, _, over, other = audit("--view", "raw", "giga.tar.xz")
check((status, len(over), other) == (1, 19, []), "giga.tar.xz:", status, len(over), other)
# what the decoder refuses for another reason does not take from the budget
fraud = bytearray(png(64, 64, 8))
fraud[16:24] = struct.pack(">II", 30000, 30000)
fraud[29:33] = struct.pack(">I", zlib.crc32(bytes(fraud[12:29])))
for i in range(4):
    write("frauds/0%d.png" % i, bytes(fraud))
write("frauds/99.png", one)
status, _, over, _ = audit("--pixel-budget", str(SIDE * SIDE), "frauds")
check((status, over) == (1, []), "frauds:", status, over)

finish()
