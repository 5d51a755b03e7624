#!/bin/bash
# Checks and times the GPU backend on a machine that has a GPU, and perhaps nothing else of ours: needs bash, coreutils,
# findutils, awk, and python3 or jq to read the reports.
#
# usage: gpu.sh PROGRAM DATA [ROUNDS]
#
#   PROGRAM  labelaudit, or a command that starts it with its libraries, in one word: '.gpu/run labelaudit'
#   DATA     a folder of masks
#   ROUNDS   how often each time is taken; the median counts (3)
#
# 1. cuda and cpu: the JSON reports without `run` must be the same bytes, for each view, with few and many classes, for
#    one and many jobs; and the cuda run must really have run on the GPU to its end (no note).
# 2. compute-sanitizer, if it is there: memcheck, racecheck, initcheck and synccheck over 24 files.
# 3. The copy ceilings, if nvbandwidth is there: compressed masks are what is uploaded.
# 4. Times of the whole program, start-up included, over stage sizes (LABELAUDIT_STAGE_KIB: KiB of compressed masks that
#    are uploaded at a time, 128 files at most) and jobs, against the cpu. MB/s are compressed bytes.
#
# 5. The kernel alone, if ncu or nsys is there: the sum of the times of all launches, and its registers.
#
# Exit status: 0 all is equal and clean, 1 something differs, 2 it could not be tried.
set -euo pipefail
export LC_ALL=C

if [[ $# -lt 2 || $# -gt 3 ]]; then
	sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0" >&2
	exit 2
fi
read -ra program <<<"$1"
data=$2
rounds=${3:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# The report without its member `run`, in a canonical form: report_rest FILE
# What the run says of itself, on one line: device, then notes: report_run FILE
if command -v python3 >/dev/null; then
	report_rest() {
		python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); r.pop("run"); print(json.dumps(r, indent=1))' "$1"
	}
	report_run() {
		python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["run"]; print(r["device"], *r["notes"], sep="; ")' "$1"
	}
elif command -v jq >/dev/null; then
	report_rest() { jq 'del(.run)' "$1"; }
	report_run() { jq -r '[.run.device] + .run.notes | join("; ")' "$1"; }
else
	echo "gpu.sh: needs python3 or jq" >&2
	exit 2
fi

# audit OUT OPTION...: a report of DATA. Exit status 1 is findings, which masks may well have.
audit() {
	local out=$1 status=0

	shift
	"${program[@]}" --format json --progress none "$@" >"$out" 2>"$work/stderr" || status=$?
	if ((status > 1)); then
		echo "gpu.sh: exit status $status of: ${program[*]} $*" >&2
		cat "$work/stderr" >&2
		return 2
	fi
}

# seconds COMMAND...: the median of ROUNDS runs.
seconds() {
	local start

	for ((i = 0; i < rounds; i++)); do
		start=$EPOCHREALTIME
		"$@"
		awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }'
	done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

cores=$(nproc)
mapfile -d '' files < <(find -L "$data" -type f -name '*.png' -print0 | sort -z)
if ((${#files[@]} == 0)); then
	echo "gpu.sh: no .png under $data" >&2
	exit 2
fi

echo "== $(date -u +%Y-%m-%dT%H:%MZ), $cores cores, ${#files[@]} masks under $data"
if command -v nvidia-smi >/dev/null; then
	nvidia-smi --query-gpu=name,driver_version,pcie.link.gen.max,pcie.link.width.max --format=csv,noheader || true
fi
"${program[@]}" doctor || true
echo

# Without a GPU that works nothing below means anything.
if ! audit "$work/probe.json" --device cuda --classes 2 "${files[0]}"; then
	exit 2
fi

echo "== cuda against cpu"
for view in pil raw cv2; do
	for classes in 2 256; do
		for jobs in 1 "$cores"; do
			options=(--classes "$classes" --ignore 255 --view "$view" --jobs "$jobs" "$data")
			audit "$work/cpu.json" --device cpu "${options[@]}"
			audit "$work/cuda.json" --device cuda "${options[@]}"
			report_rest "$work/cpu.json" >"$work/cpu.txt"
			report_rest "$work/cuda.json" >"$work/cuda.txt"
			ran=$(report_run "$work/cuda.json")
			name="view $view, $classes classes, $jobs jobs"
			case $ran in
			cuda:*\;*) fail "$name: the GPU gave up: $ran" ;;
			cuda:*) ;;
			*) fail "$name: did not run on the GPU: $ran" ;;
			esac
			if cmp -s "$work/cpu.txt" "$work/cuda.txt"; then
				echo "same: $name"
			else
				fail "$name: reports differ"
				diff "$work/cpu.txt" "$work/cuda.txt" | head -20 || true
			fi
		done
	done
done
echo

echo "== compute-sanitizer"
if command -v compute-sanitizer >/dev/null; then
	# from all over the folder: neighbours are alike
	few=$((${#files[@]} < 24 ? ${#files[@]} : 24))
	for ((i = 0; i < few; i++)); do
		printf '%s\0' "${files[i * ${#files[@]} / few]}"
	done >"$work/few"
	for tool in memcheck racecheck initcheck synccheck; do
		status=0
		compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 99 \
			"${program[@]}" --format none --progress none \
			--fail-on never --device cuda --classes 2 --jobs 1 --files-from "$work/few" -0 \
			>"$work/sanitizer" 2>&1 || status=$?
		if ((status == 0)); then
			echo "clean: $tool ($(grep -c 'ERROR SUMMARY' "$work/sanitizer" || true) summaries)"
		else
			fail "compute-sanitizer $tool: exit status $status"
			tail -20 "$work/sanitizer"
		fi
	done
else
	echo "skipped: compute-sanitizer is not on PATH"
fi
echo

echo "== copy ceilings"
if command -v nvbandwidth >/dev/null; then
	nvbandwidth -t host_to_device_memcpy_ce device_to_host_memcpy_ce || true
else
	echo "skipped: nvbandwidth is not on PATH"
fi
echo

# timed OPTION...: one run that writes nothing.
timed() {
	"${program[@]}" --format none --progress none --fail-on never --classes 256 "$@" "$data" >/dev/null 2>&1
}

bytes=$(du -cbL --files0-from=<(printf '%s\0' "${files[@]}") | tail -n 1 | cut -f 1)

# row DEVICE STAGE JOBS SECONDS CPU_SECONDS: one line of the table.
row() {
	awk -v device="$1" -v stage="$2" -v jobs="$3" -v s="$4" -v cpu="$5" -v n="${#files[@]}" -v bytes="$bytes" 'BEGIN {
		printf "%-6s %10s %6s %12s %12.0f %10.1f %8.2f\n", device, stage, jobs, s, n / s, bytes / s / 1e6, cpu / s
	}'
}

echo "== times: whole program, warm cache, start-up included, median of $rounds"
timed --device cpu --jobs "$cores" # warms the cache
printf '%-6s %10s %6s %12s %12s %10s %8s\n' device stage_KiB jobs seconds files/s MB/s vs_cpu
for jobs in 1 4 "$cores"; do
	cpu=$(seconds timed --device cpu --jobs "$jobs")
	row cpu - "$jobs" "$cpu" "$cpu"
	for kib in 256 512 1024 2048 4096 8192; do
		export LABELAUDIT_STAGE_KIB=$kib
		cuda=$(seconds timed --device cuda --jobs "$jobs")
		row cuda "$kib" "$jobs" "$cuda" "$cpu"
		unset LABELAUDIT_STAGE_KIB
	done
done
echo

echo "== the kernel alone"
if command -v nsys >/dev/null; then
	nsys profile --force-overwrite true --output "$work/kernel" --trace cuda "${program[@]}" --format none --progress none \
		--fail-on never --classes 256 --device cuda --jobs "$cores" "$data" >/dev/null 2>&1 || true
	nsys stats --report cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum --format csv "$work/kernel.nsys-rep" 2>/dev/null |
		tee "$work/kernel.csv" || true
	awk -F, -v n="${#files[@]}" -v bytes="$bytes" '/labelaudit_measure/ { s = $2 / 1e9
		printf "kernel only: %.4f s, %.0f files/s, %.1f MB/s compressed\n", s, n / s, bytes / s / 1e6 }' "$work/kernel.csv"
elif command -v ncu >/dev/null; then
	# ncu runs every launch by itself, several times: an upper bound of what they take together
	ncu --metrics gpu__time_duration.sum,launch__registers_per_thread --csv --target-processes all \
		"${program[@]}" --format none --progress none --fail-on never --classes 256 --device cuda --jobs 1 "$data" \
		>"$work/kernel.csv" 2>/dev/null || true
	awk -F'","' -v n="${#files[@]}" -v bytes="$bytes" '
		/gpu__time_duration/ { gsub(/[",]/, "", $NF); ns += $NF * ($(NF - 1) ~ /^us/ ? 1000 : $(NF - 1) ~ /^ms/ ? 1e6 : 1); k++ }
		/launch__registers/ { gsub(/[",]/, "", $NF); registers = $NF }
		END { if (k) printf "kernel only, launches one by one: %d launches, %.4f s, %.0f files/s, %.1f MB/s compressed, %s registers\n",
			k, ns / 1e9, n / (ns / 1e9), bytes / (ns / 1e9) / 1e6, registers; else print "ncu gave no times" }' "$work/kernel.csv"
else
	echo "skipped: neither nsys nor ncu is on PATH"
fi
echo

if ((failures > 0)); then
	echo "$failures FAILED"
	exit 1
fi
echo "all equal and clean"
