#!/usr/bin/env -S python3 -SE
"""The report does not depend on the cache and its state, the device, the decoder, the number of jobs; for folders, archives, links.

usage: tests/property/combinations.py     LABELAUDIT_TEST=all: more files     BUILD=dir: where the program was built
"""
import json
import os
import shutil
import struct
import time
import zlib

import checks
from checks import ALL, FOLDER as folder, TESTDATA as testdata, check, finish
from made import read, tar, write, zip_of
from pngs import png_of_stream

DEVICES = {"cpu": (["-d", "cpu"], {}), "sim": (["-d", "sim"], {}), "libpng": (["-d", "cpu"], {"LABELAUDIT_DECODER": "libpng"})}


def cut(data, size):
    """size: of each IDAT; 0: one of no bytes before each of one byte."""
    if size == 0:
        return [part for i in range(len(data)) for part in (b"", data[i : i + 1])] + [b""]
    return [data[i : i + size] for i in range(0, len(data), size)]


EMPTY = b"\0\0\0\xff\xff"  # a stored block


def odd_pngs():
    """name, bytes, and whether nothing is wrong."""
    width, height = 16, 9
    rows = b"".join(b"\0" + bytes((x + y) % 5 for x in range(width)) for y in range(height))
    adler = struct.pack(">I", zlib.adler32(rows))
    for flushes in (0, 1, 3, 5, 40, 2000):
        pack = zlib.compressobj(9)
        body = pack.compress(rows) + pack.flush(zlib.Z_SYNC_FLUSH)
        body += EMPTY * flushes
        last = b"\x01\0\0\xff\xff"
        for size in (1 << 20, 4096, 37, 11, 1, 0):
            if flushes == 2000 and size < 37:
                continue
            name = f"f{flushes}-s{size}"
            yield f"{name}-clean", png_of_stream(width, height, cut(body + last + adler, size)), True
            yield f"{name}-surplus", png_of_stream(width, height, cut(body + last + adler + bytes(40), size)), False
            if flushes < 3:
                continue
            wrong = struct.pack(">I", zlib.adler32(rows) ^ 1)
            yield f"{name}-adler", png_of_stream(width, height, cut(body + last + wrong, size)), False
            more = zlib.compressobj(9, zlib.DEFLATED, -15)
            extra = more.compress(bytes(50)) + more.flush()
            full = struct.pack(">I", zlib.adler32(rows + bytes(50)))
            yield f"{name}-rows", png_of_stream(width, height, cut(body + extra + full, size)), False
    # a flush after each row, and after all
    pack = zlib.compressobj(1)
    data = b"".join(pack.compress(rows[i : i + width + 1]) + pack.flush(zlib.Z_FULL_FLUSH) for i in range(0, len(rows), width + 1))
    data += pack.flush()
    for size in (1 << 20, 64, 3, 1, 0):
        yield f"rows-s{size}-clean", png_of_stream(width, height, cut(data, size)), True


# ---- runs


def run(device, *arguments):
    words, environment = DEVICES[device]
    p = checks.run("-q", "-c", "21", "-i", "255", "-f", "json", *words, *arguments, environment=environment, timeout=300)
    if p.returncode not in (0, 1):
        return p.returncode, p.stderr.decode(errors="replace")[-300:]
    report = json.loads(p.stdout)
    report.pop("run")
    return p.returncode, json.dumps(report, sort_keys=True)


def one_verdict():
    good = {}
    for name, data, clean in odd_pngs():
        write(f"{folder}/odd/{name}.png", data)
        good[f"odd/{name}.png"] = clean
    reports = {d: run(d, "-j", "2", "--max-findings", "0", "odd") for d in DEVICES}
    for device, report in reports.items():
        check(report == reports["cpu"], f"odd PNGs: {device} differs from cpu")
    told = {}
    for f in json.loads(reports["libpng"][1])["findings"]:
        if f["path"] and f["rule"] in ("malformed-png", "corrupt-data", "truncated-file"):
            told[f["path"]] = f["message"]
    for path, clean in good.items():
        check(clean == (path not in told), f"{path}: {told.get(path, 'nothing is said')}")


def fixtures():
    names = []
    folders = ["masks", "png"] if ALL else ["masks"]
    for sub in folders:
        for name in sorted(os.listdir(f"{testdata}/{sub}")):
            if name.endswith(".png"):
                write(f"folder/{sub}-{name}", read(f"{testdata}/{sub}/{name}"))
                names.append(f"{sub}-{name}")
    if not ALL:
        write("folder/odd.png", read("odd/f5-s11-clean.png"))
        names.append("odd.png")
    os.makedirs(f"{folder}/link/links")
    files = {name: read(f"folder/{name}") for name in names}
    write("set.tar", tar(files))
    write("set.zip", zip_of(files))
    for name, data in files.items():
        write(f"store/{name}", data)
        os.symlink(f"../../store/{name}", f"{folder}/link/links/{name}")
    return names


def combinations(names):
    containers = {"folder": ["folder"], "tar": ["set.tar"], "zip": ["set.zip"], "link": ["-L", "link"]}
    some = {"folder": "folder", "link": "store"}  # where the files of a container are that a mixed cache has
    for container, paths in containers.items():
        expected = run("cpu", "-j", "1", *paths)
        check(expected[0] == 1, f"{container}: {expected[1][:300]}")
        for device in DEVICES:
            for jobs in "14":
                check(run(device, "-j", jobs, *paths) == expected, f"{container}, {device}, -j {jobs}, no cache: differs")
                for state in ("cold", "mixed"):
                    shutil.rmtree(f"{folder}/cache", ignore_errors=True)
                    if state == "mixed":
                        if container not in some:
                            continue
                        run("cpu", "--cache=cache", *[f"{some[container]}/{n}" for n in names[::3]])
                    for again in (state, "warm"):
                        got = run(device, "-j", jobs, "--cache=cache", *paths)
                        check(got == expected, f"{container}, {device}, -j {jobs}, {again} after {state}: differs: {got[1][:200]}")
                    # what one device stored another one reads
                    other = "cpu" if device != "cpu" else "sim"
                    check(run(other, "--cache=cache", *paths) == expected, f"{container}, {other} with the cache of {device}: differs")


one_verdict()
names = fixtures()
time.sleep(3.1)  # younger files are not stored
combinations(names)
finish()
