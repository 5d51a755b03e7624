/*
 * The concise report: `path: level rule: message`, one line for each finding, as compilers, grep and ruff have it; then
 * the verdict. Lines are never wrapped, so that an editor or a script can take them apart.
 */
#include "report/text_parts.h"

/* Findings between two writes. */
enum { FLUSH_FINDINGS = 1024 };

static void end(const struct report *r, struct strbuf *out)
{
	const struct finding_list *l = r->findings;
	uint64_t listed = 0, found = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!l->v[i].baselined) {
			text_finding(r, &l->v[i], 0, out);
			listed++;
		}
		if (i % FLUSH_FINDINGS == FLUSH_FINDINGS - 1)
			report_flush(r, out);
	}
	for (int level = LEVEL_INFO; level <= LEVEL_ERROR; level++)
		found += l->by_level[level];
	if (found > listed) {
		strbuf_adds(out, "... and ");
		strbuf_add_count(out, found - listed, "finding");
		strbuf_adds(out, " more (--max-findings)\n");
	}
	text_verdict(r, out);
}

const struct reporter reporter_concise = { .name = "concise", .end = end };
