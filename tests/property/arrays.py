#!/usr/bin/env -S python3 -SE
"""Arrays (.npy, IDX, gzipped or not) are read as NumPy reads them, and broken ones are refused: whole program.

usage: tests/property/arrays.py     BUILD=dir: where the program was built
       LABELAUDIT_SHARED=dir: with hostile/generated: files whose verdict is known (../shared); skipped where absent
       LABELAUDIT_PYTHON=FILE: a Python with NumPy (python3); arrays of every type, order and shape that it saves;
       skipped without
"""
import collections
import csv
import gzip
import json
import os
import random

from checks import ALL, FOLDER, SHARED, check, finish, need_modules, run, skip

need_modules("numpy", optional=True)
try:
    import numpy
except ImportError:
    numpy = None

KINDS = ("npy", "idx", "gz")


def audit(path, *options, classes="12"):
    """(exit status, report)."""
    done = run("-c", classes, "-f", "json", "-q", "--no-config", *options, path)
    check(done.stdout, path, done.stderr[-600:])
    return done.returncode, json.loads(done.stdout) if done.stdout else {"findings": [], "complete": False}


def rules(report):
    return {finding["rule"]: finding for finding in report["findings"]}


def histogram(report):
    return {int(id): labels for id, labels in report["histogram"]}


# ---- files whose verdict is known ------------------------------------------------------------------------------------

FILE_RULES = {"malformed-labels", "truncated-file", "corrupt-data", "limit-exceeded", "not-a-label-file", "empty-file",
              "wrong-dtype"}
# What is of the values, not of the file.
VALUE_RULES = {"out-of-range-id", "one-hot-mask", "multi-label-mask", "soft-labels", "non-integer-labels", "nan-labels",
               "extra-dimension", "one-based-ids", "background-off-by-one"}


def check_verdict(path, verdict, values):
    """"" or what is wrong. values: NumPy's reading, of small arrays."""
    status, report = audit(path)
    if status not in (0, 1) or not report["complete"]:
        return f"exit status {status}"
    errors = {f["rule"] for f in report["findings"] if f["level"] == "error"}
    read = report["summary"]["files_read"] == 1
    if verdict == "reject" and (read or len(errors) != 1 or not errors <= FILE_RULES or report["histogram"]):
        return f"read {read}, errors {sorted(errors)}"
    if verdict == "valid" and (not read or not errors <= VALUE_RULES):
        return f"read {read}, errors {sorted(errors)}"
    if verdict == "finding" and not [f for f in report["findings"] if f["path"]]:
        return "nothing was found"
    if verdict == "limit" and not read and not errors & {"limit-exceeded", "not-a-label-file"}:
        return f"errors {sorted(errors)}"
    if values is not None and read:
        want = collections.Counter(values)
        if any(id >= 2 ** 63 - 2 ** 25 and id != 2 ** 63 - 1 for id in want):  # no ids: counted as the largest
            want = collections.Counter(2 ** 63 - 1 if id >= 2 ** 63 - 2 ** 25 else id for id in values)
            if "too large" not in rules(report)["out-of-range-id"]["message"]:
                return "ids above 2^63 are not named"
        if histogram(report) != dict(want):
            return f"histogram {report['histogram']}"
    return ""


def known_values(truth):
    """The elements of an array of integers, bools or integral floats; None for others."""
    shown = {"True": 1, "False": 0}
    values = []
    count = 1
    for length in truth["shape"]:
        count *= length
    if count > len(truth["first"]):
        return None
    for text in truth["first"]:
        if text in shown:
            values.append(shown[text])
        elif "." in text or "n" in text or "e" in text:
            if "n" in text or not float(text).is_integer() or abs(float(text)) >= 2 ** 63:
                return None
            values.append(int(float(text)))
        else:
            values.append(int(text))
    return values


def check_truth(folder):
    arrays = json.load(open(os.path.join(folder, "npy_truth.json")))
    for row in csv.DictReader(open(os.path.join(folder, "truth.csv"), newline="")):
        path = os.path.join(folder, row["path"])
        if row["kind"] not in KINDS or not os.path.isfile(path):
            continue
        # texts in gzip are no arrays
        if row["path"].endswith(".txt.gz") and row["verdict"] in ("valid", "finding"):
            continue
        # a pair: one finding, on the labels
        if "count-mismatch" in row["path"]:
            if "labels" not in row["path"]:
                continue
            path = os.path.dirname(path)
        values = known_values(arrays[row["path"]]) if row["path"] in arrays else None
        wrong = check_verdict(path, row["verdict"], values)
        check(not wrong, f"{row['path']}: want {row['verdict']} ({row['reason']}), {wrong}")


# ---- arrays that NumPy saves -----------------------------------------------------------------------------------------

def random_array(rng):
    """Ids of any dtype, order and shape; now and then many of them."""
    dtype = numpy.dtype(rng.choice(["u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">i4", "<i4", ">u8", "<u8", "<i8",
                                    "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "?"]))
    rank = rng.choice([0, 1, 1, 1, 2, 2, 3, 5])
    size = rng.choice([3, 50, 1000, 100_000, 700_000])
    shape = [rng.randint(2, max(2, int(size ** (1 / rank)) + 1)) for _ in range(rank)]
    shape = [9 if n in (7, 8) else n for n in shape]  # no axis of classes
    count = int(numpy.prod(shape, dtype=numpy.int64))
    generator = numpy.random.default_rng(rng.getrandbits(64))
    low, high = rng.choice([(0, 2), (0, 10), (-1, 5), (-100, 30), (0, 256), (0, 300), (-300, 70000), (-5, 2 ** 40)])
    if dtype.kind == "?":
        low, high = 0, 2
    elif dtype.kind in "iu":
        low, high = max(low, numpy.iinfo(dtype).min), min(high, int(numpy.iinfo(dtype).max) + 1)
    elif dtype.itemsize == 2:
        low, high = max(low, -2048), min(high, 2048)
    else:
        low, high = max(low, -2 ** 24), min(high, 2 ** 24)
    values = generator.integers(low, high, count)
    if high > 2 ** 20:  # not more different ones than labels ever have
        values = values[generator.integers(0, min(count, 5000), count)]
    if rng.random() < 0.5:  # runs, as masks have them
        values = values[numpy.sort(generator.integers(0, count, count))]
    values = values.astype(dtype).reshape(shape)
    return numpy.asfortranarray(values) if rng.random() < 0.3 else values


def check_array(path, values):
    """The histogram and the first offender."""
    status, report = audit(path, "--ignore=-1", classes="7")
    found = rules(report)
    if report["summary"]["files_read"] != 1 or status not in (0, 1):
        return f"exit status {status}, findings {sorted(found)}"
    ids, counts = numpy.unique(values.astype(numpy.int64), return_counts=True)
    want = {int(id): int(n) for id, n in zip(ids, counts)}
    if histogram(report) != want:
        return "another histogram"
    bad = numpy.argwhere((values.astype(numpy.int64) < -1) | (values.astype(numpy.int64) > 6))
    if (len(bad) > 0) != ("out-of-range-id" in found):
        return "out-of-range-id"
    if len(bad) and values.ndim and found["out-of-range-id"]["details"]["first"]["index"] != bad[0].tolist():
        return f"first {found['out-of-range-id']['details']['first']}, want {bad[0].tolist()}"
    return ""


def check_numpy():
    rng = random.Random(1)
    path = os.path.join(FOLDER, "a.npy")
    for i in range(150 if ALL else 50):
        values = random_array(rng)
        numpy.save(path, values)
        name = f"array {i}: {values.dtype.str} {values.shape} {'F' if values.flags.f_contiguous else 'C'}"
        wrong = check_array(path, values)
        if i % 5 == 0 and not wrong:
            with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", 1) as packed:
                packed.write(plain.read())
            wrong = check_array(path + ".gz", values)
        check(not wrong, name, wrong)


TRUTH = os.path.join(SHARED, "hostile/generated")
if os.path.isfile(os.path.join(TRUTH, "truth.csv")):
    check_truth(TRUTH)
else:
    skip("known verdicts", "no " + TRUTH)
if numpy:
    check_numpy()
else:
    skip("arrays that NumPy saves", "no NumPy")
finish()
