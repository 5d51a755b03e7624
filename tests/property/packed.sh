#!/bin/bash
# Archives with one field of their headers changed, or one byte: what is damaged is said, the rest is read, nothing crashes, hangs or is lost.
#
# usage: tests/property/packed.sh     some of the changes; TORTURE=more or LABELAUDIT_TEST=all: more of them     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/packed.py" "$program" "$folder" "$root/testdata"
