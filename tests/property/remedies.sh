#!/bin/bash
# Pastes the Python of each remedy with NumPy, Pillow and OpenCV, and audits what it made (tests/property/remedies.py).
#
# usage: tests/property/remedies.sh     PYTHON=python3: one that has these packages
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

python=${PYTHON:-python3}
"$python" -c 'import cv2, numpy, PIL' 2>/dev/null || skip_all "$python has no NumPy, Pillow or OpenCV"
if "$python" "$root/tests/property/remedies.py" "$program" "$root/testdata" >"$folder/out" 2>&1; then
	pass
else
	fail "$(cat "$folder/out")"
fi
total
