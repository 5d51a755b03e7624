#!/bin/bash
# bench/gpu.sh --short on a mock of the NVIDIA driver (tests/cuda_mock_library.c): reports are compared and times taken, and it is a failure
# where the device gives wrong counts, or fails. Where there is a GPU, bench/gpu.sh is the test.
#
# usage: tests/property/gpu_bench.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
mkdir "$folder/few" "$folder/hostile"
cp "$root"/testdata/masks/{scene-01,grey-4-bit,empty}.png "$folder/few"
cp "$root"/testdata/masks/{cut-short,lfs-pointer,scene-02}.png "$folder/hostile"
# short SECTIONS [VARIABLE=VALUE...]: its exit status, and what it says, in $folder/said
short() {
	local sections=$1
	shift
	env LD_LIBRARY_PATH="$build/mock" CUDA_MOCK_KIB=65536 "$@" "$root/bench/gpu.sh" --short -s "$sections" -m 10 -n 10 "$build/mock" "$folder/few" \
		"$folder/hostile" >"$folder/said" 2>&1
	echo $?
}
# check NAME TEXT: that it was said
check() {
	if grep -q -- "$2" "$folder/said"; then pass; else fail "$1: $(tail -n 5 "$folder/said")"; fi
}

if [[ $(short same,times,where) == 0 ]]; then pass; else fail "a device that works: $(tail -n 5 "$folder/said")"; fi
check 'few' '^same: few, view pil, 21 classes$'
check 'hostile' '^same: hostile, view cv2, 21 classes$'
check 'times' '^cuda  .* [0-9.]*$'
check 'threads' "^the threads' time with cuda, in seconds: walk"
check 'the end' '^all equal and clean'
if [[ $(short same CUDA_MOCK_CORRUPT=1) == 1 ]]; then pass; else fail "wrong counts: $(tail -n 5 "$folder/said")"; fi
check 'wrong counts' '^FAILED: few, view pil, 21 classes: the GPU gave up'
total
