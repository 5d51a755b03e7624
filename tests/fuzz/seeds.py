#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/: small seeds for the parsers of which testdata/ has no files.

usage: seeds.py

One folder a target. Files called found-* are not written here: they are inputs that once broke something, and stay.
"""
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
