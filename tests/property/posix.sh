#!/bin/bash
# The program with platform/posix.c in place of linux.c: golden cases, the unit tests of what it touches, and the tests of what it does to
# files pass as they do otherwise.
#
# usage: tests/property/posix.sh     BUILD=dir: where everything was built; LABELAUDIT_TEST=all: all tests
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root" || exit 1
if is_instrumented 'asan|tsan|ubsan|gcov' "$build/liblabelaudit.a"; then
	skip_all 'what is compiled here has no sanitizer'
fi

# A folder like BUILD, with another program and other unit tests: all of their objects are the same but one.
other=$folder/build
mkdir -p "$other/tests"
ln -s "$build"/[!t]* "$build"/torture_shim.so "$other/"
ln -s "$build"/tests/* "$other/tests/"
rm "$other/labelaudit" "$other/liblabelaudit.a" "$other/tests/check"
words() { # the words of these variables of BUILD's makefiles
	sed -n "s/^[A-Z]*_$1 := //p" "$build/libraries.mk" "$build/check-libraries.mk" | tr '\n' ' '
}
read -ra compile <<<"${CC:-gcc} -std=c11 -D_GNU_SOURCE -Isrc -O2 -Wall -Wextra -Werror $(words CFLAGS)"
read -ra libraries <<<"$(words LIBS) -pthread -ldl -lm"
mapfile -t tests < <(find tests/unit tests/rules -name '*.c' ! -name kernel_threads.c | sed "s|.*|$build/obj/&|; s|c\$|o|")
{
	cp "$build/liblabelaudit.a" "$other/" && ar d "$other/liblabelaudit.a" linux.o &&
		"${compile[@]}" -c -o "$folder/posix.o" src/platform/posix.c && ar r "$other/liblabelaudit.a" "$folder/posix.o" &&
		"${compile[@]}" -o "$other/labelaudit" "$build/obj/src/main.o" "$other/liblabelaudit.a" "${libraries[@]}" &&
		"${compile[@]}" -o "$other/tests/check" "${tests[@]}" "$other/liblabelaudit.a" "${libraries[@]}"
} >"$folder/said" 2>&1 || fail "it cannot be linked: $(tail -n 20 "$folder/said")"
if nm "$other/labelaudit" | grep -qE ' U (memfd_create|sched_getaffinity|syscall)@'; then
	fail 'it calls what Linux alone has'
else
	pass
fi
((failed == 0)) || total

suites=(cache cpu find find_limits hash input list output_file pairs pool)
scripts=(tests/cli/run tests/property/{fix.py,handsoff.sh,hostile_tree.sh})
if [[ ${LABELAUDIT_TEST-} == all ]]; then
	suites=()
	for name in "$root"/tests/{unit,rules}/test_*.c; do
		name=${name##*/test_}
		suites+=("${name%.c}")
	done
	mapfile -t scripts < <(find tests/property -type f -perm -u+x ! -name posix.sh ! -name hardened.sh | sort) # it is linked by other flags
	scripts+=(tests/fuzz/run tests/cli/run tests/readme tests/demo)
fi
for test in "${suites[@]/#/$other/tests/check test_}" "${scripts[@]}"; do
	read -ra command <<<"$test"
	if BUILD=$other PLATFORM=posix "${command[@]}" >"$folder/said" 2>&1; then
		pass
	else
		fail "$test: $(tail -n 40 "$folder/said")"
	fi
done
total
