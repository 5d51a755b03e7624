# For the tests of packages, which source it: the folder of the build, scratch room, and the words of a test.
# shellcheck shell=bash disable=SC2034
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$root/$build
dist=$build/dist
version=$(sed -n 's/^#define LABELAUDIT_VERSION "\(.*\)"/\1/p' "$root/src/base/version.h")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0
audit=(--classes 21 --ignore 255 masks)

# Ends the test.
total() {
	echo "$passed passed, $failed failed, $skipped skipped"
	((failed == 0))
	exit
}
skip_all() {
	echo "skipped: $*"
	skipped=$((skipped + 1))
	total
}
# `check WHAT COMMAND...`
check() {
	if "${@:2}" >"$folder/said" 2>&1; then
		passed=$((passed + 1))
	else
		echo "FAILED  $1"
		sed 's/^/        /' "$folder/said"
		failed=$((failed + 1))
	fi
}
# `says STATUS PATTERN COMMAND...`: it exits with STATUS, and what it prints matches.
says() {
	local out status=0
	out=$("${@:3}" 2>&1 </dev/null) || status=$?
	printf '%s\nexit status %s\n' "$out" "$status"
	[[ $status == "$1" ]] && grep -qE -e "$2" <<<"$out"
}
# `same_report COMMAND...`: it is a labelaudit that says of testdata/masks what the one of the build does.
without_run() {
	sed '/^  "run": {/,/^  }/d'
}
same_report() {
	(cd "$root/testdata" && "$build/labelaudit" -q "${audit[@]}" --format json | without_run) >"$folder/expected"
	(cd "$root/testdata" && "$@" -q "${audit[@]}" --format json | without_run) >"$folder/found"
	[[ -s $folder/expected ]] && diff "$folder/expected" "$folder/found" | head -5 && cmp -s "$folder/expected" "$folder/found"
}
# `package GLOB WHY`: sets `file`; ends the test if there is none.
package() {
	file=$(compgen -G "$dist/$1" | head -n 1)
	[[ -n $file ]] || skip_all "$1 was not built here: $2"
}
