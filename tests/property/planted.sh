#!/bin/bash
# The tests of the GPU's kernel can fail: each bug that is planted in a copy of its headers is caught by one of them. A loop over lanes
# sees wrong results; what lanes do to each other's memory only the threads see, under the thread sanitizer.
#
# usage: tests/property/planted.sh     BUILD=dir: where everything was built; TORTURE=all: all of them, not only the first of each kind
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
	"$cc" -std=c11 -D_GNU_SOURCE -I"$folder/src" -O1 $sanitizer $flags -o "$folder/$1" "${sources[@]}" "$build/liblabelaudit.a" $libraries \
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

planted 'a sync is lost: literals before matches' inflate_kernel.h 'warp_sync(w); /* literals and slots */' '' kernel_threads
planted 'a histogram is no more atomic' measure_kernel.h 'cell_add(&slot->labels[run.id], run.length);' \
	'slot->labels[run.id] += run.length;' kernel_threads
planted 'distances are not checked' inflate_kernel.h 'if (distance > at || distance > z->window)' 'if (0)' test_inflate_kernel
planted 'guesses are taken for right' inflate_kernel.h 'if (!wrong || bit_first(wrong) > last)' 'if (wrong || !wrong)' test_inflate_kernel
if [[ ${TORTURE-} == all ]]; then
	planted 'a sync is lost: the sum is over' inflate_kernel.h 'warp_sync(w); /* the caller may' '/* the caller may' kernel_threads
	planted 'counters of code lengths are no more atomic' inflate_kernel.h 'cell_add(&s->u.build.counts[s->u.build.lengths[first + i]], 1);' \
		's->u.build.counts[s->u.build.lengths[first + i]]++;' kernel_threads
	planted 'ids in use are no more atomic' measure_kernel.h 'cell_or(&raw_used[sample / 32], 1u << sample % 32);' \
		'raw_used[sample / 32] |= 1u << sample % 32;' kernel_threads
	planted 'first places are no more atomic' measure_kernel.h 'cell_min(&slot->first_index[id], y * width + x);' \
		'slot->first_index[id] = y * width + x;' kernel_threads
	planted 'matches may start before the output' inflate_kernel.h 'if (distance > at || distance > z->window)' 'if (distance > z->window)' \
		test_inflate_kernel
	planted 'matches may lie behind the window' inflate_kernel.h 'if (distance > at || distance > z->window)' 'if (distance > at)' \
		test_inflate_kernel
	planted 'a match that overlaps itself is copied as any' inflate_kernel.h '(distance < length ? i % distance : i)' 'i' test_inflate_kernel
	planted 'the checksum is not compared' inflate_kernel.h 'return kernel_adler32(w, out, size) ==' 'return kernel_adler32(w, out, size) | 1 |' \
		test_inflate_kernel
	planted 'codes may be over-subscribed' inflate_kernel.h 'if (left < 0)' 'if (0)' test_inflate_kernel
	planted 'codes may be incomplete' inflate_kernel.h 'if (left > 0 && !' 'if (0 && !' test_inflate_kernel
	planted 'a guess of Paeth is taken for right' measure_kernel.h '} while (again);' '} while (0);' test_kernel
	planted 'Up adds the wrong row' measure_kernel.h 'row[i] = (uint8_t)(row[i] + above[i]);' 'row[i] = (uint8_t)(row[i] + row[i]);' test_kernel
	planted 'a run that ends a block of lanes is lost' measure_kernel.h 'start = base + bit_last(starts);' 'start = base;' test_kernel
fi
total
