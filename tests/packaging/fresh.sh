#!/bin/bash
# README's first command in a fresh Debian, which debootstrap makes: it installs what is missing, builds the program without nvcc, and
# audits the small set. Needs root, debootstrap and Debian's packages; takes some minutes, most of them the build's.
#
# usage: tests/packaging/fresh.sh
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

(($(id -u) == 0)) || skip_all 'not root'
need debootstrap
need git
cd "$root" || exit 1
git rev-parse HEAD >/dev/null 2>&1 || skip_all 'not a clone'
machine=$folder/machine
debootstrap --variant=minbase bookworm "$machine" http://deb.debian.org/debian >"$folder/log" 2>&1 ||
	skip_all "debootstrap: $(tail -n 1 "$folder/log")"
mkdir "$machine/source"
git ls-files -z | tar --null -T - -cf - | tar -C "$machine/source" -xf -
cp /etc/resolv.conf "$machine/etc/"
rm -rf "$machine"/var/lib/apt/lists/* # as on an image of a container
# Mounts go with the process that made them.
unshare -m true 2>/dev/null || skip_all 'unshare is not allowed here'
in_machine() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" /usr/bin/env -i \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /source && $1"' "$machine" "$1" </dev/null >"$folder/log" 2>&1
}
# expect WHAT PATTERN: a line of the log
expect() {
	if grep -qE "$2" "$folder/log"; then pass; else fail "$1: $(tail -n 20 "$folder/log")"; fi
}

in_machine 'DEPS=no sh scripts/demo'
expect 'it says what is missing, and installs nothing' '^missing: make cc .*; install with: apt-get install -y '
in_machine 'sh scripts/demo'
expect 'it says what is missing' '^missing: make cc '
expect 'it says how it installs that' '^apt-get install -y .* make gcc '
expect 'it is built for the CPU, and says so' '^built without CUDA kernels: nvcc not found'
expect 'the audit' '^FAIL: .*11 errors'
expect 'its exit status is explained' '^exit status 1: .* as it should here'
in_machine 'sh scripts/demo && make -n check-programs'
expect 'the tests need nothing more' 'tests/check'
total
