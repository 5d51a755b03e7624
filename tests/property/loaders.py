#!/usr/bin/env -S python3 -SE
"""What Pillow and OpenCV refuse, labelaudit reports as unreadable-by-loader under --view pil and cv2; what they read, it does not. PNGs of every
type with chunks of every kind: shortened, lengthened, repeated, misplaced, with wrong CRCs; animations; texts that inflate.

usage: tests/property/loaders.py     500 files; LABELAUDIT_TEST=all: 12,000     BUILD=dir: where the program was built
       LABELAUDIT_PYTHON=FILE: a Python with Pillow, NumPy and OpenCV (python3); without them this is skipped
       SEED=N, COUNT=N: other files, and more
"""
import json
import os
import random
import struct
import warnings
import zlib

from checks import ALL, FOLDER, check, finish, need_modules, run, skip_all
from made import write
from pngs import PASSES, chunk, chunks, header, png_of_stream

need_modules("cv2", "numpy", "PIL")
try:
    import cv2
    import numpy
    import PIL
    import PIL.Image
except ImportError as e:  # they are there, but not what they need
    skip_all(e)

SEED, COUNT = int(os.environ.get("SEED", "1")), int(os.environ.get("COUNT", "12000" if ALL else "500"))
warnings.simplefilter("ignore")
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# What is right for a chunk of fixed length.
LENGTHS = {
    b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"pHYs": 9, b"tIME": 7, b"sBIT": 1, b"bKGD": 2, b"hIST": 8,
    b"oFFs": 9, b"sTER": 1, b"cICP": 4, b"mDCV": 24, b"cLLI": 8,
}
KEYS = (b"Comment", b"disposal", b"transparency", b"exif", b"", b"XML:com.adobe.xmp", b"Raw profile type exif", b"bbox ", b"k" * 90)


class Maker:
    """One PNG, by chance."""

    def __init__(self, rng):
        self.rng = rng
        self.colour = rng.choice((0, 0, 0, 2, 3, 3, 4, 6))
        self.depth = rng.choice(DEPTHS[self.colour])
        self.interlaced = int(rng.random() < 0.2)
        self.width, self.height = rng.randint(1, 20), rng.randint(1, 20)

    def rows(self, width, height):
        rng, bits = self.rng, CHANNELS[self.colour] * self.depth
        passes = PASSES if self.interlaced else ((0, 0, 1, 1),)
        out = b""
        for x0, y0, dx, dy in passes:
            w = len(range(x0, width, dx))
            for _ in range(y0, height if w else y0, dy):
                body = bytes(rng.randrange(4) for _ in range((w * bits + 7) // 8)) if self.colour != 3 else bytes((w * bits + 7) // 8)
                out += bytes([rng.choice((0, 0, 0, 1, 2, 4))]) + body
        return out

    def stream(self, rows):
        rng = self.rng
        z = zlib.compressobj(rng.choice((0, 1, 9)), zlib.DEFLATED, rng.choice((9, 12, 15)))
        out = z.compress(rows)
        for _ in range(rng.choice((0, 0, 0, 1, 3))):
            out += z.flush(zlib.Z_SYNC_FLUSH)
        out += z.flush()
        fault = rng.random()
        if fault < 0.03:
            out = out[:-1] + bytes([out[-1] ^ 1])
        elif fault < 0.05:
            out += b"more"
        elif fault < 0.06:
            out = out[:-4]
        return out

    def idats(self, stream):
        rng = self.rng
        how = rng.random()
        if how < 0.6:
            pieces = [stream]
        elif how < 0.8:
            at = sorted(rng.randint(0, len(stream)) for _ in range(rng.randint(1, 4)))
            pieces = [stream[a:b] for a, b in zip([0] + at, at + [len(stream)])]
        else:
            pieces = [stream[i:i + 1] for i in range(len(stream))] if len(stream) < 80 else [stream[:-5], stream[-5:]]
        return [chunk(b"IDAT", p) for p in pieces]

    def text(self, kind):
        rng = self.rng
        key = rng.choice(KEYS)
        value = rng.choice((b"", b"x", b"some text", "Größe".encode(), b"\xff\xfe", bytes(300), b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"))
        size = rng.random()
        if size < 0.04:  # each takes as long as ten others
            value = bytes(rng.choice(((1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20, 1 << 19)))
        packed = zlib.compress(value, rng.choice((1, 9)))
        if rng.random() < 0.15:
            packed = rng.choice((packed[:-4], packed[:-1], packed + b"tail", packed[:2] + b"\xff" + packed[3:], b"", b"junk"))
        nul = b"" if rng.random() < 0.05 else b"\0"
        method = bytes([rng.choice((0, 0, 0, 0, 0, 1, 255))])
        if kind == b"tEXt":
            return key + nul + value
        if kind == b"iTXt":
            flag = bytes([rng.choice((0, 1, 1, 2))])
            language, translated = rng.choice((b"", b"en", b"\xc3")), rng.choice((b"", b"k", b"\xe2\x82\xac"))
            data = key + nul + flag + method + language + b"\0" + translated + b"\0" + (value if flag == b"\0" else packed)
        else:
            data = key + nul + method + packed
        return data[:rng.randrange(len(data))] if data and rng.random() < 0.1 else data

    def extra(self):
        """A chunk other than those of the pixels."""
        rng = self.rng
        kinds = list(LENGTHS) + [b"tEXt", b"zTXt", b"iTXt", b"iCCP"] * 3 + [b"tRNS"] * 2 + [b"eXIf", b"sPLT", b"abCd", b"teST", b"PLTE"]
        kind = rng.choice(kinds)
        if kind in (b"tEXt", b"zTXt", b"iTXt", b"iCCP"):
            data = self.text(kind)
        elif kind == b"tRNS":
            data = bytes({0: 2, 2: 6, 3: 1}.get(self.colour, 2))
        elif kind == b"PLTE":
            data = bytes(6)
        elif kind in LENGTHS:
            data = bytes(rng.choice((0, 1)) for _ in range(LENGTHS[kind]))
        else:
            data = bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 4, 30))))
        how = rng.random()
        if how < 0.12:
            data = data[:rng.randrange(len(data))] if data else data
        elif how < 0.2:
            data += bytes(rng.choice((1, 2, 4, 100)))
        made = chunk(kind, data)
        if rng.random() < 0.05:
            made = made[:-1] + bytes([made[-1] ^ 1])
        return [made] * (2 if rng.random() < 0.05 else 1)

    def stored(self):
        """A grey image in stored blocks whose rows end where libpng or Pillow read on, and an error after them."""
        blocks, row = self.rng.choice((([8185], 1637), ([65529], 7281), ([32765, 32759], 16381), ([8184], 1023), ([16377], 5459)))
        rows = (b"\0" + bytes(row - 1)) * (sum(blocks) // row)
        stream, at = b"\x78\x01", 0
        for i, n in enumerate(blocks):
            stream += struct.pack("<BHH", i == len(blocks) - 1, n, n ^ 0xffff) + rows[at:at + n]
            at += n
        stream += self.rng.choice((b"\0\0\0\0", struct.pack(">I", zlib.adler32(rows))))
        # sometimes more rows than the image has
        height = len(rows) // row - self.rng.choice((0, 0, 1))
        return png_of_stream(row - 1, height, [stream])

    def png(self):
        rng = self.rng
        if rng.random() < 0.015:
            return self.stored()
        before = []
        if self.colour == 3:
            before.append(chunk(b"PLTE", bytes(3 * (1 << self.depth))))
        idats = self.idats(self.stream(self.rows(self.width, self.height)))
        parts = [header(self.width, self.height, self.depth, self.colour, self.interlaced)] + before + idats
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            # seldom among the image data
            spot = rng.choice((1, 1 + len(before), 1 + len(before), len(parts), len(parts)))
            if rng.random() < 0.08:
                spot = rng.randint(1, len(parts))
            parts[spot:spot] = self.extra()
        if rng.random() < 0.002:
            bomb = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(1 << 20), 9))
            spot = rng.choice((1, len(parts)))
            parts[spot:spot] = [bomb] * rng.choice((64, 65))
        return b"".join(parts) + chunk(b"IEND", b"")


def pillow_reads(path):
    try:
        with PIL.Image.open(path) as image:
            numpy.array(image)
        return True, ""
    except Exception as e:
        return False, repr(e)


def opencv_reads(path):
    try:
        return cv2.imread(path, 0) is not None, ""
    except cv2.error as e:
        return False, repr(e)


def version(text):
    return tuple(int(n) for n in text.split(".")[:2])


def older_pillow(png, reads, message):
    """Pillow before 13.0 differs in a few places (src/rules/unreadable_by_loader.c)."""
    if version(PIL.__version__) >= (13, 0):
        return False
    if not reads:
        return any(png[i - 4:i][-4:] and struct.unpack(">I", png[i - 4:i])[0] % 4 for i in find_all(png, b"cHRM")) or b"iCCP" in png
    return "cHRM" in message or "iCCP" in message or "no pixels" in message


def find_all(png, kind):
    at = png.find(kind)
    while at >= 0:
        yield at
        at = png.find(kind, at + 1)


def older_opencv(png, reads, message):
    """OpenCV before 4.11 leaves all chunks to libpng."""
    return version(cv2.__version__) < (4, 11) and reads


def main():
    made = {}
    for i in range(COUNT):
        path = os.path.join(FOLDER, "%05d.png" % i)
        made[path] = Maker(random.Random(SEED * 1000003 + i)).png()
        write(path, made[path])
    # OpenCV writes its complaints to standard error
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for view, reader, older in ("pil", pillow_reads, older_pillow), ("cv2", opencv_reads, older_opencv), ("raw", None, None):
        verdicts = {}
        for device in "cpu", "sim":
            done = run("-q", "-c", "65536", "--kind", "mask", "--view", view, "--device", device, "-f", "jsonl", "--max-findings", "0", FOLDER)
            verdicts[device] = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"type":"file"')]
        check(key_facts(verdicts["cpu"]) == key_facts(verdicts["sim"]) and len(verdicts["cpu"]) == COUNT, "--view", view,
              "cpu and sim differ, or not all of", COUNT, "files were audited")
        refused = 0
        for verdict in verdicts["cpu"]:
            found = [f for f in verdict["findings"] if f["rule"] == "unreadable-by-loader"]
            refuses = any(f["level"] == "error" for f in found)
            message = found[0]["message"] if found else ""
            reads, why = (True, "") if reader is None else reader(verdict["path"])
            refused += not reads
            right = verdict["status"] == "failed" or reads != refuses
            check(right or (older and older(made[verdict["path"]], reads, message)), os.path.basename(verdict["path"]), "--view", view,
                  verdict["status"], "labelaudit:", message or "-", "the loader:", why or ("reads" if reads else "refuses"),
                  *("%s:%d" % (kind.decode("latin-1"), len(data)) for kind, data in chunks(made[verdict["path"]])))
        print("--view %s: %d files, of which the loader refuses %d" % (view, len(verdicts["cpu"]), refused))
    print("Pillow %s, OpenCV %s" % (PIL.__version__, cv2.__version__))
    finish()


def key_facts(verdicts):
    return [(v["path"], v["status"], [f for f in v["findings"] if f["rule"] == "unreadable-by-loader"]) for v in verdicts]


main()
