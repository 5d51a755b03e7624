#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file_name.h"
#include "base/mem.h"

/* Columns of the table for people. */
enum { CELLS = 6 };

static const char *const titles[CELLS] = { "folder", "files", "content", "role", "pair", "rule" };

/* Rows are sorted by PATH and folder, and those of one folder by what they are. */
struct sorted_row {
	const struct folder_table *t;
	uint32_t row;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;
	const struct folder_row *r = &x->t->rows[x->row], *q = &y->t->rows[y->row];
	const struct table_folder *f = &x->t->folders[r->folder], *g = &x->t->folders[q->folder];

	if (f->typed_path != g->typed_path)
		return f->typed_path < g->typed_path ? -1 : 1;
	int order = strcmp(f->path, g->path);

	order = order ? order : (int)r->kind - (int)q->kind;
	order = order ? order : strcmp(r->suffix, q->suffix);
	return order ? order : (int)r->content - (int)q->content;
}

/* Returns the live rows, sorted, owned by the caller. */
static struct sorted_row *sort_rows(const struct folder_table *t, size_t *count)
{
	struct sorted_row *v = xcalloc(t->rows_count + 1, sizeof(*v));

	*count = 0;
	for (uint32_t i = 0; i < t->rows_count; i++)
		if (row_is_live(&t->rows[i]))
			v[(*count)++] = (struct sorted_row){ t, i };
	qsort(v, *count, sizeof(*v), compare_rows);
	return v;
}

/* Appends a row's folder, and the end of its files' names if that makes it a row of its own. */
static void add_folder(const struct folder_table *t, const struct folder_row *r, struct strbuf *out)
{
	const char *path = t->folders[r->folder].path;

	strbuf_addf(out, "%s%s", path, *path ? "/" : "");
	if (*r->suffix)
		strbuf_addf(out, r->is_prefix ? "%s*" : "*%s", r->suffix);
	else if (!*path)
		strbuf_adds(out, "./");
}

/* The same below the PATH as it was typed. */
static void add_typed_folder(const struct folder_table *t, const struct find_options *find, const struct folder_row *r,
			     struct strbuf *out)
{
	const char *typed = find->paths[t->folders[r->folder].typed_path];

	if (strcmp(typed, ".") != 0)
		strbuf_addf(out, "%.*s/", (int)path_trimmed(typed), typed);
	if (*t->folders[r->folder].path || *r->suffix || !out->len)
		add_folder(t, r, out);
}

static const char *kind_text(const struct folder_row *r)
{
	static const char *const names[] = { "", "picture", "jpeg", "image", "array", "file", "file" };

	return names[r->kind];
}

static void add_cell(const struct folder_table *t, const struct folder_row *r, unsigned cell, struct strbuf *out)
{
	switch (cell) {
	case 0:
		add_folder(t, r, out);
		break;
	case 1:
		strbuf_add_grouped(out, r->files);
		strbuf_addf(out, " %s", kind_text(r));
		break;
	case 2:
		strbuf_adds(out, look_name(r->content));
		break;
	case 3:
		strbuf_adds(out, role_name(r->role));
		break;
	case 4:
		if (r->pair != TABLE_NONE)
			add_folder(t, &t->rows[r->pair], out);
		break;
	default:
		strbuf_adds(out, r->rule);
	}
}

void layout_facts(const struct dataset_layouts *layouts, const struct find_options *find, struct coverage *out)
{
	const struct folder_table *t = layouts->table;
	size_t count;

	if (!t)
		return;
	FREED struct sorted_row *rows = sort_rows(t, &count);

	for (size_t i = 0; i < count; i++) {
		const struct folder_row *r = &t->rows[rows[i].row];
		RELEASED struct strbuf path = STRBUF_INIT, pair = STRBUF_INIT;

		add_typed_folder(t, find, r, &path);
		if (r->pair != TABLE_NONE)
			add_typed_folder(t, find, &t->rows[r->pair], &pair);
		coverage_add_folder(out, &(struct folder_fact){
						 .path = xstrdup(path.s),
						 .kind = xstrdup(kind_text(r)),
						 .content = xstrdup(look_name(r->content)),
						 .role = xstrdup(role_name(r->role)),
						 .pair = pair.len ? xstrdup(pair.s) : NULL,
						 .rule = xstrdup(r->rule),
						 .files = r->files,
						 .audited = layouts_audit_row(layouts, r),
					 });
	}
}

bool layout_line(const struct coverage *coverage, struct strbuf *out)
{
	enum { NAMED = 3 };
	uint64_t audited = 0, others = 0;
	RELEASED struct strbuf where = STRBUF_INIT;
	size_t named = 0;

	for (size_t i = 0; i < coverage->folders_count; i++) {
		const struct folder_fact *f = &coverage->folders[i];

		others += f->audited || strcmp(f->role, role_name(ROLE_LABELS)) != 0 ? 0 : f->files;
		audited += f->audited ? f->files : 0;
		if (f->audited && named++ < NAMED) {
			strbuf_adds(&where, where.len ? ", " : "");
			escape_terminal(&where, f->path, strlen(f->path));
		}
	}
	if (audited) {
		strbuf_addf(out, "audited: %s", where.s);
		if (named > NAMED)
			strbuf_addf(out, " and %zu more", named - NAMED);
		strbuf_adds(out, " (");
		strbuf_add_count(out, audited, "file");
		strbuf_addch(out, ')');
		if (others) {
			strbuf_adds(out, "; not audited: ");
			strbuf_add_count(out, others, "file");
			strbuf_adds(out, " that may be labels");
		}
		strbuf_adds(out, "; --explain shows why");
	}
	return audited && others;
}

static void add_outcome(const struct decision *d, const char *path, struct strbuf *out)
{
	escape_terminal(out, path, strlen(path));
	switch (d->outcome) {
	case OUTCOME_LABELS:
		strbuf_addf(out, ": %s are audited: %s\n", family_name(d->family), d->rule);
		break;
	case OUTCOME_CLASS_FOLDERS:
		strbuf_adds(out, ": the names of folders are the labels (--kind imagefolder)\n");
		break;
	case OUTCOME_UNREAD:
		strbuf_adds(out, ": the labels are in a format that is not read\n");
		break;
	case OUTCOME_AMBIGUOUS:
		strbuf_adds(out, ": ambiguous-set: several kinds may be the labels\n");
		break;
	default:
		strbuf_addf(out, ": nothing is audited: %s\n", d->rule);
	}
}

void layout_text(const struct dataset_layouts *layouts, const struct find_options *find, struct strbuf *out)
{
	const struct folder_table *t = layouts->table;
	size_t width[CELLS], count;

	if (!t) {
		strbuf_adds(out, "nothing was looked at: the command line says what is audited\n");
		return;
	}
	FREED struct sorted_row *rows = sort_rows(t, &count);
	RELEASED struct strbuf cell = STRBUF_INIT;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count + 1; i++) {
			for (unsigned c = 0; c < CELLS; c++) {
				RELEASED struct strbuf raw = STRBUF_INIT;

				if (i)
					add_cell(t, &t->rows[rows[i - 1].row], c, &raw);
				else
					strbuf_adds(&raw, titles[c]);
				strbuf_clear(&cell);
				escape_terminal(&cell, raw.s, raw.len);
				if (!pass)
					width[c] = i ? MAX(width[c], cell.len) : cell.len;
				else
					strbuf_addf(out, "%s%-*s", c ? "  " : "", c + 1 < CELLS ? (int)width[c] : 0,
						    cell.s);
			}
			if (!pass)
				continue;
			while (out->len && out->s[out->len - 1] == ' ')
				strbuf_cut(out, out->len - 1);
			strbuf_addch(out, '\n');
		}
	for (size_t i = 0; i < find->paths_count; i++)
		if (layouts->v[i].table)
			add_outcome(&layouts->v[i].decision, find->paths[i], out);
}
