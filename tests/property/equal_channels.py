#!/usr/bin/env -S python3 -SE
"""A mask saved as RGB or RGBA with equal channels is judged as the mask that each channel is: what is said of interpolation
is what is said of the same mask in grey, from the cache, in archives, merged from shards and on the simulated device, too.

usage: tests/property/equal_channels.py     BUILD=dir: where the program was built
"""
import json
import os
import random
import sys

from checks import FOLDER, TESTDATA, check, finish, run
from made import read, write, zip_of

sys.path.append(TESTDATA)
import generate as g  # noqa: E402

RULES = ("interpolated-mask", "interpolated-dataset", "suspected-interpolation", "scaled-ids", "out-of-range-id")


def draw(chance, side=60):
    """Boxes of four ids over each other."""
    mask = [[0] * side for _ in range(side)]
    for _ in range(14):
        x, y, id_ = chance.randrange(side), chance.randrange(side), chance.choice([0, 1, 3, 6])
        for row in mask[y : y + chance.randint(8, 25)]:
            n = min(chance.randint(8, 25), side - x)
            row[x : x + n] = [id_] * n
    return mask


def enlarged(mask, linear, scale=1.7):
    side = len(mask)
    n = int(side * scale)

    def at(v):
        v = min(max((v + .5) / scale - .5, 0), side - 1.001)
        return int(v), v - int(v) if linear else 0

    places = [at(v) for v in range(n)]
    return [[round((mask[y][x] * (1 - dx) + mask[y][x + 1] * dx) * (1 - dy) +
                   (mask[y + 1][x] * (1 - dx) + mask[y + 1][x + 1] * dx) * dy) for x, dx in places] for y, dy in places]


def audit(*options):
    return run("-c", "7", "-f", "json", "-q", "--no-config", *options, text=True)


def said(done):
    """What is said of the ids, by file: the same of the grey mask and of the one in colours."""
    if done.returncode not in (0, 1):
        return done.stderr
    return sorted((f["rule"], f["level"], os.path.basename((f["member"] or f["path"] or "")), f["message"],
                   json.dumps(f["details"]["ids"] if "ids" in f["details"] else None))
                  for f in json.loads(done.stdout)["findings"] if f["rule"] in RULES)


def main():
    chance = random.Random(5)
    for i in range(8):
        mask = enlarged(draw(chance), linear=i % 2 == 0)
        filters = [chance.randrange(5) for _ in mask]
        interlace = int(i == 4)
        write("grey/%d.png" % i, g.png(mask, g.GREY, interlace=interlace))
        write("rgb/%d.png" % i, g.png(g.mapped(mask, lambda v: (v,) * 3), g.RGB, interlace=interlace,
                                         **({} if interlace else {"choose": lambda y, f=filters: f[y]})))
        write("rgba/%d.png" % i, g.png(g.mapped(mask, lambda v: (v, v, v, 255)), g.RGBA))
    for folder in ("grey", "rgb", "rgba"):
        write(folder + ".zip", zip_of(("%d.png" % i, read(folder + "/%d.png" % i)) for i in range(8)))

    want = said(audit("grey"))
    damaged = {row[2] for row in want if row[0] == "interpolated-mask"}
    check(damaged == {"0.png", "2.png", "4.png", "6.png"}, "grey", want)
    for folder in ("grey", "rgb", "rgba"):
        cache = "--cache=" + os.path.join(FOLDER, folder + "-cache")
        ways = {"": [folder], "sim": [folder, "--device", "sim"], "one thread": [folder, "-j", "1"], "zip": [folder + ".zip"],
                "cache written": [folder, cache], "cache read": [folder, cache], "mixed set": [folder, "--scope", "files"]}
        for way, options in ways.items():
            got, wanted = said(audit(*options)), want
            if way == "mixed set":
                wanted = [row for row in want if row[0] != "interpolated-dataset"]
            check(got == wanted, folder, way, got, "wanted", wanted)
        for part in ("1", "2"):
            audit(folder, "--shard", part + "/2", "-f", "none", "-o", os.path.join(FOLDER, "part%s.json" % part))
        merged = run("merge", "-f", "json", "-q", "part1.json", "part2.json", text=True)
        check(said(merged) == want, folder, "merged", said(merged), "wanted", want)
    finish()


main()
