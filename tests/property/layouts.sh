#!/bin/bash
# Public layouts of data sets, each alone, with plots beside it, in a repository, a folder deeper and in archives: the right
# label files are audited every time, and what is not read is named.
#
# usage: tests/property/layouts.sh [-s SEED] [WORDS]     only layouts whose names contain one     BUILD=dir: the program's
#        LABELAUDIT_TEST=all, or WORDS: each in all places; else alone, and most in one more
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/layouts.py" "$program" "$folder" "$@"
