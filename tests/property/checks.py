"""What the tests of this folder that are written in Python begin with: where things are, runs of the program, and counting checks.

They take from the environment BUILD, the folder where the program was built (build); LABELAUDIT_TEST=all: whatever takes long, too, or
first: no more than one failure; LABELAUDIT_SHARED: a folder with corpora (../shared); LABELAUDIT_PYTHON: a Python that has the modules
which a test needs.
"""
import atexit
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
PROGRAM = os.path.join(BUILD, "labelaudit")
TESTDATA = os.path.join(ROOT, "testdata")
SHARED = os.path.abspath(os.environ.get("LABELAUDIT_SHARED", os.path.join(ROOT, "../shared")))
ALL = os.environ.get("LABELAUDIT_TEST") == "all"
FAILURES_SHOWN = 40
passed = skipped = 0
failures = []

for name in ("GITHUB_STEP_SUMMARY CI CI_PROJECT_DIR GITHUB_WORKSPACE FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS").split():
    os.environ.pop(name, None)
os.environ.update(LC_ALL="C", GIT_CEILING_DIRECTORIES=os.path.realpath(ROOT))  # this may be a clone or not


def check(ok, *what):
    """Counts it; what: said of it if it fails. Returns ok."""
    global passed
    if ok:
        passed += 1
    else:
        failures.append(" ".join(str(w) for w in what)[:600])
        if os.environ.get("LABELAUDIT_TEST") == "first":
            finish()
    return ok


def skip(what, why):
    global skipped
    skipped += 1
    print("skipped %s: %s" % (what, why))


def finish():
    """Prints the failures and the line that scripts/run-tests adds up; ends the program."""
    for failure in failures[:FAILURES_SHOWN]:
        print("FAILED ", failure.encode("ascii", "backslashreplace").decode())
    print("%d passed, %d failed, %d skipped" % (passed, len(failures), skipped))
    sys.exit(bool(failures))


def skip_all(why):
    """Ends the test."""
    skip("all", why)
    finish()


def verdict(done, same, but=frozenset()):
    """The exit status of an audit as JSON, and its rules with their levels: (1, "e:empty-box"). same: names in place of those of rules;
    but: which to leave out.
    """
    rules = {r["level"][0] + ":" + same.get(r["rule"], r["rule"]) for r in json.loads(done.stdout)["summary"]["rules"]}
    return done.returncode, " ".join(sorted(rules - but))


def scratch():
    """An empty folder, which is removed at the end."""
    def remove():
        if os.getpid() == owner:
            subprocess.run(["chmod", "-R", "u+rwx", folder], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(folder, ignore_errors=True)
    folder, owner = tempfile.mkdtemp(), os.getpid()
    atexit.register(remove)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    return folder


FOLDER = scratch()


def need_modules(*names, optional=False):
    """Goes on in a Python that has them, if this one has not. Without any the test ends; if they are optional, it goes on here."""
    tried = os.environ.pop("TRIED_PYTHONS", None)
    if all(map(importlib.util.find_spec, names)):
        return
    pythons = [os.environ.get("LABELAUDIT_PYTHON"), "python3", "/usr/bin/python3"] if tried is None else tried.split()
    while pythons:
        python = pythons.pop(0)
        if python and shutil.which(python):
            os.environ["TRIED_PYTHONS"] = " ".join(filter(None, pythons))
            os.rmdir(FOLDER)
            os.execvp(python, [python, *sys.argv])
    if not optional:
        skip_all("no Python with " + ", ".join(names))


def is_instrumented():
    """Whether the program is built with a sanitizer, whose malloc is another one, or for coverage."""
    with open(PROGRAM, "rb") as file:
        data = file.read()
    return any(word in data for word in (b"__asan_init", b"__tsan_init", b"__ubsan_handle", b"__gcov_"))


def run(*words, environment=(), timeout=120, **more):
    """Runs the program in FOLDER, unless there is a cwd, and returns what it said, as bytes, unless there is text=True."""
    return subprocess.run([PROGRAM, *words], **{"cwd": FOLDER, "capture_output": True, "check": False, **more}, timeout=timeout,
                          env={**os.environ, **dict(environment)})
