"""What the tests of corrected copies share: fix.py, fix_archives.py and fix_labels.py."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time

from checks import check


def tree_of(folder):
    """{path: what is there}, modes and times included."""
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
            when = 0 if name == "receipt.json" or os.path.islink(path) else st.st_mtime_ns
            out[os.path.relpath(path, folder)] = (what, st.st_mode, when)
    return out


def kill_and_go_on(command, args, out, whole, kills):
    """Kills runs at random moments, once or twice; then a run gives the whole result. command: of the program."""
    command = [*command, *args, "-o", out, "-j", "2"]
    chance, reached, silent = random.Random(11), 0, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = time.monotonic()
    subprocess.run(command, check=False, **silent)
    seconds = time.monotonic() - started
    for i in range(kills):
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(chance.randint(1, 2)):
            with subprocess.Popen(command, **silent) as run:
                while i % 4 and run.poll() is None and not os.path.exists(out):  # one in four comes before the first byte
                    time.sleep(0.0005)
                time.sleep(chance.random() * seconds * 0.7)
                run.send_signal(chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        reached += os.path.exists(out)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "after a kill", i, done.stderr)
        check(tree_of(out) == whole, "after a kill the result differs", i)
    check(reached > kills // 4 or kills < 10, "most kills came too early")
