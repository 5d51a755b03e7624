# bash completion for labelaudit: source this file.

_labelaudit_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# The last word of a list with commas.
_labelaudit_list()
{
	local done=
	[[ $cur == *,* ]] && done=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$1" -- "${cur##*,}")
}

_labelaudit()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local rules='@rules_and_categories@' options='@options@'

	COMPREPLY=()
	# --name=value arrives as three words
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == : ]]; then # the FMT:FILE of --output
		cur=
		_labelaudit_files
		return
	elif [[ $prev == : ]]; then
		_labelaudit_files
		return
	fi
	case ${COMP_WORDS[1]} in
	#@bash_command_options@
	esac
	case $prev in
	#@bash_values@
	esac
	if ((COMP_CWORD > 1)); then
		case ${COMP_WORDS[1]} in
		rule)
			mapfile -t COMPREPLY < <(compgen -W '@rules@' -- "$cur")
			return
			;;
		help)
			mapfile -t COMPREPLY < <(compgen -W '@commands@' -- "$cur")
			return
			;;
		completions)
			mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur")
			return
			;;
		esac
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
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
