#include "report/class_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"

enum {
	CLASSES_LISTED = 256, /* if there are more, only classes that occur are listed */
	OTHERS_LISTED = 12,
};

static void add_row(struct class_table *t, enum id_role role, int64_t id, const char *name, uint64_t labels,
		    uint64_t files)
{
	GROW(t->rows, t->cap, t->count + 1);
	t->rows[t->count++] = (struct class_table_row){ role, id, name, labels, files };
	if (role != ID_IGNORED)
		t->largest = MAX(t->largest, labels);
}

static void add_classes(struct class_table *t, const struct report_tables *tables)
{
	bool all = tables->classes_count <= CLASSES_LISTED;

	for (size_t i = 0; i < tables->classes_count; i++) {
		const struct class_row *row = &tables->classes[i];

		if ((all || row->labels) && t->count < CLASSES_LISTED)
			add_row(t, ID_CLASS, row->id, row->name, row->labels, row->files);
		else if (row->labels)
			t->more++;
		else
			t->never_occur++;
	}
	if (tables->classes_declared > tables->classes_count)
		t->never_occur += tables->classes_declared - tables->classes_count;
}

void class_table_init(struct class_table *t, const struct report *r)
{
	struct report_tables tables;

	memset(t, 0, sizeof(*t));
	tables_init(&tables, r->settings, r->dataset);
	t->whole = r->dataset->labels - tables.ignored_labels;
	add_classes(t, &tables);
	size_t ignored = MIN(tables.ignored_count, (size_t)OTHERS_LISTED);
	size_t out_of_range = MIN(tables.out_of_range_count, (size_t)OTHERS_LISTED);

	for (size_t i = 0; i < ignored; i++)
		add_row(t, ID_IGNORED, tables.ignored[i].id, NULL, tables.ignored[i].labels, tables.ignored[i].files);
	for (size_t i = 0; i < out_of_range; i++)
		add_row(t, ID_INVALID, tables.out_of_range[i]->id, NULL, tables.out_of_range[i]->labels,
			tables.out_of_range[i]->files);
	t->more_ignored = tables.ignored_count - ignored;
	t->more_out_of_range = tables.out_of_range_total - out_of_range;
	tables_release(&tables);
}

void class_table_release(struct class_table *t)
{
	free(t->rows);
	memset(t, 0, sizeof(*t));
}

void class_table_share(const struct class_table *t, const struct class_table_row *row, struct strbuf *out)
{
	decimal_wide hundred = (decimal_wide)row->labels * 100;

	if (row->role == ID_IGNORED || !t->whole)
		return;
	if (row->labels && hundred * 100 < t->whole) {
		strbuf_adds(out, "< 0.01 %");
		return;
	}
	/* in hundredths of a percent */
	decimal_ratio(out, (uint64_t)((hundred * 100 + t->whole / 2) / t->whole), 100, 2);
	strbuf_adds(out, " %");
}

const char *class_table_rest(const struct class_table *t, unsigned i, uint64_t *n)
{
	const struct {
		uint64_t n;
		const char *what;
	} rest[] = {
		{ t->more, "classes that occur (--format json has all)" },
		{ t->never_occur, "classes that never occur" },
		{ t->more_ignored, "ignored ids" },
		{ t->more_out_of_range, "ids out of range" },
	};

	for (size_t at = 0; at < ARRAY_SIZE(rest); at++) {
		if (!rest[at].n || i--)
			continue;
		*n = rest[at].n;
		return rest[at].what;
	}
	return NULL;
}
