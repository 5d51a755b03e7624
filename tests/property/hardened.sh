#!/bin/bash
# What the compiler and the linker were asked for is in the program: position-independent, relocations read-only before main, no
# executable stack, guarded returns, checked copies, landing pads for indirect branches. And what it must not do it cannot call:
# start programs, talk to the network, print numbers as the locale says.
#
# usage: tests/property/hardened.sh     BUILD=dir: where the program was built; left out with sanitizers or without binutils
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need readelf
need nm
imports=$(nm -D --undefined-only "$program" | awk '{ sub(/@.*/, "", $2); print $2 }')
if is_instrumented 'asan|tsan|ubsan|gcov' "$program"; then
	skip_all "built with sanitizers or for coverage"
fi

# has TEXT PATTERN WHAT
has() {
	if grep -qE "$2" <<<"$1"; then
		pass
	else
		fail "$3"
	fi
}

lacks() {
	local found
	if found=$(grep -E "$2" <<<"$1"); then
		fail "$3: $(tr '\n' ' ' <<<"$found")"
	else
		pass
	fi
}

header=$(readelf -Wh "$program")
segments=$(readelf -Wl "$program")
dynamic=$(readelf -Wd "$program")
has "$header" 'Type: +DYN' 'it is not position-independent'
has "$dynamic" 'FLAGS_1.* PIE' 'it is a library, not a position-independent program'
has "$dynamic" 'FLAGS_1.* NOW' 'functions are bound when they are called, so their table stays writable'
has "$segments" 'GNU_RELRO' 'relocated data stay writable'
has "$segments" 'GNU_STACK.* RW ' 'the stack is executable'
lacks "$segments" ' RWE ' 'a segment can be written and executed'
has "$imports" '^__stack_chk_fail$' 'no function guards its return address'
has "$imports" '^__(memcpy|snprintf|vsnprintf|read)_chk$' 'no copy is checked (FORTIFY)'

# Landing pads: the linker marks the program only if all that is linked in has them, the start files of the system, too.
endings() {
	readelf -n "$@" 2>/dev/null | awk '/^File: / { n++ } /IBT, SHSTK/ { marked++ } END { print n + 0, marked + 0 }'
}
if [[ $(uname -m) == x86_64 ]] && ${CC:-gcc} -fcf-protection -x c -E /dev/null >/dev/null 2>&1; then
	read -r objects marked < <(endings "$build/liblabelaudit.a")
	has "$((objects > 0 && objects == marked))" 1 "$((objects - marked)) of $objects objects have no landing pads"
	if readelf -n "$(${CC:-gcc} -print-file-name=Scrt1.o)" 2>/dev/null | grep 'IBT, SHSTK' >/dev/null; then
		has "$(readelf -n "$program")" 'IBT, SHSTK' 'the program is not marked as having landing pads'
	else
		skip "the mark for landing pads, the system's start files have none"
	fi
else
	skip "landing pads, this processor or compiler has none"
fi

lacks "$imports" '^(setlocale|uselocale|localeconv)$' 'its output may depend on the locale'
lacks "$imports" '^(system|popen|v?fork|clone|exec.*|posix_spawnp?)$' 'it may start programs'
lacks "$imports" '^(socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|getaddrinfo|gethostby.*)$' 'it may use the network'
lacks "$imports" '^(gets|strcpy|strcat|sprintf|vsprintf|tmpnam|mktemp|alloca)$' 'it calls what cannot be called safely'
total
