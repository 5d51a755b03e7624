#!/usr/bin/env -S python3 -SE
"""A mask means the same however it is encoded: as grey ids, in RGB, RGBA or 16 bits, interlaced, and as a palette in any
order. The reports of random masks with random tables of colours agree in classes and histograms, on each device; unknown
colours are counted, placed and never taken for a class.

usage: tests/property/colours.py     BUILD=dir: where the program was built
"""
import json
import os
import random
import sys

from checks import ALL, TESTDATA, check, finish, run
from made import write

sys.path.append(TESTDATA)
import generate as g  # noqa: E402

CLASSES, MASKS = 9, 6


def audit(path, *options):
    done = run(path, "-f", "json", "-q", *options)
    assert done.returncode in (0, 1), (options, done.stderr)
    return json.loads(done.stdout)


def draw(chance):
    """A mask of up to CLASSES ids: boxes over each other, down to lone pixels."""
    width, height = chance.randint(1, 70), chance.randint(1, 50)
    mask = [[0] * width for _ in range(height)]
    for _ in range(chance.randint(0, 25)):
        x, y, id_ = chance.randrange(width), chance.randrange(height), chance.randrange(CLASSES)
        for row in mask[y : y + chance.randint(1, 20)]:
            n = min(chance.randint(1, 25), width - x)
            row[x : x + n] = [id_] * n
    return mask


def encodings(chance, mask, table):
    """(name, bytes) of one mask."""
    order = list(range(CLASSES)) + [None] * chance.randint(0, 40)
    chance.shuffle(order)
    palette = [table[i] if i is not None else tuple(chance.randrange(256) for _ in range(3)) for i in order]
    indices = {i: at for at, i in enumerate(order) if i is not None}
    filters = [chance.randrange(5) for _ in mask]
    rgb = g.mapped(mask, lambda v: table[v])
    yield "rgb", g.png(rgb, g.RGB, choose=lambda y: filters[y % len(filters)])
    yield "rgba", g.png(g.mapped(mask, lambda v: table[v] + (255,)), g.RGBA, choose=lambda y: filters[y % len(filters)])
    yield "rgb16", g.png(g.mapped(mask, lambda v: tuple(256 * c + 7 for c in table[v])), g.RGB, 16)
    yield "interlaced", g.png(rgb, g.RGB, interlace=1)
    yield "palette", g.png(g.mapped(mask, lambda v: indices[v]), g.PALETTE, 8, palette)


def what_counts(report):
    rules = {(f["path"] and os.path.basename(f["path"]), f["rule"]) for f in report["findings"]}
    # what is said of the encoding alone; and of neighbours, where grey has the same ids
    said = {r for r in rules if r[1] in ("out-of-range-id", "duplicate-mask", "interpolated-mask", "edge-halo", "missing-class")}
    return report["summary"]["labels"], report["classes"], report["histogram"], report["ignored"], report["sizes"], sorted(said, key=str)


def main():
    for seed in range(12 if ALL else 6):
        chance = random.Random(seed)
        table = []
        while len(table) < CLASSES:
            colour = tuple(chance.choice((0, 64, 128, 192, 255)) for _ in range(3))
            if colour not in table and len(set(colour)) > (1 if table else 0):
                table.append(colour)
        spec = ",".join("%d=#%02x%02x%02x" % (i, *c) for i, c in enumerate(table))
        options = ("--classes", str(CLASSES - 1), "--ignore", str(CLASSES - 1))
        for i in range(MASKS):
            mask = draw(chance)
            write(f"{seed}/grey/{i}.png", g.png(mask))
            for name, data in encodings(chance, mask, table):
                write(f"{seed}/{name}/{i}.png", data)
        grey = what_counts(audit(f"{seed}/grey", *options))
        for name in ("rgb", "rgba", "rgb16", "interlaced", "palette"):
            for more in ((), ("--device", "sim"), ("--view", "cv2"), ("-j", "3")):
                got = what_counts(audit(f"{seed}/{name}", *options, "--colors", spec, *more))
                check(got == grey, seed, name, more, got, grey)

        # one class less in the table: its pixels are unknown, and the first is where it was
        lost = CLASSES - 2
        short = ",".join(part for i, part in enumerate(spec.split(",")) if i != lost)
        hexed = "#%02x%02x%02x" % table[lost]
        for name in ("rgb", "palette"):
            report = audit(f"{seed}/{name}", *options, "--colors", short)
            lost_before = {c["id"]: c["labels"] for c in grey[1]}.get(lost, 0)
            unknown = {o["color"]: o["labels"] for o in report["out_of_range"]}
            check(unknown == ({hexed: lost_before} if lost_before else {}), seed, name, unknown, lost_before)
            ignored = audit(f"{seed}/{name}", *options, "--colors", short, "--ignore", hexed)
            check(not ignored["out_of_range"], seed, name)
    finish()


main()
