"""Counting checks, for the tests of this folder that are written in Python: check() each, finish() at the end."""
import sys

FAILURES_SHOWN = 40
passed = skipped = 0
failures = []


def check(ok, *what):
    """Counts it; what: said of it if it fails. Returns ok."""
    global passed
    if ok:
        passed += 1
    else:
        failures.append(" ".join(str(w) for w in what)[:600])
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
