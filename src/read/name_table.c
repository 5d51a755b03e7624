#include "read/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void name_table_init(struct name_table *t)
{
	*t = (struct name_table){ 0 };
	strbuf_init(&t->text);
}

void name_table_release(struct name_table *t)
{
	strbuf_release(&t->text);
	free(t->names);
	table_release(&t->table);
	name_table_init(t);
}

const struct class_name *name_table_find(const struct name_table *t, const char *s, size_t n)
{
	uint64_t hash = hash_bytes(hash_seed(), s, n);
	uint32_t i;

	for (size_t at = table_start(&t->table, hash); (i = table_next(&t->table, hash, &at)) != TABLE_NONE;)
		if (t->names[i].n == n && !memcmp(t->text.s + t->names[i].at, s, n))
			return &t->names[i];
	return NULL;
}

void name_table_add(struct name_table *t, const char *s, size_t n, int64_t id)
{
	if (name_table_find(t, s, n))
		return;
	GROW(t->names, t->cap, t->count + 1);
	table_add(&t->table, hash_bytes(hash_seed(), s, n), t->count);
	t->names[t->count++] = (struct class_name){ t->text.len, n, id };
	strbuf_add(&t->text, s, n);
	strbuf_addch(&t->text, '\0');
}

void name_table_declare(struct name_table *t, const struct class_set *classes)
{
	for (size_t id = 0; id < classes->names_count; id++)
		if (classes->names[id])
			name_table_add(t, classes->names[id], strlen(classes->names[id]), (int64_t)id);
}

struct list_names *name_table_by_number(const struct name_table *t)
{
	struct list_names *names = xmalloc(sizeof(*names) + t->count * sizeof(names->at[0]) + t->text.len + 1);
	char *text = (char *)&names->at[t->count];

	names->next = NULL;
	names->count = t->count;
	if (t->text.len)
		memcpy(text, t->text.s, t->text.len);
	for (size_t i = 0; i < t->count; i++)
		names->at[t->names[i].id] = text + t->names[i].at;
	return names;
}

struct ranked {
	const char *s;
	size_t n, index;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = memcmp(x->s, y->s, MIN(x->n, y->n));

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

void name_table_number(struct name_table *t)
{
	FREED struct ranked *ranked = xcalloc(t->count + 1, sizeof(*ranked));

	for (size_t i = 0; i < t->count; i++)
		ranked[i] = (struct ranked){ t->text.s + t->names[i].at, t->names[i].n, i };
	qsort(ranked, t->count, sizeof(*ranked), compare);
	for (size_t i = 0; i < t->count; i++)
		t->names[ranked[i].index].id = (int64_t)i;
}
