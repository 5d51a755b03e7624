/* Facts that several reporters derive from the finished report: pass or fail, the exit status, times. */
#include "report/report.h"

const struct diagnosis *report_diagnosis(const struct report *r)
{
	static const struct diagnosis none;

	return r->diagnosis ? r->diagnosis : &none;
}

const char *report_fix(const struct report *r, const struct rule *rule)
{
	const struct diagnosis *d = report_diagnosis(r);

	for (size_t i = 0; i < d->count && !r->hint; i++)
		if (d->v[i].command && (!rule || d->v[i].rule == rule))
			return d->v[i].command;
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

bool report_has_ignored_errors(const struct report *r)
{
	return r->settings->fail_on == LEVEL_OFF && r->findings->by_level[LEVEL_ERROR];
}

void report_flush(const struct report *r, struct strbuf *out)
{
	if (r->flush)
		r->flush(r->flush_self, out);
}

enum status report_status(const struct report *r)
{
	if (!r->complete)
		return STATUS_FAILED;
	return report_passes(r) ? STATUS_OK : STATUS_FINDINGS;
}

uint64_t report_milliseconds(const struct run_facts *run)
{
	return run->seconds > 0 ? (uint64_t)(run->seconds * 1000 + 0.5) : 0;
}

const char *stage_name(enum stage stage)
{
	static const char *const names[] = { "walk", "wait", "read", "measure", "judge" };

	return names[stage];
}
