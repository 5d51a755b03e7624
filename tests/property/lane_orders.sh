#!/bin/bash
# The GPU's kernel, as a loop over its lanes in each order, against libpng, zlib and the reference: the same report of mutated masks, file
# by file.
#
# usage: tests/property/lane_orders.sh [FOLDER...]     BUILD=dir: where the program was built
#
# The mutants are made of testdata (lane_orders.py): 400; 1,000 with LABELAUDIT_TEST=all, 20,000 with TORTURE=all. Masks with long rows
# (wide_masks.py), those of FOLDERs, and some of the corpora and data sets in LABELAUDIT_SHARED (../shared) are compared besides.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
folders=()
for i; do
	folders+=("$(realpath "$i")")
done
mkdir "$folder/mutants" "$folder/wide"
count=400
[[ ${LABELAUDIT_TEST-} != all ]] || count=1000
[[ ${TORTURE-} != all ]] || count=20000
plain_python "$root/tests/property/wide_masks.py" "$folder/wide" $((count < 1000 ? 60 : 120)) 1
find "$root/testdata" -name '*.png' -print0 | sort -z | xargs -0 python3 "$root/tests/property/lane_orders.py" "$folder/mutants" "$count" 1
if [[ -d $shared/hostile ]]; then
	mkdir "$folder/shared"
	find "$shared/hostile" "$shared/data" -name '*.png' -size -64k | sort | awk -v step=$((count < 1000 ? 100 : 12)) 'NR % step == 0' |
		xargs -d '\n' cp --parents -t "$folder/shared"
	folders+=(shared)
fi
cd "$folder" || exit 1

# audit DEVICE OPTION...: a line of JSON for each file, without the times
audit() {
	"$program" --device "$1" -q -c 12 -i 255 --fail-on never -f jsonl "${@:2}" mutants wide "${folders[@]}" 2>"$folder/errors" |
		sed -E 's/"run": ?\{([^{}]|\{[^{}]*\})*\}/"run": {}/; s/("started": ?)"[^"]*"/\1"N"/'
}
for view in raw pil cv2; do
	LABELAUDIT_DECODER=libpng audit cpu --view $view >"$folder/expected"
	for order in forward reverse random; do
		LABELAUDIT_SIM_ORDER=$order audit sim --view $view >"$folder/got"
		files=$(grep -c '"type": *"file"' "$folder/got")
		read_whole=$(grep -c '"type": *"file".*"status": *"read"' "$folder/got")
		if ((files < count || read_whole < count / 10 || read_whole > files * 9 / 10)); then
			echo "FAILED  view $view, lanes $order: $files files, $read_whole of them read: $(head -n 3 "$folder/errors")"
			failed=$((failed + 1))
		elif ! cmp -s "$folder/expected" "$folder/got"; then
			echo "FAILED  view $view, lanes $order:"
			diff "$folder/expected" "$folder/got" | cut -c1-300 | head -n 4
			failed=$((failed + 1))
		else
			echo "view $view, lanes $order: $files files, $read_whole of them read: the same"
			passed=$((passed + 1))
		fi
	done
done
total
