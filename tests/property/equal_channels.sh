#!/bin/bash
# A mask saved as RGB or RGBA with equal channels is judged as the mask that each channel is: what is said of interpolation
# is what is said of the same mask in grey, from the cache, in archives, merged from shards and on the simulated device, too.
#
# usage: tests/property/equal_channels.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/equal_channels.py" "$program" "$folder"
