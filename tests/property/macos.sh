#!/bin/bash
# The program for macOS on ARM compiles and links: with platform/posix.c, and libraries of Debian's sources. It is never run.
#
# usage: tests/property/macos.sh     BUILD=dir: it is built in BUILD/aarch64-macos; zig: `pip install ziglang`
#        LABELAUDIT_TEST=all: on x86-64, too
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/../packaging/common.bash"
need dpkg-source
need file
zig=$(command -v zig || command -v python-zig)
if [[ -z $zig ]]; then
	clients ziglang
	zig=$clients/python-zig
fi
cd "$root" || exit 1
unset MAKEFLAGS MAKEOVERRIDES
# links TARGET PATTERN: the program, of which `file` says what PATTERN matches
links() {
	local made=(make -s -j"$(nproc)" CUDA=0 OPTIMISE=-O0 DEPS=no ZIG="$zig" BUILD="$build/$1" TARGET="$1")
	"${made[@]}" "$build/$1/static/made" >"$folder/said" 2>&1 || skip_all "no libraries of Debian's sources: $(tail -n 1 "$folder/said")"
	check "$1" "${made[@]}" "$build/$1/labelaudit"
	check "$1: what it is" says 0 "$2" file "$build/$1/labelaudit"
}
links aarch64-macos 'Mach-O 64-bit arm64 executable, flags:.*NOUNDEFS'
[[ ${LABELAUDIT_TEST-} != all ]] || links x86_64-macos 'Mach-O 64-bit x86_64 executable, flags:.*NOUNDEFS'
total
