#!/usr/bin/env -S python3 -SE
"""What a report says of a cure, and what `labelaudit fix` does: a finding says `exact` where the plan of its file, or of the set,
changes ids as its mapping says; text, HTML and SARIF name a command where the plan changes files; and it runs as it is printed.

usage: tests/property/fix_named.py     LABELAUDIT_TEST=all: more sets
"""
import gzip
import html
import json
import os
import random
import re
import shutil
import subprocess
import tarfile
import zlib

from checks import ALL, FOLDER, PROGRAM, check, finish
from corrected import MASKS, TEXTS, mapped, write_masks, write_text
from made import bmp, npy, write
from pngs import GREY, RGB, png, png_of_stream

SETS = 2000 if ALL else 24
os.chdir(FOLDER)
BIN = os.path.abspath("bin")
os.mkdir(BIN)
os.symlink(PROGRAM, os.path.join(BIN, "labelaudit"))
# what the text report says of the files, and the command of a line of its own
COMMAND = r"this corrects ([\d,]+)\s+files?(\s+or\s+more,)?\s+in\s+a\s+copy:\n +(labelaudit fix .*(?: \\\n.*)*)$"
WHERE = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"]}


# ---- faults beside those that corrected.py makes: (classes, options, id -> wrong id, encoder) --------------------------


def off_by_one(chance):
    classes = chance.randint(3, 20)
    return classes, [], lambda v: classes if v == classes - 1 and chance.random() < 0.5 else v, png


def gaps(chance):
    return chance.randint(8, 20), ["no-ignore"], lambda v: v + 1 if v == 2 else v, png


def few_bits_as_seen(chance):
    """The ids of the view are legal: nothing is to be done."""
    del chance
    return 256, ["no-ignore"], lambda v: v % 16, lambda rows: png(rows, GREY, 4)


def wide(chance):
    return chance.randint(3, 20), [], lambda v: v, lambda rows: png(rows, GREY, 16)


def wrapped(chance):
    """Ids of 8 and of 16 bits, where void became another number."""
    return 10, [], lambda v: v, lambda rows: png(mapped(rows, lambda v: 65535 if v == 255 else v), GREY, 16) if chance.random() < 0.5 else png(rows)


def floats(chance):
    add = chance.randint(0, 1)
    return chance.randint(3, 20), ["no-ignore"], lambda v: v + add, lambda rows: npy(rows, "<f4")


def int8(chance):
    del chance
    return 200, ["no-ignore"], lambda v: (v * 50 % 200 + 128) % 256 - 128, lambda rows: npy(rows, "|i1")


def bitmaps(chance):
    return chance.randint(3, 20), [], lambda v: v + 1, bmp


def stray(chance):
    classes = chance.randint(3, 20)
    return classes, [], lambda v: classes + 7 if v == 0 and chance.random() < 0.05 else v, png


FAULTS = (*(how for how in MASKS if how.__name__ != "reduced"), off_by_one, gaps, few_bits_as_seen, wide, wrapped, floats, int8, bitmaps, stray, *TEXTS)
ENDINGS = {floats: "npy", int8: "npy", bitmaps: "bmp"}
NAMES = ("masks", "my masks", "it's", "a$b;c", "masks (1)", "été")


def make(seed, folder):
    """Writes a set, of one kind of fault or of two. Returns its name and the options."""
    chance = random.Random(seed)
    first = FAULTS[seed % len(FAULTS)]
    if first in TEXTS:
        classes, factor = chance.randint(5, 20), chance.randint(1, 12)
        write_text(chance, folder, first, [i % classes for i in range(20 * classes)], lambda v: v * factor + (factor == 1))
        return first.__name__, ["-c", str(classes)]
    options, _ = write_masks(chance, folder, first, ending=ENDINGS.get(first, "png"))
    second = chance.choice(FAULTS[: -len(TEXTS)]) if chance.random() < 0.3 else None
    if second:
        write_masks(chance, os.path.join(folder, "more"), second, ending=ENDINGS.get(second, "png"))
    return first.__name__ + ("+" + second.__name__ if second else ""), options


# ---- what is said, and what is done ----------------------------------------------------------------------------------


def run(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False)


def plan_of(options, *paths):
    done = run("fix", "-q", "--no-config", "-f", "json", *options, *paths)
    return json.loads(done.stdout) if done.stdout else None


def audit(options, paths):
    outputs = [("json", "r.json"), ("html", "r.html"), ("sarif", "r.sarif"), ("text", "r.txt"), ("jsonl", "r.jsonl")]
    run("-q", "-f", "none", *(w for form, name in outputs for w in ("-o", form + ":" + name)), *options, *paths)
    texts = {}
    for form, name in outputs:
        with open(name, encoding="utf-8") as f:
            texts[form] = f.read()
    # text hides it with -q
    texts["text"] = run("-f", "text", *options, *paths).stdout
    return json.loads(texts["json"]), texts


def commands_of(texts):
    """{form: the command that it names, or None}; and how many files it changes, and whether that is the least number"""
    page = re.search(r" in a copy:</p>\n<p><code>(.*?)</code>", texts["html"])
    sarif = [m["message"]["text"] for m in json.loads(texts["sarif"])["runs"][0]["results"]]
    named = {t.split(". A corrected copy: ")[1] for t in sarif if ". A corrected copy: " in t}
    text = re.search(COMMAND, texts["text"], re.M)
    check(len(named) < 2, "SARIF names several commands", named)
    return {"html": html.unescape(re.sub(r"<[^>]*>", "", page[1])) if page else None, "sarif": named.pop() if named else None, "text": text and text[3]}, text and (int(text[1].replace(",", "")), bool(text[2]))


def compare(what, options, paths, common):
    report, texts = audit([*common, *options], paths)
    plan = plan_of([*(o for o in common if o != "--no-config"), *options], *paths) if "--config" not in common else None
    if plan is None:
        done = run("fix", "-q", "-f", "json", *common, *options, *paths)
        plan = json.loads(done.stdout)
    changed = {f["path"] for f in plan["files"]}
    mapping = {a: b for m in plan["maps"] for a, b in m["mapping"]}
    streamed = [json.loads(line) for line in texts["jsonl"].splitlines()]
    streamed = [f for line in streamed for f in line.get("findings", [line] if "details" in line else [])]
    for f in report["findings"]:
        cure, says = f["details"].get("fix"), f["details"].get("mapping", [])
        same = [g for g in streamed if (g["rule"], g.get("path"), g["message"]) == (f["rule"], f["path"], f["message"])]
        check(not same or same[0]["details"].get("fix") == cure, *what, f["rule"], "JSON Lines say another cure", cure)
        if cure != "exact":
            continue
        if f["path"]:
            alone = f["path"] in changed or plan_of(options, f["path"])["files_changed"]
            check(alone, *what, f["rule"], f["path"], "says exact, but the plan does not change it", [r["why"] for r in plan["refused"]])
        else:
            check(plan["maps"], *what, f["rule"], "says exact, but there is no map", [r["why"] for r in plan["refused"]])
            check(all(mapping.get(a, a) == b for a, b in says if a in mapping), *what, f["rule"], "maps otherwise", says, mapping)
        if f["rule"] == "scaled-ids" and f["path"] in changed and not plan["recodings"]:
            check(all(mapping.get(a, a) == b for a, b in says), *what, f["rule"], "maps otherwise", says, mapping)
    named, count = commands_of(texts)
    serious = [f for f in report["findings"] if f["level"] != "info"]
    check(len({re.sub(r" \\\n +", " ", c or "") for c in named.values()}) == 1, *what, "reports differ", named)
    declares = any("--threshold" in c or "--nearest" in c for c in named.values() if c)
    recoded = any(f["details"].get("fix") == "exact" and f["path"] in changed for f in serious)
    if plan["maps"] or recoded:
        check(all(named.values()), *what, "is not named, though the plan changes", plan["files_changed"], plan["maps"], [f["rule"] for f in serious])
    if any(named.values()) and not declares:
        check(plan["files_changed"], *what, "is named, though nothing changes", named, [r["why"] for r in plan["refused"]])
        check(plan["files_changed"] >= count[0] and (count[1] or plan["files_changed"] == count[0]), *what, "says", count, "changes", plan["files_changed"])
    return plan, {} if declares else named


def pasted(what, plan, named):
    for form, command in named.items():
        if not command:
            continue
        before = set(os.listdir("."))
        done = subprocess.run(["bash", "-c", command + " -q"], env=WHERE, capture_output=True, text=True, check=False)
        new = set(os.listdir(".")) - before
        runs = check(done.returncode in (0, 1) and len(new) == 1, *what, form, command, "does not run:", done.returncode, done.stderr, new)
        folder = new.pop() if new else None
        if not runs:
            if folder:
                shutil.rmtree(folder)
            return
        with open(os.path.join(folder, "receipt.json"), encoding="utf-8") as f:
            receipt = json.load(f)
        check(receipt["labels_changed"] == plan["labels_changed"] and receipt["files_changed"] == plan["files_changed"], *what, form, command, "does something else")
        shutil.rmtree(folder)


def sets():
    named_sets = mapped = 0
    for seed in range(SETS):
        chance = random.Random(-seed)
        folder = chance.choice(NAMES)
        name, options = make(seed, folder)
        plan, named = compare((seed, name, options), options, [folder], ["--no-config"])
        named_sets += any(named.values())
        mapped += bool(plan["maps"])
        if seed % 3 == 0:
            pasted((seed, name), plan, named)
        shutil.rmtree(folder)
    check(named_sets * 3 >= SETS and mapped * 5 >= SETS, "too few sets are cured:", named_sets, mapped, "of", SETS)


def carried_over():
    """Options that decide what a plan does are in the command, and paths that a shell would take apart are quoted."""
    rows = [[(40 * y + x) // 90 % 4 for x in range(40)] for y in range(40)]
    for folder in ("one two", "-three"):
        os.mkdir(folder)
        for i in range(3):
            write(os.path.join(folder, "%d.png" % i), png(mapped(rows, lambda v: v + 1)))
        write(os.path.join(folder, "x.bmp"), bmp(rows))
    with open("my settings.yaml", "w", encoding="utf-8") as f:
        f.write("classes: 4\nignore: [255]\nexclude: ['*.bmp']\n")
    both = ["one two", "./-three"]
    for options in (
        ["--no-config", "-c", "4", "-i", "255", "--exclude", "*.bmp"],
        ["--no-config", "-c", "4", "--ignore=-1", "--ignore=255", "--view", "raw", "--exclude=*.bmp"],
        ["--no-config", "-c", "4", "--colors", "0=#000000,1=#101010,2=#202020,3=#303030", "--exclude=*.bmp"],
        ["--config", "my settings.yaml"],
    ):
        plan, named = compare(("carried over", options), [], both, options)
        check(all(named.values()) and plan["files_changed"] == 6, options, named, plan["files_changed"])
        pasted(("carried over", options), plan, named)
    with open("labelaudit.yaml", "w", encoding="utf-8") as f:  # of the folder: --no-config keeps it out
        f.write("classes: 9\nignore: [255]\n")
    plan, named = compare(("a file of settings that was refused",), [], both, ["--no-config", "-c", "4", "-i", "255", "--exclude", "*.bmp"])
    pasted(("a file of settings that was refused",), plan, named)
    os.remove("labelaudit.yaml")


def no_room():
    """What -1 became is to be 65535, which masks of 8 bits cannot hold: refused before the first byte, and no cure is named."""
    for name, depth, void in (("0", 8, 255), ("1", 16, 65535)):
        write("void/%s.png" % name, png([[(40 * y + x) // 90 % 4 if y > 7 else void for x in range(40)] for y in range(40)], GREY, depth))
    options = ["-c", "4", "-i", "65535"]
    plan, named = compare(("no room",), options, ["void"], ["--no-config"])
    done = run("fix", "--no-config", *options, "void", "-o", "void-out")
    check("masks cannot hold 65535" in done.stderr and done.returncode == 1 and not os.path.exists("void-out"), "no room", done.returncode, done.stderr)
    check(not any(named.values()) and not plan["maps"], "no room, but named", named, plan["maps"])


def too_large():
    """A packed file of more than 8 MiB is refused, with what to do, and no cure of the set is named."""
    for n in (100, 2200):
        rows = (b"\0" + bytes(1 + i // 9 % 4 for i in range(4000))) * n
        write("large/%d.png.gz" % n, gzip.compress(png_of_stream(4000, n, [zlib.compress(rows, 0)]), 1))
    plan, named = compare(("too large",), ["-c", "4"], ["large"], ["--no-config"])
    check(not plan["files_changed"] and not any(named.values()), "too large", named)
    check("unpack it first" in plan["refused"][0]["why"], "too large", plan["refused"])
    os.remove("large/2200.png.gz")
    plan, named = compare(("packed",), ["-c", "4"], ["large"], ["--no-config"])
    check(plan["files_changed"] == 1 and all(named.values()), "packed", named)


def every_kind_of_path():
    """The command runs as printed after a folder, a file, an archive, a configuration, a table of colours, a preset, a list, and several PATHs."""
    rows = [[(40 * y + x) // 90 % 4 for x in range(40)] for y in range(40)]
    where = os.path.abspath("kinds")
    one_based = png(mapped(rows, lambda v: v + 1))
    table = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0)]

    def put(path, data):
        write(os.path.join(where, path), data)

    for split in ("train", "val"):
        for i in range(3):
            put("masks/%s/%d.png" % (split, i), one_based)
            put("yolo/%s/labels/%d.txt" % (split, i), "".join("%d .5 .5 .1 .1\n" % (1 + (i + k) % 4) for k in range(4)))
            put("yolo/%s/images/%d.jpg" % (split, i), b"\xff\xd8\xff\xe0")
            put("colours/%s-%d.png" % (split, i), png(mapped(rows, lambda v: table[v]), RGB))
    put("yolo/data.yaml", "train: train/images\nval: val/images\nnames: [a, b, c, d]\n")
    for i in range(3):
        put("nn/labelsTr/case_%d.png" % i, one_based)
        put("nn/imagesTr/case_%d_0000.png" % i, png(mapped(rows, lambda v: v * 37 % 251)))
    put("nn/dataset.json", json.dumps({"labels": {"background": 0, "a": 1, "b": 2, "c": 3}, "numTraining": 3, "file_ending": ".png", "channel_names": {"0": "x"}}))
    put("table.txt", "".join("%d=#%02x%02x%02x%s" % ((i, *c, "," if i < 3 else "")) for i, c in enumerate(table)))
    with tarfile.open(os.path.join(where, "set.tar.gz"), "w:gz") as archive:
        archive.add(os.path.join(where, "masks"), "masks")
    os.makedirs(os.path.join(where, "elsewhere"))
    classes = ["-c", "4", "-i", "255"]
    for folder, arguments, changed in (
        (".", [*classes, "masks"], 6),
        (".", [*classes, "masks/train/0.png"], 1),
        (".", [*classes, "set.tar.gz"], 6),
        (".", [*classes, "masks/train", "masks/val"], 6),
        (".", ["-c", "4", "yolo/train/labels", "yolo/val/labels"], 6),
        (".", ["yolo/data.yaml"], 6),
        ("yolo", ["data.yaml"], 6),
        ("elsewhere", ["../yolo/data.yaml"], 6),
        (".", ["nn/dataset.json"], 3),
        ("nn", ["dataset.json"], 3),
        ("elsewhere", [*classes, "../masks/"], 6),
        (".", ["-c", "4", "--colors", "0=#000000,1=#800000,2=#008000,3=#808000", "colours"], 6),
        (".", ["--preset", "voc", "colours"], 6),
    ):
        at = os.path.join(where, folder)
        text = subprocess.run([PROGRAM, "--no-config", "-f", "text", *arguments], cwd=at, env=WHERE, capture_output=True, text=True, check=False).stdout
        found = re.search(COMMAND, text, re.M)
        if not found:
            # colours of a declared table are ids: there may be nothing to report
            check("colours" in arguments, folder, arguments, "names no command", text)
            continue
        before = set(os.listdir(at))
        done = subprocess.run(["bash", "-c", found[3] + " -q"], cwd=at, env=WHERE, capture_output=True, text=True, check=False)
        new = set(os.listdir(at)) - before
        if not check(done.returncode in (0, 1) and len(new) == 1, folder, arguments, found[3], done.returncode, done.stderr, new):
            continue
        made = os.path.join(at, new.pop())
        with open(os.path.join(made, "receipt.json"), encoding="utf-8") as f:
            receipt = json.load(f)
        said = int(found[1].replace(",", ""))
        check(receipt["files_changed"] == changed, folder, arguments, "changes", receipt["files_changed"], "instead of", changed)
        check(said == changed or (found[2] and said <= changed), folder, arguments, "says", found[0])
        check(receipt["result"]["exit_status"] == 0, folder, arguments, "the result has errors", done.stdout)
        shutil.rmtree(made)
    shutil.rmtree(where)


carried_over()
every_kind_of_path()
no_room()
too_large()
sets()
finish()
