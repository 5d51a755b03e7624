#!/bin/bash
# Arrays (.npy, IDX, gzipped or not) are read as NumPy reads them, and broken ones are refused: whole program.
#
# usage: tests/property/arrays.sh     BUILD=dir: where the program was built
#        LABELAUDIT_SHARED=dir: with hostile/generated: files whose verdict is known (../shared); skipped where absent
#        LABELAUDIT_PYTHON=FILE: a Python with NumPy (python3); arrays of every type, order and shape that it saves;
#        skipped without
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
find_python numpy || python=$(command -v python3) || skip_all "no Python"
"$python" "$root/tests/property/arrays.py" "$program" "$folder" "$shared/hostile/generated"
