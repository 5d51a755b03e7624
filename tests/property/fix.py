#!/usr/bin/env -S python3 -SE
"""Corrected copies. Random clean sets are corrupted in every way that `labelaudit fix` cures: the copy has the ids of the clean
set in every pixel, or the set was refused; so does what is declared. Then: killed at random moments, what is left is no result, and
a run begun anew gives the same bytes; so does any number of jobs; --verify sees one changed byte; what may not be written to is refused.

usage: tests/property/fix.py     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 200 kills
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys

from checks import ALL, FOLDER, PROGRAM, check, finish, skip
from corrected import COMMAND, JPEG, MASKS, draw, fix, kill_and_begin_anew, mapped, result_of, samples, tree_of, write_masks
from made import bmp, read, write
from pngs import PALETTE, RGB, chunks, png

SETS, KILLS = (1500, 200) if ALL else (30, 5)


def mixed(chance):
    """Every other file is right as it is: never to be cured by one map."""
    del chance
    return 10, [], None, png


def restored():
    """Every set is restored in every pixel, or refused; enough are restored that the test says something."""
    done, cured = {}, {}
    for seed in range(SETS):
        source, out = os.path.join(FOLDER, "s%d" % seed), os.path.join(FOLDER, "o%d" % seed)
        how = (*MASKS, mixed)[seed % (len(MASKS) + 1)]
        name, chance = how.__name__, random.Random(seed)
        options, clean = write_masks(chance, source, how, None if how is not mixed else lambda i, mask: mask if i % 2 == 0 else mapped(mask, lambda v: v * 20 if v != 255 else v))
        result = fix(*options, source, "-o", out)
        done[name] = done.get(name, 0) + 1
        if not check(result.returncode in (0, 1), seed, name, options, result.stderr):
            continue
        if not os.path.exists(out):
            check(result.returncode == 1, seed, name, "refused with status", result.returncode)
        else:
            equal = all(samples(result_of(out, n))[0] == rows for n, rows in clean.items())
            plan = json.loads(read(os.path.join(out, "receipt.json")))
            untouched = not plan["labels_changed"]
            # in range as it was: nobody can see that it is wrong
            check(equal or untouched, seed, name, options, "ids differ from the clean set's", plan["maps"])
            # files of 0 and 255 alone are right whatever they are multiplied by
            cured[name] = cured.get(name, 0) + (equal and not (name == "mixed" and untouched))
            if name == "palette" and equal and not untouched:
                for n, rows in clean.items():
                    before, after = dict(chunks(result_of(source, n)))[b"PLTE"], samples(result_of(out, n))[1]
                    moved = all(after[3 * v : 3 * v + 3] == before[3 * v + 3 : 3 * v + 6] for row in rows for v in row if v != 255)
                    check(moved, seed, "a colour did not go with its id")
        shutil.rmtree(source)
        shutil.rmtree(out, ignore_errors=True)
    for name in done:  # sparse ids are only cured if each class occurs, and in two files
        if name not in ("mixed", "sparse"):
            check(cured.get(name, 0) * 4 >= done[name], name, "cured %d of %d" % (cured.get(name, 0), done[name]))
    check(sum(cured.values()) * 2 >= SETS, "cured", sum(cured.values()), "of", SETS)
    check(not cured.get("mixed"), "a mixed set was cured")


def ignored_colours():
    """Colours that --ignore names become 255, in RGB and in palettes."""
    table, void = [(0, 0, 0), (200, 10, 10), (10, 200, 10)], (201, 12, 10)
    rows = [[(x // 9 + y // 11) % 4 for x in range(50)] for y in range(50)]
    truth = mapped(rows, lambda v: 255 if v == 3 else v)
    spec = ",".join("%d=#%02x%02x%02x" % ((i,) + c) for i, c in enumerate(table))
    for name, data in (
        ("rgb", png(mapped(rows, lambda v: (table + [void])[v]), RGB)),
        ("palette", png(rows, PALETTE, 8, table + [void])),
        ("few", png(rows, PALETTE, 2, table + [void])),
    ):
        source, out = os.path.join(FOLDER, "void-" + name), os.path.join(FOLDER, "void-%s-fixed" % name)
        write(os.path.join(source, "0.png"), data)
        done = fix("-c", "3", "--colors", spec, "-i", "255", "-i", "#%02x%02x%02x" % void, source, "-o", out)
        check(done.returncode == 0, "an ignored colour", name, done.stderr)
        check(os.path.exists(out) and samples(read(os.path.join(out, "0.png")))[0] == truth, "an ignored colour's id", name)
    done = fix("-c", "3", "--colors", spec, "-i", "#%02x%02x%02x" % void, source, "-o", out + "-none")
    check(done.returncode == 1 and not os.path.exists(out + "-none"), "an ignored colour without an id", done.returncode, done.stderr)
    plan = fix("-f", "text", "-c", "3", "--colors", spec, "-i", "255", "-i", "#%02x%02x%02x" % void, source)
    check("ignored colours become 255: #c90c0a -> 255" in plan.stdout, "the map of an ignored colour", plan.stdout)


# ---- what is declared ------------------------------------------------------------------------------------------------


def declared(name, rows, truth, options, said, encode=png):
    """Masks become the true ones with these options, whose plan says how much it guesses."""
    source, out = os.path.join(FOLDER, name, "0.png"), os.path.join(FOLDER, name + "-fixed")
    write(source, encode(rows))
    plan = fix("-f", "text", *options, os.path.dirname(source))
    check(plan.returncode == 0 and said in plan.stdout, name, "the plan", said, plan.stdout, plan.stderr)
    done = fix(*options, os.path.dirname(source), "-o", out)
    if check(done.returncode == 0 and os.path.exists(out), name, done.stderr):
        have = samples(read(os.path.join(out, "0.png")))[0]
        check(have == truth, name, "differs from the truth")
    check(fix("--verify", out).returncode == 0, name, "verify")


def declarations():
    """Grey masks of two classes by a threshold, whatever JPEG did to them; colours by the nearest of the table; a map."""
    chance = random.Random(6)
    regions = draw(chance, [0, 1, 2, 3], 90, 80, True)
    truth = [[int(v > 1) for v in row] for row in regions]
    noisy = [[min(max(255 * v + chance.randrange(-40, 41), 0), 255) for v in row] for row in truth]
    flat = [v for row in noisy for v in row]
    neither = len(flat) - max(flat.count(v) for v in range(128)) - max(flat.count(v) for v in range(128, 256))
    declared("threshold", noisy, truth, ["-c", "2", "--threshold", "128"], "of neither level: %s pixels" % format(neither, ","))
    declared("threshold-255", noisy, [[255 * v for v in row] for row in truth], ["-c", "0,255", "--threshold", "128"], "all else 255")
    declared("replicated", noisy, truth, ["-c", "2", "--threshold", "128"], "all else 1", lambda rows: png(mapped(rows, lambda v: (v, v, v)), RGB))
    table = [(0, 0, 0), (255, 0, 0), (0, 255, 255), (250, 250, 250)]
    spec = ",".join("%d=#%02x%02x%02x" % ((i,) + c) for i, c in enumerate(table))
    near = lambda c: tuple(min(max(v + chance.randrange(-30, 31), 0), 255) for v in c)
    rows = [[near(table[v]) for v in row] for row in regions]
    guessed = sum(p not in table for row in rows for p in row)
    far = math.sqrt(max(min(sum((a - b) ** 2 for a, b in zip(p, c)) for c in table) for row in rows for p in row))
    declared("nearest", rows, regions, ["-c", "4", "--colors", spec, "--nearest"], "%s pixels; at most %.0f of 442" % (format(guessed, ","), far), lambda r: png(r, RGB))
    declared("map", regions, mapped(regions, lambda v: (0, 2, 2, 1)[v]), ["-c", "3", "--map", "1:2,2:2,3:1"], "as --map says")
    for options, word in (
        (["-c", "3", "--map", "3:1"], "name 1, too"),
        (["-c", "3", "--map", "1:2"], "neither a class nor ignored (3 stays)"),
        (["-c", "4", "--map", "1:7"], "makes 7 of 1"),
        (["-c", "4", "--threshold", "2"], "declare two"),
        (["-c", "4", "--nearest"], "name one with --colors"),
    ):
        done = fix(*options, os.path.join(FOLDER, "map"), "-o", os.path.join(FOLDER, "undeclared"), said=True)
        check(done.returncode in (1, 2) and word in done.stderr and not os.path.exists(os.path.join(FOLDER, "undeclared")), options, done.stderr)


# ---- interpolated masks ----------------------------------------------------------------------------------------------


def doubled(mask):
    """A mask resized by two: each pixel is the mean of the four around it, by their distance."""
    rows = [[(3 * row[x // 2] + row[min(max(x // 2 + (1 if x % 2 else -1), 0), len(row) - 1)]) for x in range(2 * len(row))] for row in mask]
    return [[(3 * a + b + 8) // 16 for a, b in zip(rows[y // 2], rows[min(max(y // 2 + (1 if y % 2 else -1), 0), len(rows) - 1)])] for y in range(2 * len(rows))]


def ringing():
    """Interpolated masks whose ids run from 1 to the number of classes, since a kernel overshot: these are no one-based ids."""
    chance = random.Random(4)
    source, out = os.path.join(FOLDER, "ringing"), os.path.join(FOLDER, "rung")
    for i in range(3):
        mask = doubled(draw(chance, list(range(1, 21)), 60, 50, True))
        rows = [[21 if v == 20 and row[max(x - 1, 0)] < 20 else v for x, v in enumerate(row)] for row in mask]
        write(os.path.join(source, "%d.png" % i), png(rows))
    done = fix("-c", "21", "-i", "255", source, "-o", out, said=True)
    check(done.returncode == 1 and "no proof of a map" in done.stderr and not os.path.exists(out), "ringing taken for ids", done.stderr)


# ---- the copy --------------------------------------------------------------------------------------------------------


def big_set():
    """A set with subfolders, other files, a link, modes and times."""
    source = os.path.join(FOLDER, "set")
    chance = random.Random(7)
    for i in range(120):
        mask = draw(chance, list(range(1, 22)) + [255], 90, 80, not i)
        write(os.path.join(source, "masks", "%d" % (i % 4), "%03d.png" % i), png(mask))
    write(os.path.join(source, "README.txt"), b"notes\n")
    write(os.path.join(source, "large.bin"), os.urandom(9 << 20))
    os.symlink("README.txt", os.path.join(source, "link"))
    os.chmod(os.path.join(source, "README.txt"), 0o640)
    os.chmod(os.path.join(source, "masks", "1"), 0o750)
    os.utime(os.path.join(source, "masks", "0", "000.png"), (1000000000, 1100000000))
    os.utime(os.path.join(source, "masks"), (1000000000, 1200000000))
    return source, ["-c", "21", "-i", "255", source]


def copies():
    source, args = big_set()
    before = tree_of(source)
    trees = []
    for jobs in (1, 3, 16):
        out = os.path.join(FOLDER, "j%d" % jobs)
        check(fix(*args, "-o", out, "-j", str(jobs)).returncode == 0, "jobs", jobs)
        trees.append(tree_of(out))
    check(trees[0] == trees[1] == trees[2], "jobs differ")
    check(tree_of(source) == before, "the set was changed")
    names = {n: v[1:] for n, v in trees[0].items() if n != "receipt.json"}
    check(names == {n: v[1:] for n, v in before.items()}, "names, modes or times differ")
    check(trees[0]["README.txt"] == before["README.txt"] and trees[0]["large.bin"] == before["large.bin"], "copies differ")
    out = os.path.join(FOLDER, "j1")
    done = fix(*args, "-o", out)
    check(done.returncode == 2 and "is not empty" in done.stderr and tree_of(out) == trees[0], "a second run", done.stderr)
    again = fix("-c", "21", "-i", "255", out, "-o", os.path.join(FOLDER, "again"))
    check(again.returncode in (1, 2) or tree_of(os.path.join(FOLDER, "again")), "a result fixed again", again.stderr)
    check(fix("--verify", out).returncode == 0, "verify")
    victim = os.path.join(out, "masks", "2", "002.png")
    data = bytearray(read(victim))
    data[len(data) // 2] ^= 1
    write(victim, data)
    done = fix("--verify", out)
    check(done.returncode == 1 and "masks/2/002.png" in done.stdout, "verify missed a byte", done.stdout)
    data[len(data) // 2] ^= 1
    write(victim, data)
    os.remove(os.path.join(out, "link"))
    os.symlink("large.bin", os.path.join(out, "link"))
    done = fix("--verify", out)
    check(done.returncode == 1 and "link: leads elsewhere" in done.stdout, "verify missed a link", done.stdout)
    os.remove(os.path.join(out, "README.txt"))
    write(os.path.join(out, "new.txt"), b"")
    done = fix("--verify", out)
    check("README.txt: is missing" in done.stdout and "new.txt: is not in the receipt" in done.stdout, done.stdout)
    return source, args, trees[0]


def receipts():
    """One changed bit anywhere in a receipt is seen; and a receipt that names images describes none."""
    source, out = os.path.join(FOLDER, "sealed"), os.path.join(FOLDER, "sealed-fixed")
    write(os.path.join(source, "masks", "0.png"), png([[1 + (x + y) // 3 % 4 for x in range(12)] for y in range(12)]))
    os.symlink("masks", os.path.join(source, "link"))
    check(fix("-c", "4", source, "-o", out).returncode == 0, "a set to be sealed")
    path = os.path.join(out, "receipt.json")
    whole, chance = read(path), random.Random(5)
    places = range(len(whole)) if SETS > 1000 else sorted(chance.sample(range(len(whole)), 60)) + [len(whole) - 70, len(whole) - 1]
    for i in places:
        write(path, whole[:i] + bytes([whole[i] ^ 1 << chance.randrange(8)]) + whole[i + 1 :])
        done = fix("--verify", out)
        check(done.returncode in (1, 2), "verify missed byte", i, "of the receipt")
    write(path, whole[:-1])
    check(fix("--verify", out).returncode in (1, 2), "verify missed the end of the receipt")
    write(path, whole)
    check(fix("--verify", out).returncode == 0, "verify of what was put back")
    source, out = os.path.join(FOLDER, "described"), os.path.join(FOLDER, "described-fixed")
    for i in range(3):
        write(os.path.join(source, "masks", "%d.bmp" % i), bmp([[2] * 10] * 10))
        write(os.path.join(source, "images", "%d.jpg" % i), JPEG)
    check(fix("-c", "4", source, "-o", out).returncode == 0, "nothing to fix")
    reports = []
    for folder in (source, out):
        done = subprocess.run([PROGRAM, "-q", "-f", "concise", "--no-config", "-c", "4", folder], capture_output=True, text=True, check=False)
        reports.append((done.returncode, done.stderr, [line for line in done.stdout.splitlines() if "receipt" not in line][:-1]))
    check(reports[0][0] == reports[1][0] == 0, "a receipt beside images changes an audit", *reports)


def refused(source, args):
    def no(word, *more):
        done = fix(*more)
        check(done.returncode == 2 and word in done.stderr, more, "expected", word, "but", done.returncode, done.stderr)

    link, full = os.path.join(FOLDER, "to"), os.path.join(FOLDER, "full")
    os.makedirs(os.path.join(FOLDER, "elsewhere"))
    os.symlink(os.path.join(FOLDER, "elsewhere"), link)
    write(os.path.join(full, "x"), b"")
    before = tree_of(source)
    no("symbolic link", *args, "-o", link)
    no("not empty", *args, "-o", full)
    no("is no folder", *args, "-o", os.path.join(full, "x"))
    no("lies in", *args, "-o", os.path.join(source, "out"))
    no("lies in", *args, "-o", FOLDER)
    no("cannot", *args, "-o", os.path.join(FOLDER, "no/such/folder"))
    no("would both become", *args[:-1], os.path.join(source, "masks", "0"), os.path.join(source, "masks", ".", "0"), "-o", os.path.join(FOLDER, "two"))
    named = os.path.join(FOLDER, "named")
    shutil.copytree(os.path.join(source, "masks"), named)
    write(os.path.join(named, "receipt.json"), b"{}")
    no("a file of its own", "-c", "21", "-i", "255", named, "-o", os.path.join(FOLDER, "two"))
    no("no PATH", *args, "--verify", full)
    no("receipt.json", "--verify", full)
    check(tree_of(source) == before, "a refusal changed the set")
    check(not os.listdir(os.path.join(FOLDER, "elsewhere")), "written through a link")
    check(not os.path.exists(os.path.join(FOLDER, "two")), "a refusal left a folder")
    if os.geteuid() == 0:
        skip("a read-only target", "root may write everywhere")
    else:
        os.makedirs(os.path.join(FOLDER, "closed"), 0o500)
        no("cannot", *args, "-o", os.path.join(FOLDER, "closed", "out"))
    # a disk that is full, as far as a limit on the size of files is one; 
    small = os.path.join(FOLDER, "small")
    done = subprocess.run(["bash", "-c", 'ulimit -f 1024; exec "$@"', "-", PROGRAM, "fix", "-q", "-f", "none", *args, "-o", small], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "large.bin" in done.stderr, "a full disk", done.returncode, done.stderr)
    check(not [n for n in tree_of(small) if n.endswith(".tmp")], "a full disk left a temporary file")
    check(fix("--verify", small).returncode == 2, "what a full disk left has a receipt")


def linked_folder():
    """With --follow, files below a link to a folder are copied like others; without it, or in a circle, it stays a link."""
    source, other, rows = os.path.join(FOLDER, "linking"), os.path.join(FOLDER, "beyond"), [[1 + (x + y) // 3 % 4 for x in range(12)] for y in range(12)]
    for i in range(3):
        write(os.path.join(source, "%d.png" % i), png(rows))
        write(os.path.join(other, "%d.png" % (3 + i)), png(rows))
    os.symlink("../beyond", os.path.join(source, "more"))
    write(os.path.join(FOLDER, "apart", "photo.jpg"), JPEG)
    os.symlink("../apart/photo.jpg", os.path.join(source, "photo.jpg"))
    os.symlink(".", os.path.join(source, "circle"))
    before = tree_of(other)
    for option, names in ((), ("more", "circle", "photo.jpg")), (("--follow",), ("circle",)):
        out = os.path.join(FOLDER, "linking-fixed" + "".join(option))
        done = fix("-c", "4", *option, source, "-o", out)
        check(done.returncode == 0, option, done.stderr)
        check(sorted(n for n in os.listdir(out) if os.path.islink(os.path.join(out, n))) == sorted(names), option, "other links")
        check(fix("--verify", out).returncode == 0, option, "verify")
        for i in range(6 if option else 3):
            copy = os.path.join(out, "%d.png" % i if i < 3 else "more/%d.png" % i)
            check(samples(read(copy))[0] == mapped(rows, lambda v: v - 1), option, copy)
    done = fix("-c", "4", "--follow", source, "-o", os.path.join(other, "out"))
    check(done.returncode == 2 and "lies in" in done.stderr, "written into what is linked", done.stderr)
    check(tree_of(other) == before, "what is linked changed")


def full_disk(args):
    """A disk that is full from the start, and one that is full in the end."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        skip("a full disk", "no user namespaces")
        return
    disk = os.path.join(FOLDER, "disk")
    os.makedirs(disk)
    for size in ("4k", "64k", "9M"):
        script = 'mount -t tmpfs -o size=%s tmpfs "$0" || exit 77; "$@"; status=$?; find "$0" -name "*.tmp" -o -name "*.tmp-*"; exit $status' % size
        done = subprocess.run(["unshare", "-rm", "bash", "-c", script, disk, PROGRAM, "fix", "-q", "-f", "none", *args, "-o", os.path.join(disk, "out")], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            skip("a full disk", "no tmpfs")
            return
        check(done.returncode == 2 and ("No space left" in done.stderr or " left\n" in done.stderr), "a disk of", size, done.returncode, done.stderr)
        check(not done.stdout, "a full disk left a temporary file", done.stdout)
    if os.environ.get("PLATFORM") != "posix":  # which does not say how much room there is
        room(disk)


ROOM = """
mount -t tmpfs -o size=8M,nr_inodes=100 tmpfs "$0" || exit 77
cp -r "$1" "$0/set"; shift
try() { "$@" 2>"$0.err"; echo "$? $(ls -A "$0" | tr '\n' ' ')$(cat "$0.err")"; }
try "$@" "$0/set" -o "$0/out"
mount -o remount,size=16M,nr_inodes=16 "$0"; try "$@" "$0/set" -o "$0/out"
mount -o remount,nr_inodes=100 "$0"; try "$@" "$0/set" -o "$0/out"
"$1" fix --verify "$0/out"
"""


def room(disk):
    """What cannot have room is refused before the first byte."""
    source, chance = os.path.join(FOLDER, "roomy"), random.Random(3)
    noise = [[1 + chance.randrange(4) for _ in range(300)] for _ in range(300)]
    for i in range(4):
        write(os.path.join(source, "%d.png" % i), png(noise))
        write(os.path.join(source, "images", "%d.jpg" % i), JPEG + chance.randbytes(1300000))
    command = [PROGRAM, "fix", "-q", "-f", "none", "--no-config", "-c", "4"]
    done = subprocess.run(["unshare", "-rm", "bash", "-c", ROOM, disk, source, *command], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if not check(len(lines) == 4, "room", done.stdout, done.stderr):
        return
    check(lines[0].startswith("2 set labelaudit: error: --output") and "bytes or more" in lines[0], "a disk without room", lines[0])
    check(lines[1].startswith("2 set labelaudit") and "files and folders" in lines[1], "a disk without room for names", lines[1])
    check(lines[2] == "0 out set " and lines[3].startswith("PASS"), "when there is room", lines[2:], done.stderr)


# A process has at least the peak of the one that starts it; this one is small.
PEAK = "import os, sys; _, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0); print(status, used.ru_maxrss)"


def peak(*args):
    """The bytes that the program takes."""
    command = [PROGRAM, *args, "-q", "-f", "none", "--no-config", "-c", "4", "-j", "1"]
    done = subprocess.run([sys.executable, "-S", "-E", "-c", PEAK, *command], capture_output=True, text=True, check=True)
    status, size = map(int, done.stdout.split())
    check(os.waitstatus_to_exitcode(status) == (args[0] != "fix"), "a set of many files", args, done.stderr)
    return size * 1024


def bytes_of_a_file(few, many):
    """What each file of a set takes in fix more than in an audit."""
    more = []
    for count in (few, many):
        source, out = os.path.join(FOLDER, "many"), os.path.join(FOLDER, "many-fixed")
        for i in range(count):
            folder = os.path.join(source, "part%03d" % (i // 1000))
            path = os.path.join(folder, "mask_%06d.png" % i)
            if i % 1000:  # a file of its own in each folder: file systems allow 65,000 links to one, or fewer
                os.link(os.path.join(folder, "mask_%06d.png" % (i // 1000 * 1000)), path)
            else:
                write(path, png([[1 + (x + y) // 6 % 4 for x in range(12)] for y in range(12)]))
        more.append(peak("fix", source, "-o", out) - peak("audit", source))
        shutil.rmtree(source)
        shutil.rmtree(out)
    return (more[1] - more[0]) / (many - few)


def memory():
    """a file takes some 500 bytes more than in an audit. On a busy machine storage is late at times, and its threads have memory of their own."""
    few, many, most = (1000, 100000, 700) if SETS > 1000 else (1500, 7000, 1100)
    each = bytes_of_a_file(few, many)
    for _ in range(2):
        if each >= most:
            each = min(each, bytes_of_a_file(few, many))
    check(each < most, "a file takes", each, "bytes of memory")


restored()
ignored_colours()
declarations()
ringing()
SOURCE, ARGS, WHOLE = copies()
receipts()
kill_and_begin_anew(COMMAND, ARGS, os.path.join(FOLDER, "killed"), WHOLE, KILLS)
refused(SOURCE, ARGS)
linked_folder()
full_disk(ARGS)
memory()
finish()
