#!/bin/bash
# Archives as input of `labelaudit fix`: random sets, packed in each container that the audit reads, come out as files below the
# archive's name, masks with the right ids and every other member as it was. Then: any number of jobs, kills, --verify, refusals.
#
# usage: tests/property/fix_archives.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more sets, 200 kills
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
sets=1 kills=4
[[ ${LABELAUDIT_TEST-} == all ]] && sets=40 kills=200
if plain_python "$root/tests/property/fix_archives.py" "$program" "$folder" "$sets" "$kills"; then
	pass
else
	fail "archives"
fi
total
