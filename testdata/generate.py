#!/usr/bin/env python3
"""Writes testdata/: small masks, good and broken, the same bytes on every machine.

usage: generate.py           write the files that differ
       generate.py --check   write nothing; exit 1 if a file differs, is missing or is one too many

    png/      every colour type, depth and interlace method of PNG, with every filter
    masks/    a set in the manner of Pascal VOC (8-bit palette, 21 classes, 255 at the borders of objects), with one mask each
              of what goes wrong in practice; `make demo` audits it
    clean/    a set with nothing to find: 8-bit grey, 4 classes, all of them used, 255 ignored
    arrays/   labels of ten classes as NumPy and as IDX arrays, plain and packed with gzip
    volumes/  two sets of nnU-Net in NIfTI, one with one case each of what goes wrong
    pairs/    masks/ and images/ that belong together by stem, with what goes wrong between them; the images are headers only
    lists/    lists of labels: ids and class names, with header and without, right and wrong
    yolo/     a YOLO data set in the usual layout, with one text each of what goes wrong
    colours/  masks of four classes in colours, with their tables: RGB, RGBA and palettes, right and wrong
    packed/   label files and class names, packed with gzip, bzip2, xz and zstd
    rules/    a folder for each rule: fires/ holds what it must find, silent/ what looks like it and is right
    archives/ the clean set as tar, tar.gz and zip, a WebDataset shard, and archives with what goes wrong in them

Standard library only. The deflate encoder is our own, because the bytes that zlib writes change with its version.
"""
import base64
import json
import os
import struct
import sys
import zlib

sys.dont_write_bytecode = True  # nothing but what this makes is to lie here
from archives import archives, plain, zip_archive  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))

GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
NAMES = {GREY: "grey", RGB: "rgb", PALETTE: "palette", GREY_ALPHA: "grey-alpha", RGBA: "rgba"}

# ---- deflate: one block of fixed codes, greedy matches ---------------------------------------------------------------

# (first value, symbol, extra bits): RFC 1951, section 3.2.5.
LENGTHS, DISTANCES = [], []
_first = 3
for _symbol in range(257, 285):
    _extra = max(0, (_symbol - 261) // 4)
    LENGTHS.append((_first, _symbol, _extra))
    _first += 1 << _extra
LENGTHS.append((258, 285, 0))
_first = 1
for _symbol in range(30):
    _extra = max(0, _symbol // 2 - 1)
    DISTANCES.append((_first, _symbol, _extra))
    _first += 1 << _extra


def deflate(data):
    """A zlib stream (RFC 1950) of data."""
    out = bytearray(b"\x78\x01")
    hold, count = 0, 0

    def put(value, bits):
        nonlocal hold, count
        hold |= value << count
        count += bits
        while count >= 8:
            out.append(hold & 255)
            hold >>= 8
            count -= 8

    def put_code(code, bits):
        put(int(format(code, f"0{bits}b")[::-1], 2), bits)

    def put_symbol(s):
        if s < 144:
            put_code(0x30 + s, 8)
        elif s < 256:
            put_code(0x190 + s - 144, 9)
        elif s < 280:
            put_code(s - 256, 7)
        else:
            put_code(0xC0 + s - 280, 8)

    def put_value(table, value, write):
        first, symbol, extra = [row for row in table if row[0] <= value][-1]
        write(symbol)
        put(value - first, extra)

    put(1, 1)  # the last block
    put(1, 2)  # fixed codes
    seen = {}
    at = 0
    while at < len(data):
        key = data[at : at + 3]
        best, where = 0, 0
        most = min(258, len(data) - at)
        for candidate in reversed(seen.get(key, [])[-16:]):
            if at - candidate > 32768 or best == most:
                break
            if data[candidate : candidate + best + 1] != data[at : at + best + 1]:
                continue  # it is no longer
            n = best + 1
            while n < most and data[candidate + n] == data[at + n]:
                n += 1
            best, where = n, candidate
        step = 1
        if len(key) == 3 and best:
            put_value(LENGTHS, best, put_symbol)
            put_value(DISTANCES, at - where, lambda s: put_code(s, 5))
            step = best
        else:
            put_symbol(data[at])
        for i in range(at, at + step):
            seen.setdefault(data[i : i + 3], []).append(i)
        at += step
    put_symbol(256)
    put(0, -count % 8)
    out += struct.pack(">I", zlib.adler32(data))
    return bytes(out)


# ---- PNG -------------------------------------------------------------------------------------------------------------

SIGNATURE = b"\x89PNG\r\n\x1a\n"
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, data=b"", crc=None):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) if crc is None else crc)


def header(width, height, depth, colour_type, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, interlace))


def pack(samples, depth):
    """Samples of a row to bytes, the leftmost in the high bits."""
    if depth == 8:
        return bytes(samples)
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    out, hold, bits = bytearray(), 0, 0
    for s in samples:
        hold = hold << depth | s
        bits += depth
        if bits == 8:
            out.append(hold)
            hold, bits = 0, 0
    if bits:
        out.append(hold << 8 - bits)
    return bytes(out)


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step, choose):
    """Packed rows to filtered ones; choose(y): the filter of row y."""
    out, above = bytearray(), bytes(len(rows[0]) if rows else 0)
    for y, row in enumerate(rows):
        kind = choose(y)
        out.append(kind)
        left, above_left = bytes(step) + row, bytes(step) + above
        if kind == 0:
            guesses = bytes(len(row))
        elif kind == 3:
            guesses = ((a + b) // 2 for a, b in zip(left, above))
        else:
            guesses = (None, left, above, None, map(paeth, left, above, above_left))[kind]
        out += bytes(x - guess & 255 for x, guess in zip(row, guesses))
        above = row
    return bytes(out)


def raster(pixels, depth, colour_type, interlace, choose):
    """pixels[y][x] is a sample, or a tuple of samples, to the bytes that are deflated."""
    channels = CHANNELS[colour_type]
    step = max(1, channels * depth // 8)

    def lines(rows):
        return [pack(r if channels == 1 else [s for p in r for s in p], depth) for r in rows]

    if not interlace:
        return filtered(lines(pixels), step, choose)
    out = b""
    for x0, y0, dx, dy in ADAM7:
        rows = [row[x0::dx] for row in pixels[y0::dy]]
        if rows and rows[0]:
            out += filtered(lines(rows), step, choose)
    return out


def png(pixels, colour_type=GREY, depth=8, palette=None, interlace=0, choose=lambda y: 0, before=b"", idats=1):
    """A whole PNG; before: chunks that go before IDAT; idats: into how many the stream is cut."""
    stream = deflate(raster(pixels, depth, colour_type, interlace, choose))
    out = SIGNATURE + header(len(pixels[0]), len(pixels), depth, colour_type, interlace)
    if palette:
        out += chunk(b"PLTE", b"".join(bytes(p) for p in palette))
    out += before
    size = -(-len(stream) // idats)
    for at in range(0, len(stream), size):
        out += chunk(b"IDAT", stream[at : at + size])
    return out + chunk(b"IEND")


# ---- masks -----------------------------------------------------------------------------------------------------------


def voc_palette():
    """The colours of Pascal VOC: the bits of the index, dealt to red, green and blue from the top."""
    colours = []
    for i in range(256):
        r = g = b = 0
        for bit in range(8):
            r |= (i >> 3 * bit & 1) << 7 - bit
            g |= (i >> 3 * bit + 1 & 1) << 7 - bit
            b |= (i >> 3 * bit + 2 & 1) << 7 - bit
        colours.append((r, g, b))
    return colours


VOC = voc_palette()


class Chance:
    """A small generator of our own (Numerical Recipes' constants), so that no version of Python changes the files."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) % n


def scene(seed, ids, width=72, height=54, border=None):
    """An ellipse for each of ids on a background of 0; border: the id of the pixels where they meet."""
    chance = Chance(seed)
    mask = [[0] * width for _ in range(height)]
    for id_ in ids:
        rx, ry = 7 + chance.below(width // 6), 6 + chance.below(height // 6)
        cx, cy = rx + chance.below(max(1, width - 2 * rx)), ry + chance.below(max(1, height - 2 * ry))
        for y in range(height):
            for x in range(width):
                if ((x - cx) * ry) ** 2 + ((y - cy) * rx) ** 2 <= (rx * ry) ** 2:
                    mask[y][x] = id_
    if border is None:
        return mask
    out = [row[:] for row in mask]
    for y in range(height):
        for x in range(width):
            if (x + 1 < width and mask[y][x + 1] != mask[y][x]) or (y + 1 < height and mask[y + 1][x] != mask[y][x]):
                out[y][x] = border
    return out


def tiles(ids, size=12):
    """A square for each id, side by side."""
    return [[id_ for id_ in ids for _ in range(size)] for _ in range(size)]


def mapped(mask, change):
    return [[change(v) for v in row] for row in mask]


def resized(mask, factor, nearest):
    """`factor` times as large, by nearest neighbour or, wrongly, by bilinear interpolation; sample centres at halves."""
    height, width = len(mask), len(mask[0])

    def place(i, n):
        # In units of 1 / (2 factor): exact.
        at = min(max(2 * i + 1 - factor, 0), 2 * factor * (n - 1))
        return at // (2 * factor), at % (2 * factor)

    out = []
    for y in range(height * factor):
        if nearest:
            out.append([mask[y // factor][x // factor] for x in range(width * factor)])
            continue
        y0, fy = place(y, height)
        y1 = min(y0 + 1, height - 1)
        row = []
        for x in range(width * factor):
            x0, fx = place(x, width)
            x1 = min(x0 + 1, width - 1)
            whole = 2 * factor
            top = mask[y0][x0] * (whole - fx) + mask[y0][x1] * fx
            bottom = mask[y1][x0] * (whole - fx) + mask[y1][x1] * fx
            row.append((top * (whole - fy) + bottom * fy + whole * whole // 2) // (whole * whole))
        out.append(row)
    return out


def voc(mask, **more):
    return png(mask, PALETTE, 8, VOC, **more)


def coloured(mask, alpha=None):
    """The mask painted in VOC's colours."""
    tail = () if alpha is None else (alpha,)
    return png(mapped(mask, lambda v: VOC[v] + tail), RGB if alpha is None else RGBA)


def replicated(mask, alpha=None):
    tail = () if alpha is None else (alpha,)
    return png(mapped(mask, lambda v: (v, v, v) + tail), RGB if alpha is None else RGBA)


JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffdb004300" + "10" * 64 + "ffc0000b080010001001011100ffd9")
HTML = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 1742\n"
)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]


def find_chunk(data, kind):
    """Where the type of the first such chunk stands."""
    return data.index(kind, len(SIGNATURE))


def with_bad_crc(data):
    at = find_chunk(data, b"IDAT")
    length = struct.unpack(">I", data[at - 4 : at])[0]
    return flipped(data, at + 4 + length + 3)


def from_stream(stream, width, height, after=b""):
    return SIGNATURE + header(width, height, 8, GREY) + chunk(b"IDAT", stream) + chunk(b"IEND") + after


# ---- the sets --------------------------------------------------------------------------------------------------------


def png_types():
    depths = {GREY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GREY_ALPHA: (8, 16), RGBA: (8, 16)}
    width, height = 19, 13
    for colour_type, choices in depths.items():
        for depth in choices:
            top = (1 << depth) - 1

            def sample(x, y, c, top=top):
                return (x * x + 3 * y * (c + 1) + 7 * c * x + (y * 257 if top > 255 else 0)) & top

            if CHANNELS[colour_type] == 1:
                pixels = [[sample(x, y, 0) for x in range(width)] for y in range(height)]
            else:
                pixels = [
                    [tuple(sample(x, y, c) for c in range(CHANNELS[colour_type])) for x in range(width)]
                    for y in range(height)
                ]
            palette = VOC[: 1 << depth] if colour_type == PALETTE else None
            for interlace in (0, 1):
                name = f"png/{NAMES[colour_type]}-{depth}{'-adam7' if interlace else ''}.png"
                yield name, png(pixels, colour_type, depth, palette, interlace, lambda y: y % 5, idats=1 + y_cut(depth))


def y_cut(depth):
    """Some files in one IDAT, some in several."""
    return {1: 0, 2: 1, 4: 2, 8: 0, 16: 4}[depth]


def voc_like():
    objects = ((15, 9), (7, 15), (20, 5, 16), (12,), (3, 8), (2, 14, 15), (1, 4, 6, 10), (11, 13, 17, 18, 19))
    for i, ids in enumerate(objects):
        yield f"masks/scene-{i + 1:02}.png", voc(scene(100 + i, ids, border=255), choose=lambda y: 0)
    whole = voc(scene(120, (15, 2), border=255))
    stray = scene(121, (15, 7), border=255)
    for y in range(20, 28):
        for x in range(30, 46):
            stray[y][x] = 21
    yield "masks/stray-id-21.png", voc(stray)
    yield "masks/saved-as-0-and-255.png", png(mapped(scene(122, (1,)), lambda v: 255 * v))
    yield "masks/painted-in-colours.png", coloured(scene(123, (15, 7, 2)))
    yield "masks/grey-saved-as-rgb.png", replicated(scene(124, (15, 9)))
    yield "masks/resized-bilinear.png", voc(resized(scene(125, (15, 9, 20), 36, 27), 2, nearest=False))
    yield "masks/only-void.png", voc(mapped(scene(126, ()), lambda v: 255))
    yield "masks/grey-4-bit.png", png(scene(127, (9, 2)), GREY, 4)
    yield "masks/cut-short.png", whole[:-90]
    yield "masks/wrong-crc.png", with_bad_crc(voc(scene(128, (12, 8), border=255)))
    yield "masks/lfs-pointer.png", POINTER
    yield "masks/empty.png", b""
    yield "masks/photo.png", JPEG


def clean():
    for i in range(6):
        ids = [(i + k) % 3 + 1 for k in range(3)]
        yield f"clean/{i + 1:02}.png", png(scene(200 + i, ids, border=255), choose=lambda y: y % 5)


def rule_file(rule, files):
    for name, data in files.items():
        yield f"rules/{rule}/{name}", data


def file_rules():
    mask = scene(300, (1, 2, 3), border=255)
    width, height = len(mask[0]), len(mask)
    whole = png(mask)
    body = raster(mask, 8, GREY, 0, lambda y: 0)
    stream = deflate(body)
    yield from rule_file(
        "not-a-label-file",
        {"fires/page.png": HTML, "fires/notes.png": b"to do: label this one\n", "silent/mask.png": whole},
    )
    yield from rule_file("lossy-format", {"fires/photo.png": JPEG, "silent/mask.png": whole})
    yield from rule_file("git-lfs-pointer", {"fires/pointer.png": POINTER, "silent/mask.png": whole})
    yield from rule_file("empty-file", {"fires/empty.png": b"", "silent/mask.png": whole})
    yield from rule_file(
        "truncated-file",
        {
            "fires/in-signature.png": whole[:5],
            "fires/in-header.png": whole[:20],
            "fires/in-pixels.png": whole[: len(whole) // 2],
            "fires/without-end.png": whole[:-12],
            "fires/rows-missing.png": from_stream(deflate(body[: (width + 1) * 40]), width, height),
            "silent/mask.png": whole,
        },
    )
    bad_filter = bytearray(body)
    bad_filter[(width + 1) * 17] = 5
    second = whole[:33] + whole[8:33] + whole[33:]
    yield from rule_file(
        "corrupt-data",
        {
            "fires/wrong-crc.png": with_bad_crc(whole),
            "fires/wrong-adler.png": from_stream(flipped(stream, len(stream) - 1), width, height),
            "fires/not-zlib.png": from_stream(b"\x00" + stream[1:], width, height),
            "fires/filter-5.png": from_stream(deflate(bytes(bad_filter)), width, height),
            "fires/two-headers.png": second,
            "fires/no-palette.png": SIGNATURE + header(width, height, 8, PALETTE) + chunk(b"IDAT", stream) + chunk(b"IEND"),
            "fires/30000x30000.png": SIGNATURE + header(30000, 30000, 8, GREY) + chunk(b"IDAT", stream) + chunk(b"IEND"),
            "fires/largest.png": SIGNATURE + header(2**31 - 1, 2**31 - 1, 16, RGBA) + chunk(b"IDAT", stream) + chunk(b"IEND"),
            "silent/mask.png": whole,
        },
    )
    # With --max-pixels 3887: more than 2^30 pixels, the default, would not be a small file.
    yield from rule_file("limit-exceeded", {"fires/3888-pixels.png": whole, "silent/3816-pixels.png": png(mask[:-1])})
    palette = VOC[:4]
    small = mapped(mask, lambda v: v & 3)
    yield from rule_file(
        "malformed-png",
        {
            "fires/after-end.png": whole + b"left over",
            "fires/more-rows.png": from_stream(deflate(body + body[: width + 1]), width, height),
            "fires/long-trns.png": png(small, PALETTE, 8, palette, before=chunk(b"tRNS", bytes(range(9)))),
            "silent/text.png": png(mask, before=chunk(b"tEXt", b"Comment\0drawn by hand")),
            "silent/short-trns.png": png(small, PALETTE, 8, palette, before=chunk(b"tRNS", b"\x00")),
        },
    )
    body_of_whole, end = whole[:-12], whole[-12:]
    frame = struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 10, 0, 0)
    text = b"Comment\0drawn by hand"
    bomb = deflate(bytes((1 << 20) + 1))
    yield from rule_file(
        "unreadable-by-loader",
        {
            "fires/short-gamma.png": png(mask, before=chunk(b"gAMA", b"\0")),
            "fires/short-gamma-at-the-end.png": body_of_whole + chunk(b"gAMA", b"\0") + end,
            "fires/wrong-crc.png": png(mask, before=chunk(b"tEXt", text, 1)),
            "fires/profile-of-method-1.png": png(mask, before=chunk(b"iCCP", b"x\0\1abc")),
            "fires/text-of-a-mebibyte.png": png(mask, before=chunk(b"zTXt", b"Comment\0\0" + bomb)),
            "fires/long-background.png": png(mask, before=chunk(b"bKGD", bytes(3))),
            "silent/gamma.png": png(mask, before=chunk(b"gAMA", b"\0\0\xb1\x8f")),
            "silent/wrong-crc-at-the-end.png": body_of_whole + chunk(b"tEXt", text, 1) + end,
            "silent/text.png": png(mask, before=chunk(b"zTXt", b"Comment\0\0" + deflate(text))),
            "silent/animation.png": png(mask, before=chunk(b"acTL", b"\0\0\0\1\0\0\0\0") + chunk(b"fcTL", frame)),
        },
    )


def id_rules():
    """4 classes (0-3), 255 ignored, unless the rule's test says otherwise."""
    full = scene(400, (1, 2, 3), border=255)
    plus_one = mapped(full, lambda v: v if v == 255 else v + 1)
    yield from rule_file(
        "out-of-range-id",
        {
            "fires/one-pixel-of-4.png": png([[3] * 8, [3] * 7 + [4]]),
            "fires/only-254.png": png(mapped(full, lambda v: 254 if v == 255 else v)),
            "fires/sixteen-bit-300.png": png(tiles((0, 3, 300)), GREY, 16),
            "silent/up-to-3.png": png(full),
        },
    )
    yield from rule_file("one-based-ids", {"fires/1-to-4.png": png(plus_one), "silent/0-to-3.png": png(full)})
    yield from rule_file(
        "background-off-by-one", {"fires/0-to-4.png": png(tiles((0, 1, 2, 3, 4))), "silent/0-to-3.png": png(full)}
    )
    spot = scene(401, (1,))
    yield from rule_file(
        "foreground-is-ignored",
        {
            "fires/0-and-255.png": png(mapped(spot, lambda v: 255 * v)),
            "silent/0-and-1.png": png(spot),
        },
    )
    yield from rule_file(
        "scaled-ids",
        {
            "fires/0-and-255.png": png(mapped(spot, lambda v: 255 * v)),
            "fires/times-85.png": png(mapped(scene(402, (1, 2, 3)), lambda v: 85 * v)),
            "fires/times-20.png": png(mapped(scene(402, (1, 2, 3)), lambda v: 20 * v)),
            "silent/0-to-3.png": png(scene(402, (1, 2, 3))),
            "silent/0-and-2.png": png(mapped(spot, lambda v: 2 * v)),
        },
    )
    yield from rule_file(
        "all-ignored", {"fires/only-255.png": png(mapped(full, lambda v: 255)), "silent/one-pixel.png": png([[255] * 9, [255] * 8 + [1]])}
    )
    yield from rule_file(
        "mostly-ignored", {"fires/96-of-100.png": png([[255] * 96 + [1] * 4]), "silent/95-of-100.png": png([[255] * 95 + [1] * 5])}
    )
    yield from rule_file("only-background", {"fires/only-0.png": png([[0] * 9] * 5), "silent/one-pixel.png": png([[0] * 8 + [1]])})
    yield from rule_file("single-id", {"fires/only-2.png": png([[2] * 9] * 5), "silent/one-pixel.png": png([[2] * 8 + [1]])})
    yield from rule_file(
        "missing-class",
        {
            "fires/without-2.png": png(tiles((0, 1, 3))),
            "silent/one-pixel-of-2.png": png([[0, 1, 3, 3], [0, 1, 3, 2]]),
        },
    )
    street = scene(403, (7, 11, 26, 33))
    yield from rule_file(
        "cityscapes-label-ids",
        {
            "fires/labelIds.png": png(street),
            "silent/labelTrainIds.png": png(mapped(street, {0: 255, 7: 0, 11: 2, 26: 13, 33: 18}.get)),
        },
    )
    yield from rule_file(
        "double-reduced-ids",
        {"fires/254.png": png(mapped(full, lambda v: v - 1 if v else 255)), "silent/255.png": png(full)},
    )
    yield from rule_file(
        "gap-in-ids",
        {f"fires/{i}.png": png(tiles((0, 1, 2, 4))) for i in range(5)} | {"silent/0-to-3.png": png(tiles((0, 1, 2, 3)))},
    )
    yield from rule_file(
        "instance-ids",
        {
            "fires/times-1000.png": png(tiles((7, 11, 24001, 26000, 26001)), GREY, 16),
            "fires/times-256.png": png(tiles((0, 1792, 6145, 6146)), GREY, 16),
            "silent/semantic.png": png(tiles((7, 11, 24, 26)), GREY, 16),
        },
    )
    luma = [round((299 * r + 587 * g + 114 * b) / 1000) for r, g, b in VOC]
    yield from rule_file(
        "palette-luma-ids",
        {
            "fires/voc-as-grey.png": png(mapped(scene(404, (15, 9, 20)), lambda v: luma[v])),
            "silent/grey-levels.png": png(tiles((0, 40, 80, 120))),
        },
    )
    yield from rule_file(
        "wrapped-negative-ids",
        {
            "fires/eight-bit.png": png(full),
            "fires/sixteen-bit.png": png(mapped(full, lambda v: 65535 if v == 255 else v), GREY, 16),
            "silent/eight-bit.png": png(full),
        },
    )


def content_rules():
    """4 classes, 255 ignored, as above."""
    full = scene(450, (1, 2, 3), border=255)
    cut = [row[:-1] for row in full]
    yield from rule_file(
        "duplicate-mask",
        {
            "fires/a.png": png(full),
            "fires/b.png": png(full, PALETTE, 8, VOC, choose=lambda y: y % 5),
            "silent/blank-1.png": png([[2] * 9] * 5),
            "silent/blank-2.png": png([[2] * 9] * 5),
            "silent/cut.png": png(cut),
            "silent/turned.png": png(cut[::-1]),
            "silent/whole.png": png(full),
        },
    )
    outlined = scene(451, (1, 2, 3), border=99)
    yield from rule_file(
        "edge-halo",
        {
            "fires/outlines-of-99.png": png(outlined),
            "silent/area-of-99.png": png(mapped(outlined, lambda v: 99 if v == 3 else v)),
        },
    )
    chance = Chance(452)
    noise = [[(x * x + y * y) // 40 + chance.below(9) & 127 for x in range(48)] for y in range(48)]
    yield from rule_file("image-as-mask", {"fires/grey-picture.png": png(noise), "silent/mask.png": png(full)})
    spot = [[0] * 500 for _ in range(401)]
    spot[200][250] = 1
    few = [[0] * 100 for _ in range(50)]
    few[20][30] = 1
    yield from rule_file("rare-class", {"fires/1-in-200500.png": png(spot), "silent/1-in-5000.png": png(few)})


def encoding_rules():
    full = scene(500, (1, 2, 3))
    yield from rule_file(
        "color-mask",
        {"fires/rgb.png": coloured(full), "fires/rgba.png": coloured(full, 255), "silent/palette.png": png(full, PALETTE, 8, VOC[:4])},
    )
    yield from rule_file(
        "replicated-channels",
        {
            "fires/rgb.png": replicated(full),
            "fires/rgba.png": replicated(full, 255),
            "fires/grey-alpha.png": png(mapped(full, lambda v: (v, 255)), GREY_ALPHA),
            "silent/grey.png": png(full),
        },
    )
    one_hot = {0: (255, 0, 0), 1: (0, 255, 0), 2: (0, 0, 255), 3: (0, 0, 255)}
    two_hot = dict(one_hot)
    two_hot[1] = (255, 255, 0)
    yield from rule_file(
        "one-hot-mask",
        {
            "fires/0-and-255.png": png(mapped(full, lambda v: one_hot[v]), RGB),
            "fires/0-and-1.png": png(mapped(full, lambda v: tuple(c // 255 for c in one_hot[v])), RGB),
            "silent/two-channels-at-a-time.png": png(mapped(full, lambda v: two_hot[v]), RGB),
        },
    )
    yield from rule_file(
        "expanded-bit-depth",
        {
            "fires/grey-1.png": png(mapped(full, lambda v: v & 1), GREY, 1),
            "fires/grey-2.png": png(full, GREY, 2),
            "fires/grey-4.png": png(full, GREY, 4),
            "silent/grey-8.png": png(full),
            "silent/palette-2.png": png(full, PALETTE, 2, VOC[:4]),
        },
    )
    yield from rule_file(
        "index-beyond-palette",
        {
            "fires/4-of-4.png": png(tiles((0, 1, 2, 3, 4)), PALETTE, 8, VOC[:4]),
            "silent/3-of-4.png": png(tiles((0, 1, 2, 3)), PALETTE, 8, VOC[:4]),
        },
    )
    yield from rule_file("wide-ids", {"fires/up-to-3.png": png(full, GREY, 16), "silent/300.png": png(tiles((0, 300)), GREY, 16)})
    mine = png(full, PALETTE, 8, VOC[:4])
    yield from rule_file(
        "inconsistent-palette",
        {f"{folder}/{i}.png": mine for folder in ("fires", "silent") for i in range(2)}
        | {"fires/2.png": png(full, PALETTE, 8, VOC[:2] + VOC[3:5]), "silent/more-colours.png": png(full, PALETTE, 8, VOC)},
    )
    yield from rule_file(
        "multi-label-mask",
        {
            "fires/several.png": png(mapped(full, lambda v: (int(v > 0), int(v > 1), int(v > 2))), RGB),
            "fires/none.png": png(mapped(full, lambda v: (int(v == 1), int(v == 2), int(v == 3))), RGB),
            "silent/one-hot.png": png(mapped(full, lambda v: (int(v == 1), int(v == 2), int(v % 3 == 0))), RGB),
        },
    )
    turned = [list(column) for column in zip(*full)]
    yield from rule_file(
        "mixed-sizes",
        {f"fires/{i}.png": png(full) for i in range(3)}
        | {"fires/turned.png": png(turned)}
        | {"silent/a.png": png(full), "silent/b.png": png(turned), "silent/c.png": png(full[:-1])},
    )
    grey_palette = [(i, i, i) for i in range(4)]
    yield from rule_file(
        "loader-divergence",
        {
            "fires/palette/mask.png": png(full, PALETTE, 8, VOC[:4]),
            "fires/sixteen-bit/mask.png": png(full, GREY, 16),
            "silent/grey/mask.png": png(full),
            "silent/grey-palette/mask.png": png(full, PALETTE, 8, grey_palette),
        },
    )


# ---- colours ---------------------------------------------------------------------------------------------------------


def colours():
    """sky #000000, road #800000, car #008000 and man #808000; the table is VOC's, so an index is the id of its colour."""
    names = ("sky", "road", "car", "man")
    mask = scene(520, (1, 2, 3))
    edge = [[VOC[v] for v in row] for row in mask]
    edge[30][12:16] = [(64, 0, 0), (64, 0, 0), (32, 64, 0), (64, 0, 0)]
    alpha = [[VOC[v] + (255,) for v in row] for row in mask]
    alpha[0][0] = (0, 0, 0, 0)
    back = [VOC[i] for i in (3, 2, 1, 0)]
    yield "colours/right/rgb.png", coloured(mask)
    yield "colours/right/rgba.png", coloured(scene(521, (1, 2, 3)), 255)
    yield "colours/right/rgb-16.png", png(mapped(scene(522, (1, 2, 3)), lambda v: tuple(c * 257 for c in VOC[v])), RGB, 16)
    yield "colours/right/interlaced.png", png(mapped(scene(523, (1, 2, 3)), lambda v: VOC[v]), RGB, interlace=1)
    yield "colours/right/palette.png", png(scene(524, (1, 2, 3)), PALETTE, 8, VOC)
    yield "colours/right/palette-2.png", png(scene(525, (1, 2, 3)), PALETTE, 2, VOC[:4])
    yield "colours/wrong/smoothed.png", png(edge, RGB)
    yield "colours/wrong/swapped.png", png(mapped(mask, lambda v: VOC[v][::-1]), RGB)
    yield "colours/wrong/equal-channels.png", replicated(mask)
    yield "colours/wrong/transparent.png", png(alpha, RGBA)
    yield "colours/wrong/reversed.png", png(mapped(mask, lambda v: 3 - v), PALETTE, 8, back)
    yield "colours/wrong/grey-palette.png", png(mask, PALETTE, 8, [(i, i, i) for i in range(1, 5)])
    noise = [[(3 * x, 4 * y, (x * y) % 256) for x in range(80)] for y in range(60)]
    yield "colours/wrong/photo.png", png(noise, RGB)
    rows = [",".join(map(str, VOC[i])) for i in range(4)]
    yield "colours/labelmap.txt", "".join(f"{n}:{c}::\n" for n, c in zip(names, rows)).encode()
    yield "colours/class_dict.csv", ("name,r,g,b\n" + "".join(f"{n},{c}\n" for n, c in zip(names, rows))).encode()
    yield "colours/label_colors.txt", "".join(f"{c.replace(',', ' ')}\t{n}\n" for n, c in zip(names, rows)).encode()


# ---- arrays ----------------------------------------------------------------------------------------------------------

STRUCT = {"|b1": "B", "|u1": "B", "|i1": "b", "<u2": "H", "<i2": "h", "<i4": "i", "<i8": "q", "<u8": "Q", "<f4": "f", "<f8": "d"}


def npy(descr, shape, values, fortran=False, after=b""):
    """A NumPy array, version 1.0, as np.save writes it: the elements begin at a multiple of 64."""
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({', '.join(map(str, shape))}{',' * (len(shape) == 1)}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    data = struct.pack("<" + str(len(values)) + STRUCT[descr], *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data + after


def idx(values, *more):
    """An IDX file of bytes: the values in one axis, or in as many as there are lengths."""
    shape = more or (len(values),)
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape) + bytes(values)


def gz(data):
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + deflate(data)[2:-4] + struct.pack("<II", zlib.crc32(data), len(data))


def digits(seed, count):
    """Labels of ten classes, all of them used."""
    values = []
    for i in range(count):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        values.append(i if i < 10 else (seed >> 16) % 10)
    return values


def flat(mask):
    return [v for row in mask for v in row]


def arrays():
    train, test = digits(700, 60), digits(701, 20)
    yield "arrays/numpy/train_y.npy", npy("<i8", (60,), train)
    yield "arrays/numpy/test_y.npy.gz", gz(npy("<i8", (20,), test))
    yield "arrays/mnist/train-labels-idx1-ubyte", idx(train)
    yield "arrays/mnist/t10k-labels-idx1-ubyte.gz", gz(idx(test))
    yield "arrays/mnist/t10k-images-idx3-ubyte", idx([v * 20 for v in test for _ in range(4)], 20, 2, 2)


def volume(voxels, shape, code="h", spacing=(1.0, 1.0, 2.5), flip=1, origin=(-10.0, -12.0, 5.0)):
    """A NIfTI-1 volume whose sform says where it is."""
    datatype = {"B": 2, "h": 4, "f": 16}[code]
    rows = [[flip * spacing[0], 0, 0, origin[0]], [0, spacing[1], 0, origin[1]], [0, 0, spacing[2], origin[2]]]
    header = struct.pack("<i36x8h14xhh2x8f3f", 348, len(shape), *shape, *[1] * (7 - len(shape)), datatype, 8 * struct.calcsize(code),
                         1, *spacing, 1, 1, 1, 1, 352, 0, 0).ljust(252, b"\0")
    header += struct.pack("<hh24x12f", 0, 1, *[v for row in rows for v in row])
    return header.ljust(344, b"\0") + b"n+1\0" + bytes(4) + struct.pack(f"<{len(voxels)}{code}", *voxels)


def volumes():
    """Two channels, background and two classes; the cases of set/ from 002 on are wrong, each in one way."""
    shape = (6, 5, 4)
    count = 6 * 5 * 4
    labels = '{"channel_names": {"0": "T1", "1": "T2"}, "labels": {"background": 0, "core": 1, "edema": 2}, "numTraining": %d, "file_ending": ".nii.gz"}\n'
    for name, cases in (("good", 2), ("set", 7)):
        yield f"volumes/{name}/dataset.json", (labels % cases).encode()
        for case in range(cases):
            ids = [(0, 0, 1, 2, 0)[(i // 7 + case) % 5] for i in range(count)]
            how = {}
            if case == 2:
                ids = [4 if i == 2 else i for i in ids]  # as BraTS has it
            if case == 3:
                how = {"flip": -1}
            if case == 5:
                how = {"spacing": (1.0, 1.0, 2.0)}
            data = volume([.9999 * i for i in ids], shape, "f") if case == 6 else volume(ids, shape, "B", **how)
            yield f"volumes/{name}/labelsTr/case_{case:03d}.nii.gz", gz(data)
            for channel in range(1 if case == 4 else 2):
                noise = [(v * 37 + i * 11) % 400 - 100 for i, v in enumerate(digits(710 + case + channel, count))]
                yield f"volumes/{name}/imagesTr/case_{case:03d}_{channel:04d}.nii.gz", gz(volume(noise, shape))


def array_rules():
    """4 classes (0-3), unless the rule's test says otherwise."""
    ids = [v & 3 for v in digits(702, 60)]
    mask = flat(scene(703, (1, 2, 3), 12, 9))
    eye = [float(v == c) for v in ids for c in range(4)]
    several = [int(v == c or v + 1 == c) for v in ids for c in range(4)]
    planes = [int(v == c) * 255 for c in range(4) for v in mask]
    mixed = [0.75 * (v == c) + 0.25 * ((v + 1) % 4 == c) for v in ids for c in range(4)]
    yield from rule_file(
        "one-hot-mask",
        {
            "fires/rows.npy": npy("<f4", (60, 4), eye),
            "fires/planes.npy": npy("|u1", (4, 9, 12), planes),
            "silent/ids.npy": npy("<i8", (60,), ids),
        },
    )
    yield from rule_file("multi-label-mask", {"fires/rows.npy": npy("|u1", (60, 4), several), "silent/ids.npy": npy("<i8", (60,), ids)})
    yield from rule_file(
        "soft-labels",
        {
            "fires/mixed.npy": npy("<f4", (60, 4), mixed),
            "silent/below-1.npy": npy("<f4", (60, 4), [v * 0.5 for v in mixed]),
        },
    )
    yield from rule_file(
        "non-integer-labels",
        {
            "fires/divided-by-255.npy": npy("<f4", (9, 12), [v / 255 for v in mask]),
            "fires/averaged.npy": npy("<f8", (3,), (1.0, 1.5, 2.0)),
            "silent/mixed.npy": npy("<f4", (60, 4), mixed),
        },
    )
    yield from rule_file(
        "nan-labels",
        {
            "fires/missing.npy": npy("<f8", (4,), (0.0, 1.0, float("nan"), 3.0)),
            "fires/infinite.npy": npy("<f4", (2, 2), (0.0, float("-inf"), 2.0, 3.0)),
            "silent/whole.npy": npy("<f8", (4,), (0.0, 1.0, 2.0, 3.0)),
        },
    )
    yield from rule_file(
        "wrong-dtype",
        {
            "fires/floats.npy": npy("<f8", (60,), [float(v) for v in ids]),
            "fires/bool.npy": npy("|b1", (4,), (0, 1, 1, 0)),
            "fires/bytes.npy": npy("|u1", (60,), ids),
            "fires/objects.npy": npy("<i8", (1,), (0,)).replace(b"'<i8'", b"'|O' "),
            "silent/int64.npy": npy("<i8", (60,), ids),
            "silent/mask.npy": npy("|u1", (9, 12), mask),
        },
    )
    yield from rule_file(
        "extra-dimension",
        {
            "fires/column.npy": npy("<i8", (60, 1), ids),
            "fires/batch.npy": npy("<i8", (2, 1, 9, 12), mask + mask),
            "silent/batch.npy": npy("<i8", (2, 9, 12), mask + mask),
        },
    )
    yield from rule_file("wide-ids", {"fires/int64.npy": npy("<i8", (9, 12), mask), "silent/list.npy": npy("<i8", (60,), ids)})
    # With 200 classes.
    yield from rule_file(
        "wrapped-negative-ids", {"fires/int8.npy": npy("|i1", (3,), (-56, 0, 127)), "silent/int8.npy": npy("|i1", (3,), (0, 1, 127))}
    )
    whole = npy("<i8", (60,), ids)
    yield from rule_file(
        "malformed-labels",
        {
            "fires/negative.npy": whole.replace(b"(60,)", b"(-1,)"),
            "fires/code.npy": whole.replace(b"(60,)", b"f(6),"),
            "fires/longer.npy": npy("<i8", (60,), ids, after=b"\n"),
            "silent/ids.npy": whole,
        },
    )
    # Pictures beside labels: in silent/, as many of them.
    yield "rules/malformed-labels/fires/pair/a-labels-idx1-ubyte", idx(ids)
    yield "rules/malformed-labels/fires/pair/a-images-idx3-ubyte.gz", gz(idx(bytes(59 * 4), 59, 2, 2))
    yield "rules/malformed-labels/silent/pair/a-labels-idx1-ubyte.gz", gz(idx(ids))
    yield "rules/malformed-labels/silent/pair/a-images-idx3-ubyte", idx(bytes(60 * 4), 60, 2, 2)
    yield "rules/truncated-file/fires/array.npy", whole[:-4]


def interpolation_rules():
    """21 classes: what is made up between two ids is in range, and no check of ranges sees it."""
    small = scene(600, (15, 9, 20, 5), 36, 27)
    wires = scene(601, (15, 3))
    for x in range(len(wires[0])):
        wires[25][x] = 7
    for y in range(len(wires)):
        wires[y][33] = 11
    yield from rule_file(
        "interpolated-mask",
        {
            "fires/bilinear-3x.png": png(resized(small, 3, nearest=False)),
            "fires/bilinear-2x.png": png(resized(small, 2, nearest=False)),
            "fires/bilinear-2x.npy": npy("<i2", (54, 72), flat(resized(small, 2, nearest=False))),
            "silent/nearest-3x.png": png(resized(small, 3, nearest=True)),
            "silent/nearest-2x.npy": npy("<i2", (54, 72), flat(resized(small, 2, nearest=True))),
            "silent/thin-wires.png": png(wires),
            "silent/void-border.png": png(scene(602, (15, 9, 20, 5), border=255)),
        },
    )
    rimmed = scene(603, (2,), border=1)
    yield from rule_file(
        "suspected-interpolation",
        {"fires/rim-of-1.png": png(rimmed), "silent/rim-of-3.png": png(mapped(rimmed, lambda v: 3 if v == 1 else v))},
    )


def jpeg_header(width, height, orientation=None):
    """The segments of a JPEG up to its frame, which says the size, and its end; EXIF of one entry before it."""
    data = b"\xff\xd8"
    if orientation:
        exif = b"Exif\0\0" + struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, 274, 3, 1, orientation, 0, 0)
        data += b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    return data + b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes((1, 34, 0, 2, 17, 1, 3, 17, 1)) + b"\xff\xd9"


def pairs():
    mask = png(tiles((0, 1, 2)))
    tall = png([list(row) for row in zip(*tiles((0, 1, 2)))])
    for name in ("good", "extra-suffix_mask", "no-image", "scaled", "swapped", "turned", "turned-as-stored", "html", "deep/good"):
        yield f"pairs/masks/{name}.png", tall if name in ("swapped", "turned") else mask
    width, height = 36, 12
    yield "pairs/images/good.jpg", jpeg_header(width, height)
    yield "pairs/images/extra-suffix.jpg", jpeg_header(width, height)
    yield "pairs/images/scaled.jpg", jpeg_header(2 * width, 2 * height)
    yield "pairs/images/swapped.jpg", jpeg_header(width, height)
    yield "pairs/images/turned.jpg", jpeg_header(width, height, 6)
    yield "pairs/images/turned-as-stored.jpg", jpeg_header(width, height, 6)
    yield "pairs/images/html.jpg", b"<!doctype html>\n"
    yield "pairs/images/deep/good.jpg", jpeg_header(width, height)
    yield "pairs/images/deep/good.png", mask
    yield "pairs/images/no-mask.jpg", jpeg_header(width, height)


def rows(*lines, end="\n"):
    return "".join(line + end for line in lines).encode()


def lists():
    """3 classes: cat, dog, pig."""
    yield "lists/names.txt", rows("cat", "dog", "pig")
    yield "lists/ids.txt", rows("0", "2", "1", "1", "0")
    yield "lists/paths.txt", rows("a/01.jpg 0", "a/02.jpg 2", "b/03.jpg 1", end="\r\n")
    yield "lists/header.csv", rows("id,path,label", "1,a/01.jpg,0", '2,"b, c/02.jpg",2', "3,a/03.jpg,1")
    yield "lists/words.csv", rows("image,kind of animal,age", "01,dog,3", "02,pig,1", "03,cat,2", "04,dog,7")
    yield "lists/no-header.csv", rows(*(f"{i:05d},{40 + 3 * i},{50 - i},{i * i % 3}" for i in range(6)))
    yield "lists/wrong-rows.csv", rows(
        "path,label", "a/01.jpg,0", "a/02.jpg,", "a/03.jpg,dog", "a/04.jpg,1,1", "a/05.jpg,3", "a/06.jpg,2.0", "a/01.jpg,1", "b/07.jpg,2", "b/07.jpg,2"
    )
    yield "lists/wrong-words.csv", rows("path,label", "a/01.jpg,cat", "a/02.jpg,Dog", "a/03.jpg,pig", "a/04.jpg,pgi")
    yield "lists/semicolons.csv", rows("path;label", "a/01.jpg;0", "a/02.jpg;2", "a/03.jpg;1")
    yield "lists/open-quote.csv", rows("path,label", '"a/01.jpg,0', "a/02.jpg,2")


def yolo():
    picture = png(tiles((0, 1)))
    yield "yolo/data.yaml", rows("train: images", "val: images", "nc: 3", "names: [cat, dog, pig]")
    for name in ("boxes", "polygons", "pose", "background", "wrong", "pixels", "twice", "mixed", "unlabelled"):
        yield f"yolo/images/{name}.png", picture
    yield "yolo/labels/boxes.txt", rows("0 0.5 0.5 0.2 0.2", "2 0.25 0.25 0.1 0.125")
    yield "yolo/labels/polygons.txt", rows("1 0.1 0.1 0.4 0.1 0.4 0.4", "0 0.5 0.5 0.9 0.5 0.9 0.9 0.5 0.9", end="\r\n")
    yield "yolo/labels/pose.txt", rows("0 0.5 0.5 0.4 0.6 0.4 0.3 2 0.6 0.3 1")
    yield "yolo/labels/background.txt", b""
    yield "yolo/labels/wrong.txt", rows("0 0.5 0.5 0.2 0.2", "dog 0.5 0.5 0.2 0.2", "1 0.5 nan 0.2 0.2", "1 0.5 0.5 0.2", "3 0.5 0.5 0.2 0.2", "2 0.5 0.5 0.2 0")
    yield "yolo/labels/pixels.txt", rows("0 320.5 240.0 64.0 48.0")
    yield "yolo/labels/twice.txt", rows("0 0.5 0.5 0.2 0.2", "1 0.5 0.5 0.2 0.2", "0 0.50 0.50 0.20 0.20")
    yield "yolo/labels/mixed.txt", rows("0 0.5 0.5 0.2 0.2", "1 0.1 0.1 0.4 0.1 0.4 0.4")
    yield "yolo/labels/no-image.txt", rows("2 0.5 0.5 0.2 0.2")


def folder_rules():
    """ImageFolders of two splits; the images are headers only."""
    picture = jpeg_header(16, 16)
    made = {f"silent/{split}/{name}/{i}.jpg": picture for split in ("train", "val") for name in ("ape", "cat", "dog") for i in (1, 2)}
    made |= {"silent/train/cat/deeper/3.JPEG": picture, "silent/train/dog/notes.txt": b"not an image\n"}
    made |= {path.replace("silent", "fires"): data for path, data in made.items() if "val/dog" not in path}
    made |= {"fires/train/.ipynb_checkpoints/1-checkpoint.jpg": picture, "fires/val/dog/notes.txt": b"none so far\n"}
    made |= {"fires/val/zebra/1.jpg": picture}
    yield from rule_file("hidden-class-folder", made)


def coco(images, categories, annotations, **more):
    """A COCO file: images as (id, width, height), categories as {id: name}, annotations as (id, image, category, box)."""
    return json.dumps(
        {
            "images": [{"id": i, "file_name": f"{i:06d}.jpg", "width": w, "height": h} for i, w, h in images],
            "annotations": [
                {"id": i, "image_id": image, "category_id": c, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
                for i, image, c, box in annotations
            ],
            "categories": [{"id": i, "name": name, "supercategory": "thing"} for i, name in categories.items()],
            **more,
        }
    ).encode()


def roboflow(names, annotations):
    """As Roboflow exports it: categories first, number 0 is the name of the project."""
    data = json.loads(coco([(0, 64, 48)], {}, annotations))
    data["categories"] = [{"id": 0, "name": "pets", "supercategory": "none"}] + [
        {"id": i + 1, "name": name, "supercategory": "pets"} for i, name in enumerate(names)
    ]
    return json.dumps({key: data[key] for key in ("categories", "images", "annotations")}).encode()


def panoptic(segments, png_of):
    """JSON and PNG of one image that has a segment {id: rectangle} each, the PNG drawn of others."""
    width, height = 24, 16

    def area(box):
        return box[2] * box[3]

    rows = [[(0, 0, 0)] * width for _ in range(height)]
    for i, (x, y, w, h) in png_of.items():
        for row in rows[y : y + h]:
            row[x : x + w] = [(i & 255, i >> 8 & 255, i >> 16)] * w
    data = {
        "images": [{"id": 1, "file_name": "1.jpg", "width": width, "height": height}],
        "annotations": [
            {
                "image_id": 1,
                "file_name": "1.png",
                "segments_info": [
                    {"id": i, "category_id": 0, "area": area(box), "bbox": list(box), "iscrowd": 0}
                    for i, box in segments.items()
                ],
            }
        ],
        "categories": [{"id": 0, "name": "cat", "isthing": 1}],
    }
    return json.dumps(data).encode(), png(rows, RGB)


def coco_rules():
    """Small COCO files of 2 classes, cat and dog, but for what the rule is about."""
    image, pets = [(1, 64, 48), (2, 64, 48)], {0: "cat", 1: "dog"}
    right = [(1, 1, 0, [4, 4, 10, 10]), (2, 1, 1, [20, 4, 10.5, 10]), (3, 2, 1, [0, 0, 64, 48])]

    def one(*annotation):
        return coco(image, pets, right + [annotation])

    def poses(keypoints, visible):
        """Three animals of five keypoints, and one of these."""
        data = json.loads(one(4, 1, 1, [4, 4, 5, 5]))
        for category in data["categories"]:
            category["keypoints"] = ["nose", "left ear", "right ear", "left eye", "right eye"]
        for annotation in data["annotations"]:
            x, y, _, _ = annotation["bbox"]
            annotation.update(keypoints=[x + 4, y + 4, 2] * 4 + [0, 0, 0], num_keypoints=4)
        data["annotations"][3].update(keypoints=keypoints, num_keypoints=visible)
        return json.dumps(data).encode()

    def shaped(**keys):
        """Three objects with polygons around their boxes, and one of these keys."""
        data = json.loads(coco(image, pets, right))
        for annotation in data["annotations"]:
            x, y, w, h = annotation["bbox"]
            annotation["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
        data["annotations"][0].update(keys)
        return json.dumps(data).encode()

    def without(key):
        data = json.loads(coco(image, pets, right))
        del data["annotations"][1][key]
        return json.dumps(data).encode()

    files = {
        "unknown-category": {
            "fires/category-7.json": one(4, 1, 7, [4, 4, 5, 5]),
            "fires/image-9.json": one(4, 9, 1, [4, 4, 5, 5]),
            "silent/right.json": coco(image, pets, right),
        },
        "noncontiguous-categories": {
            "fires/1-to-2.json": coco(image, {1: "cat", 2: "dog"}, [(i, m, c + 1, box) for i, m, c, box in right]),
            "fires/17-and-18.json": coco(image, {18: "dog", 17: "cat"}, [(i, m, c + 17, box) for i, m, c, box in right]),
            "silent/0-to-1.json": coco(image, pets, right),
        },
        "dummy-category": {
            "fires/roboflow.json": roboflow(("cat", "dog"), [(i, 0, c + 1, box) for i, _, c, box in right]),
            "silent/all-used.json": coco(image, pets, right),
        },
        "duplicate-annotation-id": {
            "fires/3-twice.json": one(3, 1, 0, [9, 9, 5, 5]),
            "silent/past-2-to-53.json": coco(
                image, pets, [(2**53 + i, 1, i % 2, [4, 4, 10, 10]) for i in range(3)]
            ),
        },
        "duplicate-category-name": {
            "fires/two-cats.json": coco(image, {0: "cat", 1: "cat"}, right),
            "fires/cat-and-Cat.json": coco(image, {0: "cat", 1: "Cat "}, right),
            "silent/cat-and-cats.json": coco(image, {0: "cat", 1: "cats"}, right),
        },
        "category-names-differ": {
            "fires/other-order.json": coco(image, {0: "dog", 1: "cat"}, right),
            "fires/other-case.json": coco(image, {0: "Cat", 1: "DOG"}, right),
            "silent/same-names.json": coco(image, pets, right),
            "names.txt": b"cat\ndog\n",
        },
        "malformed-annotation": {
            "fires/crowd-of-text.json": coco(image, pets, right).replace(b'"iscrowd": 0', b'"iscrowd": "0"'),
            "fires/box-of-5.json": one(4, 1, 1, [4, 4, 5, 5, 1]),
            "fires/id-1.5.json": one(4, 1, 1, [4, 4, 5, 5]).replace(b'"id": 4', b'"id": 1.5'),
            "silent/null-box.json": one(4, 1, 1, [4, 4, 5, 5]).replace(b"[4, 4, 5, 5]", b"null"),
        },
        "malformed-keypoints": {
            "fires/four-of-five.json": poses([8, 8, 2] * 4, 4),
            "fires/score-as-visibility.json": poses([8, 8, 0.87] * 5, 5),
            "fires/none-counted.json": poses([8, 8, 2] * 5, 0),
            "silent/two-hidden.json": poses([8, 8, 2] * 3 + [0, 0, 0] * 2, 3),
        },
        "contradicting-annotation": {
            "fires/elsewhere.json": shaped(segmentation=[[40, 30, 50, 30, 50, 40, 40, 40]]),
            "fires/area-of-the-image.json": shaped(area=64 * 48),
            "fires/crossing.json": shaped(segmentation=[[4, 4, 14, 14, 14, 4, 4, 14]]),
            "fires/inverted.json": shaped(segmentation={"size": [48, 64], "counts": [0, 196] + [10, 38] * 9 + [10, 2434]}),
            "silent/rounded.json": shaped(bbox=[5, 5, 9, 9], area=95),
            "silent/mask.json": shaped(segmentation={"size": [48, 64], "counts": [196, 10] + [38, 10] * 9 + [2434]}),
        },
        "incomplete-annotation": {
            "fires/no-area.json": without("area"),
            "fires/no-iscrowd.json": without("iscrowd"),
            "fires/no-size.json": coco(image, pets, right).replace(b'"width": 64', b'"width": null'),
            "silent/all.json": coco(image, pets, right),
        },
        "duplicate-box": {
            "fires/twice.json": one(4, 1, 0, [4, 4, 10, 10]),
            "fires/nearly.json": one(4, 1, 0, [4, 4.2, 10, 10]),
            "fires/of-two-classes.json": one(4, 1, 1, [4, 4, 10, 10]),
            "silent/of-two-images.json": one(4, 2, 0, [4, 4, 10, 10]),
        },
        "unusual-box-size": {
            "fires/half-a-pixel.json": one(4, 1, 1, [40, 4, 0.5, 5]),
            "silent/two-pixels.json": one(4, 1, 1, [40, 4, 2, 2]),
        },
        "empty-box": {
            "fires/no-width.json": one(4, 1, 1, [4, 4, 0, 5]),
            "silent/thin.json": one(4, 1, 1, [4, 4, 0.5, 5]),
        },
        "box-outside-image": {
            "fires/corners.json": coco(image, pets, [(1, 1, 0, [40, 30, 60, 40]), (2, 1, 1, [1, 1, 2, 2])]),
            "silent/within-a-pixel.json": one(4, 1, 1, [-1, -1, 66, 50]),
        },
        "nonstandard-json": {
            "fires/nan.json": coco(image, pets, right, score=float("nan")),
            "fires/mark.json": b"\xef\xbb\xbf" + coco(image, pets, right),
            "silent/escapes.json": coco(image, pets, right, note="caf\u00e9 \U0001f408"),
        },
        "unsafe-image-name": {
            "fires/absolute.json": coco(image, pets, right).replace(b"000001.jpg", b"/home/me/1.jpg"),
            "fires/of-windows.json": coco(image, pets, right).replace(b"000001.jpg", b"val\\\\1.jpg"),
            "fires/up.json": coco(image, pets, right).replace(b"000001.jpg", b"../1.jpg"),
            "silent/folder.json": coco(image, pets, right).replace(b"000001.jpg", b"val/..1.jpg"),
        },
        "no-annotations": {
            "fires/captions.json": b'{"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "caption": "a cat"}]}',
            "fires/no-objects.json": coco(image, pets, []),
            "silent/one-object.json": coco(image, pets, right),
        },
    }
    for rule, made in files.items():
        yield from rule_file(rule, made)

    boxes = {0x010203: (0, 0, 8, 8), 0x0A0B0C: (8, 4, 10, 10)}
    made = {}
    for name, drawn in (
        ("silent/right", boxes),
        ("fires/other-colour", {0x010203: (0, 0, 8, 8), 0x0A0B0D: (8, 4, 10, 10)}),
        ("fires/smaller", {0x010203: (0, 0, 8, 8), 0x0A0B0C: (8, 4, 10, 9)}),
    ):
        made[f"{name}.json"], made[f"{name}/1.png"] = panoptic(boxes, drawn)
    yield from rule_file("panoptic-mismatch", made)


# Label files as gzip, bzip2, xz and zstd pack them, whose bytes change with their version: lists/header.csv and names of
# classes by each of them, and one file of every other kind.
PACKED = {
    "packed/names.bz2": "QlpoOTFBWSZTWT+FsbkAAANBgAAQPKmWACAAIoHojekIBoA6tChZgrgTLrzZ+xdyRThQkD+Fsbk=",
    "packed/names.gz": "H4sIAAAAAAACA0tKTM5OL8ovzUvhSk4s4UrJT+dKyixK4QIAB0/WlRgAAAA=",
    "packed/names.xz": "/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAXYmFja2dyb3VuZApjYXQKZG9nCmJpcmQKAAdP1pUAASwY00bbCpBCmQ0BAAAAAAFZWg==",
    "packed/names.zst": "KLUv/QRowQAAYmFja2dyb3VuZApjYXQKZG9nCmJpcmQK9tXqsA==",
    "packed/coco/coco.json.xz": "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AKNAOVdAD2IiScTleJp4I3wDO7ByE8Qm+yMXk9OiU+NwDqmdgfgQYM/qfLVlio3RaPS4Q0tId5xpA"
    "cCntdddpEWPfYWrwAgYly8klcgXr3sznhWSgE8CE1ipyVuTgi7BzuqBAWonCHceLcLQWkFXKwBpJkjWpQzc7e+wG6SuC0VJLfQ08x4HEUGG/al"
    "AHJxk2rVNsY1DMDDc/PyQOHpiifpssBoYUtFFauWs7zcAt9Ij4uaQj5utnwYgQw7dTvJnMAH1D95jwFengWweGXWar9AoyHzdLKuN8mf5JuV0T"
    "MDvI8ezpYFjbUdIAAAAAAAvsvxBAAB/QGOBQAASfR0XD4wDYsCAAAAAAFZWg==",
    "packed/idx/train-labels-idx1-ubyte.bz2": "QlpoOTFBWSZTWWCNV4sAAAHIAH/gAAQgAFCAaaaCKfhJtFIUq4dZgOGR6VmbgmMUSWmAPeq4srktKvdFumLa8fxdyRThQkGCNV4s",
    "packed/lists/bz2.csv.bz2": "QlpoOTFBWSZTWTpJDWsAABfZgAAQUAX4AD70RAAgAFRRoyBo0yNCtpNGp6TaT0npEqzLAdK0a2dxdE8gYghpzMwDprjrE7sX2JLncHjj4u5Ipw"
    "oSB0khrWA=",
    "packed/lists/gz.csv.gz": "H4sIAAAAAAACA8tM0SlILMnQyUlMSs3hMtRJ1Dcw1MsqSNcx4DLSUUrSUUjWNzACCSjpGHEZg6SNwdKGXAA7hufhOgAAAA==",
    "packed/lists/xz.csv.xz": "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AA5ADddADSZAYWhixE0tkzcc+BfwXsQ6DTpuGSkNw40sLMLx77sJabUwmSjRWXDkKoOA0Lz1Rc4Ht"
    "mrhoYAADuG5+EAAU86Uz9rkZBCmQ0BAAAAAAFZWg==",
    "packed/lists/zst.csv.zst": "KLUv/QRotQEAooMMEqC7ASAItm7bqgojErlp+6UhCrdHvXBo8seJB9QLhWYBJ+Hi9KgXriZ/jx3C7Klx36gATX+WIQ==",
    "packed/masks/mask.png.zst": "KLUv/QRoQQQAiVBORw0KGgoAAAANSUhEUgAAABMAAAANAgAAAAAkVxJaAAAAIklEQVR4AWMQBAIBxjMMQMD0HgjeMHNeu3btKstqoMB/hjMgwL"
    "gbS0VcwwAAACFJREFUyP7LtBoI1jDfA8peYwGJMDDsBoIdjGlA1j+ILADAZSFHAB5rCwAAAABJRU5ErkJggsyr3MQ=",
    "packed/masks/train_y.npy.xz": "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AJfAJRdAEmThqTe04J5alsNIzg2q52dTE3u423DHewYSi+zG3IA0qJGPQxebdpbCh1pWVYuV2HXvX"
    "G4IuAPeo0+SIeYzrjturMalPn1e/nkUNxKzQtiB+ebuX2C2VNgdrlOgSCb4Talpyi6IX4w5wMyd+5oa2g1Xdw2c0tLl6UUH8JY73QA1eCdEUKC"
    "Y3uQlmHAwP6u6mbKsI4AOdnViQABrAHgBAAAHMWdQT4wDYsCAAAAAAFZWg==",
    "packed/yolo/labels/boxes.txt.bz2": "QlpoOTFBWSZTWf74xHcAAAlYAAAQQAFyACAAMQwAlU/0qZ+qU2wt8HOgQaxCvhdyRThQkP74xHc=",
}


def packed():
    for name, data in PACKED.items():
        yield name, base64.b64decode(data)


def everything():
    rules = (file_rules, id_rules, content_rules, encoding_rules, array_rules, interpolation_rules, folder_rules, coco_rules)
    for make in (pairs, png_types, voc_like, clean, colours, arrays, volumes, lists, yolo, packed, *rules):
        yield from make()
    labels, masks = npy("<i8", (40,), digits(5, 40)), npy("|u1", (2, 12, 36), 2 * flat(tiles((0, 1, 2))))
    objects = npy("<i8", (1,), (0,)).replace(b"'<i8'", b"'|O'  ")
    yield "arrays/numpy/good.npz", zip_archive([plain("labels.npy", labels), ("masks.npy", masks, 8, deflate(masks)[2:-4], 0o100644, 0)])
    yield "arrays/odd.npz", zip_archive([plain("labels.npy", labels), plain("names.npy", objects), plain("notes.txt", b"from the lab")])
    yield from archives([(name.removeprefix("clean/"), data) for name, data in clean()], deflate)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__.split("\n\n")[1])
    files = {}
    for name, data in everything():
        assert name not in files, name
        files[name] = data
    on_disk = set()
    for folder, _, names in os.walk(HERE):
        for name in names:
            on_disk.add(os.path.relpath(os.path.join(folder, name), HERE).replace(os.sep, "/"))
    bad = 0
    for name in sorted(on_disk - set(files) - {"generate.py", "archives.py"}):
        print(f"testdata/{name}: generate.py does not make it")
        bad += 1
    for name, data in sorted(files.items()):
        path = os.path.join(HERE, name)
        if name in on_disk:
            with open(path, "rb") as f:
                if f.read() == data:
                    continue
        if check:
            print(f"testdata/{name}: {'differs from' if name in on_disk else 'is missing; it is one of'} what generate.py makes")
            bad += 1
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    if bad:
        sys.exit(1)
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes")


if __name__ == "__main__":
    main()
