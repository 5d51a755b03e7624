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


# the order in which a block gives the lengths of the codes of lengths
LENGTHS = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1)


def code(value, bits):
    """A Huffman code, in the order in which its bits are written."""
    return format(value, "0%db" % bits)


def number(value, bits):
    return code(value, bits)[::-1]


def deflate_codes(rows, r):
    """One block of literals with codes of its own. Some are incomplete; some have lengths that end with a repeat (of zeros, or of the
    length before), which goes beyond the last one, or not. Nothing but a check of that tells: the checksum is right."""
    long = r.choice((9, 9, 9, 10))  # 255 literals have 8 bits; the last one and the end of the block have these: 10 leave codes unused
    if r.random() < 0.5:
        zeros, distances = r.choice(((3, 3), (10, 10), (11, 11), (30, 30), (3, 2), (11, 1), (31, 30), (138, 1)))
        bits = {16: 2, 17: 3, 18: 3, 8: 2, long: 2}
        codes = {8: "00", long: "01", 16: "10", 17: "110", 18: "111"}
        end = codes[17] + number(zeros - 3, 3) if zeros < 11 else codes[18] + number(zeros - 11, 7)
    else:
        distances = 2
        bits = {16: 2, 8: 2, long: 2, 1: 2}
        codes = {1: "00", 8: "01", long: "10", 16: "11"}
        end = codes[1] + (codes[1] if r.random() < 0.5 else codes[16] + number(r.randrange(4), 2))
    lengths = codes[8] * 3 + (codes[16] + number(3, 2)) * 42 + codes[long] * 2 + end
    out = "1" + number(2, 2) + number(0, 5) + number(distances - 1, 5) + number(len(LENGTHS) - 4, 4)
    out += "".join(number(bits.get(length, 0), 3) for length in LENGTHS) + lengths
    last = 255 << (long - 8)
    out += "".join(code(b, 8) if b < 255 else code(last, long) for b in rows) + code(last + 1, long)
    out += "0" * (-len(out) % 8)
    return b"\x78\x01" + int(out[::-1], 2).to_bytes(len(out) // 8, "little") + struct.pack(">I", zlib.adler32(rows))


def deflate_far(rows, r):
    """A stream that says of itself that its matches reach less far than some may."""
    method = r.randrange(3) << 4 | 8
    return bytes((method, 31 - (method << 8) % 31)) + zlib.compress(rows, 9)[2:]


def mutant(png, r):
    what = r.choice(("file", "end", "stream", "stream", "stream", "packing", "rows", "checked stream", "codes", "far"))
    if what == "file":
        return damage(png, r, [png])
    if what == "end":
        return png[: r.randrange(len(png))]
    stream = pngs.idat(png)
    if what == "stream":
        stream = damage(stream, r, [stream])
    else:
        rows = zlib.decompress(stream)
        if what == "codes" and len(rows) < 20000:
            stream = deflate_codes(rows, r)
        elif what == "far":
            stream = deflate_far(rows, r)
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
