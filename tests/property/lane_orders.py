"""Makes mutants of PNG masks: lane_orders.py OUT COUNT SEED PNG...

The same for the same sources, COUNT and SEED. Most are changed where a decoder works: in the zlib stream or in the filtered rows, with
CRCs that are right, so that nothing refuses them before. The others are changed anywhere.
"""
import os
import random
import struct
import sys
import zlib

import pngs
from damage import damage


def deflate(rows, r):
    """All kinds of blocks, windows and lengths of codes."""
    z = zlib.compressobj(r.randrange(10), zlib.DEFLATED, r.randrange(9, 16), r.randrange(1, 10), r.randrange(5))
    at, out = 0, b""
    while at < len(rows):
        n = r.choice([50, 1000, len(rows)])
        out += z.compress(rows[at : at + n])
        if r.random() < 0.2:
            out += z.flush(r.choice([zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH]))
        at += n
    return out + z.flush()


def code(value, bits):
    """A Huffman code, in the order in which its bits are written."""
    return format(value, "0%db" % bits)


def number(value, bits):
    return code(value, bits)[::-1]


def deflate_repeat(rows, r):
    """One block of literals, the lengths of whose codes end with a repeat: of zeros, or of the length before. Every other repeat goes
    beyond the last length, which nothing but a check of it reveals: the codes are complete, and the checksum is right."""
    if r.random() < 0.5:
        zeros, distances = r.choice(((3, 3), (10, 10), (11, 11), (30, 30), (3, 2), (11, 1), (31, 30), (138, 1)))
        order, codes = (2, 3, 3, 0, 2, 0, 2), {8: "00", 9: "01", 16: "10", 17: "110", 18: "111"}
        end = codes[17] + number(zeros - 3, 3) if zeros < 11 else codes[18] + number(zeros - 11, 7)
    else:
        distances = 2
        order, codes = (2, 0, 0, 0, 2, 0, 2) + (0,) * 10 + (2,), {1: "00", 8: "01", 9: "10", 16: "11"}
        end = codes[1] + (codes[1] if r.random() < 0.5 else codes[16] + number(r.randrange(4), 2))
    # 255 literals have 8 bits; the last one and the end of the block have 9
    lengths = codes[8] * 3 + (codes[16] + number(3, 2)) * 42 + codes[9] * 2 + end
    out = "1" + number(2, 2) + number(0, 5) + number(distances - 1, 5) + number(len(order) - 4, 4)
    out += "".join(number(n, 3) for n in order) + lengths
    out += "".join(code(b, 8) if b < 255 else code(510, 9) for b in rows) + code(511, 9)
    out += "0" * (-len(out) % 8)
    return b"\x78\x01" + int(out[::-1], 2).to_bytes(len(out) // 8, "little") + struct.pack(">I", zlib.adler32(rows))


def mutant(png, r):
    what = r.choice(("file", "end", "stream", "stream", "stream", "packing", "rows", "checked stream", "repeat"))
    if what == "file":
        return damage(png, r, [png])
    if what == "end":
        return png[: r.randrange(len(png))]
    stream = pngs.idat(png)
    if what == "stream":
        stream = damage(stream, r, [stream])
    else:
        rows = zlib.decompress(stream)
        if what == "repeat" and len(rows) < 20000:
            stream = deflate_repeat(rows, r)
        else:
            stream = deflate(damage(rows, r, [rows]) if what == "rows" else rows, r)
        if what == "checked stream":  # its Adler-32 is right
            stream = damage(stream[:-4], r, [stream]) + stream[-4:]
    parts = pngs.chunks(png)
    first = next(i for i, p in enumerate(parts) if p[0] == b"IDAT")
    cuts = sorted(r.randrange(len(stream) + 1) for _ in range(r.choice([0, 0, 0, 1, 3])))
    idats = [(b"IDAT", stream[a:b]) for a, b in zip([0] + cuts, cuts + [len(stream)])]
    return pngs.join(parts[:first] + idats + [p for p in parts[first:] if p[0] != b"IDAT"])


def main():
    out, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sources = []
    for path in sys.argv[4:]:
        with open(path, "rb") as f:
            png = f.read()
        try:
            zlib.decompress(pngs.idat(png))
            sources.append(png)
        except (zlib.error, struct.error):
            pass  # broken already
    r = random.Random(seed)
    for i in range(count):
        with open(os.path.join(out, "%06d.png" % i), "wb") as f:
            f.write(mutant(r.choice(sources), r))


main()
