#!/bin/bash
# Documents that are read back or given: a report, that of a shard, a baseline, annotations, class names, settings. Each is valid, and then
# one value of it is another one: that is refused with a word, or read, but nothing crashes, hangs or is made up.
#
# usage: tests/property/documents.sh     some of the changes; TORTURE=more: more of them     BUILD=dir: where the program was built
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
python3 "$here/documents.py" "$build/labelaudit" "$folder" "$here/../../testdata"
