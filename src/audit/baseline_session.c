#include "audit/baseline_session.h"

#include <stdio.h>

enum status baseline_session_open(struct baseline_session *s, const struct options *options, struct error *err)
{
	enum status status = STATUS_OK;

	s->record_file = options->baseline.write;
	s->tolerance = options->baseline.tolerance;
	if (options->baseline.file)
		status = baseline_read(&s->baseline, options->baseline.file, err);
	if (status == STATUS_OK && options->baseline.write)
		status = baseline_record_open(&s->record, options->baseline.write, err);
	return status;
}

void baseline_session_close(struct baseline_session *s)
{
	baseline_free(s->baseline);
	baseline_record_free(s->record);
}

static void on_add(void *context, struct finding *f, const char *path, const char *member)
{
	const struct baseline_session *s = context;

	if (s->baseline)
		f->baselined = baseline_knows(s->baseline, f, path, member, s->tolerance);
	if (s->record)
		baseline_record_add(s->record, f, path, member);
}

void baseline_session_attach(struct baseline_session *s, struct finding_list *findings)
{
	if (!s->baseline && !s->record)
		return;
	findings->on_add = on_add;
	findings->context = s;
}

void baseline_session_note(const struct baseline_session *s, const struct settings *settings, bool complete, char *note,
			   size_t n)
{
	uint64_t stale = s->baseline && complete ? baseline_stale(s->baseline, settings) : 0;

	if (stale)
		snprintf(note, n, "%llu finding%s of the baseline did not occur: fixed, or in files not audited now",
			 (unsigned long long)stale, stale == 1 ? "" : "s");
}

enum status baseline_session_write(struct baseline_session *s, bool complete, struct error *err)
{
	if (!s->record)
		return STATUS_OK;
	if (!complete)
		return error_set(err, "--write-baseline %s: not written, because the audit is not complete",
				 s->record_file);
	return baseline_record_write(s->record, err);
}
