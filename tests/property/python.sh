#!/bin/bash
# The Python package around the program of the build, and docs/python.md. (tests/packaging/python.sh: installed, with NumPy, pandas, pytest and mypy.)
#
# usage: tests/property/python.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip_all 'python3 is older than 3.8'
export PATH=$build:$PATH PYTHONPATH=$root/packaging/python PYTHONDONTWRITEBYTECODE=1
tests=$root/tests/packaging
check() {
	if "$@" >"$folder/said" 2>&1; then
		pass
	else
		cat "$folder/said"
		fail "$*"
	fi
	grep '^skipped' "$folder/said" | sort -u
}
check python3 "$tests/python_api.py"
if is_instrumented 'asan|tsan|ubsan' "$build/liblabelaudit.so.0"; then
	skip_all 'the library is built with sanitizers, which python3 is not'
fi
check python3 "$tests/python_batches.py"
cd "$root/testdata" && check python3 "$tests/python_docs.py" "$folder/test_docs.py"
total
