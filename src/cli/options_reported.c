/*
 * Lists options for the report: all that decide what it says (settings.options), and those of them that leave something
 * out of the audit or lower a level (settings.narrowed).
 */
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cli/options_table.h"
#include "judge/rule.h"

static bool always(const struct options *o)
{
	(void)o;
	return true;
}

static bool chooses_kind(const struct options *o)
{
	return o->settings.kind != KIND_AUTO;
}

static bool tolerates(const struct options *o)
{
	return o->baseline_tolerance;
}

/* With `all` nothing is left out. */
static bool drops_rules(const struct options *o)
{
	for (size_t i = 0; i < rule_count; i++)
		if (o->settings.rule_levels[i] == LEVEL_OFF)
			return true;
	return false;
}

/* Returns whether a file that was found sets the option. Who types it knows it. */
static bool is_found(const struct options *o, const char *name)
{
	return option_given_of(o, name)->origin == ORIGIN_CONFIG && o->config.found;
}

/* It may choose the one column of a list that is clean. */
static bool chooses_column(const struct options *o)
{
	return is_found(o, "column");
}

/* A threshold further out than the rule's own lets pass what it would report. */
static bool lowers_share(const struct options *o)
{
	return is_found(o, "min-share") && o->settings.min_share < MIN_SHARE_USUAL;
}

static bool raises_ignored(const struct options *o)
{
	return is_found(o, "max-ignored") && o->settings.max_ignored > MAX_IGNORED_USUAL;
}

static bool leaves_set(const struct options *o)
{
	return o->settings.scope != SCOPE_SET;
}

static const struct {
	const char *name;
	bool (*narrows)(const struct options *o); /* asked if the option was given; NULL: it is a limit */
	size_t limit;                             /* its place in struct limits */
} table[] = {
	{ "kind", chooses_kind, 0 },
	{ "scope", leaves_set, 0 },
	{ "column", chooses_column, 0 },
	{ "select", drops_rules, 0 },
	{ "skip", always, 0 },
	{ "severity", options_lower_severity, 0 },
	{ "per-path", always, 0 },
	{ "min-share", lowers_share, 0 },
	{ "max-ignored", raises_ignored, 0 },
	{ "baseline", always, 0 },
	{ "baseline-tolerance", tolerates, 0 },
	{ "include", always, 0 },
	{ "exclude", always, 0 },
	{ "max-pixels", NULL, offsetof(struct limits, max_pixels) },
	{ "max-inflated", NULL, offsetof(struct limits, max_inflated) },
	{ "max-archive-ratio", NULL, offsetof(struct limits, max_archive_ratio) },
	{ "pixel-budget", NULL, offsetof(struct limits, pixel_budget) },
};

/* A limit that is raised lets pass what the audit would refuse. */
static bool raises_limit(const struct options *o, size_t i)
{
	uint64_t limit = *(const uint64_t *)((const char *)&o->settings.limits + table[i].limit);
	uint64_t usual = *(const uint64_t *)((const char *)&limits_usual + table[i].limit);

	return is_found(o, table[i].name) && (!limit || limit > usual);
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

static void name_narrowed(struct options *o)
{
	struct strbuf value = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct option_spec *spec = option_find(table[i].name, strlen(table[i].name));
		const struct option_given *given = &o->given[spec - option_table];

		if (given->origin == ORIGIN_DEFAULT || !(table[i].narrows ? table[i].narrows(o) : raises_limit(o, i)))
			continue;
		join_values(spec, &given->values, &value);
		narrowings_add(&o->settings.narrowed, spec->name, value.s,
			       given->origin == ORIGIN_CONFIG ? o->config.path : "command line");
	}
	/* A file that narrows the audit does not keep quiet about it. */
	if (GUARD(config_that_keeps_quiet, o->settings.narrowed.count && is_found(o, "quiet")))
		o->verbosity = 0;
	strbuf_release(&value);
}

/*
 * The options that settings.options lists. The digest of the settings hashes the text of some; of the others it hashes
 * what became of them: levels of rules, limits, a kind.
 */
static const struct {
	const char *name;
	bool hashed;
} reported[] = {
	{ "preset", false },
	{ "colors", false },
	{ "images", true },
	{ "check-images", true },
	{ "group", true },
	{ "kind", false },
	{ "scope", true },
	{ "column", false },
	{ "root", false },
	{ "select", false },
	{ "skip", false },
	{ "severity", false },
	{ "per-path", false },
	{ "min-share", true },
	{ "max-ignored", true },
	{ "sizes", true },
	{ "min-files", true },
	{ "baseline", true },
	{ "baseline-tolerance", true },
	{ "files-from", true },
	{ "include", true },
	{ "exclude", true },
	{ "hidden", true },
	{ "follow", true },
	{ "strict", false },
	{ "max-pixels", false },
	{ "max-inflated", false },
	{ "max-archive-ratio", false },
	{ "pixel-budget", false },
};

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
	char **paths = xcalloc(o->paths.count + 1, sizeof(*paths));

	for (size_t i = 0; i < o->paths.count; i++)
		paths[i] = plain_copy(o->paths.v[i]);
	if (o->paths.count)
		qsort(paths, o->paths.count, sizeof(*paths), compare_texts);
	for (size_t i = 0; i < o->paths.count; i++) {
		strbuf_adds(out, i ? ", " : "");
		strbuf_adds(out, paths[i]);
		free(paths[i]);
	}
	free(paths);
}

void options_report(struct options *o)
{
	struct strbuf value = STRBUF_INIT;

	join_paths(o, &value);
	if (value.len)
		setting_values_add(&o->settings.options, "paths", value.s, true);
	if (o->taken_from)
		setting_values_add(&o->settings.options, TAKEN_FROM, o->taken_from, false);
	for (size_t i = 0; i < ARRAY_SIZE(reported); i++) {
		const struct option_spec *spec = option_find(reported[i].name, strlen(reported[i].name));
		const struct option_given *given = &o->given[spec - option_table];

		if (given->origin == ORIGIN_DEFAULT)
			continue;
		strbuf_clear(&value);
		if (spec->value)
			join_values(spec, &given->values, &value);
		else
			strbuf_adds(&value, "true");
		setting_values_add(&o->settings.options, spec->name, value.s, reported[i].hashed);
	}
	strbuf_release(&value);
	name_narrowed(o);
}
