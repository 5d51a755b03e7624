#!/usr/bin/env -S python3 -SE
"""What 1 MB can cost: pictures of noise that deflate expands a thousandfold, the worst of each kind that is known. Each takes at most
some times what zlib takes to inflate it, in processor time (below). make check-all does so with files of 200 KB, make torture of 1 MB.

usage: tests/property/worst.py [KIND...]     BUILD=dir: where the program was built; left out with sanitizers, which have another
                                             price; WORST_VERBOSE=1: the figures. Needs python3.

A file is some rows, over and over: they are compressed once, and what comes out is repeated, so that it takes no time to make.
Some are damaged at their end, or odd there, so that all before it was for nothing; some cannot be read twice.
Files have 200 KB and may ask for a fifth of --max-pixels; with TORTURE=all they have 1 MB, and all of it. What the audit's budget
bounds, of many files and archives, has 1 MB always.
"""
import bz2
import gzip
import lzma
import os
import random
import shutil
import resource
import struct
import sys
import tarfile
import time
import zipfile
import zlib

import checks
from checks import FOLDER, finish, is_instrumented, run, skip_all
from made import npy_head, write, zip_of
from pngs import adler32_of_repeated, chunk, png_of_stream

WANTED = sys.argv[1:]
VERBOSE = bool(os.environ.get("WORST_VERBOSE"))
SHARE = 1 if os.environ.get("TORTURE") == "all" else 5
FILE_BYTES = 1000000 // SHARE
MAX_PIXELS = (1 << 30) // SHARE  # --max-pixels
ROW_PIXELS = 64  # that a row counts at least (base/settings.h)
PIECE_BYTES = 2 << 20
# In units of what zlib takes to inflate FILE_BYTES at 1032 to 1. The worst of these takes 2.8, those with rows of common widths
# 0.4 to 1.9 (src/measure/engine/PERFORMANCE.md, Noise); rows that are not unfiltered together 4.3. What zlib inflates, as it is odd or
# damaged at its end, takes 1.7 to 2.5; what libpng decodes and the reference measures 12.
LIMIT = 4
LIMIT_WIDE = 6  # of rows of which not all weights of the content key are kept, and eight do not fit the second cache
# Of all files together, for 1 MB: the budget buys as much again as its bytes, and detection looks into archives before.
AUDIT_BYTES, LIMIT_AUDIT = 1000000, 8
TRIES = 3  # a machine that is busy with other things makes one time longer than another: both are taken side by side


def stream(rows, row_pixels, row_bytes):
    """A zlib stream of the rows, over and over, and how many there are."""
    count = len(rows) // row_bytes
    assert count * row_bytes == len(rows)
    piece = rows * max(1, PIECE_BYTES // len(rows))
    pixels = len(piece) // row_bytes * max(row_pixels, ROW_PIXELS)
    z = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    packed = z.compress(piece) + z.flush(zlib.Z_FULL_FLUSH)
    times = min((FILE_BYTES - 100) // len(packed), MAX_PIXELS // pixels)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    data = b"\x78\xda" + packed * times + end + struct.pack(">I", adler32_of_repeated(piece, times))
    return data, times * len(piece) // row_bytes


END = chunk(b"IEND", b"")


def png(width, depth, colour, rows):
    """rows: with their filter bytes, which are repeated. Returns the file and its height."""
    data, height = stream(rows, width, (width * depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] + 7) // 8 + 1)
    return png_of_stream(width, height, [data], depth, colour), height


def interlaced():
    """As large as interlaced pictures may be (png/decode.c), or a fifth of that."""
    side = int(((127 << 20) // SHARE) ** 0.5)
    z = zlib.compressobj(9)
    data = b""
    for x0, y0, dx, dy in (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2):
        line = row(PAETH, (b"\1\2" * side)[:(side - x0 + dx - 1) // dx])
        for _ in range((side - y0 + dy - 1) // dy):
            data += z.compress(line)
    return png_of_stream(side, side, [data + z.flush()], interlaced=1), side


def row(filter_type, data):
    return bytes([filter_type]) + data


def chequers(n, a, b):
    return row(0, (a + b) * (n // 2)) + row(0, (b + a) * (n // 2))


NONE, SUB, UP, AVERAGE, PAETH = range(5)
# kind: width, depth, colour type, rows
KINDS = {
    "chequers": (32768, 8, 0, chequers(32768, b"\1", b"\2")),
    "slopes": (8000, 8, 0, row(PAETH, b"\1\2" * 4000)),
    "slopes-wide": (60000, 8, 0, row(PAETH, b"\1\2" * 30000)),
    "slopes-widest": (1 << 20, 8, 0, row(PAETH, b"\1\2" * (1 << 19))),
    "average": (60000, 8, 0, row(AVERAGE, b"\x33" * 60000)),
    "gaps": (16384, 8, 0, row(UP, b"\0\1\2" * 5461 + b"\0")),
    "places": (4032, 8, 0, row(NONE, b"\1\2" * 1008) + b"\3\4" * 1008 + row(NONE, b"\2\1" * 1008 + b"\4\3" * 1008)),
    "bits-1": (65536, 1, 0, row(NONE, b"\x55" * 8192) + row(NONE, b"\xaa" * 8192)),
    "bits-4": (65536, 4, 0, row(PAETH, b"\1" * 32768)),
    "bits-16": (16384, 16, 0, row(PAETH, b"\1\3" * 16384)),
    "bits-16-sub": (16384, 16, 0, row(SUB, b"\1\3" * 16384) + row(SUB, b"\2\5" * 16384)),
    "rgb": (16384, 8, 2, row(PAETH, b"\1\3\5" * 16384)),
    "rgb-many": (16384, 8, 2, row(SUB, b"\1\3\5" * 16384) + row(UP, b"\1\0\0" * 16384) * 60 + row(UP, b"\0\1\0" * 16384)),
    "rgba": (16384, 8, 6, row(PAETH, b"\1\3\5\7" * 16384)),
    "grey-alpha": (16384, 8, 4, row(PAETH, b"\1\3" * 16384)),
    "rows-of-1": (1, 8, 0, row(NONE, b"\1") + row(NONE, b"\2")),
    "rows-of-8": (8, 8, 0, chequers(8, b"\1", b"\2")),
    "rows-of-64": (64, 8, 0, chequers(64, b"\1", b"\2")),
}


def mended(data):
    """With the CRC of its IDAT, which is followed by IEND alone."""
    at = data.index(b"IDAT")
    return data[:at - 4] + chunk(b"IDAT", data[at + 4:-len(END) - 4]) + END


def with_byte(data, at, change):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ change]) + data[at + 1:]


def padded(data):
    """More than is held in memory (read/input.h), of which nothing is left when it is packed."""
    at = data.index(b"IDAT") - 4
    return data[:at] + chunk(b"teSt", bytes(1 << 20)) * 8 + data[at:]


ADLER_AT = -len(END) - 5  # from the end: the last byte of Adler-32
# kind: what is made of which one of KINDS, and what the report says of it then
ENDINGS = {
    "tail": (lambda d: d + b"x", "slopes", "of other data after IEND"),
    "adler": (lambda d: mended(with_byte(d, ADLER_AT, 1)), "slopes", "Adler-32"),
    "crc": (lambda d: with_byte(d, ADLER_AT + 4, 1), "slopes", "CRC of chunk IDAT"),
    # the type of a last block that is empty
    "deflate": (lambda d: mended(with_byte(d, ADLER_AT - 5, 4)), "slopes", "invalid block type"),
    "cut": (lambda d: d[:-len(END) - 2], "slopes-wide", "the file ends at byte"),
    "no-iend": (lambda d: d[:-len(END)], "bits-16", "without IEND"),
    # a window of 4 KB, of which no match reaches beyond: zlib is asked for a row at a time
    "window": (lambda d: mended(d.replace(b"\x78\xda", b"\x48\x0d", 1)), "rows-of-8", '"labels": '),
    "tail-rgb": (lambda d: d + b"x", "rgb", "of other data after IEND"),
    "adler-rows-of-1": (lambda d: mended(with_byte(d, ADLER_AT, 1)), "rows-of-1", "Adler-32"),
}


def pixels_20000(depth, rows):
    """A PNG of 20,000 x 20,000."""
    z = zlib.compressobj(9)
    data = b"".join(z.compress(rows) for _ in range(20000 * (20000 * depth // 8 + 1) // len(rows)))
    return png_of_stream(20000, 20000, [data + z.flush()], depth)


def noise(n, symbols):
    draw = random.Random(1)
    return bytes(draw.choice(symbols) for _ in range(n))


def in_streams(pack, head, piece, times):
    """Packed: the head, and the piece so many times, each in a stream of its own, so that it is packed once."""
    return pack(head) + pack(piece) * times


def tar_head(size):
    info = tarfile.TarInfo("x")
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT)


def packed_tar(pack, piece, times):
    return in_streams(pack, tar_head(len(piece) * times), piece, times) + pack(bytes(1024))


def xz_dearest(data):
    return lzma.compress(data, check=lzma.CHECK_SHA256, filters=[
        {"id": lzma.FILTER_DELTA, "dist": 1}, {"id": lzma.FILTER_X86}, {"id": lzma.FILTER_ARM},
        {"id": lzma.FILTER_LZMA2, "preset": 6}])


def packed_array(pack, piece, times):
    return in_streams(pack, npy_head("|u1", (len(piece) * times,)), piece, times)


def fill(member, data):
    """Files of the data until they have AUDIT_BYTES."""
    return [(member % i, data) for i in range(max(1, AUDIT_BYTES // len(data)))]


FLAT_ROW, CHEQUERED = b"\0" + bytes(2500), row(NONE, b"\x55" * 2500) + row(NONE, b"\xaa" * 2500)
# kind: files of together 1 MB that a budget bounds. bzip2 is dearest where it packs noise that repeats, 200 to 1 and 1000 to 1
AUDITS = {
    "masks-of-1-bit": lambda: fill("%d.png", pixels_20000(1, CHEQUERED * 25)),
    "flat-masks": lambda: fill("%d.png", pixels_20000(1, FLAT_ROW * 50) + b"x"),
    "flat-after-noise": lambda: fill("%d.png", flat_after_noise()),
    "tar-bz2": lambda: [("a.tar.bz2", packed_tar(bz2.compress, (noise(6400, b"ab") * 140)[:899000], 220))],
    "tar-xz": lambda: [("a.tar.xz", packed_tar(xz_dearest, noise(20000, range(256)) + bytes(4 << 20), 49))],
    "npy-bz2": lambda: fill("%d.npy.bz2", packed_array(bz2.compress, (noise(1000, b"ab") * 899)[:899000], 70)),
    "npy-xz": lambda: fill("%d.npy.xz", packed_array(xz_dearest, bytes(60 << 20), 1)),
    "tiny-bz2": lambda: fill("%d.tar.bz2", packed_tar(bz2.compress, (noise(1000, b"ab") * 899)[:899000], 70)),
    "tiny-xz": lambda: fill("%d.tar.xz", packed_tar(xz_dearest, bytes(60 << 20), 1)),
    "tiny-gzip": lambda: fill("%d.tar.gz", packed_tar(gzip.compress, bytes(10 << 20), 1)),
}


def flat_after_noise():
    z = zlib.compressobj(9)
    data = z.compress(row(NONE, noise(2500, range(256))) * 40) + b"".join(z.compress(FLAT_ROW * 40) for _ in range(499)) + z.flush()
    return png_of_stream(20000, 20000, [data], 1)


PACKED = "gzip", "zip", "zip-damaged"  # of a PNG that is not held in memory then


def inflate_seconds(data):
    """What zlib takes for the stream of such a file, were it expanded as much as can be."""
    z, data, n = zlib.decompressobj(), data[data.index(b"IDAT") + 4:-16], 0
    before = time.process_time()
    while data:
        n += len(z.decompress(data, 1 << 20))
        data = z.unconsumed_tail
    return (time.process_time() - before) / n * 1032 * FILE_BYTES


def audit_seconds(path):
    # with one class most ids are none, so that their places are looked for
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run("-q", "-j", "1", "-d", "cpu", "-c", "1", "--view", "raw", "-f", "json", "--no-config", path, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, done


def make(kind):
    """Returns the path of a file, what the report should say of it, and what it may take, in units."""
    name, words = kind, ""
    if kind == "interlaced":
        data, side = interlaced()
        return write(os.path.join(FOLDER, "worst.png"), data), f'"labels": {side * side}', LIMIT
    if kind in ENDINGS:
        change, name, words = ENDINGS[kind]
    if kind in PACKED:
        name = "slopes"
    width, depth, colour, rows = KINDS[name]
    data, height = png(width, depth, colour, rows)
    words = words or f'"labels": {width * height if colour in (0, 3) else 0}'
    if kind in ENDINGS:
        return write(os.path.join(FOLDER, "worst.png"), change(data)), words, LIMIT
    if kind == "gzip":
        return write(os.path.join(FOLDER, "worst.png.gz"), gzip.compress(padded(data))), words, LIMIT
    if kind == "zip":
        return write(os.path.join(FOLDER, "worst.zip"), zip_of({"worst.png": padded(data)}, zipfile.ZIP_DEFLATED)), words, LIMIT
    if kind == "zip-damaged":
        return write(os.path.join(FOLDER, "worst.zip"), zip_of({"worst.png": padded(mended(with_byte(data, ADLER_AT, 1)))}, zipfile.ZIP_DEFLATED)), "Adler-32", LIMIT
    return write(os.path.join(FOLDER, "worst.png"), data), words, LIMIT_WIDE if width > 1 << 17 else LIMIT


def least_times(path, yardstick, share, limit):
    """The audit's seconds, and zlib's just before: of the first try within the limit, or else of the one that is nearest to it."""
    tries = []
    for _ in range(TRIES):
        unit = inflate_seconds(yardstick) * share
        seconds, done = audit_seconds(path)
        tries.append((seconds / unit, seconds, unit))
        if seconds < limit * unit:
            break
    return (*min(tries)[1:], done)


def check_audit(kind, yardstick):
    folder = os.path.join(FOLDER, kind)
    os.mkdir(folder)
    for name, data in AUDITS[kind]():
        write(os.path.join(folder, name), data)
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    seconds, unit, done = least_times(folder, yardstick, AUDIT_BYTES / FILE_BYTES, LIMIT_AUDIT)
    if VERBOSE:
        print(f"{kind:16} {size:7} bytes in {len(os.listdir(folder))} files: {seconds:.2f} s, {seconds / unit:.2f} of zlib's, "
              f"{done.stdout.count('limit-exceeded')} over limits", flush=True)
    shutil.rmtree(folder)
    if done.returncode not in (0, 1, 2) or '"findings": [' not in done.stdout:
        return f"{kind}: {done.stderr[-300:]}"
    if seconds >= LIMIT_AUDIT * unit:
        return f"{kind}: {seconds:.2f} s, but zlib inflates as much in {unit:.2f} s"
    return None


def fault_of(kind, yardstick):
    if kind in AUDITS:
        return check_audit(kind, yardstick)
    path, words, limit = make(kind)
    seconds, unit, done = least_times(path, yardstick, 1, limit)
    if VERBOSE:
        print(f"{kind:16} {os.path.getsize(path):7} bytes: {seconds:.2f} s, {seconds / unit:.2f} of zlib's", flush=True)
    os.unlink(path)
    if kind in PACKED and "after IEND" in done.stdout:
        return f"{kind}: nothing is: {done.stdout[-300:]}"
    if done.returncode not in (0, 1) or words not in done.stdout or "limit-exceeded" in done.stdout:
        return f"{kind}: not read, or not said: {words}: {done.stdout[-300:]}{done.stderr[-300:]}"
    if seconds >= limit * unit:
        return f"{kind}: {seconds:.2f} s, but zlib inflates as much in {unit:.2f} s"
    return None


def main():
    yardstick = png(*KINDS["slopes"])[0]
    kinds = WANTED or [*KINDS, *ENDINGS, *PACKED, "interlaced", *AUDITS]
    for kind in kinds:
        fault = fault_of(kind, yardstick)
        checks.check(not fault, fault)
    finish()


if is_instrumented():
    skip_all("built with sanitizers")
main()
