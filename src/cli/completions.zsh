#compdef labelaudit
# zsh completion for labelaudit: put this file as _labelaudit into a folder of $fpath.

_labelaudit_first()
{
	local -a commands=(
		#@zsh_commands@
	)
	_describe -t commands command commands
	_files
}

_labelaudit()
{
	case ${words[2]} in
	rule)
		_arguments '1: :' '*:rule:(@rules@)'
		return
		;;
	help)
		local -a commands=(
			#@zsh_commands@
		)
		_describe -t commands command commands
		return
		;;
	#@zsh_command_options@
	completions)
		_arguments '1: :' '2:shell:(bash zsh fish)'
		return
		;;
	esac
	_arguments -s -S \
		#@zsh_options@
		'1: :_labelaudit_first' \
		'*:path:_files'
}

if [[ ${funcstack[1]} == _labelaudit ]]; then
	_labelaudit "$@"
else
	compdef _labelaudit labelaudit
fi
