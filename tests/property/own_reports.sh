#!/bin/bash
# What this program writes into a folder of data is no data for the next audit: reports of every form, of findings and of none, a
# baseline, comparisons, a plan and a receipt, beside masks, arrays, lists, tables, YOLO texts and COCO. The second audit says what the
# first did, also with --strict, and counts what it left out.
#
# usage: tests/property/own_reports.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$folder" || exit

# audit ARGUMENT...: the findings and the verdict, without what was left out
audit() {
	"$program" --no-config --classes 5 --strict -f concise "$@" 2>&1 | sed -E 's/ in [0-9.]+ s$//; s/ \([0-9,]+ left out: [^)]*\)//; s/ in [0-9]+ files?,/ in its files,/'
}
printf '0\n1\n4\n' >lst.txt
printf 'file,label\na.jpg,0\nb.jpg,%d\n' 4 >lst.csv
printf '0 0.5 0.5 0.2 0.2\n' >yolo.txt
cat >coco.json <<'JSON'
{"images": [{"id": 1, "file_name": "1.jpg", "width": 9, "height": 9}],
"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}],
"categories": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}, {"id": 2, "name": "c"}, {"id": 3, "name": "d"}, {"id": 4, "name": "e"}]}
JSON
for kind in txt csv yolo coco masks arrays; do
	for bad in 0 1; do
		set=$kind-$bad
		mkdir -p "$set/labels"
		case $kind in
		txt) cp lst.txt "$set/labels/train.txt" && ((bad)) && echo 9 >>"$set/labels/train.txt" ;;
		csv) cp lst.csv "$set/labels/train.csv" && ((bad)) && echo c.jpg,9 >>"$set/labels/train.csv" ;;
		yolo) for i in 1 2 3; do cp yolo.txt "$set/labels/$i.txt" && ((bad)) && sed -i 's/^0/9/' "$set/labels/$i.txt"; done ;;
		coco) cp coco.json "$set/labels/train.json" && ((bad)) && sed -i 's/"category_id": 1/"category_id": 9/' "$set/labels/train.json" ;;
		masks) cp "$root"/testdata/clean/*.png "$set/labels/" && ((bad)) && cp "$root"/testdata/offenders/*.png "$set/labels/" ;;
		arrays) for i in 1 2 3; do printf '\x93NUMPY\1\0v\0%-117s\n%b' "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }" "\\1\\2\\$((bad ? 11 : 3))" >"$set/labels/$i.npy"; done ;;
		esac 2>/dev/null
		first=$(audit "$set")
		outputs=()
		written=0
		for form in text concise json jsonl sarif junit github gitlab html csv markdown; do
			outputs+=(-o "$form:$set/labels/report-$form.txt")
		done
		for file in labelaudit.csv labelaudit.json labelaudit.sarif labelaudit.xml labelaudit.md labelaudit.html; do
			outputs+=(-o "$set/labels/$file")
		done
		"$program" --no-config --classes 5 -q -f none "${outputs[@]}" --write-baseline "$set/labels/baseline.json" "$set" 2>/dev/null
		for form in text json markdown; do
			"$program" diff -q -f none -o "$form:$set/labels/diff-$form.txt" "$set/labels/labelaudit.json" "$set/labels/labelaudit.json" 2>/dev/null
		done
		"$program" fix --no-config --classes 5 -q -f json --plan "$set/labels/plan.json" "$set" >/dev/null 2>&1
		written=$(find "$set/labels" \( -name '*report-*' -o -name 'labelaudit.*' -o -name 'diff-*' -o -name baseline.json -o -name plan.json \) -size +0 | wc -l)
		second=$(audit "$set")
		if [[ $first == "$second" ]]; then pass; else fail "$set: $(diff <(echo "$first") <(echo "$second") | head -n 6)"; fi
		left=$("$program" --no-config --classes 5 -f json -q "$set" | sed -n 's/.*"reason": "own-report", "files": \([0-9]*\).*/\1/p')
		if [[ $left == "$written" ]]; then pass; else fail "$set: $written files were written, and ${left:-0} left out as own-report: $("$program" --no-config --classes 5 -f none -v "$set" 2>&1 | grep -v own-report | head -n 8)"; fi
	done
done
named=$("$program" --no-config --classes 5 -f concise csv-0/labels/labelaudit.csv 2>&1)
if [[ $named == *'a report of labelaudit'* ]]; then pass; else fail "a report as PATH: $named"; fi
total
