"""Makes files: arrays, BMPs, TIFFs, archives; PNGs are in pngs.py. Functions return bytes, but write()."""
import io
import os
import struct
import tarfile
import zipfile
import zlib

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
    """A mask in grey TIFF."""
    return tiff({"rows": rows})


def tiff(*pages, order="<", end=0):
    """TIFF 6.0. A page: its rows of values; their code (u1); strip: rows of one (all), or tile: width and height; packed: by Deflate; tags:
    of type LONG, which add or replace. Tiles are filled beyond the image. end: what follows the last page."""
    out = bytearray((b"II*\0" if order == "<" else b"MM\0*") + bytes(4))
    link = 4
    for page in pages:
        rows, code = page["rows"], page.get("code", "u1")
        height, width = len(rows), len(rows[0])
        across, down = page.get("tile") or (width, page.get("strip", height))
        places, sizes = [], []
        for y in range(0, height, down):
            for x in range(0, width, across):
                lines = [row[x : x + across] for row in rows[y : y + down]]
                data = b"".join(struct.pack(order + str(len(v)) + CODES[code], *v) if code != "u1" else bytes(v)
                                for v in ((*line, *[7] * (across - len(line))) if len(line) < across else line for line in lines))
                if "tile" in page:
                    data += data[:1] * (len(data) // len(lines) * (down - len(lines)))
                data = zlib.compress(data, 9) if page.get("packed") else data
                places.append(len(out))
                sizes.append(len(data))
                out += data + bytes(len(data) % 2)
        tags = {256: [width], 257: [height], 258: [8 * int(code[1])], 259: [8 if page.get("packed") else 1], 262: [1], 277: [1],
                **({322: [across], 323: [down], 324: places, 325: sizes} if "tile" in page else {273: places, 278: [down], 279: sizes}),
                339: ["_uif".index(code[0])], **page.get("tags", {})}
        fields = b""
        for tag, values in sorted(tags.items()):
            at = struct.pack(order + str(len(values)) + "I", *values)
            if len(values) > 1:
                at, out = struct.pack(order + "I", len(out)), out + at
            fields += struct.pack(order + "HHI", tag, 4, len(values)) + at
        out[link : link + 4] = struct.pack(order + "I", len(out))
        out += struct.pack(order + "H", len(tags)) + fields
        link = len(out)
        out += bytes(4)
    out[link : link + 4] = struct.pack(order + "I", end)
    return bytes(out)


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
