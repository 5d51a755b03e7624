/* Writing a baseline: findings are kept in as few bytes as can be, sorted at the end, and written in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/baseline.h"
#include "report/output_file.h"
#include "report/selection.h"

/* No name: text is shorter. */
#define NO_NAME UINT32_MAX

/* JSON is handed to the kernel in pieces of about so many bytes. */
enum { PIECE = 64 << 10 };

struct recorded {
	uint32_t path, member; /* where they begin in the text, NUL-terminated; or NO_NAME */
	uint32_t rule;         /* in rule_table, which is sorted by name */
};

struct baseline_record {
	struct output_file out;
	const char *file;
	struct recorded *v; /* owned */
	size_t count, cap;
	struct strbuf text;
	uint32_t last_path; /* of the finding added last: those of one file come together */
	bool too_many;
};

enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err)
{
	struct baseline_record *r = xcalloc(1, sizeof(*r));

	r->file = file;
	r->last_path = NO_NAME;
	strbuf_init(&r->text);
	if (output_file_open(&r->out, file, err) != STATUS_OK) {
		baseline_record_free(r);
		r = NULL;
	}
	*out = r;
	return r ? STATUS_OK : STATUS_FAILED;
}

void baseline_record_free(struct baseline_record *r)
{
	if (!r)
		return;
	output_file_abort(&r->out);
	strbuf_release(&r->text);
	free(r->v);
	free(r);
}

static uint32_t keep_text(struct baseline_record *r, const char *s)
{
	uint32_t at = (uint32_t)r->text.len;

	strbuf_add(&r->text, s, strlen(s) + 1);
	return at;
}

void baseline_record_add(struct baseline_record *r, const struct rule *rule, const char *path, const char *member)
{
	size_t bytes = (path ? strlen(path) + 1 : 0) + (member ? strlen(member) + 1 : 0);

	_Static_assert(BASELINE_TEXT_MAX < NO_NAME, "places in the text fit");
	if (r->count == BASELINE_MAX || r->text.len + bytes > BASELINE_TEXT_MAX)
		r->too_many = true;
	if (r->too_many)
		return;
	path = path ? plain_path(path) : NULL;
	if (!path)
		r->last_path = NO_NAME;
	else if (r->last_path == NO_NAME || strcmp(r->text.s + r->last_path, path) != 0)
		r->last_path = keep_text(r, path);
	GROW(r->v, r->cap, r->count + 1);
	r->v[r->count++] = (struct recorded){ .path = r->last_path,
					      .member = member ? keep_text(r, member) : NO_NAME,
					      .rule = (uint32_t)rule_index(rule) };
}

/* NULL where there is none. */
static const char *name_at(const struct baseline_record *r, uint32_t at)
{
	return at == NO_NAME ? NULL : r->text.s + at;
}

static int compare_recorded(const void *pa, const void *pb, void *record)
{
	const struct recorded *a = pa, *b = pb;
	const char *path_a = name_at(record, a->path), *path_b = name_at(record, b->path);
	const char *member_a = name_at(record, a->member), *member_b = name_at(record, b->member);
	int order = path_a && path_b ? strcmp(path_a, path_b) : (path_b != NULL) - (path_a != NULL);

	if (!order)
		order = member_a && member_b ? strcmp(member_a, member_b) : (member_a != NULL) - (member_b != NULL);
	if (!order)
		order = (a->rule > b->rule) - (a->rule < b->rule);
	return order;
}

static void add_name(struct strbuf *out, const char *key, const char *name)
{
	size_t n = strlen(name);

	strbuf_addf(out, "\"%s\": \"", key);
	escape_json(out, name, n);
	strbuf_adds(out, "\", ");
	if (utf8_valid(name, n))
		return;
	strbuf_addf(out, "\"%s_b64\": \"", key);
	escape_base64(out, name, n);
	strbuf_adds(out, "\", ");
}

static void add_finding(const struct baseline_record *r, const struct recorded *f, struct strbuf *out)
{
	const char *path = name_at(r, f->path), *member = name_at(r, f->member);

	strbuf_adds(out, "    {");
	if (path)
		add_name(out, "path", path);
	else
		strbuf_adds(out, "\"path\": null, ");
	if (member)
		add_name(out, "member", member);
	strbuf_addf(out, "\"rule\": \"%s\"}", rule_table[f->rule]->name);
}

static enum status flush(struct baseline_record *r, struct strbuf *piece, struct error *err)
{
	enum status status = output_file_write(&r->out, piece->s, piece->len, err);

	strbuf_clear(piece);
	return status;
}

enum status baseline_record_write(struct baseline_record *r, struct error *err)
{
	struct strbuf piece = STRBUF_INIT;
	const struct recorded *last = NULL;
	enum status status = STATUS_OK;

	if (r->too_many)
		return error_set(err,
				 "--write-baseline %s: more than %d findings, or more than %d MiB of paths: mend the "
				 "cause of most, or --skip its rule",
				 r->file, BASELINE_MAX, BASELINE_TEXT_MAX >> 20);
	if (r->count)
		qsort_r(r->v, r->count, sizeof(*r->v), compare_recorded, r);
	strbuf_adds(&piece, "{\n  \"labelaudit_baseline\": 1,\n  \"findings\": [");
	for (size_t i = 0; status == STATUS_OK && i < r->count; i++) {
		if (last && !compare_recorded(last, &r->v[i], r)) /* a path that was given twice */
			continue;
		strbuf_adds(&piece, last ? ",\n" : "\n");
		add_finding(r, &r->v[i], &piece);
		last = &r->v[i];
		if (piece.len >= PIECE)
			status = flush(r, &piece, err);
	}
	strbuf_adds(&piece, last ? "\n  ]\n}\n" : "]\n}\n");
	if (status == STATUS_OK)
		status = flush(r, &piece, err);
	strbuf_release(&piece);
	return status == STATUS_OK ? output_file_commit(&r->out, err) : status;
}
