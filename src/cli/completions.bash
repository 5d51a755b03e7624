# bash completion for labelaudit: source this file.

_labelaudit_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

_labelaudit()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local rules='@rules_and_categories@'

	COMPREPLY=()
	# --name=value arrives as three words
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev in
	#@bash_values@
	esac
	if ((COMP_CWORD > 1)); then
		case ${COMP_WORDS[1]} in
		rule)
			mapfile -t COMPREPLY < <(compgen -W '@rules@' -- "$cur")
			return
			;;
		completions)
			mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur")
			return
			;;
		esac
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W '@options@' -- "$cur")
		return
	fi
	_labelaudit_files
	if ((COMP_CWORD == 1)); then
		local commands
		mapfile -t commands < <(compgen -W '@commands@' -- "$cur")
		COMPREPLY+=("${commands[@]}")
	fi
}

complete -F _labelaudit labelaudit
