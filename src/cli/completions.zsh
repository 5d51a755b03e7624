#compdef labelaudit
# zsh completion for labelaudit: put this file as _labelaudit into a folder of $fpath.

_labelaudit()
{
	local line
	local -a offered

	for line in "${(@f)$(labelaudit completions words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		:files)
			compset -P '*[=:]'
			_files
			;;
		?*) offered+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
		esac
	done
	((!${#offered})) || _describe -o labelaudit offered
}

if [[ ${funcstack[1]} == _labelaudit ]]; then
	_labelaudit "$@"
else
	compdef _labelaudit labelaudit
fi
