#!/bin/bash
# A GPU that fails, in whatever way, and whatever is audited: the report is the CPU's, byte for byte but for `run`, with one note at most;
# the cache holds what the CPU would have put there; the exit status is the CPU's. With a mock of the NVIDIA driver.
#
# usage: tests/property/device_faults.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more of all combinations of
# faults, inputs, caches and numbers of workers; TORTURE=all: all of them
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
mock=$build/mock
while IFS='=' read -r name _; do
	[[ $name == LABELAUDIT_* && $name != LABELAUDIT_TEST || $name == CUDA_MOCK_* ]] && unset "$name"
done < <(env)
cp -r "$root/testdata" "$folder/testdata"
cd "$folder" || exit 1
# so that no file is too young for the cache
find testdata -exec touch -h -d '2020-01-01' {} +
tar -cf masks.tar -C testdata masks clean png
(cd testdata && python3 -m zipfile -c ../masks.zip masks clean png)
mkdir half
cp -p testdata/masks/[a-m]* half
sleep 3 # ctime, which nothing sets back

# Each: a name, then variables of the mock.
faults=(
	'none'
	'module refused|CUDA_MOCK_FAIL=cuModuleLoadData'
	'no kernel in it|CUDA_MOCK_FAIL=cuModuleGetFunction'
	'no context|CUDA_MOCK_FAIL=cuDevicePrimaryCtxRetain'
	'no memory|CUDA_MOCK_FAIL=cuMemAlloc_v2'
	'little memory|CUDA_MOCK_KIB=2048'
	'nothing can be pinned|CUDA_MOCK_FAIL=cuMemHostRegister_v2'
	'no stream|CUDA_MOCK_FAIL=cuStreamCreate'
	'no launch|CUDA_MOCK_FAIL=cuLaunchKernel'
	'no answer comes back|CUDA_MOCK_FAIL=cuMemcpyDtoHAsync_v2'
	'wrong answers|CUDA_MOCK_CORRUPT=1'
	'one call fails in the middle|CUDA_MOCK_FAIL_AT=60'
	'lost early|CUDA_MOCK_FAIL_AT=45 CUDA_MOCK_LOST=1'
	'lost in the middle|CUDA_MOCK_FAIL_AT=75 CUDA_MOCK_LOST=1'
	'lost late|CUDA_MOCK_FAIL_AT=110 CUDA_MOCK_LOST=1'
	'stuck|CUDA_MOCK_STUCK_AT=3 LABELAUDIT_GPU_TIMEOUT=1'
	'slow|CUDA_MOCK_SLEEP_MS=30'
	'nothing is released|CUDA_MOCK_FAIL=cuMemFree_v2'
)
# Each PATH is of one kind of labels.
all='testdata/archives testdata/arrays/* testdata/clean testdata/colours testdata/lists testdata/masks testdata/packed/*/ testdata/pairs'
all+=' testdata/png testdata/rules/*/*/ testdata/yolo'
inputs=("$all" 'testdata/masks testdata/clean testdata/png' 'masks.tar' 'masks.zip' 'testdata/arrays/* testdata/masks' 'half')
caches=(none cold mixed warm)
workers=(1 2 5 16)

without_run() {
	sed -E '/^  "run": \{/,/^  \}/d; s/"run": ?\{([^{}]|\{[^{}]*\})*\}/"run": {}/; s/("started": ?)"[^"]*"/\1"N"/' "$1"
}
# audit NAME OPTION...: NAME.json and NAME.jsonl
audit() {
	LD_LIBRARY_PATH=$mock timeout 120 "$mock/labelaudit" -q -c 21 -i 255 --fail-on never -f none -o "json:$1.json" -o "jsonl:$1.jsonl" "${@:2}" 2>"$1.err"
}
is_expected() {
	for form in json jsonl; do
		without_run "$2.$form" | cmp -s "without_run$1.$form" - || { echo "the $form of $2 is not the CPU's"; return 1; }
	done
}
for i in "${!inputs[@]}"; do
	# shellcheck disable=SC2086
	audit expected$i -d cpu ${inputs[i]} || fail "the CPU's report: $(<expected$i.err)"
	# shellcheck disable=SC2086
	audit made$i -d cpu --cache "warm$i" ${inputs[i]}
	for form in json jsonl; do without_run "expected$i.$form" >"without_run$i.$form"; done
done

# try NAME VARIABLES INPUT CACHE WORKERS
try() {
	local name="$1, ${inputs[$3]}, cache $4, $5 workers" option=(-j "$5") status
	# shellcheck disable=SC2206
	local input=(${inputs[$3]}) variables=($2)
	rm -rf cache
	case $4 in
	cold) option+=(--cache cache) ;;
	# the masks of a part of the input, as the CPU measured them
	mixed)
		audit part -d cpu --cache cache half testdata/clean
		option+=(--cache cache)
		;;
	warm)
		cp -r "warm$3" cache
		option+=(--cache cache)
		;;
	esac
	(
		[[ ${#variables[@]} -eq 0 ]] || export "${variables[@]}"
		export LABELAUDIT_STAGE_KIB=16
		audit got -d cuda "${option[@]}" "${input[@]}"
	)
	status=$?
	if ((status != 0)); then
		fail "$name: exit status $status: $(head -n 3 got.err)"
	elif ! why=$(is_expected "$3" got); then
		fail "$name: $why"
	elif (($(grep -o '"notes": \[.*' got.json | grep -o 'measured on the CPU instead' | wc -l) > 1)); then
		fail "$name: $(grep '"notes"' got.json)"
	elif [[ $4 != none ]] && ! { audit again -d cpu --cache cache "${input[@]}" && why=$(is_expected "$3" again); }; then
		fail "$name: its cache: ${why:-$(<again.err)}"
	else
		pass
	fi
	[[ $name != none* && $(grep '"notes"' got.json) == *'instead'* ]] && noted=$((noted + 1))
}
noted=0 n=0
# Neither divides any list's length, so that each fault meets each value of the others.
every=61
[[ ${LABELAUDIT_TEST-} != all ]] || every=5
[[ ${TORTURE-} != all ]] || every=1
for fault in "${faults[@]}"; do
	read -r variables <<<"$([[ $fault == *'|'* ]] && echo "${fault#*|}")"
	for input in "${!inputs[@]}"; do
		for cache in "${caches[@]}"; do
			for count in "${workers[@]}"; do
				((n++ % every == 0)) || continue
				try "${fault%%|*}" "$variables" "$input" "$cache" "$count"
			done
		done
	done
done
# Two processes, one GPU and one cache.
for cache in cold warm; do
	[[ $cache == warm ]] || rm -rf cache
	# shellcheck disable=SC2086
	audit first -d cuda -j 3 --cache cache $all &
	# shellcheck disable=SC2086
	audit second -d cuda -j 3 --cache cache $all
	wait
	for name in first second; do
		if why=$(is_expected 0 $name); then pass; else fail "two processes, cache $cache: $why"; fi
	done
done
if ((noted * 4 < passed)); then fail "only $noted of $passed runs have a note: the faults do not happen"; fi
echo "$noted of them with a note"
total
