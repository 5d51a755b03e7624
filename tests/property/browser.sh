#!/bin/bash
# The HTML report in a browser: opened, clicked, and looked at, with and without scripts.
#
# usage: tests/property/browser.sh     BUILD=dir: where the program was built. Needs python3 and Chromium.
#        LABELAUDIT_CHROMIUM=FILE: that browser (chromium)
#        LABELAUDIT_SCREENSHOTS=DIR: pictures of the page are left there
set -uo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$here/../../$build
browser=${LABELAUDIT_CHROMIUM:-chromium}
for program in python3 "$browser"; do
	if ! command -v "$program" >/dev/null; then
		echo "skipped: no $program"
		echo "0 passed, 0 failed, 1 skipped"
		exit 0
	fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/browser.py" "$build/labelaudit" "$browser" "$folder"
