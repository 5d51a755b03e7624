#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz does, whose environment sets CC, CFLAGS, CXX, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and SRC.
# Needs what `make deps` installs. Each target gets its seeds as <target>_seed_corpus.zip.
#
# Tried by hand: CC=clang CXX=clang++ CFLAGS='-g -O1 -fsanitize=address,fuzzer-no-link' CXXFLAGS='-fsanitize=address' \
#                LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out tests/fuzz/oss-fuzz.sh
cd "$(dirname "$0")/../.."
build=${WORK:-$OUT}/build
mkdir -p "$OUT"

make -j"$(nproc)" BUILD="$build" CC="$CC" CFLAGS="$CFLAGS -U_FORTIFY_SOURCE" OPTIMISE= SANITIZE= CUDA=0 \
	FUZZ_ENGINE="$LIB_FUZZING_ENGINE" FUZZ_LINK="${CXX:-$CC} ${CXXFLAGS:-$CFLAGS}" fuzz-targets "$build/labelaudit"

for source in tests/fuzz/fuzz_*.c; do
	target=$(basename "$source" .c)
	cp "$build/tests/fuzz/$target" "$OUT/"
	seeds=$build/seeds/$target
	rm -rf "$seeds" "$OUT/${target}_seed_corpus.zip"
	BUILD="$build" tests/fuzz/run --seeds "$seeds" "${target#fuzz_}"
	(cd "$seeds" && python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" .)
done
