#!/bin/bash
# Corrected copies of label files. Random lists, tables, YOLO texts, COCO files and arrays are corrupted in the ways that
# `labelaudit fix` cures: the copy has the bytes of the clean file, or the set was refused. Then: killed at random moments, a
# rerun gives the same bytes; any number of jobs gives the same bytes; a second run changes nothing.
#
# usage: tests/property/fix_labels.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 100 kills
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
sets=16 kills=2
[[ ${LABELAUDIT_TEST-} == all ]] && sets=2000 kills=100
if python3 "$root/tests/property/fix_labels.py" "$program" "$folder" "$sets" "$kills"; then
	pass
else
	fail "corrected label files"
fi
total
