#!/bin/bash
# The Python package with PyTorch, on the CPU, such as Debian's python3-torch; and in PyPy, such as Debian's pypy3.
#
# usage: tests/packaging/torch.sh     BUILD=dir: where the program and the library were built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

export PATH=$build:$PATH PYTHONPATH=$root/packaging/python PYTHONDONTWRITEBYTECODE=1
for tests in api batches; do
	if ! command -v pypy3 >/dev/null; then
		skip 'no pypy3'
		break
	fi
	if pypy3 "$root/tests/packaging/python_$tests.py" >"$folder/said" 2>&1; then
		pass
	else
		cat "$folder/said"
		fail "PyPy: tests/packaging/python_$tests.py"
	fi
done
find_python torch || skip_all 'no torch (python3-torch)'
if "$python" "$root/tests/packaging/python_torch.py" >"$folder/said" 2>&1; then
	pass
else
	cat "$folder/said"
	fail 'tests/packaging/python_torch.py'
fi
grep '^skipped' "$folder/said" | sort -u
total
