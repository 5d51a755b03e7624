#!/bin/bash
# A tree that nobody would make by accident: each thing in it is told by its rule, read, or passed over; nothing hangs, nothing
# outside is read, and names reach no terminal as they are (formats.py: nor any other form).
#
# usage: tests/property/hostile_tree.sh     BUILD=dir: where the program was built. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python - "$program" "$folder" "$root/testdata/clean/01.png" <<'PYTHON'
import gzip, json, os, resource, shutil, signal, socket, subprocess, sys, tarfile, time, zipfile

program, folder, mask = (os.path.abspath(p) for p in sys.argv[1:4])
passed, skipped, failures = 0, 0, []
TIB = 1 << 40
HANGS = 120  # seconds, which no run comes near on the busiest machine
TAR_END = 10240 - 512 - 512 * -(-os.path.getsize(mask) // 512)  # what Python writes after the only member
NPY = b"\x93NUMPY\1\0\x76\0" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }".ljust(117) + b"\n"

def check(ok, *what):
    global passed
    passed += bool(ok)
    if not ok:
        failures.append(" ".join(str(w) for w in what)[:500])

def worked():
    """Processor time of all runs so far: on a busy machine the clock on the wall says nothing."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

def audit(*arguments, cwd, form="jsonl"):
    """(exit status, {path: (status, rules, messages)}, standard output, standard error); nothing may hang."""
    run = subprocess.Popen([program, "-q", "-j", "2", "-c", "4", "-i", "255", "-f", form, *arguments], cwd=cwd, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = run.communicate(timeout=HANGS)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        check(False, "hangs:", *arguments)
        return None, {}, b"", b""
    files = {}
    if form == "jsonl":
        for line in out.decode("utf-8").splitlines():
            f = json.loads(line)
            if f["type"] in ("file", "archive"):
                files[f["path"]] = (f.get("status"), [x["rule"] for x in f["findings"]], [x["message"] for x in f["findings"]])
    return run.returncode, files, out, err

def copy(*path):
    shutil.copy(mask, os.path.join(*path))

# ---- what is no file: named, and found in a folder with and without -L
tree = os.path.join(folder, "kinds")
os.mkdir(tree)
copy(tree, "mask.png")
os.mkfifo(os.path.join(tree, "fifo.png"))
os.chdir(tree)
socket.socket(socket.AF_UNIX).bind("socket.png")
for name, target in (("zero.png", "/dev/zero"), ("nowhere.png", "is-not-there.png"), ("self.png", "self.png"), ("loop", "."),
                     ("memory.png", "/proc/self/mem")):
    os.symlink(target, os.path.join(tree, name))
status, files, _, _ = audit(".", cwd=tree)
check(status == 2, "status of the tree", status)
left_out = {path for path, got in files.items() if got[0] == "skipped"}
check(left_out == {"./zero.png", "./nowhere.png", "./self.png", "./loop", "./memory.png"}, "links are left out without -L:", left_out)
check(set(files) - left_out == {"./mask.png", "./fifo.png", "./socket.png"}, "the rest:", sorted(files))
status, followed, _, _ = audit("-L", ".", cwd=tree)
check(status == 2, "status of the tree with -L", status)
check("./loop/mask.png" not in followed, "each folder once")
for name in ("mask.png", "fifo.png", "socket.png", "zero.png", "nowhere.png", "self.png"):
    _, named, _, _ = audit(name, cwd=tree)
    for where, got in (("named", named.get(name)), ("found", followed.get("./" + name))):
        if got is None:
            # one that is not there ends the audit before it begins; nothing is lost
            check(where == "named" and name in ("nowhere.png", "self.png"), where, name, "is not in the report")
        elif name == "mask.png":
            check(got[0] == "read", where, name, got)
        elif name in ("nowhere.png", "self.png"):
            check(where == "found" and got[0] == "skipped", where, name, got)
        else:
            check(got[0] == "failed" and got[1] == ["unreadable-file"], where, name, got)
            # a socket cannot even be opened
            check(name == "socket.png" or "not a regular file" in got[2][0], where, name, got)

# ---- sparse: what is declared or trails is told by sizes, and the end of 1 TiB is never waited for
tree = os.path.join(folder, "sparse")
os.mkdir(tree)
for name, content in (("holes.png", b""), ("tail.png", open(mask, "rb").read())):
    with open(os.path.join(tree, name), "wb") as f:
        f.write(content)
        f.truncate(TIB)
begin = worked()
status, files, _, _ = audit(".", cwd=tree)
check(worked() - begin < 5, "sparse files take %.1f s" % (worked() - begin))
check(status == 1 and files["./holes.png"][0] == "failed" and files["./tail.png"][0] == "read", status, files)
check("malformed-png" in files["./tail.png"][1], files["./tail.png"])

# ---- the same of archives: what is not read of a trailer is told
tree = os.path.join(folder, "holes")
os.mkdir(tree)
with tarfile.open(os.path.join(tree, "whole.tar"), "w", format=tarfile.USTAR_FORMAT) as tar:
    tar.add(mask, "a.png")
whole = open(os.path.join(tree, "whole.tar"), "rb").read()
for name, content in (("nothing.tar", b""), ("end.tar", whole), ("cut.tar", whole[:-TAR_END])):
    with open(os.path.join(tree, name), "wb") as f:
        f.write(content)
        f.truncate(TIB)
    begin = worked()
    status, files, _, _ = audit(name, cwd=tree)
    check(worked() - begin < 5, name, "of 1 TiB takes %.1f s" % (worked() - begin))
    said = " ".join(files.get(name, ("", [], []))[2])
    check(("no members" in said) == (name == "nothing.tar"), name, files)
    check("more than 256 MiB after the end marker" in said, name, files)
    os.unlink(os.path.join(tree, name))
# every other kind of file: what it declares or its limits end it
for name, content in (("a.npy", NPY), ("b.npy", b""), ("a.csv", b"path,label\n"), ("a.txt", b"1\n2\n"), ("a.json", b'{"images": ['),
                      ("a.gz", b"\x1f\x8b\x08"), ("a.zip", b"PK\3\4"), ("a.npz", b"PK\3\4"), ("t10k-labels-idx1-ubyte", b"\0\0\x08\1\0\0\0\3"), ("a.xyz", b"")):
    with open(os.path.join(tree, name), "wb") as f:
        f.write(content)
        f.truncate(TIB)
    begin = worked()
    status, files, _, _ = audit(name, cwd=tree)
    check(worked() - begin < 5, name, "of 1 TiB takes %.1f s" % (worked() - begin))
    check(status in (0, 1, 2) and files[name][1], name, "of 1 TiB:", status, files)
    os.unlink(os.path.join(tree, name))
# bombs: what is packed a thousandfold, and what cannot be
with gzip.open(os.path.join(tree, "bomb.tgz"), "wb", 6) as f:
    info = tarfile.TarInfo("a.bin")
    info.size = 256 << 20
    f.write(info.tobuf())
    for _ in range(257):
        f.write(bytes(1 << 20))
status, files, out, _ = audit("bomb.tgz", cwd=tree)
check(status == 1 and b"--max-archive-ratio" in out, "a gzip bomb:", status, files)
with zipfile.ZipFile(os.path.join(tree, "bomb.zip"), "w", zipfile.ZIP_DEFLATED) as f:
    f.writestr("a.png", bytes(1000))
zipped = bytearray(open(os.path.join(tree, "bomb.zip"), "rb").read())
for at in (zipped.index(b"PK\3\4") + 22, zipped.index(b"PK\1\2") + 24):
    zipped[at:at + 4] = (1 << 30).to_bytes(4, "little")
with open(os.path.join(tree, "bomb.zip"), "wb") as f:
    f.write(zipped)
status, files, out, _ = audit("bomb.zip", cwd=tree)
check(status == 1 and b"hold at most 1032 times" in out, "a member that cannot be so large:", status, out[:300])
os.unlink(os.path.join(tree, "bomb.tgz"))
# where holes cannot be told, as in a pipe, a limit ends it
run = subprocess.Popen([program, "-q", "-c", "4", "-i", "255", "-f", "json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
try:
    run.stdin.write(whole)
    for _ in range(2048):
        run.stdin.write(bytes(1 << 20))
    check(False, "more than 2 GiB after the end marker are read")
except BrokenPipeError:
    pass
out, _ = run.communicate(timeout=HANGS)
check(run.returncode == 0 and b"MiB after the end marker" in out, "what follows the end marker:", run.returncode, out[-300:])

# ---- nobody may read it
if os.geteuid() == 0 and not shutil.which("setpriv"):
    print("skipped: mode 000, root reads everything and there is no setpriv")
    skipped += 1
else:
    tree = os.path.join(folder, "locked")
    os.makedirs(os.path.join(tree, "folder"))
    copy(tree, "mask.png")
    copy(tree, "secret.png")
    shutil.copy(program, folder)
    os.chmod(folder, 0o755)
    os.chmod(os.path.join(tree, "secret.png"), 0)
    os.chmod(os.path.join(tree, "folder"), 0)
    before = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
    run = subprocess.run([*before, os.path.join(folder, "labelaudit"), "-q", "-c", "4", "-i", "255", "-f", "json", "."], cwd=tree,
                         capture_output=True, check=False, timeout=HANGS)
    report = json.loads(run.stdout)
    check(run.returncode == 2 and report["complete"] is False, "mode 000:", run.returncode)
    check({f["path"] for f in report["findings"] if f["rule"] == "unreadable-file"} == {"./secret.png", "./folder"}, report["findings"])
    os.chmod(os.path.join(tree, "folder"), 0o700)

# ---- a path that no system call takes whole
tree = os.path.join(folder, "deep")
os.mkdir(tree)
os.chdir(tree)
for _ in range(50):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
copy("mask.png")
os.chdir(folder)
status, files, _, _ = audit(".", cwd=tree)
check(status == 0 and len(files) == 1 and len(next(iter(files))) > 10000, "a path of 10,000 bytes:", status, [len(f) for f in files])
check(all(f[0] == "read" for f in files.values()), "a path of 10,000 bytes is read", [f[:2] for f in files.values()])

# ---- names: inert on a terminal and in CI; options only where they are options
tree = os.path.join(folder, "names")
os.mkdir(tree)
NAMES = [b"new\nline.png", b"quote\"'.png", b"esc\x1b[2J.png", b"bidi\xe2\x80\xaegnp.png", b"bad\xff\xfe.png", b"::error file=x::y.png",
         b"x\n::error::y.png", b"<script>alert(1)<.png", b"--output=pwned.png", b"@args.png", b"-rf.png"]
for name in NAMES:
    open(os.path.join(os.fsencode(tree), name), "wb").close()  # empty, so that each is named in a finding
for form in ("text", "concise", "github", "json", "jsonl", "sarif", "junit", "gitlab", "csv", "markdown"):
    status, _, out, _ = audit(".", cwd=tree, form=form)
    check(status == 1, form, "status", status)
    text = out.decode("utf-8")
    check(not [c for c in text if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e"], form, "is not inert")
    check(not [line for line in text.splitlines() if line.lstrip().startswith(("::error::y", "::error file=x::"))], form, "obeys a name")
    check(form != "junit" or "<script>" not in text, form, "has markup of a name")
check(sorted(os.listdir(os.fsencode(tree))) == sorted(NAMES), "a file name was taken for an option", os.listdir(tree))

# and of a path that is not there, on standard error
_, _, _, err = audit("no\x1b[31m\nsuch\u202e.png", cwd=tree)
check(b"\x1b" not in err and err.count(b"\n") == 1 and "\u202e".encode() not in err, "the message of a path:", err)

# ---- files that change while they are read: never called read with what was not there
tree = os.path.join(folder, "changing")
os.mkdir(tree)
copy(tree, "c.png")
with open(os.path.join(folder, "list"), "w", encoding="ascii") as f:
    f.write("c.png\nvanished.png\n")
status, files, _, _ = audit("--files-from", os.path.join(folder, "list"), cwd=tree)
check(status == 2 and files["vanished.png"][:2] == ("failed", ["unreadable-file"]) and files["c.png"][0] == "read", "vanished:", status, files)
os.unlink(os.path.join(tree, "c.png"))
if shutil.which("strace") and subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0:
    log = os.path.join(folder, "strace")
    # a program built with a leak checker cannot run it while it is traced, and fails then
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}

    def signal_program(run, number):
        """To the program, not to the short-lived processes that strace starts first, to try what the kernel allows."""
        try:
            with open("/proc/%d/task/%d/children" % (run.pid, run.pid), encoding="ascii") as f:
                for pid in f.read().split():
                    if os.path.samefile("/proc/%s/exe" % pid, program):
                        os.kill(int(pid), number)
        except OSError:  # it has ended
            pass

    def logged(run, text):
        """Waits until strace has written that, or the program has ended."""
        while run.poll() is None:
            if os.path.exists(log):
                with open(log, encoding="utf-8", errors="replace") as f:
                    if text in f.read():
                        return
            time.sleep(0.01)

    # a signal while it finds out what there is, or walks, which is slow here: it stops, and there is a report of a part all the same
    slow = os.path.join(folder, "slow")
    for i in range(300):
        os.makedirs(os.path.join(slow, str(i)))
    # microseconds of a look, and how many may follow the signal: a detection that is deaf is given up after 0.4 s, some 40 of 600 looks;
    # a walk asks ten times a second
    for number, delay, most, words in ((signal.SIGTERM, 10000, 20, []), (signal.SIGHUP, 10000, 20, []),
                                       (signal.SIGTERM, 100000, 60, ["--kind", "mask", "-j", "1"])):
        run = subprocess.Popen(["strace", "-f", "-o", log, "-e", "trace=getdents64", "-e", "inject=getdents64:delay_enter=%d" % delay,
                                program, "-q", "-c", "4", "-f", "json", *words, slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               # what nohup started ignores SIGHUP
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL), env=environment)
        logged(run, "getdents64")
        signal_program(run, number)
        out, _ = run.communicate(timeout=HANGS)
        check(run.returncode in (128 + number, -number) and out and json.loads(out)["complete"] is False and json.loads(out)["summary"]["status"] == "fail", "a signal during the look at what there is:",
              run.returncode, out[-200:])
        with open(log, encoding="utf-8", errors="replace") as f:
            looks = f.read().partition("--- SIG")[2].count("getdents64(")
        check(looks <= most, "a signal during the look at what there is:", looks, "looks after it")
        os.unlink(log)
    for name in ("a.png", "b.png"):
        copy(tree, name)
    # it is stopped between fstat and read, when the file is cut
    run = subprocess.Popen(["strace", "-f", "-o", log, "-P", os.path.join(tree, "b.png"), "-e", "trace=%fstat,?statx", "-e",
                            "inject=%fstat,?statx:signal=STOP", program, "-q", "-j", "1", "-c", "4", "-i", "255", "-f", "json", tree],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    logged(run, "stopped by SIGSTOP")  # the look at what it is
    # and before it is read, by whichever thread. A stop is ended once: a second SIGCONT might end the one that is waited for
    signal_program(run, signal.SIGCONT)
    end = time.monotonic() + HANGS
    while run.poll() is None and time.monotonic() < end:
        with open(log, encoding="utf-8", errors="replace") as f:
            if f.read().count("--- SIGSTOP {") > 1:
                break
        time.sleep(0.01)
    os.truncate(os.path.join(tree, "b.png"), 40)
    end = time.monotonic() + HANGS
    while run.poll() is None and time.monotonic() < end:  # each of its threads may be stopped once
        signal_program(run, signal.SIGCONT)
        time.sleep(0.02)
    try:
        report = json.loads(run.communicate(timeout=HANGS)[0])
        told = [f["rule"] for f in report["findings"] if (f["path"] or "").endswith("b.png")]
        check(run.returncode == 2 and report["complete"] is False and told == ["unreadable-file"], "a file that shrinks", run.returncode, told)
        check(report["summary"]["files_read"] == 1 and report["summary"]["files_failed"] == 1, "a file that shrinks", report["summary"])
    except subprocess.TimeoutExpired:
        run.kill()
        check(False, "a file that shrinks: hangs")
else:
    print("skipped: files that change while they are read, no strace that works")
    skipped += 1

for failure in failures:
    print("FAILED ", failure)
print("%d passed, %d failed, %d skipped" % (passed, len(failures), skipped))
sys.exit(bool(failures))
PYTHON
