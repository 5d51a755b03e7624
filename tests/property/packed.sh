#!/bin/bash
# Archives with one field of their headers changed, or one byte: what is damaged is said, the rest is read, nothing crashes, hangs or is lost.
#
# usage: tests/property/packed.sh     some of the changes; TORTURE=more: more of them     BUILD=dir: where the program was built
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
python3 "$here/packed.py" "$build/labelaudit" "$folder" "$here/../../testdata"
