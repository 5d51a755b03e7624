/*
 * Completions: the scripts completions.bash, .zsh and .fish, embedded by embed.S, give the words that were typed to
 * `labelaudit completions words`, which offers what fits from the tables of options, commands, rules and presets.
 */
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "judge/rule.h"

extern const char completions_bash[], completions_zsh[], completions_fish[];

static const struct shell {
	const char *name, *script;
} shells[] = { { "bash", completions_bash }, { "zsh", completions_zsh }, { "fish", completions_fish } };

/* The word before the cursor, which is not whole, and where the words go that begin with it. */
struct offer {
	const char *typed;
	size_t kept; /* bytes of typed that stay: "--format=", or the items of a list before the last one */
	struct strbuf *out;
};

/* Appends a line: a word if it fits, and what is known about it. */
static void offer(struct offer *o, const char *dashes, const char *word, size_t n, const char *about)
{
	const char *last = o->typed + o->kept;
	const size_t typed = strlen(last), dashes_n = strlen(dashes);

	if (strncmp(last, dashes, MIN(typed, dashes_n)) != 0 ||
	    (typed > dashes_n && (typed - dashes_n > n || memcmp(last + dashes_n, word, typed - dashes_n) != 0)))
		return;
	strbuf_addf(o->out, "%.*s%s%.*s\t%s\n", (int)o->kept, o->typed, dashes, (int)n, word, about);
}

static void offer_word(struct offer *o, const char *word, const char *about)
{
	offer(o, "", word, strlen(word), about);
}

/* The shell knows what files there are. */
static void offer_files(struct offer *o)
{
	strbuf_adds(o->out, ":files\n");
}

static void offer_rules(struct offer *o)
{
	for (size_t i = 0; i < rule_count; i++)
		offer_word(o, rule_table[i]->name, rule_table[i]->summary);
}

static void offer_commands(struct offer *o)
{
	for (size_t i = 0; i < command_count; i++)
		offer_word(o, command_table[i].name, command_table[i].help);
}

static void offer_options(struct offer *o, enum command command)
{
	for (const struct option_spec *spec = option_table; spec < option_table + option_count; spec++) {
		if (!option_is_of(spec, command))
			continue;
		if (spec->letter)
			offer(o, "-", &spec->letter, 1, spec->help);
		offer(o, "--", spec->name, strlen(spec->name), spec->help);
	}
}

/* command: NULL: none was typed. */
static void offer_values(struct offer *o, const struct option_spec *spec, const struct command_spec *command)
{
	const char *choices = spec->choices, *choice;
	size_t n;

	for (size_t i = 0; choices && (choice = list_next(&choices, &n)); i++)
		if (!command || option_choice_is_of(spec, i, command->command))
			offer(o, "", choice, n, "");
	if (spec->completion == COMPLETE_FILE) {
		offer_files(o);
	} else if (spec->completion == COMPLETE_RULE) {
		const char *comma = strrchr(o->typed + o->kept, ',');

		o->kept = comma ? (size_t)(comma + 1 - o->typed) : o->kept;
		offer_rules(o);
		for (size_t i = 0; i < RULE_CATEGORIES; i++)
			offer_word(o, rule_categories[i], "the rules of this category");
	} else if (spec->completion == COMPLETE_PRESET) {
		offer_word(o, "list", "print them");
		for (size_t i = 0; i < preset_count; i++)
			offer_word(o, preset_table[i].name, "");
	}
}

/* Returns the option that a word is, if it wants a value; else NULL. */
static const struct option_spec *option_of(const char *word)
{
	for (const struct option_spec *spec = option_table; spec < option_table + option_count; spec++)
		if (spec->value && ((word[0] == '-' && word[1] == '-' && !strcmp(word + 2, spec->name)) ||
				    (spec->letter && word[0] == '-' && word[1] == spec->letter && !word[2])))
			return spec;
	return NULL;
}

/* Returns the option whose value the last word is, or becomes; else NULL. */
static const struct option_spec *option_before(const char *const *words, size_t count, struct offer *o)
{
	const char *equals = strchr(o->typed, '=');

	if (!strncmp(o->typed, "--", 2) && equals) {
		o->kept = (size_t)(equals + 1 - o->typed);
		return option_find(o->typed + 2, (size_t)(equals - o->typed - 2));
	}
	return count > 1 ? option_of(words[count - 2]) : NULL;
}

static void offer_for(const char *const *words, size_t count, struct strbuf *out)
{
	struct offer o = { .typed = count ? words[count - 1] : "", .out = out };
	struct nearest nearest;
	const struct command_spec *command = count > 1 ? command_find(words[0], &nearest) : NULL;
	const struct option_spec *option = option_before(words, count, &o);

	if (option) {
		offer_values(&o, option, command);
	} else if (o.typed[0] == '-') {
		offer_options(&o, command ? command->command : COMMAND_AUDIT);
	} else if (command && command->command == COMMAND_RULE) {
		offer_rules(&o);
	} else if (command && command->command == COMMAND_HELP) {
		offer_commands(&o);
	} else if (command && command->command == COMMAND_COMPLETIONS) {
		for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
			offer_word(&o, shells[i].name, "");
	} else {
		offer_files(&o);
		if (count <= 1)
			offer_commands(&o);
	}
}

enum status options_completions(const struct string_list *words, struct strbuf *out, struct error *err)
{
	const char *shell = words->v[0];
	struct nearest nearest;

	if (!strcmp(shell, "words")) {
		offer_for(words->v + 1, words->count - 1, out);
		return STATUS_OK;
	}
	nearest_init(&nearest, shell);
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!strcmp(shell, shells[i].name) && words->count == 1) {
			strbuf_adds(out, shells[i].script);
			return STATUS_OK;
		}
		nearest_try(&nearest, shells[i].name);
	}
	return error_set(err, "there are no completions for '%s'%s%s%s; expected bash, zsh or fish",
			 words->v[words->count - 1], nearest.name ? ", did you mean " : "",
			 nearest.name ? nearest.name : "", nearest.name ? "?" : "");
}
