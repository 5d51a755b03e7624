#!/bin/bash
# Every C file compiles for macOS, on ARM and on x86-64, with platform/posix.c. tests/packaging/cross.sh looks at what was linked; none was ever run.
#
# usage: tests/property/macos.sh     BUILD=dir: where the program was built; zig: `pip install ziglang`
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
zig=$(command -v zig || command -v python-zig) || skip_all 'no zig (pip install ziglang)'
cd "$root" || exit 1
export ZIG_GLOBAL_CACHE_DIR=$folder/zig
# the headers of the libraries alone: those of this system's C library are not macOS's
mkdir "$folder/include"
for header in png.h pngconf.h pnglibconf.h zlib.h zconf.h libdeflate.h cjson yaml.h sqlite3.h zstd.h zstd_errors.h lzma.h lzma bzlib.h xxhash.h; do
	cp -rL /usr/include/"$header" /usr/include/*-linux-gnu/"$header" "$folder/include" 2>/dev/null
done
flags=(-std=c11 -O1 -D_GNU_SOURCE -Dst_mtim=st_mtimespec -Dst_ctim=st_ctimespec -Dst_atim=st_atimespec -Isrc -Iinclude -I"${BUILD:-build}/gen"
	-I"$folder/include" -c -o /dev/null)
mapfile -t files < <(find src "${BUILD:-build}/gen" -name '*.c' ! -path src/platform/linux.c | sort)
for target in aarch64-macos x86_64-macos; do
	printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 "$zig" cc -target "$target" "${flags[@]}" >"$folder/said" 2>&1
	if grep -q ' error: ' "$folder/said"; then fail "$target: $(grep ' error: ' "$folder/said" | head -n 8)"; else pass; fi
done
total
