#!/bin/bash
# A real Slurm on this machine, started and stopped here: a job array with --shard auto, of which one task is killed and queued
# again, srun within tasks, a merge that depends on the array, and lost tasks run again. Skipped, with the reason, where Slurm
# cannot be started.
#
# usage: tests/property/slurm.sh     BUILD=dir: where the program was built. Needs root, slurm-wlm and munge (Debian).
# stop() is called by a trap, which shellcheck may not see.
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
program=$(realpath "$program")
PATH=$PATH:/usr/sbin
# The test may itself run as a task.
unset "${!SLURM_@}" "${!LABELAUDIT_SHARD@}"

stop() {
	local file
	if [[ -e $folder/slurmctld.pid ]]; then
		scontrol shutdown >/dev/null 2>&1
		for _ in {1..50}; do
			[[ -e $folder/slurmctld.pid || -e $folder/slurmd.pid ]] || break
			sleep 0.1
		done
	fi
	for file in slurmctld slurmd munged; do
		[[ -s $folder/$file.pid ]] && kill "$(<"$folder/$file.pid")" 2>/dev/null
	done
	# what was told to end may still write a last line
	rm -rf "$folder" 2>/dev/null || { sleep 1 && rm -rf "$folder"; }
}
trap stop EXIT


# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
	local tries=$((10 * $1))
	shift
	while ! "$@" >/dev/null 2>&1; do
		((tries--)) || return 1
		sleep 0.1
	done
}

for tool in munged slurmctld slurmd sbatch srun scontrol; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed (Debian: slurm-wlm, munge)"
done
[[ $(id -u) -eq 0 ]] || skip_all 'slurmd needs root'

# ---- one node, the daemons in the background, everything in $folder

host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir "$folder/state" "$folder/spool" "$folder/parts"
chmod 755 "$folder"
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MailProg=/bin/true
ReturnToService=2
KillWait=1
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES OverSubscribe=FORCE:8 State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
	--log-file="$folder/munged.log" --seed-file="$folder/munge.seed" 2>"$folder/log" || skip_all "munged: $(tail -n 1 "$folder/log")"
slurmctld -f "$SLURM_CONF" -c 2>"$folder/log" || skip_all "slurmctld: $(tail -n 1 "$folder/log")"
slurmd -f "$SLURM_CONF" -c 2>"$folder/log" || skip_all "slurmd: $(tail -n 1 "$folder/log")"
is_idle() {
	sinfo -h -o '%t' | grep '^idle' >/dev/null
}
wait_for 30 is_idle || skip_all "the node does not come up: $(sinfo -h -o '%t %E' 2>&1 | tail -n 1)"

# ---- jobs

cd "$root/testdata" || exit 1
"$program" --list -0 -c 21 masks clean >"$folder/list"
options=(-q -j 1 -c 21 -i 255 --files-from "$folder/list" -0 -f none)
"$program" "${options[@]}" -o "$folder/one.json"

# Task 3 waits to be killed the first time.
cat >"$folder/audit.sh" <<SCRIPT
#!/bin/bash
if [[ \${SLURM_ARRAY_TASK_ID-} == 3 && -z \${SLURM_RESTART_COUNT-} && ! -e $folder/killed ]]; then
	touch $folder/waiting
	sleep 600
fi
exec $program ${options[*]@Q} --shard auto --fail-on never -o '$folder/parts/part-%r.json'
SCRIPT
cat >"$folder/steps.sh" <<SCRIPT
#!/bin/bash
exec srun --overcommit -n 2 $program ${options[*]@Q} --shard auto --fail-on never -o '$folder/parts/part-%r.json'
SCRIPT
cat >"$folder/merge.sh" <<SCRIPT
#!/bin/bash
$program merge -f none -o $folder/merged.json $folder/parts/part-*.json 2>$folder/said
echo \$? >$folder/merge-status.part
mv $folder/merge-status.part $folder/merge-status
SCRIPT

submit() {
	sbatch --parsable --requeue --ntasks=1 --output="$folder/job-%A-%a.log" "$@"
}

# merge_after JOB: 0 if the merge, when the job is over, is the report of a single audit, and fails as that does
merge_after() {
	rm -f "$folder/merge-status" "$folder/merged.json"
	submit --dependency=afterany:"$1" "$folder/merge.sh" >/dev/null
	wait_for 120 test -e "$folder/merge-status" || return 1
	[[ $(<"$folder/merge-status") == 1 ]] &&
		cmp <(sed '/^  "run": {/d' "$folder/one.json") <(sed '/^  "run": {/d' "$folder/merged.json")
}

job=$(submit --array=1-5 "$folder/audit.sh") || skip_all "sbatch: $job"
if wait_for 60 test -e "$folder/waiting"; then
	touch "$folder/killed"
	scontrol requeue "${job}_3"
	is_pending() {
		[[ $(squeue -h -r -j "${job}_3" -o '%T') == PENDING ]]
	}
	# Slurm holds it back for two minutes otherwise
	wait_for 30 is_pending && scontrol update "JobId=${job}_3" StartTime=now
	if merge_after "$job"; then pass; else fail "an array with a task that was killed and queued again: $(cat "$folder/said" "$folder"/job-*.log 2>&1 | head -n 5)"; fi
else
	fail "the array does not start: $(squeue -h -o '%T %r' | head -n 3)"
fi

# Two tasks are lost; merge names them, and they alone are run again.
rm -f "$folder"/parts/part-[25].json
"$program" merge -f none "$folder"/parts/part-*.json 2>"$folder/said"
missing=$(sed -n 's/.* missing: \([0-9,-]*\) .*/\1/p' "$folder/said")
if [[ $missing == 2,5 ]]; then pass; else fail "missing: '$missing'"; fi
job=$(LABELAUDIT_SHARD_COUNT=5 submit --array="$missing" "$folder/audit.sh")
if merge_after "$job"; then pass; else fail "lost tasks, again: $(cat "$folder/said")"; fi

rm -f "$folder"/parts/*
job=$(submit --array=0-1 "$folder/steps.sh")
if merge_after "$job"; then pass; else fail "srun in the tasks of an array: $(cat "$folder/said" "$folder/job-$job"-*.log | head -n 5)"; fi

total
