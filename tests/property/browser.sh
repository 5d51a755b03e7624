#!/bin/bash
# The HTML report in a browser: opened, clicked, and looked at, on a telephone and on a large screen; what axe-core says of it; and
# with 100,000 findings.
#
# usage: tests/property/browser.sh     BUILD=dir: where the program was built. Needs python3 and Chromium.
#        LABELAUDIT_CHROMIUM=FILE: that browser (chromium)
#        LABELAUDIT_AXE=FILE: axe.min.js of axe-core (that of the Python package axe-playwright-python, or Debian's)
#        LABELAUDIT_SCREENSHOTS=DIR: pictures of the page are left there
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"
browser=${LABELAUDIT_CHROMIUM:-chromium}
need python3
need "$browser"
axe=${LABELAUDIT_AXE-}
for file in "$(python3 -c 'import importlib.util as u; print(u.find_spec("axe_playwright_python").submodule_search_locations[0])' 2>/dev/null)/axe.min.js" \
	/usr/share/javascript/axe-core/axe.min.js; do
	[[ -n $axe || ! -f $file ]] || axe=$file
done
[[ -n $axe ]] || echo "skipped accessibility: needs LABELAUDIT_AXE, axe.min.js of axe-core"
python3 "$root/tests/property/browser.py" "$program" "$browser" "$folder" ${axe:+"$axe"}
