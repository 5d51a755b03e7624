#!/bin/bash
# A mask means the same however it is encoded: as grey ids, in RGB, RGBA or 16 bits, interlaced, and as a palette in any
# order. The reports of random masks with random tables of colours agree in classes and histograms, on each device; unknown
# colours are counted, placed and never taken for a class.
#
# usage: tests/property/colours.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
if plain_python "$root/tests/property/colours.py" "$program" "$folder"; then
	pass
else
	fail "masks in colours"
fi
total
