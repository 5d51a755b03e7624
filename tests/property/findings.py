"""What tests/property/findings.sh says.

usage: findings.py PROGRAM FOLDER     FOLDER: empty; LABELAUDIT_TEST=all in the environment: four times as many, and their memory
"""
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile

program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(folder)
passed, failures = 0, []
ALL = os.environ.get("LABELAUDIT_TEST") == "all"
ARCHIVES, MEMBERS = 4, 30000 if ALL else 8000
MIB = 1 << 20
BOUND = 128 * MIB  # and 32 MiB a thread: half of what is promised, for few findings; on the heap they would take 220, two reports 350


def check(ok, *what):
    global passed
    passed += bool(ok)
    if not ok:
        failures.append(" ".join(str(w) for w in what)[:600])


# A process counts the memory of the one that started it: a small one does.
LAUNCHER = """
import json, os, resource, signal, subprocess, sys
for line in sys.stdin:
    command, environment, limits = json.loads(line)
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))
    with open("stdout", "wb") as out, open("stderr", "wb") as err:
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit, env={**os.environ, **environment})
        _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([p.returncode, usage.ru_maxrss]), flush=True)
"""
launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run(*arguments, jobs=1, limits=None, **environment):
    """(exit status, standard output, standard error); fails if it took more memory than it may."""
    launcher.stdin.write(json.dumps([[program, *arguments, "-q"], environment, limits or {}]) + "\n")
    launcher.stdin.flush()
    status, kib = json.loads(launcher.stdout.readline())
    check(not ALL or kib << 10 <= BOUND + jobs * 32 * MIB, *arguments, "took", kib >> 10, "MiB")
    if os.environ.get("FINDINGS_VERBOSE"):
        print(kib >> 10, "MiB:", *arguments)
    with open("stdout", "rb") as out, open("stderr", "rb") as err:
        return status, out.read(), err.read().decode("utf-8", "replace")


def without_run(report):
    return report[:report.rindex(b'"run":')]


def audit(*arguments, jobs=1, **more):
    return run("--max-findings", "0", "-j", str(jobs), "-c", "5", "-i", "255", *arguments, jobs=jobs, **more)


raw = io.BytesIO()
with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as t:
    for i in range(MEMBERS):
        info = tarfile.TarInfo("masks/%05d.png" % i)
        info.size = 10
        t.addfile(info, io.BytesIO(b"\x89PNG\r\n\x1a\n\0\0"))
packed = gzip.compress(raw.getvalue(), 6)
os.mkdir("set")
for i in range(ARCHIVES):
    with open("set/%d.tar.gz" % i, "wb") as f:
        f.write(packed)

status, whole, err = audit("-f", "json", "set")
check(status == 1, "status", status, err)
report = json.loads(whole)
places = [(f["path"] or "\uffff", f["member"] or "", f["rule"]) for f in report["findings"]]
check(report["findings_listed"] == report["findings_total"] == len(places) >= ARCHIVES * MEMBERS, "findings:", len(places))
check(places == sorted(places), "findings are not sorted")
check(all(f["message"] and f["details"]["offset"] >= 0 for f in report["findings"] if f["member"]), "texts or details are lost")
del report, places
with open("whole.json", "wb") as f:
    f.write(whole)
check(without_run(audit("-f", "json", "set", jobs=3)[1]) == without_run(whole), "another report with -j 3")
audit("-f", "none", "-o", "json:file.json", "-o", "html:file.html", "set", jobs=2)
with open("file.json", "rb") as f:
    check(without_run(f.read()) == without_run(whole), "another report in a file")
# a list that is cut is the beginning of the whole one
status, cut, _ = audit("-f", "json", "--max-findings", str(ARCHIVES * MEMBERS // 2), "set")
cut, uncut = json.loads(cut)["findings"], json.loads(whole)["findings"]
of_the_set = sum(f["path"] is None for f in uncut)
check(cut == uncut[:ARCHIVES * MEMBERS // 2 - of_the_set] + uncut[len(uncut) - of_the_set:], "a cut list:", len(cut), of_the_set)
del cut, uncut

# ---- read back -------------------------------------------------------------------------------------------------------
check(run("render", "-f", "json", "whole.json")[1] == whole, "render writes another report")
for form in "text", "html":
    check(run("render", "-f", form, "whole.json")[0] == 0, "render", form)
status, difference, _ = run("diff", "-f", "json", "whole.json", "file.json")
check(status == 0 and json.loads(difference)["new_findings"] == [], "diff of a report with itself:", status)
audit("-f", "json", "-o", "json:none.json", "--skip", "all", "--select", "missing-class", "set")
status, difference, err = run("diff", "--allow", "settings", "-f", "json", "none.json", "whole.json", jobs=2)
check(status == 1 and len(json.loads(difference)["new_findings"]) >= ARCHIVES * MEMBERS, "diff:", status, err)
del difference
for part in "12":
    audit("--shard", part + "/2", "-f", "none", "-o", "json:part%s.json" % part, "set")
status, merged, err = run("merge", "-f", "json", "part2.json", "part1.json", jobs=2)
check(status == 1 and without_run(merged) == without_run(whole), "merge writes another report", status, err)
del merged

# ---- errors ----------------------------------------------------------------------------------------------------------
os.makedirs("spool")
with open("old.json", "wb") as f:
    f.write(b"old")
status, out, err = audit("-f", "json", "-o", "json:old.json", "set", TMPDIR=folder + "/missing")
check(status == 2 and "TMPDIR" in err and not out, "no folder for the temporary file:", status, err, len(out))


status, out, err = audit("-f", "json", "set", limits={"RLIMIT_FSIZE": (24 if ALL else 6) * MIB}, TMPDIR=folder + "/spool")
check(status == 2 and "TMPDIR" in err and not out, "the temporary file is full:", status, err, len(out))
with open("old.json", "rb") as f:
    check(f.read() == b"old", "an old report was replaced")
check(os.listdir("spool") == [], "left in TMPDIR:", os.listdir("spool"))
status, out, err = audit("-f", "json", "set", limits={"RLIMIT_AS": 2 << 30})
check(status == 1 and without_run(out) == without_run(whole), "with 2 GiB of addresses:", status, err)

for failure in failures:
    print("FAILED ", failure)
print("%d passed, %d failed, 0 skipped" % (passed, len(failures)))
sys.exit(bool(failures))
