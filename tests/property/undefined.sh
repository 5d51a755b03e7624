#!/bin/bash
# clang's UBSan knows more undefined behaviour than gcc's, NULL + 0 among it: builds the program with it and runs all cases of the
# command line. Takes minutes: for `make check-all`.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need clang

clang_build=$build/clang
if ! make -s -C "$root" BUILD="$clang_build" CC=clang CUDA=0 OPTIMISE=-O1 SANITIZE=undefined "$clang_build/labelaudit" >"$folder/log" 2>&1; then
	tail -5 "$folder/log"
	fail 'the program cannot be built with clang'
	total
fi
if BUILD=$clang_build "$root/tests/cli/run" >"$folder/log" 2>&1; then
	pass
else
	grep -m 20 -E 'FAILED|runtime error' "$folder/log"
	fail "a case differs; see above for clang's words"
fi
total
