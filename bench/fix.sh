#!/bin/bash
# Corrected copies against the audit, and against a pool of processes with Pillow and NumPy that does the same map: files a second,
# and the bytes of the masks against those of Pillow's optimize.
#
# usage: bench/fix.sh FOLDER CLASSES        FOLDER: masks of one channel (8-bit PNG); a copy with every id plus 1 is made and fixed;
#                                           CLASSES: the largest id plus 1, or the copy is in range
#        BUILD=dir, PYTHON=a python3 with Pillow and NumPy
set -euo pipefail
export LC_ALL=C

source=${1:?usage: bench/fix.sh FOLDER CLASSES}
classes=${2:?usage: bench/fix.sh FOLDER CLASSES}
build=${BUILD:-build}
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$python" - "$source" "$scratch/set" <<'PYTHON'
import os, sys
import numpy as np
from PIL import Image

source, target = sys.argv[1:]
count = 0
for at, _, names in os.walk(source):
    for name in names:
        if not name.endswith(".png"):
            continue
        image = Image.open(os.path.join(at, name))
        if image.mode not in "LP":
            continue
        ids = np.array(image)
        out = Image.fromarray(np.where(ids == 255, 255, ids + 1).astype(np.uint8))
        os.makedirs(target, exist_ok=True)
        out.save(os.path.join(target, "%05d.png" % count))
        count += 1
print(count, "masks")
PYTHON

now() { date +%s.%N; }
files=$(find "$scratch/set" -type f | wc -l)
rate() { # NAME BEGAN
	awk -v n="$files" -v a="$2" -v b="$(now)" -v name="$1" 'BEGIN { printf "%-24s %8.1f files/s  %6.2f s\n", name, n / (b - a), b - a }'
}
"$build/labelaudit" -q -c "$classes" -i 255 -f none "$scratch/set" || true # into the page cache
began=$(now)
"$build/labelaudit" -q -c "$classes" -i 255 -f none "$scratch/set" || true
rate audit "$began"
began=$(now)
"$build/labelaudit" fix -q -c "$classes" -i 255 -f none "$scratch/set" -o "$scratch/fixed" || true
rate "fix, with both audits" "$began"
if [[ ! -d $scratch/fixed ]]; then
	echo "the set was refused:"
	"$build/labelaudit" fix -c "$classes" -i 255 -f text "$scratch/set" || true
	exit 1
fi
began=$(now)
"$python" - "$scratch/set" "$scratch/pillow" <<'PYTHON'
import os, sys
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from PIL import Image

source, target = sys.argv[1:]
os.makedirs(target)

def fix(name):
    ids = np.array(Image.open(os.path.join(source, name)))
    Image.fromarray(np.where(ids == 255, 255, ids - 1).astype(np.uint8)).save(os.path.join(target, name), optimize=True)

with ProcessPoolExecutor() as pool:
    list(pool.map(fix, sorted(os.listdir(source)), chunksize=16))
PYTHON
rate "Pillow and NumPy" "$began"
ours=$(find "$scratch/fixed" -name '*.png' -printf '%s\n' | awk '{ n += $1 } END { print n }')
theirs=$(find "$scratch/pillow" -name '*.png' -printf '%s\n' | awk '{ n += $1 } END { print n }')
awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "bytes: %d, Pillow with optimize %d, ratio %.3f\n", a, b, a / b }'
