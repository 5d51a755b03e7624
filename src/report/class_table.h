/*
 * struct class_table: the rows of the table of ids for people: the classes, then ignored ids, then ids out of range,
 * cut to a length that can be read. Owner: the caller of class_table_init; borrows from report and settings.
 */
#ifndef REPORT_CLASS_TABLE_H
#define REPORT_CLASS_TABLE_H

#include "judge/role.h"
#include "report/tables.h"

struct class_table_row {
	enum id_role role;
	int64_t id;
	const char *name; /* NULL if unknown, or no class */
	uint64_t labels, files;
};

struct class_table {
	struct class_table_row *rows; /* owned */
	size_t count, cap;
	uint64_t whole;       /* labels that are not ignored: shares are fractions of them */
	uint64_t largest;     /* labels of the largest class or id out of range */
	uint64_t more;        /* classes that occur and are not in rows */
	uint64_t never_occur; /* classes that are not in rows because they never occur */
	uint64_t more_ignored, more_out_of_range;
};

void class_table_init(struct class_table *t, const struct report *r);
void class_table_release(struct class_table *t);

/* Appends "78.25 %", "< 0.01 %", or nothing for an ignored id. */
void class_table_share(const struct class_table *t, const struct class_table_row *row, struct strbuf *out);

/* Returns the i-th line about what is not in rows: "classes that never occur", n of them. NULL after the last. */
const char *class_table_rest(const struct class_table *t, unsigned i, uint64_t *n);

#endif
