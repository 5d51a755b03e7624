"""Makes PNG masks whose rows are longer than those of testdata, near the sizes at which loops end, with all filters and depths:
wide_masks.py OUT COUNT SEED

The same for the same COUNT and SEED.
"""
import os
import random
import struct
import sys
import zlib

import pngs

WIDTHS = (31, 33, 63, 64, 65, 127, 128, 129, 130, 255, 256, 257, 383, 512, 513, 1000, 2049, 4097)


def draw_rows(width, height, depth, r):
    """Samples: runs of a few ids, which differ from row to row in some rows and places."""
    ids = [r.randrange(1 << depth) for _ in range(r.choice((2, 5, 40)))]
    mean = r.choice((1, 4, 30, 300))
    row = []
    while len(row) < width:
        row += [r.choice(ids)] * (1 + int(r.expovariate(1 / mean)))
    row = row[:width]
    for _ in range(height):
        for _ in range(r.choice((0, 0, 1, 3, 20))):
            at, n = r.randrange(width), r.choice((1, 2, 10, 100))
            row[at : at + n] = [r.choice(ids)] * len(row[at : at + n])
        yield list(row)


def pack(row, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", v) for v in row)
    bits = "".join(format(v, "0%db" % depth) for v in row)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def filter_row(kind, row, above, pixel):
    left = bytes(pixel) + row[:-pixel] if len(row) > pixel else bytes(len(row))
    corner = bytes(pixel) + above[:-pixel] if len(row) > pixel else bytes(len(row))
    guess = (
        lambda a, b, c: 0,
        lambda a, b, c: a,
        lambda a, b, c: b,
        lambda a, b, c: (a + b) // 2,
        paeth,
    )[kind]
    return bytes([kind]) + bytes((v - guess(a, b, c)) & 255 for v, a, b, c in zip(row, left, above, corner))


def draw(r):
    depth = r.choice((8, 8, 8, 8, 16, 4, 2, 1))
    width, height = r.choice(WIDTHS), r.choice((1, 2, 3, 7, 20))
    colour = r.choice((0, 3)) if depth <= 8 else 0
    kinds = r.choice(((0, 1, 2, 3, 4), (2, 4), (4,), (3,), (1,)))
    pixel = 2 if depth == 16 else 1
    above, data = bytes((width * depth + 7) // 8), b""
    for samples in draw_rows(width, height, depth, r):
        row = pack(samples, depth)
        data += filter_row(r.choice(kinds), row, above, pixel)
        above = row
    parts = pngs.header(width, height, depth, colour)
    if colour == 3:
        parts += pngs.chunk(b"PLTE", bytes(r.randrange(256) for _ in range(3 << depth)))
    return parts + pngs.chunk(b"IDAT", zlib.compress(data, r.choice((1, 6, 9)))) + pngs.chunk(b"IEND", b"")


def main():
    out, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    r = random.Random(seed)
    for i in range(count):
        with open(os.path.join(out, "wide%04d.png" % i), "wb") as f:
            f.write(draw(r))


main()
