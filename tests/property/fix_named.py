"""Sets with faults of one kind or several, what reports say of their cure, and what `labelaudit fix` does; see fix_named.sh."""
import gzip
import html
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import check, finish  # noqa: E402
from pngs import chunk, header  # noqa: E402

PROGRAM, FOLDER, SETS = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if os.listdir(FOLDER):
    sys.exit("fix_named.py: not an empty folder: " + FOLDER)
os.chdir(FOLDER)
BIN = os.path.abspath("bin")
os.mkdir(BIN)
os.symlink(PROGRAM, os.path.join(BIN, "labelaudit"))
WHERE = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"]}
TRAIN = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)


# ---- files -----------------------------------------------------------------------------------------------------------


def grey(ids, depth=8, width=40):
    """A mask of bands; of 1, 2, 4, 8 or 16 bits."""
    rows = [ids[i : i + width] for i in range(0, len(ids), width)]
    raw = b""
    for row in rows:
        if depth == 16:
            raw += b"\0" + struct.pack(">%dH" % width, *row)
        else:
            bits = "".join(format(v, "0%db" % depth) for v in row)
            raw += b"\0" + bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    return header(width, len(rows), depth, 0) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def rgb(ids, of, width=40):
    rows = [ids[i : i + width] for i in range(0, len(ids), width)]
    raw = b"".join(b"\0" + b"".join(bytes(of(v)) for v in row) for row in rows)
    return header(width, len(rows), 8, 2) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def npy(ids, descr="|u1", code="B", width=40):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (descr, len(ids) // width, width)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack("<%d%s" % (len(ids), code), *ids)


def bmp(ids, width=40):
    rows = [bytes(ids[i : i + width]) for i in range(0, len(ids), width)]
    palette = b"".join(bytes((i, i, i, 0)) for i in range(256))
    head = struct.pack("<IiiHHIIiiII", 40, width, len(rows), 1, 8, 0, width * len(rows), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 1078 + width * len(rows), 0, 0, 1078) + head + palette + b"".join(reversed(rows))


def table(ids):
    return "".join(["image,label\n"] + ["%03d.jpg,%d\n" % (i, v) for i, v in enumerate(ids)]).encode()


def coco(ids):
    used = sorted(set(ids))
    return json.dumps({
        "images": [{"id": 1, "width": 90, "height": 90, "file_name": "a.jpg"}],
        "annotations": [{"id": i, "image_id": 1, "category_id": v, "bbox": [1, 2, 30, 40], "area": 1200, "iscrowd": 0} for i, v in enumerate(ids)],
        "categories": [{"id": v, "name": "class %d" % v} for v in used],
    }).encode()


# ---- faults: (classes, options, id -> wrong id, file) ----------------------------------------------------------------


def times(chance):
    classes = chance.randint(3, 20)
    factor = chance.randint(2, 255 // classes)
    return classes, [], lambda v: v * factor if v != 255 else v, grey


def times_in_16_bits(chance):
    return chance.randint(3, 20), [], lambda v: v * 1000, lambda ids: grey(ids, 16)


def levels(chance):
    classes = chance.randint(3, 12)
    return classes, ["none"], lambda v: v * 255 // (classes - 1), grey


def one_based(chance):
    return chance.randint(3, 40), [], lambda v: v + 1 if v != 255 else v, grey


def off_by_one(chance):
    classes = chance.randint(3, 20)
    return classes, [], lambda v: classes if v == classes - 1 and chance.random() < 0.5 else v, grey


def cityscapes(chance):
    del chance
    return 19, [], lambda v: TRAIN[v] if v < 19 else 0, grey


def sparse(chance):
    classes = chance.randint(3, 20)
    ids = sorted(chance.sample(range(250), classes))
    return classes, [], lambda v: ids[v] if v != 255 else v, grey


def gaps(chance):
    return chance.randint(8, 20), ["none"], lambda v: v + 1 if v == 2 else v, grey


def few_bits(chance):
    depth = chance.choice((1, 2, 4))
    return chance.randint(2, min(1 << depth, 9)), ["none"], lambda v: v, lambda ids: grey(ids, depth)


def few_bits_as_seen(chance):
    """The ids of the view are legal: nothing is to be done."""
    del chance
    return 256, ["none"], lambda v: v % 16, lambda ids: grey(ids, 4)


def equal_channels(chance):
    add = chance.randint(0, 1)
    return chance.randint(3, 20), ["none"], lambda v: v + add, lambda ids: rgb(ids, lambda v: (v, v, v))


def one_hot(chance):
    return chance.choice((2, 3, 3, 4)), ["none", "exact 3"], lambda v: v, lambda ids: rgb(ids, lambda v: [255 * (c == v % 3) for c in range(3)])


def wide(chance):
    return chance.randint(3, 20), [], lambda v: v, lambda ids: grey(ids, 16)


def floats(chance):
    add = chance.randint(0, 1)
    return chance.randint(3, 20), ["none"], lambda v: v + add, lambda ids: npy(ids, "<f4", "f")


def int8(chance):
    del chance
    return 200, ["none"], lambda v: v * 50 % 200 - 256 if v * 50 % 200 > 127 else v * 50 % 200, lambda ids: npy(ids, "|i1", "b")


def palettes(chance):
    """Of two kinds of files: ids of 8 and of 16 bits, where void became another number."""
    void = chance.choice((255, 65535))
    return 10, ["-i", str(void)], lambda v: v, lambda ids: grey([65535 if v == 255 else v for v in ids], 16) if chance.random() < 0.5 else grey(ids)


def bitmaps(chance):
    return chance.randint(3, 20), [], lambda v: v + 1 if v != 255 else v, bmp


def lists(chance):
    classes, factor = chance.randint(5, 20), chance.randint(1, 30)
    return classes, ["none"], lambda v: v * factor + (factor == 1), table


def guessed(chance):
    return chance.randint(3, 20), ["none"], lambda v: v + 1, lambda ids: "".join("a%d.jpg;%d;%d\n" % (i, v, v) for i, v in enumerate(ids)).encode()


def objects(chance):
    return chance.randint(3, 20), ["none"], lambda v: v + chance.randint(1, 1), coco


def stray(chance):
    classes = chance.randint(3, 20)
    return classes, [], lambda v: classes + 7 if v == 0 and chance.random() < 0.05 else v, grey


FAULTS = (
    times, times_in_16_bits, levels, one_based, off_by_one, cityscapes, sparse, gaps, few_bits, few_bits_as_seen, equal_channels, one_hot, wide, floats, int8,
    palettes, bitmaps, lists, guessed, objects, stray,
)
NAMES = ("masks", "my masks", "it's", "a$b;c", "masks (1)", "été")


def ending(data):
    return (".png" if data[:4] == b"\x89PNG" else ".npy" if data[1:6] == b"NUMPY" else ".bmp" if data[:2] == b"BM" else ".json" if data[:1] == b"{" else ".csv")


def make(seed, folder):
    """Writes a set. Returns the options, and what its PATHs are."""
    chance = random.Random(seed)
    first = FAULTS[seed % len(FAULTS)]
    hows = [first] + ([chance.choice(FAULTS)] if chance.random() < 0.3 else [])
    classes, options, _, _ = first(chance)
    options = list(options)
    ignored = [] if "none" in options else ["-i", "255"]
    extra = [o for o in options if o not in ("none", "exact 3")]
    count = chance.randint(1, 6)
    for n, how in enumerate(hows):
        _, _, wrong, form = how(chance)
        for i in range(count):
            n_ids = 1600 if how not in (lists, guessed, objects) else 200
            used = list(range(classes)) + ([255] if ignored and chance.random() < 0.5 else [])
            ids, at = [], 0
            while len(ids) < n_ids:
                ids += [used[at % len(used)]] * min(chance.randint(3, 60), n_ids - len(ids))
                at += 1 if chance.random() < 0.8 else 2
            try:
                data = form([wrong(v) for v in ids])
            except (ValueError, IndexError, struct.error):  # the second kind has fewer classes, or bits
                data = grey([v % 256 for v in ids])
            path = os.path.join(folder, "%d-%02d" % (n, i)) + ending(data)
            os.makedirs(folder, exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)
    return first.__name__ + "+".join(h.__name__ for h in hows[1:]), ["-c", str(classes), *(extra or ignored)], chance


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
    page = re.search(r"A corrected copy:</b> <code>(.*?)</code>", texts["html"])
    sarif = [m["message"]["text"] for m in json.loads(texts["sarif"])["runs"][0]["results"]]
    named = {t.split(". A corrected copy: ")[1] for t in sarif if ". A corrected copy: " in t}
    text = re.search(r"^Fix \(([\d,]+) files?( or more)?\): (.*(?: \\\n.*)*)$", texts["text"], re.M)
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
        name, options, _ = make(seed, folder)
        plan, named = compare((seed, name, options), options, [folder], ["--no-config"])
        named_sets += any(named.values())
        mapped += bool(plan["maps"])
        if seed % 3 == 0:
            pasted((seed, name), plan, named)
        shutil.rmtree(folder)
    check(named_sets * 3 >= SETS and mapped * 5 >= SETS, "too few sets are cured:", named_sets, mapped, "of", SETS)


def carried_over():
    """Options that decide what a plan does are in the command, and paths that a shell would take apart are quoted."""
    ids = [i // 90 % 4 for i in range(1600)]
    for folder in ("one two", "-three"):
        os.mkdir(folder)
        for i in range(3):
            with open(os.path.join(folder, "%d.png" % i), "wb") as f:
                f.write(grey([v + 1 if v < 4 else v for v in ids]))
        with open(os.path.join(folder, "x.bmp"), "wb") as f:
            f.write(bmp(ids))
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
    os.mkdir("void")
    for name, depth, void in (("0", 8, 255), ("1", 16, 65535)):
        with open("void/%s.png" % name, "wb") as f:
            f.write(grey([i // 90 % 4 if i % 1600 > 300 else void for i in range(1600)], depth))
    options = ["-c", "4", "-i", "65535"]
    plan, named = compare(("no room",), options, ["void"], ["--no-config"])
    done = run("fix", "--no-config", *options, "void", "-o", "void-out")
    check("masks cannot hold 65535" in done.stderr and done.returncode == 1 and not os.path.exists("void-out"), "no room", done.returncode, done.stderr)
    check(not any(named.values()) and not plan["maps"], "no room, but named", named, plan["maps"])


def too_large():
    """A packed file of more than 8 MiB is refused, with what to do, and no cure of the set is named."""
    os.mkdir("large")
    for n in (100, 2200):
        rows = (b"\0" + bytes(1 + i // 9 % 4 for i in range(4000))) * n
        data = header(4000, n, 8, 0) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
        with open("large/%d.png.gz" % n, "wb") as f:
            f.write(gzip.compress(data, 1))
    plan, named = compare(("too large",), ["-c", "4"], ["large"], ["--no-config"])
    check(not plan["files_changed"] and not any(named.values()), "too large", named)
    check("unpack it first" in plan["refused"][0]["why"], "too large", plan["refused"])
    os.remove("large/2200.png.gz")
    plan, named = compare(("packed",), ["-c", "4"], ["large"], ["--no-config"])
    check(plan["files_changed"] == 1 and all(named.values()), "packed", named)


def every_kind_of_path():
    """The command runs as printed after a folder, a file, an archive, a configuration, a table of colours, a preset, a list, and several PATHs."""
    ids = [i // 90 % 4 for i in range(1600)]
    where = os.path.abspath("kinds")
    one_based = grey([v + 1 for v in ids])
    table = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0)]

    def put(path, data):
        path = os.path.join(where, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())

    for split in ("train", "val"):
        for i in range(3):
            put("masks/%s/%d.png" % (split, i), one_based)
            put("yolo/%s/labels/%d.txt" % (split, i), "".join("%d .5 .5 .1 .1\n" % (1 + (i + k) % 4) for k in range(4)))
            put("yolo/%s/images/%d.jpg" % (split, i), b"\xff\xd8\xff\xe0")
            put("colours/%s-%d.png" % (split, i), rgb(ids, lambda v: table[v]))
    put("yolo/data.yaml", "train: train/images\nval: val/images\nnames: [a, b, c, d]\n")
    for i in range(3):
        put("nn/labelsTr/case_%d.png" % i, one_based)
        put("nn/imagesTr/case_%d_0000.png" % i, grey([v * 37 % 251 for v in ids]))
    put("nn/dataset.json", json.dumps({"labels": {"background": 0, "a": 1, "b": 2, "c": 3}, "numTraining": 3, "file_ending": ".png", "channel_names": {"0": "x"}}))
    put("table.txt", "".join("%d=#%02x%02x%02x%s" % ((i, *c, "," if i < 3 else "")) for i, c in enumerate(table)))
    with tarfile.open(os.path.join(where, "set.tar.gz"), "w:gz") as archive:
        archive.add(os.path.join(where, "masks"), "masks")
    put("list.txt", "masks/train/0.png\nmasks/val/1.png\n")
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
        (".", [*classes, "--files-from", "list.txt"], 2),
        (".", ["-c", "4", "--colors", "0=#000000,1=#800000,2=#008000,3=#808000", "colours"], 6),
        (".", ["--preset", "voc", "colours"], 6),
    ):
        at = os.path.join(where, folder)
        text = subprocess.run([PROGRAM, "--no-config", "-f", "text", *arguments], cwd=at, env=WHERE, capture_output=True, text=True, check=False).stdout
        found = re.search(r"^Fix \(([\d,]+) files?( or more)?\): (.*(?: \\\n.*)*)$", text, re.M)
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
