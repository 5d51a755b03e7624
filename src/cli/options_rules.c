/* Which rules apply, at which level, and to which files: --select, --skip, --severity, --per-path. */
#include "cli/options_table.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "judge/path_rules.h"
#include "judge/rule.h"

/* How closely an item of --select names a rule: by name, by category, by `all`, or not. */
enum match { MATCH_NONE, MATCH_ALL, MATCH_CATEGORY, MATCH_NAME };

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !strncmp(s, word, n);
}

static enum match match_rule(const struct rule *rule, const char *item, size_t n)
{
	if (is_word(item, n, rule->name))
		return MATCH_NAME;
	if (is_word(item, n, rule->category))
		return MATCH_CATEGORY;
	return is_word(item, n, "all") ? MATCH_ALL : MATCH_NONE;
}

static enum status check_item(const char *option, const char *item, size_t n, struct error *err)
{
	struct nearest nearest;
	char copy[64];

	if (!n)
		return error_set(err, "--%s: a rule's name is missing", option);
	for (size_t i = 0; i < rule_count; i++)
		if (match_rule(rule_table[i], item, n) != MATCH_NONE)
			return STATUS_OK;
	if (n < sizeof(copy)) {
		memcpy(copy, item, n);
		copy[n] = '\0';
		nearest_init(&nearest, copy);
		for (size_t i = 0; i < rule_count; i++) {
			nearest_try(&nearest, rule_table[i]->name);
			nearest_try(&nearest, rule_table[i]->category);
		}
		if (nearest.name)
			return error_set(err, "--%s: there is no rule or category '%s'; did you mean %s?", option, copy,
					 nearest.name);
	}
	return error_set(err, "--%s: there is no rule or category '%.*s'; labelaudit rule lists them", option,
			 (int)MIN(n, (size_t)200), item);
}

/* Returns how closely the lists of --select or --skip name the rule. */
static enum match match_lists(const struct rule *rule, const struct string_list *lists)
{
	enum match best = MATCH_NONE;

	for (size_t i = 0; i < lists->count; i++) {
		const char *list = lists->v[i], *item;
		size_t n;

		while ((item = list_next(&list, &n)))
			best = MAX(best, match_rule(rule, item, n));
	}
	return best;
}

static enum status check_lists(const char *option, const struct string_list *lists, struct error *err)
{
	for (size_t i = 0; i < lists->count; i++) {
		const char *list = lists->v[i], *item;
		size_t n;

		while ((item = list_next(&list, &n)))
			if (check_item(option, item, n, err) != STATUS_OK)
				return STATUS_FAILED;
	}
	return STATUS_OK;
}

static bool level_by_name(const char *name, size_t n, enum level *out)
{
	static const enum level levels[] = { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_OFF };

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (is_word(name, n, level_name(levels[i]))) {
			*out = levels[i];
			return true;
		}
	return false;
}

/* Returns the length of the name in an item RULE=LEVEL. */
static size_t severity_name(const char *item, size_t n)
{
	const char *equals = memchr(item, '=', n);

	return equals ? (size_t)(equals - item) : n;
}

static enum status check_severity(const struct string_list *lists, struct error *err)
{
	for (size_t i = 0; i < lists->count; i++) {
		const char *list = lists->v[i], *item;
		enum level level;
		size_t n;

		while ((item = list_next(&list, &n))) {
			size_t name = severity_name(item, n);

			if (name == n)
				return error_set(err,
						 "--severity: '%.*s' is not RULE=LEVEL (expected something like "
						 "missing-class=info)",
						 (int)MIN(n, (size_t)200), item);
			if (check_item("severity", item, name, err) != STATUS_OK)
				return STATUS_FAILED;
			if (!level_by_name(item + name + 1, n - name - 1, &level))
				return error_set(err, "--severity: '%.*s' is not one of error, warning, info, off",
						 (int)MIN(n - name - 1, (size_t)200), item + name + 1);
		}
	}
	return STATUS_OK;
}

/* Returns the level that --severity gives the rule: that of the closest item, of equally close ones the last. */
static enum level severity_of(const struct rule *rule, const struct string_list *lists)
{
	enum match best = MATCH_NONE;
	enum level level = rule->level;

	for (size_t i = 0; i < lists->count; i++) {
		const char *list = lists->v[i], *item;
		size_t n;

		while ((item = list_next(&list, &n))) {
			size_t name = severity_name(item, n);
			enum match match = match_rule(rule, item, name);

			if (match != MATCH_NONE && match >= best) {
				best = match;
				level_by_name(item + name + 1, n - name - 1, &level);
			}
		}
	}
	return level;
}

/* GLOB=RULES: the rules that are not applied to the files that the glob matches. */
static enum status finish_per_path(struct options *o, const char *value, struct error *err)
{
	const char *equals = strrchr(value, '='), *list = equals ? equals + 1 : NULL, *item;
	struct per_path *p = &o->settings.per_paths[o->settings.per_paths_count];
	size_t n;

	if (!equals || equals == value)
		return error_set(err, "--per-path: '%s' is not GLOB=RULES (expected something like drafts/=all)",
				 value);
	o->settings.per_paths_count++;
	p->glob = xmemdup0(value, (size_t)(equals - value));
	p->off = xcalloc(rule_count, sizeof(*p->off));
	p->root = o->config.root && o->given[option_find("per-path", 8) - option_table].origin == ORIGIN_CONFIG
			  ? o->config.root
			  : NULL;
	if (path_rules_check(p->glob, err) != STATUS_OK)
		return STATUS_FAILED;
	while ((item = list_next(&list, &n))) {
		if (check_item("per-path", item, n, err) != STATUS_OK)
			return STATUS_FAILED;
		for (size_t i = 0; i < rule_count; i++)
			p->off[i] |= match_rule(rule_table[i], item, n) != MATCH_NONE;
	}
	return STATUS_OK;
}

static enum status finish_per_paths(struct options *o, struct error *err)
{
	o->settings.per_paths = xcalloc(o->per_path.count + 1, sizeof(*o->settings.per_paths));
	for (size_t i = 0; i < o->per_path.count; i++)
		if (finish_per_path(o, o->per_path.v[i], err) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

/* A rule applies if --select names it more closely than --skip does; without --select all are selected, loosely. */
enum status options_resolve_rules(struct options *o, struct error *err)
{
	const char *option = "select";
	enum status status = check_lists(option, &o->select, err);

	if (status == STATUS_OK)
		status = check_lists(option = "skip", &o->skip, err);
	if (status == STATUS_OK) {
		option = "severity";
		status = check_severity(&o->severity, err);
	}
	if (status == STATUS_OK) {
		option = "per-path";
		status = finish_per_paths(o, err);
	}
	if (status != STATUS_OK) {
		option_add_origin(o, option, err);
		return status;
	}
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];
		enum match selected = match_lists(rule, &o->select), skipped = match_lists(rule, &o->skip);
		bool on = o->select.count ? selected > skipped : skipped == MATCH_NONE;

		o->settings.rule_levels[i] = on ? severity_of(rule, &o->severity) : LEVEL_OFF;
	}
	return STATUS_OK;
}
