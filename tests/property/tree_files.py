"""The contents of the files of trees.txt: each word of its last column is a function of the file's number."""
import gzip
import json
import random
import re
import struct

from made import bmp, npy, npy_head, tif, zip_of
from pngs import chunk, png_of_bytes

CLASSES, BAD, NAMES = 5, 77, ["bird", "cat", "dog", "fish", "horse"]
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + bytes.fromhex("ffc0000b08004000400103") + b"\0" * 200 + b"\xff\xd9"
# What the program names without reading it, by a word or by the end of a name.
MAGIC = {
    "pair": struct.pack("<i", 348) + bytes(340) + b"ni1\0", "mat": b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(128) + bytes(100),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(60), "dcm": bytes(128) + b"DICM" + bytes(90), "parquet": b"PAR1" + bytes(80) + b"PAR1",
    "tfrecord": b"\5\0\0\0\0\0\0\0\352\262\4>hello" + bytes(4), "pickle": b"\x80\x02}q\x01(U\x0bbatch_labelq\x02" + bytes(90),
    "ppm": b"P6\n4 4\n255\n" + bytes(48), "wav": b"RIFF\x24\0\0\0WAVEfmt " + bytes(20), "zeros": bytes(120),
}


def blobs(n, bad=False):
    """Rectangles of some classes that do not touch."""
    draw, rows = random.Random(n), [[0] * 48 for _ in range(48)]
    for cell in range(4):
        x, y, i = 24 * (cell % 2) + draw.randrange(2, 8), 24 * (cell // 2) + draw.randrange(2, 8), draw.randrange(CLASSES)
        for row in rows[y:y + 12]:
            row[x:x + 12] = [BAD if bad and cell == 0 else i] * 12
    return rows


def bits(rows):
    return png_of_bytes(48, [[sum(row[x + k] << 7 - k for k in range(8)) for x in range(0, 48, 8)] for row in rows], 1)


def bmp24(n):
    return b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 40, 30, 1, 24, 0, 0, 0, 0, 0, 0) + random.Random(n).randbytes(3600)


def gif(rows):
    """A GIF of 8 bits whose codes are never longer than nine."""
    pixels = [p for row in rows for p in row]
    codes = [c for i in range(0, len(pixels), 250) for c in [256] + pixels[i:i + 250]] + [257]
    data = sum(code << 9 * k for k, code in enumerate(codes)).to_bytes(9 * len(codes) // 8 + 1, "little")
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
    return (b"GIF89a" + struct.pack("<HHBBB", len(rows[0]), len(rows), 0xf7, 0, 0) + b"".join(bytes((i, i, i)) for i in range(256))
            + b"," + struct.pack("<HHHHB", 0, 0, len(rows[0]), len(rows), 0) + b"\x08" + blocks + b"\0;")


def photo(n, colour=2, side=64):
    """A smooth scene with a camera's noise."""
    draw, channels = random.Random(n), 3 if colour else 1
    return png_of_bytes(side, [[min(255, max(0, 40 + 2 * y + x + draw.randrange(-12, 13))) for x in range(side) for _ in range(channels)]
                        for y in range(side)], colour=colour)


def framed(n):
    """A photo within a black frame, as of a retina, an ultrasound or a CT."""
    draw = random.Random(n)
    return png_of_bytes(96, [[0] * 96 if not 40 <= y < 84 else [0] * 20 + [40 + x + y + draw.randrange(-12, 13) for x in range(56)] + [0] * 20
                        for y in range(96)])


def flat(n):
    """A sky without clouds above a strip of ground: as few bits a pixel as in a mask."""
    draw = random.Random(n)
    return png_of_bytes(64, [[255 * (n % 2)] * 64 if y < 52 else [draw.randrange(90, 130) for _ in range(64)] for y in range(64)])


def edges(n):
    """As many values as a photo has, where edges were."""
    draw = random.Random(n)
    return png_of_bytes(64, [[0] * 64 if y % 4 else [draw.randrange(1, 130) for _ in range(64)] for y in range(64)])


def noise(n, top=256):
    draw = random.Random(n)
    return png_of_bytes(64, [[draw.randrange(top) for _ in range(64)] for _ in range(64)])


def colours(n, bad=False):
    table = ((9, 9, 9),) * CLASSES if bad else ((128, 64, 128), (220, 20, 60), (0, 0, 142), (107, 142, 35), (70, 130, 180))
    return png_of_bytes(48, [[c for i in row for c in table[i]] for row in blobs(n)], colour=2)


def instances(n):
    """class * 1000 + number, in 16 bits."""
    return png_of_bytes(48, [[c for i in row for c in divmod(1001 + i if i else 0, 256)] for row in blobs(n)], 16)


def depth(n):
    return png_of_bytes(64, [[b for x in range(64) for b in divmod(900 + 7 * x + 5 * y + n, 256)] for y in range(64)], 16)


def points(n):
    draw = random.Random(n)
    centres = {(draw.randrange(48), draw.randrange(48)) for _ in range(6)}
    return bits([[int((x, y) in centres) for x in range(48)] for y in range(48)])


def plot(n=0):
    """A curve, in colours with alpha, as Matplotlib writes it."""
    return png_of_bytes(200, [[255] * 4 * (100 + y // 3) + [31, 119, 180, 255] * (100 - y // 3) for y in range(100)], colour=6)


def drawing(n):
    """A curve as people save it: with a palette, in grey, in black and white, by turns."""
    draw = random.Random(n)
    rows = [[int(40 * x < y * y) * draw.randrange(2, 90) for x in range(120)] for y in range(120)]
    return (png_of_bytes(120, rows, colour=3, before=chunk(b"PLTE", bytes(range(256)) * 3)), png_of_bytes(120, rows),
            png_of_bytes(120, [[0] * 15] * 120, 1))[n % 3]


def coded(*scans, kind):
    """A JPEG of 128 x 128 pixels; scans: their header and bits."""
    def packed(text):
        text += "1" * (-len(text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b"\xff", b"\xff\0")

    tables = b"\xff\xc4\0\x1f\0" + bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12)) + b"\xff\xc4\0\x16\x10" + bytes([0, 3] + [0] * 14) + b"\0\1\xf0"
    return (b"\xff\xd8\xff" + kind + b"\0\x0b\x08\0\x80\0\x80\1\1\x11\0" + tables +
            b"".join(b"\xff\xda\0\x08\1\1\0" + head + packed(text) for head, text in scans) + b"\xff\xd9")


def leaves(n):
    """A JPEG of which each block has a texture: no change of the level; sixteen zeros, one coefficient, the end."""
    return coded((b"\0\x3f\0", "00001001100" * 256), kind=b"\xc0")


def progressive(n):
    """A progressive JPEG of two levels: the DCs of all blocks, then their ACs, which are none."""
    dcs, last = "", 0
    for i in range(256):
        level = 60 if i // 16 < 4 + n % 8 else 0  # a difference of six bits
        dcs += "0000" if level == last else "0110" + format(level if level else 3, "06b")
        last = level
    return coded((b"\0\0\0", dcs), (b"\1\x3f\0", "00" * 256), kind=b"\xc2")


def volume(path, voxels, shape, code="h"):
    """A NIfTI volume of int16 (or another type), packed if its name says so."""
    datatype, bits = {"B": (2, 8), "h": (4, 16), "f": (16, 32)}[code]
    data = struct.pack("<i36x8h14xhh2x8f3f", 348, len(shape), *shape, *[1] * (7 - len(shape)), datatype, bits, *[1] * 8, 352, 0, 0).ljust(344, b"\0") + \
        b"n+1\0" + bytes(4) + struct.pack("<%d%s" % (len(voxels), code), *voxels)
    return gzip.compress(data, mtime=0) if path.endswith(".gz") else data


def segments(path, n, bad=False):
    """A volume of ids."""
    return volume(path, [i for _ in range(4) for row in blobs(n, bad) for i in row], (48, 48, 4), "B")


def scan(path, n):
    """A volume of measurements, as of a CT."""
    draw = random.Random(n)
    return volume(path, [draw.randrange(-1000, 1000) for _ in range(48 * 48 * 4)], (48, 48, 4))


def ids(values):
    return npy(values, "<i8")


def floats(count):
    return npy(range(count), "<f8")


def coco(names, bad=False):
    return json.dumps({
        "images": [{"id": i, "file_name": n, "width": 64, "height": 64} for i, n in enumerate(names, 1)],
        "annotations": [{"id": i, "image_id": i, "category_id": BAD if bad else i % CLASSES, "bbox": [1, 1, 20, 20], "area": 400, "iscrowd": 0}
                        for i, n in enumerate(names, 1)],
        "categories": [{"id": i, "name": n} for i, n in enumerate(NAMES)]}).encode()


def hashed(*what):
    return "%012x" % random.Random(repr(what)).getrandbits(48)


def numbered(pattern, n):
    """A pattern with its number in it."""
    pattern = re.sub(r"(?<!\\)#+", lambda m: "%0*d" % (len(m[0]), n), pattern)
    return pattern.replace("*", hashed(n)).replace("\\#", "#")


def rows(template, n, path_is_numbered, bad):
    """A text: lines between bars, of which `9* ...` or `20-28* ...` is nine lines."""
    out, last = [], None

    def line(text, k, bad=False):
        draw = random.Random(repr((text, n, k)))

        def field(m):
            what = m[1]
            if what in ("id", "id1"):
                return str(BAD if bad else (n + k) % CLASSES if what == "id" else 1 + k % (CLASSES - 1))
            if what == "name":
                return "boat" if bad else NAMES[(n + k) % CLASSES]
            if what[:3] == "box" and len(what) == 4:
                x, y = draw.randrange(1, 20), draw.randrange(1, 20)
                return what[3].join(map(str, (x, y, x + draw.randrange(5, 30), y + draw.randrange(5, 30))))
            if what == "runs":
                return " ".join("%d %d" % (100 * i + draw.randrange(50), draw.randrange(1, 40)) for i in range(1 + k % 4))
            if what == "k":
                return str(k)
            if what == ".":
                return "%.6f" % draw.random()
            if re.fullmatch(r"\d+-\d+", what):
                low, high = map(int, what.split("-"))
                return str(draw.randrange(low, high + 1))
            if ";" in what:
                return what.split(";")[k % (what.count(";") + 1)]
            return m[0]

        text = re.sub(r"<(\d+)x((?:[^<>]|<[^<>]*>)*)>", lambda m: " ".join([m[2]] * int(m[1])), text)
        return numbered(re.sub(r"<([^<>]*)>", field, text), n if path_is_numbered else k)

    for part in template.split(" | "):
        many = re.match(r"(\d+)(?:-(\d+))?\* ", part)
        if not many:
            out.append(line(part, 1))
            continue
        first, end = (int(many[1]), int(many[2])) if many[2] else (1, int(many[1]))
        last = part[many.end():]
        out += [line(last, k) for k in range(first, end + 1)]
    if bad:
        out[-1] = line(last, end, True)
    return "".join(t.replace("\\t", "\t") + "\n" for t in out).encode()


def content(words, path, n, names, is_numbered, bad):
    """The bytes of a file; names: of a pattern, the names that COCO and archives hold."""
    word, _, rest = words.partition(" ")
    end = path.rsplit(".", 1)[-1].lower()
    if word == ":":
        return rows(rest, n, is_numbered, bad)
    if word == "yolo":
        return rows("3* <id> 0.5 0.4 0.<1-2>5 0.2", n, True, bad)
    if word == "polygons":
        return rows("3* <id> 0.<1-4>1 0.<1-4>3 0.<5-9>5 0.<1-4>3 0.<5-9>5 0.<5-9>2 0.<1-4>1 0.<5-9>2", n, True, bad)
    if word == "voc":
        return b"<annotation><folder></folder><filename>%s.jpg</filename><object><name>cat</name><bndbox><xmin>1</xmin><ymin>2</ymin>" \
            b"<xmax>20</xmax><ymax>30</ymax></bndbox></object></annotation>" % path.rsplit("/", 1)[-1].rsplit(".", 1)[0].encode()
    if word == "foreground" and not bad:
        return bits([[int(i > 0) for i in row] for row in blobs(n)])
    if word in ("mask", "foreground"):
        return {"bmp": bmp, "gif": gif, "tif": tif}.get(end, lambda r: png_of_bytes(48, r))(blobs(n, bad))
    if word == "photo" and end in ("tif", "tiff"):
        return tif([[min(255, max(0, 40 + 2 * y + x + random.Random(99 * n + 64 * y + x).randrange(-12, 13))) for x in range(64)] for y in range(64)])
    if word == "photo":
        return JPEG if end in ("jpg", "jpeg") else photo(n % 8) if end == "png" else bmp24(n) if end == "bmp" else MAGIC[end]
    if word in ("segments", "scan"):
        return segments(path, n, bad) if word == "segments" else scan(path, n)
    if word == "ids":
        return ids([BAD if bad and not i else i % CLASSES for i in range(30)])
    if word == "floats":
        return floats(int(rest))
    if word == "whole":  # floats that are ids
        return npy([BAD if bad and not i else i % CLASSES for i in range(30)], "<f4")
    if word == "series":
        return npy_head("<i2", (4, 2, 9, 8)) + bytes(range(128)) * 9
    if word == "idx":
        return struct.pack(">II", 2049, 40) + bytes(BAD if bad else i % CLASSES for i in range(40))
    if word == "images.idx":
        return struct.pack(">IIII", 2051, 40, 4, 4) + bytes(640)
    if word == "slice.npz":
        return zip_of({"image.npy": npy([.1 * k for k in range(30)], "<f4"), "label.npy": content("ids", "", n, None, False, bad)})
    if word == "poses.npz":
        return zip_of({"pose.npy": npy([.1 * k for k in range(30)], "<f4"), "shape.npy": npy([.3 * k for k in range(30)], "<f4")})
    if word == "bytes":
        return random.Random(n).randbytes(int(rest))
    if word in ("coco", "lvis"):
        document = coco(names, bad)
        return document.replace(b'"file_name": "', b'"coco_url": "http://images.cocodataset.org/') if word == "lvis" else document
    if word == "zip":
        return zip_of({name: content(rest.split()[1], name, i, None, True, bad and not i) for i, name in enumerate(names)})
    if word in MAGIC:
        return MAGIC[word]
    if word == "colours":
        return colours(n, bad)
    return PICTURES[word](n)


PICTURES = {"grey": lambda n: photo(n % 8, 0), "framed": framed, "flat": flat, "edges": edges, "noise": noise,
            "instances": instances, "depth": depth, "points": points, "plot": plot, "drawing": drawing, "leaves": leaves,
            "progressive": progressive}
