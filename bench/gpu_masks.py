#!/usr/bin/python3
"""The three sets that bench/gpu.sh times, drawn: gpu_masks.py OUT [FILES]

  small   480x360    about 4 KB     regions with rough borders, as real masks have
  middle  960x720    about 25 KB    the same, more of them
  dense   1920x1440  about 27 KB    100 to 1

8-bit grey, 21 ids and borders of 255, filters chosen row by row as libpng does (the smallest sum of differences). FILES of each (128),
always the same. Needs NumPy.
"""
import os
import struct
import sys
import zlib

import numpy as np


def regions(rng, height, width, count, rough):
    """Each pixel gets the id of the nearest of some points; noise of a few pixels makes the borders rough."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for axis in (y, x):
        coarse = rng.normal(0, rough, (height // 8 + 2, width // 8 + 2)).astype(np.float32)
        axis += np.kron(coarse, np.ones((8, 8), np.float32))[:height, :width]
        axis += rng.normal(0, rough / 6, (height, width)).astype(np.float32)
    best, ids = np.full((height, width), np.inf, np.float32), np.zeros((height, width), np.uint8)
    for _ in range(count):
        d = (y - rng.integers(height)) ** 2 + (x - rng.integers(width)) ** 2
        ids[d < best] = rng.choice([0, *range(21), 255])
        np.minimum(best, d, out=best)
    return ids


def filtered(ids):
    a = ids.astype(np.int16)
    left, up = np.zeros_like(a), np.zeros_like(a)
    left[:, 1:], up[1:] = a[:, :-1], a[:-1]
    corner = np.zeros_like(a)
    corner[1:, 1:] = a[:-1, :-1]
    p = left + up - corner
    pa, pb, pc = abs(p - left), abs(p - up), abs(p - corner)
    paeth = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, up, corner))
    choices = np.stack([a, a - left, a - up, a - (left + up) // 2, a - paeth]).astype(np.uint8)
    cost = abs(choices.view(np.int8).astype(np.int32)).sum(axis=2)
    best = cost.argmin(axis=0)
    rows = choices[best, np.arange(len(ids))]
    return np.concatenate([best[:, None].astype(np.uint8), rows], axis=1).tobytes()


def png(ids):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", ids.shape[1], ids.shape[0], 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(filtered(ids), 6)) + chunk(b"IEND", b""))


def main():
    out, files = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 128
    for name, height, width, count, rough in ("small", 360, 480, 12, 1.5), ("middle", 720, 960, 56, 5.5), ("dense", 1440, 1920, 36, 1.1):
        rng = np.random.default_rng(1)
        os.makedirs(os.path.join(out, name), exist_ok=True)
        total = 0
        for i in range(files):
            data = png(regions(rng, height, width, count, rough))
            total += len(data)
            with open(os.path.join(out, name, "%04d.png" % i), "wb") as f:
                f.write(data)
        print("%s: %d masks of %.1f KB, %.0f to 1" % (name, files, total / files / 1000, height * width * files / total))


main()
