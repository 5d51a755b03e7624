#!/bin/bash
# The static tarball: needs nothing, is hardened, says what the built program says, and runs where there is no other file.
#
# usage: tests/packaging/static.sh     BUILD=dir: where `make static` was run
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

package "labelaudit-*-linux-$(uname -m).tar.gz" 'no static libraries, or sanitizers'
tar -C "$folder" -xzf "$file" || skip_all "$file cannot be unpacked"
name=labelaudit-$version-linux-$(uname -m)
top=$folder/$name
program=$top/labelaudit

checksum() {
	(cd "$dist" && sha256sum -c "${file##*/}.sha256")
}
check 'checksum' checksum
for part in labelaudit README.md docs/formats.md LICENSE man/labelaudit.1 man/labelaudit-rules.7 man/report.svg completions/labelaudit.bash \
	completions/_labelaudit completions/labelaudit.fish licences/zlib1g-dev.txt; do
	[[ $part == licences/* ]] && ! command -v dpkg >/dev/null && continue
	check "$part is there" test -s "$top/$part"
done
check 'one folder, nobody in particular'"'"'s' bash -c '! tar -tvzf "$0" | grep -v " 0/0 .* $1/"' "$file" "$name"
check 'not dynamic' says 1 'not a dynamic executable|statically linked' bash -c 'ldd "$0"; exit 1' "$program"
no_interpreter() {
	! readelf -lW "$program" | grep INTERP && ! readelf -dW "$program" | grep NEEDED
}
check 'neither interpreter nor libraries' no_interpreter
hardened() {
	readelf -lW "$program" | grep -E 'GNU_STACK.* RW ' && readelf -lW "$program" | grep GNU_RELRO && readelf -hW "$program" | grep 'DYN '
}
check 'stack not executable, read-only relocations, position-independent' hardened
check 'the same report' same_report "$program"
check 'the same report without an environment' same_report env -i "$program"
reads_gif
check 'it loads no driver' says 0 'cuda  *built without CUDA kernels' "$program" doctor
cd "$root/testdata" || exit 1
check 'nor when asked' says 2 'built without CUDA kernels' "$program" --device cuda "${audit[@]}"

jail=$folder/jail
mkdir -p "$jail/tmp"
cp "$program" "$jail/"
cp -R clean masks "$jail/"
rooted=(unshare --map-root-user --root "$jail")
if ! "${rooted[@]}" /labelaudit --version >/dev/null 2>&1; then
	rooted=(chroot "$jail")
fi
if "${rooted[@]}" /labelaudit --version >"$folder/said" 2>&1 || ! grep -qE 'not permitted|denied|unshare|chroot' "$folder/said"; then
	check 'alone in a root: clean' says 0 '^PASS: no findings in 6 files' "${rooted[@]}" /labelaudit --classes 4 --ignore 255 -f text clean
	check 'alone in a root: findings' says 1 '^FAIL: [0-9]+ causes \(11 errors' "${rooted[@]}" /labelaudit -f text "${audit[@]}"
else
	echo "skipped: neither unshare nor chroot may be used here"
	skipped=$((skipped + 1))
fi
again() {
	mkdir "$folder/again" && cp -R "$dist/licences" "$folder/again/"
	(cd "$root" && packaging/tarball "$dist/labelaudit-static" "$folder/again") && cmp "$folder/again/${file##*/}" "$file"
}
check 'the same tarball again' again

# All of the golden tests, with the static program.
mkdir "$folder/build"
ln -s "$program" "$folder/build/labelaudit"
check 'golden tests' env BUILD="$folder/build" "$root/tests/cli/run"
total
