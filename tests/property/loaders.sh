#!/bin/bash
# What Pillow and OpenCV refuse, labelaudit reports as unreadable-by-loader under --view pil and cv2; what they read, it does not. PNGs of every
# type with chunks of every kind: shortened, lengthened, repeated, misplaced, with wrong CRCs; animations; texts that inflate.
#
# usage: tests/property/loaders.sh     500 files; LABELAUDIT_TEST=all: 12,000     BUILD=dir: where the program was built
#        LABELAUDIT_PYTHON=FILE: a Python with Pillow, NumPy and OpenCV (python3); without them this is skipped
#        SEED=N, COUNT=N: other files, and more
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
find_python "cv2, numpy, PIL" || skip_all "no Python with Pillow, NumPy and OpenCV"
count=500
[[ ${LABELAUDIT_TEST:-} == all ]] && count=12000
"$python" "$root/tests/property/loaders.py" "$program" "$folder" "${SEED:-1}" "${COUNT:-$count}"
