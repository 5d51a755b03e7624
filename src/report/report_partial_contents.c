/* Members of "partial": which split has which class, and which masks are the same. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "report/report_partial_parts.h"

/* ---- splits ----------------------------------------------------------------------------------------------------- */

void partial_write_split_names(struct json_writer *w, const struct report *r)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t s = 0; s < SPLITS_MAX; s++) {
		const char *name = r->dataset->split_names[s];

		if (name)
			partial_write_path(w, name);
		else
			json_null(w);
	}
	json_end(w);
}

bool partial_read_split_names(struct json_values *v, struct report_file *f)
{
	if (!values_array(v))
		return false;
	for (size_t s = 0; s < SPLITS_MAX; s++) {
		if (!values_element(v))
			return values_fail(v, "expected %d names", SPLITS_MAX);
		if (!values_null(v) && !partial_read_path(v, &f->dataset.split_names[s]))
			return false;
	}
	return values_array_end(v);
}

/* [[files of each split], [id, files of each split], ...] */
void partial_write_splits(struct json_writer *w, const struct report *r)
{
	const struct split_totals *t = &r->dataset->splits;

	json_begin_array(w, JSON_INLINE);
	json_begin_array(w, JSON_INLINE);
	for (size_t s = 0; s < SPLITS_MAX; s++)
		json_u64(w, t->files[s]);
	json_end(w);
	for (size_t i = 0; i < t->count; i++) {
		json_begin_array(w, JSON_INLINE);
		json_i64(w, t->v[i].id);
		for (size_t s = 0; s < SPLITS_MAX; s++)
			json_u64(w, t->v[i].files[s]);
		json_end(w);
	}
	json_end(w);
}

bool partial_read_splits(struct json_values *v, struct report_file *f)
{
	struct split_totals *t = &f->dataset.splits;

	if (!values_array(v) || !values_element(v) || !values_counts(v, t->files, SPLITS_MAX))
		return v->failed ? false : values_fail(v, "expected the files of each split");
	while (values_element(v)) {
		struct split_total row = { .id = 0 };

		if (!partial_begin_row(v) || !values_i64(v, &row.id))
			return false;
		for (size_t s = 0; s < SPLITS_MAX; s++)
			if (!values_next_u64(v, &row.files[s]))
				return false;
		if (!values_array_end(v))
			return false;
		if (t->count == SPLIT_IDS_MAX || (t->count && t->v[t->count - 1].id >= row.id))
			return values_fail(v, "the rows are not sorted, or too many");
		GROW(t->v, t->cap, t->count + 1);
		t->v[t->count++] = row;
	}
	return !v->failed;
}

/* ---- class folders ---------------------------------------------------------------------------------------------- */

/* [[paths of the roots], [name, roots that have it, roots where it holds images], ...]; roots are bits */
void partial_write_folders(struct json_writer *w, const struct report *r)
{
	const struct folder_totals *t = &r->dataset->folders;

	json_begin_array(w, JSON_INLINE);
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < CLASS_ROOTS_MAX && t->roots[i]; i++)
		partial_write_path(w, t->roots[i]);
	json_end(w);
	for (size_t i = 0; i < t->count; i++) {
		json_begin_array(w, JSON_INLINE);
		partial_write_path(w, t->v[i].name);
		json_u64(w, t->v[i].roots);
		json_u64(w, t->v[i].filled);
		json_end(w);
	}
	json_end(w);
}

static bool read_folder(struct json_values *v, struct folder_totals *t, uint32_t all)
{
	struct folder_total row = { .name = NULL };
	uint64_t roots = 0, filled = 0;
	bool good = partial_begin_row(v) && partial_read_path(v, &row.name) && values_next_u64(v, &roots) &&
		    values_next_u64(v, &filled) && values_array_end(v);

	if (good && (!roots || roots & ~(uint64_t)all || filled & ~roots || t->count >= CLASS_FOLDERS_ALL ||
		     (t->count && strcmp(t->v[t->count - 1].name, row.name) >= 0)))
		good = values_fail(v, "a class folder in no root, or the rows are not sorted, or too many");
	if (!good) {
		free(row.name);
		return false;
	}
	row.roots = (uint32_t)roots;
	row.filled = (uint32_t)filled;
	GROW(t->v, t->cap, t->count + 1);
	t->v[t->count++] = row;
	return true;
}

bool partial_read_folders(struct json_values *v, struct report_file *f)
{
	struct folder_totals *t = &f->dataset.folders;
	uint32_t all = 0;

	if (!values_array(v) || !values_element(v) || !values_array(v))
		return v->failed ? false : values_fail(v, "expected the paths of the roots");
	for (unsigned i = 0; values_element(v); i++) {
		if (i == CLASS_ROOTS_MAX)
			return values_fail(v, "more than %d roots", CLASS_ROOTS_MAX);
		if (!partial_read_path(v, &t->roots[i]))
			return false;
		all |= UINT32_C(1) << i;
	}
	while (!v->failed && values_element(v))
		if (!read_folder(v, t, all))
			return false;
	return !v->failed;
}

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* Of a content that only one file has, [key, path, splits]; else with all that is known behind it. */
static void write_content(struct json_writer *w, const struct content_total *c)
{
	struct strbuf *out;

	json_begin_array(w, JSON_INLINE);
	out = json_value(w);
	strbuf_addf(out, "\"%016" PRIx64 "%016" PRIx64 "\"", c->key[0], c->key[1]);
	partial_write_path(w, c->path);
	json_u64(w, c->splits);
	if (c->files > 1 || c->places) {
		json_u64(w, c->files);
		json_u64(w, c->path_room);
	}
	if (c->places) {
		partial_write_path(w, c->places->second);
		for (size_t i = 0; i < 2 && c->places->split_path[i]; i++) {
			json_u64(w, c->places->split[i]);
			partial_write_path(w, c->places->split_path[i]);
		}
	}
	json_end(w);
}

/* [largest key that is kept, rows by key ...]; in the order of content_table_sort */
void partial_write_contents(struct json_writer *w, const struct report *r)
{
	const struct content_table *t = r->dataset->contents;

	json_begin_array(w, JSON_INLINE);
	json_u64(w, t ? atomic_load(&t->last) : UINT64_MAX);
	for (size_t i = 0; t && i < t->count; i++)
		write_content(w, &t->v[i]);
	json_end(w);
}

static bool read_key(struct json_values *v, uint64_t key[2])
{
	const char *s = values_string(v);

	if (!s || strlen(s) != 32)
		return s && values_fail(v, "expected 32 hexadecimal digits");
	key[0] = key[1] = 0;
	for (size_t i = 0; i < 32; i++) {
		int digit = ascii_xdigit_value(s[i]);

		if (digit < 0)
			return values_fail(v, "expected 32 hexadecimal digits");
		key[i / 16] = key[i / 16] << 4 | (uint64_t)digit;
	}
	return true;
}

/* The second path is at hand. */
static bool read_place(struct json_values *v, struct content_places *p)
{
	uint64_t split;

	if (!partial_read_path(v, &p->second))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!values_element(v))
			return !v->failed;
		if (!values_u64(v, &split) || !values_element(v) || !partial_read_path(v, &p->split_path[i]))
			return v->failed ? false : values_fail(v, "a split without a path");
		if (!split || split >= SPLITS_MAX)
			return values_fail(v, "a split that there is not");
		p->split[i] = (uint8_t)split;
	}
	return values_array_end(v);
}

/* Behind the key. Fills c and *p with what the caller must free, whatever is returned. */
static bool read_content(struct json_values *v, struct content_total *c, struct content_places *p)
{
	uint64_t splits, room;

	if (!values_element(v) || !partial_read_path(v, &c->path) || !values_next_u64(v, &splits))
		return v->failed ? false : values_fail(v, "expected a path");
	if (splits >> SPLITS_MAX)
		return values_fail(v, "a split that there is not");
	c->splits = (uint8_t)splits;
	c->files = 1;
	c->path_room = (uint32_t)strlen(c->path) + 1;
	if (!values_element(v))
		return !v->failed;
	if (!values_u64(v, &c->files) || !values_next_u64(v, &room))
		return false;
	if (!c->files || room < c->path_room || room > UINT32_MAX)
		return values_fail(v, "a content of no files, or of paths too long");
	c->path_room = (uint32_t)room;
	if (!values_element(v))
		return !v->failed;
	c->places = p;
	return read_place(v, p);
}

bool partial_read_contents(struct json_values *v, struct report_file *f)
{
	struct content_table *t = xmalloc(sizeof(*t));
	uint64_t last, before[2] = { 0, 0 };
	bool first = true;

	content_table_init(t);
	f->dataset.contents = t;
	if (!values_array(v) || !values_next_u64(v, &last))
		return false;
	last = MIN(last, f->contents_last);
	content_table_limit(t, last);
	while (values_element(v)) {
		struct content_places p = { .second = NULL };
		struct content_total c = { .files = 0 };
		bool read = partial_begin_row(v) && read_key(v, c.key);

		if (read && !first && (c.key[0] < before[0] || (c.key[0] == before[0] && c.key[1] <= before[1])))
			read = values_fail(v, "the rows are not sorted");
		if (read && c.key[0] > last) /* and so are those behind it */
			return values_skip_rest(v) && values_skip_rest(v);
		read = read && read_content(v, &c, &p);
		if (read)
			content_table_put(t, &c);
		memcpy(before, c.key, sizeof(before));
		first = false;
		free(c.path);
		free(p.second);
		free(p.split_path[0]);
		free(p.split_path[1]);
		if (!read)
			return false;
	}
	return !v->failed;
}
