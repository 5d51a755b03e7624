#!/usr/bin/env -S python3 -SE
"""Bad luck: every allocation and system call may fail, every moment may be the last, and no report is ever half of one.

usage: tests/property/torture.py     a part of it, in seconds; TORTURE=more; TORTURE=all: everything (`make torture`)
       BUILD=dir: where the program and torture_shim.so were built; left out with sanitizers, which have a malloc of their own
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import checks
import torture_cases
from checks import BUILD, FOLDER, PROGRAM, TESTDATA, check, finish

SHIM = os.path.join(BUILD, "torture_shim.so")
ALL = os.environ.get("TORTURE") == "all"
# Each with how many of its calls are tried at most, spread over all, where not ALL.
CALLS = {"malloc": 15, "calloc": 8, "realloc": 10, "open": 8, "read": 8, "write": 4, "fsync": 4, "rename": 2, "close": 6,
         "fstat": 6, "readdir": 4, "lseek": 2, "pthread_create": 2}
# Of the other cases, which make much the same calls: one in so many of those; at 60, once or for good in turn.
FEWER = 2 if os.environ.get("TORTURE") == "more" else 10 if checks.ALL else 60
KILLS = {signal.SIGKILL: 200 if ALL else 10, signal.SIGTERM: 100 if ALL else 5, signal.SIGINT: 100 if ALL else 5, signal.SIGHUP: 100 if ALL else 5}
SEED = 20260101
OLD = torture_cases.OLD
OUTPUT = os.path.join(FOLDER, "out", "report.json")


def without_run(report):
    return re.sub(rb'\n  "run": \{.*', b"", report)


def make_data():
    """Data sets of every kind, and a few things wrong with them: the folder, and the PATHs of one kind of labels each."""
    data = os.path.join(FOLDER, "data")
    for name in ("masks", "clean"):
        os.makedirs(os.path.join(data, name))
        for f in sorted(os.listdir(os.path.join(TESTDATA, name)))[:4]:
            shutil.copy(os.path.join(TESTDATA, name, f), os.path.join(data, name))
    for name in ("arrays", "lists", "yolo"):
        shutil.copytree(os.path.join(TESTDATA, name), os.path.join(data, name))
    os.mkdir(os.path.join(data, "packed"))
    for name in ("clean.zip", "clean.tgz", "damaged.tar"):
        shutil.copy(os.path.join(TESTDATA, "archives", name), os.path.join(data, "packed"))
    boxes = sorted(os.listdir(os.path.join(TESTDATA, "rules", "box-outside-image", "fires")))[0]
    shutil.copy(os.path.join(TESTDATA, "rules", "box-outside-image", "fires", boxes), data)
    with open(os.path.join(data, "names.txt"), "w", encoding="ascii") as f:
        f.write("".join("class%d\n" % i for i in range(10)))
    arrays = sorted(os.path.join("arrays", name) for name in os.listdir(os.path.join(data, "arrays")))
    return data, ["masks", "clean", *arrays, "lists", "yolo", "packed", boxes]


def arguments(*more, jobs=1):
    return [PROGRAM, "-j", str(jobs), "-c", "names.txt", "-i", "255", "-f", "none", "-o", OUTPUT, *more]


def start_over():
    shutil.rmtree(os.path.dirname(OUTPUT), ignore_errors=True)
    os.mkdir(os.path.dirname(OUTPUT))
    with open(OUTPUT, "wb") as f:
        f.write(OLD)


def output():
    with open(OUTPUT, "rb") as f:
        return f.read()


def fail_calls(data, whole, status):
    """One call after the other fails, once and for good."""
    for call, few in CALLS.items():
        # one thread, so that the N-th is always the same one
        command = arguments(*PATHS, jobs=2 if call == "pthread_create" else 1)
        if call in ("malloc", "pthread_create"):
            start_over()
            run = subprocess.run(command, cwd=data, env=dict(os.environ, **COUNTING), capture_output=True, check=False, timeout=60)
            if run.returncode != status or not os.path.exists(COUNT):
                print("skipped: the shim cannot be loaded here (another C library, or a sanitizer):", run.stderr[:200])
                return
            counts = counted()
        env = dict(os.environ, LD_PRELOAD=SHIM, TORTURE_CALL=call)
        calls = seen[call] = counts[call]
        step = 1 if ALL else max(1, calls // few | 1)  # odd, so that every residue comes by
        told = 0
        for sticky in "01":
            for n in sorted({*range(1, calls + 1, step), *range(max(1, calls - 5), calls + 1)}):  # the report is written at the end
                told += one_failure(command, data, env, call, n, sticky, whole, status) == 2
        # what is only read may be read again; of what is written no failure may be passed over
        everything = call in ("write", "fsync", "rename")
        never = call in ("pthread_create", "lseek")  # there is a way without: fewer threads, reading instead of seeking
        check(told == 2 * calls if everything else told > 0 or not calls or never, call, "failed, and", told, "failures were told")


def same_but_for_looks(now, whole):
    """A look that failed is said to be unreadable in the table of folders; the audit reads the file again."""
    lines = without_run(now).split(b"\n"), whole.split(b"\n")
    unread = re.compile(rb'"content": "unreadable"')
    return len(lines[0]) == len(lines[1]) and all(
        mine == other or (unread.search(mine) and re.sub(rb'"content": "[^"]*"', unread.search(mine).group(), other) == mine)
        for mine, other in zip(*lines)
    )


def one_failure(command, data, env, call, n, sticky, whole, status):
    start_over()
    what = "%s %d of them%s:" % (call, n, " and later" if sticky == "1" else "")
    env = dict(env, TORTURE_N=str(n), TORTURE_STICKY=sticky)
    try:
        run = subprocess.run(command, cwd=data, env=env, capture_output=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        check(False, what, "hangs")
        return None
    left = sorted(os.listdir(os.path.dirname(OUTPUT)))
    now = output() if "report.json" in left else b""
    ok = check(left == ["report.json"], what, "leaves", left)
    # an image that cannot be opened is a finding about its labels, which are audited
    if run.returncode == status and (same_but_for_looks(now, whole) or b"cannot be used: cannot open: Input/output error" in now):
        check(ok, what)
        return run.returncode
    if not check(run.returncode == 2, what, "exit status", run.returncode, run.stderr, now[:80]):
        return None
    check(run.stderr.strip(), what, "exit status 2 without a word")
    if now == OLD:
        return run.returncode
    try:
        report = json.loads(now)
        s = report["summary"]
        check(s["files"] == s["files_read"] + s["files_failed"] + s["files_skipped"], what, "lost a file", s)
        # All was read and written; then only what came after the rename can have failed.
        check(report["complete"] is False or without_run(now) == whole, what, "calls itself complete", s)
    except ValueError:
        check(False, what, "half a report:", now[-200:])
    return run.returncode


seen = {}  # calls of a kind in all runs without a failure
COUNT = os.path.join(FOLDER, "count")
COUNTING = {"LD_PRELOAD": SHIM, "TORTURE_COUNT": COUNT}


def counted():
    """How many calls of each kind there were in a run with COUNTING."""
    with open(COUNT, encoding="ascii") as f:
        counts = {name: int(n) for name, n in (line.split() for line in f)}
    os.unlink(COUNT)
    return counts


def count_calls(bench, case):
    """How many there are of each kind, and what the case does when none fails."""
    bench.start_over(case)
    result = bench.run(case, dict(os.environ, **COUNTING))
    counts = counted()
    for call in CALLS:
        seen[call] = seen.get(call, 0) + counts[call]
    return counts, result


def fail_cases(bench):
    """One call after the other of what is not a plain audit."""
    for i, case in enumerate(bench.cases):
        counts, whole = count_calls(bench, case)
        for k, (call, few) in enumerate(CALLS.items()):
            calls = counts[call]
            step = 1 if ALL or call in case.every else max(1, calls * FEWER // few | 1)
            for sticky in "01" if FEWER < 60 or call in case.every else "01"[(i + k) % 2]:
                for n in range(1, calls + 1, step):
                    env = dict(os.environ, LD_PRELOAD=SHIM, TORTURE_CALL=call, TORTURE_N=str(n), TORTURE_STICKY=sticky)
                    what = "%s: %s %d of %d%s:" % (case.name, call, n, calls, " and later" if sticky == "1" else "")
                    one_case_failure(bench, case, env, what, whole)


def one_case_failure(bench, case, env, what, whole):
    bench.start_over(case)
    result = bench.run(case, env)
    if not check(result, what, "hangs"):
        return
    left = bench.left()
    check(not left, what, "leaves", left)
    if case.again:
        # it begins with the old report, as before, and with the cache that was left
        again = bench.run(case)
        check(again and torture_cases.same(again, whole), what, "and then:", again and again[2][-300:])
    if torture_cases.same(result, whole):
        return
    if result[0] in (0, 1) and torture_cases.told(case, result):
        return
    if not check(result[0] == 2, what, "exit status", result[0], result[2][-300:]):
        return
    check(result[2].strip(), what, "exit status 2 without a word")
    half = torture_cases.half(case, result, whole)
    check(half is None, what, "half a report:", half)


def interrupt_cases(bench):
    """Reading or writing that a signal interrupts goes on, and what comes in parts is put together: nothing changes.
    What a server no longer knows by its folder's descriptor is opened by its path."""
    for case in bench.cases:
        counts, whole = count_calls(bench, case)
        for call, how, sticky in (("read", "interrupt", "0"), ("write", "interrupt", "0"),
                                  ("read", "short", "1"), ("write", "short", "1"), ("read", "short", "0"),
                                  ("readdir", "interrupt", "0"), ("readdir", "untyped", "1"), ("open", "stale", "1")):
            if how == "stale" and case.name.startswith("settings"):
                continue  # labelaudit.yaml that nobody named is opened below its folder alone
            calls = counts[call]
            step = 1 if ALL else max(1, calls * FEWER // CALLS[call] | 1)
            for n in range(1, calls + 1, step) if sticky == "0" else (1,):
                env = dict(os.environ, LD_PRELOAD=SHIM, TORTURE_CALL=call, TORTURE_N=str(n), TORTURE_STICKY=sticky, TORTURE_HOW=how)
                bench.start_over(case)
                result = bench.run(case, env)
                check(result and torture_cases.same(result, whole), "%s: %s %d of %d is %s:" % (case.name, call, n, calls, how),
                      result and result[2][-300:])


def kill_at_random(data, whole):
    """SIGKILL, SIGTERM, SIGINT and SIGHUP at moments spread over the run: the old report or a whole one."""
    command = arguments(*PATHS * 12, jobs=2)
    start_over()
    begin = time.monotonic()
    status = subprocess.run(command, cwd=data, capture_output=True, check=False).returncode
    took = time.monotonic() - begin
    full = without_run(output())
    moments = random.Random(SEED)
    partial = old = 0
    for number, times in KILLS.items():
        handled = tried = 0
        # more often where the machine is busy, and what it took once says little
        while tried < times or (number != signal.SIGKILL and not handled and tried < 20 * times):
            tried += 1
            start_over()
            after = moments.random() * took * 1.1
            with subprocess.Popen(command, cwd=data, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as p:  # tests may run under nohup
                time.sleep(after)
                p.send_signal(number)
                try:
                    p.communicate(timeout=30)
                except subprocess.TimeoutExpired:
                    p.kill()
                    check(False, number.name, "after %.3f s: does not end" % after)
                    continue
            what = "%s after %.4f of %.4f s, exit status %d:" % (number.name, after, took, p.returncode)
            now = output()
            if number != signal.SIGKILL:
                left = os.listdir(os.path.dirname(OUTPUT))
                check(left == ["report.json"], what, "leaves", left)
            if now == OLD:
                old += 1
                # before the handler is installed, the signal itself ends it
                check(p.returncode in (-number, 128 + number), what, "the old report, but no sign of the signal")
                continue
            try:
                report = json.loads(now)
            except ValueError:
                check(False, what, "half a report:", now[-200:])
                continue
            if p.returncode == 128 + number:
                partial += 1
                handled += 1
                # all may have been read before the signal was seen
                check(report["complete"] is False or without_run(now) == full, what, "a partial report that calls itself complete")
                s = report["summary"]
                check(s["files"] == s["files_read"] + s["files_failed"] + s["files_skipped"], what, "lost a file", s)
            else:
                check(without_run(now) == full, what, "neither the old report nor the new one")
        check(number == signal.SIGKILL or handled, number.name, "never left a partial report: it is not caught")
    print("signals: %d left the old report, %d a partial one, of %d" % (old, partial, sum(KILLS.values())))
    hang_up_under_nohup(data, full, status)


def hang_up_under_nohup(data, whole, status):
    """Who ignores SIGHUP beforehand, as nohup does, gets the whole report."""
    command = arguments(*PATHS * 12, jobs=2)
    for part in range(1, 6):
        start_over()
        with subprocess.Popen(command, cwd=data, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as p:
            while p.poll() is None:  # whenever it is that it would catch them
                p.send_signal(signal.SIGHUP)
                time.sleep(0.002 * part)
            err = p.stderr.read()
        check(p.returncode == status and without_run(output()) == whole, "SIGHUP under nohup: exit status", p.returncode, err)


def full_disks(data):
    """A report that cannot be written is exit status 2 with a word, in every form."""
    if not os.path.exists("/dev/full"):
        print("skipped: no /dev/full")
        return
    for form in ("json", "jsonl", "text", "concise", "sarif", "junit", "github", "gitlab", "csv", "markdown"):
        command = [PROGRAM, "-q", "-c", "names.txt", "-i", "255", "-f"]
        for name, extra in (("standard output", [form]), ("-o", ["none", "-o", form + ":/dev/full"])):
            with open("/dev/full", "wb") as full:
                run = subprocess.run([*command, *extra, "clean", "masks"], cwd=data, stdout=full, stderr=subprocess.PIPE, check=False)
            check(run.returncode == 2 and b"No space left" in run.stderr, form, "to", name, "when full:", run.returncode, run.stderr)
        run = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command, form, "clean", "masks"], cwd=data, stderr=subprocess.PIPE, check=False)
        check(run.returncode == 2 and run.stderr, form, "to a closed standard output:", run.returncode, run.stderr)


DATA, PATHS = make_data()
start_over()
RUN = subprocess.run(arguments(*PATHS), cwd=DATA, capture_output=True, check=False)
WHOLE = without_run(output())
if check(RUN.returncode in (0, 1) and json.loads(output())["complete"] is True, "the plain run:", RUN.returncode, RUN.stderr):
    if os.path.exists(SHIM):
        fail_calls(DATA, WHOLE, RUN.returncode)
        BENCH = torture_cases.Bench()
        fail_cases(BENCH)
        interrupt_cases(BENCH)
        for name in CALLS:
            check(seen.get(name), "no call of", name, "was seen: the shim is blind")
    else:
        print("skipped: failing calls, no", SHIM)
    kill_at_random(DATA, WHOLE)
    full_disks(DATA)
finish()
