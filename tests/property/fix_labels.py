#!/usr/bin/env -S python3 -SE
"""Corrected copies of label files. Random lists, tables, YOLO texts, COCO files and arrays are corrupted in the ways that
`labelaudit fix` cures: the copy has the bytes of the clean file, or the set was refused. Then: killed at random moments, a
rerun gives the same bytes; any number of jobs gives the same bytes; a second run changes nothing.

usage: tests/property/fix_labels.py     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 100 kills
"""
import ast
import hashlib
import itertools
import json
import os
import random
import shutil
import struct
import subprocess

from checks import ALL, FOLDER, PROGRAM, check, finish, need_modules, skip
from corrected import COMMAND, TEXTS, THINGS, fix, kill_and_begin_anew, result_of, table, tree_of, write_text, yolo, Text
from made import npy_head, read, write

need_modules("jsonschema", optional=True)
try:
    import jsonschema
except ImportError:
    jsonschema = None

SETS, KILLS = (2000, 100) if ALL else (16, 2)

# ---- corruptions: (classes, id -> wrong id) -----------------------------------------------------------------------------


def times(chance):
    factor = chance.randint(2, 50)
    return chance.randint(5, 40), lambda v: v * factor


def one_based(chance):
    return chance.randint(2, 60), lambda v: v + 1


def things(chance):
    del chance
    return 80, lambda v: THINGS[v]


def sparse(chance):
    classes = chance.randint(3, 30)
    ids = sorted(chance.sample(range(250), classes))
    return classes, lambda v: ids[v]


def slips(chance):
    """Some labels alone are wrong: never to be cured by a map."""
    classes = chance.randint(5, 30)
    return classes, lambda v: classes + chance.randrange(3) if chance.random() < 0.02 else v


CORRUPTIONS = (times, one_based, things, sparse, slips)


def validator():
    """Returns a function that compares a document with the schema, which no key may be missing in."""
    if not jsonschema:
        skip("the schema of plans and receipts", "needs jsonschema")
        return lambda document, *what: None
    schema = json.loads(subprocess.run([PROGRAM, "schema", "fix"], capture_output=True, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for name, part in schema["$defs"].items():
        if part.get("type") == "object" and name != "body":
            part["additionalProperties"] = False
    for name in ("plan", "receipt"):
        schema["$defs"][name]["unevaluatedProperties"] = False
    check(not jsonschema.Draft202012Validator(schema).is_valid({"plan_version": "1.0"}), "the schema accepts anything")
    return lambda document, *what: check(jsonschema.Draft202012Validator(schema).is_valid(document), *what, "does not fit its schema")


def corrupt(seed, folder):
    """Writes a corrupted set. Returns (kind, corruption, classes, {file name: clean bytes, not packed})."""
    chance = random.Random(seed)
    how, kind = CORRUPTIONS[seed % len(CORRUPTIONS)], TEXTS[seed % len(TEXTS)]  # 5 and 8: all pairs
    classes, wrong = how(chance)
    ids = [i for i in range(classes) for _ in range(6 + 6 * (how is sparse))] + [chance.randrange(classes) for _ in range(100)]
    chance.shuffle(ids)
    return kind.__name__, how.__name__, classes, write_text(chance, folder, kind, ids, wrong)


def restored():
    """Every file is restored in every byte, or refused; enough are restored that the test says something."""
    done, cured, fits, gaps = {}, {}, validator(), [0, 0]
    for seed in range(SETS):
        source, out = os.path.join(FOLDER, "s%d" % seed), os.path.join(FOLDER, "o%d" % seed)
        kind, how, classes, clean = corrupt(seed, source)
        what = (seed, kind, how, "-c %d" % classes)
        result = fix("-c", str(classes), source, "-o", out)
        if result.returncode == 2 and "no label file among" in result.stderr:
            check(not os.path.exists(out), *what, "nothing was found, but written")
            continue
        if not check(result.returncode in (0, 1), *what, result.returncode, result.stderr):
            continue
        done[kind] = done.get(kind, 0) + (how != "slips")
        gaps[1] += how == "sparse"
        if os.path.exists(out):
            receipt = json.loads(read(os.path.join(out, "receipt.json")))
            equal = all(result_of(out, n) == data for n, data in clean.items())
            fits(receipt, *what, "the receipt")
            check(equal or not receipt["labels_changed"], *what, "differs from the clean set", receipt["maps"])
            check(how != "slips" or not receipt["labels_changed"], *what, "a slip was cured by a map")
            cured[kind] = cured.get(kind, 0) + (equal and how != "slips")
            gaps[0] += equal and how == "sparse"
            if equal and seed % 4 == 0:
                again = fix("-f", "text", "-c", str(classes), out)
                fits(json.loads(fix("-f", "json", "-c", str(classes), source).stdout), *what, "the plan")
                check(again.stdout == "nothing to fix\n", *what, "the result has something to fix", again.stdout, again.stderr)
        else:
            check(result.returncode == 1, *what, "refused with status", result.returncode)
        shutil.rmtree(source)
        shutil.rmtree(out, ignore_errors=True)
    for kind, n in done.items():
        check(cured.get(kind, 0) * 4 >= n, kind, "cured %d of %d" % (cured.get(kind, 0), n))
    check(gaps[0] * 4 >= gaps[1] * 3, "ids with gaps, cured %d of %d" % tuple(gaps))
    check(sum(cured.values()) * 2 >= sum(done.values()), "cured", cured, "of", done)


# ---- arrays: types, orders -------------------------------------------------------------------------------------------

DTYPES = {"|u1": "<B", "|i1": "<b", "<u2": "<H", ">u2": ">H", "<i4": "<i", ">i8": ">q", "<f2": "<e", "<f4": "<f", ">f8": ">d", "|b1": "<?"}


def indices(shape, fortran):
    """All indices, in the order of memory."""
    axes = [range(n) for n in (reversed(shape) if fortran else shape)]
    return [tuple(reversed(i)) if fortran else i for i in itertools.product(*axes)]


def npy_of(values, shape, descr, fortran):
    """values: by index."""
    data = b"".join(struct.pack(DTYPES[descr], values[i]) for i in indices(shape, fortran))
    return npy_head(descr, shape, fortran) + data


def values_of(data):
    """(values by index, shape, dtype)"""
    at = 10 + struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:at].decode())
    code = {**DTYPES, "<i8": "<q"}[head["descr"]]
    flat = [v[0] for v in struct.iter_unpack(code, data[at:])]
    return dict(zip(indices(head["shape"], head["fortran_order"]), flat)), head["shape"], head["descr"]


def arrays(count):
    for seed in range(count):
        chance = random.Random(seed)
        folder, out = os.path.join(FOLDER, "a%d" % seed), os.path.join(FOLDER, "b%d" % seed)
        shape = chance.choice(((120,), (12, 15), (3, 12, 10)))
        classes, fortran = chance.randint(5, 9), chance.random() < 0.5
        descr = chance.choice([d for d in DTYPES if d != "|b1"])
        every = indices(shape, False)
        clean = {i: n % classes if n < 2 * classes else chance.randrange(classes) for n, i in enumerate(every)}
        data = npy_of({i: v + 1 for i, v in clean.items()}, shape, descr, fortran)
        wide = len(shape) > 1 and descr[1:] not in ("u1", "i1")
        wanted = "|u1" if wide else "<i8" if "f" in descr else descr
        write(os.path.join(folder, "labels.npy"), data)
        result = fix("-c", str(classes), folder, "-o", out)
        what = (seed, shape, descr, "fortran" if fortran else "")
        if check(result.returncode == 0, *what, result.returncode, result.stderr):
            check(values_of(read(os.path.join(out, "labels.npy"))) == (clean, shape, wanted), *what, "differs from the clean array")
        shutil.rmtree(folder)
        shutil.rmtree(out, ignore_errors=True)


def sets_of_all_kinds():
    """Files of at most 8 MiB, and of more, which are streamed: a list, and a COCO file whose annotations come first."""
    chance = random.Random(5)
    small = {"yolo/" + n: t for n, t in yolo(chance, [i % 30 for i in range(400)]).items()}
    small.update({"table/" + n: t for n, t in table(chance, [i % 30 for i in range(200)]).items()})
    rows, text = Text(), Text()
    for i in range(420000):
        rows.add(b"images/%08d.jpg " % i, i % 30, b"\r\n")
    text.add(b'{"annotations": [')
    for i in range(9000):
        text.add(b',\n\t{"segmentation": [[%s]], "id": %d, "bbox": [1, 1, 0.25, 1.5], "image_id": 1, "category_id": ' % (b"1.25, 2.5, " * 90 + b"1, 1", i), i % 30, b"}")
    text.parts[1] = text.parts[1][1:]
    text.add(b'], "images": [{"id": 1, "width": 9, "height": 9, "file_name": "a.jpg"}], "categories": [')
    for i in range(30):
        text.add(b'%s{"name": "c%d", "id": ' % (b", " if i else b"", i), i, b"}")
    text.add(b"]} \n")
    return small, {"list.txt": rows, "instances.json": text}


def write_set(name, clean):
    """Returns the options, and the digests of the clean files."""
    source = os.path.join(FOLDER, name)
    for n, text in clean.items():
        write(os.path.join(source, n), text.bytes_of(lambda v: v + 1))
    paths = [os.path.join(source, n) for n in sorted({n.split("/")[0] for n in clean})]
    return ["-c", "30", *paths], {n: hashlib.sha256(t.bytes_of()).hexdigest() for n, t in clean.items()}


def copies(name, clean, jobs):
    args, digests = write_set(name, clean)
    trees = []
    for n in jobs:
        out = os.path.join(FOLDER, "%s-%d" % (name, n))
        done = fix(*args, "-o", out, "-j", str(n))
        check(done.returncode == 0, name, "with jobs", n, done.stderr)
        trees.append(tree_of(out))
        check({n: d for n, (d, *_) in trees[-1].items() if d and n != "receipt.json"} == digests, name, "differs from the clean set")
    check(all(t == trees[0] for t in trees), "jobs differ")
    return args, trees[0]


def boxes():
    """Random boxes of YOLO texts: those that leave the image a little end at its edge, those without an area are left out, all others stay."""
    chance = random.Random(12)
    for seed in range(20):
        source, out, rows, want = os.path.join(FOLDER, "boxes%d" % seed), os.path.join(FOLDER, "clipped%d" % seed), [], []
        clipped = dropped = 0
        for i in range(60):
            places = chance.choice((2, 4, 6, 9))
            w, h = (chance.choice((0.0, 0.0, 0.3)) if chance.random() < 0.2 else round(chance.uniform(0.01, 0.6), places) for _ in range(2))
            x, y = (round(chance.uniform(s / 2 - 0.009, 1 - s / 2 + 0.009), places) for s in (w, h))
            row = "%d %.*f %.*f %.*f %.*f" % (i % 4, places, x, places, y, places, w, places, h)
            x, y, w, h = map(float, row.split()[1:])
            beyond = max(w / 2 - x, x + w / 2 - 1, h / 2 - y, y + h / 2 - 1)
            rows.append(row + chance.choice(("\n", "\r\n")))
            if w == 0 or h == 0:
                dropped += 1
            elif beyond > 1e-9:
                clipped += 1
                want.append((i % 4, max(x - w / 2, 0), min(x + w / 2, 1), max(y - h / 2, 0), min(y + h / 2, 1)))
            else:
                want.append(rows[-1])
        write(os.path.join(source, "0.txt"), "".join(rows).encode())
        plan = json.loads(fix("-f", "json", "-c", "4", "--clip", "--drop", "no-area", source).stdout)
        check((plan["declared"]["clipped_boxes"], plan["declared"]["dropped_boxes"]) == (clipped, dropped), seed, "the plan of boxes", plan["declared"], clipped, dropped)
        done = fix("-c", "4", "--clip", "--drop", "no-area", source, "-o", out)
        if not check(os.path.exists(out), seed, "boxes", done.returncode, done.stderr):
            continue
        have = read(os.path.join(out, "0.txt")).decode().splitlines(keepends=True)
        check(len(have) == len(want), seed, "boxes that are left")
        for row, wanted in zip(have, want):
            if isinstance(wanted, str):
                check(row == wanted, seed, "a box inside changed", row, wanted)
                continue
            number, x, y, w, h = row.split()
            x, y, w, h = float(x), float(y), float(w), float(h)
            edges = (x - w / 2, x + w / 2, y - h / 2, y + h / 2)
            near = all(abs(a - b) < 3e-6 for a, b in zip(edges, wanted[1:]))
            check(int(number) == wanted[0] and near and min(edges) > -1e-9 and max(edges) < 1 + 1e-9, seed, "a clipped box", row, wanted)
        again = fix("-f", "text", "-c", "4", "--clip", "--drop", "no-area", out)
        check("nothing to fix" in again.stdout, seed, "boxes clipped twice", again.stdout)


def annotation(chance, i, box):
    """Returns one as text, in one of several ways to write JSON."""
    parts = ['"id": %d' % i, '"image_id":1', '"category_id" : 0', '"bbox": [%s]' % chance.choice((",", ", ", " ,\n  ")).join(box), '"note": "}],[{\\""']
    chance.shuffle(parts)
    return "{" + chance.choice((",", ", ", ",\n\t")).join(parts) + chance.choice(("}", " }"))


def boxes_of_coco_and_tables():
    """The same in COCO files and tables with the size of their images: the numbers are exact, and every other byte stays."""
    chance = random.Random(13)
    for seed in range(6):
        boxes = []
        for i in range(40):
            places, wide, high = chance.choice((0, 1, 3)), 300, 200
            w, h = (chance.choice((0, 0, -4, 9)) if chance.random() < 0.2 else round(chance.uniform(2, 90), places) for _ in range(2))
            x = round(chance.uniform(-2.9, wide - w + 2.9), places)
            y = round(chance.uniform(-1.9, high - h + 1.9), places)
            boxes.append((x, y, w, h, ["%.*f" % (places, v) for v in (x, y, w, h)], places))
        gone = [w <= 0 or h <= 0 for _, _, w, h, _, _ in boxes]
        cut = [not g and (x < 0 or y < 0 or x + w > 300 + 1e-9 or y + h > 200 + 1e-9) for (x, y, w, h, _, _), g in zip(boxes, gone)]
        rows = [annotation(chance, i, b[4]) for i, b in enumerate(boxes)]
        head, foot = '{"images": [{"id": 1, "file_name": "a.jpg", "width": 300, "height": 200}], "annotations": [ ', ' ], "categories": [{"id": 0, "name": "a"}]}\n'
        table = ["image,image_width,image_height,label,x,y,w,h"] + ["%d.jpg,300,200,%d,%s" % (i, i % 4, ",".join(b[4])) for i, b in enumerate(boxes)]
        for name, text in (("boxes.json", head + chance.choice((",", ",\n")).join(rows) + foot), ("boxes.csv", "\n".join(table) + "\n")):
            source, out = os.path.join(FOLDER, "%s%d" % (name, seed)), os.path.join(FOLDER, "cut%s%d" % (name, seed))
            write(os.path.join(source, name), text.encode())
            plan = json.loads(fix("-f", "json", "-c", "4", "--clip", "--drop", "no-area", source).stdout)
            check((plan["declared"]["clipped_boxes"], plan["declared"]["dropped_boxes"]) == (sum(cut), sum(gone)), seed, name, plan["declared"], sum(cut), sum(gone))
            done = fix("-c", "4", "--clip", "--drop", "no-area", source, "-o", out)
            if not check(os.path.exists(os.path.join(out, name)), seed, name, done.returncode, done.stderr):
                continue
            have = read(os.path.join(out, name)).decode()
            kept = [(a["id"], a["bbox"]) for a in json.loads(have)["annotations"]] if name == "boxes.json" else [(int(r.split(".")[0]), [float(v) for v in r.split(",")[4:]]) for r in have.splitlines()[1:]]
            check([i for i, _ in kept] == [i for i, g in enumerate(gone) if not g], seed, name, "what is left")
            for i, box in kept:
                x, y, w, h, _, places = boxes[i]
                left, top = (max(x, 0), max(y, 0)) if cut[i] else (x, y)
                right, bottom = (min(x + w, 300), min(y + h, 200)) if cut[i] else (x + w, y + h)
                check(all(abs(a - round(b, places)) < 1e-9 for a, b in zip(box, (left, top, right - left, bottom - top))), seed, name, "a box", box, boxes[i])
                check(cut[i] or (rows[i] if name == "boxes.json" else table[i + 1]) in have, seed, name, "what stays", boxes[i])
            again = fix("-f", "text", "-c", "4", "--clip", "--drop", "no-area", out)
            check("nothing to fix" in again.stdout, seed, name, "changed twice", again.stdout)


def boxes_of_json():
    """The same in arrays of JSON and JSON Lines, with other keys in any order: these stay, and a second run changes nothing."""
    for seed in range(4):
        chance, rows = random.Random(seed), []
        for i in range(30):
            w, h = (chance.choice((0, 0, -4, 9)) if chance.random() < 0.2 else round(chance.uniform(2, 90), 1) for _ in range(2))
            x, y = round(chance.uniform(-2.9, 302.9 - w), 1), round(chance.uniform(-1.9, 201.9 - h), 1)
            box = [("bbox", [x, y, w, h])] if seed % 2 else list(zip("xywh", (x, y, w, h)))
            items = [("image", "%d.jpg" % i), ("image_width", 300), ("image_height", 200), ("label", 1 + i % 4), *box,
                     *chance.sample([("note", "}],[{\""), ("tags", ["a", "b"]), ("meta", {"k": [1, 2]}), ("score", .5)], seed)]
            chance.shuffle(items)
            rows.append(dict(items))
        kept = [r for r in rows if r.get("w", r.get("bbox", (0, 0, 1))[2]) > 0 and r.get("h", r.get("bbox", (0, 0, 0, 1))[3]) > 0]
        for name, text in (("rows.json", json.dumps(rows, indent=seed or None)), ("rows.jsonl", "".join(json.dumps(r) + "\n" for r in rows))):
            source, out = (os.path.join(FOLDER, "%s%s%d" % (name, what, seed)) for what in ("of", "cut"))
            write(os.path.join(source, name), text.encode())
            done = fix("-c", "4", "--clip", "--drop", "no-area", source, "-o", out)
            if not check(os.path.exists(os.path.join(out, name)), seed, name, done.returncode, done.stderr):
                continue
            have = read(os.path.join(out, name)).decode()
            have = json.loads(have) if name == "rows.json" else [json.loads(r) for r in have.splitlines()]
            same = [{k: v for k, v in r.items() if k not in ("bbox", *"xywh")} for r in kept]
            check([{k: v for k, v in r.items() if k not in ("bbox", *"xywh")} for r in have] == [{**r, "label": r["label"] - 1} for r in same],
                  seed, name, "what stays")
            again = fix("-f", "text", "-c", "4", "--clip", "--drop", "no-area", out)
            check("nothing to fix" in again.stdout, seed, name, "changed twice", again.stdout)


restored()
boxes()
boxes_of_json()
boxes_of_coco_and_tables()
arrays(SETS // 4)
SMALL, LARGE = sets_of_all_kinds()
ARGS, WHOLE = copies("small", SMALL, (1, 8))
kill_and_begin_anew(COMMAND, ARGS, os.path.join(FOLDER, "killed"), WHOLE, KILLS)
if KILLS >= 10:
    ARGS, WHOLE = copies("large", {**SMALL, "list.txt": LARGE["list.txt"]}, (1, 8))
    kill_and_begin_anew(COMMAND, ARGS, os.path.join(FOLDER, "killed"), WHOLE, KILLS)
else:
    for name, text in LARGE.items():
        copies("large-" + name, {name: text}, (2,))
finish()
