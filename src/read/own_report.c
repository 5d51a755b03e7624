#include "read/own_report.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

/* A form with a head of its own: how it begins, and what else its first bytes hold; NULL: nothing. */
static const struct form {
	const char *start, *holds;
} forms[] = {
	{ "{\n  \"schema_version\": ", "\"tool\": {\"name\": \"labelaudit\"" },
	{ "{\"type\":\"run\",\"schema_version\":", "\"tool\":{\"name\":\"labelaudit\"" },
	{ "{\n  \"type\": \"diff\",", "\"tool\": {\"name\": \"labelaudit\"" },
	{ "{\n  \"$schema\": ", "\"name\": \"labelaudit\"" }, /* SARIF */
	{ "{\n  \"labelaudit_baseline\": ", NULL },
	{ "{\n  \"plan_version\": ", "\"tool\": {\"version\": " },
	{ "{\n  \"receipt_version\": ", NULL },
	{ "[\n  {\"description\": ", "\"check_name\": " }, /* GitLab */
	{ "id,name,labels,files,fraction,median_frequency,", NULL },
	{ "<?xml ", "<testsuites name=\"labelaudit\"" },
	{ "<!DOCTYPE html>", "content=\"default-src 'none'; img-src data:; style-src 'sha256-" },
	{ "## labelaudit", NULL },
	{ "::", "title=labelaudit " }, /* GitHub */
	{ "files: ", " -> " },         /* a comparison */
};

static bool skip(const char **p, const char *end, const char *word)
{
	const size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Returns where "error NAME-OF-RULE" ends that begins at p, or NULL. */
static const char *skip_rule(const char *p, const char *end)
{
	static const char *const levels[] = { "error ", "warning ", "info " };

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		const char *rule = p, *at;

		if (!skip(&rule, end, levels[i]))
			continue;
		for (at = rule; at < end && (ascii_islower(*at) || ascii_isdigit(*at) || *at == '-'); at++)
			;
		return at > rule ? at : NULL;
	}
	return NULL;
}

/* Returns whether a line says a finding, `PATH: error NAME-OF-RULE: ...`, or that of several, `error NAME-OF-RULE in 2
 * files: ...`. */
static bool is_finding(const char *p, const char *end)
{
	const char *at = skip_rule(p, end);

	if (at && (skip(&at, end, ": ") || (skip(&at, end, " in ") && memmem(at, (size_t)(end - at), " file", 5))))
		return true;
	for (; (p = memchr(p, ':', (size_t)(end - p))); p++) {
		const char *level = p;

		at = skip(&level, end, ": ") ? skip_rule(level, end) : NULL;
		if (at && skip(&at, end, ": "))
			return true;
	}
	return false;
}

/* Returns whether a line heads our table of classes, or is the verdict. */
static bool is_table_or_verdict(const char *p, const char *end)
{
	static const char *const verdicts[] = { "PASS: ", "FAIL: ", "INCOMPLETE: " };
	const char *at = p;

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++, at = p)
		if (skip(&at, end, verdicts[i]))
			return memmem(at, (size_t)(end - at), " in ", 4) || memmem(at, (size_t)(end - at), " file", 5);
	while (at < end && *at == ' ')
		at++;
	return at > p && skip(&at, end, "id  class ") && end - at >= 5 && !memcmp(end - 5, "files", 5);
}

/* The forms for people have no head but their first lines: findings, then a table and a verdict. */
static bool is_for_people(const char *p, const char *end)
{
	while (p < end && *p == '\n')
		p++;
	const char *line_end = memchr(p, '\n', (size_t)(end - p));

	if (!line_end)
		line_end = end;
	return is_finding(p, line_end) || is_table_or_verdict(p, line_end);
}

bool own_report_begins(const uint8_t *head, size_t n)
{
	const char *text = (const char *)head, *end = text + n;

	if (!n)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *p = text;

		if (*forms[i].start != *text)
			continue;

		if (skip(&p, end, forms[i].start) &&
		    (!forms[i].holds || memmem(p, (size_t)(end - p), forms[i].holds, strlen(forms[i].holds))))
			return true;
	}
	return is_for_people(text, end);
}
