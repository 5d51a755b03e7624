#!/usr/bin/env -S python3 -SE
"""Archives with one field of their headers changed, or one byte: what is damaged is said, the rest is read, nothing crashes, hangs or is lost.

usage: tests/property/packed.py     some of the changes; TORTURE=more or LABELAUDIT_TEST=all: more of them     BUILD=dir: where the program was built
"""
import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import tarfile
import zipfile

import checks
from checks import ALL, TESTDATA, check, finish
from damage import mend_tar
from made import read, write

# Coprime to the number of values of a field: every one comes by somewhere.
STEP = 2 if os.environ.get("TORTURE") in ("more", "all") or ALL else 19
PNGS = {name: read(os.path.join(TESTDATA, "clean", name)) for name in ("01.png", "02.png", "03.png")}

# Fields as in APPNOTE.TXT: offset and bytes, after the signature that begins the record.
END = (b"PK\5\6", ((4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)))
CENTRAL = (b"PK\1\2", ((5, 1), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (38, 4), (42, 4)))
LOCAL = (b"PK\3\4", ((6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)))
END64 = (b"PK\6\6", ((16, 4), (20, 4), (24, 8), (32, 8), (40, 8), (48, 8)))
LOCATOR64 = (b"PK\6\7", ((4, 4), (8, 8), (16, 4)))
# Of any field; and methods, and types of files as Unix has them in the upper half of the attributes.
VALUES = (0, 1, 2, 7, 8, 9, 12, 14, 93, 95, 99, 255, 0xfffe, 0xffff, 0x7fffffff, 0xfffffffe, 0xffffffff, 2**63, 2**64 - 1)
MODES = tuple(mode << 16 for mode in (0o020644, 0o060644, 0o010644, 0o120777, 0o040755, 0o140644))
# What is no file then, and has no name that says that it should be one: folders, and a header for all that follow.
OTHER_TYPES = ("byte 156: b'D':", "byte 156: b'g':", "is %d:" % (0o040755 << 16))
# A legal header of a file in a folder x/, whose name says images: it is left out, and the report counts it.
NAMED_IMAGES = "byte 345: b'x':"
# Texts of tar's fields: offset, bytes (POSIX.1-2017, pax, ustar), and what is put there.
TAR_FIELDS = ((0, 100), (100, 8), (124, 12), (136, 12), (148, 8), (156, 1), (157, 100), (257, 6), (263, 2), (345, 155), (386, 96))
TAR_VALUES = (b"", b"0", b"7777777", b"777777777777", b"9", b"-1", b" 12 ", b"\x80" + b"\0" * 6 + b"\x01" + b"\0" * 3 + b"\x10",
              b"\x80" + b"\xff" * 11, b"\xff" * 12, b"L", b"x", b"g", b"S", b"5", b"2", b"1", b"K", b"D", b"../up", b"/top", b"a/" * 40)


def audit(name, data, what, through_pipe=False):
    write(name, data)
    words = ["-q", "--no-config", "-j", "1", "-c", "4", "-i", "255", "-f", "json", "--max-inflated", "64M"]
    try:
        run = checks.run(*words, "-" if through_pipe else name, input=data if through_pipe else None, timeout=60)
    except subprocess.TimeoutExpired:
        return check(False, what, "hangs")
    if not check(run.returncode in (0, 1, 2), what, "exit status", run.returncode, run.stderr[-300:]):
        return False
    if run.returncode == 2 and not run.stdout:
        return check(run.stderr.startswith(b"labelaudit: "), what, run.stderr)
    try:
        report = json.loads(run.stdout)
    except ValueError:
        return check(False, what, "no report:", run.stdout[-200:])
    s = report["summary"]
    check(s["files"] == s["files_read"] + s["files_failed"] + s["files_skipped"], what, "lost a file", s)
    # of three masks of the same size nothing more can come, and what is missing has a reason
    silent = s["labels"] == 3 * 3888 or report["findings_total"] > 0 or what.endswith(OTHER_TYPES)
    if what.endswith(NAMED_IMAGES):
        silent |= [(left["reason"], left["files"]) for left in report["coverage"]["left_out"]] == [("named-image", 1)]
    return check(s["labels"] <= 3 * 3888 * 2 and silent, what, s)


def fields(data, record):
    signature, places = record
    at = data.find(signature)
    while at >= 0:
        for offset, size in places:
            yield at + offset, size
        at = data.find(signature, at + 1)


def zip_variants(data):
    for record in (END, CENTRAL, LOCAL, END64, LOCATOR64):
        for at, size in fields(data, record):
            values = MODES if record is CENTRAL and data[at - 38:at - 34] == CENTRAL[0] else ()
            for value in (*VALUES, *values):
                if value < 1 << 8 * size:
                    yield "byte %d is %d" % (at, value), data[:at] + value.to_bytes(size, "little") + data[at + size:]


def tar_variants(data):
    for block in range(0, len(data), 512):
        if data[block + 257:block + 262] != b"ustar":
            continue
        for offset, size in TAR_FIELDS:
            for value in TAR_VALUES:
                header = bytearray(data[block:block + 512])
                header[offset:offset + size] = value[:size].ljust(size, b"\0")
                if offset != 148:  # or else the sum is what is wrong
                    header = mend_tar(header)
                yield "block %d, byte %d: %r" % (block // 512, offset, value), data[:block] + bytes(header) + data[block + 512:]


def byte_variants(data, number=60):
    for i in range(number):
        at = len(data) * i // number
        for value in (0, 0xff, data[at] ^ 0x55):
            yield "byte %d is %d" % (at, value), data[:at] + bytes([value]) + data[at + 1:]
        yield "cut at %d" % at, data[:at]
    yield "zeros behind", data + bytes(1000)
    yield "more behind", data + b"something else"
    yield "again", data + data


def make_zip(zip64):
    out = io.BytesIO()
    limit = zipfile.ZIP64_LIMIT
    if zip64:
        zipfile.ZIP64_LIMIT = 10
    with zipfile.ZipFile(out, "w", allowZip64=True) as z:
        for i, (name, data) in enumerate(PNGS.items()):
            z.writestr("m/" + name, data, zipfile.ZIP_STORED if i else zipfile.ZIP_DEFLATED)
    zipfile.ZIP64_LIMIT = limit
    return out.getvalue()


def make_tar(form):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for i, (name, data) in enumerate(PNGS.items()):
            info = tarfile.TarInfo(name if i else "folder/" * 20 + "x" * 40 + name)
            info.size = len(data)
            info.mtime = 0.5 if form == tarfile.PAX_FORMAT else 0
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def try_all(name, data, variants):
    audit(name, data, name + ", as it was made")
    for n, (what, changed) in enumerate(variants):
        if n % STEP == 0:
            audit(name, changed, "%s, %s:" % (name, what))
        if n % (STEP * 4) == 0 and not name.endswith(".zip"):
            audit(name, changed, "%s through a pipe, %s:" % (name, what), through_pipe=True)


for large in (False, True):
    ZIP = make_zip(large)
    try_all("64.zip" if large else "a.zip", ZIP, zip_variants(ZIP))
    try_all("64.zip" if large else "a.zip", ZIP, byte_variants(ZIP))
for kind, form in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
    TAR = make_tar(form)
    try_all(kind + ".tar", TAR, tar_variants(TAR))
    for extension, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        if kind == "pax":
            PACKED = pack(TAR)
            try_all(kind + ".tar" + extension, PACKED, byte_variants(PACKED))
finish()
