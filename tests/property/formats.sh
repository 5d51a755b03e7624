#!/bin/bash
# Every form of the report, on files and classes with names that speak its language: valid for an independent parser, without
# a byte that a terminal, a log or a page obeys, and with names that come back.
#
# usage: tests/property/formats.sh     BUILD=dir: where the program was built. Needs python3.
#        LABELAUDIT_PYTHON=FILE: a Python that may have cmarkgfm or markdown-it-py, and jsonschema
#        LABELAUDIT_SARIF_SCHEMA=FILE: sarif-schema-2.1.0.json of OASIS; without it the rules that matter are checked by hand
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$here/../../$build
python=${LABELAUDIT_PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
	echo "skipped: no python3"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset GITHUB_STEP_SUMMARY
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -X utf8 "$here/formats.py" "$build/labelaudit" "$folder"
