#!/bin/bash
# Archives as input and output of `labelaudit fix`: random sets, packed in each container that the audit reads, come back in an
# archive of the same kind with the right ids, and every other member, name, time and mode as it was; as Python's tarfile and
# zipfile see them. Then: refusals, any number of jobs, kills, a full disk, --verify, --apply.
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
