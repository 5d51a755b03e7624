#!/bin/bash
# Trees of public data sets, of trees.txt: what is audited of each, alone, in a repository, in archives, with strays and bad ids.
#
# usage: tests/property/trees.sh [WORDS]     only sets whose names contain one; prints what was said     BUILD=dir: the program's
#        LABELAUDIT_TEST=all: each in all places with all strays, not some of them in turn
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/trees.py" "$program" "$folder" "$root/tests/property/trees.txt" "$@"
