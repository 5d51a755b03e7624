#!/bin/bash
# The HTML report in a browser: opened, clicked, and looked at, with and without scripts.
#
# usage: tests/property/browser.sh     BUILD=dir: where the program was built. Needs python3 and Chromium.
#        LABELAUDIT_CHROMIUM=FILE: that browser (chromium)
#        LABELAUDIT_SCREENSHOTS=DIR: pictures of the page are left there
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
browser=${LABELAUDIT_CHROMIUM:-chromium}
need python3
need "$browser"
python3 "$root/tests/property/browser.py" "$program" "$browser" "$folder"
