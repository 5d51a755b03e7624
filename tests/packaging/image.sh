#!/bin/bash
# The Dockerfile, built by buildah, which needs no daemon, on a Debian that debootstrap makes; the image audits, without anything but itself.
# Needs root and Debian's packages; takes some minutes, most of them the build's.
#
# usage: tests/packaging/image.sh
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

(($(id -u) == 0)) || skip_all 'not root'
need buildah
need debootstrap
need git
cd "$root" || exit 1
git rev-parse HEAD >/dev/null 2>&1 || skip_all 'not a clone'
debootstrap --variant=minbase bookworm "$folder/debian" http://deb.debian.org/debian >"$folder/log" 2>&1 ||
	skip_all "debootstrap: $(tail -n 1 "$folder/log")"
builder() {
	buildah --root "$folder/images" --runroot "$folder/run" --storage-driver vfs "$@"
}
make_base() {
	local base
	base=$(builder from scratch) && tar -C "$folder/debian" -cf "$folder/debian.tar" . && builder add "$base" "$folder/debian.tar" / &&
		builder commit "$base" localhost/debian
}
make_base >"$folder/log" 2>&1 || skip_all "buildah does not work here: $(tail -n 1 "$folder/log")"
rm -rf "$folder/debian" "$folder/debian.tar"
mkdir "$folder/context"
git ls-files -z | tar --null -T - -cf - | tar -C "$folder/context" -xf -
check 'the build' builder bud --isolation chroot --network host --build-arg BASE=localhost/debian -t labelaudit "$folder/context"
image=$(builder from localhost/labelaudit)
labelaudit() {
	builder run --isolation chroot -v "$root/testdata:/data:ro" "$image" -- labelaudit "$@"
}
check 'clean' says 0 '^PASS' labelaudit -c 4 -i 255 -f concise clean
check 'findings' says 1 '^FAIL: .*11 errors' labelaudit -q -c 21 -i 255 -f concise masks
check 'GIF masks are read' says 0 '^giflib +[0-9]' labelaudit doctor
contents=$(builder mount "$image")
alone() {
	find "$contents" -type f -printf '/%P\n' | grep -vE '^/(usr/bin/labelaudit$|usr/share/doc/labelaudit/|etc/(hosts|hostname|resolv.conf)$)'
	(($? == 1))
}
check 'nothing else is in it' alone
check 'its licences are' test -s "$contents/usr/share/doc/labelaudit/licences/libgif-dev.txt"
builder rm --all >"$folder/log" 2>&1
total
