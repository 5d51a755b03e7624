/*
 * Lists options for the report, as their rows of option_table say: all that decide what it says (settings.options), and
 * those of them that narrow the audit (settings.narrowed).
 */
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cli/options_table.h"
#include "judge/rule.h"

/* With `all` nothing is left out. */
static bool drops_rules(const struct options *o)
{
	for (size_t i = 0; i < rule_count; i++)
		if (o->settings.rules.levels[i] == LEVEL_OFF)
			return true;
	return false;
}

static bool is_typed(const struct options *o, const char *name)
{
	return option_given_of(o, name)->origin == ORIGIN_COMMAND_LINE;
}

static bool is_default(const struct option_spec *spec, const struct option_given *given)
{
	const struct string_list *values = &given->values;

	return spec->otherwise && values->count && !strcmp(values->v[values->count - 1], spec->otherwise);
}

/* Returns the number that the option set, in `o`. */
static uint64_t number_of(const struct option_spec *spec, const struct options *o)
{
	return *(const uint64_t *)((const char *)o + spec->at);
}

/* usual: options of which none was given. */
static bool narrows(const struct option_spec *spec, const struct options *o, const struct options *usual)
{
	const struct option_given *given = &o->config.given[spec - option_table];
	const bool found = given->origin == ORIGIN_CONFIG && o->config.read.found;

	if (given->origin == ORIGIN_DEFAULT)
		return false;
	switch (spec->narrows) {
	case NARROWS_NEVER:
		return false;
	case NARROWS_ALWAYS:
		return true;
	case NARROWS_CHANGED:
		return !is_default(spec, given);
	case NARROWS_FOUND:
		return found;
	case NARROWS_FOUND_CHANGED:
		return found && !is_default(spec, given);
	case NARROWS_FOUND_RAISED:
		return found && (!number_of(spec, o) || number_of(spec, o) > number_of(spec, usual));
	case NARROWS_FOUND_LOWERED:
		return found && number_of(spec, o) < number_of(spec, usual);
	case NARROWS_FOUND_LEGAL:
		return found && (is_typed(o, "classes") || is_typed(o, "preset"));
	case NARROWS_RULES:
		return drops_rules(o);
	case NARROWS_LEVELS:
		return options_lower_severity(o);
	}
	return true;
}

static void join_values(const struct option_spec *spec, const struct string_list *values, struct strbuf *out)
{
	size_t first = spec->repeatable ? 0 : values->count - 1; /* else the last one counts */

	strbuf_clear(out);
	for (size_t i = first; i < values->count; i++) {
		strbuf_adds(out, i > first ? ", " : "");
		strbuf_adds(out, values->v[i]);
	}
}

/* Appends what an option was set to. */
static void add_value(const struct option_spec *spec, const struct option_given *given, struct strbuf *out)
{
	strbuf_clear(out);
	if (spec->value)
		join_values(spec, &given->values, out);
	else
		strbuf_adds(out, "true");
}

static void name_narrowed(struct options *o)
{
	struct options usual;
	RELEASED struct strbuf value = STRBUF_INIT;

	options_init(&usual);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];
		const struct option_given *given = &o->config.given[i];

		if (!narrows(spec, o, &usual))
			continue;
		add_value(spec, given, &value);
		narrowings_add(&o->settings.narrowed, spec->name, value.s,
			       given->origin == ORIGIN_CONFIG ? o->config.read.path : "command line");
	}
	options_release(&usual);
	/* A file that narrows the audit does not keep quiet about it. */
	if (GUARD(config_that_keeps_quiet, o->settings.narrowed.count && o->config.read.found &&
						   option_given_of(o, "quiet")->origin == ORIGIN_CONFIG))
		o->output.verbosity = 0;
}

static int compare_texts(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

/* Returns a copy without what makes no difference: a leading ./ and slashes at the end. */
static char *plain_copy(const char *path)
{
	while (path[0] == '.' && path[1] == '/' && path[2])
		path += 2 + strspn(path + 2, "/");
	return *path ? xmemdup0(path, MAX(path_trimmed(path), (size_t)1)) : xstrdup(".");
}

/* Joins the PATHs, sorted, since their order makes no difference to a report. */
static void join_paths(const struct options *o, struct strbuf *out)
{
	FREED char **paths = xcalloc(o->input.paths.count + 1, sizeof(*paths));

	for (size_t i = 0; i < o->input.paths.count; i++)
		paths[i] = plain_copy(o->input.paths.v[i]);
	if (o->input.paths.count)
		qsort(paths, o->input.paths.count, sizeof(*paths), compare_texts);
	for (size_t i = 0; i < o->input.paths.count; i++) {
		strbuf_adds(out, i ? ", " : "");
		strbuf_adds(out, paths[i]);
		free(paths[i]);
	}
}

void options_report(struct options *o)
{
	RELEASED struct strbuf value = STRBUF_INIT;

	join_paths(o, &value);
	if (value.len)
		setting_values_add(&o->settings.options, "paths", value.s, true);
	if (o->input.taken.from)
		setting_values_add(&o->settings.options, TAKEN_FROM, o->input.taken.from, false);
	if (o->input.taken.faults)
		setting_values_add(&o->settings.options, training_faults[o->input.taken.level], o->input.taken.faults,
				   false);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];

		if (!spec->reported || o->config.given[i].origin == ORIGIN_DEFAULT)
			continue;
		add_value(spec, &o->config.given[i], &value);
		setting_values_add(&o->settings.options, spec->name, value.s, spec->reported == REPORTED_HASHED);
	}
	name_narrowed(o);
}
