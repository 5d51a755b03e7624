"""What the tests of corrected copies share: fix.py, fix_archives.py and fix_labels.py."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time

from checks import check


def tree_of(folder, of_folders=True):
    """{path: what is there}, modes and times included; of_folders: those of folders, too."""
    out = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            st = os.lstat(path)
            if os.path.islink(path):
                what = os.readlink(path)
            elif os.path.isdir(path):
                what = ""
            else:
                with open(path, "rb") as f:
                    what = hashlib.sha256(f.read()).hexdigest()
            timeless = name == "receipt.json" or os.path.islink(path) or (not of_folders and os.path.isdir(path))
            when = 0 if timeless else st.st_mtime_ns
            out[os.path.relpath(path, folder)] = (what, st.st_mode, when)
    return out


def kill_and_begin_anew(command, args, out, whole, kills, of_folders=True):
    """Kills runs at random moments: what is left is no result, or the whole one; begun anew, a run gives the whole result."""
    command = [*command, *args, "-o", out, "-j", "2"]
    chance, reached, silent = random.Random(11), 0, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = time.monotonic()
    subprocess.run(command, check=False, **silent)
    seconds = time.monotonic() - started
    for i in range(kills):
        shutil.rmtree(out, ignore_errors=True)
        with subprocess.Popen(command, **silent) as run:
            while i % 4 and run.poll() is None and not os.path.exists(out):  # one in four comes before the first byte
                time.sleep(0.0005)
            time.sleep(chance.random() * seconds * 0.7)
            run.send_signal(chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        if os.path.exists(out) and os.listdir(out):
            reached += 1
            finished = os.path.exists(os.path.join(out, "receipt.json"))
            check(not finished or tree_of(out, of_folders) == whole, "a killed run left a receipt of another result", i)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            check(done.returncode == 2 and "is not empty" in done.stderr, "after a kill", i, done.stderr)
            shutil.rmtree(out)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "begun anew", i, done.stderr)
        check(tree_of(out, of_folders) == whole, "begun anew, the result differs", i)
    check(reached > kills // 4 or kills < 10, "most kills came too early")
