#!/bin/bash
# The kernel as PTX, which drivers compile that are too old for the rest: every ptxas that is found compiles it for every GPU that both know,
# to 96 registers a thread at most, and nothing of it spills into memory.
#
# usage: tests/property/ptx.sh     BUILD=dir: where the program was built; skipped if that was without nvcc
#
# LABELAUDIT_CUDA_TOOLS: a folder with more of them, somewhere below (scripts/cuda-tools fetches some)
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
ptx=$build/cuda/measure.ptx
[[ -s $ptx ]] || skip_all "built without CUDA kernels"
if ! grep -q '^\.version 7\.0$' "$ptx" || ! grep -q '^\.target sm_75$' "$ptx"; then
	fail "$ptx is not PTX 7.0 for sm_75: $(grep -E '^\.(version|target)' "$ptx" | paste -sd ' ')"
fi
mapfile -t compilers < <({
	command -v ptxas
	find -L /usr/local/cuda*/bin ${LABELAUDIT_CUDA_TOOLS:+"$LABELAUDIT_CUDA_TOOLS"} -name ptxas -type f -perm -u+x
} 2>/dev/null | xargs -r realpath | sort -u)
((${#compilers[@]})) || skip_all "no ptxas"
for ptxas in "${compilers[@]}"; do
	version=$("$ptxas" --version | sed -n 's/.*release .*, V//p')
	compiled=0
	for target in 75 80 86 87 89 90 100 110 120; do
		if ! "$ptxas" -v -arch=sm_$target -o "$folder/cubin" "$ptx" >"$folder/log" 2>&1; then
			grep -q "'sm_$target' is not defined for option 'gpu-name'" "$folder/log" ||
				fail "ptxas $version, sm_$target: $(grep -m 1 -E 'error|fatal' "$folder/log")"
			continue
		fi
		compiled=$((compiled + 1))
		registers=$(sed -nE 's/.*Used ([0-9]+) registers.*/\1/p' "$folder/log")
		memory=$(awk '/bytes stack frame/ { print $1 + $5 + $9 }' "$folder/log")
		if ((${registers:-255} <= 96 && ${memory:-1} == 0)); then
			pass
		else
			fail "ptxas $version, sm_$target: ${registers:-no} registers, ${memory:-unknown} bytes of stack and spills"
		fi
	done
	((compiled)) || fail "ptxas $version ($ptxas) compiles it for no GPU"
	echo "ptxas $version: for $compiled kinds of GPU"
done
total
