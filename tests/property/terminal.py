#!/usr/bin/env -S python3 -SE
"""What people see on a terminal, of Python's pty: the progress bar with per cent and the time that is left, for folders and for
archives; the end by Ctrl-C; wrapped lines; and which stream is coloured.

usage: tests/property/terminal.py     BUILD=dir: where the program was built
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from checks import FOLDER, PROGRAM, TESTDATA, check, finish
from made import read, tar, write
from pngs import png

FILES = 3000
BAR = re.compile(r" *\d+%\|[# ]*\| \d+/3000 \[\d\d:\d\d<[\d:]+, [\d.]+files/s\]")
BAR_OF_ARCHIVE = re.compile(r" *\d+%\|[# ]*\| \d+files \[\d\d:\d\d<[\d:]+, [\d.]+files/s\]")


def on_terminal(args, columns=80, until=None, environment=(), stdout=None):
    """Runs the program on a terminal of that width; sends it SIGINT once its output matches. (status, output)."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(primary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {"PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C", **dict(environment)}
    run = subprocess.Popen([PROGRAM, *args], cwd=TESTDATA, env=variables, stdin=subprocess.DEVNULL, stdout=stdout or secondary,
                           stderr=secondary)
    os.close(secondary)
    output, end, sent = b"", time.monotonic() + 60, False
    while time.monotonic() < end:
        if not select.select([primary], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(primary, 65536)
        except OSError:  # EIO: nobody has the terminal open any more
            break
        if not piece:
            break
        output += piece
        if until and not sent and until.search(output.decode("utf-8", "replace")):
            run.send_signal(signal.SIGINT)
            sent = True
    else:
        run.kill()
    os.close(primary)
    return run.wait(), output.decode("utf-8", "replace")


def drawn(output):
    """What the bar showed, one after the other."""
    return [text.split("\x1b[K")[0] for text in output.split("\r") if "files/s" in text]


def check_bar(name, path, pattern):
    slow = {"LABELAUDIT_DECODER": "libpng"}
    status, output = on_terminal(["-c", "4", "-j", "1", "--color", "never", path], until=pattern, environment=slow.items())
    bars = drawn(output)
    check(any(pattern.fullmatch(bar) for bar in bars), name, "no bar with per cent and time left:", bars[-3:])
    check(all(len(bar) <= 79 for bar in bars), name, "wider than the terminal:", bars)
    check(status == 130, name, "status", status)
    check("\r\x1b[K" in output, name, "the bar stays")
    return output


def check_folder():
    folder = os.path.join(FOLDER, "masks")
    # some ids, which take the reference decoder a few milliseconds
    write("masks/00000.png", png([[(x // 16 + y // 16) % 4 for x in range(1024)] for y in range(1024)]))
    for i in range(1, FILES):
        os.link(os.path.join(folder, "00000.png"), os.path.join(folder, "%05d.png" % i))
    output = check_bar("folder:", folder, BAR)
    check(re.search(r"Not everything was audited: interrupted after [\d,]+ of 3,000 files\r\n", output), "after Ctrl-C:", output[-400:])


def check_archive():
    path = os.path.join(FOLDER, "masks.tar")
    mask = read("masks/00000.png")
    write(path, tar(("%05d.png" % i, mask) for i in range(FILES // 2)))
    check_bar("archive:", path, BAR_OF_ARCHIVE)


def check_wrapping():
    args = ["-c", "21", "-i", "255", "--progress", "none", "masks/"]
    for columns in (60, 100):
        _, output = on_terminal(args, columns)
        lines = [re.sub("\x1b\\[[0-9]*m", "", line) for line in output.replace("\r\n", "\n").split("\n")]
        long = [line for line in lines if len(line) > columns and " " in line[6:].strip() and not re.match(" +[0-9]", line)]
        check(not long, "longer than", columns, "columns:", long[:2])
        check(len(lines) > 40, "nothing was wrapped at", columns)
    _, output = on_terminal(args + ["-f", "concise"], 60)
    check(any(len(line) > 100 for line in output.split("\n")), "concise: a finding is one line")


def check_colours():
    args = ["-c", "21", "-i", "255", "--progress", "none", "-f", "text", "masks/"]
    with open(os.path.join(FOLDER, "report.txt"), "w+b") as report:
        _, output = on_terminal(args, stdout=report)
        report.seek(0)
        text = report.read()
    check(b"\x1b[" not in text, "colours in a file")
    check("labelaudit: \x1b[31mFAIL\x1b[0m: " in output, "standard error is a terminal:", output[:300])
    _, output = on_terminal(args, environment={"NO_COLOR": "1"}.items())
    check("\x1b[" not in output, "NO_COLOR:", output[:300])
    forced = subprocess.run([PROGRAM, *args], cwd=TESTDATA, env={"FORCE_COLOR": "1"}, stdout=subprocess.PIPE, check=False)
    check(b"\x1b[31mFAIL\x1b[0m" in forced.stdout, "FORCE_COLOR:", forced.stdout[-200:])
    _, output = on_terminal(["--frob"])
    check("labelaudit: \x1b[1;31merror\x1b[0m: unknown option --frob" in output, "an error on a terminal:", output)


check_folder()
check_archive()
check_wrapping()
check_colours()
finish()
