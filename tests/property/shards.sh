#!/bin/bash
# The merge of all shards is the report of a single audit, to the byte but for `run`: for any number of shards, parts in any
# order, and every kind of set; and it refuses parts that do not make up a set.
#
# usage: tests/property/shards.sh     BUILD=dir: where the program was built. LABELAUDIT_SHARED (../shared): more sets.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

without_run() {
	sed '/^  "run": {/d' "$1"
}

# shards N OPTIONS...: the parts of N, in $folder/parts
shards() {
	local n=$1 i status
	shift
	rm -rf "$folder/parts"
	mkdir "$folder/parts"
	for ((i = 1; i <= n; i++)); do
		"$program" -q -j 1 -f none --shard "$i/$n" -o "$folder/parts/part-%r.json" "$@"
		status=$?
		# 2: what could not be read is of this part
		((status <= 1)) || [[ -n ${may_be_incomplete-} ]] || fail "shard $i/$n of $*: exit status $status"
	done
}

# same NAME COUNTS OPTIONS...: one audit, and the merge of N shards for each N
same() {
	local name=$1 counts=$2 n status expected
	shift 2
	"$program" -q -f none -o "$folder/one.json" "$@"
	expected=$?
	for n in $counts; do
		shards "$n" "$@"
		find "$folder/parts" -name 'part-*' | sort -R --random-source=<(yes "$n") >"$folder/order"
		mapfile -t parts <"$folder/order"
		"$program" merge -q -f none ${merge_options[@]+"${merge_options[@]}"} -o "$folder/merged.json" "${parts[@]}"
		status=$?
		if ((status != expected)); then
			fail "$name, $n shards: merge exits with $status, the audit with $expected"
		elif ! cmp <(without_run "$folder/one.json") <(without_run "$folder/merged.json"); then
			fail "$name, $n shards: the reports differ"
			diff <(without_run "$folder/one.json") <(without_run "$folder/merged.json") | cut -c 1-300 | head -n 6
		else
			pass
		fi
	done
}

# refused WHY ARGUMENTS...: merge exits with 2 and says so
refused() {
	local why=$1 said
	shift
	said=$("$program" merge -f none "$@" 2>&1)
	if (($? == 2)) && [[ $said == *"$why"* ]]; then
		pass
	else
		fail "merge $*: expected '$why', found: $said"
	fi
}

cd "$root/testdata" || exit 1
merge_options=()

several='1 3 7'
[[ ${LABELAUDIT_TEST-} != all ]] || several='1 2 3 7 16'
# Everything in testdata, which has a finding of every kind, by PATHs of one kind of labels each; and what is of one kind in all of it.
same 'testdata' "$several" -c 21 -i 255 archives arrays/* clean colours lists masks packed/*/ pairs png rules/*/*/ yolo
for kind in mask array list yolo coco idx; do
	same "testdata as $kind" '3' -c 21 -i 255 --kind "$kind" .
done
same 'many sizes and encodings' "$several" -c 9 png
same 'PATHs of several kinds' '2 3' -c 21 -i 255 masks masks/stray-id-21.png clean ./clean
same 'names and severities' '3' --preset voc --severity missing-class=error --skip encoding --fail-on warning masks
same 'reduced zero label' '3' -c 20 --reduce-zero-label masks
same 'another view' '3' -c 21 -i 255 --view cv2 masks png
"$program" --list -c 21 masks clean png | sort -R >"$folder/list"
same 'a list of files' '3 7' -c 21 -i 255 --files-from "$folder/list"

same 'masks and images' '1 3 7' -c 3 --images pairs/images pairs/masks
mkdir -p "$folder/flat/masks/a" "$folder/flat/images"
for i in {1..12}; do
	cp pairs/masks/good.png "$folder/flat/masks/$i.png"
	cp pairs/images/good.jpg "$folder/flat/images/$i.jpg"
	cp pairs/images/good.jpg "$folder/flat/images/lone-$i.jpg"
	cp pairs/images/good.jpg "$folder/flat/images/twice-$i.jpg"
	cp pairs/images/deep/good.png "$folder/flat/images/twice-$i.png"
done
same 'images without masks' '3 7' -c 3 --images "$folder/flat/images" "$folder/flat/masks"
mv "$folder/flat/masks/12.png" "$folder/flat/masks/a"
same 'images that lie flat' '3 7' -c 3 --images "$folder/flat/images" "$folder/flat/masks"

# Lists that are cut: the parts keep enough.
for max in 1 3 5 100; do
	merge_options=(--max-findings "$max")
	same "at most $max findings" '1 3 16' -c 3 --max-findings "$max" masks png
done
merge_options=()
same 'at most 4 findings, as the parts were told' '3' -c 3 --max-findings 4 masks

# Names that are not UTF-8, the same name in many folders, a folder that cannot be read, more shards than files.
mkdir -p "$folder/set/a" "$folder/set/b/c" "$folder/set/closed"
for name in 1 2 3 $'caf\xe9' $'line\nbreak' '"quoted"'; do
	cp masks/stray-id-21.png "$folder/set/a/$name.png"
	cp masks/grey-4-bit.png "$folder/set/b/$name.png"
	cp masks/scene-03.png "$folder/set/b/c/$name.png"
done
touch "$folder/set/empty.png"
same 'names of any bytes' '1 3 40' -c 16 "$folder/set"
if [[ $(id -u) -ne 0 ]]; then
	chmod 0 "$folder/set/closed"
	may_be_incomplete=1 same 'a folder that cannot be read' '3' -c 16 "$folder/set"
	chmod 700 "$folder/set/closed"
else
	mkfifo "$folder/set/pipe.png"
	may_be_incomplete=1 same 'a file that cannot be read' '3' -c 16 "$folder/set"
	rm "$folder/set/pipe.png"
fi
mkdir "$folder/nothing"
merge_options=(--allow empty)
same 'nothing at all' '1' -c 3 --allow empty "$folder/nothing"
merge_options=()
mkdir "$folder/texts"
printf '\1\2\3' >"$folder/texts/README"
printf '\4\5\6' >"$folder/texts/notes"

# Every file is in exactly one shard; an image and its mask are in the same one.
mkdir -p "$folder/pairs/images" "$folder/pairs/masks"
for i in {1..40}; do
	cp masks/scene-01.png "$folder/pairs/masks/$i.png"
	cp masks/photo.png "$folder/pairs/images/$i.jpg"
done
for i in 1 2 3; do
	"$program" --list --shard "$i/3" --kind mask "$folder/pairs/masks" | sed 's|.*/||; s|\..*||' | sort >"$folder/masks.$i"
	"$program" --list --shard "$i/3" --kind mask --include '*.jpg' "$folder/pairs/images" | sed 's|.*/||; s|\..*||' | sort >"$folder/images.$i"
	if [[ -s $folder/masks.$i ]] && cmp -s "$folder/masks.$i" "$folder/images.$i"; then pass; else fail "pairs of shard $i/3"; fi
done
if [[ $(cat "$folder"/masks.[123] | sort -n | uniq -c | awk '$1 == 1' | wc -l) -eq 40 ]]; then pass; else fail 'a file in no shard or in two'; fi

# A part touches no file of a list but its own.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	"$program" --list -c 21 masks clean png >"$folder/list"
	"$program" --list --shard 2/5 --files-from "$folder/list" | sort >"$folder/mine"
	strace -f -o "$folder/trace" "$program" -q -f none -c 21 --shard 2/5 --files-from "$folder/list"
	if cmp "$folder/mine" <(grep -oE '"[^"]*\.png"' "$folder/trace" | tr -d '"' | sort -u); then pass; else fail 'files of others'; fi
else
	skip 'strace cannot be used here'
fi

# What does not make up a set.
shards 16 -c 21 -i 255 masks
part=$folder/parts/part
refused '3 of 16 shards are missing: 3,9-10 ' "$part"-0[124-8].json "$part"-1[1-6].json
refused 'shard 4 of 16 is given twice' "$part"-*.json "$part-04.json"
refused 'No such file or directory' "$part-04.json" "$folder/no-such-file"
head -c 2000 "$part-04.json" >"$folder/half.json"
refused 'it is damaged: byte 2000' "$part"-0[1-3].json "$folder/half.json"
"$program" -q -f none -c 21 -i 255 -o "$folder/whole.json" masks
refused 'not of one with --shard' "$folder/whole.json"
"$program" -q -f none -c 21 -i 254 --shard 4/16 -o "$folder/other.json" masks
refused 'made with settings that differ' "$part"-0[1-3].json "$folder/other.json"
for option in '--column label' '--root masks' '--preset voc'; do
	# shellcheck disable=SC2086
	"$program" -q -f none -c 21 -i 255 $option --shard 4/16 -o "$folder/other.json" masks
	refused 'made with settings that differ' "$part"-0[1-3].json "$folder/other.json"
done
"$program" -q -f none -c 21 -i 255 --shard 4/17 -o "$folder/other.json" masks
refused 'shard 4 of 17, but the parts before it are of 16' "$part"-0[1-3].json "$folder/other.json"
sed 's/"version": "[^"]*"/"version": "0.0.9"/' "$part-04.json" >"$folder/other.json"
refused 'written by labelaudit 0.0.9' "$folder/other.json"
"$program" merge -q --allow missing -f none -o "$folder/merged.json" "$part"-0*.json
if (($? == 2)) && grep -q '"complete": false' "$folder/merged.json"; then pass; else fail '--allow missing'; fi
if "$program" merge -q --fail-on never -f none "$part"-*.json; then pass; else fail '--fail-on never'; fi
shards 3 -c 21 "$folder/texts"
refused 'no label file among the 2 files found' "$folder"/parts/part-*.json

# Sets that people use, where they are here.
if [[ -d $shared/data ]]; then
	n=0
	for set in "$shared"/data/*/; do
		# in `make check` a few of them
		[[ ${LABELAUDIT_TEST-} == all ]] || ((n++ % 20 == 0)) || continue
		name=$(basename "$set")
		"$program" --list -c 21 "$set" >"$folder/list" 2>/dev/null
		# large ones show nothing that smaller ones do not
		files=$(wc -l <"$folder/list")
		((files && files <= 400)) || continue
		may_be_incomplete=1 same "$name" '7' -c 21 -i 255 "$set"
	done
else
	skip "no data sets in $shared"
fi
total
