#!/bin/bash
# No reader is quadratic: four times the input takes at most 2.5 x 2.5 times the processor time, of files made to hurt each of them.
#
# usage: tests/property/doubling.sh [READER...]     BUILD=dir: where the program was built; left out with sanitizers, whose malloc
#                                                   is another; DOUBLING_VERBOSE=1: the figures. Needs python3.
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$here/../../$build
program=$build/labelaudit
if ! command -v python3 >/dev/null || nm -D "$program" 2>/dev/null | grep -qE ' __(asan|tsan|ubsan)_'; then
	echo "skipped: no python3, or built with sanitizers"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset GITHUB_STEP_SUMMARY
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/doubling.py" "$program" "$folder" "$@"
