#!/bin/bash
# What people see on a terminal, of Python's pty: the progress bar with per cent and the time that is left, for folders and for
# archives; the end by Ctrl-C; wrapped lines; and which stream is coloured.
#
# usage: tests/property/terminal.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
plain_python "$root/tests/property/terminal.py" "$program" "$folder" "$root/testdata"
