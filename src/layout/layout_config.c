#include "layout/layout_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file_name.h"
#include "base/mem.h"

enum { NAMES_MAX = 64 }; /* of files that are named one by one */

/* The globs of one setting, and a remark about each. */
struct globs {
	char **v, **remarks; /* owned */
	size_t count, cap, remarks_cap;
};

static void add_glob(struct globs *g, const struct strbuf *pattern, const char *remark)
{
	for (size_t i = 0; i < g->count; i++)
		if (!strcmp(g->v[i], pattern->s))
			return;
	GROW(g->v, g->cap, g->count + 1);
	GROW(g->remarks, g->remarks_cap, g->count + 1);
	g->v[g->count] = xmemdup0(pattern->s, pattern->len);
	g->remarks[g->count++] = xstrdup(remark);
}

static void release_globs(struct globs *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->v[i]);
		free(g->remarks[i]);
	}
	free(g->v);
	free(g->remarks);
}

/* Appends a part of a path to a pattern; stars: those of folders that are one of many stay. */
static void add_literal(const char *s, size_t n, bool stars, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("?[]{}\\!,", s[i]) || (s[i] == '*' && !stars))
			strbuf_addch(out, '\\');
		strbuf_addch(out, s[i]);
	}
}

/* Appends the folder of a row, below the PATH; with several PATHs as it is typed. */
static void add_folder(const struct folder_table *t, const struct folder_row *r, struct strbuf *out)
{
	const struct table_folder *f = &t->folders[r->folder];
	const char *typed = t->find->paths[f->typed_path];

	if (t->find->paths_count > 1) {
		add_literal(typed, path_trimmed(typed), false, out);
		strbuf_addch(out, '/');
	}
	add_literal(f->path, strlen(f->path), true, out);
	strbuf_adds(out, *f->path ? "/" : "");
}

/* Returns how a file of a row is named: below the PATH; with several PATHs as it is typed. */
static const char *path_of_item(const struct folder_table *t, const struct table_item *item)
{
	return item->path + (t->find->paths_count > 1 ? 0 : item->rel);
}

/* Appends the ends of the names that a row's files have: ".png", or ".{png,PNG}". */
static void add_extensions(const struct folder_row *r, struct strbuf *out)
{
	struct globs ends = { .count = 0 };

	for (size_t i = 0; i < r->items_count; i++) {
		const char *name = file_name_of(r->items[i]->path), *dot = name + stem_length(name); /* .nii.gz */
		RELEASED struct strbuf end = STRBUF_INIT;

		add_literal(*dot ? dot + 1 : dot, *dot ? strlen(dot + 1) : 0, false, &end);
		add_glob(&ends, &end, "");
	}
	bool plain = true; /* a file has no extension */

	for (size_t i = 0; i < ends.count; i++)
		plain &= *ends.v[i] != '\0';
	if (ends.count && plain) {
		strbuf_adds(out, ends.count > 1 ? ".{" : ".");
		for (size_t i = 0; i < ends.count; i++)
			strbuf_addf(out, "%s%s", i ? "," : "", ends.v[i]);
		strbuf_adds(out, ends.count > 1 ? "}" : "");
	} else if (out->s[out->len - 1] != '*') {
		strbuf_addch(out, '*');
	}
	release_globs(&ends);
}

/* Appends a pattern of a row's files; a folder of one file by its name. */
static void add_pattern(const struct folder_table *t, const struct folder_row *r, struct strbuf *out)
{
	const bool words = *r->suffix && !file_is_document(r->kind);
	const size_t n = strlen(r->suffix);
	bool first = words, last = words; /* in all names the suffix is so */

	for (size_t i = 0; i < r->items_count && words; i++) {
		const char *name = file_name_of(r->items[i]->path);
		const size_t stem = stem_length(name);

		first &= stem >= n && !memcmp(name, r->suffix, n);
		last &= stem >= n && !memcmp(name + stem - n, r->suffix, n);
	}

	if (r->files == 1 && r->items_count == 1) {
		const char *path = path_of_item(t, r->items[0]);

		add_literal(path, strlen(path), false, out);
		return;
	}
	add_folder(t, r, out);
	strbuf_adds(out, first ? "" : "*");
	if (words)
		add_literal(r->suffix, n, false, out);
	strbuf_adds(out, words && !last ? "*" : "");
	add_extensions(r, out);
}

static void add_row(const struct folder_table *t, const struct folder_row *r, struct globs *out)
{
	RELEASED struct strbuf pattern = STRBUF_INIT, remark = STRBUF_INIT;

	add_pattern(t, r, &pattern);
	strbuf_add_count(&remark, r->files, "file");
	strbuf_addf(&remark, ", %s: %s", look_name(r->content), r->rule);
	add_glob(out, &pattern, remark.s);
}

/* Takes back what the globs of the audited rows match of another one: by its own pattern, or by the names of its files.
 */
static void except_row(const struct folder_table *t, const struct folder_row *r, struct declared *declared,
		       struct globs *out)
{
	RELEASED struct strbuf pattern = STRBUF_INIT, own = STRBUF_INIT;
	bool same = false, matched = false;

	strbuf_addch(&own, '!');
	add_pattern(t, r, &own);
	for (size_t i = 0; i < out->count; i++)
		same |= !strcmp(out->v[i], own.s + 1);
	/* an empty file among texts of labels is audited */
	for (size_t i = 0; i < r->items_count && i < NAMES_MAX && !(same && r->content <= LOOK_POINTER); i++) {
		const struct table_item *item = r->items[i];
		const struct entry entry = { .path = item->path, .rel_offset = item->rel };

		if (declared_role(declared, &entry) != ROLE_LABELS)
			continue;
		matched = true;
		if (!same)
			break;
		strbuf_clear(&pattern);
		strbuf_addch(&pattern, '!');
		const char *path = path_of_item(t, item);

		add_literal(path, strlen(path), false, &pattern);
		add_glob(out, &pattern, r->rule);
	}
	if (matched && !same)
		add_glob(out, &own, r->rule);
}

static void write_globs(const struct globs *g, const char *name, struct strbuf *out)
{
	if (g->count)
		strbuf_addf(out, "%s:\n", name);
	for (size_t i = 0; i < g->count; i++) {
		strbuf_adds(out, "  - ");
		escape_json_string(out, g->v[i], strlen(g->v[i]));
		if (*g->remarks[i]) {
			strbuf_adds(out, "  # ");
			escape_terminal(out, g->remarks[i], strlen(g->remarks[i]));
		}
		strbuf_addch(out, '\n');
	}
}

enum status layout_config(const struct dataset_layouts *layouts, struct strbuf *out, struct error *err)
{
	const struct folder_table *t = layouts->table;
	struct globs labels = { .count = 0 }, images = { .count = 0 };
	struct declared declared;

	if (layouts_folders(layouts, false)) {
		strbuf_adds(out, "# The names of folders are the labels.\n");
		return STATUS_OK;
	}
	for (size_t i = 0; t && i < t->rows_count; i++) {
		const struct folder_row *r = &t->rows[i];

		if (row_is_live(r) && layouts_audit_row(layouts, r))
			add_row(t, r, &labels);
		else if (row_is_live(r) && r->role == ROLE_IMAGES && r->kind < FILE_ARRAY && r->files > 1)
			add_row(t, r, &images);
	}
	if (!labels.count) {
		release_globs(&images);
		return error_set(err, "--write-config: nothing is audited: there are no decisions to write");
	}
	const struct find_options find = { .labels = (const char *const *)labels.v, .labels_count = labels.count };
	enum status status = declared_open(&declared, &find, NULL, err);

	for (size_t i = 0; i < t->rows_count && status == STATUS_OK; i++)
		if (row_is_live(&t->rows[i]) && !layouts_audit_row(layouts, &t->rows[i]))
			except_row(t, &t->rows[i], &declared, &labels);
	declared_close(&declared);
	strbuf_adds(out,
		    "# These files are audited, and no others. A glob that begins with ! takes back what those before "
		    "it say.\n");
	write_globs(&labels, "labels", out);
	write_globs(&images, "images", out);
	release_globs(&labels);
	release_globs(&images);
	return status;
}
