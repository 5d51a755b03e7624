#include "command/explain_rules.h"

#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "judge/rule.h"

static void list_category(const char *category, struct strbuf *out)
{
	size_t width = 0;

	strbuf_addf(out, "%s%s\n", out->len ? "\n" : "", category);
	for (size_t i = 0; i < rule_count; i++)
		width = MAX(width, strlen(rule_table[i]->name));
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!strcmp(rule->category, category))
			strbuf_addf(out, "  %-*s  %-7s  %s\n", (int)width, rule->name, level_name(rule->level),
				    rule->summary);
	}
}

static void list_rules(struct strbuf *out)
{
	for (size_t i = 0; i < RULE_CATEGORIES; i++)
		list_category(rule_categories[i], out);
}

enum status explain_rules(const struct string_list *names, struct strbuf *out, struct error *err)
{
	if (!names->count)
		list_rules(out);
	for (size_t i = 0; i < names->count; i++) {
		const struct rule *rule = rule_find(names->v[i]);
		struct nearest nearest;

		if (rule) {
			strbuf_addf(out, "%s%s: %s\n%s, category %s, since %s\n\n%s", i ? "\n" : "", rule->name,
				    rule->summary, level_name(rule->level), rule->category,
				    rule->since ? rule->since : RULE_SINCE_FIRST, rule_docs[rule_index(rule)]);
			continue;
		}
		nearest_init(&nearest, names->v[i]);
		for (size_t j = 0; j < rule_count; j++)
			nearest_try(&nearest, rule_table[j]->name);
		if (nearest.name)
			return error_set(err, "there is no rule '%s'; did you mean %s?", names->v[i], nearest.name);
		return error_set(err, "there is no rule '%s'; labelaudit rule lists them", names->v[i]);
	}
	return STATUS_OK;
}
