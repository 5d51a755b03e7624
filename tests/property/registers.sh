#!/bin/bash
# The GPU's kernel fits: 96 registers a thread at most, so that a multiprocessor holds 20 warps, and nothing of them spills into memory,
# for every architecture that it was compiled for.
#
# usage: tests/property/registers.sh     BUILD=dir: where the program was built; skipped if that was without nvcc
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
log=$build/cuda/measure.log
if [[ ! -s $build/cuda/measure.fatbin || ! -s $log ]]; then
	skip_all "built without CUDA kernels"
fi
awk '
	/Compiling entry function/ { arch = $NF; gsub("\047", "", arch) }
	/bytes stack frame/ { memory = $1 + $5 + $9 }
	/: Used [0-9]+ registers/ {
		match($0, /Used [0-9]+/)
		registers = substr($0, RSTART + 5, RLENGTH - 5)
		print arch ": " registers " registers, " memory " bytes of stack and spills"
		if (registers + 0 > 96 || memory > 0) {
			print "FAILED  " arch
			failed++
		} else {
			passed++
		}
	}
	END {
		if (passed + failed == 0) {
			print "FAILED  ptxas said nothing"
			failed++
		}
		print passed + 0 " passed, " failed + 0 " failed, 0 skipped"
		exit failed > 0
	}
' "$log"
