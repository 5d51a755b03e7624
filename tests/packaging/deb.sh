#!/bin/bash
# The Debian package: what is in it, what it depends on, lintian's word, and the program run from where it was unpacked.
#
# usage: tests/packaging/deb.sh     BUILD=dir: where `make deb` was run
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

command -v dpkg-deb >/dev/null || skip_all 'dpkg-deb is not installed'
package "labelaudit_$version-1_*.deb" 'dpkg-dev is not installed, or sanitizers'
dpkg-deb -c "$file" >"$folder/list" || skip_all "$file cannot be read"

for part in '-rwxr-xr-x root/root .* ./usr/bin/labelaudit' './usr/share/man/man1/labelaudit.1.gz' \
	'./usr/share/man/man7/labelaudit-rules.7.gz' './usr/share/bash-completion/completions/labelaudit' \
	'./usr/share/zsh/vendor-completions/_labelaudit' './usr/share/fish/vendor_completions.d/labelaudit.fish' \
	'./usr/lib/[^/]*-linux-gnu/liblabelaudit.so.0' './usr/include/labelaudit.h' './usr/lib/[^/]*-linux-gnu/pkgconfig/labelaudit.pc' './usr/share/man/man3/labelaudit.3.gz' \
	'./usr/share/doc/labelaudit/copyright' './usr/share/doc/labelaudit/changelog.Debian.gz'; do
	check "$part is there" grep -qE -e "$part\$" "$folder/list"
done
check 'all belong to root' bash -c '! grep -v " root/root " "$0"' "$folder/list"
field() {
	dpkg-deb -f "$file" "$1"
}
check 'version' says 0 "^$version-1\$" field Version
check 'architecture' says 0 "^$(dpkg --print-architecture)\$" field Architecture
for library in libbz2 libc6 libcjson libdeflate liblzma libpng libtiff libzstd zlib; do
	check "depends on $library" says 0 "(^|, )${library}[0-9a-z.-]*( \(>=|,)" field Depends
done

root_of=$folder/root
check 'dpkg -x' dpkg -x "$file" "$root_of"
check 'the same report' same_report "$root_of/usr/bin/labelaudit"
check 'stripped' bash -c '! readelf -SW "$0" | grep -E "\.debug|\.symtab"' "$root_of/usr/bin/labelaudit"
check 'the copyright has the licence' grep -q 'THE SOFTWARE IS PROVIDED' "$root_of/usr/share/doc/labelaudit/copyright"
control() {
	dpkg-deb -e "$file" "$folder/control" && (cd "$root_of" && md5sum -c --quiet "$folder/control/md5sums") &&
		[[ $(wc -l <"$folder/control/md5sums") == $(find "$root_of" -type f | wc -l) ]]
}
check 'checksums of all files' control
if command -v lintian >/dev/null; then
	# The closed bug is for what enters Debian; the address is that of whoever builds it here. Program, library and header are one package.
	tags=initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog
	tags+=,package-name-doesnt-match-sonames,link-to-shared-library-in-wrong-package
	check 'lintian' lintian --allow-root --fail-on error,warning --suppress-tags "$tags" "$file"
else
	echo 'skipped: lintian is not installed'
	skipped=$((skipped + 1))
fi
total
