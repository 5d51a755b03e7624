#!/bin/bash
# Few bytes cannot buy much work: what all files together declare beyond their bytes on disk is bounded (--pixel-budget), in folders,
# archives and through several layers of packing; the report is the same for any threads, devices, pipes and caches.
#
# usage: tests/property/budget.sh     BUILD=dir: where the program was built. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/budget.py" "$program" "$folder"
