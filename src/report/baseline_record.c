/* Writes a baseline: findings are recorded in as few bytes as possible, sorted at the end, and written in pieces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "report/baseline.h"
#include "report/extent.h"
#include "report/json_writer.h"
#include "report/output_file.h"
#include "report/report_json.h"

/* The offset of no name, and of no sets: the texts and words are fewer. */
#define NO_NAME UINT32_MAX

/* Bytes of JSON that are written at a time, about. */
enum { PIECE = 64 << 10, WORDS_MAX = BASELINE_TEXT_MAX / 8 };
_Static_assert(BASELINE_TEXT_MAX < NO_NAME, "places in the text fit");

struct recorded {
	uint32_t path, member; /* where they begin in the text, NUL-terminated; or NO_NAME */
	uint32_t sets;         /* where those of its extent begin in `words` (extent_of_words), or NO_NAME */
	uint16_t rule;         /* in rule_table, which is sorted by name */
	uint8_t level;
	uint64_t count;
};

struct baseline_record {
	struct output_file out;
	const char *file;
	struct baseline_place place;
	struct recorded *v; /* owned */
	size_t count, cap;
	struct strbuf text, path;
	uint64_t *words; /* owned */
	size_t words_count, words_cap;
	uint32_t last_path; /* of the last finding: those of one file are adjacent */
	bool too_many;
};

enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err)
{
	struct baseline_record *r = xcalloc(1, sizeof(*r));

	r->file = file;
	r->last_path = NO_NAME;
	strbuf_init(&r->text);
	strbuf_init(&r->path);
	output_file_init(&r->out);
	if (output_file_open(&r->out, file, err) != STATUS_OK ||
	    baseline_place_find(&r->place, file, err) != STATUS_OK) {
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
	strbuf_release(&r->path);
	baseline_place_release(&r->place);
	free(r->words);
	free(r->v);
	free(r);
}

static uint32_t keep_text(struct baseline_record *r, const char *s)
{
	uint32_t at = (uint32_t)r->text.len;

	strbuf_add(&r->text, s, strlen(s) + 1);
	return at;
}

static uint32_t keep_sets(struct baseline_record *r, const struct extent *e)
{
	const struct extent_set *sets[] = { &e->ids, &e->keys };
	uint32_t at = (uint32_t)r->words_count;

	if (!e->ids.total && !e->keys.total)
		return NO_NAME;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		GROW(r->words, r->words_cap, r->words_count + 2);
		r->words[r->words_count++] = sets[i]->total;
		r->words[r->words_count++] = sets[i]->digest;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		if (!sets[i]->v)
			continue;
		GROW(r->words, r->words_cap, r->words_count + sets[i]->total);
		memcpy(r->words + r->words_count, sets[i]->v, sets[i]->total * sizeof(*r->words));
		r->words_count += sets[i]->total;
	}
	return at;
}

void baseline_record_add(struct baseline_record *r, const struct finding *f, const char *path, const char *member)
{
	struct extent_lists lists;
	struct extent e = extent_of(f, &lists);

	strbuf_clear(&r->path);
	if (path)
		baseline_place_add(&r->place, path, &r->path);
	size_t bytes = r->path.len + 1 + (member ? strlen(member) + 1 : 0);

	if (r->count == BASELINE_MAX || r->text.len + bytes > BASELINE_TEXT_MAX ||
	    r->words_count + EXTENT_WORDS + 2 * EXTENT_LISTED_MAX > WORDS_MAX)
		r->too_many = true;
	if (r->too_many)
		return;
	if (!path)
		r->last_path = NO_NAME;
	else if (r->last_path == NO_NAME || strcmp(r->text.s + r->last_path, r->path.s) != 0)
		r->last_path = keep_text(r, r->path.s);
	GROW(r->v, r->cap, r->count + 1);
	r->v[r->count++] = (struct recorded){ .path = r->last_path,
					      .member = member ? keep_text(r, member) : NO_NAME,
					      .sets = keep_sets(r, &e),
					      .rule = (uint16_t)rule_index(f->rule),
					      .level = (uint8_t)e.level,
					      .count = e.count };
}

static struct extent recorded_extent(const struct baseline_record *r, const struct recorded *f)
{
	return extent_of_words((enum level)f->level, f->count, f->sets == NO_NAME ? NULL : r->words + f->sets);
}

/* NULL where there is none. */
static const char *name_at(const struct baseline_record *r, uint32_t at)
{
	return at == NO_NAME ? NULL : r->text.s + at;
}

static int compare_names(const struct baseline_record *r, const struct recorded *a, const struct recorded *b)
{
	const char *path_a = name_at(r, a->path), *path_b = name_at(r, b->path);
	const char *member_a = name_at(r, a->member), *member_b = name_at(r, b->member);
	int order = path_a && path_b ? strcmp(path_a, path_b) : (path_b != NULL) - (path_a != NULL);

	if (!order)
		order = member_a && member_b ? strcmp(member_a, member_b) : (member_a != NULL) - (member_b != NULL);
	return order ? order : (a->rule > b->rule) - (a->rule < b->rule);
}

static int compare_recorded(const void *pa, const void *pb, void *record)
{
	int order = compare_names(record, pa, pb);

	if (order)
		return order;
	struct extent a = recorded_extent(record, pa), b = recorded_extent(record, pb);

	return extent_compare(&a, &b);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Writes a set that is not listed: "ids_total", "ids_digest". */
static void write_digest(struct json_writer *w, const char *name, const struct extent_set *set)
{
	char key[32], hex[17];

	snprintf(key, sizeof(key), "%s_total", name);
	json_key_u64(w, key, set->total);
	snprintf(key, sizeof(key), "%s_digest", name);
	snprintf(hex, sizeof(hex), "%016" PRIx64, set->digest);
	json_key_text(w, key, hex);
}

/* Writes the ids, of which the negative ones are sorted last as bits. */
static void write_ids(struct json_writer *w, const struct extent_set *set)
{
	size_t negative = 0;

	while (negative < set->total && (int64_t)set->v[negative] >= 0)
		negative++;
	json_key_array(w, "ids", JSON_INLINE);
	for (size_t i = negative; i < set->total; i++)
		json_i64(w, (int64_t)set->v[i]);
	for (size_t i = 0; i < negative; i++)
		json_i64(w, (int64_t)set->v[i]);
	json_end(w);
}

static void write_keys(struct json_writer *w, const struct extent_set *set)
{
	char bytes[8 * EXTENT_LISTED_MAX];

	for (size_t i = 0; i < 8 * set->total; i++)
		bytes[i] = (char)(set->v[i / 8] >> (56 - i % 8 * 8));
	json_key(w, "keys");
	json_base64(w, bytes, 8 * set->total);
}

static void write_finding(struct json_writer *w, const struct baseline_record *r, const struct recorded *f,
			  uint64_t number)
{
	const char *member = name_at(r, f->member);
	struct extent e = recorded_extent(r, f);

	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", name_at(r, f->path));
	if (member)
		report_json_name(w, "member", member);
	if (number > 1)
		json_key_u64(w, "number", number);
	json_key_text(w, "rule", rule_table[f->rule]->name);
	json_key_text(w, "level", level_name(e.level));
	json_key_u64(w, "count", e.count);
	if (e.ids.v)
		write_ids(w, &e.ids);
	else if (e.ids.total)
		write_digest(w, "ids", &e.ids);
	if (e.keys.v)
		write_keys(w, &e.keys);
	else if (e.keys.total)
		write_digest(w, "keys", &e.keys);
	json_end(w);
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
	enum status status = STATUS_OK;
	struct json_writer w;
	uint64_t number = 1;

	if (r->too_many)
		return error_set(err,
				 "--write-baseline %s: more than %d findings, or more than %d MiB of paths or ids: fix "
				 "the cause of most of them, or --skip its rule",
				 r->file, BASELINE_MAX, BASELINE_TEXT_MAX >> 20);
	if (r->count)
		qsort_r(r->v, r->count, sizeof(*r->v), compare_recorded, r);
	json_init(&w, &piece, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_u64(&w, "labelaudit_baseline", 2);
	json_key_array(&w, "findings", JSON_BLOCK);
	for (size_t i = 0; status == STATUS_OK && i < r->count; i++) {
		number = i && !compare_names(r, &r->v[i - 1], &r->v[i]) ? number + 1 : 1;
		write_finding(&w, r, &r->v[i], number);
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
