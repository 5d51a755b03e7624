#!/bin/bash
# The GPU's kernel as nvcc compiles it, run by a simulator (gpusim.bash): the reports are the CPU's, each answer of the device is right, and
# no lane does what it must not. As PTX in three orders of lanes, and as machine code where nvdisasm and cuobjdump are found.
#
# usage: tests/property/gpusim.sh     BUILD=dir: where the program was built; LABELAUDIT_TEST=all: more masks
#
# LABELAUDIT_CUDA_TOOLS: a folder with cuobjdump and nvdisasm, somewhere below; else they are looked for on PATH
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
# shellcheck source=tests/property/gpusim.bash
. "$(dirname "$0")/gpusim.bash"
sim_build
[[ ${LABELAUDIT_TEST-} == all ]] && mutants=3000 samples=20 || mutants=600 samples=3

if ! sim_ptx "$root/src" "$folder/measure.ptx"; then
	cat "$folder/nvcc"
	fail 'nvcc -ptx'
	total
fi
# tool NAME: its path
tool() {
	command -v "$1" || find -L "${LABELAUDIT_CUDA_TOOLS:-/usr/local/cuda/bin}" -name "$1" -type f -print -quit 2>/dev/null | grep .
}
sass=
if ! cuobjdump=$(tool cuobjdump) || ! nvdisasm=$(tool nvdisasm); then
	skip 'machine code: no cuobjdump and nvdisasm (LABELAUDIT_CUDA_TOOLS)'
elif (cd "$folder" && "$cuobjdump" -xelf sm_90 "$build/cuda/measure.fatbin" >/dev/null 2>&1 && "$nvdisasm" -c ./*sm_90*.cubin >measure.sass 2>/dev/null); then
	sass=$folder/measure.sass
else
	fail 'machine code: cuobjdump or nvdisasm does not read the fatbin'
fi

# ---- the masks
cd "$folder" || exit 1
sim_masks wide mutants "$mutants"
cp -r "$root/testdata" testdata
{
	python3 "$root/tests/property/gpusim.py" "$samples" 300000 "$shared"/data/*/
	find wide -name '*.png' -print0 | sort -z
	find testdata/volumes/good/labelsTr -type f -print0 | sort -z # which the CPU reads beside it
} >chosen
tar -cf mutants.tar mutants
# The whole masks of a corpus, and the broken ones: the device must measure most of the first, and may refuse most of the second.
whole=(-c 12 -i 255 --files-from chosen -0)
broken=(-c 12 -i 255 --kind mask testdata mutants)

# expect NAME OPTION...: NAME.json and NAME.jsonl of the CPU
expect() {
	"$program" --device cpu -q --fail-on never -f none -o "json:$1.json" -o "jsonl:$1.jsonl" "${@:2}" || fail "the CPU's report of $1"
}
# verify NAME EXPECTED LOG WHOLE: prints why a run is not as it should be. WHOLE: its masks are not broken, so that the device takes them.
verify() {
	local form measured refused
	for form in json jsonl; do
		cmp -s <(without_run "$2.$form") <(without_run "$1.$form") || echo "the $form is not the CPU's"
	done
	grep -q '"notes": \[\]' "$1.json" || grep '"notes": \["' "$1.json"
	sim_complaint "$3"
	read -r measured refused < <(sim_counts "$3") || return
	if ((measured < 20 || ($4 && refused * 50 > measured) || refused > measured * 8)); then
		echo "$measured masks were measured, $refused refused"
	fi
}
# try NAME EXPECTED WHOLE FRONT ORDER [VARIABLE=VALUE...] -- OPTION...: an audit, in the background
tried=0
try() {
	local name=$1 expected=$2 is_whole=$3 front=$4 order=$5 code=$folder/measure.ptx variables=() run=run$((tried += 1))
	shift 5
	while [[ $1 != -- ]]; do
		variables+=("$1")
		shift
	done
	shift
	[[ $front == ptx ]] || code=$sass
	while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n; done
	{
		echo "$name" >"$run.name"
		sim_audit "$run.log" "$front" "$code" "$order" "${variables[@]}" -- -o "json:$run.json" -o "jsonl:$run.jsonl" "$@" ||
			echo "exit status $?: $(tail -n 2 "$run.log")" >"$run.why"
		verify "$run" "$expected" "$run.log" "$is_whole" >>"$run.why"
	} &
}

expect whole "${whole[@]}"
for view in raw pil cv2; do
	expect "broken-$view" --view $view "${broken[@]}"
done
expect archive -c 12 -i 255 mutants.tar

for run in forward:raw reverse:pil random:cv2; do
	try "PTX, lanes ${run%:*}, whole masks" whole 1 ptx ${run%:*} -- -j 1 "${whole[@]}"
	try "PTX, lanes ${run%:*}, view ${run#*:}, broken masks" "broken-${run#*:}" 0 ptx ${run%:*} -- -j 1 --view ${run#*:} "${broken[@]}"
done
if [[ $sass ]]; then
	try 'machine code, whole masks' whole 1 sass pc -- -j 1 "${whole[@]}"
	try 'machine code, broken masks' broken-pil 0 sass pc -- -j 1 --view pil "${broken[@]}"
	try 'machine code, lanes random, broken masks' broken-cv2 0 sass random -- -j 1 --view cv2 "${broken[@]}"
fi

# ---- everything around the kernel
try 'a device that works later' whole 1 ptx pc PTXSIM_LAZY=1 -- -j 1 "${whole[@]}"
try '16 workers' broken-pil 0 ptx pc PTXSIM_LAZY=1 -- -j 16 --view pil "${broken[@]}"
try 'stages of 16 KiB' broken-pil 0 ptx pc LABELAUDIT_STAGE_KIB=16 -- -j 2 --view pil "${broken[@]}"
try 'a device of 300 MB' broken-pil 0 ptx pc PTXSIM_MEMORY_MB=300 -- -j 2 --view pil "${broken[@]}"
# The kernels are in a form that this driver refuses; it runs the PTX that the program has besides.
if [[ -s $build/cuda/measure.ptx ]]; then
	try 'a driver of CUDA 11' broken-pil 0 ptx pc PTXSIM_OLD_DRIVER=1 -- -j 2 --view pil "${broken[@]}"
fi
try 'an archive' archive 0 ptx pc -- -j 2 -c 12 -i 255 mutants.tar
wait
# a cache that knows no mask, some, and all of them
head -c $(($(wc -c <chosen) / 2)) chosen | sed -z '$d' >some
"$program" --device cpu -q --fail-on never -f none --cache mixed -c 12 -i 255 --files-from some -0
try 'an empty cache' whole 1 ptx pc -- -j 2 --cache new "${whole[@]}"
try 'a cache of some masks' whole 1 ptx pc -- -j 2 --cache mixed "${whole[@]}"
wait
for run in new mixed; do
	sim_audit "$run.log" ptx measure.ptx pc -- -o "json:$run.json" --cache $run "${whole[@]}"
	if cmp -s <(without_run whole.json) <(without_run $run.json); then pass; else fail "a warm cache ($run): not the CPU's report"; fi
	if [[ $(sim_counts "$run.log") =~ ^(0 0)?$ ]]; then pass; else fail "a warm cache ($run): masks are measured again"; fi
done

for ((i = 1; i <= tried; i++)); do
	if [[ -s run$i.why ]]; then
		fail "$(<run$i.name): $(head -n 5 "run$i.why")"
	else
		echo "$(<run$i.name): $(sim_counts run$i.log | sed 's/ / masks measured, /') refused; no faults"
		pass
	fi
done
total
