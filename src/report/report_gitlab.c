/*
 * The code quality report of GitLab: a JSON list with an entry per finding, which merge requests show. GitLab compares
 * two reports by fingerprint and shows one of several that are equal, so fingerprints are unique and do not depend on
 * counts.
 */
#include <string.h>

#include "base/escape.h"
#include "report/json_writer.h"
#include "report/narrowed.h"
#include "report/selection.h"

/* Entries, as many as results in SARIF: more than a person reads in a merge request. */
enum { ENTRIES_MAX = 5000 };

static const char *gitlab_severity(enum level level)
{
	return level == LEVEL_ERROR ? "major" : level == LEVEL_WARNING ? "minor" : "info";
}

static void add_inert(struct strbuf *out, const char *s)
{
	escape_terminal(out, s, strlen(s));
}

static void write_entry(struct json_writer *w, const char *check, enum level level, const char *description,
			const char *fingerprint, const char *path, uint64_t line)
{
	json_begin_object(w, JSON_INLINE);
	json_key_text(w, "description", description);
	json_key_text(w, "check_name", check);
	json_key_text(w, "fingerprint", fingerprint);
	json_key_text(w, "severity", gitlab_severity(level));
	json_key_object(w, "location", JSON_INLINE);
	json_key_text(w, "path", path);
	json_key_object(w, "lines", JSON_INLINE);
	json_key_u64(w, "begin", line);
	json_ends(w, 3);
}

/* chosen: NULL for the findings of the rule that are left out. */
static void write_finding(struct json_writer *w, const struct report *r, const struct selection *l, size_t rule,
			  const struct selected *chosen)
{
	const struct kept_finding *f = chosen ? chosen->finding : NULL;
	RELEASED struct strbuf description = STRBUF_INIT, path = STRBUF_INIT;
	char fingerprint[FINGERPRINT_SIZE];
	uint64_t column;

	selection_identify(r, rule, chosen, fingerprint);
	if (f)
		finding_describe(f, add_inert, &description);
	else
		selection_add_more(l, rule, &description);
	finding_repository_path(r, f, &path);
	write_entry(w, rule_table[rule]->name, f ? f->level : r->findings->rule_worst[rule], description.s, fingerprint,
		    path.s, f ? finding_line(f, &column) : 1);
}

/* The form has entries only, so what was narrowed is one: a merge request shows it as new when it changes. */
static void write_narrowed(struct json_writer *w, const struct report *r)
{
	RELEASED struct strbuf line = STRBUF_INIT, inert = STRBUF_INIT, plain = STRBUF_INIT, path = STRBUF_INIT;
	char fingerprint[FINGERPRINT_SIZE];

	narrowed_line(r->settings, true, &line);
	if (line.len) {
		narrowed_line(r->settings, false, &plain);
		finding_fingerprint("narrowed", NULL, plain.s, 0, fingerprint);
		add_inert(&inert, line.s);
		finding_repository_path(r, NULL, &path);
		write_entry(w, "narrowed", LEVEL_INFO, inert.s, fingerprint, path.s, 1);
	}
}

static void end(const struct report *r, struct strbuf *out)
{
	struct selection chosen;
	struct json_writer w;

	selection_init(&chosen, r->findings, ENTRIES_MAX, 0, 0);
	json_init(&w, out, false);
	json_begin_array(&w, JSON_BLOCK);
	for (size_t i = 0; i < chosen.count; i++)
		write_finding(&w, r, &chosen, rule_index(chosen.v[i].finding->rule), &chosen.v[i]);
	for (size_t i = 0; i < rule_count; i++)
		if (chosen.more[i])
			write_finding(&w, r, &chosen, i, NULL);
	write_narrowed(&w, r);
	json_end(&w);
	strbuf_addch(out, '\n');
	selection_release(&chosen);
}

const struct reporter reporter_gitlab = { .name = "gitlab", .end = end };
