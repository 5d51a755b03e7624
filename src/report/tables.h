/*
 * struct report_tables: what every report shows that is derived from the sums of a dataset: classes with their
 * counts, ignored ids, ids out of range, formats and sizes in the order of a report.
 *
 * With --reduce-zero-label `classes` go by the id that is trained, as --classes does; all other ids are those in the
 * files, as findings and histograms name them (judge/role.h). Owner: whoever called tables_init; borrows from report
 * and settings.
 */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

/* More classes than anybody counts by eye or weights by hand; past it only those that occur are listed. */
enum { REPORT_CLASSES_MAX = 65536, REPORT_OUT_OF_RANGE_MAX = 65536, REPORT_SIZES_MAX = 1000 };

struct class_row {
	int64_t id;
	const char *name; /* NULL if unknown */
	uint64_t labels, files;
};

struct format_row {
	char name[48];
	uint64_t files;
};

struct report_tables {
	struct class_row *classes; /* sorted by id; owned */
	size_t classes_count;
	uint64_t classes_declared; /* > classes_count: only those that occur are in the list */
	size_t classes_present;    /* with labels */
	uint64_t class_labels;     /* of all classes */
	struct class_row *ignored; /* those that occur, sorted by id; owned */
	size_t ignored_count;
	uint64_t ignored_labels;
	const struct id_total **out_of_range; /* sorted by id; owned */
	size_t out_of_range_count;
	uint64_t out_of_range_total; /* how many there are */
	uint64_t out_of_range_labels;
	struct format_row *formats; /* most files first, then by name; owned */
	size_t formats_count;
	struct size_total *sizes; /* most files first, then by height, width; all of them; owned */
	size_t sizes_count;
	double effective_sum;    /* of 1 / class_weight_effective over the classes that occur */
	uint64_t median_twice;   /* twice the median of the labels of the classes that occur; cut at 2^64-1 */
	uint64_t sizes_unlisted; /* more of them, of a report that was read back */
};

void tables_init(struct report_tables *t, const struct settings *settings, const struct dataset_stats *d);
void tables_release(struct report_tables *t);

#endif
