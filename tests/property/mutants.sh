#!/bin/bash
# Damaged files of every format that is read: none ends the program, leaves it hanging, or is lost from the report; and the fast
# path says of each what the plain one says. The sanitizers watch where the program was built with them.
#
# usage: tests/property/mutants.sh     MUTANT_SEEDS=N: how many sets of 1,460 files (`make mutants`: 10; else 1 of 400)
#                                      BUILD=dir: where the program was built. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/mutants.py" "$program" "$root/testdata" "$folder"
