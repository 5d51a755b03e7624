#!/bin/bash
# The ids that labelaudit reads under --view pil and cv2 are those that Pillow and OpenCV read, and under --view raw those
# that were written: whole program, every colour type and depth of PNG, plain and interlaced, on every device that is here.
#
# usage: tests/property/views.sh     BUILD=dir: where the program was built
#        LABELAUDIT_PYTHON=FILE: a Python with Pillow, NumPy and OpenCV (python3); without them this is skipped, and the
#        stored truth in tests/cli/png-types-*.case stands alone
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
find_python "cv2, numpy, PIL" || skip_all "no Python with Pillow, NumPy and OpenCV"
"$python" "$root/tests/property/views.py" "$program" "$folder" "$root/testdata/png"
