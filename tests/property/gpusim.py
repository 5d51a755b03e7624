"""Chooses masks that a simulated GPU measures in some tenths of a second: gpusim.py COUNT PIXELS FOLDER...

Prints the paths of up to COUNT PNGs of each FOLDER, ended by NUL: those of one channel that are not interlaced and have at most PIXELS
pixels, in an order that has nothing to do with their names.
"""
import os
import struct
import sys
import zlib

import pngs

STREAM_MAX = 400_000  # the device takes no more bytes than about this


def is_fit(path, pixels):
    try:
        with open(path, "rb") as f:
            head = f.read(33)
    except OSError:
        return False
    if len(head) < 33 or not head.startswith(pngs.SIGNATURE) or head[12:16] != b"IHDR":
        return False
    width, height, _depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", head[16:29])
    return width * height <= pixels and colour in (0, 3) and not interlaced and os.path.getsize(path) <= STREAM_MAX


def main():
    count, pixels = int(sys.argv[1]), int(sys.argv[2])
    for folder in sorted(sys.argv[3:]):
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".png")]
        paths.sort(key=lambda path: (zlib.crc32(os.path.relpath(path, folder).encode()), path))
        fit = (path for path in paths if is_fit(path, pixels))
        for _, path in zip(range(count), fit):
            sys.stdout.buffer.write(os.fsencode(path) + b"\0")


main()
