#!/bin/bash
# The programs that read our reports: sarif-tools, check-jsonschema, Prometheus's own parser, pre-commit's and GitLab's schemas of what
# docs/ci.md shows. Each is skipped where it is neither installed nor to be had from PyPI.
#
# usage: tests/packaging/clients.sh     BUILD=dir: where the program was built; LABELAUDIT_SARIF_SCHEMA: OASIS's sarif-schema-2.1.0.json
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

if has_clients sarif-tools check-jsonschema pre-commit; then
	PATH=$clients:$PATH
fi
cd "$root/testdata" || exit 1
labelaudit() {
	"$program" -q -i 255 "$@"
}
labelaudit -c 21 -f none -o "$folder/all.sarif" -o "$folder/all.json" masks
labelaudit -c 4 -f none -o "$folder/clean.sarif" clean
mkdir "$folder/hundred"
for i in {1..100}; do cp masks/stray-id-21.png "$folder/hundred/$i.png"; done
labelaudit -c 21 --select range -f none -o "$folder/hundred.sarif" "$folder/hundred"
# `with TOOL NAME COMMAND...`
with() {
	if command -v "$1" >/dev/null; then check "${@:2}"; else skip "$2: no $1"; fi
}

with sarif 'sarif-tools: all levels' says 0 '^error: 11' sarif summary "$folder/all.sarif"
with sarif 'sarif-tools: a hundred findings' says 0 '^error: 100' sarif summary "$folder/hundred.sarif"
with sarif 'sarif-tools: a clean set' says 0 '^error: 0' sarif summary "$folder/clean.sarif"
with sarif 'sarif-tools: nothing is new in the same report' says 0 'error.*0' sarif diff "$folder/all.sarif" "$folder/all.sarif"
if [[ -n ${LABELAUDIT_SARIF_SCHEMA-} ]]; then
	with check-jsonschema 'the official schema of SARIF' check-jsonschema --schemafile "$LABELAUDIT_SARIF_SCHEMA" "$folder"/*.sarif
else
	skip 'the official schema of SARIF: no LABELAUDIT_SARIF_SCHEMA'
fi
"$program" schema >"$folder/schema.json"
with check-jsonschema 'our schema is one' check-jsonschema --check-metaschema "$folder/schema.json"
with check-jsonschema 'our report' check-jsonschema --schemafile "$folder/schema.json" "$folder/all.json"
with check-jsonschema 'the action' check-jsonschema --builtin-schema vendor.github-actions "$root/action.yml"
block ci.md '^audit-labels:$' >"$folder/gitlab-ci.yml"
with check-jsonschema 'GitLab, as docs/ci.md shows it' check-jsonschema --builtin-schema vendor.gitlab-ci "$folder/gitlab-ci.yml"
{
	printf 'on: pull_request\njobs:\n  labels:\n    runs-on: ubuntu-latest\n'
	block ci.md 'upload-sarif' | sed 's/^/    /'
} >"$folder/workflow.yml"
with check-jsonschema 'GitHub, as docs/ci.md shows it' check-jsonschema --builtin-schema vendor.github-workflows "$folder/workflow.yml"
{
	echo 'repos:'
	block ci.md 'id: labelaudit-dataset'
} >"$folder/pre-commit-config.yaml"
with pre-commit 'pre-commit, as docs/ci.md shows it' pre-commit validate-config "$folder/pre-commit-config.yaml"
total
