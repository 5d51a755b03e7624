# fish completion for labelaudit: put this file into ~/.config/fish/completions.

function __labelaudit
	set -l typed (commandline -opc)
	set -l current (commandline -ct)
	set -e typed[1]
	for line in (labelaudit completions words -- $typed "$current" 2>/dev/null)
		if test "$line" = :files
			__fish_complete_path "$current"
		else
			echo $line
		end
	end
end

complete -c labelaudit -f -a '(__labelaudit)'
