# For tests that are scripts, which source it: where things are, scratch room, and the words of a test.
# shellcheck shell=bash disable=SC2034
export LC_ALL=C
unset GITHUB_STEP_SUMMARY CI CI_PROJECT_DIR GITHUB_WORKSPACE FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-build}
GIT_CEILING_DIRECTORIES=$(cd "$root" && pwd -P) # this may be a clone or not
export GIT_CEILING_DIRECTORIES
[[ $build == /* ]] || build=$root/$build
program=$build/labelaudit
shared=${LABELAUDIT_SHARED:-$root/../shared}
folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0

pass() {
	passed=$((passed + 1))
}
fail() {
	echo "FAILED  $*"
	failed=$((failed + 1))
	[[ ${LABELAUDIT_TEST-} != first ]] || total
}
skip() {
	echo "skipped: $*"
	skipped=$((skipped + 1))
}
# Ends the test.
total() {
	echo "$passed passed, $failed failed, $skipped skipped"
	((failed == 0))
	exit
}
skip_all() {
	skip "$@"
	total
}
# `need PROGRAM`: ends the test without it.
need() {
	command -v "$1" >/dev/null || skip_all "no $1"
}
# `plain_python ...`: python3 without what is installed beside it, which takes 10 ms to 50 ms a start to find.
plain_python() {
	python3 -S -E "$@"
}
# `is_instrumented KINDS FILE`: whether a program or library is built with one of them: asan|tsan|ubsan|gcov. (grep reads to the end: with
# -q, nm would die of SIGPIPE, and the pipe would be false with pipefail.)
is_instrumented() {
	nm "$2" 2>/dev/null | grep -E " __($1)_" >/dev/null
}
# `find_python MODULES`: sets `python` to one that has them; false if there is none. LABELAUDIT_PYTHON=FILE is tried first. They are looked
# for and not imported, which takes half a second for OpenCV.
find_python() {
	local modules
	read -ra modules <<<"${1//,/}"
	for python in ${LABELAUDIT_PYTHON:-} python3 /usr/bin/python3; do
		"$python" -c 'import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))' "${modules[@]}" 2>/dev/null && return
	done
	return 1
}
