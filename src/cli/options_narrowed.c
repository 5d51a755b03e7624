/* Names the options and settings that leave something out of the audit or lower a level: settings.narrowed. */
#include <string.h>

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

/* A limit that a found file raised: it lets pass what the audit would refuse. Who types it knows it. */
static bool raises_limit(const struct options *o, const char *name, uint64_t limit, uint64_t usual)
{
	return option_given_of(o, name)->origin == ORIGIN_CONFIG && o->config.found && (!limit || limit > usual);
}

static bool raises_pixels(const struct options *o)
{
	return raises_limit(o, "max-pixels", o->settings.limits.max_pixels, limits_usual.max_pixels);
}

static bool raises_inflated(const struct options *o)
{
	return raises_limit(o, "max-inflated", o->settings.limits.max_inflated, limits_usual.max_inflated);
}

static bool raises_ratio(const struct options *o)
{
	return raises_limit(o, "max-archive-ratio", o->settings.limits.max_archive_ratio,
			    limits_usual.max_archive_ratio);
}

static const struct {
	const char *name;
	bool (*narrows)(const struct options *o); /* asked if the option was given */
} table[] = {
	{ "kind", chooses_kind },
	{ "select", drops_rules },
	{ "skip", always },
	{ "severity", options_lower_severity },
	{ "per-path", always },
	{ "baseline", always },
	{ "baseline-tolerance", tolerates },
	{ "include", always },
	{ "exclude", always },
	{ "max-pixels", raises_pixels },
	{ "max-inflated", raises_inflated },
	{ "max-archive-ratio", raises_ratio },
};

static void join_values(const struct option_spec *spec, const struct string_list *values, struct strbuf *out)
{
	size_t first = spec->repeatable ? 0 : values->count - 1; /* else the last one counts */

	strbuf_clear(out);
	for (size_t i = first; i < values->count; i++) {
		strbuf_adds(out, i > first ? ", " : "");
		strbuf_adds(out, values->v[i]);
	}
}

void options_name_narrowed(struct options *o)
{
	struct strbuf value = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct option_spec *spec = option_find(table[i].name, strlen(table[i].name));
		const struct option_given *given = &o->given[spec - option_table];

		if (given->origin == ORIGIN_DEFAULT || !table[i].narrows(o))
			continue;
		join_values(spec, &given->values, &value);
		narrowings_add(&o->settings.narrowed, spec->name, value.s,
			       given->origin == ORIGIN_CONFIG ? o->config.path : "command line");
	}
	strbuf_release(&value);
}
