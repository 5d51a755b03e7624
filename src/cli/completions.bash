# bash completion for labelaudit: source this file.

_labelaudit()
{
	local cur=${COMP_WORDS[COMP_CWORD]} word words=() line files=()

	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do # --name=value and html:FILE arrive as three words
		if ((${#words[@]})) && [[ $word == [=:] || ${words[-1]} == *[=:] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	[[ $cur == [=:] ]] && cur=
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t files < <(compgen -f -- "$cur")
		else
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"${words[-1]%"$cur"}"}")
		fi
	done < <(labelaudit completions words -- "${words[@]}" 2>/dev/null)
	COMPREPLY+=("${files[@]}")
}

complete -F _labelaudit labelaudit
