#!/bin/bash
# --shard auto under the launchers that are here (mpirun, GNU parallel) and in the environments of those that are not (Slurm
# steps in an array, Kubernetes; unit/test_shard has all): all parts, merged, are the report of a single audit; and failed tasks
# can be run again.
#
# usage: tests/property/launchers.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
# This test may itself run under a launcher.
unset "${!SLURM_@}" "${!OMPI_@}" "${!PMI_@}" "${!PMIX_@}" "${!LABELAUDIT_SHARD@}" JOB_COMPLETION_INDEX

cd "$root/testdata" || exit 1
audit=("$program" -q -j 1 -c 21 -i 255 -f none --fail-on never masks clean)
"${audit[@]}" --fail-on error -o "$folder/one.json"
sed '/^  "run": {/d' "$folder/one.json" >"$folder/one"

begin() {
	rm -rf "$folder/parts"
	mkdir "$folder/parts"
}

# whole NAME N: the N parts there make up the report of the single audit
whole() {
	local n
	n=$(find "$folder/parts" -name 'part-*.json' | wc -l)
	if ((n != $2)); then
		fail "$1: $n parts, not $2"
	elif ! { "$program" merge -q "$folder"/parts/part-*.json || (($? == 1)); } | sed '/^  "run": {/d' | cmp - "$folder/one"; then
		fail "$1: the merge is not the report of a single audit"
	else
		pass
	fi
}

# with "A=1 B=2" COMMAND...
with() {
	# shellcheck disable=SC2086
	env $1 "${@:2}"
}

array() {
	echo "SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=$2 SLURM_ARRAY_TASK_MAX=$3 SLURM_ARRAY_TASK_STEP=$4 SLURM_ARRAY_TASK_COUNT=$5"
}

# ---- real ones

begin
if command -v mpirun >/dev/null; then
	root=()
	[[ $(id -u) -ne 0 ]] || root=(--allow-run-as-root)
	if mpirun "${root[@]}" --oversubscribe -n 1 true >"$folder/log" 2>&1; then
		if mpirun "${root[@]}" --oversubscribe -n 4 "${audit[@]}" --shard auto -o "$folder/parts/part-%r.json" >"$folder/log" 2>&1; then
			whole 'mpirun -n 4' 4
		else
			fail "mpirun: $(<"$folder/log")"
		fi
	else
		skip "mpirun cannot start a process here: $(head -n 3 "$folder/log" | tr '\n' ' ')"
	fi
else
	skip 'mpirun is not installed'
fi

begin
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep 'GNU parallel' >/dev/null; then
	if parallel --jobs 2 --joblog "$folder/joblog" "${audit[@]}" --shard '{}/5' -o "$folder/parts/part-{}.json" ::: 1 2 3 4 5; then
		whole 'parallel' 5
	else
		fail 'parallel'
	fi
	rm "$folder/parts/part-2.json"
	# what --resume-failed does: the tasks that the log does not call done
	sed -i -E 's/^(2\t.*\t)0(\t0\t[^\t]*)$/\11\2/' "$folder/joblog"
	if parallel --resume-failed --jobs 2 --joblog "$folder/joblog" "${audit[@]}" --shard '{}/5' -o "$folder/parts/part-{}.json" \
		::: 1 2 3 4 5; then
		whole 'parallel --resume-failed' 5
	else
		fail 'parallel --resume-failed'
	fi
else
	skip 'GNU parallel is not installed'
fi

# ---- environments

begin
for id in 1 2 3; do
	for rank in 0 1; do
		with "$(array $id 1 3 1 3) SLURM_STEP_ID=0 SLURM_PROCID=$rank SLURM_NTASKS=2 SLURM_LOCALID=$rank" \
			"${audit[@]}" --shard auto -o "$folder/parts/part-%r.json" || fail "array task $id, rank $rank"
	done
done
whole 'srun -n 2 in each task of a Slurm array 1-3' 6

begin
for index in {0..9}; do
	with "JOB_COMPLETION_INDEX=$index LABELAUDIT_SHARD_COUNT=10" "${audit[@]}" --shard auto -o "$folder/parts/part-%r.json" ||
		fail "completion index $index"
done
whole 'Kubernetes Indexed Job' 10

# Two tasks were lost: merge names them as --array takes them, and those alone are run again.
rm "$folder"/parts/part-0[24].json
said=$("$program" merge -f none "$folder"/parts/part-*.json 2>&1)
missing=$(sed -n 's/.* missing: \([0-9,-]*\) .*/\1/p' <<<"$said")
if [[ $missing == 2,4 ]]; then pass; else fail "missing: '$missing' of '$said'"; fi
for id in ${missing//,/ }; do
	with "$(array "$id" 2 4 1 2)" "${audit[@]}" --shard auto -o "$folder/parts/part-%r.json" 2>/dev/null &&
		fail 'an array with gaps was taken for the whole'
	with "$(array "$id" 2 4 1 2) LABELAUDIT_SHARD_COUNT=10" "${audit[@]}" --shard auto -o "$folder/parts/part-%r.json" ||
		fail "task $id, again"
done
whole 'after the lost tasks were run again' 10

total
