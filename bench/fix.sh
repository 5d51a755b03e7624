#!/bin/bash
# Corrected copies against the audit, and against a pool of processes with Pillow and NumPy that does the same map: files a second,
# and the bytes of the masks against those of Pillow's optimize.
#
# usage: bench/fix.sh FOLDER     FOLDER: masks of one channel (8-bit PNG); a copy with every id plus 1 is made and fixed
#        ROUNDS=3: pairs of audit and fix, of which the fastest count; BUILD=dir, PYTHON=a python3 with Pillow and NumPy
set -euo pipefail
export LC_ALL=C

source=${1:?usage: bench/fix.sh FOLDER}
rounds=${ROUNDS:-3}
build=${BUILD:-build}
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

classes=$("$python" - "$source" "$scratch/set" <<'PYTHON'
import os, sys
import numpy as np
from PIL import Image

source, target = sys.argv[1:]
count = classes = 0
for at, _, names in os.walk(source):
    for name in names:
        if not name.endswith(".png"):
            continue
        image = Image.open(os.path.join(at, name))
        if image.mode not in "LP":
            continue
        ids = np.array(image)
        classes = max(classes, 1 + int(ids[ids != 255].max(initial=0)))
        out = Image.fromarray(np.where(ids == 255, 255, ids + 1).astype(np.uint8))
        os.makedirs(target, exist_ok=True)
        out.save(os.path.join(target, "%05d.png" % count))
        count += 1
print(count, "masks", file=sys.stderr)
print(classes)
PYTHON
)

now() { date +%s.%N; }
files=$(find "$scratch/set" -type f | wc -l)
# seconds NAME COMMAND...: runs it; $scratch/NAME gets the seconds that it took
seconds() {
	local name=$1 began
	shift
	began=$(now)
	"$@" || true
	awk -v a="$began" -v b="$(now)" 'BEGIN { print b - a }' >>"$scratch/$name"
}
rate() { # NAME: of the fastest run
	sort -g "$scratch/$1" | awk -v n="$files" -v name="$1" 'NR == 1 { printf "%-8s %9.1f files/s  %7.3f s\n", name, n / $1, $1 }'
}
for ((round = 0; round < rounds; round++)); do
	rm -rf "$scratch/fixed"
	sleep 6 # ext4 searches for inodes that were not freed in the last five seconds, which takes longer than the rest
	seconds audit "$build/labelaudit" -q -c "$classes" -i 255 -f none "$scratch/set"
	seconds fix "$build/labelaudit" fix -q -c "$classes" -i 255 -f none "$scratch/set" -o "$scratch/fixed"
done
rate audit
rate fix
if ! grep -q '"files_changed":'" *$files," "$scratch/fixed/receipt.json" 2>/dev/null; then
	echo "not every mask was changed:"
	"$build/labelaudit" fix -c "$classes" -i 255 -f text "$scratch/set" || true
	exit 1
fi
cat >"$scratch/pillow.py" <<'PYTHON'
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
seconds Pillow "$python" "$scratch/pillow.py" "$scratch/set" "$scratch/pillow"
rate Pillow
ours=$(find "$scratch/fixed" -name '*.png' -printf '%s\n' | awk '{ n += $1 } END { print n }')
theirs=$(find "$scratch/pillow" -name '*.png' -printf '%s\n' | awk '{ n += $1 } END { print n }')
awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "bytes: %d, Pillow with optimize %d, ratio %.3f\n", a, b, a / b }'
