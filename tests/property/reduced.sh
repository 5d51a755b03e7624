#!/bin/bash
# --reduce-zero-label through the whole program: masks like those of ADE20K (ids 0 to 150, 150 classes) are clean with it and
# out of range by one without it, with advice that says so; ids, places and counts are those of the file, on every device
# and instruction set.
#
# usage: tests/property/reduced.sh     BUILD=dir: where the program was built. Needs python3, to write masks.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3

# write_mask FILE WIDTH EXPRESSION: square, 8-bit grey; the id at (x, y)
write_mask() {
	plain_python - "$@" <<'PYTHON'
import struct, sys, zlib
file, n, expression = sys.argv[1], int(sys.argv[2]), compile(sys.argv[3], "id", "eval")
data = b"".join(b"\0" + bytes(eval(expression, {"x": x, "y": y}) for x in range(n)) for y in range(n))
chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
open(file, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", n, n, 8, 0, 0, 0, 0)) +
                       chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))
PYTHON
}

audit() {
	"$program" -q -f json "$@"
}

# expect WHAT TEXT...: each TEXT is in $report, or with ! before it is not
expect() {
	local what=$1 text
	shift
	for text; do
		if [[ $text == !* ]] && [[ $report == *"${text#!}"* ]]; then
			echo "$what: '${text#!}' is in the report"
			failed=$((failed + 1))
		elif [[ $text != !* ]] && [[ $report != *"$text"* ]]; then
			echo "$what: '$text' is not in the report"
			failed=$((failed + 1))
		else
			passed=$((passed + 1))
		fi
	done
}

mkdir "$folder/ade" "$folder/gap" "$folder/void"
for shift in 0 5 11; do # blocks of 8 x 8, in an order that puts no id between its neighbours' alone
	write_mask "$folder/ade/$shift.png" 104 "((y // 8 * 13 + x // 8 + $shift) * 37) % 151"
done
# Classes 0-2 and 5: in the file 1-3 and 6. 5 and 9 are none, though 5 is the number of one. 11 is the ignored 10.
write_mask "$folder/gap/mask.png" 40 \
	"5 if 24 <= x < 32 and 10 <= y < 14 else 9 if (x, y) in ((33, 2), (34, 2)) else (1, 2, 3, 6, 11)[x // 8]"
write_mask "$folder/void/mask.png" 16 "0 if x < 8 else 255"

for device in cpu plain sim; do
	options=(--device "${device/plain/cpu}")
	unset LABELAUDIT_DISABLE_CPU_FEATURES
	[[ $device != plain ]] || export LABELAUDIT_DISABLE_CPU_FEATURES=ssse3,sse4.1,avx2,bmi2,avx512,avx512vbmi2,sha
	report=$(audit "${options[@]}" -c 150 --reduce-zero-label "$folder/ade")
	expect "$device, reduced" '"status": "pass"' '"rules": []' '"findings_total": 0' '"out_of_range": []' '"ignored": [
    {"id": 0,' '{"id": 149,' '!{"id": 150,'
	report=$(audit "${options[@]}" --preset ade20k "$folder/ade")
	expect "$device, preset" '"status": "pass"' '{"id": 0, "name": "wall"' '{"id": 149, "name": "flag"'
	report=$(audit "${options[@]}" -c 150 -i 255 "$folder/ade")
	expect "$device, not reduced" '"status": "fail"' 'have id 150; valid ids are 0-149, ignored 255' \
		'"rule": "background-off-by-one"' 'if 0 is not trained on, pass --reduce-zero-label' '!have id 149'
	report=$(audit "${options[@]}" -c 151 "$folder/ade")
	expect "$device, 151 classes" '"status": "pass"'
	report=$(audit "${options[@]}" -c 0-2,5 -i 10 --reduce-zero-label "$folder/gap")
	expect "$device, gaps" '34 pixels (2.1 %) have ids 5, 9; valid ids are 1-3, 6, ignored 0, 11, 255' \
		'"ids": [[5, 32], [9, 2]], "first": {"id": 9, "x": 33, "y": 2}, "bbox": [24, 2, 11, 12]'
	report=$(audit "${options[@]}" -c 3 --reduce-zero-label --select all-ignored,single-id,only-background "$folder/void")
	expect "$device, nothing but void" '"rule": "all-ignored"' '!"rule": "only-background"' '!"rule": "single-id"'
done
total
