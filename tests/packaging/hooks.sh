#!/bin/bash
# .pre-commit-hooks.yaml: its fields, and its entries run as pre-commit runs them: args, then files, in several calls. By
# pre-commit itself, too, where it is installed.
#
# usage: tests/packaging/hooks.sh     BUILD=dir: where the program was built
# Functions are called through check().
# shellcheck disable=SC2317
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

hooks=$root/.pre-commit-hooks.yaml
python3 -c 'import yaml' 2>/dev/null || skip_all 'no PyYAML to parse the hooks'
mkdir "$folder/bin"
ln -s "$build/labelaudit" "$folder/bin/labelaudit"
export PATH=$folder/bin:$PATH

check 'fields' python3 - "$hooks" <<'PYTHON'
import re, sys, yaml
hooks = {hook["id"]: hook for hook in yaml.safe_load(open(sys.argv[1]))}
assert list(hooks) == ["labelaudit", "labelaudit-dataset"], list(hooks)
for hook in hooks.values():
    assert hook["name"] and hook["language"] == "python" and hook["require_serial"] is True, hook
    assert hook["entry"].split()[0] == "labelaudit" and "args" not in hook, hook
masks = hooks["labelaudit"]
assert "pass_filenames" not in masks and "types" not in masks
for path in "data/masks/a.png", "labels/train/0001.txt", "annotations/instances.json", "x/y/mask/z.npy", "VOC/SegmentationClassAug/1.png":
    assert re.search(masks["files"], path) and not re.search(masks["exclude"], path), path
for path in "docs.png", "docs/masks.png", "src/masks/read.c", "masks/README.txt", "labels/classes.txt", "data/images/a.png":
    assert not re.search(masks["files"], path) or re.search(masks["exclude"], path), path
assert hooks["labelaudit-dataset"]["pass_filenames"] is False and hooks["labelaudit-dataset"]["always_run"] is True
PYTHON
entry() {
	python3 -c 'import sys, yaml
print(*[h["entry"] for h in yaml.safe_load(open(sys.argv[1])) if h["id"] == sys.argv[2]])' "$hooks" "$1"
}
read -ra per_file < <(entry labelaudit)
read -ra dataset < <(entry labelaudit-dataset)
what=(--classes 21 --ignore 255)

cd "$root/testdata" || exit 1
check 'clean masks' says 0 '^PASS' "${per_file[@]}" --classes 4 --ignore 255 -- clean/*.png
# Two masks do not have all classes: nobody is to be told so of every commit.
check 'few masks' bash -c '! "$@" | grep -E " (missing-class|rare-class|gap-in-ids): "' - "${per_file[@]}" "${what[@]}" -- masks/stray-id-21.png
check 'a bad mask' says 1 '^  masks/stray-id-21.png \(x 30, y 20\): 128 pixels' "${per_file[@]}" "${what[@]}" -- masks/stray-id-21.png
split() { # xargs gives 123 if any of its calls failed; pre-commit fails likewise
	printf '%s\0' masks/*.png | xargs -0 -n 3 "${per_file[@]}" "${what[@]}" -- | grep -c '^FAIL\|^PASS'
	((PIPESTATUS[1] == 123))
}
check 'a list that was split' split
check 'the whole set' says 1 '^FAIL: .*11 errors' "${dataset[@]}" "${what[@]}" masks

printf 'severity: [all=info]\n' >"$folder/labelaudit.yaml"
# shellcheck disable=SC2016 # the inner shell expands it
check 'no labelaudit.yaml is read' bash -c 'cd "$0" && cp "$1" a.png && ! "${@:2}" -- a.png' "$folder" "$PWD/masks/stray-id-21.png" \
	"${per_file[@]}" "${what[@]}"
# shellcheck disable=SC2016
check 'one that is named' bash -c 'cd "$0" && "$@" --config labelaudit.yaml -- a.png' "$folder" "${per_file[@]}" "${what[@]}"

# A file whose name is an option is a file, behind --.
mkdir "$folder/repository"
cp masks/stray-id-21.png "$folder/repository/--exit-zero.png"
cp masks/stray-id-21.png "$folder/repository/--output=owned.png"
cp "$root/testdata/clean/"*.png "$folder/repository/"
cd "$folder/repository" || exit 1
check 'names that are options' says 1 '--exit-zero.png \(x 30, y 20\): 128 pixels' "${per_file[@]}" "${what[@]}" -- --*.png
check 'nothing was written' test ! -e owned.png

if command -v git >/dev/null && { command -v pre-commit >/dev/null || has_clients pre-commit; }; then
	PATH=$PATH:${clients-}
	check 'pre-commit: manifest' pre-commit validate-manifest "$hooks"
	{
		printf 'repos:\n- repo: local\n  hooks:\n'
		# The hooks, run by the installed program.
		sed -n -e 's/^- id: labelaudit$/- id: labelaudit\n  args: [--classes, "21", --ignore, "255", --]/' -e '/^[- ] /p' "$hooks" |
			sed -e 's/^/    /' -e 's/language: python/language: system/'
	} >.pre-commit-config.yaml
	export PRE_COMMIT_HOME=$folder/pre-commit
	# docs.png is no mask, and masks/notes.md no label file: neither is audited.
	mkdir masks && mv ./*.png masks/ && cp "$root/testdata/masks/photo.png" docs.png && echo notes >masks/notes.md
	git -c init.defaultBranch=main init -q . && git add .
	check 'pre-commit: findings' says 1 '^  masks/--exit-zero.png \(x 30, y 20\): 128 pixels' pre-commit run labelaudit --all-files
	git rm -q --cached -- 'masks/--exit-zero.png' 'masks/--output=owned.png'
	check 'pre-commit: clean' says 0 'Passed' pre-commit run labelaudit --all-files

	# The mirror, whose release is in a folder: its hooks are the same, and install the wheel.
	wheel=$(compgen -G "$dist/labelaudit-$version-*manylinux_2_28_x86_64.whl")
	if [[ -n $wheel ]]; then
		export HOMEPAGE=file://$folder/server
		mkdir -p "$folder/server/releases/download/v$version"
		cp "$wheel" "$folder/server/releases/download/v$version/"
		check 'the mirror' "$root/packaging/pre-commit-mirror" "$folder/mirror"
		check 'its hooks' diff <(grep -v '^#' "$hooks" | grep .) <(grep -v '^#' "$folder/mirror/.pre-commit-hooks.yaml" | grep .)
		commit() {
			git -c init.defaultBranch=main init -q . && git add . && git -c user.name=x -c user.email=x@localhost commit -q -m x && git tag "v$version"
		}
		(cd "$folder/mirror" && commit)
		printf 'repos:\n- repo: %s\n  rev: v%s\n  hooks:\n  - id: labelaudit\n    args: [--classes, "21", --ignore, "255", --]\n' \
			"$folder/mirror" "$version" >.pre-commit-config.yaml
		SECONDS=0
		check 'the mirror: clean' says 0 'Passed' pre-commit run labelaudit --all-files
		echo "the mirror was installed and run in $SECONDS s"
		git add masks
		check 'the mirror: findings' says 1 '^  masks/--exit-zero.png \(x 30, y 20\): 128 pixels' pre-commit run labelaudit --all-files
	else
		skip 'no wheel for glibc 2.28: the mirror'
	fi
else
	skip 'neither installed nor to be had from PyPI: pre-commit'
fi
total
