#!/bin/bash
# The Python package with PyTorch, on the CPU, such as Debian's python3-torch.
#
# usage: tests/packaging/torch.sh     BUILD=dir: where the program and the library were built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

find_python torch || skip_all 'no torch (python3-torch)'
export PATH=$build:$PATH PYTHONPATH=$root/packaging/python PYTHONDONTWRITEBYTECODE=1
if "$python" "$root/tests/packaging/python_torch.py" >"$folder/said" 2>&1; then
	pass
else
	cat "$folder/said"
	fail 'tests/packaging/python_torch.py'
fi
grep '^skipped' "$folder/said" | sort -u
total
