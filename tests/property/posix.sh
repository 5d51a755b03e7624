#!/bin/bash
# The program with platform/posix.c in place of linux.c: golden cases, and the unit tests of what it touches, pass as they do otherwise.
#
# usage: tests/property/posix.sh     BUILD=dir: the other program is built in BUILD/posix
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root" || exit 1
other=${BUILD:-build}/posix
if ! make -s -j"$(nproc)" CUDA=0 DEPS=no BUILD="$other" PLATFORM=posix "$other/labelaudit" "$other/tests/check" \
	>"$folder/make" 2>&1; then
	tail -n 20 "$folder/make"
	fail 'it does not compile'
	total
fi
if nm "$other/labelaudit" | grep -qE ' U (memfd_create|sched_getaffinity|syscall)@'; then
	fail 'it calls what Linux alone has'
else
	pass
fi
if BUILD=$other tests/cli/run >"$folder/said" 2>&1; then pass; else fail "cases: $(tail -n 40 "$folder/said")"; fi
for name in cache cpu find find_limits hash input list output_file pairs pool; do
	if "$other/tests/check" "test_$name" >"$folder/said" 2>&1; then
		pass
	else
		fail "test_$name: $(tail -n 3 "$folder/said")"
	fi
done
total
