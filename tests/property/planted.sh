#!/bin/bash
# The tests of the GPU's kernel can fail: each fault of tests/planted/kernel, planted in a copy of its headers, is caught by the test that
# the list names. A loop over lanes sees wrong results; what lanes do to each other's memory only the threads see, under the thread
# sanitizer.
#
# usage: tests/property/planted.sh     BUILD=dir: where everything was built; TORTURE=all: all of them
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
cd "$root" || exit 1
if is_instrumented 'asan|tsan|ubsan|gcov' "$build/liblabelaudit.a"; then
	skip_all "it is linked with a library that has no sanitizer"
fi
cc=${CC:-gcc}

# The library's objects lie behind what is compiled here, so that only the latter has the bug.
libraries="$(sed -n 's/^LIBRARY_LIBS := //p' "$build/libraries.mk") $(sed -n 's/^CHECK_LIBS := //p' "$build/check-libraries.mk")"
flags="$(sed -n 's/^LIBRARY_CFLAGS := //p' "$build/libraries.mk") $(sed -n 's/^CHECK_CFLAGS := //p' "$build/check-libraries.mk")"

# make_program NAME: from $folder/tests and $folder/src
make_program() {
	local sources=("$folder/tests/unit/$1.c") sanitizer=
	if [[ $1 == kernel_threads ]]; then sanitizer=-fsanitize=thread; else sources+=("$folder/tests/unit/check_main.c"); fi
	[[ $1 == test_kernel ]] && sources+=("$folder/src/measure/kernel/backend_sim.c")
	# shellcheck disable=SC2086
	$cc -std=c11 -D_GNU_SOURCE -I"$folder/src" -O1 $sanitizer $flags -o "$folder/$1" "${sources[@]}" "$build/liblabelaudit.a" $libraries \
		-pthread -ldl -lm 2>"$folder/messages"
}
# passes NAME: runs it
passes() {
	local runs=("$folder/$1")
	LABELAUDIT_MUTANTS=400 timeout 120 "${runs[@]}" >"$folder/output" 2>&1 && return 0
	if grep -q 'FATAL: ThreadSanitizer: unexpected memory mapping' "$folder/output"; then
		timeout 120 setarch "$(uname -m)" -R "${runs[@]}" >"$folder/output" 2>&1
		return
	fi
	return 1
}
# planted NAME FILE FROM TO PROGRAM: in src/measure/kernel/FILE the text FROM, which is there once, becomes TO, and PROGRAM fails
planted() {
	local name=$1 file=src/measure/kernel/$2 from=$3 to=$4 program=$5
	if (($(grep -cF -- "$from" "$file") != 1)); then
		echo "FAILED  $name: $file does not have once: $from"
		failed=$((failed + 1))
		return
	fi
	FROM=$from TO=$to awk '{ at = index($0, ENVIRON["FROM"])
		print at ? substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"])) : $0 }' "$file" >"$folder/$file"
	if ! make_program "$program"; then
		echo "FAILED  $name: it does not compile: $(head -n 5 "$folder/messages")"
		failed=$((failed + 1))
	elif passes "$program"; then
		echo "FAILED  $name: $program does not see it"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
	cp "$file" "$folder/$file"
}

cp -r src "$folder/src"
mkdir "$folder/tests"
cp -r tests/unit "$folder/tests/unit"
programs=(test_inflate_kernel kernel_threads)
[[ ${TORTURE-} != all ]] || programs+=(test_kernel)
for program in "${programs[@]}"; do
	if make_program "$program" && passes "$program"; then
		passed=$((passed + 1))
	else
		echo "FAILED  $program, without a bug: $(head -n 5 "$folder/messages" "$folder/output" 2>/dev/null)"
		failed=$((failed + 1))
	fi
done

name='' file='' from='' to=''
while read -r word rest; do
	case $word in
	fault) name=$rest ;;
	in) file=$rest ;;
	from) from=$rest ;;
	to) to=$rest ;;
	test) [[ $rest == - || (${TORTURE-} != all && $rest != *' first') ]] || planted "$name" "$file" "$from" "$to" "${rest% first}" ;;
	esac
done <tests/planted/kernel
total
