#!/bin/bash
# The Python package around the program of the build. (tests/packaging/python.sh: installed, with NumPy, pandas, pytest and mypy.)
#
# usage: tests/property/python.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

need python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip_all 'python3 is older than 3.8'
export PATH=$build:$PATH PYTHONPATH=$root/packaging/python PYTHONDONTWRITEBYTECODE=1
"$root/tests/packaging/python_api.py" 2>&1
