#!/usr/bin/env -S python3 -SE
"""One list of ids, or of tokens, gets the same verdict in every container: texts, tables, JSON, arrays, packed, in an archive, on stdin.

usage: tests/property/ids.py     BUILD=dir: where the program was built

As tests/property/boxes.py: each fault of IDS in each container of LISTS, each of TOKENS in each of STREAMS. Values are written as they are
in a text; a container whose type cannot have one returns None. Where a verdict is another on purpose, EXCEPT says so.
"""
import gzip
import io
import json
import os
import random
import struct
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor

from checks import FOLDER, PROGRAM, check, finish, verdict
from made import npy_head, tar, write

draw = random.Random(3)
CLEAN = [str(draw.randrange(10)) for _ in range(60)]
CLASSES, IGNORED = "10", "255"


def last(value):
    return lambda ids: ids[:-1] + [value]


# Name: (what becomes of the ids, the exit status, the findings).
IDS = {
    "clean": (lambda ids: ids, 0, ""),
    "out of range": (last("12"), 1, "e:out-of-range-id"),
    "negative": (last("-1"), 1, "e:out-of-range-id"),
    "2^31": (last(str(2**31)), 1, "e:out-of-range-id"),
    "2^32": (last(str(2**32)), 1, "e:out-of-range-id"),
    "2^63 - 1": (last(str(2**63 - 1)), 1, "e:out-of-range-id"),
    "2^63": (last(str(2**63)), 1, "e:malformed-labels"),
    "a fraction": (last("3.5"), 1, "e:malformed-labels"),
    "NaN": (last("nan"), 1, "e:malformed-labels"),
    "a word": (last("cat"), 1, "e:malformed-labels"),
    "no value": (last(""), 1, "e:malformed-labels"),
    "a row without the column": (last(None), 1, "e:malformed-labels"),
    "whole floats": (lambda ids: [v + ".0" for v in ids], 0, "w:nonstandard-text"),
    "ignored": (last(IGNORED), 0, ""),
    "all ignored": (lambda ids: [IGNORED] * len(ids), 1, "e:all-ignored w:missing-class"),
    "none": (lambda ids: [], 1, "e:malformed-labels"),
}


def value_of(text):
    """As JSON and NumPy have it; None: not at all."""
    return None if not text else float(text) if text in ("nan", "3.5") or text.endswith(".0") else int(text) if text.lstrip("-").isdigit() else text


# ---- containers: each returns (name, bytes) of a file, or None ----------------------------------------------------------


def lines(separator="\n", more="", end="\n"):
    def make(ids):
        rows = [(more.replace("#", str(i)) + (v or "")).strip() for i, v in enumerate(ids)]
        return "labels.txt", (separator.join(rows) + end * bool(rows)).encode()
    return make


def table(name, separator):
    return lambda ids: (name, "".join(separator.join(row) + "\n" for row in [("path", "label")] + [("%03d.jpg" % i, v)[:1 + (v is not None)] for i, v in enumerate(ids)]).encode())


def record(i, v):
    return {"path": "%03d.jpg" % i, **({} if v is None else {"label": value_of(v)})}


def array(ids):
    return "labels.json", json.dumps([record(i, v) for i, v in enumerate(ids)]).encode()


def json_lines(ids):
    return "labels.jsonl", "".join(json.dumps(record(i, v)) + "\n" for i, v in enumerate(ids)).encode()


def npy(ids):
    values = [value_of(v) for v in ids]
    if any(v is None or isinstance(v, str) for v in values):
        return None
    if any(isinstance(v, float) for v in values):
        return "labels.npy", npy_head("<f8", (len(values),)) + struct.pack("<%dd" % len(values), *values)
    kind = "<Q" if values and max(values) >= 2**63 else "<q"
    return "labels.npy", npy_head("<u8" if kind == "<Q" else "<i8", (len(values),)) + b"".join(struct.pack(kind, v) for v in values)


def packed(make):
    def pack(ids):
        made = make(ids)
        return made and (made[0] + ".gz", gzip.compress(made[1], 1))
    return pack


def zipped(make):
    def pack(ids):
        made = make(ids)
        if not made:
            return None
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(*made)
        return "labels.zip", out.getvalue()
    return pack


CSV = table("labels.csv", ",")
LISTS = {
    "text": lines(), "text, CRLF": lines("\r\n", end="\r\n"), "text, no end": lines(end=""), "paths and ids": lines(more="#.jpg "),
    "CSV": CSV, "TSV": table("labels.tsv", "\t"), "semicolons": table("labels.csv", ";"),
    "CSV, BOM": lambda ids: ("labels.csv", b"\xef\xbb\xbf" + CSV(ids)[1]), "CSV, CRLF": lambda ids: ("labels.csv", CSV(ids)[1].replace(b"\n", b"\r\n")),
    "JSON": array, "JSON Lines": json_lines, "NumPy": npy, "text, packed": packed(lines()), "CSV, packed": packed(CSV), "NumPy, packed": packed(npy),
    "CSV in zip": zipped(CSV), "NumPy in zip": zipped(npy), "CSV on stdin": lambda ids: ("-", tar([CSV(ids)])), "NumPy on stdin": lambda ids: npy(ids) and ("-", tar([npy(ids)])),
}

SAME = {"non-integer-labels": "malformed-labels", "nan-labels": "malformed-labels"}
BESIDE = {"semicolons": {"w:nonstandard-text"}}  # said of every such file
EXCEPT = {}


def but(containers, faults, *verdict):
    EXCEPT.update({(c, f): verdict for c in containers for f in faults})


TEXTS = [c for c in LISTS if c.startswith("text")]
TABLES = [c for c in LISTS if c.startswith(("CSV", "TSV", "semicolons"))]
ARRAYS = [c for c in LISTS if c.startswith("NumPy")]
but(TABLES, ("none",), 2, "e:ambiguous-columns")  # a header, and nothing that says which column it is about
but(TEXTS + ["paths and ids"], ("none",), 0, "")  # of 0 bytes it is YOLO's, of an image without objects
but(["JSON"], ("none",), 1, "e:not-a-label-file")  # [], which may be anything
but(["JSON Lines"], ("none",), 1, "e:empty-file")
but(ARRAYS, ("none",), 0, "w:malformed-labels")  # its header says that it holds labels, and that there are none
but(["semicolons"], ("whole floats",), 0, "")
but(ARRAYS, ("2^63",), 1, "e:out-of-range-id i:wrong-dtype")  # it is a number of uint64
but(ARRAYS, ("whole floats",), 0, "w:wrong-dtype")
but(TEXTS, ("no value", "a row without the column"), 0, "")  # a blank line, which np.loadtxt and pandas skip


def run(number, name, data, *options):
    """Audits a file that has these bytes."""
    folder = os.path.join(FOLDER, "%04d" % number)
    path = "-" if name == "-" else os.path.join(folder, name)
    if path != "-":
        write(path, data)
    return subprocess.run([PROGRAM, "-q", "-f", "json", "--no-config", "-j", "1", *options, *["--kind=list"] * (name == "-" and b"csv" in data[:99]), path], capture_output=True, check=False, input=data)


def audit(case):
    number, (container, fault) = case
    made = LISTS[container](IDS[fault][0](CLEAN))
    if not made:
        return container, fault, None, None
    done = run(number, *made, "-c", CLASSES, "-i", IGNORED)
    if not done.stdout:
        return container, fault, done.returncode, done.stderr.decode()[-200:]
    return container, fault, *verdict(done, SAME, BESIDE.get(container, frozenset()))


# ---- tokens --------------------------------------------------------------------------------------------------------------

VOCABULARY = 1000
STREAM = draw.sample(range(VOCABULARY), VOCABULARY) * 4
# Name: (the tokens, what becomes of the bytes, the exit status, the findings).
TOKENS = {
    "clean": (STREAM, bytes, 0, ""),
    "out of range": (STREAM + [VOCABULARY + 7], bytes, 1, "e:out-of-range-id"),
    "largest": (STREAM + [65535], bytes, 1, "e:out-of-range-id"),
    "cut off": (STREAM, lambda data: data[:-3], 1, "e:truncated-file"),
    "empty": ([], bytes, 1, "e:empty-file"),
    "of 32 bits, read as 16": (STREAM, bytes, 1, "e:dtype-misread"),
    "-100": (STREAM + [-100], bytes, 1, "e:out-of-range-id"),
}


def raw(name, letter, head=b""):
    def make(tokens, change):
        return name, change(head.replace(b"COUNT", struct.pack("<i", len(tokens))) + struct.pack("<%d%s" % (len(tokens), letter), *tokens))
    return make


def rows_of_tokens(tokens, change):
    return "tokens.jsonl", change("".join(json.dumps({"input_ids": tokens[i:i + 50]}) + "\n" for i in range(0, len(tokens), 50)).encode())


def npy_of_tokens(tokens, change):
    return "tokens.npy", change(npy_head("<u2", (len(tokens),)) + struct.pack("<%dH" % len(tokens), *tokens))


def megatron(tokens, change):
    write(os.path.join(FOLDER, "megatron", "tokens.idx"), b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, 1, 2) + struct.pack("<iqqq", len(tokens), 0, 0, 1))
    return "../megatron/tokens.bin", change(struct.pack("<%dH" % len(tokens), *tokens))


def squeezed(make):
    def pack(tokens, change):
        name, data = make(tokens, change)
        return name + ".gz", gzip.compress(data, 1)
    return pack


def in_zip(make):
    def pack(tokens, change):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(*make(tokens, change))
        return "tokens.zip", out.getvalue()
    return pack


LLM_C = struct.pack("<ii", 20240520, 1) + b"COUNT" + bytes(4 * 253)
STREAMS = {
    ".bin": (raw("tokens.bin", "H"), "uint16"), ".u16": (raw("tokens.u16", "H"), "uint16"), ".u32": (raw("tokens.u32", "I"), "uint32"),
    "llm.c": (raw("tokens.bin", "H", LLM_C), ""), "Megatron": (megatron, ""), "NumPy": (npy_of_tokens, ""), "JSON Lines": (rows_of_tokens, ""),
    ".bin, packed": (squeezed(raw("tokens.bin", "H")), "uint16"), "NumPy, packed": (squeezed(npy_of_tokens), ""),
    "JSON Lines, packed": (squeezed(rows_of_tokens), ""), ".bin in zip": (in_zip(raw("tokens.bin", "H")), "uint16"),
    "NumPy in zip": (in_zip(npy_of_tokens), ""), "JSON Lines in zip": (in_zip(rows_of_tokens), ""),
}
JSON = [s for s in STREAMS if s.startswith("JSON")]
but(JSON + ["Megatron"], ("cut off",), 1, "e:malformed-labels")  # a text ends within a row; the index says that there are more
but([s for s in STREAMS if s.startswith("NumPy")], ("empty",), 0, "w:malformed-labels")
but(["JSON Lines in zip"], ("empty",), 2, "no label file")  # as an empty member of any archive
RAW = [s for s in STREAMS if s.startswith(".bin")]
for number, (stream, fault) in enumerate((s, f) for f in TOKENS for s in STREAMS):
    tokens, change, *expected = TOKENS[fault]
    if (fault.startswith("of 32") and stream not in RAW) or (fault == "-100" and not stream.startswith("JSON")):
        continue
    if fault.startswith("of 32"):
        tokens = [half for token in tokens for half in (token, 0)]
    make, dtype = STREAMS[stream]
    done = run(5000 + number, *make(tokens, change), "-c", str(VOCABULARY), *["--dtype=" + dtype] * bool(dtype))
    found = verdict(done, SAME, {"i:wrong-dtype"}) if done.stdout else (done.returncode, "no label file" * (b"no label file" in done.stderr))
    check(found == EXCEPT.get((stream, fault), tuple(expected)), stream, "|", fault, "|", *found, "| expected", *expected)

CASES = [(c, f) for f in IDS for c in LISTS]
with ThreadPoolExecutor(2) as threads:
    for container, fault, status, found in threads.map(audit, enumerate(CASES)):
        expected = EXCEPT.get((container, fault), IDS[fault][1:])
        if status is not None:
            check((status, found) == expected, container, "|", fault, "|", status, found, "| expected", *expected)
finish()
