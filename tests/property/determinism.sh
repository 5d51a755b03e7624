#!/bin/bash
# The same report, byte for byte but for `run`: in any locale, time zone and terminal, with any number of threads, by the
# fast path, by libpng or by the kernel of the GPU, in any order of a list, and again.
#
# usage: tests/property/determinism.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root/testdata" || exit 1
# of one kind of labels each
paths=(masks clean png arrays/* lists yolo archives rules/*/*/)
forms=(json jsonl sarif junit gitlab csv markdown text concise)

# audit NAME [VARIABLE=VALUE...] [-- OPTION...]: all forms of one audit, beside each other in $folder/NAME
audit() {
	local name=$1 form outputs=() variables=()
	shift
	while (($#)) && [[ $1 != -- ]]; do
		variables+=("$1")
		shift
	done
	(($#)) && shift
	mkdir -p "$folder/$name"
	for form in "${forms[@]}"; do
		outputs+=(-o "$form:$folder/$name/$form")
	done
	(($#)) || set -- "${paths[@]}"
	env "${variables[@]}" "$program" -q -c 21 -i 255 -f none --fail-on never "${outputs[@]}" "$@" 2>"$folder/$name/errors"
	# when it was, how long it took and on what; in the forms that say so
	for form in "${forms[@]}"; do
		sed -i -E '/^  "run": \{/d; s/"run": ?\{.*//; s/"(started|startTimeUtc|endTimeUtc|device)": *"[^"]*"//g; s/ (timestamp|time)="[^"]*"//g
			s/"(seconds|peak_memory_bytes)": *[0-9.]+//g' "$folder/$name/$form"
	done
}

same() {
	local difference
	if difference=$(diff -r "$folder/${2:-plain}" "$folder/$1"); then
		passed=$((passed + 1))
	else
		echo "FAILED  $1: not the report of ${2:-plain}:"
		cut -c1-300 <<<"$difference" | head -n 6
		failed=$((failed + 1))
	fi
	rm -rf "${folder:?}/$1"
}

audit plain LC_ALL=C TZ=UTC
if [[ ! -s $folder/plain/json || $(wc -l <"$folder/plain/jsonl") -lt 50 ]]; then
	echo "FAILED  there is no report: $(cat "$folder/plain/errors")"
	failed=1
fi
audit again LC_ALL=C TZ=UTC
same again
comma=$(locale -a 2>/dev/null | grep -iE '^(de|fr|ru|tr)_.*utf-?8$' | head -n 1)
if [[ -z $comma ]]; then
	skip "a locale with a decimal comma, none is installed"
fi
for locale in C.UTF-8 POSIX xx_XX $comma; do
	audit "locale-$locale" LC_ALL="$locale" LANG="$locale"
	same "locale-$locale"
done
for variables in TZ=Asia/Kathmandu TZ=:bad TERM=dumb COLUMNS=20 NO_COLOR=1 HOME=/nowhere TMPDIR=/nowhere; do
	audit "$variables" "$variables"
	same "$variables"
done
for jobs in 1 2 3 16; do
	audit "jobs-$jobs" -- -j "$jobs" "${paths[@]}"
	same "jobs-$jobs"
done
audit libpng LABELAUDIT_DECODER=libpng
same libpng
audit sim -- -d sim "${paths[@]}" # the GPU's kernel, on the host
same sim
# the order of a list is not that of the report's findings, nor of its sums
"$program" --list -0 -c 21 masks clean png arrays/numpy >"$folder/list"
forms=(json sarif csv markdown)
audit listed -- -0 --files-from "$folder/list"
for seed in 1 2 3; do
	sort -z -R --random-source=<(yes "$seed") -o "$folder/list" "$folder/list" # the report names the list
	audit "shuffled-$seed" -- -0 --files-from "$folder/list"
	same "shuffled-$seed" listed
done
total
