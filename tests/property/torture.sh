#!/bin/bash
# Bad luck: every allocation and system call may fail, every moment may be the last, and no report is ever half of one.
#
# usage: tests/property/torture.sh     a part of it, in seconds; TORTURE=more; TORTURE=all: everything (`make torture`)
#        BUILD=dir: where the program and torture_shim.so were built; left out with sanitizers, which have a malloc of their own
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/torture.py" "$program" "$build/torture_shim.so" "$folder" "$root/testdata"
