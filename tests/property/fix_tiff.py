#!/usr/bin/env -S python3 -SE
"""TIFF masks that `labelaudit fix` corrects: Pillow reads the new ids from them, and the tags that say where the pixels are.

usage: tests/property/fix_tiff.py     BUILD=dir: where the program was built; LABELAUDIT_PYTHON: a Python with NumPy and Pillow
"""
import io, os, zipfile
from pathlib import Path

from checks import FOLDER, check, finish, need_modules, run, skip_all

need_modules("numpy", "PIL")
import numpy as np
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2

if b"TIFF masks are not read" in run("doctor").stdout:
    skip_all("built without libtiff")

IDS = np.kron(np.array([[1, 2, 3], [4, 1, 2], [3, 4, 4]]), np.ones((20, 20))).astype(np.uint8)
TAGS = {33550: (12, (0.5, 0.5, 0.0)), 33922: (12, (0.0, 0.0, 0.0, 440720.0, 3751320.0, 0.0)), 34735: (3, (1, 1, 0, 1, 1024, 0, 1, 1)),
        34737: (2, "WGS 84|"), 270: (2, "a mask"), 42113: (2, "255")}


def tiff(pixels, palette=None, **options):
    tags, out = ImageFileDirectory_v2(), io.BytesIO()
    for tag, (kind, value) in TAGS.items():
        tags.tagtype[tag] = kind
        tags[tag] = value
    image = Image.fromarray(pixels)
    if palette:
        image.putpalette(palette)
    image.save(out, "TIFF", tiffinfo=tags, dpi=(96, 96), **options)
    return out.getvalue()


def two_pages():
    out = io.BytesIO()
    Image.fromarray(IDS).save(out, "TIFF", save_all=True, append_images=[Image.fromarray(IDS)])
    return out.getvalue()


def fix(name, content, *options, file="{}.tif"):
    """Corrects a set of four; returns the result of the first, or None, and what was said."""
    folder, result = Path(FOLDER, name), Path(FOLDER, name + "-fixed")
    folder.mkdir()
    for i in range(4):
        (folder / file.format(i)).write_bytes(content)
    said = run("fix", "--no-config", "-f", "text", "-c", "4", *options, str(folder), "-o", str(result), text=True)
    paths = sorted(result.rglob("*.tif*"))
    return paths[0] if paths else None, said.stdout + said.stderr


PALETTE = [0] * 3 + [10, 20, 30] + [40, 50, 60] + [70, 80, 90] + [100, 110, 120] + [0] * 753
COLOURS = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], np.uint8)[IDS - 1]
Path(FOLDER, "table.csv").write_text("name,r,g,b\na,0,0,0\nb,9,0,0\nc,0,9,0\nd,0,0,9\n")
for name, content, options, method in [
    ("plain", tiff(IDS), [], "raw"),
    ("lzw", tiff(IDS, compression="tiff_lzw"), [], "tiff_lzw"),
    ("deflate", tiff(IDS.astype(np.uint16), compression="tiff_adobe_deflate"), [], "tiff_adobe_deflate"),
    ("palette", tiff(IDS, PALETTE, compression="packbits"), [], "packbits"),
    ("colours", tiff(COLOURS, compression="tiff_lzw"), ["--colors", os.path.join(FOLDER, "table.csv")], "tiff_lzw"),
    ("replicated", tiff(np.dstack([IDS - 1] * 3)), [], "raw"),
]:
    path, said = fix(name, content, *options)
    if not check(path is not None, name, said):
        continue
    with Image.open(path) as image:
        check((np.array(image) == IDS - 1).all(), name, "other ids", said)
        check(image.info.get("compression") == method, name, image.info.get("compression"))
        for tag, (kind, value) in TAGS.items():
            check(image.tag_v2.get(tag) == value, name, "tag", tag, image.tag_v2.get(tag))
        check(image.info["dpi"] == (96, 96), name, image.info["dpi"])
        if name == "palette":
            check(image.getpalette()[:12] == PALETTE[3:15], name, image.getpalette()[:12])
    check(run("fix", "--verify", str(Path(FOLDER, name + "-fixed"))).returncode == 0, name, "--verify")

# 0 means nothing here, and would be a class of the result
TAGS[42113] = (2, "0")
path, said = fix("no-data", tiff(IDS))
with Image.open(path) as image:
    check(42113 not in image.tag_v2 and (np.array(image) == IDS - 1).all(), "no-data", dict(image.tag_v2))

for name, content, file, why in [("pages", two_pages(), "{}.tif", "of several pages"), ("packed", None, "{}.tif.gz", "is a packed TIFF")]:
    if not content:
        import gzip
        content = gzip.compress(tiff(IDS))
    path, said = fix(name, content, file=file)
    check(path is None and why in said, name, said)

with zipfile.ZipFile(os.path.join(FOLDER, "set.zip"), "w") as archive:
    for i in range(4):
        archive.writestr(f"masks/{i}.tif", tiff(IDS))
said = run("fix", "--no-config", "-f", "text", "-c", "4", os.path.join(FOLDER, "set.zip"), "-o", os.path.join(FOLDER, "unpacked"), text=True)
with Image.open(os.path.join(FOLDER, "unpacked/set/masks/3.tif")) as image:
    check((np.array(image) == IDS - 1).all(), "zip", said)
finish()
