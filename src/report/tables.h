/*
 * struct report_tables: the tables that reports derive from the sums of a dataset, sorted: classes with their counts,
 * ignored ids, ids out of range, formats, sizes.
 *
 * With --reduce-zero-label, classes have the id that is trained, as in --classes; all other ids are those in the files,
 * as in findings and histograms (judge/role.h). Owner: the caller of tables_init; borrows from report and settings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/role.h"
#include "report/report.h"

/* If more classes are declared, only those that occur are listed. */
enum { REPORT_CLASSES_MAX = 65536, REPORT_OUT_OF_RANGE_MAX = 65536, REPORT_SIZES_MAX = 1000 };

/* A class, or another id. */
struct id_row {
	int64_t id;
	const char *name; /* of a class; NULL if unknown */
	uint64_t labels, files;
	const char *example; /* a file, of an id out of range */
	uint64_t whole;      /* labels that are not ignored, for the share of a class */
};

struct format_row {
	char name[48];
	uint64_t files;
};

struct report_tables {
	struct id_row *classes; /* sorted by id; owned */
	size_t classes_count;
	uint64_t classes_declared; /* > classes_count: only those that occur are listed */
	size_t classes_present;    /* with labels */
	uint64_t class_labels;     /* of all classes */
	struct id_row *ignored;    /* those that occur, sorted by id; owned */
	size_t ignored_count;
	uint64_t ignored_labels;
	struct id_row *out_of_range; /* sorted by id; owned */
	size_t out_of_range_count;
	uint64_t out_of_range_total; /* the list holds the first of them */
	uint64_t out_of_range_labels;
	struct format_row *formats; /* most files first, then by name; owned */
	size_t formats_count;
	struct size_total *sizes; /* most files first, then by height, width; all of them; owned */
	size_t sizes_count;
	double effective_sum;    /* of 1 / E(c), below, over the classes that occur */
	uint64_t median_twice;   /* twice the median of the labels of the classes that occur; cut at 2^64-1 */
	uint64_t sizes_unlisted; /* more of them, of a report that was read back */
};

void tables_init(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d);
void tables_release(struct report_tables *t);
/* For qsort(): sizes by height, then width. */
int compare_shapes(const void *a, const void *b);

/*
 * Weights of the classes for a loss, from their labels. With n(c) the labels of class c, N those of all classes, P the
 * number of classes that occur, and freq(c) = n(c) / N:
 *
 *   median_frequency   median(freq) / freq(c), the median over the classes that occur. Eigen and Fergus (2015) divide
 *                      by the labels of the files that hold c; an audit does not sum those up, so freq(c) is of the
 *                      labels of all files.
 *
 *   inverse_frequency  1 / (P * freq(c)): scikit-learn's class_weight="balanced".
 *
 *   effective_number   1 / E(c), scaled so that the classes that occur have the mean 1, with the effective number of
 *                      labels E(c) = (1 - beta^n(c)) / (1 - beta) of Cui et al. (2019) and their beta = (N - 1) / N. A
 *                      fixed beta such as 0.9999 would make all classes of a segmentation equal, since beta^n is 0 for
 *                      any class of more than a few images.
 *
 * A class that never occurs has no weight.
 */
enum class_weight {
	WEIGHT_MEDIAN_FREQUENCY,
	WEIGHT_INVERSE_FREQUENCY,
	WEIGHT_EFFECTIVE_NUMBER,
	CLASS_WEIGHTS,
};

const char *class_weight_name(enum class_weight weight); /* "median_frequency" ... */

/* Appends the weight of t->classes[row] with 6 significant digits. Returns false if the class never occurs. */
bool class_weight_add(struct strbuf *out, const struct report_tables *t, size_t row, enum class_weight weight);

/*
 * struct class_table: the rows of the table of ids for people: the classes, then ignored ids, then ids out of range,
 * cut to a length that can be read. Owner: the caller of class_table_init; borrows from report and settings.
 */
struct class_table_row {
	enum id_role role;
	int64_t id;
	const char *name; /* NULL if unknown, or no class */
	uint64_t labels, files;
	char share[16]; /* of the labels that are not ignored: "78.25 %", "< 0.01 %"; "" of an ignored id */
};

enum class_table_kind { UNLISTED_OCCUR, UNLISTED_NEVER_OCCUR, UNLISTED_IGNORED, UNLISTED_OUT_OF_RANGE, UNLISTED_KINDS };

struct class_table {
	struct class_table_row *rows; /* owned */
	size_t count, cap;
	uint64_t largest;                  /* labels of the largest class or id out of range */
	uint64_t unlisted[UNLISTED_KINDS]; /* what is not in rows */
	size_t gap;                        /* 0, or the row before which those of UNLISTED_OCCUR are left out */
};

enum {
	CLASSES_LISTED = 256, /* if there are more, only classes that occur are listed */
	ROWS_LISTED = CLASSES_LISTED + 24,
};

/*
 * max: rows. Where these are too few, the classes are sorted by their labels, and those between the most and the least
 * frequent ones left out.
 */
void class_table_init(struct class_table *t, const struct report *r, size_t max);
/* Appends how many of a kind the rows leave out, if any: before, "... and 17,627 more classes between", after. */
void class_table_add_rest(const struct class_table *t, size_t kind, const char *before, const char *after,
			  struct strbuf *out);
void class_table_release(struct class_table *t);
