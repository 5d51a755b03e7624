#!/usr/bin/env -S python3 -SE
"""Archives as input of `labelaudit fix`: random sets, packed in each container that the audit reads, come out as files below the
archive's name, masks with the right ids and every other member as it was. Then: any number of jobs, kills, --verify, refusals.

usage: tests/property/fix_archives.py     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 200 kills
"""
import io
import os
import random
import shutil
import subprocess
import tarfile
import warnings
import zipfile

from checks import ALL, FOLDER, check, finish, skip
from corrected import COMMAND, fix, kill_and_begin_anew, samples, tree_of
from made import npy, read, tar as tar_of, write, zip_of
from pngs import png

warnings.simplefilter("ignore")  # zipfile's, about two members of one name
SETS, KILLS = (40, 200) if ALL else (1, 4)
CLASSES = 6
ARGS = ["-c", str(CLASSES), "-i", "255"]
TAR_FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


# ---- sets ------------------------------------------------------------------------------------------------------------


def mask(chance, width=40, height=30):
    """Bands of all classes, with a few ignored pixels."""
    rows = [[(x // 5 + y // 5) % CLASSES for x in range(width)] for y in range(height)]
    for _ in range(3):
        rows[chance.randrange(height)][chance.randrange(width)] = 255
    turned = chance.randrange(CLASSES)
    return [[v if v == 255 else (v + turned) % CLASSES for v in row] for row in rows]


def raised(rows):
    return [[v if v == 255 else v + 1 for v in row] for row in rows]


def long_name(chance):
    return "".join(chance.choice("abcdefgh") for _ in range(90)) + "/" + "".join(chance.choice("ijklmnop") for _ in range(130))


def members(chance, count):
    """[(name, bytes, clean rows or None)]: masks in several folders, one with a long name, and other files."""
    out = []
    for i in range(count):
        rows = mask(chance, chance.randint(30, 60), chance.randint(30, 60))
        folder = chance.choice(("masks/", "masks/b/", "masks/%s/" % long_name(chance) if i == 1 else "masks/c/"))
        out.append(("%s%03d.png" % (folder, i), png(raised(rows)), rows))
        if chance.random() < 0.3:
            out.append(("masks/note-%03d.bin" % i, chance.randbytes(chance.randint(0, 3000)), None))
    return out


# ---- containers ------------------------------------------------------------------------------------------------------


def tar(path, files, chance, how=""):
    """how: tarfile's, after the colon."""
    form = chance.choice(TAR_FORMATS)
    with tarfile.open(path, "w:" + how, format=form) as archive:
        folder = tarfile.TarInfo("masks")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o750
        archive.addfile(folder)
        for name, data, _ in files:
            info = tarfile.TarInfo(name if form != tarfile.USTAR_FORMAT or len(name) < 150 else "masks/short.png")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def tar_zst(path, files, chance):
    tar(path + ".tmp", files, chance)
    subprocess.run(["zstd", "-q", "--rm", path + ".tmp", "-o", path], check=True)


class Pipe(io.RawIOBase):
    """A file that cannot seek, so that zipfile writes data descriptors."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def zip_(path, files, chance, how="deflated"):
    method = zipfile.ZIP_STORED if how == "stored" else zipfile.ZIP_DEFLATED
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file) if how == "piped" else file, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("masks/", (2001, 2, 3, 4, 5, 6)), b"")
        for name, data, _ in files:
            archive.writestr(name, data)


# The name of each says what folder it becomes.
KINDS = {
    "plain.tar": tar,
    "a-tar.zip": tar,  # its first bytes decide, as in the audit
    "a.tar.gz": lambda p, f, c: tar(p, f, c, "gz"),
    "b.tgz": lambda p, f, c: tar(p, f, c, "gz"),
    "c.tar.bz2": lambda p, f, c: tar(p, f, c, "bz2"),
    "d.tar.xz": lambda p, f, c: tar(p, f, c, "xz"),
    "e.tar.zst": tar_zst,
    "stored.zip": lambda p, f, c: zip_(p, f, c, "stored"),
    "deflated.zip": zip_,
    "piped.zip": lambda p, f, c: zip_(p, f, c, "piped"),
}
if not shutil.which("zstd"):
    skip("tar.zst", "no zstd")
    del KINDS["e.tar.zst"]


def path_of(*names):
    path = os.path.join(FOLDER, *names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def compare(out, files, *what):
    """Checks that the folder has these members, masks with their clean ids."""
    have = sorted(os.path.relpath(os.path.join(at, n), out) for at, _, names in os.walk(out) for n in names)
    names = [n if os.path.exists(os.path.join(out, n)) else "masks/short.png" for n, _, _ in files]
    check(have == sorted(names), *what, "other members")
    for name, (_, data, rows) in zip(names, files):
        now = read(os.path.join(out, name))
        check(samples(now)[0] == rows if rows else now == data, *what, name, "differs")


def restored(seed):
    chance = random.Random(seed)
    for kind, pack in KINDS.items():
        name = "%d-%s" % (seed, kind)
        source, out = path_of("in", name), path_of("out", name)
        files = members(chance, chance.choice((3, 12, 90 if seed % 4 == 0 and kind in ("plain.tar", "deflated.zip") else 5)))
        pack(source, files, chance)
        done = fix(*ARGS, source, "-o", out, "-j", str(chance.randint(1, 4)))
        if not check(done.returncode == 0, name, done.returncode, done.stderr):
            continue
        compare(os.path.join(out, name.split(".")[0]), files, name)
        check(fix("--verify", out).returncode == 0, name, "verify")


def mixed_set():
    """Masks loose and in archives."""
    chance = random.Random(3)
    source = path_of("set", "x")[:-2]
    for i, kind in enumerate(("plain.tar", "deflated.zip", "a.tar.gz")):
        os.makedirs(os.path.join(source, "shards"), exist_ok=True)
        KINDS[kind](os.path.join(source, "shards", kind), members(chance, 40 + i), chance)
    os.makedirs(os.path.join(source, "masks"))
    write(os.path.join(source, "masks", "loose.png"), png(raised(mask(chance))))
    write(os.path.join(source, "README"), b"notes\n")
    with tarfile.open(os.path.join(source, "other.tar"), "w") as archive:  # without labels: copied
        archive.add(os.path.join(source, "README"), "README")
    return source


def whole_set():
    source = mixed_set()
    trees = []
    for jobs in (1, 3, 16):
        out = path_of("j%d" % jobs)
        done = fix(*ARGS, source, "-o", out, "-j", str(jobs))
        check(done.returncode == 0, "a set of archives", done.returncode, done.stderr)
        trees.append(tree_of(out, False))
    check(trees[0] == trees[1] == trees[2], "jobs differ")
    check(trees[0]["other.tar"] == tree_of(source, False)["other.tar"], "an archive without labels changed")
    check(samples(read(path_of("j1", "masks", "loose.png")))[0][0][0] < CLASSES, "a loose mask beside archives")
    victim = next(n for n in sorted(trees[0]) if n.startswith("shards/plain/") and n.endswith(".png"))
    data = bytearray(read(path_of("j1", victim)))
    data[40] ^= 1
    write(path_of("j1", victim), data)
    done = fix("--verify", path_of("j1"))
    check(done.returncode == 1 and victim + ": differs" in done.stdout and done.stdout.count("differs") == 1, "verify", done.stdout)
    # a folder that has the name of an archive's
    os.makedirs(os.path.join(source, "shards", "plain"))
    done = fix(*ARGS, source, "-o", path_of("taken"))
    check(done.returncode == 2 and "would both become shards/plain" in done.stderr, "a folder of an archive's name", done.stderr)
    os.rmdir(os.path.join(source, "shards", "plain"))
    return [*ARGS, source], trees[1]


# ---- other labels than masks -----------------------------------------------------------------------------------------


def labels():
    """Arrays and a mask in an .npz; a shard of WebDataset; a list that is too large to be corrected in its archive."""
    ids = [i % CLASSES + 1 for i in range(600)]
    source = path_of("mixed", "set.npz")
    rows = [[i % CLASSES + 1 for i in range(30)] for _ in range(20)]
    write(source, zip_of({"train.npy": npy([ids]), "mask.png": png(rows)}))
    done = fix(*ARGS, source, "-o", path_of("mixed-out"))
    if check(done.returncode == 0, "an .npz", done.stderr):
        check(read(path_of("mixed-out", "set", "train.npy")) == npy([[i - 1 for i in ids]]), "an array in an .npz")
        check(samples(read(path_of("mixed-out", "set", "mask.png")))[0] == [[v - 1 for v in row] for row in rows], "a mask in an .npz")
    source = path_of("web", "000.tar")
    write(source, tar_of(pair for i in range(30) for pair in (("%03d.cls" % i, b"%d" % (i % CLASSES + 1)), ("%03d.jpg" % i, b"\xff\xd8\xff\xe0" + bytes(30)))))
    done = fix(*ARGS, source, "-o", path_of("web-out"))
    if check(done.returncode == 0, "a shard", done.stderr):
        check(all(read(path_of("web-out", "000", "%03d.cls" % i)) == b"%d" % (i % CLASSES) for i in range(30)), "a shard")
    rows = "name,label\n" + "".join("%099d,%d\n" % (i, i % CLASSES + 1) for i in range(90000))
    source = path_of("lists", "large.tar")
    tar(source, [("list.csv", rows.encode(), None)], random.Random(1))
    done = fix(*ARGS, source, "-o", path_of("lists-out"), said=True)
    check(done.returncode == 1 and "large member" in done.stderr and not os.path.exists(path_of("lists-out")), "a large list", done.stderr)


# ---- refusals --------------------------------------------------------------------------------------------------------


def refused():
    chance = random.Random(21)
    files = members(chance, 8)
    good = path_of("odd", "good.zip")
    KINDS["deflated.zip"](good, files, chance)

    def no(word, path, status=1):
        out = path_of("odd-out")
        done = fix(*ARGS, path, "-o", out, said=True)
        check(done.returncode == status and word in done.stderr and not os.path.exists(out), path, "expected", word, "but", done.returncode, done.stderr)
        shutil.rmtree(out, ignore_errors=True)

    def odd_tar(name, *more):
        """The members, and more of them."""
        with tarfile.open(path_of("odd", name), "w") as archive:
            for member, data, _ in files:
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
            for info, data in more:
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path_of("odd", name)

    twice = path_of("odd", "twice.zip")
    shutil.copy(good, twice)
    with zipfile.ZipFile(twice, "a") as archive:
        archive.writestr(files[0][0], files[0][1])
    no("whose name another one", twice)
    no("whose name another one", odd_tar("twice.tar", (tarfile.TarInfo(files[0][0]), files[0][1])))
    done = fix(*ARGS, odd_tar("same.tar", (tarfile.TarInfo("./" + files[0][0]), files[0][1])), "-o", path_of("same-out"))
    check(done.returncode == 2 and "another file has its name" in done.stderr, "two names of one place", done.returncode, done.stderr)
    check(not os.path.exists(path_of("same-out", "receipt.json")), "two names of one place, but a receipt")
    link = tarfile.TarInfo("masks/link")
    link.type, link.linkname = tarfile.SYMTYPE, "000.png"
    no("links, devices or names", odd_tar("link.tar", (link, b"")))
    for start in ("../", "/tmp/", "a/../../"):
        unsafe = path_of("odd", "unsafe.tar")
        tar(unsafe, [(start + n, data, rows) for n, data, rows in files if rows], random.Random(2))
        no("unpack it first", unsafe)
    for name in ("../out.png", "/tmp/out.png"):
        no("unpack it first", odd_tar("unsafe.tar", (tarfile.TarInfo(name), files[0][1])))
    no("links, devices or names", odd_tar("unsafe.tar", (tarfile.TarInfo("../notes.bin"), b"notes")))
    write(path_of("odd", "after.zip"), b"#!/bin/sh\n" + read(good))
    no("readers may take for another", path_of("odd", "after.zip"))
    write(path_of("odd", "cut.zip"), read(good)[:-40])
    no("could not be read", path_of("odd", "cut.zip"))
    # a mask that cannot be read cannot be unpacked either
    data = bytearray(read(good))
    with zipfile.ZipFile(good) as archive:
        info = archive.getinfo([n for n, _, rows in files if rows][3])
    data[info.header_offset + 6] |= 1
    data[data.index(info.filename.encode(), data.index(b"PK\1\2")) - 38] |= 1
    write(path_of("odd", "locked.zip"), data)
    no("could not be read whole", path_of("odd", "locked.zip"))


for n in range(SETS):
    restored(n)
arguments, result = whole_set()
kill_and_begin_anew(COMMAND, arguments, path_of("killed"), result, KILLS, False)
labels()
refused()
finish()
