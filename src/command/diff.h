/*
 * struct diff: what `labelaudit diff` found between two reports, and the forms that it is written in (diff_forms.c).
 * Owner: diff_run; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "report/report_file.h"

enum { DIFF_OLD, DIFF_NEW };

/* Shares of the labels that are not ignored, in millionths. */
struct diff_class {
	int64_t id;
	const char *name; /* NULL if unknown */
	uint64_t labels[2], share[2];
};

/* Findings of one report that the other lacks; the array is owned, the findings are borrowed. */
struct diff_findings {
	const struct kept_finding **v;
	size_t count, cap;
};

struct diff {
	const char *paths[2];
	const struct report_file *reports[2]; /* by DIFF_OLD, DIFF_NEW; borrowed */
	enum level fail_on;
	uint64_t drift_max;         /* --drift, in millionths; 0: none */
	struct diff_class *classes; /* of either report, sorted by id; owned */
	size_t classes_count, classes_cap;
	size_t drifted; /* classes that moved by more than drift_max */
	uint64_t
		distance; /* half the sum of all moves: the total variation distance of the two shares; in millionths */
	struct diff_findings appeared, fixed; /* in the order of reports */
	bool cut;                             /* a list of findings is cut */
	/* if cut: the last finding about a file that both lists reach; NULL if one lists none */
	const struct kept_finding *horizon;
	bool worse; /* something at or above fail_on is new */
};

/* Returns whether the exit status is STATUS_FINDINGS. */
bool diff_fails(const struct diff *d);

/* Returns by how much the share of a class moved, in millionths. */
uint64_t diff_move(const struct diff_class *c);
bool diff_class_appeared(const struct diff_class *c);
bool diff_class_vanished(const struct diff_class *c);
/* Returns whether the share moved by more than --drift. */
bool diff_class_drifted(const struct diff *d, const struct diff_class *c);
/*
 * Returns the classes that appeared, vanished or moved by what two decimals of a percentage show, the largest move
 * first; owned by the caller.
 */
const struct diff_class **diff_changed_classes(const struct diff *d, size_t *count);

/* How a comparison is written: by the name of --format. `style`: colour and verbosity. */
struct diff_form {
	const char *name;
	void (*write)(const struct diff *d, const struct output_options *style, struct strbuf *out);
};

enum { DIFF_FORMS = 3 };
extern const struct diff_form diff_forms[DIFF_FORMS];
