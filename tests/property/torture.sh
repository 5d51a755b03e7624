#!/bin/bash
# Bad luck: every allocation and system call may fail, every moment may be the last, and no report is ever half of one.
#
# usage: tests/property/torture.sh     a part of it, in seconds; TORTURE=all: everything (`make torture`)
#        BUILD=dir: where the program and torture_shim.so were built; left out with sanitizers, which have a malloc of their own
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
python3 "$here/torture.py" "$build/labelaudit" "$build/torture_shim.so" "$folder" "$here/../../testdata"
