/*
 * struct diff: what `labelaudit diff` found between two reports, and the forms that it is written in (diff_forms.c,
 * diff_markup.c). Owner: diff_run; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/forms.h"
#include "report/report_file.h"

enum { DIFF_OLD, DIFF_NEW };

/* Shares of the labels that are not ignored, in millionths. */
struct diff_class {
	int64_t id;
	const char *name; /* NULL if unknown */
	uint64_t labels[2], share[2];
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
	const struct kept_finding **appeared, **fixed; /* in the order of reports; arrays owned */
	size_t appeared_count, appeared_cap, fixed_count, fixed_cap;
	bool cut; /* a list of findings is cut */
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

/* More classes, and more findings of a rule (LISTED_A_RULE), are counted instead of listed, for people. */
enum { DIFF_CLASSES_LISTED = 40 };

/* Appends "75.71", and "+1.58" or "-1.58": percent of the labels, and the points between. */
void diff_add_share(struct strbuf *out, uint64_t share);
void diff_add_move(struct strbuf *out, const struct diff_class *c);
/* Appends ", appeared", ", vanished" and ", more than --drift 0.5", as far as they hold. */
void diff_add_changes(struct strbuf *out, const struct diff *d, const struct diff_class *c);
/* Appends "4 new and 0 fixed findings, 1 class moved by more than 0.5 points (--drift)". */
void diff_add_counts(struct strbuf *out, const struct diff *d);
/* Appends the notes about settings and cut lists, each a line: prefix, note, suffix. They hold text from outside. */
void diff_add_notes(struct strbuf *out, const struct diff *d, const char *prefix, const char *suffix);

/* The forms. diff_markdown writes at most max bytes: lists of findings are left out first. */
extern const struct form diff_forms[];
void diff_markdown(const struct diff *d, size_t max, struct strbuf *out);
void diff_write_markdown(const void *diff, const struct form_style *style, struct strbuf *out);
void diff_write_github(const void *diff, const struct form_style *style, struct strbuf *out);
void diff_write_html(const void *diff, const struct form_style *style, struct strbuf *out);
void diff_write_text(const void *diff, const struct form_style *style, struct strbuf *out);
