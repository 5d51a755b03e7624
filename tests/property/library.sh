#!/bin/bash
# liblabelaudit as it is built and installed: its tests in C; its soname; that it shows its own functions and no others, and calls nothing
# that prints or ends the process; `make install`, and the example of labelaudit(3) compiled with what pkg-config says.
#
# usage: tests/property/library.sh     BUILD=dir: where the library was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
library=$build/liblabelaudit.so.0

if (cd "$folder" && "$build/tests/library" "$root/testdata") >"$folder/said" 2>&1; then
	pass
else
	cat "$folder/said"
	fail 'tests/library/test_library.c'
fi
grep '^skipped' "$folder/said"

need readelf
need nm
if is_instrumented 'asan|tsan|ubsan|gcov' "$library"; then
	skip_all 'the rest: built with sanitizers or for coverage'
fi
# same WHAT EXPECTED GOT
same() {
	if [[ $2 == "$3" ]]; then
		pass
	else
		fail "$1: expected '$2', not '$3'"
	fi
}
same 'soname' 'liblabelaudit.so.0' "$(readelf -Wd "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')"
declared=$(grep -o 'labelaudit_[a-z_]*(' "$root/include/labelaudit.h" | tr -d '(' | sort -u)
shown=$(nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort)
same 'functions' "$(grep -xE "$(tr '\n' '|' <<<"$declared")" <<<"$shown")" "$shown"
same 'all that the header declares' '' "$(comm -23 <(grep -vxE 'labelaudit_(kind|status|view)' <<<"$declared") <(echo "$shown"))"
for function in $shown; do
	grep -q "\.Fn $function\b" "$root/man/labelaudit.3" || fail "labelaudit(3) has no $function"
done
same 'what it may not call' '' "$(nm -D --undefined-only "$library" |
	grep -wE 'printf|puts|perror|abort|exit|sigaction|signal|system|fork|execv.*|socket|pthread_create' | tr '\n' ' ')"
# All that takes memory is wrapped (src/library/memory.h), but what is not written here would not be.
same 'what takes memory' 'calloc malloc posix_memalign realloc ' "$(nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' |
	grep -xE '.*(alloc|memalign|strn?dup|asprintf|getline|getdelim|open_memstream|realpath)(array)?' | tr '\n' ' ')"

need make
need pkg-config
# BUILD as make had it, or its flags differ and all is compiled anew.
(cd "$root" && make -s install-library BUILD="${build#"$root"/}" PREFIX="$folder/usr") >"$folder/log" 2>&1 || {
	cat "$folder/log"
	fail 'make install-library'
}
sed -n '/^\.Bd -literal$/,/^\.Ed$/p' "$root/man/labelaudit.3" | sed -e '1d;$d' -e 's/\\e/\\/g' >"$folder/example.c"
export PKG_CONFIG_PATH=$folder/usr/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs labelaudit)"
if cc -std=c99 -Wall -Wextra -Wpedantic -Werror -o "$folder/example" "$folder/example.c" "${flags[@]}"; then
	same 'the example' '2 labels have id 21; the first is element 3' "$(LD_LIBRARY_PATH=$folder/usr/lib "$folder/example")"
else
	fail 'the example does not compile'
fi
if command -v c++ >/dev/null; then
	echo '#include <labelaudit.h>' | c++ -Wall -Wextra -Werror -fsyntax-only -I"$folder/usr/include" -x c++ - || fail 'C++'
fi
(cd "$root" && make -s uninstall-library BUILD="${build#"$root"/}" PREFIX="$folder/usr") >/dev/null 2>&1
same 'make uninstall-library' '' "$(find "$folder/usr" -type f -o -type l)"
total
