#!/bin/bash
# Every option either decides what a report says, and then reports with and without it neither merge nor compare, and the message
# names it; or it decides nothing, and then they do. An option that is in neither list here fails the test. And from a labelaudit.yaml
# that is found, every key is taken in silence, named in the report, or refused, as the list says.
#
# usage: tests/property/settings.sh     BUILD=dir: where the program was built
set -uo pipefail
# shellcheck source=tests/common.bash
. "$(dirname "$0")/../common.bash"

cp -R "$root/testdata/clean" "$folder/set"
cp "$root/testdata/masks/stray-id-21.png" "$folder/set/bad.png"
mkdir "$folder/set/images"
cd "$folder" || exit 1
mkdir .git # the search for settings ends here
"$program" -q -c 4 -f none --write-baseline known.json set
printf '%s\n' set/*.png >list

declare -A decides=(
	[classes]=7 [ignore]=9 [preset]=camvid [reduce-zero-label]="" [task]=detect [coco-ids]=as-is [view]=cv2 [images]=set/images [kind]=mask [column]=x [root]=.
	[select]=range [skip]=range [severity]=range=info [per-path]='*=range' [fail-on]=info [baseline]=known.json
	[baseline-tolerance]=5 [min-share]=2.5 [sizes]=9x9 [min-files]=9 [dtype]=uint16 [max-length]=9 [max-ignored]=50 [files-from]=list [include]='0*' [labels]='0*' [exclude]='0*' [hidden]="" [follow]="" [strict]=""
	[colors]='0=#000000,1=#ff0000' [check-images]="" [group]='([0-9]+)' [scope]=files
	[max-pixels]=2G [max-inflated]=3G [max-archive-ratio]=300 [pixel-budget]=2G
)
declare -A decides_not=(
	[tokenizer]=tokenizer.json [all]="" [write-baseline]=new.json [null]="" [allow]=empty [max-findings]=1 [jobs]=1 [io]=2 [device]=cpu [cache]=none [color]=never
	[progress]=none [no-config]="" [quiet]="" [verbose]="" [format]=none [output]=other.json [config]=empty.yaml
)
# They make no report, or are of other commands.
no_report='write-config drift map threshold nearest clip drop palette verify list explain shard show-settings help version'
# What becomes of a key in a file that is found.
named='coco-ids ignore preset colors reduce-zero-label view images kind scope select skip severity per-path baseline include labels exclude column max-pixels max-inflated max-archive-ratio pixel-budget'
refused='allow cache'
touch empty.yaml
printf '{"model": {"vocab": {"a": 0}}}' >tokenizer.json

# with NAME VALUE: the words for it; some options need another one
with() {
	case $1 in
	null) words=(--null --files-from <(printf 'set/bad.png\0')) ;;
	baseline-tolerance) words=(--baseline known.json --baseline-tolerance "$2") ;;
	config) words=(--config "$2") ;;
	*) words=("--$1${2:+=$2}") ;;
	esac
}
digest_of() {
	rm -f report.json
	"$program" -q -c 4 -f none -o "json:report.json" "$@" >/dev/null 2>"$folder/said" </dev/null
	sed -nE 's/.*"digest": "([0-9a-f]{16})", "options".*/\1/p' report.json 2>/dev/null
}

plain=$(digest_of set)
cp report.json plain.json
mapfile -t options < <("$program" --help | grep -oE -e '(^ *|, )--[a-z-]+' | grep -oE -e '[a-z][a-z-]*' | sort -u)
((${#options[@]} > 40)) || fail "--help lists ${#options[@]} options"
for option in "${options[@]}"; do
	[[ " $no_report " == *" $option "* ]] && continue
	if [[ ${decides[$option]+x} ]]; then
		with "$option" "${decides[$option]}"
		[[ $option == files-from ]] && paths=() || paths=(set)
		found=$(digest_of "${words[@]}" "${paths[@]}")
		if [[ -z $found || $found == "$plain" ]]; then
			fail "--$option: digest '$found' of $plain: $(<said)"
			continue
		fi
		pass
		if "$program" diff -f none plain.json report.json 2>said || ! grep -qE -e "PATHs differ|--$option|--classes|--baseline " said; then
			fail "--$option: diff says $(<said)"
		else
			pass
		fi
	elif [[ ${decides_not[$option]+x} ]]; then
		with "$option" "${decides_not[$option]}"
		[[ $option == null ]] && continue # of a list, which decides
		found=$(digest_of "${words[@]}" set)
		if [[ $found == "$plain" ]]; then pass; else fail "--$option: digest '$found', not $plain: $(<said)"; fi
	else
		fail "--$option is in neither list"
	fi
done

# ---- from a file that is found ----------------------------------------------------------------------------------------------

# What a key is set to besides, for the worst that it can do.
declare -A worse=(
	[ignore]='[4-255]' [preset]=cityscapes [reduce-zero-label]=true [view]=raw [images]=set [scope]=files [select]=stats
	[severity]='[all=off]' [per-path]='{"*": all}' [min-share]=0.0001 [max-ignored]=100 [include]='"0*"' [labels]='"0*"' [exclude]='"b*"' [kind]=list
	[sizes]=1-x1- [min-files]=1 [dtype]=int32 [max-length]=1 [max-findings]=1 [colors]=none [fail-on]=error [strict]=false [hidden]=false [follow]=false [skip]=all
)
# count KEY FILE: that number of the report's summary
count() {
	sed -nE "s/^ *\"$1\": ([0-9]+),?.*/\1/p" "$2" | head -n 1
}
try_key() {
	local option=$1 setting=$2
	echo "$setting" >labelaudit.yaml
	digest_of set >found
	status=taken
	[[ -s report.json ]] || status=refused
	grep -q "\"option\": \"$option\", .*\"source\": \"labelaudit.yaml\"" report.json 2>/dev/null && status=named
	[[ $status != taken ]] && return
	for key in errors warnings labels files_read; do
		if (($(count $key report.json) < $(count $key plain.json))); then fail "${setting//$'\n'/ } in labelaudit.yaml lowers $key, and no report names it"; else pass; fi
	done
}
for option in $("$program" --no-config --show-settings | sed -nE 's/^([a-z-]+): .*/\1/p'); do
	value=${decides[$option]-${decides_not[$option]-}}
	case $option in
	classes) continue ;; # typed above
	baseline-tolerance) setting="baseline: known.json"$'\n'"baseline-tolerance: 5" ;;
	per-path) setting='per-path: {"*": range}' ;;
	max-pixels | max-inflated | max-archive-ratio | pixel-budget) setting="$option: 0" ;;
	cache) setting='cache: true' ;;
	*) setting="$option: \"$value\"" && [[ -n $value ]] || setting="$option: true" ;;
	esac
	[[ ${worse[$option]+x} ]] && try_key "$option" "$option: ${worse[$option]}"
	try_key "$option" "$setting"
	expected=taken
	[[ " $named baseline-tolerance " == *" $option "* ]] && expected=named
	[[ " $refused " == *" $option "* ]] && expected=refused
	if [[ $status == "$expected" ]]; then pass; else fail "$option in labelaudit.yaml: $status, not $expected: $(<said)"; fi
done
rm labelaudit.yaml
total
