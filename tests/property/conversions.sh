#!/bin/bash
# Pastes the command that converts each format that is not read, and audits what it wrote (tests/property/conversions.py).
#
# usage: tests/property/conversions.sh     PYTHON=python3: one that has NumPy and Pillow; others are used where it has them
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

python=${PYTHON:-python3}
"$python" -c 'import numpy, PIL' 2>/dev/null || skip_all "$python has no NumPy or Pillow"
if "$python" "$root/tests/property/conversions.py" "$program" >"$folder/out" 2>&1; then
	pass
else
	fail "$(cat "$folder/out")"
fi
total
