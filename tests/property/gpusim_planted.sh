#!/bin/bash
# gpusim.sh can fail: each fault of tests/planted/kernel, planted in a copy of the kernel's headers and compiled to PTX, is seen by the
# simulator, which compares with the kernel as it is. Reports alone would show few of them, since the CPU measures what the device refuses.
#
# usage: tests/property/gpusim_planted.sh [WORD...]     only the faults whose names have one of the WORDs; BUILD=dir
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
# shellcheck source=tests/property/gpusim.bash
. "$(dirname "$0")/gpusim.bash"
words=("$@")
sim_build
sim_seconds=60

cd "$folder" || exit 1
sim_masks wide mutants 1200

# run_kernel SOURCES: prints why what nvcc makes of SOURCES is not as it should be
run_kernel() {
	if ! sim_ptx "$1" "$1.ptx"; then
		echo "nvcc -ptx: $(head -n 3 nvcc)"
		return
	fi
	sim_audit "$1.log" ptx "$1.ptx" pc -- -j 1 -c 12 -i 255 --kind mask "$root/testdata" wide mutants ||
		echo "exit status $?: $(tail -n 1 "$1.log")"
	sim_complaint "$1.log"
}
# planted NAME FILE FROM TO
planted() {
	local name=$1 file=measure/kernel/$2 from=$3 to=$4 at=$5 why
	mkdir "$at"
	cp -r "$root/src/base" "$root/src/measure" "$at/"
	FROM=$from TO=$to awk '{ at = index($0, ENVIRON["FROM"])
		print at ? substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"])) : $0 }' "$root/src/$file" >"$at/$file"
	if cmp -s "$root/src/$file" "$at/$file"; then
		echo "FAILED  $name: $file does not have: $from"
		return
	fi
	why=$(run_kernel "$at")
	if [[ $why == nvcc* ]]; then
		echo "FAILED  $name: $why"
	elif [[ -z $why ]]; then
		echo "FAILED  $name: the simulator does not see it"
	else
		echo "seen    $name ($(head -n 1 <<<"$why" | cut -c1-140))"
	fi
}

mkdir as_it_is
cp -r "$root/src/base" "$root/src/measure" as_it_is/
why=$(run_kernel as_it_is)
if [[ $why ]]; then
	fail "without a fault: $why"
	total
fi
pass
count=0
while read -r word rest; do
	case $word in
	fault) name=$rest ;;
	in) file=$rest ;;
	from) from=$rest ;;
	to) to=$rest ;;
	test)
		if ((${#words[@]})) && ! grep -qF "${words[@]/#/-e}" <<<"$name"; then continue; fi
		while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n; done
		count=$((count + 1))
		planted "$name" "$file" "$from" "$to" fault$count >result$count &
		;;
	esac
done <"$root/tests/planted/kernel"
wait
for ((i = 1; i <= count; i++)); do
	cat "result$i"
	if grep -q '^seen' "result$i"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
total
