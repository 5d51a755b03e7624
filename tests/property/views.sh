#!/bin/bash
# The ids that labelaudit reads under --view pil and cv2 are those that Pillow and OpenCV read, and under --view raw those
# that were written: whole program, every colour type and depth of PNG, plain and interlaced, on every device that is here.
#
# usage: tests/property/views.sh     BUILD=dir: where the program was built
#        LABELAUDIT_PYTHON=FILE: a Python with Pillow, NumPy and OpenCV (python3); without them this is skipped, and the
#        stored truth in tests/cli/png-types-*.case stands alone
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$root/$build
python=${LABELAUDIT_PYTHON:-}
for candidate in $python python3 /usr/bin/python3; do
	if "$candidate" -c 'import cv2, numpy, PIL' 2>/dev/null; then
		python=$candidate
		break
	fi
	python=
done
if [[ -z $python ]]; then
	echo "skipped: no Python with Pillow, NumPy and OpenCV"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$here/views.py" "$build/labelaudit" "$folder" "$root/testdata/png"
