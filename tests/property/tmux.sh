#!/bin/bash
# The progress in a real terminal emulator, tmux: one line, redrawn in place, as wide as the terminal also after this was resized,
# gone at the end; of the audit, of the first walk, of --list and of the pairing of images.
#
# usage: tests/property/tmux.sh     BUILD=dir: where the program was built. Needs tmux and python3.
# Functions are called through expect(), which shellcheck does not see.
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need tmux
need python3

unset TMUX
screen() { tmux -S "$folder/socket" -f /dev/null "$@"; }
trap 'screen kill-server 2>/dev/null; rm -rf "$folder"' EXIT

# A mask that takes the reference decoder some milliseconds, under many names; and a folder of images with those names.
python3 - "$folder" <<'END'
import os, struct, sys, zlib
folder = sys.argv[1]
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
rows = b"".join(b"\0" + bytes((x // 16 + y // 16) % 4 for x in range(1024)) for y in range(1024))
data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1024, 1024, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
for name, count in ("masks", 3000), ("images", 60000):
    os.mkdir(os.path.join(folder, name))
    first = os.path.join(folder, name, "000000." + ("png" if name == "masks" else "jpg"))
    with open(first, "wb") as f:
        f.write(data)
    for i in range(1, count):
        os.link(first, os.path.join(folder, name, "%06d.%s" % (i, first[-3:])))
END

# shows PATTERN: waits until a line of the screen matches all of it
shows() {
	for ((i = 0; i < 300; i++)); do
		screen capture-pane -p >"$folder/screen"
		grep -qE "^($1)\$" "$folder/screen" && return 0
		sleep 0.1
	done
	return 1
}
# expect WHAT COMMAND...: passes if the command does, else says what was wrong and what is on the screen
expect() {
	if "${@:2}"; then pass; else fail "$1: $(<"$folder/screen")"; fi
}
is_short() { ((${#1} > 70 && ${#1} < 80)); }
lines() { [[ $(grep -cE "$1" "$2") == "$3" ]]; }
# run COMMAND: in a shell without a prompt, whose screen is cleared
run() { screen send-keys "clear; $1; echo done" Enter; }

screen new-session -d -x 80 -y 24 "env PS1= TERM=screen LC_ALL=C LABELAUDIT_DECODER=libpng PATH='$(dirname "$program"):/usr/bin:/bin' bash --norc --noprofile" ||
	fail "tmux does not start"
screen send-keys "cd '$folder'" Enter

run "labelaudit -c 4 -j 1 -f none masks"
bar=' *[0-9]+%\|[^|]*\| [0-9]+/3000 \[[0-9:]+<[0-9:]+, [0-9.]+files/s\]'
expect "no bar" shows "$bar"
line=$(grep -E '%\|' "$folder/screen")
expect "a bar of ${#line} columns" is_short "$line"
sleep 1
screen capture-pane -p >"$folder/screen"
expect "not one line" lines '[0-9]%' "$folder/screen" 1
screen resize-window -x 50 -y 24
expect "narrow" shows ".{30,49}s\]"
screen resize-window -x 80 -y 24
screen send-keys C-c
expect "no end" shows "done"
expect "the bar stays" lines '[0-9]%\|' "$folder/screen" 0
expect "not interrupted" grep -q 'interrupted after' "$folder/screen"

# What takes less than a second here is read from all that the terminal got.
screen pipe-pane "cat >'$folder/raw'"
run "labelaudit --list -c 4 images --kind mask >names"
expect "--list does not end" shows "done"
expect "not all names" lines . "$folder/names" 60000
expect "--list left something" lines . "$folder/screen" 1
expect "--list: no progress" grep -qE '[0-9]+files \[00:0[0-9], [0-9.]+files/s\]' "$folder/raw"
mkdir "$folder/few"
ln "$folder/masks/000000.png" "$folder/few"
run "labelaudit -q --progress bar -c 4 -f none --images images few"
expect "--images does not end" shows "done"
expect "--images: no progress" grep -qE '[0-9]+images \[00:0[0-9], [0-9.]+images/s\]' "$folder/raw"
total
