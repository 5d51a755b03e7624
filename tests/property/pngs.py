"""PNG files as bytes: put together, taken apart, and mended."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, colour, interlaced=0):
    """Signature and IHDR."""
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))


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
