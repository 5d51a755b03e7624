#!/bin/bash
# Every form of the report, on files and classes with names that speak its language: valid for an independent parser, without
# a byte that a terminal, a log or a page obeys, and with names that come back.
#
# usage: tests/property/formats.sh     BUILD=dir: where the program was built. Needs python3.
#        LABELAUDIT_PYTHON=FILE: a Python that may have cmarkgfm or markdown-it-py, and jsonschema
#        LABELAUDIT_SARIF_SCHEMA=FILE: sarif-schema-2.1.0.json of OASIS; without it the rules that matter are checked by hand
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
python=${LABELAUDIT_PYTHON:-python3}
need "$python"
"$python" -X utf8 "$root/tests/property/formats.py" "$program" "$folder"
