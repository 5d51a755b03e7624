#!/bin/bash
# Checks and times the GPU on a machine that has one, and perhaps nothing else of ours: needs bash, coreutils, findutils, awk, and python3
# or jq to read the reports. Some ten minutes with three sets.
#
# usage: gpu.sh [-s SECTIONS] [-n FILES] [-m MASKS] [-r ROUNDS] PROGRAMS SET...
#        gpu.sh --short PROGRAMS SET...
#
#   --short    same,kernel,times,where in at most six minutes: what does not fit is a failure. bench/gpu_pack makes a folder with all that
#              this needs; there: bench/gpu.sh --short bin sets/*
#   PROGRAMS   where labelaudit and gpu_kernel are (make; make BUILD/bench/gpu_kernel): a folder; or a command that starts the one that is
#              named behind it with the libraries that it needs
#   SET        a folder of PNG masks; bench/gpu_masks.py draws some. One that is called hostile has broken ones, too: it is not timed
#   -s         only these, of: kernel,same,auto,sanitize,times,where,sweep,variants
#   -n         files of a timed audit: hard links of the set's (200000)
#   -m         masks of a launch, where the kernel alone is timed (16384)
#   -r         how often each time is taken; the median counts (3)
#
# kernel    copy ceilings, then the kernel alone on a full device, each answer compared with the CPU's (gpu_kernel.c)
# same      the JSON reports of cuda and cpu without `run`: the same bytes, for each view, with few and many classes, for whole masks and
#           broken ones; and the GPU must have been at it to the end (no note)
# auto      the same of --device auto, whatever it picks
# sanitize  compute-sanitizer, if it is there: memcheck, racecheck, initcheck and synccheck over 24 files and as many broken ones
# times     the whole program, start-up included, warm: cpu, cuda and auto on all cores. MB/s are compressed bytes
# where     what the time goes to: of the kernel's warps, by clocks.fatbin beside gpu_kernel; and of the program's threads
# sweep     the same over stage sizes (LABELAUDIT_STAGE_KIB: KiB of masks that are uploaded at a time, 128 files at most) and threads
# variants  the kernel with other tables, slots and blocks, if nvcc is there and this lies in a clone: compiled from changed copies
#
# Exit status: 0 all is equal and clean, 1 something differs, 2 it could not be tried.
set -euo pipefail
export LC_ALL=C

usage() {
	sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0" >&2
	exit 2
}
sections=kernel,same,auto,sanitize,times,where,sweep,variants
copies=200000 launched=16384 rounds=3 short=0
if [[ ${1-} == --short ]]; then
	sections=same,kernel,times,where rounds=1 short=1
	shift
fi
while getopts s:n:m:r: option; do
	case $option in
	s) sections=$OPTARG ;;
	n) copies=$OPTARG ;;
	m) launched=$OPTARG ;;
	r) rounds=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[[ $# -ge 2 ]] || usage
if [[ -d $1 ]]; then
	labelaudit=("$1/labelaudit")
	gpu_kernel=("$1/bench/gpu_kernel")
	[[ -x ${gpu_kernel[0]} ]] || gpu_kernel=("$1/gpu_kernel")
else
	read -ra labelaudit <<<"$1 labelaudit"
	read -ra gpu_kernel <<<"$1 gpu_kernel"
fi
clocks=${gpu_kernel[0]%/*}/clocks.fatbin
[[ -e $clocks ]] || clocks=${gpu_kernel[0]%/*}/../cuda/clocks.fatbin
shift
sets=("$@")
if ((short)); then
	# One that hangs must not keep the others from the device.
	labelaudit=(timeout 60 "${labelaudit[@]}")
	gpu_kernel=(timeout 60 "${gpu_kernel[@]}")
fi
short_seconds=330
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}
wants() {
	[[ ,$sections, == *,$1,* ]]
}
# in_time WHAT: whether there is time for it
in_time() {
	((!short)) || (($(date +%s) - began < short_seconds)) && return
	fail "no time for $*"
	return 1
}
title() {
	echo
	echo "== $* ($(($(date +%s) - began)) s)"
}
began=$(date +%s)

# is_hostile NAME
is_hostile() {
	[[ $1 == hostile ]]
}

# The report without its member `run`, in a canonical form: report_rest FILE
# What the run says of itself, on one line: device, then notes: report_run FILE
if command -v python3 >/dev/null; then
	report_rest() {
		python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); r.pop("run"); print(json.dumps(r, indent=1))' "$1"
	}
	report_threads() {
		python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["run"]
print(*("%s %.2f" % s for s in r["thread_seconds"].items()), "of %.2f in all" % (r["seconds"] * r["jobs"]), sep=", ")' "$1"
	}
	report_run() {
		python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["run"]; print(r["device"], *r["notes"], sep="; ")' "$1"
	}
elif command -v jq >/dev/null; then
	report_rest() { jq 'del(.run)' "$1"; }
	report_threads() { jq -r '.run.thread_seconds | to_entries | map("\(.key) \(.value)") | join(", ")' "$1"; }
	report_run() { jq -r '[.run.device] + .run.notes | join("; ")' "$1"; }
else
	echo "gpu.sh: needs python3 or jq" >&2
	exit 2
fi

# audit OUT OPTION...: a report. Exit status 1 is findings, which masks may well have.
audit() {
	local out=$1 status=0

	shift
	"${labelaudit[@]}" --format json --progress none "$@" >"$out" 2>"$work/stderr" || status=$?
	if ((status > 1)); then
		echo "gpu.sh: exit status $status of: ${labelaudit[*]} $*" >&2
		cat "$work/stderr" >&2
		return 2
	fi
}
# timed OPTION...: one run, whose report says whether the GPU gave up.
timed() {
	"${labelaudit[@]}" --format json --max-findings 1 --progress none --fail-on never --classes 21 --ignore 255 "$@" >"$work/timed.json" 2>/dev/null
}
# seconds timed OPTION...: the median of ROUNDS runs. A run that failed, or whose report has a note, is no run of what was asked for.
seconds() {
	local start end

	for ((i = 0; i < rounds; i++)); do
		start=$EPOCHREALTIME
		"$@" || echo "exit status $?: $*" >>"$work/untimed"
		end=$EPOCHREALTIME
		awk -v a="$start" -v b="$end" 'BEGIN { printf "%.6f\n", b - a }'
		case $(report_run "$work/timed.json") in
		*\;*) echo "$*: $(report_run "$work/timed.json")" >>"$work/untimed" ;;
		esac
	done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# compare NAME DEVICE OPTION...: its report is the CPU's, and it ran to its end.
compare() {
	local name=$1 device=$2 ran

	shift 2
	audit "$work/cpu.json" --device cpu "$@"
	audit "$work/gpu.json" --device "$device" "$@"
	report_rest "$work/cpu.json" >"$work/cpu.txt"
	report_rest "$work/gpu.json" >"$work/gpu.txt"
	ran=$(report_run "$work/gpu.json")
	case $ran in
	*cuda:*\;*) fail "$name: the GPU gave up: $ran" ;;
	cuda:* | *,\ cuda:*) ;;
	*) if [[ $device == auto ]]; then echo "auto picked: $ran"; else fail "$name: the GPU was not used: $ran"; fi ;;
	esac
	if cmp -s "$work/cpu.txt" "$work/gpu.txt"; then
		echo "same: $name"
	else
		fail "$name: reports differ"
		diff "$work/cpu.txt" "$work/gpu.txt" | head -20 || true
	fi
}

# ---- the sets, beside broken ones and copies ----
cores=$(nproc)
names=() counts=() sizes=()
for set in "${sets[@]}"; do
	name=$(basename "$set")
	mapfile -d '' files < <(find -L "$set" -type f -name '*.png' -print0 | sort -z)
	if ((${#files[@]} == 0)); then
		echo "gpu.sh: no .png under $set" >&2
		exit 2
	fi
	mkdir -p "$work/$name/masks" "$work/$name/broken"
	i=0
	for file in "${files[@]}"; do
		cp -L "$file" "$work/$name/masks/$((i++)).png"
	done
	mutants=$((short ? 200 : i < 500 ? 500 : i))
	mutants=$((mutants < launched ? mutants : launched))
	if command -v python3 >/dev/null && ! is_hostile "$name"; then
		python3 "$here/tests/property/lane_orders.py" "$work/$name/broken" $mutants 1 "${files[@]:0:200}"
	fi
	names+=("$name")
	counts+=("$i")
	sizes+=("$(find "$work/$name/masks" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')")
done
# some_of FOLDER: as many masks as a command line holds, in the array some
some_of() {
	mapfile -d '' -n 4000 some < <(find "$1" -name '*.png' -print0 | sort -z)
}
# copies_of NAME: makes a folder of `copies` masks, of hard links
copies_of() {
	local i at=$work/$1/copies
	[[ -e $at ]] && return
	mkdir "$at"
	cp -rl "$work/$1/masks" "$at/0"
	for ((i = 1; i < (copies + count - 1) / count; i++)); do
		cp -rl "$at/0" "$at/$i"
	done
}

echo "== $(date -u +%Y-%m-%dT%H:%MZ), $cores cores"
if command -v nvidia-smi >/dev/null; then
	nvidia-smi --query-gpu=name,driver_version,pcie.link.gen.max,pcie.link.width.max,clocks.sm,clocks.max.sm --format=csv,noheader || true
fi
"${labelaudit[@]}" doctor || true
for i in "${!names[@]}"; do
	echo "set ${names[$i]}: ${counts[$i]} masks, $((sizes[i] / counts[i])) bytes each"
done

# Without a GPU that works nothing below means anything.
if ! audit "$work/probe.json" --device cuda --classes 2 "$work/${names[0]}/masks/0.png"; then
	exit 2
fi

if wants same; then
	title "cuda against cpu"
	for name in "${names[@]}"; do
		views=(pil raw cv2) numbers=(2 256) folders=("$work/$name/masks")
		is_hostile "$name" || folders+=("$work/$name/broken")
		((!short)) || numbers=(21)
		((!short)) || is_hostile "$name" || views=(pil)
		for view in "${views[@]}"; do
			for classes in "${numbers[@]}"; do
				in_time "the reports of $name, view $view" || break 3
				compare "$name, view $view, $classes classes" cuda --classes "$classes" --ignore 255 --view "$view" "${folders[@]}"
			done
		done
		((short)) || compare "$name, one thread" cuda --classes 21 --jobs 1 "${folders[@]}"
	done
fi
if wants kernel; then
	for i in "${!names[@]}"; do
		is_hostile "${names[$i]}" && continue
		in_time "the kernel on ${names[$i]}" || break
		title "the kernel alone, on masks of ${names[$i]}"
		some_of "$work/${names[$i]}/masks"
		"${gpu_kernel[@]}" -n "$launched" -r "$rounds" "${some[@]}" | tee "$work/answers" || fail "${names[$i]}: $?"
		# a refused mask is measured by the CPU, so that reports do not show it
		sed -nE 's/^answers: .* \(([0-9]+) of them fine.*/\1/p' "$work/answers" | awk -v n="$launched" '{ seen = 1; if ($1 * 1000 > n) exit 1 } END { exit !seen }' ||
			fail "${names[$i]}: the kernel refused more than one in 1,000 masks that the CPU measures"
	done
	for i in "${!names[@]}"; do
		in_time "broken masks of ${names[$i]}" || break
		title "broken masks of ${names[$i]}, by the kernel alone"
		some_of "$work/${names[$i]}/broken"
		is_hostile "${names[$i]}" && some_of "$work/${names[$i]}/masks"
		"${gpu_kernel[@]}" -n "$((launched < 2000 ? launched : 2000))" -r 1 "${some[@]}" >"$work/answers" || fail "${names[$i]}, broken: $?"
		sed -n '/^answers/p' "$work/answers"
	done
fi
if wants auto; then
	title "auto against cpu"
	for i in "${!names[@]}"; do
		count=${counts[$i]}
		copies_of "${names[$i]}"
		# a lower limit, so that sets of this size count as long; on many cores the CPU may still be picked
		LABELAUDIT_AUTO_MS=100 compare "${names[$i]}" auto --classes 21 --ignore 255 "$work/${names[$i]}/copies"
	done
fi
if wants sanitize; then
	title "compute-sanitizer"
	if command -v compute-sanitizer >/dev/null; then
		# from all over the sets: neighbours are alike
		for name in "${names[@]}"; do
			for kind in masks broken; do
				find "$work/$name/$kind" -name '*.png' | sort | awk -v n=$((24 / ${#names[@]} + 1)) '{ line[NR] = $0 }
					END { for (i = 0; i < n && i < NR; i++) print line[int(i * NR / n) + 1] }'
			done
		done >"$work/few"
		for tool in memcheck racecheck initcheck synccheck; do
			status=0
			timeout 150 compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 99 \
				"${labelaudit[@]}" --format none --progress none --fail-on never --device cuda --classes 2 --jobs 1 \
				--files-from "$work/few" >"$work/sanitizer" 2>&1 || status=$?
			if ((status == 0)); then
				echo "clean: $tool ($(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$work/sanitizer" | tail -n 1))"
			else
				fail "compute-sanitizer $tool: exit status $status"
				tail -20 "$work/sanitizer"
			fi
		done
	else
		echo "skipped: compute-sanitizer is not on PATH"
	fi
fi

# row DEVICE STAGE JOBS SECONDS CPU_SECONDS FILES BYTES: one line of the table.
row() {
	if [[ -s $work/untimed ]]; then
		fail "not timed: $(paste -sd ' ' "$work/untimed")"
		rm "$work/untimed"
		return
	fi
	awk -v device="$1" -v stage="$2" -v jobs="$3" -v s="$4" -v cpu="$5" -v n="$6" -v bytes="$7" 'BEGIN {
		printf "%-6s %10s %6s %12s %12.0f %10.1f %8.2f\n", device, stage, jobs, s, n / s, bytes / s / 1e6, cpu / s
	}'
}
header() {
	printf '%-6s %10s %6s %12s %12s %10s %8s\n' device stage_KiB jobs seconds files/s MB/s vs_cpu
}
if wants times || wants sweep; then
	for i in "${!names[@]}"; do
		name=${names[$i]} count=${counts[$i]}
		is_hostile "$name" && continue
		in_time "times of $name" || break
		asked=$copies
		if ((short)); then # enough for two seconds of the CPU
			timed --device cpu --jobs "$cores" "$work/$name/masks"
			copies=$(awk -v most="$copies" -v n="$count" -v s="$(seconds timed --device cpu --jobs "$cores" "$work/$name/masks")" 'BEGIN {
				n = 2 * n / s; print int(n > most ? most : n) }')
		fi
		copies_of "$name"
		times=$(((copies + count - 1) / count)) at=$work/$name/copies
		all=$((times * count)) bytes=$((times * sizes[i]))
		timed --device cpu --jobs "$cores" "$at" # warms the cache
		if wants times; then
			title "times: $name, $all files, start-up included, median of $rounds"
			header
			cpu=$(seconds timed --device cpu --jobs "$cores" "$at")
			row cpu - "$cores" "$cpu" "$cpu" "$all" "$bytes"
			for device in cuda auto; do
				s=$(seconds timed --device $device --jobs "$cores" "$at")
				row $device - "$cores" "$s" "$cpu" "$all" "$bytes"
				if [[ $device == cuda ]]; then
					cuda=$s
					threads=$(report_threads "$work/timed.json")
				fi
			done
			one=$(seconds timed --device cuda --jobs "$cores" "$at/0/0.png")
			echo "one file: $one s with cuda, $(seconds timed --device auto --jobs "$cores" "$at/0/0.png") s with auto"
			awk -v s="$cuda" -v one="$one" -v cpu="$cpu" -v n="$all" 'BEGIN {
				if (s > one) printf "after the start: %.0f files/s with cuda, %.2f times the CPU\n", n / (s - one), cpu / (s - one)
			}'
			! wants where || echo "the threads' time with cuda, in seconds: $threads"
		fi
		# one set tells
		if wants sweep && ((i == ${#names[@]} / 2)); then
			title "sweep: $name"
			header
			kept=$rounds rounds=1
			for jobs in 1 4 "$cores" $((2 * cores)); do
				cpu=$(seconds timed --device cpu --jobs "$jobs" "$at")
				row cpu - "$jobs" "$cpu" "$cpu" "$all" "$bytes"
				for kib in 256 1024 2048 8192; do
					s=$(LABELAUDIT_STAGE_KIB=$kib seconds timed --device cuda --jobs "$jobs" "$at")
					row cuda "$kib" "$jobs" "$s" "$cpu" "$all" "$bytes"
				done
			done
			rounds=$kept
		fi
		copies=$asked
		rm -rf "$at"
	done
fi

if wants where; then
	title 'what the time of warps goes to'
	if [[ -s $clocks ]]; then
		for name in "${names[@]}"; do
			is_hostile "$name" && continue
			in_time "the clocks of $name" || break
			some_of "$work/$name/masks"
			"${gpu_kernel[@]}" -n "$launched" -r 1 -k "$clocks" "${some[@]}" >"$work/answers" || fail "$name, with clocks: $?"
			echo "$name: $(sed -n "s/^the warps' time, //p" "$work/answers")"
		done
	else
		echo "skipped: no $clocks"
	fi
fi

# variant WHAT WARPS SED: the kernel from a changed copy
variant() {
	rm -rf "$work/src"
	cp -r "$here/src" "$work/src"
	sed -i "$3" "$work/src/measure/kernel/"*_kernel.h
	if ! "$nvcc" -std=c++17 -O3 -I"$work/src" -DBLOCK_WARPS="$2" -arch="$arch" -Xptxas -v -fatbin -o "$work/fatbin" "$here/cuda/measure.cu" \
		2>"$work/nvcc"; then
		echo "$1: does not compile: $(tail -n 2 "$work/nvcc")"
		return
	fi
	echo "$1: $(sed -n 's/.*: Used \([0-9]* registers\).*\( [0-9]* bytes smem\).*/\1,\2/p' "$work/nvcc" | tail -n 1),$(grep -o '[0-9]* bytes spill stores' "$work/nvcc" |
		tail -n 1)"
	some_of "$work/$middle/masks"
	"${gpu_kernel[@]}" -n "$launched" -r "$rounds" -k "$work/fatbin" -w "$2" "${some[@]}" >"$work/answers" || fail "$1: $?"
	sed -n '/^ .*[0-9]$/p; /^answers/p' "$work/answers" | tail -n 3
}
if wants variants; then
	middle=${names[$((${#names[@]} / 2))]}
	title "variants of the kernel, on masks of $middle: warps a multiprocessor, warps, s, files/s, GB/s compressed, GB/s decoded"
	nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
	command -v nvidia-smi >/dev/null && arch=native || arch=sm_90
	if [[ -x $nvcc && -e $here/cuda/measure.cu ]]; then
		variant 'as it is' 4 ''
		for warps in 1 2 8; do
			variant "$warps warps a block" "$warps" ''
		done
		for bits in 8 10 11; do
			variant "tables of literals with $bits bits" 4 "s/KERNEL_LITLEN_BITS = 9/KERNEL_LITLEN_BITS = $bits/"
		done
		for bits in 7 9; do
			variant "tables of distances with $bits bits" 4 "s/KERNEL_DISTANCE_BITS = 8/KERNEL_DISTANCE_BITS = $bits/"
		done
		for tokens in 8 24 32; do
			variant "$tokens symbols a lane" 4 "s/KERNEL_TOKENS = 16/KERNEL_TOKENS = $tokens/"
		done
	else
		echo "skipped: no nvcc, or no sources beside this"
	fi
fi

echo
if ((failures > 0)); then
	echo "$failures FAILED"
	exit 1
fi
echo "all equal and clean, in $(($(date +%s) - began)) s"
