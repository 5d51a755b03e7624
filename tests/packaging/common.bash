# For the tests of packages, which source it: what tests/common.bash has, and words for packages.
# shellcheck shell=bash disable=SC2034

# shellcheck source=tests/common.bash
. "${BASH_SOURCE[0]%/*}/../common.bash"

dist=$build/dist
version=$("$root/packaging/version")
audit=(--classes 21 --ignore 255 masks)

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
# `same_report COMMAND...`: it is a labelaudit that says of testdata's masks and volumes, and of a TIFF, what the one of the build does.
without_run() {
	sed '/^  "run": {/,/^  }/d'
}
reports() {
	local set
	cd "$root/testdata" || return
	for set in masks volumes/good/labelsTr "$folder/tiff"; do
		[[ ! -d $set ]] || "$@" -q --classes 21 --ignore 255 --format json "$set" | without_run
	done
}
same_report() {
	if [[ ! -d $folder/tiff ]] && grep -q -e '-ltiff' "$build/libraries.mk"; then
		mkdir "$folder/tiff"
		(cd "$root/tests/property" && plain_python -B -c 'import made, sys; sys.stdout.buffer.write(made.tif([[0, 1, 21], [2, 3, 255]]))') >"$folder/tiff/a.tif"
	fi
	(reports "$build/labelaudit") >"$folder/expected"
	(reports "$@") >"$folder/found"
	[[ -s $folder/expected ]] && diff "$folder/expected" "$folder/found" | head -5 && cmp -s "$folder/expected" "$folder/found"
}
# `package GLOB WHY`: sets `file`; ends the test if there is none.
package() {
	file=$(compgen -G "$dist/$1" | head -n 1)
	[[ -n $file ]] || skip_all "$1 was not built here: $2"
}
# Masks that are GIFs are read by a library that the program can be built without.
reads_gif() {
	if grep -q -e '-lgif' "$build/libraries.mk"; then
		check 'GIF masks are read' says 0 '^giflib +[0-9]' "$program" doctor
	else
		skip 'built without giflib'
	fi
}
# `has_clients NAME...`: installs packages of PyPI, once, into an environment of the build, and sets `clients` to the folder of their
# programs. False where they are not to be had. `clients NAME...`: ends the test then. client_environment: one of its own, for what
# asks for other versions.
has_clients() {
	local environment=$build/${client_environment:-clients}
	clients=$environment/bin
	( # tests run beside each other
		flock 8
		[[ -x $clients/python ]] || python3 -m venv "$environment" || exit
		"$clients/python" -m pip --disable-pip-version-check install -q "$@"
	) 8>"$environment.lock" >"$folder/log" 2>&1
}
clients() {
	has_clients "$@" || skip_all "not to be had from PyPI: $*"
}
# `block PAGE PATTERN`: the block of YAML in docs/PAGE that has a line which matches.
block() {
	awk -v pattern="$2" '/^```yaml$/ { inside = 1; text = ""; found = 0; next }
		/^```$/ { if (inside && found) { printf "%s", text; exit } inside = 0 }
		inside { text = text $0 "\n"; found = found || $0 ~ pattern }' "$root/docs/$1"
}
