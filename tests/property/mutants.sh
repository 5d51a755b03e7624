#!/bin/bash
# Damaged files of every format that is read: none ends the program, leaves it hanging, or is lost from the report; and the fast
# path says of each what the plain one says. The sanitizers watch where the program was built with them.
#
# usage: tests/property/mutants.sh     MUTANT_SEEDS=N: how many sets of 1,460 files (`make mutants`: 10; else 1 of 400)
#                                      BUILD=dir: where the program was built. Needs python3.
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$here/../../$build
if ! command -v python3 >/dev/null; then
	echo "skipped: no python3"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset GITHUB_STEP_SUMMARY
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/mutants.py" "$build/labelaudit" "$here/../../testdata" "$folder"
