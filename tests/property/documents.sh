#!/bin/bash
# Documents that are read back or given: a report, that of a shard, a baseline, annotations, class names, settings. Each is valid, and then
# one value of it is another one: that is refused with a word, or read, but nothing crashes, hangs or is made up.
#
# usage: tests/property/documents.sh     some of the changes; TORTURE=more: more of them     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/documents.py" "$program" "$folder" "$root/testdata"
