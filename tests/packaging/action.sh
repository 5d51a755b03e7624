#!/bin/bash
# action.yml is as GitHub wants it and puts no input into a script; its steps, run as a runner would, audit, tell the verdict and
# leave hostile inputs inert.
#
# usage: tests/packaging/action.sh     BUILD=dir: where the program was built
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

if python3 -c 'import yaml' 2>/dev/null; then
	check 'action.yml' python3 - "$root/action.yml" <<'PYTHON'
import re, sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
assert action["name"] and action["description"] and action["runs"]["using"] == "composite"
steps = action["runs"]["steps"]
given = {}
for step in steps:
    assert step["shell"] == "bash" and set(step) <= {"id", "shell", "run", "env"}, step
    assert "${{" not in step["run"], step
    given.update(step.get("env", {}))
used = set()
for name, value in given.items():
    match = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)
    assert match and name == "LABELAUDIT_" + match[1].upper().replace("-", "_"), (name, value)
    used.add(match[1])
assert used == set(action["inputs"]), used ^ set(action["inputs"])
for name, value in action["inputs"].items():
    assert value["description"] and (value.get("required") or isinstance(value["default"], str)), name
ids = {step.get("id") for step in steps}
for name, value in action["outputs"].items():
    match = re.fullmatch(r"\$\{\{ steps\.([a-z]+)\.outputs\.([a-z]+) \}\}", value["value"])
    assert match and match[1] in ids and match[2] == name, (name, value)
PYTHON
else
	echo 'skipped: no PyYAML to parse action.yml'
	skipped=$((skipped + 1))
fi

# A runner: a work space, and the program as the first step would have built it.
export GITHUB_ACTION_PATH=$root RUNNER_TEMP=$folder/runner GITHUB_OUTPUT=$folder/output GITHUB_STEP_SUMMARY=$folder/summary
mkdir -p "$RUNNER_TEMP/labelaudit-build" "$folder/work"
cp -R "$root/testdata/masks" "$root/testdata/clean" "$folder/work/"
ln -s "$build/labelaudit" "$RUNNER_TEMP/labelaudit-build/labelaudit"
cd "$folder/work" || exit 1
mapfile -t runs < <(sed -n "s/^ *\(- \)\?run: '\(.*\)'\$/\2/p" "$root/action.yml")
check 'two steps' test "${#runs[@]}" = 2

# `audit_step STATUS NAME=VALUE...`
audit_step() {
	local status=0
	: >"$GITHUB_OUTPUT"
	: >"$GITHUB_STEP_SUMMARY"
	env "LABELAUDIT_CLASSES=21" "LABELAUDIT_IGNORE=255" LABELAUDIT_PATHS=masks "${@:2}" bash -e -o pipefail -c "${runs[1]}" \
		>"$folder/out" 2>&1 || status=$?
	tail -n 5 "$folder/out" "$GITHUB_OUTPUT"
	ls
	[[ $status == "$1" ]]
}
gives() {
	grep -qxF -e "$1" "$GITHUB_OUTPUT"
}

# The first step asks make for the program, in the runner's own folder, unless the action is used at the tag of a release.
mkdir "$folder/bin"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s"\n' "$folder/make-words" >"$folder/bin/make"
chmod +x "$folder/bin/make"
install_step() { # `install_step ACTION_PATH`
	rm -f "$folder/make-words"
	GITHUB_SERVER_URL=file://$folder/server GITHUB_ACTION_PATH=$1 RUNNER_TEMP=$folder/install PATH=$folder/bin:$PATH \
		bash -e -o pipefail -c "${runs[0]}"
}
built() {
	install_step "$1" && grep -qxF -- "BUILD=$folder/install/labelaudit-build" "$folder/make-words" && grep -qxF -- "$1" "$folder/make-words"
}
check 'it is built' built "$root"
actions=$folder/_actions/some-one/labelaudit.fork
mkdir -p "$actions"
for reference in "v$version" "v${version//./x}" main; do
	ln -s "$root" "$actions/$reference"
done
check 'also at the tag, if nothing was released' built "$actions/v$version"
if command -v curl >/dev/null && command -v git >/dev/null; then
	# A release, whose program says no more than its version, below the address of its repository.
	home=$folder/server/some-one/labelaudit.fork
	release=$home/releases/download/v$version
	name=labelaudit-$version-linux-$(uname -m)
	mkdir -p "$release" "$folder/released/$name"
	printf '#!/bin/sh\necho "labelaudit %s"\n' "$version" >"$folder/released/$name/labelaudit"
	chmod +x "$folder/released/$name/labelaudit"
	tar -C "$folder/released" -czf "$release/$name.tar.gz" "$name"
	(cd "$release" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
	cp "$release/$name.tar.gz" "$folder/released"
	commit() { git -C "$home" -c user.name=x -c user.email=x@localhost "$@"; }
	git -c init.defaultBranch=main init -q "$home" && commit commit -q --allow-empty -m x && commit tag -a -m x "v$version" &&
		commit commit -q --allow-empty -m y
	released=$(git -C "$home" rev-parse "v$version^{}") later=$(git -C "$home" rev-parse HEAD)
	for reference in "v${version%%.*}" "v${version%.*}" "$released" "$later"; do
		ln -s "$root" "$actions/$reference"
	done
	taken() {
		rm -rf "$folder/install"
		install_step "$actions/$1" && [[ ! -e $folder/make-words ]] && cmp "$folder/install/labelaudit-build/labelaudit" "$folder/released/$name/labelaudit"
	}
	check 'at the tag the release is taken' taken "v$version"
	check 'at the tag of the minor version' taken "v${version%.*}"
	check 'at the tag of the major version' taken "v${version%%.*}"
	check 'at the commit of the release' taken "$released"
	check 'a later commit is built' built "$actions/$later"
	check 'elsewhere it is built' built "$actions/main"
	check 'a dot of the version is a dot' built "$actions/v${version//./x}"
	for tarball in "$release/"*.tar.gz; do
		printf 'x' >>"$tarball"
	done
	check 'what was damaged is not run' built "$actions/v$version"
	check 'and is gone' test ! -e "$folder/install/labelaudit-build/labelaudit"
	cp "$folder/released/$name.tar.gz" "$release"
	rm "$release/"*.sha256
	check 'nor is it without its checksum' built "$actions/v$version"
else
	skip 'no curl or no git: the release of the action'
fi
# What cannot be served is told at once.
printf '#!/bin/sh\ncase $1 in -s) echo Darwin ;; *) echo arm64 ;; esac\n' >"$folder/bin/uname"
chmod +x "$folder/bin/uname"
refused() {
	local status=0
	install_step "$root" >"$folder/out" || status=$?
	[[ $status == 2 && ! -e $folder/make-words ]] && grep '^::error::labelaudit: this runner is Darwin, .*ubuntu-latest' "$folder/out"
}
check 'macOS is refused, with where it runs' refused
rm "$folder/bin/uname"

check 'findings' audit_step 1
check 'verdict: fail' gives verdict=fail
check 'where the report is' gives report=labelaudit.json
check 'annotations' grep -q '^::error ' "$folder/out"
check 'summary' grep -q 'out-of-range-id' "$GITHUB_STEP_SUMMARY"
check 'the report' grep -q '"exit_status": 1\|"complete": true' labelaudit.json
check 'clean' audit_step 0 LABELAUDIT_CLASSES=4 LABELAUDIT_PATHS=clean LABELAUDIT_SARIF=x.sarif LABELAUDIT_REPORT=r.json
check 'verdict: pass' gives verdict=pass
check 'another name' gives report=r.json
check 'both reports' test -s x.sarif -a -s r.json
check 'several paths and options' audit_step 0 LABELAUDIT_PATHS=$'clean\n\nmasks\n' LABELAUDIT_OPTIONS=$'--fail-on=never\n--skip=range,file'
# What comes with the change does not open the gate; a file that is named does what it says.
printf 'skip: [all]\n' >labelaudit.yaml
check 'no labelaudit.yaml is read' audit_step 1
mv labelaudit.yaml trusted.yaml
check 'one that is named' audit_step 0 LABELAUDIT_CONFIG=trusted.yaml
check 'and is named in the log' grep -q '^narrowed by --skip all (trusted.yaml)$' "$folder/out"
rm trusted.yaml
check 'not done' audit_step 2 LABELAUDIT_PATHS=nowhere
check 'verdict: error' gives verdict=error
check 'no path' audit_step 2 LABELAUDIT_PATHS=

# Values that would be script, options, patterns or further outputs if they were more than one word.
rm -f ./*.json ./*.sarif
listing() {
	find . "$folder/bin" | sort
}
listing >"$folder/before"
n=0
for value in '$(touch owned)' '`touch owned`' '"; touch owned; "' "'; touch owned; '" '--output=owned' '* $HOME' '$(id) ${{ 7*7 }}' \
	$'x\nverdict=pass' '../owned -- masks'; do
	n=$((n + 1))
	for name in CLASSES IGNORE PRESET IMAGES FAIL_ON CONFIG; do
		status=2
		[[ $name != IMAGES || $value != *'*'* ]] || status=1 # a glob that no file matches: each mask lacks its image
		check "$name is $value" audit_step "$status" LABELAUDIT_CLASSES=21 "LABELAUDIT_$name=$value"
		check "$name: nothing passes" bash -c '! grep -q verdict=pass "$0"' "$GITHUB_OUTPUT"
	done
	[[ $value == *$'\n'* ]] || check "PATHS is $value" audit_step 2 "LABELAUDIT_PATHS=$value"
done
check 'a report with two lines' audit_step 2 LABELAUDIT_REPORT=$'a\nverdict=pass'
check 'gives no output' bash -c '! grep -q verdict=pass "$0"' "$GITHUB_OUTPUT"
inert() {
	rm -f labelaudit.json # written when the audit could not be finished, too
	listing | diff "$folder/before" -
}
check 'nothing was done' inert
total
