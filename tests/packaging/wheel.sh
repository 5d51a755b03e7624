#!/bin/bash
# The wheel is installed without network into a new environment, and is the program: reports, exit statuses, streams, signals.
#
# usage: tests/packaging/wheel.sh     BUILD=dir: where `make wheel` was run
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
package 'labelaudit-*.whl' 'no static libraries, or sanitizers'
python3 -m venv "$folder/venv" >"$folder/log" 2>&1 || skip_all 'python3 -m venv does not work here (python3-venv, ensurepip)'
python=$folder/venv/bin/python
program=$folder/venv/bin/labelaudit

pip() {
	"$python" -m pip --disable-pip-version-check --no-cache-dir "$@"
}
check 'pip install' pip install --no-index --no-deps "$file"
check 'the program comes first, not Python' cmp "$program" "$dist/labelaudit-wheel"
check 'pip knows the version' says 0 "^Version: $version$" pip show labelaudit
check 'RECORD is right' pip check

# The tag says no less than what the program asks of glibc, and 2.28 at least.
tag_is_true() {
	local newest
	newest=$({
		echo GLIBC_2.28
		objdump -T "$program"
	} | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
	echo "newest symbol: $newest"
	[[ $file == *-py3-none-manylinux_2_"${newest#GLIBC_2.}"_"$(uname -m)".whl ]]
}
if command -v objdump >/dev/null; then
	check 'the tag is that of the newest symbol' tag_is_true
fi
if command -v zig python-zig >/dev/null; then
	check 'linked for glibc 2.28' test "${file%_2_28_*}" != "$file"
else
	skip 'no zig (pip install ziglang): the wheel needs the glibc of this machine'
fi
needs_glibc_alone() {
	! readelf -d "$program" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|ld-linux-.*)\.so\.[0-9]\]'
}
check 'no library but glibc is needed' needs_glibc_alone
reads_gif

module=("$python" -m labelaudit)
check 'the same report' same_report "$program"
check 'the same report by python -m' same_report "${module[@]}"
cd "$root/testdata" || exit 1
check 'status 0' says 0 '^PASS' "${module[@]}" --classes 4 --ignore 255 -f text clean
check 'status 1' says 1 '^FAIL' "${module[@]}" -f text "${audit[@]}"
check 'status 2' says 2 'error: .*bogus' "${module[@]}" --bogus

standard_input() {
	"${module[@]}" --classes 21 --ignore 255 -q -f text - <masks/stray-id-21.png >"$folder/out"
	[[ $? == 1 ]] && grep '^  - (.*): 128 pixels .* have id 21;' "$folder/out"
}
check 'standard input' standard_input
mapfile -t rules < <("$program" rule | awk '/^  / { print $1 }')
closed_pipe() { # ends by the signal, silently: 128 + 13
	(
		trap - PIPE
		"${module[@]}" rule "${rules[@]}" 2>"$folder/err"
		echo $? >"$folder/status"
	) | true
	cat "$folder/err" "$folder/status"
	[[ ! -s $folder/err && $(<"$folder/status") == 141 ]]
}
check 'a closed pipe' closed_pipe
terminated() { # the process that was started is the program, and TERM gets its own answer: a partial report, 128 + 15
	mkfifo "$folder/fifo"
	"${module[@]}" --classes 21 --ignore 255 --format json - <"$folder/fifo" >"$folder/partial" &
	local pid=$! status
	exec 9>"$folder/fifo"
	for _ in {1..200}; do # until it is the program, and catches TERM
		[[ $(readlink "/proc/$pid/exe") == "$program" ]] && ((0x$(awk '/^SigCgt:/ { print $2 }' "/proc/$pid/status") >> 14 & 1)) && break
		sleep 0.05
	done
	kill -TERM "$pid"
	sleep 0.5 # on a busy machine the end of the input is else seen first, and all was read
	exec 9>&-
	wait "$pid"
	status=$?
	echo "after TERM: $status"
	[[ $status == 143 ]] && grep '"complete": false' "$folder/partial"
}
check 'signals' terminated

check 'pip install --target' pip install --no-index --no-deps --target "$folder/target" "$file"
check 'python -m from there' env PYTHONPATH="$folder/target" "$python" -I -c \
	'import sys; sys.path.insert(0, sys.argv.pop(1)); import labelaudit.__main__ as m; sys.exit(not m.find_program().startswith(sys.path[0]))' \
	"$folder/target"
check 'pip uninstall' pip uninstall -y labelaudit
check 'nothing is left' test ! -e "$program"

again() { # the same bytes
	mkdir "$folder/again"
	cp -R "$dist/licences" "$folder/again/"
	PYTHONDONTWRITEBYTECODE=1 python3 "$root/packaging/backend.py" wheel "$dist/labelaudit-wheel" "$dist/liblabelaudit-wheel.so.0" "$folder/again" &&
		cmp "$folder/again/${file##*/}" "$file"
}
check 'the same wheel again' again
refused() { # a program with libraries of its own is no manylinux
	readelf -d "$build/labelaudit" | grep 'libpng' >/dev/null || return 0
	PYTHONDONTWRITEBYTECODE=1 says 1 'fits no manylinux: it needs .*libpng' \
		python3 "$root/packaging/backend.py" wheel "$build/labelaudit" "$build/liblabelaudit.so.0" "$folder"
}
check 'a dynamic program is refused' refused

# What `pip install .` and pre-commit do: built from source, here as fast as can be.
export LABELAUDIT_MAKE='CUDA=0 OPTIMISE=-O0 CFLAGS='
check 'pip install of the source' pip install --no-index --no-deps "$root"
unset LABELAUDIT_MAKE
check 'its report' same_report "$program"
check 'nothing is left in the source' bash -c \
	'! find "$0/packaging" "$0/build" -name "clients*" -prune -o -newer "$1" -name "*.pyc" -print 2>/dev/null | grep .' "$root" "$file"
total
