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


def mutant(png, r):
    what = r.choice(("file", "end", "stream", "stream", "stream", "packing", "rows", "checked stream"))
    if what == "file":
        return damage(png, r, [png])
    if what == "end":
        return png[: r.randrange(len(png))]
    stream = pngs.idat(png)
    if what == "stream":
        stream = damage(stream, r, [stream])
    else:
        rows = zlib.decompress(stream)
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
