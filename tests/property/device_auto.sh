#!/bin/bash
# --device auto with a mock of the NVIDIA driver (tests/cuda_mock_library.c): short audits never touch it; long ones get the report of
# --device cpu, byte for byte but for `run`, whether the GPU joins, fails at its n-th call, hangs in it, is stuck, or is slow.
#
# usage: tests/property/device_auto.sh     BUILD=dir: where the program was built; TORTURE=all: every n
#
# Lists of files come through a pipe, so that an audit lasts until the mock's log shows what was waited for, however fast or slow this
# machine is.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
mock=$build/mock
log=$folder/log
while IFS='=' read -r name _; do
	[[ $name == LABELAUDIT_* || $name == CUDA_MOCK_* ]] && unset "$name"
done < <(env)
cd "$root/testdata" || exit 1
find masks clean png -name '*.png' | sort >"$folder/some"

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
	env LD_LIBRARY_PATH="$mock" CUDA_MOCK_LOG="$log" "${variables[@]}" timeout 180 "$mock/labelaudit" -q -c 21 -i 255 -j 1 --exit-zero "$@"
}
without_run() {
	sed -E '/^  "run": \{/,/^  \}/d; s/"run": ?\{([^{}]|\{[^{}]*\})*\}/"run": {}/; s/("started": ?)"[^"]*"/\1"N"/' "$1"
}
calls() {
	[[ -e $log ]] || touch "$log.none"
	cat "$log" "$log.none" 2>/dev/null | grep -cx "$1"
}
# feed CALL TIMES: paths, until CALL is in the log that often, and some more. What was fed is in $folder/fed.
feed() {
	local i end=$((SECONDS + 90)) # for a busy machine
	while ((SECONDS < end && $(calls "$1") < $2)); do
		cat "$folder/some"
		sleep 0.02
	done | tee "$folder/fed"
	for ((i = 0; i < 3; i++)); do
		cat "$folder/some"
	done | tee -a "$folder/fed"
	echo "$EPOCHREALTIME" >"$folder/ended"
}
# long NAME CALL TIMES [VARIABLE=VALUE...]: an audit that goes on until that many CALLs were made
long() {
	local name=$1 call=$2 times=$3 status
	shift 3
	rm -f "$log"
	feed "$call" "$times" | audit LABELAUDIT_AUTO_MS=1 "$@" -- --files-from - -f none -o "json:$folder/auto.json" -o "jsonl:$folder/auto.jsonl" \
		2>"$folder/errors"
	status=${PIPESTATUS[1]}
	late=$(awk -v a="$(<"$folder/ended")" -v b="$EPOCHREALTIME" 'BEGIN { printf "%d", 1000 * (b - a) }')
	check "$name: exit status" "$( ((status == 0)) || echo "$status: $(head -n 5 "$folder/errors")")"
	check "$name: waited for $call" "$( (($(calls "$call") >= times)) || echo 'it was not called')"
	audit -- -d cpu --files-from "$folder/fed" -f none -o "json:$folder/cpu.json" -o "jsonl:$folder/cpu.jsonl"
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

# ---- short ones
audit -- masks clean png -f json >"$folder/short.json"
check 'short: the driver is not loaded' "$([[ ! -e $log ]] || sort "$log" | uniq -c)"
# long in time, but not by its work
{ cat "$folder/some"; sleep 0.6; } | audit -- --files-from - -f json >"$folder/short.json"
check 'waits for its list: the driver is not loaded' "$([[ ! -e $log ]] || sort "$log" | uniq -c)"
check 'short: it has files' "$(grep -q '"files": [1-9]' "$folder/short.json" || echo 'no report')"
for value in 0 -1 '' 5s; do
	audit LABELAUDIT_AUTO_MS="$value" -- masks -f none >/dev/null 2>&1
	status=$?
	check "LABELAUDIT_AUTO_MS=$value is refused" "$( ((status == 2)) || echo "$status")"
done

# ---- the GPU joins
long 'joins' cuLaunchKernel 1
has 'joins: both are named' '"device": "cpu ('
has 'joins: both are named' '), cuda:0 Mock 9000'
has 'joins: no note' '"notes": []'
check 'joins: all is given back' "$( (($(calls cuMemAlloc_v2) == $(calls cuMemFree_v2) && $(calls cuMemFree_v2) > 0)) || sort "$log" | uniq -c)"

# What is to come in folders is counted: by far enough, in the first tenth of a second or two.
is_instrumented 'asan|tsan' "$mock/labelaudit" && many=100 || many=1000 # the sanitizers are slow
mapfile -t folders < <(for ((i = 0; i < many; i++)); do printf 'masks\nclean\npng\n'; done)
rm -f "$log"
audit LABELAUDIT_AUTO_MS=20 -- "${folders[@]}" -f json >"$folder/auto.json"
audit -- -d cpu "${folders[@]}" -f json >"$folder/cpu.json"
check 'counted: it joins' "$( (($(calls cuLaunchKernel) > 0)) || echo "$(calls cuInit) times asked")"
check 'counted: the report of the CPU' "$(cmp <(without_run "$folder/cpu.json") <(without_run "$folder/auto.json") 2>&1)"
rm -f "$log"
audit LABELAUDIT_AUTO_MS=20000000 -- "${folders[@]}" -f none
check 'counted, and not enough: the driver is not loaded' "$([[ ! -e $log ]] || sort "$log" | uniq -c)"
audit LABELAUDIT_AUTO_MS=20 LABELAUDIT_DECODER=libpng -- "${folders[@]:0:many}" -f none
check 'with libpng no GPU joins' "$([[ ! -e $log ]] || sort "$log" | uniq -c)"

# ---- it does not work
long 'no such call' cuInit 1 CUDA_MOCK_FAIL_AT=1
has 'cuInit fails: a note' 'cannot start the NVIDIA driver: an error of the mock (700); measured on the CPU instead'
lacks 'cuInit fails: the CPU alone' 'cuda:0 Mock'
last=$(calls cuGetErrorString)
check 'cuInit fails: asked why' "$( ((last == 1)) || echo "$last times")"
for n in 2 9 10 11 12 14 17 18 19 20 21 22 24 26; do
	[[ ${TORTURE-} == all ]] || ((n % 2 == 0)) || continue
	# whatever comes first: the failure, or a launch without it
	long "call $n fails" cuGetErrorString 1 CUDA_MOCK_FAIL_AT=$n CUDA_MOCK_LOST=1
	has "call $n fails: a note" '; measured on the CPU instead'
done

# ---- it does not answer
for call in cuInit cuDevicePrimaryCtxRetain cuModuleLoadData cuMemHostRegister_v2; do
	long "$call hangs" $call 1 CUDA_MOCK_HANG=$call
	lacks "$call hangs: the CPU alone" 'cuda:0 Mock'
	check "$call hangs: nobody waits for it" "$( ((late < 5000)) || echo "$late ms")"
done
long 'stuck' cuLaunchKernel 1 CUDA_MOCK_STUCK_AT=1 LABELAUDIT_GPU_TIMEOUT=1
has 'stuck: a note' 'cuda:0: no answer for 1 s; measured on the CPU instead'
has 'stuck: it has worked' 'cuda:0 Mock'
check 'stuck: nothing of it is touched again' "$( (($(calls cuMemFree_v2) == 0)) || echo 'it is')"

# ---- a slow one gets one unit, and then must not keep anybody waiting
long 'slow' cuLaunchKernel 1 CUDA_MOCK_SLEEP_MS=500
check 'slow: it is not asked again' "$( (($(calls cuLaunchKernel) == 1)) || echo "$(calls cuLaunchKernel) launches")"

# ---- --device cuda: a worker opens its backend in its own thread, and one that cannot is an error
for n in 9 10; do
	audit CUDA_MOCK_FAIL_AT=$n -- -d cuda -j 3 masks -f none 2>"$folder/errors"
	status=$?
	check "-d cuda, call $n fails: exit status" "$( ((status == 2)) || echo "$status")"
	check "-d cuda, call $n fails: why" "$(grep -q '^labelaudit: error: cannot .* an error of the mock (700)$' "$folder/errors" || cat "$folder/errors")"
done

total
