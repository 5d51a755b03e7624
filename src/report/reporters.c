/* The table of the reporters. */
#include <string.h>

#include "base/mem.h"
#include "report/report.h"

static const struct reporter reporter_none = { .name = "none" };

static const struct reporter *const reporters[] = {
	&reporter_json,   &reporter_jsonl,  &reporter_text, &reporter_concise,  &reporter_sarif, &reporter_junit,
	&reporter_github, &reporter_gitlab, &reporter_csv,  &reporter_markdown, &reporter_html,  &reporter_none,
};

const struct reporter *reporter_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++)
		if (!strcmp(reporters[i]->name, name))
			return reporters[i];
	return NULL;
}

/* Returns the length of the one of the extensions, with its dot, that file ends in; 0: of none. */
static size_t extension_length(const char *file, const char *extensions)
{
	size_t length = strlen(file), best = 0;

	while (extensions) {
		size_t n = strcspn(extensions, ",");

		if (n + 1 > best && length > n && file[length - n - 1] == '.' &&
		    !memcmp(file + length - n, extensions, n))
			best = n + 1;
		extensions = extensions[n] ? extensions + n + 1 : NULL;
	}
	return best;
}

/* The longest that matches wins: x.sarif.json is SARIF. */
const struct reporter *reporter_by_extension(const char *file)
{
	const struct reporter *best = NULL;
	size_t best_length = 0;

	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++) {
		size_t length = extension_length(file, reporters[i]->extension);

		if (length > best_length) {
			best = reporters[i];
			best_length = length;
		}
	}
	return best;
}
