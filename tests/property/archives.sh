#!/bin/bash
# The same report of an archive whether a thread reads and unpacks it ahead or not: for all packings, whole, cut, damaged and over a
# limit, of a file and of a pipe that is late; Ctrl-C ends both at once.
#
# usage: tests/property/archives.sh     BUILD=dir: where the program and torture_shim.so were built
# shellcheck disable=SC2015 # pass and fail are true
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root/testdata" || exit 1

# Of what is in the archive, the labels of one kind.
kind=mask
# report OPTION...: but for `run`; the exit status at its end
report() {
	"$program" -q -c 21 -i 255 --kind "$kind" -f json "$@" 2>"$folder/errors" | sed -E '/^  "run": \{/d; s/"run": ?\{.*//'
	echo "${PIPESTATUS[0]}"
}
# same WHAT OPTION...: whether they give the report in $folder/expected
same() {
	local what=$1
	shift
	report "$@" >"$folder/got"
	cmp -s "$folder/expected" "$folder/got" && pass ||
		fail "$what: $*: $(diff "$folder/expected" "$folder/got" | head -n 3 | cut -c1-300) $(head -n 2 "$folder/errors")"
}
# expect OPTION...: without a thread
expect() {
	report --io 0 -j 1 "$@" >"$folder/expected"
}

# So long that the thread begins within the first member, whose bytes are of all kinds.
mkdir "$folder/set"
head -c 900000 "$program" >"$folder/set/0.bin"
cp -r clean png yolo "$folder/set"
tar -C "$folder" --sort=name -cf "$folder/plain.tar" set
packed=()
for packing in gzip bzip2 xz zstd; do
	"$packing" -c -1 <"$folder/plain.tar" >"$folder/$packing.tar.$packing" 2>/dev/null && packed+=("$packing") || skip "$packing: it is not here"
done

for packing in "${packed[@]}"; do
	archive=$folder/$packing.tar.$packing
	case $packing in gzip) name=$folder/a.tgz ;; bzip2) name=$folder/a.tbz ;; xz) name=$folder/a.txz ;; zstd) name=$folder/a.tzst ;; esac
	mv "$archive" "$name"
	expect "$name"
	grep -q '"files_read": [1-9][0-9]' "$folder/expected" && pass || fail "$packing: too few files were read"
	same "$packing" -j 2 "$name"
	kind=yolo
	expect "$name"
	grep -q '"files_read": [1-9]' "$folder/expected" && pass || fail "$packing: too few texts were read"
	same "texts in $packing" -j 2 "$name"
	kind=mask
	bytes=$(wc -c <"$name")
	for share in 80 97; do
		head -c $((bytes * share / 100)) "$name" >"$folder/cut-${name##*/}"
		expect "$folder/cut-${name##*/}"
		same "$share % of $packing" -j 2 "$folder/cut-${name##*/}"
	done
	{ head -c $((bytes * 2 / 3)) "$name"; echo damaged; tail -c $((bytes / 3)) "$name"; } >"$folder/bad-${name##*/}"
	expect "$folder/bad-${name##*/}"
	same "damaged $packing" -j 2 "$folder/bad-${name##*/}"
done
name=$folder/a.tgz
expect "$name"
for options in '-j 8' '-j 2 --io 0' '-j 2 --io 64' '-j 3 -d sim' '-j 2 --cache=CACHE' '-j 2 --cache=CACHE'; do
	read -ra words <<<"${options//CACHE/$folder/cache}"
	same 'gzip' "${words[@]}" "$name"
done
expect --max-archive-ratio 2 "$name"
same 'over the limit' --max-archive-ratio 2 -j 2 "$name"
expect "$folder"/a.* "$folder"/cut-* "$folder/plain.tar"
same 'one after the other' -j 4 "$folder"/a.* "$folder"/cut-* "$folder/plain.tar"
expect --exclude '*/clean/*' "$folder"/a.*
same 'what is left out' --exclude '*/clean/*' -j 2 "$folder"/a.*
kind=yolo
expect --exclude '*.png' "$folder"/a.*
grep -q '"files_read": [1-9]' "$folder/expected" && pass || fail "what is left out: too few files were read"
same 'what is left out' --exclude '*.png' -j 2 "$folder"/a.*
kind=mask

# ---- pipes ----

for file in "$folder/plain.tar" "$name" "$folder/cut-a.tgz"; do
	expect - <"$file" # a file, which can be read twice
	same "${file##*/} as standard input" -j 2 - <"$file"
	head -c 9999999 "$file" | expect -
	{ head -c 850000 && sleep 0.1 && cat; } <"$file" | same "${file##*/} through a pipe" -j 2 -
done

# interrupted ARGUMENTS...: whether Ctrl-C ends it within a second while the pipe is silent
interrupted() {
	local child start
	mkfifo "$folder/fifo"
	"$program" -q -c 21 -i 255 --kind "$kind" -f json "$@" - <"$folder/fifo" >"$folder/got" 2>"$folder/errors" &
	child=$!
	exec 3>"$folder/fifo"
	head -c 750000 "$folder/plain.tar" >&3
	sleep 0.2
	start=${EPOCHREALTIME/./}
	kill -INT "$child"
	wait "$child"
	(($? == 130 && ${EPOCHREALTIME/./} - start < 1000000)) && grep -q '"complete": false' "$folder/got" && pass ||
		fail "$*: Ctrl-C took $(((${EPOCHREALTIME/./} - start) / 1000)) ms: $(head -n 2 "$folder/errors")"
	exec 3>&-
	rm "$folder/fifo"
}
interrupted -j 2 --io 0
interrupted -j 2

# ---- no thread can be started ----

if [[ -e $build/torture_shim.so ]] && ! is_instrumented 'asan|tsan|ubsan' "$program"; then
	expect "$name"
	for n in 4 5; do # after the detection, the opening of outputs and a worker: another worker, this one
		export TORTURE_CALL=pthread_create TORTURE_N=$n TORTURE_STICKY=1
		LD_PRELOAD=$build/torture_shim.so report -j 2 "$name" >"$folder/got"
		cmp -s "$folder/expected" "$folder/got" && pass || fail "no thread $n: $(diff "$folder/expected" "$folder/got" | head -n 3)"
		unset TORTURE_CALL TORTURE_N TORTURE_STICKY
	done
fi
total
