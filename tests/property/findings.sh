#!/bin/bash
# Reports of hundreds of thousands of findings: written, read back, compared and merged in bounded memory, in the same order and
# bytes for any threads; a temporary file that cannot be made or written is exit status 2, and no report.
#
# usage: tests/property/findings.sh     BUILD=dir: where the program was built. Needs python3.
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
need python3
if is_instrumented 'asan|tsan|ubsan' "$program"; then
	skip_all "built with sanitizers, which need memory of their own"
fi
plain_python "$root/tests/property/findings.py" "$program" "$folder"
