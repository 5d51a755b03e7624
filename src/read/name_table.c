#include "read/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { SLOTS_FIRST = 64 };

void name_table_init(struct name_table *t)
{
	*t = (struct name_table){ 0 };
	strbuf_init(&t->text);
}

void name_table_release(struct name_table *t)
{
	strbuf_release(&t->text);
	free(t->names);
	free(t->slots);
	name_table_init(t);
}

static size_t find_slot(const struct name_table *t, const char *s, size_t n)
{
	size_t at = (size_t)hash_bytes(hash_seed(), s, n) & t->mask;

	for (; t->slots[at]; at = (at + 1) & t->mask) {
		const struct class_name *name = &t->names[t->slots[at] - 1];

		if (name->n == n && !memcmp(t->text.s + name->at, s, n))
			break;
	}
	return at;
}

/* Twice as many slots, at most half of them used. */
static void grow(struct name_table *t)
{
	size_t slots = t->slots ? 2 * (t->mask + 1) : SLOTS_FIRST;

	free(t->slots);
	t->slots = xcalloc(slots, sizeof(*t->slots));
	t->mask = slots - 1;
	for (size_t i = 0; i < t->count; i++)
		t->slots[find_slot(t, t->text.s + t->names[i].at, t->names[i].n)] = (uint32_t)i + 1;
}

void name_table_add(struct name_table *t, const char *s, size_t n, int64_t id)
{
	if (!t->slots || 2 * (t->count + 1) > t->mask + 1)
		grow(t);
	size_t slot = find_slot(t, s, n);

	if (t->slots[slot])
		return;
	GROW(t->names, t->cap, t->count + 1);
	t->names[t->count++] = (struct class_name){ t->text.len, n, id };
	t->slots[slot] = (uint32_t)t->count;
	strbuf_add(&t->text, s, n);
	strbuf_addch(&t->text, '\0');
}

void name_table_declare(struct name_table *t, const struct class_set *classes)
{
	for (size_t id = 0; id < classes->names_count; id++)
		if (classes->names[id])
			name_table_add(t, classes->names[id], strlen(classes->names[id]), (int64_t)id);
}

const struct class_name *name_table_find(const struct name_table *t, const char *s, size_t n)
{
	if (!t->slots)
		return NULL;
	size_t slot = find_slot(t, s, n);

	return t->slots[slot] ? &t->names[t->slots[slot] - 1] : NULL;
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
	struct ranked *ranked = xcalloc(t->count + 1, sizeof(*ranked));

	for (size_t i = 0; i < t->count; i++)
		ranked[i] = (struct ranked){ t->text.s + t->names[i].at, t->names[i].n, i };
	qsort(ranked, t->count, sizeof(*ranked), compare);
	for (size_t i = 0; i < t->count; i++)
		t->names[ranked[i].index].id = (int64_t)i;
	free(ranked);
}
