#!/usr/bin/env -S python3 -SE
"""What labelaudit proposes where --classes is missing, and what init writes: each line as it is printed, run.

usage: tests/property/propose.py     BUILD=dir: where the program was built
"""
import json, os, random, re, shlex, subprocess

import pngs
from checks import BUILD, FOLDER, check, finish, run

HEIGHT, WIDTH = 24, 40
R = random.Random(5)


def voc_palette():
    out = []
    for i in range(256):
        rgb = [0, 0, 0]
        for bit in range(8):
            for k in range(3):
                rgb[k] |= (i >> (3 * bit + k) & 1) << (7 - bit)
        out.append(tuple(rgb))
    return out


VOC = voc_palette()


def blocks(classes, background=0):
    """A mask of a background and four rectangles, with 255 around the first."""
    rows = [[background] * WIDTH for _ in range(HEIGHT)]
    for k in range(4):
        c, y, x = R.choice(classes), R.randrange(HEIGHT - 8), R.randrange(WIDTH - 10)
        for r in range(y, y + 8):
            rows[r][x:x + 10] = [c] * 10
    return rows


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def masks(name, make, files=24, **how):
    for i in range(files):
        write(os.path.join(FOLDER, name, "masks", "%03d.png" % i), pngs.png(make(i), **how))
    return name


def voc(i):
    rows = blocks([1 + (4 * i + k) % 20 for k in range(4)])
    rows[0] = [255] * WIDTH
    return rows


def instances(i):
    """Each file counts its objects from 1."""
    n = R.randrange(3, 25)
    return [[0] * WIDTH] + [[(x // 3 + 13 * y) % (n + 1) for x in range(WIDTH)] for y in range(1, HEIGHT)]


def with_stray(i):
    rows = voc(i)
    if i == 7:
        rows[3][3] = 47
    return rows


def rare_last(i):
    """0 to 9 in every file, and 10 as one pixel of one of 40."""
    rows = [[(x // 4 + y // 4) % 10 for x in range(WIDTH)] for y in range(HEIGHT)]
    if i == 7:
        rows[3][3] = 10
    return rows


def blurred(i):
    """A square of 255 whose border fades."""
    level = [0] * 12 + [R.randrange(1, 255), R.randrange(1, 255)] + [255] * 12 + [R.randrange(1, 255)] + [0] * 13
    return [level if 4 < y < 20 else [0] * WIDTH for y in range(HEIGHT)]


def sets():
    """(folder, options of the first answer, words that must be said, whether others are to choose from)."""
    yield masks("levels", lambda i: [[255 * (x > y) for x in range(WIDTH)] for y in range(HEIGHT)]), "--classes 2", "divide by 255", False
    yield masks("wide", lambda i: [[65535 * (x > y) for x in range(WIDTH)] for y in range(HEIGHT)], depth=16), "--classes 2", "alone: two", False
    yield masks("fades", blurred), "--classes 2", "--threshold 128", False
    yield masks("from-one", lambda i: blocks([1 + i % 11, 11], 1)), "--classes 11", "subtract 1", True
    yield masks("plain", lambda i: blocks([1, 2, 3])), "--classes 4", "", False
    yield masks("painted", voc, colour=pngs.PALETTE, palette=VOC), "--preset voc", "palettes have its colours", True
    yield masks("VOCdevkit", voc), "--preset voc", "called so", True
    yield masks("like-it", voc), "--classes 21 --ignore 255", "probably never trained on", True
    yield masks("colours", lambda i: [[VOC[i] if i != 255 else (224, 224, 192) for i in row] for row in voc(i)], colour=pngs.RGB), "--preset voc", "masks have its colours", False
    yield masks("custom", lambda i: [[((9, 9, 9), (200, 10, 10), (7, 99, 7))[c] for c in row] for row in blocks([1, 2])],
                colour=pngs.RGB), "--colors '0=#076307,1=#090909,2=#c80a0a'", "give each the id", False
    yield masks("labelme", lambda i: [[VOC[c] for c in row] for row in blocks([1, 2])], colour=pngs.RGB), \
        "--colors '0=#000000,2=#008000,1=#800000'", "the palette of PASCAL VOC", False
    yield masks("numbers", instances), "--classes 2", "numbers of instances", False
    yield masks("stray", with_stray), "--classes 21 --ignore 255", "47 (under 0.1 %) is out of range then", True
    yield masks("last", rare_last, 40), "--classes 10", "10 (under 0.1 %) is out of range then", False
    for i in range(9):
        write(f"{FOLDER}/yolo/labels/{i}.txt", f"{i % 3} 0.5 0.5 0.2 0.2\n")
    write(f"{FOLDER}/yolo/data.yaml", "nc: 3\nnames: [helmet, vest, person]\n")
    yield "yolo", "--classes yolo/data.yaml", "3 classes: helmet, vest, person", False
    categories = [{"id": i, "name": f"name {i}"} for i in (1, 2, 7)]
    write(f"{FOLDER}/coco/instances.json", json.dumps({
        "images": [{"id": 1, "file_name": "1.jpg", "width": 64, "height": 64}], "categories": categories,
        "annotations": [{"id": c, "image_id": 1, "category_id": c, "bbox": [1, 1, 9, 9], "area": 81, "iscrowd": 0} for c in (1, 2, 7)]}))
    yield "coco", "--classes coco/instances.json", "3 classes: name 1, name 2, name 7", False


def shell(line):
    """As somebody would who pastes it."""
    return subprocess.run(["sh", "-c", line], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]})


def summary(*words):
    done = run("-f", "json", "-q", *words, text=True)
    report = json.loads(done.stdout)
    return done.returncode, {**report["summary"], "bytes": 0}, report["histogram"]


for name, first, said, choose in sets():
    done = run(name, text=True)
    lines = done.stderr.splitlines()
    typed = [line.strip() for line in lines if line.startswith("  labelaudit ")]
    check(done.returncode == 2 and typed and typed[0] == f"labelaudit {first} {name}", name, done.stderr)
    check(said in done.stderr and ("which classes" in lines[0]) == choose == (len(typed) > 1), name, done.stderr)
    for line in typed:
        check(shell(line + " --no-config -f none -q").returncode in (0, 1), "does not run:", line)
    # init writes the first of them, the others as remarks, and each of their sentences
    done = run("init", name, text=True)
    with open(f"{FOLDER}/labelaudit.yaml", encoding="utf-8") as f:
        text = f.read()
    check(done.returncode == 0 and not done.stdout, name, done.stderr)
    for line in lines[1:]:
        if not line.startswith("  labelaudit "):
            check(line.strip() in text, name, line, "is not in", text)
    settings = dict(re.findall(r'^([a-z]+): "?(.*?)"?$', text, re.M))
    words = shlex.split(first)
    check({k: settings.get(k) for k in ("classes", "preset", "ignore", "colors") if k in settings} ==
          {k[2:]: v for k, v in zip(words[::2], words[1::2])}, name, text)
    check(len(re.findall(r"^#   (?:classes|preset): ", text, re.M)) == len(typed) - 1, name, text)
    check(summary()[::2] == summary("--no-config", *words, name)[::2], name, "init's file audits otherwise")
    again = run("init", name, text=True)
    check(again.returncode == 2 and "--allow overwrite replaces it" in again.stderr, name, again.stderr)
    check(run("init", "--allow", "overwrite", "-q", name, text=True).stderr == "", name)
    os.remove(f"{FOLDER}/labelaudit.yaml")

# what was typed is not proposed, and a name that begins with two dots is no way out
write(f"{FOLDER}/..name/0.png", pngs.png(blocks([1, 2])))
check(run("init", "-c", "3", "..name").returncode == 0 and run("-f", "none").returncode == 0, "..name")
with open(f"{FOLDER}/labelaudit.yaml", encoding="utf-8") as f:
    written = f.read()
check("paths: [..name]" in written and "\nclasses: 3\n" in written and "proposes" not in written, written)
check(run("init", "--allow", "overwrite", FOLDER).returncode == 0, "a PATH from the root")
with open(f"{FOLDER}/labelaudit.yaml", encoding="utf-8") as f:
    check("\npaths:" not in f.read(), "a PATH from the root")
finish()
