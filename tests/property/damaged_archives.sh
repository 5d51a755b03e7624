#!/bin/bash
# Archives of all packings, damaged at random: the same report however many threads read and unpack them, of a file and of a pipe.
#
# usage: tests/property/damaged_archives.sh [COUNT [SEED]]     26 archives, two of each kind; LABELAUDIT_TEST=all: 400     BUILD=dir: where the
#        program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
count=26
[[ ${LABELAUDIT_TEST:-} == all ]] && count=400
plain_python "$root/tests/property/damaged_archives.py" "$program" "$folder" "$root/testdata" "${1:-$count}" "${2:-1}"
