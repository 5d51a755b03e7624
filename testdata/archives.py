"""The archives of testdata/, for generate.py: tar, gzip and zip written by hand, so that they are the same bytes everywhere."""
import struct
import zlib


def tar_header(name, size, kind=b"0", link=b""):
    h = bytearray(512)
    h[0 : len(name)] = name
    h[100:108] = b"0000644\0"
    h[108:116] = h[116:124] = b"0000000\0"
    h[124:136] = b"%011o\0" % size
    h[136:148] = b"00000000000\0"
    h[148:156] = b" " * 8
    h[156:157] = kind
    h[157 : 157 + len(link)] = link
    h[257:265] = b"ustar\x0000"
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def tar_member(name, data):
    return tar_header(name.encode(), len(data)) + data + bytes(-len(data) % 512)


def tar(members, end=bytes(1024)):
    return b"".join(tar_member(name, data) for name, data in members) + end


def gzip(data, deflate):
    raw = deflate(data)[2:-4]  # without what makes it a zlib stream
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + raw + struct.pack("<II", zlib.crc32(data), len(data))


def zip_archive(members):
    """members: (name, data, method, packed data, mode, flags); crc and sizes are those of data."""
    body, directory = b"", b""
    for name, data, method, packed, mode, flags in members:
        fields = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 33, zlib.crc32(data), len(packed), len(data), len(name), 0)
        directory += struct.pack("<IH", 0x02014B50, 3 << 8 | 20) + fields
        directory += struct.pack("<HHHII", 0, 0, 0, mode << 16, len(body)) + name.encode()
        body += struct.pack("<I", 0x04034B50) + fields + name.encode() + packed
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end


def plain(name, data, mode=0o100644, flags=0):
    return name, data, 0, data, mode, flags


def archives(masks, deflate):
    """masks: names and bytes of a clean set."""
    first, second = masks[0][1], masks[1][1]
    yield "archives/clean.tar", tar(masks)
    yield "archives/clean.tgz", gzip(tar(masks), deflate)
    yield "archives/clean.zip", zip_archive([(n, d, 8, deflate(d)[2:-4], 0o100644, 0) for n, d in masks])
    # WebDataset: the files of a sample share the name up to the first dot
    photo = bytes.fromhex("ffd8ffc00011080036004803012200021101031101ffd9")  # a JPEG of 72 x 54 pixels, as far as its header goes
    shard = []
    for i, (_, mask) in enumerate(masks[:3]):
        shard += [
            (f"{i:06d}.jpg", photo),
            (f"{i:06d}.json", b'{"weather": "rain"}'),
            (f"{i:06d}.seg.png", mask),
        ]
    yield "archives/shard-000000.tar", tar(shard)
    damaged = bytearray(tar([("a.png", first), ("hidden.png", second), ("b.png", second)], end=b""))
    at = damaged.index(b"hidden.png")
    damaged[at + 148 : at + 154] = b"777777"
    yield "archives/damaged.tar", bytes(damaged)
    yield "archives/cut.tar", tar(masks[:3])[:-1024 - 512]
    odd = tar_member("a.png", first) + tar_header(b"link.png", 0, b"2", b"/etc/passwd") + tar_member("../../b.png", second)
    yield "archives/odd.tar", odd + tar([("a.png", second)], end=bytes(512)) + tar_member("late.png", first)
    wrong = bytearray(second)
    wrong[-20] ^= 1
    yield "archives/odd.zip", zip_archive(
        [
            plain("a.png", first),
            ("wrong-crc.png", second, 0, bytes(wrong), 0o100644, 0),
            plain("secret.png", second, flags=1),
            ("link.png", b"/etc/passwd", 0, b"/etc/passwd", 0o120777, 0),
        ]
    ) + b"and more"
