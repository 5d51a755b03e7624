#!/bin/bash
# Every family of label files with a stray of every other: a bad label is an error, or is reported as not audited.
#
# usage: tests/property/gate.sh [WORDS]     only the rows whose names contain one     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/gate_cases.py" "$program" "$folder" "$@"
