#!/bin/bash
# 64-bit ARM: the program is cross-compiled, and under qemu's emulation its unit tests of measuring, inflating and unfiltering pass, and its
# reports are those of the program here, byte for byte.
#
# usage: tests/property/aarch64.sh [UNIT_TEST...]     these tests of tests/unit/ alone, without reports; BUILD=dir: where the program was
#                                                      built; the other one is built in BUILD/aarch64
#
# FAULT_IN, FAULT_FLAGS: as tests/planted/run has them, of a fault that is planted in it
# AARCH64_CC: the compiler (aarch64-linux-gnu-gcc). AARCH64_ROOT: a folder with usr/lib/aarch64-linux-gnu and usr/include of the libraries
# (none: the system's own, of Debian's multiarch)
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need aarch64-linux-gnu-gcc
need qemu-aarch64
libraries=${AARCH64_ROOT-}/usr/lib/aarch64-linux-gnu
[[ -d $libraries/pkgconfig ]] || skip_all "no libraries for aarch64 in $libraries"
cd "$root" || exit 1
cross=${BUILD:-build}/aarch64
loaded=${AARCH64_ROOT-}/lib/aarch64-linux-gnu:$libraries
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=${AARCH64_ROOT-}
[[ -z ${AARCH64_ROOT-} ]] || export CPATH=$AARCH64_ROOT/usr/include:$AARCH64_ROOT/usr/include/aarch64-linux-gnu
planted=()
for source in ${FAULT_IN-}; do planted+=("$cross/obj/${source%.*}.o"); done
rm -f "${planted[@]}"
if ! make -s -j"$(nproc)" CC="${AARCH64_CC:-aarch64-linux-gnu-gcc}" CUDA=0 DEPS=no DEVELOPER=0 BUILD="$cross" \
	LDFLAGS="-L$libraries -Wl,-rpath-link,$loaded" \
	"$cross/labelaudit" "$cross/tests/check" >"$folder/make" 2>&1; then
	tail -n 20 "$folder/make"
	fail 'it does not compile'
	total
fi
# emulated PROGRAM ARGUMENT...
emulated() {
	qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$loaded" "$@"
}

if emulated "$cross/labelaudit" doctor | grep -q 'cpu (neon)'; then pass; else fail 'doctor does not name neon'; fi
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-60} # of Check's time limits, which are for processors that are not emulated
tests=("$@")
(($#)) || tests=(engine engine_full engine_files fast_inflate reference_rows array_elements id_counter png_decode view content_key nifti raster tiff)
for name in "${tests[@]}"; do
	if emulated "$cross/tests/check" "test_${name#test_}" >"$folder/said" 2>&1; then
		pass
	else
		fail "test_${name#test_}: $(tail -n 3 "$folder/said")"
	fi
done
rm -f "${planted[@]}"
(($#)) && total

# same FOLDER OPTION...
same() {
	local options=(-q --no-config -c 21 -i 255 -j 1 -f jsonl --fail-on never "$@")
	"$program" "${options[@]}" 2>"$folder/said" | grep '^{"type":"file"' >"$folder/here"
	emulated "$cross/labelaudit" "${options[@]}" 2>/dev/null | grep '^{"type":"file"' >"$folder/there"
	if [[ -s $folder/here ]] && cmp -s "$folder/here" "$folder/there"; then
		pass
	else
		fail "$*: $(cat "$folder/said"; diff "$folder/here" "$folder/there" | head -n 4 | cut -c1-300)"
	fi
}
for view in pil raw cv2; do
	for masks in testdata/masks testdata/png testdata/packed testdata/colours "$shared/hostile"; do
		[[ ! -d $masks ]] || same "$masks" --kind mask --view "$view"
	done
done
for kind in list yolo coco idx; do
	same testdata/packed --kind "$kind"
done
same testdata/arrays --kind array
total
