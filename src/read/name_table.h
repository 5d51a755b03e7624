/*
 * struct name_table: class names and their ids: either those that --classes declares, or those that occur in a list,
 * numbered in byte order. The caller limits the number of names. Owner: the reader; one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "base/strbuf.h"
#include "base/table.h"

struct name_table {
	struct strbuf text; /* the names, each followed by a NUL */
	struct class_name {
		size_t at, n; /* in text */
		int64_t id;
	} * names; /* owned, in the order of adding */
	size_t count, cap;
	struct table table; /* indexes names */
};

/* The names of one list that --classes does not declare: at[id] is the name with that number. */
struct list_names {
	struct list_names *next; /* of the owner's list */
	size_t count;
	const char *at[]; /* the texts follow, in the same block of memory */
};

void name_table_init(struct name_table *t);
void name_table_release(struct name_table *t);
/* Adds the names that --classes declares. */
void name_table_declare(struct name_table *t, const struct class_set *classes);
/* Adds a name with its id, unless it is there already. */
void name_table_add(struct name_table *t, const char *s, size_t n, int64_t id);
/* Sets the ids of the names: 0, 1 ... in byte order. */
void name_table_number(struct name_table *t);
/* Returns the names by their numbers, which name_table_number() gave. The caller frees it. */
struct list_names *name_table_by_number(const struct name_table *t);
/* Returns the name, or NULL if it is not in the table. */
const struct class_name *name_table_find(const struct name_table *t, const char *s, size_t n);

/* Returns the name's text, NUL-terminated. */
static inline const char *name_table_text(const struct name_table *t, const struct class_name *name)
{
	return t->text.s + name->at;
}
