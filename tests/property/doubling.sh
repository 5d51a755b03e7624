#!/bin/bash
# No reader is quadratic: four times the input takes at most 2.5 x 2.5 times the processor time, of files made to hurt each of them.
#
# usage: tests/property/doubling.sh [READER...]     BUILD=dir: where the program was built; left out with sanitizers, whose malloc
#                                                   is another; DOUBLING_VERBOSE=1: the figures. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
if is_instrumented 'asan|tsan|ubsan' "$program"; then
	skip_all "built with sanitizers"
fi
plain_python "$root/tests/property/doubling.py" "$program" "$folder" "$@"
