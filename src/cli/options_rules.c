/* Which rules apply, at which level, and to which files: --select, --skip, --severity, --per-path. */
#include "cli/options_table.h"

#include <stdio.h>
#include <string.h>

#include "base/guard.h"
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
		snprintf(copy, sizeof(copy), "%.*s", (int)n, item);
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

/* An item of the lists that an option was given, each a comma-separated word. */
struct item {
	const char *s; /* not NUL-terminated */
	size_t n;
	const char *rest; /* of its list; NULL: none */
	size_t lists;     /* that were begun */
};

/* Makes *item the next one, the first if it is all 0. Returns false at the end. */
static bool next_item(const struct string_list *lists, struct item *item)
{
	while (!(item->s = list_next(&item->rest, &item->n))) {
		if (item->lists == lists->count)
			return false;
		item->rest = lists->v[item->lists++];
	}
	return true;
}

/* Returns how closely the lists of --select or --skip name the rule. */
static enum match match_lists(const struct rule *rule, const struct string_list *lists)
{
	enum match best = MATCH_NONE;

	for (struct item item = { .n = 0 }; next_item(lists, &item);)
		best = MAX(best, match_rule(rule, item.s, item.n));
	return best;
}

static enum status check_lists(const char *option, const struct string_list *lists, struct error *err)
{
	for (struct item item = { .n = 0 }; next_item(lists, &item);)
		if (check_item(option, item.s, item.n, err) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

/* Returns the length of the name in an item RULE=LEVEL. */
static size_t severity_name(const char *item, size_t n)
{
	const char *equals = memchr(item, '=', n);

	return equals ? (size_t)(equals - item) : n;
}

static enum status check_severity(const char *option, const struct string_list *lists, struct error *err)
{
	enum level level;

	for (struct item item = { .n = 0 }; next_item(lists, &item);) {
		size_t name = severity_name(item.s, item.n);

		if (name == item.n)
			return error_set(err,
					 "--severity: '%.*s' is not RULE=LEVEL (expected something like "
					 "missing-class=info)",
					 (int)MIN(item.n, (size_t)200), item.s);
		if (check_item(option, item.s, name, err) != STATUS_OK)
			return STATUS_FAILED;
		if (!level_by_name(item.s + name + 1, item.n - name - 1, &level))
			return error_set(err, "--severity: '%.*s' is not one of error, warning, info, off",
					 (int)MIN(item.n - name - 1, (size_t)200), item.s + name + 1);
	}
	return STATUS_OK;
}

/* Returns the level that --severity gives the rule: that of the closest item, of equally close ones the last. */
static enum level severity_of(const struct rule *rule, const struct string_list *lists)
{
	enum match best = MATCH_NONE;
	enum level level = rule->level;

	for (struct item item = { .n = 0 }; next_item(lists, &item);) {
		size_t name = severity_name(item.s, item.n);
		enum match match = match_rule(rule, item.s, name);

		if (match == MATCH_NONE || match < best)
			continue;
		best = match;
		level_by_name(item.s + name + 1, item.n - name - 1, &level);
	}
	return level;
}

bool options_lower_severity(const struct options *o)
{
	for (size_t i = 0; i < rule_count; i++)
		if (severity_of(rule_table[i], &o->rules.severity) < rule_table[i]->level)
			return true;
	return false;
}

/* GLOB=RULES: the rules that are not applied to the files that the glob matches. */
static enum status finish_per_path(struct options *o, const char *option, const char *value, struct error *err)
{
	const char *equals = strrchr(value, '='), *list = equals ? equals + 1 : NULL, *item;
	struct per_path *p = &o->settings.rules.per_paths[o->settings.rules.per_paths_count];
	size_t n;

	if (!equals || equals == value)
		return error_set(err, "--per-path: '%s' is not GLOB=RULES (expected something like drafts/=all)",
				 value);
	o->settings.rules.per_paths_count++;
	p->glob = xmemdup0(value, (size_t)(equals - value));
	p->off = xcalloc(rule_count, sizeof(*p->off));
	p->root =
		o->config.read.root && option_given_of(o, option)->origin == ORIGIN_CONFIG ? o->config.read.root : NULL;
	if (path_rules_check(p->glob, err) != STATUS_OK)
		return STATUS_FAILED;
	while ((item = list_next(&list, &n))) {
		if (check_item(option, item, n, err) != STATUS_OK)
			return STATUS_FAILED;
		for (size_t i = 0; i < rule_count; i++)
			p->off[i] |= match_rule(rule_table[i], item, n) != MATCH_NONE;
	}
	return STATUS_OK;
}

/*
 * A rule applies if --select names it more closely than --skip does; without --select all are selected, loosely. A rule
 * about files that were not audited applies unless --skip names it.
 */
enum status options_resolve_rules(struct options *o, struct error *err)
{
	const char *option = "select";
	enum status status = check_lists(option, &o->rules.select, err);

	if (status == STATUS_OK)
		status = check_lists(option = "skip", &o->rules.skip, err);
	if (status == STATUS_OK)
		status = check_severity(option = "severity", &o->rules.severity, err);
	o->settings.rules.per_paths = xcalloc(o->rules.per_path.count + 1, sizeof(*o->settings.rules.per_paths));
	for (size_t i = 0; status == STATUS_OK && i < o->rules.per_path.count; i++)
		status = finish_per_path(o, option = "per-path", o->rules.per_path.v[i], err);
	if (status != STATUS_OK) {
		option_add_origin(o, option, err);
		return status;
	}
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];
		enum match selected = match_lists(rule, &o->rules.select), skipped = match_lists(rule, &o->rules.skip);
		bool on = o->rules.select.count ? selected > skipped : skipped == MATCH_NONE;
		bool kept = !on && GUARD(unread_files_deselected, rule->tells_unread && skipped == MATCH_NONE);

		o->settings.rules.unread_only[i] = kept;

		o->settings.rules.levels[i] = on || kept ? severity_of(rule, &o->rules.severity) : LEVEL_OFF;
		if (o->settings.scope == SCOPE_FILES && rule_needs_set(rule))
			o->settings.rules.levels[i] = LEVEL_OFF;
	}
	return STATUS_OK;
}
