#!/bin/bash
# The numbers of tests/boundaries, at and beside each edge, through every container: ids in lists, tables, JSON Lines, YOLO, COCO, IDX,
# arrays, archives, standard input and shards; lengths of texts, arrays and members; sizes of masks that fix writes anew. Each id is
# named, each label and each pixel counted, and nothing crashes.
#
# usage: tests/property/boundaries.sh     BUILD=dir: where the program was built; .ci/run gives the sanitized one, too
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/boundaries.py" "$program" "$folder" "$root"
