#!/bin/bash
# The report does not depend on the cache and its state, the device, the decoder, the number of jobs; for folders, archives, links.
#
# usage: tests/property/combinations.sh     LABELAUDIT_TEST=all: more files     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/combinations.py" "$program" "$folder" "$root/testdata" "${LABELAUDIT_TEST:-some}"
