"""Makes mutants of PNG masks: lane_orders.py OUT COUNT SEED PNG...

The same for the same sources, COUNT and SEED. Most are changed where a decoder works: in the zlib stream or in the filtered rows, with
CRCs that are right, so that nothing refuses them before. The others are changed anywhere.
"""
import os
import random
import struct
import sys
import zlib


def chunks(png):
    at, out = 8, []
    while at + 12 <= len(png):
        n, kind = struct.unpack(">I4s", png[at : at + 8])
        out.append((kind, png[at + 8 : at + 8 + n]))
        at += 12 + n
    return out


def build(parts):
    out = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts:
        out += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return out


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


def spoil(data, r):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 5])):
        if not data:
            break
        at = r.randrange(min(len(data), r.choice([40, 1 << 30])))
        what = r.randrange(5)
        if what == 0:
            data[at] = r.randrange(256)
        elif what == 1:
            del data[at : at + r.choice([1, 2, 40])]
        elif what == 2:
            data[at:at] = r.randbytes(r.choice([1, 2, 40]))
        else:
            data[at] ^= 1 << r.randrange(8)
    return bytes(data)


def mutant(png, r):
    parts = chunks(png)
    stream = b"".join(d for k, d in parts if k == b"IDAT")
    what = r.randrange(8)
    if what == 0:
        return spoil(png, r)
    if what == 1:
        return png[: r.randrange(len(png))]
    if what <= 4:
        stream = spoil(stream, r)
    else:
        rows = zlib.decompress(stream)
        if what >= 6:
            rows = spoil(rows, r)
        stream = deflate(rows, r)
        if what == 7:
            stream = spoil(stream[:-4], r) + stream[-4:]
    first = next(i for i, p in enumerate(parts) if p[0] == b"IDAT")
    cuts = sorted(r.randrange(len(stream) + 1) for _ in range(r.choice([0, 0, 0, 1, 3])))
    idats = [(b"IDAT", stream[a:b]) for a, b in zip([0] + cuts, cuts + [len(stream)])]
    return build(parts[:first] + idats + [p for p in parts[first:] if p[0] != b"IDAT"])


def main():
    out, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sources = []
    for path in sys.argv[4:]:
        with open(path, "rb") as f:
            png = f.read()
        try:
            zlib.decompress(b"".join(d for k, d in chunks(png) if k == b"IDAT"))
            sources.append(png)
        except (zlib.error, struct.error):
            pass  # broken already
    r = random.Random(seed)
    for i in range(count):
        with open(os.path.join(out, "%06d.png" % i), "wb") as f:
            f.write(mutant(r.choice(sources), r))


main()
