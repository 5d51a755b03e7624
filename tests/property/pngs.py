"""PNG files as bytes: put together, taken apart, and mended."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))  # of Adam7: x, y, steps


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, colour, interlaced=0):
    """Signature and IHDR."""
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))


def png_of_stream(width, height, parts, depth=8, colour=GREY, before=b"", interlaced=0):
    """parts: of the zlib stream, in one IDAT each; before: chunks before them."""
    return header(width, height, depth, colour, interlaced) + before + b"".join(chunk(b"IDAT", p) for p in parts) + chunk(b"IEND", b"")


def png_of_bytes(width, rows, depth=8, colour=GREY, level=9, before=b"", size=0):
    """rows: their bytes, without filters; size: of each IDAT, if not one has all."""
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), level)
    size = size or len(data)
    return png_of_stream(width, len(rows), [data[i:i + size] for i in range(0, len(data), size)], depth, colour, before)


def row_bytes(samples, depth):
    if depth == 16:
        return struct.pack(">%dH" % len(samples), *samples)
    if depth == 8:
        return bytes(samples)
    bits = "".join(format(v, "0%db" % depth) for v in samples)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def png(rows, colour=GREY, depth=8, palette=None, before=b"", interlaced=0):
    """rows: of samples, or of tuples of samples; palette: tuples, too."""
    def packed(pixels):
        return b"\0" + row_bytes([v for p in pixels for v in p] if isinstance(pixels[0], tuple) else pixels, depth) if pixels else b""
    lines = [row[x::dx] for x, y, dx, dy in PASSES for row in rows[y::dy]] if interlaced else rows
    plte = chunk(b"PLTE", bytes(v for c in palette for v in c)) if palette else b""
    return png_of_stream(len(rows[0]), len(rows), [zlib.compress(b"".join(map(packed, lines)))], depth, colour, plte + before, interlaced)


def chunks(png):
    """[(kind, data)] of those that are whole."""
    at, out = len(SIGNATURE), []
    while at + 12 <= len(png):
        n, kind = struct.unpack(">I4s", png[at : at + 8])
        out.append((kind, png[at + 8 : at + 8 + n]))
        at += 12 + n
    return out


def join(parts):
    """The other way round, with right CRCs."""
    return SIGNATURE + b"".join(chunk(kind, data) for kind, data in parts)


def idat(png):
    return b"".join(data for kind, data in chunks(png) if kind == b"IDAT")


def mend_crcs(png):
    """The CRCs made right again, so that damage behind them is reached."""
    out, at = bytearray(png), len(SIGNATURE)
    while at + 12 <= len(out):
        n = struct.unpack_from(">I", out, at)[0]
        if at + 12 + n > len(out):
            break
        struct.pack_into(">I", out, at + 8 + n, zlib.crc32(out[at + 4 : at + 8 + n]))
        at += 12 + n
    return bytes(out)


def adler32_of_repeated(data, times, before=1):
    """The Adler-32 of what has the first one, followed by the data so many times (RFC 1950)."""
    a, b, n = before & 0xffff, before >> 16, len(data)
    each = zlib.adler32(data, 0)
    b += times * (each >> 16) + n * (times * a + (each & 0xffff) * times * (times - 1) // 2)
    return b % 65521 << 16 | (a + times * (each & 0xffff)) % 65521
