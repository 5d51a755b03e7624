#!/bin/bash
# Corrected copies. Random clean sets are corrupted in every way that `labelaudit fix` cures: the copy has the ids of the clean
# set in every pixel, or the set was refused; so does what is declared. Then: killed at random moments, what is left is no result, and
# a run begun anew gives the same bytes; so does any number of jobs; --verify sees one changed byte; what may not be written to is refused.
#
# usage: tests/property/fix.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 200 kills
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
sets=30 kills=5
[[ ${LABELAUDIT_TEST-} == all ]] && sets=1500 kills=200
if plain_python "$root/tests/property/fix.py" "$program" "$folder" "$sets" "$kills"; then
	pass
else
	fail "corrected copies"
fi
total
