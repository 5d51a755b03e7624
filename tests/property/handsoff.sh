#!/bin/bash
# Hands off: a run starts no program, opens no socket, writes nothing but the outputs named, and opens nothing but them, what it
# was given, and the system's libraries. Watched by strace; the data set is the same, byte for byte and to the nanosecond, afterwards.
#
# usage: tests/property/handsoff.sh     BUILD=dir: where the program was built; left out without strace, or with sanitizers
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
if ! strace -o "$folder/log" true 2>/dev/null; then
	skip_all "no strace that works"
fi
if is_instrumented 'asan|tsan|ubsan' "$program"; then
	skip_all "a sanitizer opens files of its own"
fi
mkdir "$folder/data" "$folder/out"
cp -r "$root"/testdata/{masks,clean,arrays,lists,yolo,archives} "$folder/data"
state() {
	(cd "$folder/data" && find . -printf '%p %m %s %T@ %C@\n' | sort && find . -type f -exec sha256sum {} + | sort)
}
check() {
	if [[ -z $2 ]]; then
		passed=$((passed + 1))
	else
		echo "FAILED  $1:"
		head -n 10 <<<"$2"
		failed=$((failed + 1))
	fi
}

state >"$folder/before"
strace -f -y -s 4096 -e 'trace=%file,%network,%process' -o "$folder/log" \
	"$program" -q -j 2 -c 21 -i 255 -f none -o "$folder/out/a.json" -o "$folder/out/a.sarif" -o "$folder/out/a.jsonl" \
	"$folder/data/"{masks,clean,lists,yolo,archives} "$folder/data/arrays/"* \
	2>"$folder/stderr"
status=$?
# What `make coverage` builds writes at its end what was run of it.
sed -i '/\.gcda"/d' "$folder/log"
check "exit status $status" "$([[ $status -eq 1 ]] || cat "$folder/stderr")"
state | diff - "$folder/before" >"$folder/changed"
check 'the data set is another one' "$(cat "$folder/changed")"
check 'another program is started' "$(grep -E ' (execve|execveat|fork|vfork)\(' "$folder/log" | tail -n +2)"
check 'a socket is used' "$(grep -E ' (socket|connect|bind|sendto|sendmsg|accept4?)\(' "$folder/log")"
check 'something but an output is changed' "$(grep -E 'O_WRONLY|O_RDWR|O_CREAT| (unlink|rename|mkdir|rmdir|link|symlink|chmod|chown|truncate|mknod|utime)[a-z0-9]*\(' \
	"$folder/log" | grep -v "$folder/out[/\"]")"
check 'something outside is opened' "$(grep -E ' open(at)?\(' "$folder/log" | grep -v ENOENT | sed 's/^[0-9]* *//' |
	grep -vE "[\"<]($folder/|/lib|/usr/lib|/etc/(ld\.so|localtime)|/usr/share/zoneinfo|/proc/(self|meminfo|cpuinfo|sys/vm/overcommit_memory)|/sys/(devices/system/cpu|fs/cgroup))" |
	grep -vE "openat\([0-9]+<$folder/data")"
check 'an output is missing' "$(for f in a.json a.sarif a.jsonl; do [[ -s $folder/out/$f ]] || echo "$f"; done)"
check 'more than the outputs is there' "$(find "$folder/out" -type f ! -name 'a.json' ! -name 'a.sarif' ! -name 'a.jsonl')"
total
