#include "read/list_columns.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/table.h"
#include "read/list_sample.h"
#include "read/list_words.h"

enum {
	/* Text columns whose different values are counted, and of how many classes at most. */
	COUNTED_COLUMNS = 16,
	COUNTED_CLASSES = 4096,
	/* Rows of more numbers than this are features, or the pixels of an image, beside one label: MNIST as CSV. */
	FEATURES = 32,
	FEW_ROWS = 20, /* to tell which column holds the classes */
};

/* ---- the columns' different values ------------------------------------------------------------------------------ */

struct distinct {
	struct hash_set values;
	uint32_t column;
};

static bool may_hold_names(const struct list_column *c)
{
	return column_is_text(c) && 2 * c->paths <= c->values;
}

/*
 * The last text column with exactly `classes` different values, and else (if any is welcome) the last with fewer that
 * come again; NO_COLUMN if there is none. Reads the whole list.
 */
static bool find_by_count(struct csv *csv, const struct list_sample *s, bool header, size_t classes, bool fewer,
			  uint32_t *out, struct fault *fault)
{
	struct distinct counted[COUNTED_COLUMNS];
	size_t count = 0;
	uint64_t rows = 0;
	bool ok = false;

	*out = NO_COLUMN;
	if (classes < 2 || classes > COUNTED_CLASSES)
		return true;
	for (uint32_t i = 0; i < s->count && count < COUNTED_COLUMNS; i++)
		if (may_hold_names(&s->columns[i]) && (!header || word_path_rank(&s->columns[i].word) < 0))
			counted[count++] = (struct distinct){ .column = i };
	if (!count)
		return true;
	if (!csv_rewind(csv, fault) || (header && !csv_next(csv, fault)))
		goto out;
	for (; csv_next(csv, fault); rows++)
		for (size_t k = 0; k < count; k++)
			if (counted[k].column < csv->count && csv->fields[counted[k].column].n &&
			    counted[k].values.count <= classes)
				hash_set_add(&counted[k].values,
					     hash_bytes(hash_seed(), csv->fields[counted[k].column].s,
							csv->fields[counted[k].column].n));
	if (fault->kind == FAULT_UNREADABLE)
		goto out;
	fault_clear(fault); /* the rest is reported when it is read again */
	ok = true;
	for (size_t k = 0; k < count; k++)
		if (counted[k].values.count == classes)
			*out = counted[k].column;
	for (size_t k = 0; k < count && fewer && *out == NO_COLUMN; k++)
		if (counted[k].values.count >= 2 && counted[k].values.count < classes && counted[k].values.count < rows)
			*out = counted[k].column;
out:
	for (size_t k = 0; k < count; k++)
		hash_set_release(&counted[k].values);
	return ok;
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

/* The surest word; integers before text. */
static uint32_t find_by_word(const struct list_sample *s, bool hints)
{
	uint32_t best = NO_COLUMN;
	int best_rank = 0;
	bool has_x = false;

	for (size_t i = 0; i < s->count; i++)
		has_x = has_x || !strcmp(s->columns[i].word.s, "x");
	for (uint32_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];
		int rank = word_label_rank(&c->word);

		if (hints)
			rank = word_hints_at_label(&c->word) ? 0 : -1;
		if (rank < 0 || (has_x && !strcmp(c->word.s, "y")))
			continue;
		rank += column_is_text(c) ? 1000 : 0;
		if (best == NO_COLUMN || rank < best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

/* The column in which most values are declared class names. */
static uint32_t find_by_names(const struct list_sample *s)
{
	uint32_t best = NO_COLUMN;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (2 * c->known > c->values && (best == NO_COLUMN || c->known > s->columns[best].known))
			best = i;
	}
	return best;
}

/* All but one value in ten are legal ids: labels, some of which may be wrong. */
static bool is_mostly_legal(const struct list_column *c)
{
	return c->varies && 10 * c->legal >= 9 * c->numbers;
}

static uint32_t find_last_integers(const struct list_sample *s, bool header, int64_t classes)
{
	uint32_t last = NO_COLUMN, first = NO_COLUMN, serial = NO_COLUMN, legal = NO_COLUMN;
	size_t numbers = 0, legal_columns = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (!column_is_integers(c) ||
		    (header && (word_is_other_number(&c->word) || word_path_rank(&c->word) >= 0)))
			continue;
		if (list_sample_counts_rows(s, c)) {
			serial = i;
			continue;
		}
		first = first == NO_COLUMN ? i : first;
		last = i;
		if (c->varies && c->legal == c->numbers) {
			legal = i;
			legal_columns++;
		}
		numbers++;
	}
	if (last == NO_COLUMN) /* what only counts the rows is an index, unless it fits */
		return serial != NO_COLUMN && s->columns[serial].max < classes ? serial : NO_COLUMN;
	/* Of many features the label is the first or the last. */
	if (numbers > FEATURES && first == 0 && is_mostly_legal(&s->columns[first]) &&
	    !is_mostly_legal(&s->columns[last]))
		return first;
	/* the last one is a measurement where hardly a value is a class, while another column is of classes alone */
	if (!header && legal_columns == 1 && s->rows >= FEW_ROWS &&
	    (uint64_t)s->columns[last].legal * 20 < s->columns[last].numbers)
		return legal;
	return last;
}

/* DOTA: x1 y1 x2 y2 x3 y3 x4 y4 class, and mostly a difficulty: 0 or 1, and 2 in some sets. */
static bool is_quads(const struct list_sample *s, const struct list_layout *layout)
{
	const struct list_column *c = s->columns;

	if (layout->separator != CSV_BLANKS || layout->header || s->count < 9 || s->count > 10 ||
	    !column_is_text(&c[8]))
		return false;
	for (size_t i = 0; i < 8; i++)
		if (column_is_text(&c[i]))
			return false;
	return s->count == 9 || (column_is_integers(&c[9]) && c[9].min >= 0 && c[9].max <= 2);
}

static bool choose(struct csv *csv, const struct list_sample *s, const struct class_set *classes,
		   struct list_layout *out, struct fault *fault)
{
	uint64_t size = id_ranges_size(&classes->classes);
	size_t count = (size_t)MIN(size, (uint64_t)SIZE_MAX);
	int64_t limit = classes->classes.count ? classes->classes.v[classes->classes.count - 1].last : -1;
	uint32_t *column = &out->label_column;

	if (s->count == 1) {
		const struct list_column *c = &s->columns[0];

		*column = column_is_text(c) && 2 * c->paths > c->values && !c->known ? NO_COLUMN : 0;
		out->choice = COLUMN_ONLY;
		return true;
	}
	if (is_quads(s, out)) {
		*column = 8;
		out->choice = COLUMN_QUADS;
		return true;
	}
	out->choice = COLUMN_WORD;
	if (out->header && (*column = find_by_word(s, false)) != NO_COLUMN)
		return true;
	out->choice = COLUMN_NAMES;
	if ((*column = find_by_names(s)) != NO_COLUMN)
		return true;
	if (out->header) {
		out->choice = COLUMN_CLASSES;
		if (!find_by_count(csv, s, true, count, false, column, fault))
			return false;
		if (*column != NO_COLUMN)
			return true;
		out->choice = COLUMN_WORD;
		if ((*column = find_by_word(s, true)) != NO_COLUMN)
			return true;
	}
	if (!out->header && may_hold_names(&s->columns[s->count - 1])) {
		/* a table without a header that ends in words, as many as there are classes: UCI's iris, adult */
		out->choice = COLUMN_CLASSES;
		if (!find_by_count(csv, s, false, count, false, column, fault))
			return false;
		if (*column == s->count - 1)
			return true;
	}
	out->choice = COLUMN_LAST;
	if ((*column = find_last_integers(s, out->header, limit < INT64_MAX ? limit + 1 : limit)) != NO_COLUMN)
		return true;
	return find_by_count(csv, s, out->header, count, true, column, fault);
}

static uint32_t find_paths(const struct list_sample *s, const struct list_layout *layout)
{
	uint32_t best = NO_COLUMN;
	int best_rank = 0;

	for (uint32_t i = 0; layout->header && i < s->count; i++) {
		int rank = word_path_rank(&s->columns[i].word);

		if (i == layout->label_column || rank < 0)
			continue;
		if (best == NO_COLUMN || rank < best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	for (uint32_t i = 0; best == NO_COLUMN && i < s->count; i++)
		if (i != layout->label_column && column_is_text(&s->columns[i]) &&
		    2 * s->columns[i].paths > s->columns[i].values)
			best = i;
	/* without extensions: the one column of text beside the label */
	if (best == NO_COLUMN && s->count == 2 && layout->label_column != NO_COLUMN &&
	    column_is_text(&s->columns[1 - layout->label_column]))
		best = 1 - layout->label_column;
	return best;
}

static bool is_box_list(const struct list_sample *s)
{
	unsigned coordinates = 0;

	for (size_t i = 0; i < s->count; i++)
		coordinates += word_is_coordinate(&s->columns[i].word) || !strcmp(s->columns[i].word.s, "width") ||
			       !strcmp(s->columns[i].word.s, "height");
	return coordinates >= 4;
}

/* "My Pictures/cat 1.jpg 3": the label stands last, and all before it is words. */
static bool has_blanks_in_paths(const struct list_sample *s, const struct list_layout *layout)
{
	if (layout->separator != CSV_BLANKS || layout->header || layout->path_column == NO_COLUMN || s->count < 3 ||
	    layout->label_column != s->count - 1)
		return false;
	return column_is_text(&s->columns[0]);
}

/* ---- --column --------------------------------------------------------------------------------------------------- */

static bool refuse(struct fault *fault, const char *advice, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(struct fault *fault, const char *advice, const char *fmt, ...)
{
	char text[FAULT_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET, "%s", text);
	snprintf(fault->advice, sizeof(fault->advice), "%s", advice);
	fault->line = fault->column = 1;
	return false;
}

/* By its name in the first row, which then is a header, or by its number from 1; a number is a name only in a header.
 */
static bool find_given(struct csv *csv, const char *wanted, struct list_layout *out, struct fault *fault)
{
	int64_t number;
	bool is_a_number = scan_integer(wanted, strlen(wanted), &number) == INTEGER_EXACT;

	if (!csv_rewind(csv, fault) || !csv_next(csv, fault))
		return false;
	for (uint32_t i = 0; i < csv->count && (!is_a_number || out->header); i++) {
		if (csv->fields[i].n == strlen(wanted) && !memcmp(csv->fields[i].s, wanted, csv->fields[i].n)) {
			out->label_column = i;
			out->header = true;
			return true;
		}
	}
	if (is_a_number) {
		if (number < 1 || (uint64_t)number > csv->count)
			return refuse(fault, "count columns from 1", "--column %s: the first row has %zu columns",
				      wanted, csv->count);
		out->label_column = (uint32_t)(number - 1);
		return true;
	}

	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < csv->count && names.len < 160; i++) {
		strbuf_adds(&names, i ? ", " : "");
		escape_terminal(&names, csv->fields[i].s, MIN(csv->fields[i].n, (size_t)60));
	}
	refuse(fault, "give a name from the first row, or a number from 1",
	       "--column %s: the first row has no such column; it has %s", wanted, names.s);
	strbuf_release(&names);
	return false;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool no_labels(const struct list_sample *s, const struct list_layout *layout, struct fault *fault)
{
	if (layout->header && !s->rows)
		return refuse(fault, "", "a header and no row behind it: no labels");
	if (s->count == 1)
		return refuse(fault, "a list of files to audit is given with --files-from",
			      "a list of file names without labels");
	return refuse(fault, "name it with --column NAME or --column N",
		      "none of its %zu columns looks like one of class ids or class names", s->count);
}

/* Rows that hold no one label each, told by their columns of 0 and 1. */
static bool refuse_binary(const struct list_sample *s, struct fault *fault)
{
	if (list_sample_is_one_hot(s))
		return refuse(fault, "turn them into one column of ids: argmax over these columns",
			      "its rows are one-hot: %zu columns of 0 and 1, one of them 1", s->binary_columns);
	if (list_sample_is_multi_label(s))
		return refuse(
			fault, "train with a sigmoid for each class; audit one alone with --column NAME --classes 2",
			"its rows have several labels: %zu columns of 0 and 1, one for each class", s->binary_columns);
	return true;
}

/* The name of the label column, from the header. */
static bool read_label_name(struct csv *c, struct list_layout *out, struct fault *fault)
{
	if (!csv_rewind(c, fault) || !csv_next(c, fault))
		return false;
	const struct csv_field *name = &c->fields[out->label_column];

	snprintf(out->label_name, sizeof(out->label_name), "%.*s", (int)MIN(name->n, sizeof(out->label_name) - 1),
		 name->s);
	return true;
}

/* Which columns are what, by the first rows and, where these do not tell, by all. */
static bool find_columns(struct csv *c, const char *column, const struct name_table *declared, struct list_sample *s,
			 struct list_layout *out, struct fault *fault)
{
	if (!s->count)
		return refuse(fault, "", "blank lines alone: no labels");
	out->columns = (uint32_t)s->count;
	out->header = list_sample_has_header(s);
	if (column && !find_given(c, column, out, fault))
		return false;
	if (!out->header && !list_sample_add_first(s, c, declared, fault))
		return false;
	if (!column && !choose(c, s, s->classes, out, fault))
		return false;
	if (out->choice == COLUMN_LAST && !refuse_binary(s, fault))
		return false;
	if (out->label_column == NO_COLUMN || !s->rows)
		return no_labels(s, out, fault);

	const struct list_column *label = &s->columns[out->label_column];

	out->names = column_is_text(label);
	out->path_column = find_paths(s, out);
	out->boxes = out->header && is_box_list(s);
	out->path_to_label = has_blanks_in_paths(s, out);
	if (s->count == 2 && out->path_column != NO_COLUMN && out->choice == COLUMN_LAST)
		out->choice = COLUMN_ONLY;
	return !out->header || read_label_name(c, out, fault);
}

bool list_columns_find(struct csv *c, const char *column, const struct class_set *classes,
		       const struct name_table *declared, struct list_layout *out, struct fault *fault)
{
	struct list_sample s;

	*out = (struct list_layout){
		.separator = c->separator, .label_column = NO_COLUMN, .path_column = NO_COLUMN, .choice = COLUMN_GIVEN
	};

	bool ok = list_sample_read(&s, c, classes, declared, fault) &&
		  find_columns(c, column, declared, &s, out, fault) && csv_rewind(c, fault);

	list_sample_release(&s);
	return ok;
}
