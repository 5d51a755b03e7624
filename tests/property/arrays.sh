#!/bin/bash
# Arrays (.npy, IDX, gzipped or not) are read as NumPy reads them, and broken ones are refused: whole program.
#
# usage: tests/property/arrays.sh     BUILD=dir: where the program was built
#        LABELAUDIT_SHARED=dir: with hostile/generated: files whose verdict is known (../shared); skipped where absent
#        LABELAUDIT_PYTHON=FILE: a Python with NumPy (python3); arrays of every type, order and shape that it saves;
#        skipped without
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$root/$build
shared=${LABELAUDIT_SHARED:-$root/../shared}
python=${LABELAUDIT_PYTHON:-}
for candidate in $python python3 /usr/bin/python3; do
	if "$candidate" -c 'import numpy' 2>/dev/null; then
		python=$candidate
		break
	fi
done
if [[ -z $python ]] && ! python=$(command -v python3); then
	echo "skipped: no Python"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$here/arrays.py" "$build/labelaudit" "$folder" "$shared/hostile/generated"
