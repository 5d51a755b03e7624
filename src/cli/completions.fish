# fish completion for labelaudit: put this file into ~/.config/fish/completions.

#@fish_commands@
complete -c labelaudit -f -n '__fish_seen_subcommand_from rule' -a '@rules@'
complete -c labelaudit -f -n '__fish_seen_subcommand_from help' -a '@commands@'
complete -c labelaudit -f -n '__fish_seen_subcommand_from completions' -a 'bash zsh fish'
#@fish_options@
