#!/bin/bash
# What 1 MB can cost: pictures of noise that deflate expands a thousandfold, the worst of each kind that is known. Each takes at most
# some times what zlib takes to inflate it, in processor time (worst.py). make check-all does so with files of 200 KB, make torture of 1 MB.
#
# usage: tests/property/worst.sh [KIND...]     BUILD=dir: where the program was built; left out with sanitizers, which have another
#                                              price; WORST_VERBOSE=1: the figures. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
if is_instrumented 'asan|tsan|ubsan|gcov' "$program"; then
	skip_all "built with sanitizers"
fi
plain_python "$root/tests/property/worst.py" "$program" "$folder" "$@"
