#!/bin/bash
# The program that is built with FASTPATH=0 has no decoder but libpng, and says what the other says.
#
# usage: tests/packaging/libpng_alone.sh     BUILD=dir: where the program to compare it with was built
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

alone=$build/libpng-alone
program=$alone/labelaudit
if ! make -C "$root" --no-print-directory -j"$(nproc)" BUILD="$alone" FASTPATH=0 SANITIZE= "$program" >"$folder/log" 2>&1; then
	cat "$folder/log"
	echo '0 passed, 1 failed, 0 skipped'
	exit 1
fi
no_decoder() {
	nm "$program" >"$folder/symbols" && grep -q ' T main$' "$folder/symbols" && ! grep -E 'huffman_|sim_kernel|cuda_open' "$folder/symbols"
}
# all_reports VIEW: of all in testdata, broken files and archives too
all_reports() {
	local p
	for p in "$build/labelaudit" "$program"; do
		(cd "$root/testdata" && "$p" -q -c 21 -i 255 --view "$1" -f json . | without_run) >"$folder/${p//\//-}"
	done
	[[ -s $folder/${program//\//-} ]] && cmp "$folder/${build//\//-}-labelaudit" "$folder/${program//\//-}"
}
check 'it holds neither our inflate nor the kernel' no_decoder
for view in pil raw cv2; do
	check "the same reports with --view $view" all_reports $view
done
check 'doctor says so' says 0 "cuda +built without the GPU's kernel \(FASTPATH=0\)" "$program" doctor
cd "$root/testdata" || exit 1
check '--device cuda is an error' says 2 'FASTPATH=0' "$program" -q -d cuda "${audit[@]}"
check '--device auto is the CPU' says 1 '"device": "cpu' "$program" -q -d auto "${audit[@]}" -f json
total
