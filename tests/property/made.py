"""Makes files: arrays, BMPs, archives; PNGs are in pngs.py. Functions return bytes, but write()."""
import io
import os
import struct
import tarfile
import zipfile

from checks import FOLDER

CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}  # of struct, by NumPy's


def write(path, data):
    """A file of bytes or of text, in FOLDER unless the path is absolute; makes its folders. Returns the path."""
    whole = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    with open(whole, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    return path


def read(path):
    with open(os.path.join(FOLDER, path), "rb") as f:
        return f.read()


def npy_head(descr, shape, fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, tuple(shape))
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()


def npy(values, descr="|u1"):
    """An array of the values, or of the rows of values; descr: as NumPy writes it, of little endian."""
    rows = isinstance(values[0], list)
    flat = [v for row in values for v in row] if rows else values
    return npy_head(descr, (len(values), len(values[0])) if rows else (len(values),)) + struct.pack("<%d%s" % (len(flat), CODES[descr[1:]]), *flat)


def bmp(rows):
    """A mask in grey BMP."""
    width, height = len(rows[0]), len(rows)
    lines = [bytes(row) + bytes(-width % 4) for row in reversed(rows)]
    size = sum(map(len, lines))
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, size, 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 1078 + size, 0, 0, 1078) + head + b"".join(bytes((i, i, i, 0)) for i in range(256)) + b"".join(lines)


def tif(rows):
    """A mask in grey TIFF: TIFF 6.0, section 4; tags of width, height, bits, compression, meaning, place, rows and bytes of its strip."""
    width, height = len(rows[0]), len(rows)
    tags = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1), (278, height), (279, width * height))
    return (b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags) + bytes(4)
            + b"".join(map(bytes, rows)))


def tar(members, form=tarfile.DEFAULT_FORMAT, packing=""):
    """members: {name: bytes}, or tuples of name and bytes, or of a link's name, type and target; packing: tarfile's, as in w:gz."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:" + packing, format=form) as archive:
        for name, *content in members.items() if isinstance(members, dict) else members:
            info = tarfile.TarInfo(name)
            if len(content) == 2:
                info.type, info.linkname = content
                archive.addfile(info)
            else:
                info.size = len(content[0])
                archive.addfile(info, io.BytesIO(content[0]))
    return out.getvalue()


def zip_of(members, method=zipfile.ZIP_STORED):
    """members: {name: bytes}, or pairs of them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items() if isinstance(members, dict) else members:
            archive.writestr(name, data)
    return out.getvalue()
