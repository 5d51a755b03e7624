#!/bin/bash
# The stage that docs/ci.md shows, run by DVC: it passes, its numbers are metrics, and a worse set shows in their difference.
#
# usage: tests/packaging/dvc.sh     BUILD=dir: where the program was built
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

need git
if ! command -v dvc >/dev/null; then
	client_environment='clients-dvc'
	clients dvc
	PATH=$clients:$PATH
fi
mkdir "$folder/bin" "$folder/work"
ln -s "$program" "$folder/bin/labelaudit"
export PATH=$folder/bin:$PATH DVC_NO_ANALYTICS=1 GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x \
	GIT_COMMITTER_EMAIL=x@localhost DVC_GLOBAL_CONFIG_DIR=$folder/dvc DVC_SYSTEM_CONFIG_DIR=$folder/dvc DVC_SITE_CACHE_DIR=$folder/dvc
cd "$folder/work" || exit 1
mkdir data
cp -R "$root/testdata/clean" data/masks
block ci.md '^  audit-labels:$' >dvc.yaml
git -c init.defaultBranch=main init -q .
check 'dvc init' dvc init -q
check 'the stage' says 0 'PASS' dvc repro
# Prints the errors of the stage's metrics.
numbers() {
	dvc metrics show --json "$@" | python3 -c 'import json, sys
values = next(iter(json.load(sys.stdin)[""]["data"].values()))["data"]["summary"]
print(values["errors"])'
}
check 'its numbers' says 0 '^0$' numbers
git add . && git commit -q -m clean
check 'nothing to do again' says 0 "didn't change|up to date" dvc repro
cp "$root/testdata/masks/stray-id-21.png" data/masks/
check 'a worse set: the stage does not stop' says 0 'error out-of-range-id' dvc repro
check 'its numbers are worse' says 0 '^1$' numbers
check 'their difference' says 0 'summary.errors +0 +1 +1' dvc metrics diff
total
