/*
 * A baseline is read into a sorted table of hashes. It is written from records of few bytes, sorted at the end, in
 * pieces.
 */
#include "report/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/json_values.h"
#include "report/output_file.h"
#include "report/report_json.h"
#include "report/selection.h"

/* Paths of files are at most 4 KiB on Linux, and each byte may be six of JSON. */
enum { NAME_BYTES_MAX = 64 << 10 };

/* The rule is not one of this version. */
#define RULE_UNKNOWN UINT32_MAX

struct baseline_entry {
	uint64_t hash[2]; /* the finding's fingerprint (report/selection.h) */
	uint32_t rule;    /* in rule_table, or RULE_UNKNOWN */
};

struct baseline {
	struct baseline_entry *v; /* sorted by hash, each once; owned */
	size_t count, cap;
	_Atomic(bool) *occurred; /* indexed as v; owned */
};

/* ---- the table -------------------------------------------------------------------------------------------------- */

static int compare_entries(const void *pa, const void *pb)
{
	const struct baseline_entry *a = pa, *b = pb;

	for (size_t i = 0; i < 2; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] < b->hash[i] ? -1 : 1;
	return 0;
}

static void make_hash(const char *rule, const char *path, const char *member, uint64_t hash[2])
{
	char hex[FINGERPRINT_SIZE];

	finding_fingerprint(rule, path, member, 0, hex);
	hash[0] = hash[1] = 0;
	for (size_t i = 0; i < FINGERPRINT_SIZE - 1; i++)
		hash[i / 16] = hash[i / 16] << 4 | (uint64_t)ascii_xdigit_value(hex[i]);
}

static void finish_table(struct baseline *b)
{
	size_t kept = 0;

	if (b->count)
		qsort(b->v, b->count, sizeof(*b->v), compare_entries);
	for (size_t i = 0; i < b->count; i++)
		if (!kept || compare_entries(&b->v[kept - 1], &b->v[i]) != 0)
			b->v[kept++] = b->v[i];
	b->count = kept;
	b->occurred = xcalloc(kept + 1, sizeof(*b->occurred));
}

bool baseline_knows(struct baseline *b, const struct rule *rule, const char *path, const char *member)
{
	struct baseline_entry wanted = { .rule = RULE_UNKNOWN };

	make_hash(rule->name, path, member, wanted.hash);
	const struct baseline_entry *hit =
		b->count ? bsearch(&wanted, b->v, b->count, sizeof(*b->v), compare_entries) : NULL;

	if (hit)
		atomic_store_explicit(&b->occurred[hit - b->v], true, memory_order_relaxed);
	return hit != NULL;
}

uint64_t baseline_stale(const struct baseline *b, const struct settings *settings)
{
	uint64_t stale = 0;

	for (size_t i = 0; i < b->count; i++)
		if (!atomic_load_explicit(&b->occurred[i], memory_order_relaxed) &&
		    (b->v[i].rule == RULE_UNKNOWN || settings->rule_levels[b->v[i].rule] != LEVEL_OFF))
			stale++;
	return stale;
}

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	free(b->v);
	free(b->occurred);
	free(b);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Path or member of a finding. */
struct name {
	struct strbuf text;
	bool known, exact; /* exact: from the *_b64 key, which takes precedence */
};

struct baseline_reader {
	struct baseline *b;
	bool versioned, listed;
	struct name path, member; /* of the current finding */
};

static bool take_name(struct json_values *v, struct name *name, bool base64)
{
	struct strbuf *text = &name->text;

	if (values_null(v) && !base64)
		return true;
	if (v->token != JSON_STRING)
		return values_fail(v, "expected a name, found %s", json_token_name(v->token));
	if (v->pull.text_flags & JSON_TEXT_CUT)
		return values_fail(v, "a name is too long");
	if (name->exact && !base64)
		return true;
	strbuf_clear(text);
	strbuf_add(text, v->pull.text, v->pull.text_len);
	if (base64 && !unescape_base64(text->s, &text->len))
		return values_fail(v, "this is not base64");
	if (memchr(text->s, '\0', text->len))
		return values_fail(v, "a name holds a NUL");
	name->known = true;
	name->exact = base64;
	return true;
}

static bool read_name(struct json_values *v, void *name)
{
	return take_name(v, name, false);
}

static bool read_name_base64(struct json_values *v, void *name)
{
	return take_name(v, name, true);
}

static bool read_finding(struct json_values *v, void *context)
{
	struct baseline_reader *r = context;
	struct baseline *b = r->b;
	char name[66] = "";
	const struct values_field fields[] = {
		{ "rule", .buffer = name, .size = sizeof(name) },
		{ "path", .read = read_name, .context = &r->path },
		{ "path_b64", .read = read_name_base64, .context = &r->path },
		{ "member", .read = read_name, .context = &r->member },
		{ "member_b64", .read = read_name_base64, .context = &r->member },
	};

	r->path.known = r->path.exact = r->member.known = r->member.exact = false;
	if (!values_fields(v, fields, ARRAY_SIZE(fields)))
		return false;
	if (!name[0] || strlen(name) > 64)
		return values_fail(v, name[0] ? "this is not the name of a rule" : "a finding without a rule");
	if (b->count == BASELINE_MAX)
		return values_fail(v, "more than %d findings", BASELINE_MAX);
	GROW(b->v, b->cap, b->count + 1);
	struct baseline_entry *k = &b->v[b->count++];
	const struct rule *rule = rule_find(name);

	k->rule = rule ? (uint32_t)rule_index(rule) : RULE_UNKNOWN;
	make_hash(name, r->path.known ? r->path.text.s : NULL, r->member.known ? r->member.text.s : NULL, k->hash);
	return true;
}

static bool read_version(struct json_values *v, void *context)
{
	struct baseline_reader *r = context;
	uint64_t version;

	r->versioned = true;
	return values_u64(v, &version) &&
	       (version == 1 || values_fail(v, "a baseline of another version; this program knows version 1"));
}

static bool read_document(struct json_values *v, struct baseline_reader *r)
{
	const struct values_field fields[] = {
		{ "labelaudit_baseline", .read = read_version, .context = r },
		{ "findings", .each = read_finding, .context = r },
	};

	values_next(v);
	values_object(v);
	while (values_member(v)) {
		if (!r->versioned && !values_key_is(v, "labelaudit_baseline"))
			break;
		r->listed |= values_key_is(v, "findings");
		if (!values_field(v, fields, ARRAY_SIZE(fields)))
			break;
	}
	if (v->failed)
		return false;
	if (r->listed)
		return values_next(v);
	error_set(v->err,
		  "%s: this is no baseline (expected labelaudit_baseline, then findings; --write-baseline writes one)",
		  v->name);
	return false;
}

/* Opens a regular file: a FIFO would hang or end early, a folder cannot be read. */
static int open_file(const char *file, struct error *err)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		error_set_errno(err, errno, "--baseline %s", file);
	} else if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		error_set(err, "--baseline %s: not a regular file", file);
		close(fd);
		fd = -1;
	}
	return fd;
}

enum status baseline_read(struct baseline **out, const char *file, struct error *err)
{
	struct baseline_reader r = { .path = { .text = STRBUF_INIT }, .member = { .text = STRBUF_INIT } };
	struct strbuf name = STRBUF_INIT;
	struct json_values v;
	int fd = open_file(file, err);

	*out = NULL;
	if (fd < 0)
		return STATUS_FAILED;
	r.b = xcalloc(1, sizeof(*r.b));
	strbuf_addf(&name, "--baseline %s", file);
	values_open(&v, fd, name.s, err);
	v.by_line = true;
	json_set_text_max(&v.pull, NAME_BYTES_MAX);
	if (read_document(&v, &r)) {
		finish_table(r.b);
		*out = r.b;
	} else {
		baseline_free(r.b);
	}
	values_close(&v);
	close(fd);
	strbuf_release(&name);
	strbuf_release(&r.path.text);
	strbuf_release(&r.member.text);
	return *out ? STATUS_OK : STATUS_FAILED;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* The offset of no name: the text is shorter. */
#define NO_NAME UINT32_MAX

/* Bytes of JSON that are written at a time, about. */
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
	uint32_t last_path; /* of the last finding: those of one file are adjacent */
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
	struct json_writer w;

	if (r->too_many)
		return error_set(err,
				 "--write-baseline %s: more than %d findings, or more than %d MiB of paths: mend the "
				 "cause of most, or --skip its rule",
				 r->file, BASELINE_MAX, BASELINE_TEXT_MAX >> 20);
	if (r->count)
		qsort_r(r->v, r->count, sizeof(*r->v), compare_recorded, r);
	json_init(&w, &piece, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_u64(&w, "labelaudit_baseline", 1);
	json_key_array(&w, "findings", JSON_BLOCK);
	for (size_t i = 0; status == STATUS_OK && i < r->count; i++) {
		const char *member = name_at(r, r->v[i].member);

		if (last && !compare_recorded(last, &r->v[i], r)) /* a path that was given twice */
			continue;
		json_begin_object(&w, JSON_INLINE);
		report_json_name(&w, "path", name_at(r, r->v[i].path));
		if (member)
			report_json_name(&w, "member", member);
		json_key_text(&w, "rule", rule_table[r->v[i].rule]->name);
		json_end(&w);
		last = &r->v[i];
		if (piece.len >= PIECE)
			status = flush(r, &piece, err);
	}
	json_end(&w);
	json_end(&w);
	strbuf_addch(&piece, '\n');
	if (status == STATUS_OK)
		status = flush(r, &piece, err);
	strbuf_release(&piece);
	return status == STATUS_OK ? output_file_commit(&r->out, err) : status;
}
