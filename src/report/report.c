/* The table of reporters, the verdict, and the exit status. */
#include "report/report.h"

#include <string.h>

#include "base/mem.h"

const struct reporter reporter_none = { .name = "none" };

static const struct reporter *const reporters[] = {
	&reporter_json,
	&reporter_jsonl,
	&reporter_text,
	&reporter_none,
};

const struct reporter *reporter_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++)
		if (!strcmp(reporters[i]->name, name))
			return reporters[i];
	return NULL;
}

const struct reporter *reporter_by_extension(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash : file, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(reporters); i++)
		if (reporters[i]->extension && !strcmp(reporters[i]->extension, dot + 1))
			return reporters[i];
	return NULL;
}

bool report_passes(const struct report *r)
{
	if (r->settings->fail_on == LEVEL_OFF)
		return true;
	for (int level = LEVEL_ERROR; level >= (int)r->settings->fail_on; level--)
		if (r->findings->by_level[level])
			return false;
	return true;
}

enum status report_status(const struct report *r)
{
	if (!r->complete)
		return STATUS_FAILED;
	return report_passes(r) ? STATUS_OK : STATUS_FINDINGS;
}

const char *stage_name(enum stage stage)
{
	static const char *const names[] = { "walk", "read", "measure", "judge" };

	return names[stage];
}
