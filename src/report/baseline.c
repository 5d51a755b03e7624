/*
 * Reads a baseline, one finding at a time, into a sorted table of hashes; and writes one: findings are recorded in as
 * few bytes as possible, sorted at the end, and written in pieces.
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
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/output_file.h"
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

struct baseline_reader {
	struct baseline *b;
	const char *file;
	struct json_pull pull;
	struct strbuf rule, names[2]; /* of the current finding: path, member */
	bool has_rule, has[2];
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

static enum status refuse(struct baseline_reader *r, const char *what, struct error *err)
{
	uint64_t line, column;

	json_place(&r->pull, &line, &column);
	return error_set(err, "--baseline %s: line %llu: %s", r->file, (unsigned long long)line, what);
}

/* Fails because of a token: the tokenizer's fault, or another kind than expected. */
static enum status refuse_token(struct baseline_reader *r, enum json_token token, const char *expected,
				struct error *err)
{
	char what[128];

	if (token == JSON_FAULT) {
		const struct fault *f = &r->pull.fault;

		if (f->line)
			return error_set(err, "--baseline %s: line %llu: %s", r->file, (unsigned long long)f->line,
					 f->text);
		return error_set(err, "--baseline %s: %s", r->file, f->text);
	}
	snprintf(what, sizeof(what), "expected %s, found %s", expected, json_token_name(token));
	return refuse(r, what, err);
}

/* Reads a name of a file: no NUL, not cut. base64: it is the value of the *_b64 key, which takes precedence. */
static enum status take_name(struct baseline_reader *r, size_t which, bool base64, struct error *err)
{
	struct strbuf *name = &r->names[which];
	enum json_token token = json_next(&r->pull);

	if (token == JSON_NULL && !base64)
		return STATUS_OK;
	if (token != JSON_STRING)
		return refuse_token(r, token, "a name", err);
	if (r->pull.text_flags & JSON_TEXT_CUT)
		return refuse(r, "a name is too long", err);
	strbuf_clear(name);
	strbuf_add(name, r->pull.text, r->pull.text_len);
	if (base64 && !unescape_base64(name->s, &name->len))
		return refuse(r, "this is not base64", err);
	if (memchr(name->s, '\0', name->len))
		return refuse(r, "a name holds a NUL", err);
	r->has[which] = true;
	return STATUS_OK;
}

static enum status take_rule(struct baseline_reader *r, struct error *err)
{
	enum json_token token = json_next(&r->pull);

	if (token != JSON_STRING)
		return refuse_token(r, token, "the name of a rule", err);
	if (r->pull.text_len > 64 || !r->pull.text_len || memchr(r->pull.text, '\0', r->pull.text_len))
		return refuse(r, "this is not the name of a rule", err);
	strbuf_clear(&r->rule);
	strbuf_add(&r->rule, r->pull.text, r->pull.text_len);
	r->has_rule = true;
	return STATUS_OK;
}

static enum status keep_finding(struct baseline_reader *r, struct error *err)
{
	struct baseline *b = r->b;

	if (!r->has_rule)
		return refuse(r, "a finding without a rule", err);
	if (b->count == BASELINE_MAX)
		return error_set(err, "--baseline %s: more than %d findings", r->file, BASELINE_MAX);
	GROW(b->v, b->cap, b->count + 1);
	struct baseline_entry *k = &b->v[b->count++];
	const struct rule *rule = rule_find(r->rule.s);

	k->rule = rule ? (uint32_t)rule_index(rule) : RULE_UNKNOWN;
	make_hash(r->rule.s, r->has[0] ? r->names[0].s : NULL, r->has[1] ? r->names[1].s : NULL, k->hash);
	return STATUS_OK;
}

/* Reads a finding after its brace. */
static enum status read_finding(struct baseline_reader *r, struct error *err)
{
	bool exact[2] = { false, false };

	r->has_rule = r->has[0] = r->has[1] = false;
	for (;;) {
		enum json_token token = json_next(&r->pull);
		enum status status;

		if (token == JSON_OBJECT_END)
			return keep_finding(r, err);
		if (token != JSON_KEY)
			return refuse_token(r, token, "a key", err);
		if (json_text_is(&r->pull, "rule")) {
			status = take_rule(r, err);
		} else if (json_text_is(&r->pull, "path_b64") || json_text_is(&r->pull, "member_b64")) {
			size_t which = json_text_is(&r->pull, "member_b64");

			status = take_name(r, which, true, err);
			exact[which] = true;
		} else if (json_text_is(&r->pull, "path") && !exact[0]) {
			status = take_name(r, 0, false, err);
		} else if (json_text_is(&r->pull, "member") && !exact[1]) {
			status = take_name(r, 1, false, err);
		} else {
			status = json_skip_next(&r->pull) ? STATUS_OK : refuse_token(r, JSON_FAULT, "", err);
		}
		if (status != STATUS_OK)
			return status;
	}
}

static enum status read_findings(struct baseline_reader *r, struct error *err)
{
	enum json_token token = json_next(&r->pull);

	if (token != JSON_ARRAY)
		return refuse_token(r, token, "a list of findings", err);
	while ((token = json_next(&r->pull)) != JSON_ARRAY_END) {
		if (token != JSON_OBJECT)
			return refuse_token(r, token, "a finding", err);
		if (read_finding(r, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status read_version(struct baseline_reader *r, struct error *err)
{
	enum json_token token = json_next(&r->pull);
	uint64_t version;

	if (token != JSON_NUMBER || !json_number_uint64(&r->pull.number, &version))
		return refuse_token(r, token, "the version of the format", err);
	if (version != 1)
		return refuse(r, "a baseline of another version; this program knows version 1", err);
	return STATUS_OK;
}

static enum status read_document(struct baseline_reader *r, struct error *err)
{
	enum json_token token = json_next(&r->pull);
	bool versioned = false, listed = false;

	if (token != JSON_OBJECT)
		return refuse_token(r, token, "an object", err);
	while ((token = json_next(&r->pull)) != JSON_OBJECT_END) {
		enum status status = STATUS_OK;

		if (token != JSON_KEY)
			return refuse_token(r, token, "a key", err);
		if (json_text_is(&r->pull, "labelaudit_baseline")) {
			status = read_version(r, err);
			versioned = true;
		} else if (json_text_is(&r->pull, "findings") && versioned && !listed) {
			status = read_findings(r, err);
			listed = true;
		} else if (!versioned) {
			break;
		} else if (!json_skip_next(&r->pull)) {
			status = refuse_token(r, JSON_FAULT, "", err);
		}
		if (status != STATUS_OK)
			return status;
	}
	if (!versioned || !listed)
		return error_set(err,
				 "--baseline %s: this is no baseline (expected labelaudit_baseline, then findings; "
				 "--write-baseline writes one)",
				 r->file);
	token = json_next(&r->pull);
	return token == JSON_END ? STATUS_OK : refuse_token(r, token, "the end", err);
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
	struct baseline_reader *r;
	int fd = open_file(file, err);
	enum status status;

	*out = NULL;
	if (fd < 0)
		return STATUS_FAILED;
	r = xcalloc(1, sizeof(*r));
	r->b = xcalloc(1, sizeof(*r->b));
	r->file = file;
	strbuf_init(&r->rule);
	strbuf_init(&r->names[0]);
	strbuf_init(&r->names[1]);
	json_open_fd(&r->pull, fd, 0);
	json_set_text_max(&r->pull, NAME_BYTES_MAX);
	status = read_document(r, err);
	json_close(&r->pull);
	close(fd);
	strbuf_release(&r->rule);
	strbuf_release(&r->names[0]);
	strbuf_release(&r->names[1]);
	if (status == STATUS_OK) {
		finish_table(r->b);
		*out = r->b;
	} else {
		baseline_free(r->b);
	}
	free(r);
	return status;
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

static void add_file_name(struct strbuf *out, const char *key, const char *name)
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
		add_file_name(out, "path", path);
	else
		strbuf_adds(out, "\"path\": null, ");
	if (member)
		add_file_name(out, "member", member);
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
