#!/bin/bash
# The same report however many files are read at a time (--io), in pairs with what else decides how files are read; and on a
# file system whose answers are late or wrong (tests/slowfs.c), where Ctrl-C is answered within a second even if a file is never.
#
# usage: tests/property/storage.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more options with each fault
#        the second part needs libfuse 3 and a machine that allows FUSE; it says so and is skipped without
# shellcheck disable=SC2015 # pass and fail are true
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root/testdata" || exit 1
all=(masks clean png arrays lists yolo archives rules)

without_run() {
	sed -E '/^  "run": \{/d; s/"run": ?\{.*//'
}
# report OPTION...: of all test data but for `run`; the exit status at its end
report() {
	"$program" -q -c 21 -i 255 -f json "$@" 2>"$folder/errors" | without_run | sed 's|"command": "[^"]*", ||'
	echo "${PIPESTATUS[0]}"
}
# same NAME OPTION...: whether they give the report of $folder/NAME.expected
same() {
	local name=$1
	shift
	report "$@" >"$folder/got"
	if cmp -s "$folder/$name.expected" "$folder/got"; then
		pass
	else
		fail "$*: not the report of $name: $(diff "$folder/$name.expected" "$folder/got" | head -n 3 | cut -c1-300) $(head -n 2 "$folder/errors")"
	fi
}

is_all() {
	[[ ${LABELAUDIT_TEST:-} == all ]]
}
# zeros N FILE: an array of N bytes, all zero
zeros() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($(($1 / 1000)), 1000), }" >"$2"
	truncate -s $(($1 + 128)) "$2"
}
# links N FILE: N files beside it, 1.npy and so on, which take no memory of their own
links() {
	python3 -c 'import os, sys
for i in range(1, int(sys.argv[1]) + 1):
    os.link(sys.argv[2], os.path.dirname(sys.argv[2]) + "/%d.npy" % i)' "$@"
}
# nap SECONDS: waits without a process
mkfifo "$folder/silent"
exec {silent}<>"$folder/silent"
nap() {
	read -rt "$1" -u "$silent"
}

# ---- however many at a time ----

report --io 0 -j 1 "${all[@]}" >"$folder/all.expected"
cases=('--io 2 -j 4' '--io 1024 -j 3' '--io 16 -j 2 --cache=CACHE' '--io 64 -d sim --cache=CACHE')
is_all && cases+=('--io 1 -j 1' '--io 1024 -j 1' '--io auto' '--io 64 -j 2 -d sim' '--io 16 -j 2 --cache=CACHE')
for options in "${cases[@]}"; do
	read -ra words <<<"${options//CACHE/$folder/cache}"
	same all "${words[@]}" "${all[@]}"
done
(ulimit -n 64 && same all --io 1024 -j 4 "${all[@]}" && ((!failed))) && pass || fail "ulimit -n 64"
find "${all[@]}" -type f | sort >"$folder/list"
report --io 0 -j 1 --files-from - <"$folder/list" >"$folder/list.expected"
same list --io 32 -j 2 --files-from - <"$folder/list"
for images in clean masks; do
	report --io 0 --images "$images" masks clean >"$folder/images.expected"
	same images --io 32 -j 3 --images "$images" masks clean
done
report --io 0 --shard 2/3 "${all[@]}" >"$folder/shard.expected"
same shard --io 32 -j 2 --shard 2/3 "${all[@]}"
printf 'io: 7\n' >"$folder/labelaudit.yaml"
report --io 0 masks >"$folder/masks.expected"
same masks --config "$folder/labelaudit.yaml" masks
for _ in {1..20}; do # on a busy machine, who measures may read all files before a reader has the processor
	ahead=$("$program" -q --io 7 -c 21 -i 255 -f json --fail-on never masks | grep -c '"read_ahead": {"files": [1-9]')
	((ahead)) && break
done
((ahead)) && pass || fail '--io 7: run.read_ahead is missing'
"$program" -q --io 0 -c 21 -i 255 -f json --fail-on never masks | grep '"read_ahead"' && fail '--io 0: something is read ahead' || pass
"$program" -q --io 1025 -c 21 masks >/dev/null 2>&1
(($? == 2)) && pass || fail '--io 1025 is taken'

# Long files that are read ahead take no more memory than those that are not.
mkdir "$folder/long"
zeros 8000000 "$folder/long/0.npy"
links 40 "$folder/long/0.npy"
"$program" -q --io 200 -j 2 -c 21 -i 255 -f json --fail-on never "$folder/long" >"$folder/report"
peak=$(sed -n 's/.*"peak_memory": \([0-9]*\).*/\1/p' "$folder/report")
((peak > 0 && peak < (256 + 2 * 32) << 20)) && grep -q '"files_read": 41,' "$folder/report" && pass || fail "41 files of 8 MB: $((peak >> 20)) MiB"

# ---- a pipe that is silent ----

# interrupted ARGUMENTS...: whether Ctrl-C ends it within a second while the pipe is silent
interrupted() {
	local child start
	mkfifo "$folder/fifo"
	"$program" -q -c 21 -i 255 --kind mask -f json "$@" - <"$folder/fifo" >"$folder/got" 2>"$folder/errors" &
	child=$!
	exec 3>"$folder/fifo"
	tar -C "$root/testdata" -cf - clean png yolo | head -c 20000 >&3
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

# ---- late and wrong answers ----

if [[ ! -w /dev/fuse ]] || ! command -v fusermount3 >/dev/null; then
	skip 'late file systems: no FUSE here'
	total
fi
# shellcheck disable=SC2046
if ! cc -D_GNU_SOURCE -O1 -o "$folder/slowfs" "$root/tests/slowfs.c" $(pkg-config --cflags --libs fuse3 2>/dev/null) 2>"$folder/errors"; then
	skip 'late file systems: no libfuse 3 here'
	total
fi
view=$folder/view
mkdir "$view"
# mount_slowfs VARIABLE=VALUE...
mount_slowfs() {
	env SLOWFS_US=300 "$@" "$folder/slowfs" "$set" "$view" 2>"$view.errors" &
	slowfs=$!
	local i
	for ((i = 0; i < 3000; i++)); do
		[[ -e $view/a ]] && return
		kill -0 "$slowfs" 2>/dev/null || break
		nap 0.01
	done
	skip "late file systems: $(head -n 1 "$view.errors")"
	total
}
unmount() {
	fusermount3 -u "$view"
	wait "$slowfs"
}
trap 'for view in "$folder"/view*/; do fusermount3 -uz "$view" 2>/dev/null; done; chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT

set=$folder/set
mkdir -p "$set/a" "$set/b"
tee "$set"/a/{1..60}.png <masks/scene-01.png >/dev/null
tee "$set"/b/{1..60}.png <masks/scene-02.png >/dev/null
cp -r "$root/testdata/archives" "$set/archives"
mkdir "$set/long" # one that is held in memory, and one that is not
for bytes in 100000 9000000; do
	zeros "$bytes" "$set/long/$bytes.npy"
done
head -c 9000000 /dev/zero >"$set/zeros.npy" # longer than what is held in memory
here=$PWD
mkdir -p "$set/yolo/labels" "$set/yolo/images"
for i in {1..20}; do
	echo '1 0.5 0.5 0.2 0.2' >"$set/yolo/labels/$i.txt"
	((i % 7)) && : >"$set/yolo/images/$i.jpg"
done
mkdir "$set/few" "$set/images" "$set/images/deep"
cp "$set"/b/{1..18}.png "$set/few"
cp "$set"/b/{1,2,3,10,11,12,13,14,15}.png "$set/images"
tee "$set"/images/x{1..8}.png <masks/scene-01.png >/dev/null
cd "$set" || exit 1
find a b long -type f | sort >"$folder/late.list"
cp "$folder/late.list" "$set"
report -j 1 --io 0 --exclude yolo . >"$folder/late.expected" # a set of its own
grep -q '"files_read": [1-9][0-9][0-9],' "$folder/late.expected" && pass || fail "the set is not audited: $(<"$folder/errors")"
report -j 1 --io 0 --files-from "$folder/late.list" >"$folder/listed.expected"
report -j 1 --io 0 a/*.png b long >"$folder/typed.expected"
report -j 1 --io 0 --images images few >"$folder/paired.expected"
report -j 1 --io 0 yolo >"$folder/yolo.expected"
"$program" --list --io 0 --exclude yolo . >"$folder/list.expected" 2>/dev/null
grep -q '"missing-mask"' "$folder/paired.expected" && grep -q '"label-without-image"' "$folder/yolo.expected" && pass || fail 'no image lacks its mask, or no text its image'
cd "$here" || exit 1
mount_slowfs
cd "$view" || exit 1
cases=('-j 4' '-j 2 --io 0' '-j 1 -d sim')
is_all && cases+=('-j 1' '-j 2 --io 200')
for options in "${cases[@]}"; do
	read -ra words <<<"$options"
	same late "${words[@]}" --exclude yolo .
done
# a list, many PATHs, images and their masks, YOLO texts and their images: asked about many at a time, with the same outcome
same listed --files-from "$folder/late.list"
same typed a/*.png b long
same paired --images images few
same yolo yolo
"$program" --list --exclude yolo . 2>/dev/null | cmp -s - "$folder/list.expected" && [[ -s $folder/list.expected ]] && pass || fail '--list on late storage'
"$program" -c 21 -i 255 -f json --fail-on never --exclude yolo . 2>/dev/null | grep '"read_ahead": {"files": [1-9][0-9]' >/dev/null && pass || fail 'nothing was read ahead of late storage'
cd "$here" || exit 1
unmount

# The detection probes some files of each folder, side by side.
mount_slowfs SLOWFS_US=1000 # so that a busy machine sees them wait together
"$program" --list --exclude archives --exclude yolo "$view" >"$folder/listed" 2>"$folder/errors"
unmount
most=$(sed -n 's/.*at most \([0-9]*\) at a time/\1/p' "$view.errors")
(($(wc -l <"$folder/listed") >= 120 && ${most:-0} >= 4)) && pass || fail "the detection waits for one file after the other: at most ${most:-0} at a time"

# An archive of many masks is read once to see what it is, and once to audit it.
yes a/1.png | head -n 1200 | tar -C "$set" --hard-dereference -czf "$set/many.tgz" -T -
mount_slowfs
"$program" -q -c 21 -f json "$view/many.tgz" >"$folder/report" 2>"$folder/errors"
unmount
grep -q '"files_read": 1200,' "$folder/report" && grep -q ', 2 opens,' "$view.errors" && pass || fail "an archive of many masks: $(<"$view.errors")"
rm "$set/many.tgz"

# The kernel reads many pieces of a long file at a time: by itself, two.
mount_slowfs SLOWFS_US=1000
"$program" -q -c 21 -f none "$view/long/9000000.npy" 2>"$folder/errors"
unmount
most=$(sed -n 's/.*at most \([0-9]*\) at a time/\1/p' "$view.errors")
((${most:-0} >= 4)) && pass || fail "a long file is read piece after piece: at most ${most:-0} at a time"

# counts NAME VALUE: of the summary of $folder/report
counts() {
	grep -q "\"$1\": $2[,}]" "$folder/report" && pass || fail "$fault: $1 is not $2: $(grep -oE '"(files|files_read|files_failed|files_skipped)": [0-9]+' "$folder/report" | tr '\n' ' ')"
}
# what goes wrong with which files; how many of them fail. All at once, and alone. A name is stale for the first one only that asks.
faults=('SLOWFS_SHORT=a/2 SLOWFS_STALE=b/ SLOWFS_EIO=long/ SLOWFS_GROW=a/1. SLOWFS_SHRINK=a/3.:4')
is_all && faults+=(SLOWFS_SHORT=a/:0 SLOWFS_STALE=a/:0 SLOWFS_EIO=long/:2 SLOWFS_GROW=a/1.:1 SLOWFS_SHRINK=a/1.:1)
for fault in "${faults[@]}"; do
	read -ra words <<<"${fault%:*}"
	for options in '--io 0 -j 1' '--io auto -j 2' '--io 100 -j 3'; do
		mount_slowfs SLOWFS_US=100 "${words[@]}"
		read -ra given <<<"$options"
		"$program" -q "${given[@]}" -c 21 -i 255 -f json "$view/a" "$view/b" "$view/long" >"$folder/report" 2>"$folder/errors"
		counts files 122
		counts files_failed "${fault##*:}"
		counts files_read $((122 - ${fault##*:}))
		unmount
	done
done

# The same of archives: what one thread says that reads nothing ahead. A name that is stale is so for the first one only.
mkdir "$set/packed"
tar -C "$set" -cf "$set/packed/c.tar" a long/100000.npy
gzip -k "$set/packed/c.tar"
command -v zstd >/dev/null && zstd -q "$set/packed/c.tar"
python3 -c 'import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/packed/c.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name in ["long/100000.npy", *("a/%d.png" % i for i in range(1, 61))]:
        z.write(sys.argv[1] + "/" + name, name)
        z.writestr("photos/x" + name.replace("/", "-") + ".jpg", b"\xff\xd8\xff\xe0" + os.urandom(40000), zipfile.ZIP_STORED)' "$set"
for fault in SLOWFS_SHORT SLOWFS_STALE SLOWFS_EIO; do
	mount_slowfs SLOWFS_US=100 "$fault=packed/"
	report -j 2 "$view/packed" >"$folder/got"
	report --io 0 -j 1 "$view/packed" >"$folder/packed.expected"
	cmp -s "$folder/packed.expected" "$folder/got" && pass || fail "$fault: archives"
	same packed --io 64 -j 4 "$view/packed"
	[[ $fault == SLOWFS_EIO ]] && failing='[1-9][0-9]*' || failing=0
	grep -q "\"files_failed\": $failing," "$folder/packed.expected" && pass || fail "$fault: archives: $(grep files_failed "$folder/packed.expected")"
	unmount
done
rm -r "$set/packed"

# A file, or a folder, that never answers: a reader waits for it, the worker itself, the detection, the walk, the first question to a
# PATH, the folder of --images, a list, a baseline, a cache, or the page that shows masks. All at once, since each waits for a second.
# never_answers N HANGING PATHS OPTION...: what is wrong, in $folder/said-N; VIEW in an option is the folder
never_answers() (
	view=$folder/view-$1 report=$folder/report-$1 hanging=$2 classes=21
	[[ $hanging == _AGAIN* ]] && classes=2 # the page shows masks with findings
	IFS=, read -ra paths <<<"${3%-}"
	set -- "${@//VIEW/$view}"
	mkdir -p "$view"
	mount_slowfs "SLOWFS_HANG${hanging%%:*}=${hanging#*:}"
	"$program" "${@:4}" -c "$classes" -i 255 -f json "${paths[@]/#/$view/}" >"$report" 2>"$report.errors" &
	pid=$!
	until [[ -s $view.errors ]] || ! kill -0 "$pid" 2>/dev/null; do
		nap 0.02
	done
	start=$EPOCHREALTIME
	kill -INT "$pid"
	for ((i = 0; i < 200; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		nap 0.05
	done
	took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	kill -KILL "$pid" 2>/dev/null && echo 'it does not end'
	wait "$pid" 2>/dev/null
	status=$?
	((status == 130)) || echo "status $status: $(head -n 2 "$report.errors")"
	# the last files are read for the page, after all were audited
	[[ $hanging == _AGAIN* ]] && complete=true || complete=false
	# no report can be written where its own folder does not answer
	[[ $hanging == *:/images && $* == *"-o "* ]] || grep -q "\"complete\": $complete" "$report" || echo 'no partial report'
	((took < 1300)) || echo "late: $took ms"
	kill -KILL "$slowfs"
	wait "$slowfs" 2>/dev/null
	fusermount3 -uz "$view"
) >"$folder/said-$1"
cases=(':a/30. a,b --io auto -j 2' ':a/30. a,b --io 100 -j 1' ':a/30. a,b --io 0 -j 1' ':a/30. a,b --io 0 -j 3' ':a/ . --io 0 -j 1' ':a/ . --io auto -j 2'
	':/b . --io 0 -j 2' ':/b . --io auto -j 2' ':/b b,a --io auto -j 2'
	':/deep a --io auto -j 2 --images VIEW/images' ':/deep a --io 0 -j 1 --images VIEW/images' '_LOOKUP:/images b --images VIEW/images'
	':/late - --files-from VIEW/late.list' ':/late b --baseline VIEW/late.list' '_LOOKUP:/cache b --cache=VIEW/cache'
	'_LOOKUP:/images b -o VIEW/images/report.json' "_AGAIN:b/ b/1.png,b/2.png --kind mask -o $folder/page.html"
	'_LOOKUP:/b b --io auto -j 2' '_LOOKUP:/b a,b --io 0 -j 1' "_LOOKUP:/b b --kind imagefolder -o $folder/out.json")
for n in "${!cases[@]}"; do
	read -ra words <<<"${cases[n]}"
	never_answers "$n" "${words[@]}" 2>/dev/null &
	waiting[n]=$!
done
wait "${waiting[@]}"
for n in "${!cases[@]}"; do
	read -ra words <<<"${cases[n]}"
	# a busy machine may make it late, but not each time
	for _ in 1 2 3; do
		[[ $(<"$folder/said-$n") == late* ]] || break
		never_answers "$n" "${words[@]}" 2>/dev/null
	done
	[[ ! -s $folder/said-$n ]] && pass || fail "${cases[n]}, storage that never answers: $(<"$folder/said-$n")"
done
total
