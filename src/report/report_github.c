/*
 * The GitHub report: workflow commands, which become annotations of a pull request, then the report for people, which
 * stays in the log.
 *
 * A step shows ten annotations of each level (docs of actions/toolkit, problem-matchers.md), so the ten worst of each
 * are written, one of each rule before a second of any. Only these lines begin with ::.
 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/selection.h"

enum { ANNOTATIONS_A_LEVEL = 10 };

static void add_data(struct strbuf *out, const char *s)
{
	escape_github_data(out, s, strlen(s));
}

static void add_annotation(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	uint64_t column;

	strbuf_addf(out, "::%s ", f->level == LEVEL_INFO ? "notice" : level_name(f->level));
	if (f->path) {
		finding_repository_path(r, f, &path);
		strbuf_adds(out, "file=");
		escape_github_property(out, path.s, path.len);
		strbuf_addf(out, ",line=%" PRIu64 ",", finding_line(f, &column));
	}
	strbuf_addf(out, "title=labelaudit %s::", f->rule->name);
	if (f->member) {
		add_data(out, f->member);
		strbuf_adds(out, ": ");
	}
	add_data(out, f->message);
	if (f->advice) {
		strbuf_adds(out, "%0A");
		add_data(out, f->advice);
	}
	strbuf_addch(out, '\n');
}

static void end(const struct report *r, struct strbuf *out)
{
	struct selection chosen;
	struct report log = *r;

	selection_init(&chosen, r->findings, 0, ANNOTATIONS_A_LEVEL, 0);
	for (size_t i = 0; i < chosen.count; i++)
		add_annotation(r, chosen.v[i].finding, out);
	selection_release(&chosen);
	log.columns = 0; /* a log has no width */
	reporter_text.end(&log, out);
}

const struct reporter reporter_github = { .name = "github", .end = end };
