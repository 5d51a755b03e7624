/*
 * struct name_table: class names and their ids: those that --classes declares, or those that a list has been found to
 * hold, which are then numbered in the order of their bytes. Bounded by its maker. Owner: the reader; one thread.
 */
#ifndef READ_NAME_TABLE_H
#define READ_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/class_set.h"
#include "base/strbuf.h"

struct name_table {
	struct strbuf text; /* the names, each with a NUL behind it */
	struct class_name {
		size_t at, n; /* in text */
		int64_t id;
	} * names; /* owned, in the order of adding */
	size_t count, cap;
	uint32_t *slots; /* owned; index + 1 of a name, 0: free */
	size_t mask;
};

void name_table_init(struct name_table *t);
void name_table_release(struct name_table *t);
/* The declared names. */
void name_table_declare(struct name_table *t, const struct class_set *classes);
/* Adds a name with that id; the first of two equal ones stays. */
void name_table_add(struct name_table *t, const char *s, size_t n, int64_t id);
/* Gives the names ids: 0, 1 ... in the order of their bytes. */
void name_table_number(struct name_table *t);
/* NULL if it is none of them. */
const struct class_name *name_table_find(const struct name_table *t, const char *s, size_t n);

/* Its text, which ends in NUL. */
static inline const char *name_table_text(const struct name_table *t, const struct class_name *name)
{
	return t->text.s + name->at;
}

#endif
