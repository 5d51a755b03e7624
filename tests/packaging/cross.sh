#!/bin/bash
# The packages for other systems (docs/install.md): those for 64-bit ARM are installed, and run under qemu's emulation; the one for musl
# runs, and its library by musl's own loader.
#
# usage: tests/packaging/cross.sh     BUILD=dir: where `make cross` was run
# AARCH64_ROOT: a folder with Python for ARM, into which the wheel is installed. As Debian has it: `dpkg -x` of python3.11-minimal,
# libpython3.11-{minimal,stdlib}, libc6, libexpat1, zlib1g, libssl3, libffi8, libbz2-1.0 and liblzma5, each `:arm64`
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

# made FOLDER GLOB: sets `file`, and says where there is none.
made() {
	file=$(compgen -G "$build/$1/dist/$2" | head -n 1)
	[[ -n $file ]] || skip "$2 was not made in $build/$1"
	[[ -n $file ]]
}
emulated=(qemu-aarch64 -L "${AARCH64_ROOT:-/usr/aarch64-linux-gnu}")
emulates() {
	command -v qemu-aarch64 >/dev/null && [[ -e ${emulated[2]}/lib/ld-linux-aarch64.so.1 ]] && return
	skip 'no qemu-aarch64, or no glibc for ARM (libc6-arm64-cross): the packages for ARM are not run'
	return 1
}

if made arm 'labelaudit-*-manylinux_2_28_aarch64.whl' && emulates; then
	pip=$(compgen -G '/usr/share/python-wheels/pip-*.whl' || python3 -c 'import ensurepip, glob, os
print(*glob.glob(os.path.dirname(ensurepip.__file__) + "/_bundled/pip-*.whl"))' 2>/dev/null)
	pip=${pip%%$'\n'*}
	python=$(compgen -G "${AARCH64_ROOT-}/usr/bin/python3*" | head -n 1)
	if [[ -n ${AARCH64_ROOT-} && -x $python && -s $pip ]]; then
		check 'an environment for ARM' "${emulated[@]}" "$python" -m venv --without-pip "$folder/arm"
		arm=("${emulated[@]}" "$folder/arm/bin/python")
		check 'pip install' "${arm[@]}" "$pip/pip" --disable-pip-version-check --no-cache-dir install --no-index "$file"
		check 'the same report' same_report "${emulated[@]}" "$folder/arm/bin/labelaudit"
		check 'the library says which label is wrong' says 0 '^21 at 3$' "${arm[@]}" -c 'import ctypes, labelaudit
class Labels:
    memory = (ctypes.c_int64 * 4)(0, 1, 255, 21)
    __array_interface__ = {"version": 3, "shape": (4,), "typestr": "<i8", "data": (ctypes.addressof(memory), True)}
try:
    labelaudit.check(Labels(), classes=21, ignore=255)
except labelaudit.LabelError as error:
    print(error.id, "at", *error.index)'
	else
		skip 'AARCH64_ROOT has no Python for ARM, or there is no wheel of pip: the program alone is run'
		check 'unpack' python3 -m zipfile -e "$file" "$folder/arm"
		program=$(find "$folder/arm" -path '*/scripts/labelaudit')
		chmod +x "$program"
		check 'the same report' same_report "${emulated[@]}" "$program"
	fi
fi
if made arm "labelaudit_$version-1_arm64.deb" && emulates; then
	check 'its architecture' says 0 '^arm64$' dpkg-deb -f "$file" Architecture
	check 'needs glibc alone' says 0 '^libc6 \(>= 2\.[0-9]+\)$' dpkg-deb -f "$file" Depends
	check 'dpkg -x' dpkg -x "$file" "$folder/deb"
	check 'the licences of what is linked in' test -s "$folder/deb/usr/share/doc/labelaudit/licences/libpng16.txt"
	check 'completions' grep -q labelaudit "$folder/deb/usr/share/bash-completion/completions/labelaudit"
	check 'the same report' same_report "${emulated[@]}" "$folder/deb/usr/bin/labelaudit"
fi
# is_static FILE: it names neither an interpreter nor libraries.
is_static() {
	! readelf -lW "$1" | grep INTERP && ! readelf -dW "$1" | grep NEEDED
}
if made arm-musl "labelaudit-$version-linux-aarch64.tar.gz" && emulates; then
	check 'checksum' bash -c 'cd "${0%/*}" && sha256sum -c "${0##*/}.sha256"' "$file"
	check 'unpack' tar -C "$folder" -xzf "$file"
	top=$folder/labelaudit-$version-linux-aarch64
	check 'static' is_static "$top/labelaudit"
	check 'completions' grep -q labelaudit "$top/completions/labelaudit.bash"
	check 'the same report' same_report qemu-aarch64 "$top/labelaudit"
fi
if made musl 'labelaudit-*-musllinux_1_2_x86_64.whl'; then
	check 'pip install' python3 -m pip --disable-pip-version-check install -q --no-index --no-deps --only-binary :all: \
		--platform musllinux_1_2_x86_64 --target "$folder/musl" "$file"
	check 'static' is_static "$folder/musl/bin/labelaudit"
	check 'the same report' same_report "$folder/musl/bin/labelaudit"
	check 'the library needs musl alone' bash -c '[[ $(readelf -dW "$0" | grep -o "NEEDED.*") == *"[libc.so]" ]]' "$folder/musl/labelaudit/liblabelaudit.so.0"
	if command -v musl-gcc >/dev/null; then
		check 'a program of musl' musl-gcc -std=c11 -D_GNU_SOURCE -I"$root/include" -o "$folder/library" "$root/tests/library/test_library.c" \
			"$folder/musl/labelaudit/liblabelaudit.so.0" -Wl,-rpath,"$folder/musl/labelaudit"
		check 'its loader' says 0 'interpreter: /lib/ld-musl-x86_64' readelf -lW "$folder/library"
		check 'the library in it' "$folder/library" "$root/testdata"
	else
		skip "no musl-gcc (musl-tools): the library is not loaded"
	fi
fi
total
