#!/bin/bash
# --device auto with a mock of the NVIDIA driver (tests/cuda_mock_library.c): short audits never touch it; long ones get the report of
# --device cpu, byte for byte but for `run`, whether the GPU is taken, fails at its n-th call, or does not answer.
#
# usage: tests/property/device_auto.sh     BUILD=dir: where the program was built; TORTURE=all: every n
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
mock=$build/mock
log=$folder/log
while IFS='=' read -r name _; do
	[[ $name == LABELAUDIT_* || $name == CUDA_MOCK_* ]] && unset "$name"
done < <(env)
cd "$root/testdata" || exit 1
folders=(masks clean png masks clean png masks clean png masks clean png masks clean png)

check() {
	if [[ -z $2 ]]; then
		passed=$((passed + 1))
	else
		echo "FAILED  $1: $2"
		failed=$((failed + 1))
	fi
}

# audit [VARIABLE=VALUE...] [-- OPTION...]: the whole program, on one worker thread
audit() {
	local variables=()
	while (($#)) && [[ $1 != -- ]]; do
		variables+=("$1")
		shift
	done
	(($#)) && shift
	env LD_LIBRARY_PATH="$mock" CUDA_MOCK_LOG="$log" "${variables[@]}" timeout 180 "$mock/labelaudit" -q -c 21 -i 255 -j 1 --fail-on never "$@"
}
without_run() {
	sed -E '/^  "run": \{/,/^  \}/d; s/"run": ?\{([^{}]|\{[^{}]*\})*\}/"run": {}/; s/("started": ?)"[^"]*"/\1"N"/' "$1"
}
calls() {
	[[ -e $log ]] || touch "$log.none"
	cat "$log" "$log.none" 2>/dev/null | grep -cx "$1"
}
# long NAME CALL [VARIABLE=VALUE...]: an audit that counts as long; CALL was made in it
long() {
	local name=$1 call=$2 status started=$EPOCHREALTIME
	shift 2
	rm -f "$log"
	audit LABELAUDIT_AUTO_MS=1 "$@" -- "${folders[@]}" -f none -o "json:$folder/auto.json" -o "jsonl:$folder/auto.jsonl" 2>"$folder/errors"
	status=$?
	took=$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%d", 1000 * (b - a) }')
	check "$name: exit status" "$( ((status == 0)) || echo "$status: $(head -n 5 "$folder/errors")")"
	check "$name: $call" "$( (($(calls "$call") > 0)) || echo 'it was not called')"
	for form in json jsonl; do
		check "$name: the $form of the CPU" "$(cmp <(without_run "$folder/cpu.$form") <(without_run "$folder/auto.$form") 2>&1)"
	done
	run=$(sed -n '/^  "run": {/,/^  }/p' "$folder/auto.json")
}
has() {
	check "$1" "$([[ $run == *"$2"* ]] || echo "no $2 in $run")"
}
lacks() {
	check "$1" "$([[ $run != *"$2"* ]] || echo "$2 in $run")"
}
# short NAME [VARIABLE=VALUE...] -- ARGUMENT...: an audit that has files and does not load the driver
short() {
	local name=$1
	shift
	rm -f "$log"
	audit "$@" -f json >"$folder/short.json"
	check "$name: the driver is not loaded" "$([[ ! -e $log ]] || sort "$log" | uniq -c)"
	check "$name: it has files" "$(grep -q '"files": [1-9]' "$folder/short.json" || echo 'no report')"
}
audit -- -d cpu "${folders[@]}" -f none -o "json:$folder/cpu.json" -o "jsonl:$folder/cpu.jsonl"

# ---- the CPU alone
short 'short' -- "${folders[@]}"
short 'short by its limit' LABELAUDIT_AUTO_MS=20000000 -- "${folders[@]}"
short 'compared with libpng' LABELAUDIT_AUTO_MS=1 LABELAUDIT_DECODER=libpng -- "${folders[@]}"
short 'no masks' LABELAUDIT_AUTO_MS=1 -- lists/ids.txt lists/header.csv
short 'asked for' LABELAUDIT_AUTO_MS=1 -- -d cpu "${folders[@]}"
for value in 0 -1 '' 5s; do
	audit LABELAUDIT_AUTO_MS="$value" -- masks -f none >/dev/null 2>&1
	status=$?
	check "LABELAUDIT_AUTO_MS=$value is refused" "$( ((status == 2)) || echo "$status")"
done
# A list that comes through a pipe has one reader: it cannot be counted ahead.
rm -f "$log"
printf '%s\n' "${folders[@]}" | audit LABELAUDIT_AUTO_MS=1 -- --files-from - -f none
check 'a list from a pipe: the driver is not loaded' "$([[ ! -e $log ]] || sort "$log" | uniq -c)"

# Work that is none does not count: images beside masks, and masks that the cache knows.
mkdir -p "$folder/set/images" "$folder/set/masks"
mask=$(find "$root/testdata/masks" -name '*.png' -size +0 | sort | head -n 1)
for i in 1 2 3; do
	cp "$mask" "$folder/set/images/$i.png"
	truncate -s 5M "$folder/set/images/$i.png"
done
cp "$mask" "$folder/set/masks/1.png"
short 'images beside masks' LABELAUDIT_AUTO_MS=3 -- "$folder/set"
rm "$folder/set/images"/*
truncate -s 400K "$folder/set/masks/1.png"
audit LABELAUDIT_AUTO_MS=3 -- "$folder/set" -f none 2>/dev/null
check 'a large mask: the driver is loaded' "$([[ -e $log ]] || echo 'it is not')"
audit -- -d cpu --cache "$folder/warm" "${folders[@]}" -f none
short 'a warm cache' LABELAUDIT_AUTO_MS=1 -- --cache "$folder/warm" "${folders[@]}"

# ---- the GPU is taken
long 'taken' cuLaunchKernel
has 'taken: it is named' '"device": "cuda:0 Mock 9000'
has 'taken: no note' '"notes": []'
check 'taken: all is given back' "$( (($(calls cuMemAlloc_v2) == $(calls cuMemFree_v2) && $(calls cuMemFree_v2) > 0)) || sort "$log" | uniq -c)"

# ---- several GPUs
# share NAME DEVICES [VARIABLE=VALUE...] [-- OPTION...]: the devices that the report names
share() {
	local name=$1 devices=$2
	shift 2
	# so often that it is long for all cores, and for a part
	for ((i = 8 * $(nproc); i > 0; i--)); do set -- "$@" "${folders[@]}"; done
	audit LABELAUDIT_AUTO_MS=1 CUDA_MOCK_DEVICES=4 "$@" -j 5 -f none -o "json:$folder/auto.json" 2>"$folder/errors"
	run=$(sed -n '/^  "run": {/,/^  }/p' "$folder/auto.json")
	check "$name" "$([[ $(sed -n 's/.*"device": "cuda:\([0-9]\) Mock 9000 ([^)]*)\([^"]*\)".*/cuda:\1\2/p' <<<"$run") == "$devices" ]] || echo "$run")"
	has "$name: no note" '"notes": []'
}
rm -f "$log"
share 'all of them' 'cuda:0, cuda:1, cuda:2, cuda:3' --
check 'all of them: a context for each GPU' "$( (($(calls cuDevicePrimaryCtxRetain) == 4)) || sort "$log" | uniq -c)"
rank=(OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_RANK=1)
share 'one of several processes' 'cuda:1' "${rank[@]}" -- --shard auto
share 'one, in turn, of more processes than GPUs' 'cuda:1' "${rank[@]:0:2}" OMPI_COMM_WORLD_LOCAL_RANK=5 -- --shard auto

# ---- it does not work
long 'cuInit fails' cuInit CUDA_MOCK_FAIL_AT=1
has 'cuInit fails: a note' 'cannot start the NVIDIA driver: an error of the mock (700); measured on the CPU instead'
lacks 'cuInit fails: the CPU alone' 'cuda:0 Mock'
for n in 2 9 10 11 12 14 17 18 19 20 21 22 24 26; do
	[[ ${TORTURE-} == all ]] || ((n % 2 == 0)) || continue
	long "call $n fails" cuGetErrorString CUDA_MOCK_FAIL_AT=$n CUDA_MOCK_LOST=1
	has "call $n fails: a note" '; measured on the CPU instead'
done

# ---- it does not answer
long 'cuInit hangs' cuInit CUDA_MOCK_HANG=cuInit
has 'cuInit hangs: a note' 'the NVIDIA driver did not respond within 5 s; measured on the CPU instead'
check 'cuInit hangs: it is given up' "$( ((took < 60000)) || echo "$took ms")"
long 'stuck' cuLaunchKernel CUDA_MOCK_STUCK_AT=1 LABELAUDIT_GPU_TIMEOUT=1
has 'stuck: a note' 'cuda:0: no response for 1 s; measured on the CPU instead'
check 'stuck: nothing of it is touched again' "$( (($(calls cuMemFree_v2) == 0)) || echo 'it is')"

# ---- --device cuda: a GPU that is not there is an error; one that a worker cannot open, in its own thread, is a failing one
for n in 1 8 9 10; do
	audit CUDA_MOCK_FAIL_AT=$n -- -d cuda -j 3 masks -f none -o "json:$folder/cuda.json" 2>"$folder/errors"
	status=$?
	if ((n <= 8)); then
		check "-d cuda, call $n fails: exit status" "$( ((status == 2)) || echo "$status")"
		check "-d cuda, call $n fails: why" "$(grep -q '^labelaudit: error: cannot .* an error of the mock (700)$' "$folder/errors" || cat "$folder/errors")"
	else
		check "-d cuda, call $n fails: exit status" "$( ((status == 0)) || echo "$status")"
		check "-d cuda, call $n fails: a note" "$(grep -q '"notes": \["cannot .* an error of the mock (700); measured on the CPU instead"\]' "$folder/cuda.json" || grep notes "$folder/cuda.json")"
	fi
done
audit LABELAUDIT_GPU_TIMEOUT=0 -- -d cuda masks -f none 2>"$folder/errors"
status=$?
check '-d cuda, a limit of time that is none: exit status' "$( ((status == 2)) || echo "$status")"

total
