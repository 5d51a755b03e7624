#!/bin/bash
# What a report says of a cure, and what `labelaudit fix` does: a finding says `exact` where the plan of its file, or of the set,
# changes ids as its mapping says; text, HTML and SARIF name a command where the plan changes files; and it runs as it is printed.
#
# usage: tests/property/fix_named.sh     LABELAUDIT_TEST=all: more sets
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
sets=24
[[ ${LABELAUDIT_TEST-} == all ]] && sets=2000
if plain_python "$root/tests/property/fix_named.py" "$program" "$folder" "$sets"; then
	pass
else
	fail "cures that a report names"
fi
total
