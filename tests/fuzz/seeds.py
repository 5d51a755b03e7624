#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/: small seeds for the parsers of which testdata/ has no files.

usage: seeds.py

One folder a target. Files called found-* are not written here: they are inputs that once broke something, and stay.
"""
import math
import os
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def gzip(data):
    raw = stored(data)[2:-4]
    head = b"\x1f\x8b\x08\x08\0\0\0\0\0\xffname\0"
    return head + raw + struct.pack("<II", zlib.crc32(data), len(data))


def stored(data):
    """A zlib stream of one stored block: the same bytes whatever the version of zlib."""
    return (b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data
            + struct.pack(">I", zlib.adler32(data)))


def fixed(data):
    """The same, as a block of fixed codes without matches (RFC 1951, 3.2.6)."""
    bits, n = 0b011, 3
    for code, length in [(0x30 + b, 8) if b < 144 else (0x190 + b - 144, 9) for b in data] + [(0, 7)]:
        for i in range(length - 1, -1, -1):
            bits |= (code >> i & 1) << n
            n += 1
    return b"\x78\x01" + bits.to_bytes((n + 7) // 8, "little") + struct.pack(">I", zlib.adler32(data))


def promised(data, stream):
    return struct.pack("<H", len(data) - 1) + stream


def idx(kind, shape, data):
    return bytes([0, 0, kind, len(shape)]) + b"".join(struct.pack(">I", n) for n in shape) + data


RAMP = bytes(range(200, 256)) + bytes(range(90))
def bmp(bits, width, height, compression=0, size=40):
    """A BMP without meaning, but whole: bottom up, or top down if the height is negative."""
    stride = (width * bits + 31) // 32 * 4
    entries = 1 << bits if bits <= 8 else 0
    palette = b"".join(bytes((i, 3 * i & 255, 7 * i & 255, 0)) for i in range(entries))
    rows = bytes(i * 37 & 255 for i in range(stride * abs(height)))
    at = 14 + size + len(palette)
    return (b"BM" + struct.pack("<IHHI", at + len(rows), 0, 0, at)
            + struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, len(rows), 0, 0, 0, 0) + palette + rows)


def gif(width, height, flags=0):
    """A GIF of four colours: codes of three bits, a clear code before every pair."""
    bits, n = 0, 0
    for i in range(width * height):
        for code in (4, i * 5 // 3 % 4):
            bits |= code << n
            n += 3
    bits |= 5 << n
    data = bits.to_bytes((n + 10) // 8, "little")
    return (b"GIF89a" + struct.pack("<HH", width, height) + b"\xf1\0\0" + bytes(range(12))
            + b"!\xf9\4\1\0\0\2\0" + b"," + struct.pack("<HHHHB", 0, 0, width, height, flags)
            + b"\2" + bytes((len(data),)) + data + b"\0;")


def nifti(datatype, code, shape, slope=0):
    count, order = len(shape), code[0]
    voxels = struct.pack(code[0] + str(math.prod(shape)) + code[1], *[i % 11 for i in range(math.prod(shape))])
    return struct.pack(order + "i36x8h14xhh2x8f3f", 348, count, *shape, *[1] * (7 - count), datatype, 8 * struct.calcsize(code), *[1] * 8, 352,
                       slope, 0).ljust(344, b"\0") + b"n+1\0\0\0\0\0" + voxels


def tiff(order, bits, width, height, pages=1, tags=()):
    """A TIFF of one strip a page, stored as it is."""
    out, at = (b"II*\0" if order == "<" else b"MM\0*"), 8
    data = bytes(i * 37 & 255 for i in range((width * bits + 7) // 8 * height))
    for page in range(pages):
        entries = sorted({256: width, 257: height, 258: bits, 259: 1, 262: 1, 273: at + 2 + 12 * (9 + len(tags)) + 4, 277: 1, 278: height,
                          279: len(data), **dict(tags)}.items())
        end = at + 2 + 12 * len(entries) + 4 + len(data)
        out += struct.pack(order + "I", at) * (not page) + struct.pack(order + "H", len(entries))
        out += b"".join(struct.pack(order + "HHII", tag, 4, 1, v) for tag, v in entries)
        out += struct.pack(order + "I", end if page + 1 < pages else 0) + data
        at = end
    return out


SEEDS = {
    "inflate/stored": promised(RAMP, stored(RAMP)),
    "inflate/fixed": promised(RAMP, fixed(RAMP)),
    # the longest match of distance 1, then the end: 0xff and 258 times the same
    "inflate/run": promised(b"\0" * 259, b"\x78\x01\x63\x18\x05\x00" + struct.pack(">I", zlib.adler32(b"\0" * 259))),
    # a dynamic block as zlib writes it; these bytes, not what today's zlib makes
    "inflate/dynamic": bytes.fromhex(
        "c40078da5d8e41120020080247cdfaff8f332599da2b3b80a8da61349ecc6005926803d92b454ce556b1a480ac18f286f15b62"
        "7c151286be1bbdb4011faf02e2"),
    "idx/bytes": idx(8, [4], b"\0\1\2\3"),
    "idx/shorts": idx(11, [2, 2], struct.pack(">4h", 0, -1, 300, 7)),
    "idx/floats": idx(13, [3], struct.pack(">3f", 1, 0.5, float("nan"))),
    "idx/packed": gzip(idx(8, [4], b"\0\1\2\3")),
    "idx/two-members": gzip(idx(8, [4], b"\0\1")) + gzip(b"\2\3") + b"\0\0\0",
    # one tar of one PNG, as bzip2, xz and zstd pack it, the last with and without a checksum: bytes, not what today's libraries make
    "archive/tar-bz2": bytes.fromhex(
        "425a6839314159265359a74fe7f900004dffdcfcd20810d02165a036e1540860815e4010200001024101001888a0007231a680000000000036a03224"
        "d4f50d34d3d400f5340d3434680c82b72d187eb1540ef72792c7123f2125a864c8a212d50704c52b817a03e52d8431011b199b2cec0fb145dab5460c"
        "4808eaa42c36bd3735aa76515d34f401982b937b4d48a6a795b013bf399000005eaeb141e8c6597f7e2ee48a70a1214e9fcff2"),
    "archive/tar-xz": bytes.fromhex(
        "fd377a585a000004e6d6b446020021010c0000008f98419ce007ff007c5d00308b8a0723c6067770ac5cd53aaf031fb970abcfc76d01f93e60c6d70e"
        "c96a5643b2d0b90f6a766f576a2b2faa985342968bfa325cfdff9ef3d3753691f207f24a3de5d05a39a15905e3c1090b3c5fbf583354eb2d96492367"
        "ac747c4782f5bb813a42bafee382021d5709056c216dba72da8c0b76025dd177e6c100008014e8f54e0d89560001980180100000087c7ffeb1c467fb"
        "020000000004595a"),
    "archive/tar-zst": bytes.fromhex(
        "28b52ffd04888d0400c406612e706e6700303030303634340030303131363636370020307573746172003089504e470d0a1a0a0000000d4948445200"
        "000003000000020800000000b81f39c600000013494441547801010800f7ff00000102000300010022000829be44f20000000049454e44ae4260820c"
        "001ec10f0c446c28830065c51b52bb7c02236c1b2a839fc5ac20801b0e6fa22001457224ee7f"),
    "archive/tar-zst-plain": bytes.fromhex(
        "28b52ffd00586d0400e2861a28804bd201db31680268280019d130e9028cd1b843ff1f3846c8b08636f5821268cb71694d255adb29194862e330c5fb"
        "ffb80ea13d18978ef043a01b22e68170affa3d8700e7bf45bff43b1ce351ff0498a805d6d0b453324be552c186ccb4acb6bdae6cdb239249210b0b00"
        "d4c00f8c966551c6cd511600063768c64c1b2a839fc50038562eb3132802"),
    "unpack/gzip": gzip(RAMP),
    "unpack/two-streams": gzip(RAMP[:9]) + bytes(3) + gzip(RAMP[9:]),
    "unpack/bzip2-of-nothing": bytes.fromhex("425a683917724538509000000000"),
    "unpack/xz-of-nothing": bytes.fromhex("fd377a585a000000ff12d941000000001cdf442106729e7a010000000000595a"),
    "unpack/zstd-skippable": bytes.fromhex("502a4d180300000061626328b52ffd240001000099e9d851"),
    "unpack/zstd-window": bytes.fromhex("28b52ffd008801000000"),
    "nifti/int16": nifti(4, "<h", (4, 3, 2)),
    "nifti/big": nifti(16, ">f", (20, 20)),
    "nifti/scaled": nifti(2, "<B", (17, 16, 2), slope=.5),
    "nifti/two": b"\x1c\2\0\0n+2\0\r\n\x1a\n" + struct.pack("<hh8q24x8dq2d", 2, 8, 3, 4, 3, 2, 1, 1, 1, 1, 0, 0, 0, *[1] * 5, 544, 0, 0).ljust(532, b"\0") + bytes(24),
    "text_volume/nrrd": b"NRRD0005\n# by hand\ntype: unsigned short int\ndimension: 3\nspace: left-posterior-superior\nsizes: 4 3 2\nendian: big\n"
        b"space directions: (0,-1,0) none (0,0,2.5)\nspace origin: (1,2,-3e1)\nkinds: domain domain domain\nencoding: raw\nline skip: 1\nbyte skip: -1\nx:=y\n\n"
        b"\n" + struct.pack(">24H", *range(24)),
    "text_volume/gzip": b"NRRD0004\ntype: float\ndimension: 2\nsizes: 4 3\nspacings: 1 2\nendian: little\nencoding: gzip\n\n" + gzip(struct.pack("<12f", *range(12))),
    "text_volume/metaimage": b"ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\nTransformMatrix = 0 -1 0 1 0 0 0 0 1\n"
        b"Offset = 4 5 6\nElementSpacing = 1 2 3\nDimSize = 4 3 2\nElementNumberOfChannels = 1\nHeaderSize = 0\nElementType = MET_CHAR\nElementDataFile = LOCAL\n"
        + bytes(24),
    "text_volume/zlib": b"NDims = 2\nCompressedData = True\nDimSize = 4 3\nElementType = MET_LONG\nElementDataFile = LOCAL\n"
        + b"\x78\x01\x01" + struct.pack("<HH", 48, 0xffff - 48) + bytes(48) + struct.pack(">I", zlib.adler32(bytes(48))),
    "tokens/uint16": b"\2" + struct.pack("<8H", 1, 2, 50256, 0, 5, 5, 12, 90),
    "tokens/int64": b"\5" + struct.pack("<3q", 1, -100, 1 << 40),
    "tokens/no-type": b"\0" + struct.pack("<6H", 1, 0, 2, 0, 3, 0),
    "tokens/llmc": b"\0" + struct.pack("<3i", 20240520, 1, 4).ljust(1024, b"\0") + struct.pack("<4H", 1, 2, 3, 4),
    "tokens/megatron": b"\x80" + struct.pack("<H", 74) + b"MMIDIDX\0\0" + struct.pack("<QBQQ2i2q2q", 1, 8, 2, 2, 3, 1, 0, 6, 0, 2)
                       + struct.pack("<4H", 1, 2, 3, 4),
    "vocabulary/bpe": b'{"added_tokens": [{"id": 3, "content": "<pad>", "special": true}], "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, '
                      b'"merges": ["a b"]}}\0{"pad_token": {"content": "<pad>"}, "eos_token": "</s>", "added_tokens_decoder": {"7": {"content": "<x>"}}}'
                      b'\0{"vocab_size": 4, "eos_token_id": [2, 9], "text_config": {"vocab_size": 6, "pad_token_id": 0}, "image_token_index": 8}\0{"<i>": 11}',
    "vocabulary/unigram": b'{"model": {"vocab": [["<s>", 0.0], ["a", -1.5], ["\\u2581b", -2e0]]}}\0\0{"vocab_size": null}',
    "vocabulary/lines": b"\0\0\0{}\0[PAD]\n[UNK]\na\n##b\n",
    "list/cells.csv": b'id,input_ids\n1,"[1, 2, 3]"\n2,"[4,5,-100]"\n3,[]\n4,"[[6], [7, 99]]"\n',
    "list/cells.tsv": b"text\tlabels\na\t[0, 1]\nb\t[1 12]\nc\t[255\n",
    "list/rows.jsonl": b'{"input_ids": [1, 2, 18446744073709551615], "labels": [-100, -100, 3]}\n{"input_ids": [], "labels": [[1], [2.0]]}\n',
    "list/rows.json": b'[[1, 2, 3], [4, [5, 9223372036854775808]], []]',
    "look/jpeg": b"\xff\xd8\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
                 b"\xff\xc0\0\x11\x08\x01\x77\x01\xf4",
    "look/jpeg-scan": b"\xff\xd8\xff\xc0\0\x0b\x08\0\x60\0\x60\1\1\x11\0"
                      b"\xff\xc4\0\x15\0\0\2" + bytes(14) + b"\0\4" b"\xff\xc4\0\x16\x10\0\3" + bytes(14) + b"\0\1\xf0"
                      b"\xff\xdd\0\4\0\x20\xff\xda\0\x08\1\1\0\0\x3f\0" + b"\x4a\x12\x48\0" * 20 + b"\xff\xd0" + bytes(60) + b"\xff\xd9",
    "look/webp": b"RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0\x10\x02\0\x9d\x01\x2a\xf4\x01\x77\x01",
    "look/bmp": b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\xf4\x01\0\0\x77\x01\0\0",
    "look/gif": b"GIF89a\xf4\x01\x77\x01",
    "look/tiff": b"II*\0\x08\0\0\0\3\0\0\x01\3\0\1\0\0\0\xf4\x01\0\0\x01\x01\4\0\1\0\0\0\x77\x01\0\0\x12\x01\3\0\1\0\0\0\3\0\0\0",
    "look/bigtiff": b"MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10" + struct.pack(">QHHQHHHHHQHHH", 2, 0x100, 16, 1, 0, 0, 0, 500, 0x101, 3, 1, 0x177, 0),
    "look/boxes": b"0 10 20 30 40\n1,2\n",
    "look/pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123\n",
    "look/page": b"<!DOCTYPE html>\n<html>",
    "json_pull/values": b'{"a": [1, -0, 2.5e-3, 18446744073709551616, true, false, null], "b": {}, "": []}\n',
    "json_pull/strings": b'["\\u00e9\\ud83d\\ude00\\ud800", "\\"\\\\\\/\\b\\f\\n\\r\\t", "\xff\xc3", "\xc3\xa9"]',
    "json_pull/python": b"\xef\xbb\xbf[NaN, Infinity, -Infinity, 1e400]",
    "json_pull/nested": b"[" * 40 + b"]" * 40,
    "coco/panoptic.json": b'{"annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 3, '
                          b'"category_id": 1, "area": 4, "bbox": [0, 0, 2, 2], "iscrowd": 0}]}], "images": [{"id": 1, '
                          b'"width": 9, "height": 9, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "cat"}]}',
    "coco/rle.json": b'{"images": [{"id": 1, "width": 3, "height": 3}], "annotations": [{"id": 1, "image_id": 1, '
                     b'"category_id": 1, "segmentation": {"size": [3, 3], "counts": [2, 3, 4]}}, {"id": 2, "image_id": 1, '
                     b'"category_id": 1, "segmentation": {"size": [3, 3], "counts": "234"}, "bbox": [0, 0, 1e9, -1]}], '
                     b'"categories": [{"id": 1, "name": "a", "supercategory": "b"}]}',
    "coco/shapes.json": b'{"images": [{"id": 1, "width": 99, "height": 99}], "annotations": [{"id": 1, "image_id": 1, '
                        b'"category_id": 1, "area": 1e2, "iscrowd": true, "segmentation": [[1.5, 2, 30.25, 2, 30, 44.125, '
                        b'1, -4, 1e1, 7], [1, 2, NaN, 4, 5, 6]], "bbox": [1, 2, 30, 40]}, {"id": 2, "image_id": 1, '
                        b'"category_id": 1, "keypoints": [1, 2, 2, 3.5, 4, 1, 0, 0, 0], "num_keypoints": 2, "iscrowd": "0", '
                        b'"bbox": [1, 2, 30, 40.5], "segmentation": {"counts": [0, 9, 9792], "size": [99, 99]}}], '
                        b'"categories": [{"id": 1, "name": "a", "keypoints": ["x", "y", "z"]}]}',
    "class_file/names": b"\0background\ncat\ndog\n",
    "class_file/ignore": b"\0__ignore__\n_background_\ncat\n",
    "class_file/labelmap": b"\0# label:color_rgb:parts:actions\nbackground:0,0,0::\ncat:1,2,3:a,b:\n",
    "class_file/yolo": b"\1path: ../x\nnc: 2\nnames:\n  0: cat\n  1: 'dog'\n",
    "class_file/yolo-list": b"\1names: [cat, \"d\\x6fg\"]\nnc: 2\n",
    "class_file/nnunet": b'\2{"labels": {"background": 0, "cat": [1, 2], "ignore": 3}, "file_ending": ".png"}',
    "class_file/id2label": b'\2{"id2label": {"0": "a", "1": "b"}, "label2id": {"a": 0}}',
    "class_file/coco": b'\2{"categories": [{"id": 1, "name": "cat"}, {"id": 90, "name": "dog"}], "images": []}',
    "class_file/csv": b"\3Pixel Value, Class\n0, background\n1, \"a, b\"\n",
    "config/options": b"classes: 21\nignore: [255, -1]\nreduce-zero-label: true\nseverity: [encoding=off]\nexclude:\n  - '*.x'\n  - \"a/**\"\n",
    "config/per-path": b"per-path:\n  \"drafts/\": [encoding, single-id]\n  '*.png': all\n",
    "config/refused": b"a: &x [1, *x]\nclasses: {a: b}\n---\njobs: !!int 2\n",
    "raster/bmp1": b"\0" + bmp(1, 11, 3),
    "raster/bmp4": b"\0" + bmp(4, 5, -3),
    "raster/bmp8": b"\0" + bmp(8, 6, 4),
    "raster/bmp24": b"\0" + bmp(24, 5, 3),
    "raster/bmp32": b"\0" + bmp(32, 2, 2),
    "raster/bmp-rle": b"\0" + bmp(8, 4, 2, 1),
    "raster/gif": b"\1" + gif(7, 5),
    "raster/gif-interlaced": b"\1" + gif(5, 9, 0x40),
    "raster/gif-two": b"\1" + gif(4, 2)[:-1] + gif(4, 2)[25:],
    "raster/tiff1": b"\2" + tiff("<", 1, 11, 3),
    "raster/tiff8": b"\2" + tiff(">", 8, 5, 4),
    "raster/tiff16": b"\2" + tiff(">", 16, 5, 3),
    "raster/tiff-float": b"\2" + tiff("<", 32, 3, 3, 1, [(339, 3)]),
    "raster/tiff-pages": b"\2" + tiff("<", 8, 4, 4, 3),
    "raster/tiff-lzw": b"\2" + tiff("<", 8, 9, 9, 1, [(259, 5)]),
    "raster/tiff-tiles": b"\2" + tiff("<", 8, 16, 16, 1, [(322, 16), (323, 16), (324, 150), (325, 256)]),
    "names/hostile": b"a\n::error::x\x1b[31m.png\0<script>|`\xff\0m ##[error] [x](y) \xe2\x80\xae\n::warning::z\0=1\xc2\x9b\"'",
    "names/plain": b"masks/a.png\0b/c.png\x00a message\x00cat",
    "paths/list": b"*.png\0a.png\n\r\nb/c.png\r\n./d\n",
    "paths/glob": b"a/**/[!x-z]?{b,c{d,}}*.png\0a/b/c/qqcd.png\0",
    "paths/backslash": b"\\*[]a-]**/\0*]x/",
    "escape/names": b"a\n\r\t\x1b[31m\xe2\x80\xae\xff\"'`|<script>]]>::error::=cmd|%0A,;&@x##[error]##vso[",
    "escape/spreadsheet": b" \"=1;+2|-3\xef\xbc\x9d4\t@SUM(A1)",
    "escape/unicode": "\u0085\u2028\u2066\ufeff\U000e0021\ufffe\U0010ffff\u200b".encode() + b"\xed\xa0\x80\xf4\x90\x80\x80",
    "escape/base64": b"AAECAwQ=",
}

for name, data in SEEDS.items():
    path = os.path.join(HERE, "corpus", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
