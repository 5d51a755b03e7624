# For gpusim.sh and gpusim_planted.sh, which source it: what nvcc makes of the kernel, run in the unmodified program by a simulator of
# warps behind a libcuda.so.1.
#
# The simulator checks each access of each lane: that it lies in memory of the job that the warp has drawn, that somebody wrote what is read,
# that no two lanes race, that collectives have all lanes. And it compares each answer with the host's build of the kernel. It comes with
# two front ends: ptx, and sass, the machine code of sm_90.
# shellcheck shell=bash disable=SC2154

# Sources of the simulator. They are compiled in $build/gpusim.
simulator=$shared/tools/gpusim
sim=$build/gpusim
sim_seconds=300 # for an audit: a fault of the kernel may keep it from ending
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

# sim_build: ends the test where it cannot be built
sim_build() {
	[[ -e $simulator/fakecuda.c ]] || skip_all "no simulator in $simulator"
	[[ -x $nvcc ]] || skip_all "no nvcc"
	[[ -s $build/cuda/measure.fatbin ]] || skip_all "the program has no kernels"
	need python3
	mkdir -p "$sim"
	cp -u "$simulator"/*.[ch] "$simulator/Makefile" "$sim/"
	if ! make -C "$sim" -j"$(nproc)" CC="${CC:-gcc}" LABELAUDIT="$root" ptx/libcuda.so.1 sass/libcuda.so.1 >"$sim/log" 2>&1; then
		tail -n 20 "$sim/log"
		fail 'the simulator cannot be built'
		total
	fi
}

# sim_ptx SOURCES FILE: what nvcc makes of the kernel in the folder SOURCES
sim_ptx() {
	"$nvcc" -std=c++17 -O3 -I"$1" -arch=compute_90 -ptx -lineinfo -o "$2" "$root/cuda/measure.cu" >"$folder/nvcc" 2>&1
}

# sim_audit LOG FRONT CODE ORDER [VARIABLE=VALUE...] -- ARGUMENT...: an audit on the simulated device; LOG gets what that found
sim_audit() {
	local log=$1 variables=(LD_LIBRARY_PATH="$sim/$2" PTXSIM_CODE="$3" PTXSIM_ORDER="$4" PTXSIM_LOG="$1.summary")
	shift 4
	while [[ $1 != -- ]]; do
		variables+=("$1")
		shift
	done
	shift
	rm -f "$log" "$log.summary"
	env LABELAUDIT_GPU_TIMEOUT=600 "${variables[@]}" timeout "$sim_seconds" "$program" --device cuda -q --fail-on never -f none "$@" 2>"$log"
	local status=$?
	cat "$log.summary" >>"$log" 2>/dev/null
	return $status
}

# sim_complaint LOG: what the simulator says against it, on one line; nothing: all is well
sim_complaint() {
	local wrong
	wrong=$(sed -nE 's/^SIM: slots: .* ([0-9]+) here are WRONG$/\1/p' "$1")
	if [[ -z $wrong ]]; then
		echo "no kernel was run: $(head -n 3 "$1")"
	elif ((wrong > 0)) || grep -qE '^SIM FAULT|^SIM: left behind|^SIM: note' "$1" || ! grep -qx 'SIM: no faults' "$1"; then
		grep -E '^SIM FAULT|^SIM: left behind|^SIM: note|WRONG' "$1" | head -n 3 | cut -c1-300
	fi
}
# sim_counts LOG: how many masks the device measured, and refused
sim_counts() {
	sed -nE 's/^SIM: slots: ([0-9]+) measured, ([0-9]+) refused.*/\1 \2/p' "$1"
}

# without_run REPORT: and without what a run says of itself
without_run() {
	sed -E '/^  "run": \{/,/^  \}/d; s/"run": ?\{([^{}]|\{[^{}]*\})*\}/"run": {}/; s/("started": ?)"[^"]*"/\1"N"/' "$1"
}

# sim_masks WIDE MUTANTS COUNT: two new folders, of whole masks with long rows, and of COUNT mutants of them and of testdata
sim_masks() {
	mkdir "$1" "$2"
	python3 "$root/tests/property/wide_masks.py" "$1" 120 1
	{
		find "$root/testdata" -name '*.png' -print0 | sort -z
		find "$1" -name '*.png' -print0 | sort -z
	} | xargs -0 python3 "$root/tests/property/lane_orders.py" "$2" "$3" 1
}
