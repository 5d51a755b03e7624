"""Archives of wrong ids, and what `labelaudit fix` makes of them; see fix_archives.sh."""
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import warnings
import zipfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import check, finish, skip  # noqa: E402
from corrected import kill_and_go_on, tree_of  # noqa: E402
from pngs import chunk, chunks, header, idat  # noqa: E402

warnings.simplefilter("ignore")  # zipfile's, about two members of one name
PROGRAM, FOLDER = sys.argv[1:3]
SETS, KILLS = int(sys.argv[3]), int(sys.argv[4])
COMMAND = [PROGRAM, "fix", "-q", "-f", "none", "--no-config"]
CLASSES = 6
ARGS = ["-c", str(CLASSES), "-i", "255"]
TAR_FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


# ---- sets ------------------------------------------------------------------------------------------------------------


def png(rows):
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    return header(len(rows[0]), len(rows), 8, 0) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def ids_of(data):
    width, height = struct.unpack(">II", dict(chunks(data))[b"IHDR"][:8])
    raw = zlib.decompress(idat(data))
    return [list(raw[y * (width + 1) + 1 : (y + 1) * (width + 1)]) for y in range(height)]


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


def tar(path, files, chance, how=None):
    """how: tarfile's, after the colon."""
    form = chance.choice(TAR_FORMATS) if how != "sized" else tarfile.PAX_FORMAT
    with tarfile.open(path, "w:" + (how if how in ("gz", "bz2", "xz") else ""), format=form) as archive:
        folder = tarfile.TarInfo("masks")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o750
        archive.addfile(folder)
        for name, data, _ in files:
            if form == tarfile.USTAR_FORMAT and len(name) > 150:
                continue
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), chance.choice((0o644, 0o600)), chance.randint(1, 1 << 31)
            info.uid, info.gid, info.uname, info.gname = 1000, 100, "ann", "lab"
            if form == tarfile.PAX_FORMAT:
                info.mtime += 0.25
                info.pax_headers = {"comment": "x" * chance.randint(1, 120)}
                if how == "sized":
                    info.pax_headers["size"] = str(len(data))
            archive.addfile(info, io.BytesIO(data))
        for type_, name in ((tarfile.SYMTYPE, "masks/symbolic"), (tarfile.LNKTYPE, "masks/hard")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = type_, files[0][0] if len(files[0][0]) < 90 else "masks"
            archive.addfile(info)
    return form


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
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file) if how in ("piped", "piped64") else file, "w", method) as archive:
        archive.comment = b"a comment"
        archive.writestr(zipfile.ZipInfo("masks/", (2001, 2, 3, 4, 5, 6)), b"")
        for name, data, _ in files:
            info = zipfile.ZipInfo(name, (chance.randint(1980, 2100), 5, 6, 7, 8, 10))
            info.compress_type, info.external_attr, info.create_system = method, 0o100640 << 16, 3
            info.comment, info.extra = b"of " + name.encode()[:9], struct.pack("<HHI", 0x7777, 4, chance.getrandbits(32))
            with archive.open(info, "w", force_zip64=how in ("wide", "piped64")) as member:
                member.write(data)
        link = zipfile.ZipInfo("masks/symbolic", (1999, 1, 1, 0, 0, 0))
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, b"nowhere")


KINDS = {
    "plain.tar": lambda p, f, c: tar(p, f, c),
    "sized.tar": lambda p, f, c: tar(p, f, c, "sized"),
    "a-tar.zip": lambda p, f, c: tar(p, f, c),  # its first bytes decide, as in the audit
    "a.tar.gz": lambda p, f, c: tar(p, f, c, "gz"),
    "a.tar.bz2": lambda p, f, c: tar(p, f, c, "bz2"),
    "a.tar.xz": lambda p, f, c: tar(p, f, c, "xz"),
    "a.tar.zst": tar_zst,
    "stored.zip": lambda p, f, c: zip_(p, f, c, "stored"),
    "deflated.zip": zip_,
    "piped.zip": lambda p, f, c: zip_(p, f, c, "piped"),
    "wide.zip": lambda p, f, c: zip_(p, f, c, "wide"),
    "piped64.zip": lambda p, f, c: zip_(p, f, c, "piped64"),
}
if not shutil.which("zstd"):
    skip("tar.zst", "no zstd")
    del KINDS["a.tar.zst"]


def contents(path):
    """[(name, bytes, all else that is known of it)] in the archive's order, and what is known of the archive."""
    if path.endswith((".zip", ".npz")) and not path.endswith("a-tar.zip"):
        with zipfile.ZipFile(path) as archive:
            check(archive.testzip() is None, path, "a CRC is wrong")
            return [
                (i.filename, archive.read(i), (i.date_time, i.compress_type, i.comment, i.create_system, i.create_version, i.external_attr, i.internal_attr, i.flag_bits, plain_extra(i.extra)))
                for i in archive.infolist()
            ], archive.comment
    if path.endswith(".zst"):
        opened = tarfile.open(fileobj=io.BytesIO(subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout))
    else:
        opened = tarfile.open(path)
    with opened as archive:
        out = []
        for i in archive:
            more = {k: v for k, v in i.pax_headers.items() if k != "size"}
            file = archive.extractfile(i) if i.isreg() else None
            out.append((i.name, file.read() if file else b"", (i.mode, i.mtime, i.uid, i.gid, i.uname, i.gname, i.type, i.linkname, more)))
        return out, archive.format


def plain_extra(extra):
    """The extra fields but for zip64's, which zipfile drops from some."""
    out, at = b"", 0
    while at + 4 <= len(extra):
        number, n = struct.unpack_from("<HH", extra, at)
        out += extra[at : at + 4 + n] if number != 1 else b""
        at += 4 + n
    return out


def fix(*args, **more):
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, check=False, **more)


def path_of(*names):
    path = os.path.join(FOLDER, *names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def compare(before, after, clean, *what):
    """Checks that the archive `after` is `before` with the clean ids."""
    (old, old_known), (new, new_known) = contents(before), contents(after)
    check(old_known == new_known and [m[0] for m in old] == [m[0] for m in new], *what, "names, their order or the comment differ")
    for (name, data, known), (_, now, known_now) in zip(old, new):
        check(known == known_now, *what, name, "has", known_now, "instead of", known)
        if name in clean:
            check(now != data and ids_of(now) == clean[name], *what, name, "has other ids than the clean mask")
        else:
            check(now == data, *what, name, "changed")


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
        compare(source, os.path.join(out, name), {n: rows for n, _, rows in files if rows}, name)
        if kind.endswith(".tar"):
            check(os.path.getsize(os.path.join(out, name)) % 10240 == 0, name, "is not filled up to a record")
        check(fix("--verify", out).returncode == 0, name, "verify")
        check(fix(*ARGS, source, "-o", out).returncode == 0, name, "a second run")


# ---- a set of several archives and files -----------------------------------------------------------------------------


def large_list(chance):
    """More than fits into memory at once: two columns, the ids one-based."""
    rows = ["%099d,%d\n" % (i, chance.randrange(CLASSES) + 1) for i in range(90000)]
    return "name,label\n" + "".join(rows)


def mixed_set():
    """Masks loose and in archives. Returns (folder, {path: what it holds})."""
    chance = random.Random(3)
    source = path_of("set", "x")[:-2]
    for i, kind in enumerate(("plain.tar", "deflated.zip", "a.tar.gz")):
        os.makedirs(os.path.join(source, "shards"), exist_ok=True)
        KINDS[kind](os.path.join(source, "shards", kind), members(chance, 40 + i), chance)
    write(os.path.join(source, "loose.png"), png(raised(mask(chance))))
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
        check(done.returncode == 0, "a set of archives", done.stderr)
        trees.append(tree_of(out))
    check(trees[0] == trees[1] == trees[2], "jobs differ")
    check(trees[0]["other.tar"] == tree_of(source)["other.tar"], "an archive without labels changed")
    check(ids_of(read(path_of("j1", "loose.png")))[0][0] < CLASSES, "a loose mask beside archives")
    receipt = json.loads(read(path_of("j1", "receipt.json")))
    named = [m["member"] for f in receipt["manifest"] for m in f.get("members", [])]
    check(len(named) == receipt["files_changed"] - 1 > 100, "the receipt names", len(named), "members")
    check(receipt["labels_changed"] == sum(f["labels"] for f in receipt["manifest"]), "labels of the receipt")
    # a byte of a member
    victim = path_of("j1", "shards", "plain.tar")
    data = bytearray(read(victim))
    with tarfile.open(victim) as archive:
        member = [m for m in archive if m.name.endswith(".png")][5]
    data[member.offset_data + 40] ^= 1
    write(victim, data)
    done = fix("--verify", path_of("j1"))
    check(done.returncode == 1 and "shards/plain.tar#%s: differs" % member.name in done.stdout and done.stdout.count("differs") == 1, "verify", done.stdout)
    # a plan, edited by nobody, and an archive that changes after it
    plan = path_of("plan.json")
    done = subprocess.run([PROGRAM, "fix", "--no-config", *ARGS, source, "--plan", plan], capture_output=True, text=True, check=False)
    check(done.returncode == 0, "--plan", done.stderr)
    planned = json.loads(read(plan))
    check(sum(len(f.get("members", [])) for f in planned["files"]) == len(named), "members in the plan")
    check(fix("--apply", plan, "-o", path_of("applied")).returncode == 0, "--apply")
    check({n: v for n, v in tree_of(path_of("applied")).items()} == trees[1], "--apply differs")
    shutil.copytree(source, path_of("moved"))
    text = read(plan).decode().replace(source, path_of("moved"))
    write(plan, text.encode())
    with tarfile.open(path_of("moved", "shards", "plain.tar"), "a") as archive:
        archive.add(os.path.join(source, "README"), "late")
    done = fix("--apply", plan, "-o", path_of("late"))
    check(done.returncode == 2 and "plain.tar: changed since the plan" in done.stderr, "a changed archive", done.stderr)
    return [*ARGS, source], trees[1]


def full_disk(args, whole):
    small = path_of("small")
    done = subprocess.run(["bash", "-c", 'ulimit -f 16; exec "$@"', "-", PROGRAM, "fix", "-q", "-f", "none", *args, "-o", small], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "cannot be written" in done.stderr, "a full disk", done.returncode, done.stderr)
    check(not [n for n in tree_of(small) if n.endswith(".tmp")], "a full disk left a temporary file")
    check(fix(*args, "-o", small).returncode == 0 and tree_of(small) == whole, "when there is space again")


# ---- other labels than masks -----------------------------------------------------------------------------------------


def labels():
    """A list that is larger than memory may hold, in a tar and in zips; arrays in an .npz; a member that is packed itself."""
    chance = random.Random(9)
    text = large_list(chance).encode()
    lines = text.decode().splitlines()
    want = "\n".join([lines[0]] + ["%s,%d" % (x.split(",")[0], int(x.split(",")[1]) - 1) for x in lines[1:]]) + "\n"
    files = [("list.csv", text, None), ("z.bin", b"\1" + bytes(9 << 20), None)]
    for kind in ("plain.tar", "stored.zip", "deflated.zip"):
        source = path_of("lists", kind)
        KINDS[kind](source, files, chance)
        done = fix(*ARGS, source, "-o", path_of("lists-out"))
        if check(done.returncode == 0, "a list in", kind, done.stderr):
            got = {n: data for n, data, _ in contents(path_of("lists-out", kind))[0]}
            check(got["list.csv"] == want.encode() and got["z.bin"] == files[1][1], "a list in", kind)
        shutil.rmtree(path_of("lists-out"), ignore_errors=True)
    array = lambda v: b"\x93NUMPY\x01\x00v\x00" + ("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(v)).ljust(117).encode() + b"\n" + bytes(v)
    ids = [i % CLASSES + 1 for i in range(600)]
    source = path_of("arrays", "set.npz")
    with zipfile.ZipFile(source, "w") as archive:
        for name in ("train.npy", "val.npy"):
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(array(ids))
    done = fix(*ARGS, source, "-o", path_of("arrays-out"))
    if check(done.returncode == 0, "an .npz", done.stderr):
        for name, data, _ in contents(path_of("arrays-out", "set.npz"))[0]:
            check(data == array([i - 1 for i in ids]), "an .npz", name)
    source = path_of("mixed", "set.npz")  # a mask among arrays shares their map
    rows = [[i % CLASSES + 1 for i in range(30)] for _ in range(20)]
    os.makedirs(os.path.dirname(source), exist_ok=True)
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("train.npy", array(ids))
        archive.writestr("mask.png", png(rows))
    done = fix(*ARGS, source, "-o", path_of("mixed-out"))
    if check(done.returncode == 0, "a mask in an .npz", done.stderr):
        got = {n: data for n, data, _ in contents(path_of("mixed-out", "set.npz"))[0]}
        check(got["train.npy"] == array([i - 1 for i in ids]) and ids_of(got["mask.png"]) == [[v - 1 for v in row] for row in rows], "a mask in an .npz")
    source = path_of("web", "000.tar")
    with tarfile.open(source, "w") as archive:  # a shard of WebDataset
        for i in range(30):
            for name, data in (("%03d.cls" % i, b"%d" % (i % CLASSES + 1)), ("%03d.jpg" % i, b"\xff\xd8\xff\xe0" + bytes(30))):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    done = fix(*ARGS, source, "-o", path_of("web-out"))
    if check(done.returncode == 0, "a shard", done.stderr):
        got = contents(path_of("web-out", "000.tar"))[0]
        check([d for n, d, _ in got if n.endswith("cls")] == [b"%d" % (i % CLASSES) for i in range(30)], "a shard")


# ---- refusals --------------------------------------------------------------------------------------------------------


def refused():
    chance = random.Random(21)
    files = members(chance, 8)
    good = path_of("odd", "good.zip")
    KINDS["deflated.zip"](good, files, chance)

    def no(word, path, status=1):
        out = path_of("odd-out")
        done = subprocess.run([PROGRAM, "fix", "-f", "none", "--no-config", *ARGS, path, "-o", out], capture_output=True, text=True, check=False)
        check(done.returncode == status and word in done.stderr and not os.path.exists(out), path, "expected", word, "but", done.returncode, done.stderr)
        shutil.rmtree(out, ignore_errors=True)

    twice = path_of("odd", "twice.zip")
    shutil.copy(good, twice)
    with zipfile.ZipFile(twice, "a") as archive:
        archive.writestr(files[0][0], files[0][1])
    no("several members of one name", twice)
    twice = path_of("odd", "twice.tar")
    with tarfile.open(twice, "w") as archive:
        for name, data, _ in files + files[:1]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    no("several members of one name", twice)
    write(path_of("odd", "after.zip"), b"#!/bin/sh\n" + read(good))
    no("readers may take for another", path_of("odd", "after.zip"))
    write(path_of("odd", "cut.zip"), read(good)[:-40])
    no("could not be read", path_of("odd", "cut.zip"))
    disks = bytearray(read(good))
    at = disks.rindex(b"PK\5\6")
    disks[at + 4] = disks[at + 6] = 1
    write(path_of("odd", "disks.zip"), disks)
    no("readers may take for another", path_of("odd", "disks.zip"))
    # an encrypted mask cannot be read: it is named and stays, the others change
    data = bytearray(read(good))
    with zipfile.ZipFile(good) as archive:
        info = archive.getinfo([n for n, _, rows in files if rows][3])
    central = data.index(info.filename.encode(), data.index(b"PK\1\2")) - 46
    data[info.header_offset + 6] |= 1
    data[central + 8] |= 1
    locked = path_of("odd", "locked.zip")
    write(locked, data)
    done = subprocess.run([PROGRAM, "fix", "-f", "none", "--no-config", *ARGS, locked, "-o", path_of("locked-out")], capture_output=True, text=True, check=False)
    check(done.returncode == 1 and "could not be read whole" in done.stderr and info.filename in done.stderr, "an encrypted member", done.stderr)
    with zipfile.ZipFile(path_of("locked-out", "locked.zip")) as archive:
        for name, _, rows in files:
            if rows and name != info.filename:
                check(ids_of(archive.read(name)) == rows, "beside an encrypted member", name)
        now = archive.getinfo(info.filename)
    start = info.header_offset + 30 + len(info.filename)
    n, there = info.compress_size, read(path_of("locked-out", "locked.zip"))
    check(bytes(data[start : start + n]) in there and now.CRC == info.CRC, "an encrypted member changed")
    # a sparse member stays as it is
    if subprocess.run(["tar", "--version"], capture_output=True, text=True, check=False).stdout.startswith("tar (GNU"):
        folder = path_of("sparse", "x")[:-2]
        os.makedirs(os.path.join(folder, "masks"))
        for name, bytes_, rows in files[:1] + files[2:4]:
            if rows:
                write(os.path.join(folder, "masks", os.path.basename(name)), bytes_)
        with open(os.path.join(folder, "masks", "holes.bin"), "wb") as f:
            for i in range(60):
                f.seek(i << 20)
                f.write(b"x" * 5000)
        for form in ("gnu", "pax"):
            source = path_of("%s-sparse.tar" % form)
            subprocess.run(["tar", "--format=" + form, "-S", "-cf", source, "-C", folder, "masks"], check=True)
            done = fix(*ARGS, source, "-o", path_of("sparse-out"))
            check(done.returncode in (0, 1), "a sparse member", done.stderr)
            unpacked = path_of("sparse-new", "x")[:-2]
            subprocess.run(["tar", "-xf", path_of("sparse-out", "%s-sparse.tar" % form), "-C", unpacked], check=True)
            check(read(os.path.join(unpacked, "masks/holes.bin")) == read(os.path.join(folder, "masks/holes.bin")), "a sparse member changed")
            shutil.rmtree(path_of("sparse-out"))


def array(rows, form="<f4", letter="f", shape=None):
    """rows as a NumPy array."""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (form, shape or (len(rows), len(rows[0])))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(struct.pack("<%d%s" % (len(r), letter), *r) for r in rows)


def bitmap(rows):
    """rows as a BMP of 8 bits."""
    line = (len(rows[0]) + 3) // 4 * 4
    pixels = b"".join(bytes(r).ljust(line, b"\0") for r in reversed(rows))
    head = struct.pack("<IiiHHIIiiII", 40, len(rows[0]), len(rows), 1, 8, 0, len(pixels), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 1078 + len(pixels), 0, 0, 1078) + head + b"".join(bytes((i, i, i, 0)) for i in range(256)) + pixels


def left_out():
    """Members that keep their ids, since no audit reads them or they cannot be rewritten: a map is refused, but not for depths and images."""
    chance = random.Random(4)
    rows = [raised(mask(chance)) for _ in range(4)]
    depth = [[v + 0.25 for v in row] for row in rows[0]]
    for name, data, fixed in (
        ("a/9.npy", array(rows[0]), False),
        ("b/9.npy", array(rows[0], "<f8", "d"), False),
        ("b/9.npy", array(rows[0], ">f8", "d"), True),  # of the other byte order: fractions
        ("b/9.npy", array(depth), True),
        ("b/9.npy", array(depth, "<f2", "e"), True),
        ("b/9.npy", array(rows[0], "<f2", "e"), False),
        ("a/0.npy", array(rows[0]), True),  # a mask's own
        ("b/9.bmp", bitmap(rows[0]), False),
        ("b/0.bmp", bitmap(rows[0]), True),
        ("a/9.bmp", bitmap(rows[0]), False),
    ):
        source, out = path_of("left.tar"), path_of("left-out")
        with tarfile.open(source, "w") as archive:
            for member, data_ in [("a/%d.png" % i, png(r)) for i, r in enumerate(rows)] + [(name, data)]:
                info = tarfile.TarInfo(member)
                info.size = len(data_)
                archive.addfile(info, io.BytesIO(data_))
        done = subprocess.run([PROGRAM, "fix", "-f", "none", "--no-config", *ARGS, source, "-o", out], capture_output=True, text=True, check=False)
        check((done.returncode == 0) == fixed == os.path.exists(out), name, len(data), "expected", fixed, "but", done.returncode, done.stderr)
        check(fixed or "may hold ids" in done.stderr, name, "the reason", done.stderr)
        shutil.rmtree(out, ignore_errors=True)
    # one-hot labels, of which --reduce-zero-label says nothing
    source, out = path_of("reduced", "0.png"), path_of("reduced-out")
    write(source, png(rows[0]))
    hot = [[int(v == c) for row in rows[1] for v in row] for c in range(CLASSES)]
    hot[0] = [1 - sum(h[i] for h in hot[1:]) for i in range(len(hot[0]))]
    write(path_of("reduced", "1.npy"), array(hot, "<i4", "i", (CLASSES, len(rows[1]), len(rows[1][0]))))
    done = subprocess.run([PROGRAM, "fix", "-f", "none", "--no-config", *ARGS, "--reduce-zero-label", os.path.dirname(source), "-o", out], capture_output=True, text=True, check=False)
    check(done.returncode == 1 and not os.path.exists(out) and "is one-hot" in done.stderr, "one-hot labels beside masks", done.returncode, done.stderr)


for n in range(SETS):
    restored(n)
left_out()
arguments, result = whole_set()
kill_and_go_on(COMMAND, arguments, path_of("killed"), result, KILLS)
full_disk(arguments, result)
labels()
refused()
finish()
