/*
 * Finds the label column and the path column of a list, from the words of the header and the first rows, or by
 * --column.
 *
 * With a header, the label column is one whose word means label (label, class, target, category, ... and their ids);
 * else one that holds the declared class names; else a text column with as many different values as classes; else the
 * last column of integers that neither counts the rows nor is, by its word, a coordinate, a size, a date or a fold.
 * Without a header: one that holds declared names; else the last column of integers that does not count the rows.
 */
#include "read/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/table.h"
#include "read/list_preview.h"
#include "read/list_runs.h"
#include "read/list_words.h"

enum {
	/* Bounds of find_by_count(): text columns, and classes. */
	COUNTED_COLUMNS = 16,
	COUNTED_CLASSES = 4096,
	/* Rows of more numbers than this are features, or an image's pixels, and one label: MNIST as CSV. */
	FEATURES = 32,
	/* Tables of runs without a class have an image, its runs, and perhaps its size. */
	RUNS_COLUMNS = 6,
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
 * Finds the last text column with exactly `classes` different values; else, if `fewer`, the last one with fewer, some
 * of which repeat; else *out is NO_COLUMN. Reads the whole list. Returns false if *fault is set.
 */
static bool find_by_count(struct csv *csv, const struct list_preview *s, bool header, size_t classes, bool fewer,
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
	fault_clear(fault); /* it is reported when the list is read again */
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

/* Returns the column with the surest word for labels, integers before text. hints: parts of words count. */
static uint32_t find_by_word(const struct list_preview *s, bool hints)
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

/* Returns the column with the most declared class names, if they are most of its values. */
static uint32_t find_by_names(const struct list_preview *s)
{
	uint32_t best = NO_COLUMN;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (2 * c->known > c->values && (best == NO_COLUMN || c->known > s->columns[best].known))
			best = i;
	}
	return best;
}

/* Returns whether nine values in ten are legal ids: labels, some of which may be wrong. */
static bool is_mostly_legal(const struct list_column *c)
{
	return c->varies && 10 * c->legal >= 9 * c->numbers;
}

/* Returns whether a column may hold ids by its values and its word. */
static bool may_be_ids(const struct list_column *c, bool header)
{
	return column_is_integers(c) &&
	       !(header && (word_is_other_number(&c->word) || c->of_point || word_path_rank(&c->word) >= 0));
}

static bool has_integers(const struct list_preview *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (may_be_ids(&s->columns[i], true) && !preview_counts_rows(s, &s->columns[i]))
			return true;
	return false;
}

static uint32_t find_last_integers(const struct list_preview *s, bool header, int64_t classes)
{
	uint32_t last = NO_COLUMN, first = NO_COLUMN, serial = NO_COLUMN, legal = NO_COLUMN;
	size_t numbers = 0, legal_columns = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (!may_be_ids(c, header))
			continue;
		if (preview_counts_rows(s, c)) {
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
	if (last == NO_COLUMN) /* a column that counts the rows is an index, unless all its values are ids */
		return serial != NO_COLUMN && s->columns[serial].max < classes ? serial : NO_COLUMN;
	/* several counts or measurements before others, in a table whose words tell of no label */
	if (header && numbers > 1 && numbers <= FEATURES && last + 1 < s->count)
		return NO_COLUMN;
	/* with many features, the label is the first or the last column */
	if (numbers > FEATURES && first == 0 && is_mostly_legal(&s->columns[first]) &&
	    !is_mostly_legal(&s->columns[last]))
		return first;
	/* the last column is a measurement if hardly a value is a class while another column holds only classes */
	if (!header && legal_columns == 1 && s->rows >= FEW_ROWS &&
	    (uint64_t)s->columns[last].legal * 20 < s->columns[last].numbers)
		return legal;
	return last;
}

/* Returns whether rows are DOTA's: x1 y1 x2 y2 x3 y3 x4 y4 class, and usually a difficulty of 0, 1 or, rarely, 2. */
static bool is_quads(const struct list_preview *s, const struct list_layout *layout)
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

/*
 * Returns whether rows are keras-retinanet's: path,x1,y1,x2,y2,class; an image without boxes has path,,,,, SKU-110K's
 * have the image's width and height after the class.
 */
static bool is_corners(const struct list_preview *s, const struct list_layout *layout)
{
	const struct list_column *c = s->columns;
	bool boxes = layout->separator == ',' && !layout->header && (s->count == 6 || s->count == 8) &&
		     2 * c[0].paths > c[0].values && c[5].values;

	for (size_t i = 1; boxes && i < s->count; i++)
		boxes = i == 5 || (c[i].values && c[i].numbers + c[i].fractions == c[i].values);
	return boxes && (s->count == 6 || column_is_text(&c[5]));
}

/*
 * Returns whether rows are VisDrone's: left, top, width, height, whether it counts, the class, and how far the object
 * is cut off (0, 1) and hidden (0 to 2); those of videos begin with the frame and the object. MOT's end in the class
 * and a fraction that is visible.
 */
static bool is_visdrone(const struct list_preview *s, const struct list_layout *layout, uint32_t *class)
{
	enum { LEFT, TOP, WIDTH, HEIGHT, COUNTS, CLASS, CUT, HIDDEN, COLUMNS };
	enum { VIDEO = 2, VISDRONE_CLASSES = 12, MOT_CLASSES = 14, PIXELS_MIN = 12 };
	const bool mot = s->count == VIDEO + CUT + 1, video = mot || s->count == VIDEO + COLUMNS;
	const struct list_column *c = s->columns + (video ? VIDEO : 0);
	/* a visible fraction is certain: then a class may be any, also a wrong one */
	const int64_t classes = !mot ? VISDRONE_CLASSES : c[CUT].fractions ? INT64_MAX : MOT_CLASSES;
	const int64_t tops[COLUMNS] = { [COUNTS] = 1, [CLASS] = classes - 1, [CUT] = 1, [HIDDEN] = 2 };

	if (layout->separator != ',' || layout->header || (!video && s->count != COLUMNS))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const size_t k = i - (video ? VIDEO : 0);
		const struct list_column *column = &s->columns[i];
		const uint32_t numbers = column->numbers + (mot && k == CUT ? column->fractions : 0);

		if (!column->values || numbers != column->values || (column->numbers && column->min < 0) ||
		    (k < COLUMNS && tops[k] && column->max > tops[k]))
			return false;
	}
	*class = (uint32_t)(video ? VIDEO + CLASS : CLASS);
	return c[LEFT].max + c[TOP].max >= PIXELS_MIN && c[WIDTH].max >= PIXELS_MIN && c[HEIGHT].max >= PIXELS_MIN &&
	       c[WIDTH].min > 0 && c[HEIGHT].min > 0;
}

/*
 * Returns whether rows are AVA's: a video, a second, a box in fractions of the image, the class, and perhaps a person.
 */
static bool is_ava(const struct list_preview *s, const struct list_layout *layout)
{
	enum { SECOND = 1, BOX = 2, CLASS = 6, COLUMNS = 7 };
	const struct list_column *c = s->columns;

	if (layout->separator != ',' || layout->header || s->count < COLUMNS || s->count > COLUMNS + 1)
		return false;
	for (size_t i = SECOND; i < s->count; i++) {
		const bool box = i >= BOX && i < CLASS;

		if (!c[i].values || c[i].numbers + c[i].fractions != c[i].values ||
		    (box ? 2 * c[i].fractions < c[i].values || (c[i].numbers && (c[i].min < 0 || c[i].max > 1))
			 : c[i].fractions > 0))
			return false;
	}
	return true;
}

/* Returns whether rows are boxes after or before their class (read/text_boxes.h); then fills *out. */
static bool find_boxes(const struct csv *csv, const struct list_preview *s, struct list_layout *out)
{
	switch (csv->boxes) {
	case BOXES_GROUPED:
		out->choice = COLUMN_GROUPS;
		out->label_column = 1;
		break;
	case BOXES_NAMED:
	case BOXES_KITTI:
	case BOXES_NUMBERED:
		out->choice = COLUMN_BEFORE;
		out->label_column = 0;
		break;
	case BOXES_AFTER:
		out->choice = COLUMN_AFTER;
		out->label_column = 4;
		break;
	default:
		return false;
	}
	return !out->header && s->count > out->label_column;
}

/* Returns the other column of a header such as `Image,Id` if one holds paths; else NO_COLUMN. */
static uint32_t find_beside_paths(const struct list_preview *s)
{
	for (uint32_t i = 0; s->count == 2 && i < 2; i++) {
		const struct list_column *paths = &s->columns[i], *other = &s->columns[1 - i];

		if (column_is_text(paths) && 2 * paths->paths > paths->values && 2 * other->paths <= other->values &&
		    !strcmp(other->word.s, "id"))
			return 1 - i;
	}
	return NO_COLUMN;
}

/* Returns the column of runs of pixels, or NO_COLUMN. */
static uint32_t find_runs(const struct list_preview *s, const struct list_layout *layout)
{
	for (uint32_t i = 0; layout->header && i < s->count; i++)
		if (word_is_runs(&s->columns[i].word) && 2 * s->columns[i].runs >= s->columns[i].values)
			return i;
	return NO_COLUMN;
}

/* Returns the column of an image's name with a class after it: ImageId_ClassId, Image_Label; or NO_COLUMN. */
static uint32_t find_suffixes(const struct list_preview *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (column_is_text(&s->columns[i]) && word_hints_at_label(&s->columns[i].word) &&
		    (strstr(s->columns[i].word.s, "image") || strstr(s->columns[i].word.s, "img") ||
		     strstr(s->columns[i].word.s, "file")))
			return i;
	return NO_COLUMN;
}

static bool choose(struct csv *csv, const struct list_preview *s, const struct class_set *classes,
		   struct list_layout *out, struct fault *fault)
{
	uint64_t size = id_ranges_size(&classes->classes);
	size_t count = (size_t)MIN(size, (uint64_t)SIZE_MAX);
	int64_t limit = classes->classes.count ? classes->classes.v[classes->classes.count - 1].last : -1;
	uint32_t *column = &out->label_column;

	if (s->count == 1) {
		const struct list_column *c = s->columns;

		*column = column_is_text(c) && 2 * c->paths > c->values && !c->known ? NO_COLUMN : 0;
		out->choice = COLUMN_ONLY;
		return true;
	}
	if (find_boxes(csv, s, out))
		return true;
	out->label_column = NO_COLUMN;
	if (is_quads(s, out)) {
		*column = 8;
		out->choice = COLUMN_QUADS;
		return true;
	}
	if (is_corners(s, out)) {
		*column = 5;
		out->choice = COLUMN_CORNERS;
		return true;
	}
	if (is_visdrone(s, out, column)) {
		out->choice = COLUMN_CORNERS;
		return true;
	}
	if (is_ava(s, out)) {
		*column = 6;
		out->choice = COLUMN_CORNERS;
		return true;
	}
	out->choice = COLUMN_WORD;
	if (s->columns[0].tagged && s->columns[0].tagged == s->columns[0].values) {
		*column = 0;
		return true;
	}
	if (out->header && (*column = find_by_word(s, false)) != NO_COLUMN)
		return true;
	if (out->runs_column != NO_COLUMN && (*column = find_suffixes(s)) != NO_COLUMN) {
		out->choice = COLUMN_SUFFIX;
		return true;
	}
	if (out->header && (*column = find_beside_paths(s)) != NO_COLUMN)
		return true;
	out->choice = COLUMN_NAMES;
	if ((*column = find_by_names(s)) != NO_COLUMN)
		return true;
	if (out->runs_column != NO_COLUMN && s->count <= RUNS_COLUMNS && find_by_word(s, true) == NO_COLUMN) {
		*column = out->runs_column;
		out->choice = COLUMN_RUNS;
		return true;
	}
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
		/* a table without a header whose last column has as many words as classes: UCI's iris, adult */
		out->choice = COLUMN_CLASSES;
		if (!find_by_count(csv, s, false, count, false, column, fault))
			return false;
		if (*column == s->count - 1)
			return true;
	}
	out->choice = COLUMN_LAST;
	if ((*column = find_last_integers(s, out->header, limit < INT64_MAX ? limit + 1 : limit)) != NO_COLUMN ||
	    (out->header && has_integers(s)))
		return true;
	return find_by_count(csv, s, out->header, count, true, column, fault);
}

static uint32_t find_paths(const struct list_preview *s, const struct list_layout *layout)
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
	/* without extensions: the only other column, if it is text */
	if (best == NO_COLUMN && s->count == 2 && layout->label_column != NO_COLUMN &&
	    column_is_text(&s->columns[1 - layout->label_column]))
		best = 1 - layout->label_column;
	return best;
}

static bool is_box_list(const struct list_preview *s)
{
	unsigned coordinates = 0;

	for (size_t i = 0; i < s->count; i++)
		coordinates += word_is_coordinate(&s->columns[i].word) || !strcmp(s->columns[i].word.s, "width") ||
			       !strcmp(s->columns[i].word.s, "height");
	return coordinates >= 4;
}

/* Returns whether paths contain blanks, as in "My Pictures/cat 1.jpg 3": the label is last, after words. */
static bool has_blanks_in_paths(const struct list_preview *s, const struct list_layout *layout)
{
	return layout->separator == CSV_BLANKS && !layout->header && layout->path_column != NO_COLUMN &&
	       s->count >= 3 && layout->label_column == s->count - 1 && column_is_text(&s->columns[0]);
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
	fault_set_at(fault, FAULT_LABELS, 1, 1, "%s", text);
	return fault_advise(fault, "%s", advice);
}

/*
 * Finds the column of --column: by its name in the first row, which then is a header, or by its number from 1. A number
 * is a name only in a header.
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

/* ---- all columns ------------------------------------------------------------------------------------------------ */

static bool no_labels(const struct list_preview *s, const struct list_layout *layout, struct fault *fault)
{
	if (layout->header && !s->rows)
		return refuse(fault, "", "a header without a row after it: no labels");
	if (s->count == 1)
		return refuse(fault, "pass a list of files to audit with --files-from",
			      "a list of file names without labels");
	return refuse(fault, "name it with --column NAME or --column N",
		      "none of its %zu columns looks like class ids or class names", s->count);
}

/* Refuses one-hot and multi-label rows: they do not have one label each. */
static bool refuse_binary(const struct list_preview *s, bool header, struct fault *fault)
{
	if (preview_is_one_hot(s))
		return refuse(fault, "turn them into one column of ids: argmax over these columns",
			      "its rows are one-hot: %zu columns of %s and 1, one of them 1", s->binary_columns,
			      s->signs ? "-1" : "0");
	if (preview_is_multi_label(s))
		return refuse(fault,
			      s->signs ? "train with a sigmoid for each class; audit one alone with --column NAME "
					 "--classes=-1,1"
				       : "train with a sigmoid for each class; audit one alone with --column NAME "
					 "--classes 2",
			      "its rows have several labels: %zu columns of %s and 1, one per class", s->binary_columns,
			      s->signs ? "-1" : "0");
	if (header && preview_flags(s))
		return refuse(fault, "train with a sigmoid for each class; audit one alone with --column NAME",
			      "its rows have several labels: %zu columns of 0, 1 and blanks or -1, one per class",
			      preview_flags(s));
	return true;
}

/* Refuses rows of which some have several ids in one field. */
static bool refuse_several(const struct list_preview *s, const struct list_column *label, struct fault *fault)
{
	const bool plural = label->word.s[0] && label->word.s[strlen(label->word.s) - 1] == 's' &&
			    word_hints_at_label(&label->word);
	const uint32_t words = label->barred + (plural ? label->listed : 0);

	if (label == s->columns && label->tagged && s->count > 1 && s->columns[1].tagged)
		return refuse(fault, "train with a sigmoid for each class",
			      "its rows have several labels: %" PRIu32 " of the first %" PRIu32
			      " have two __label__ words or more",
			      s->columns[1].tagged, s->rows);
	if (20 * (uint64_t)words >= label->values && 2 * label->known <= label->values && words)
		return refuse(fault, "train with a sigmoid for each class; audit one alone as a column of 0 and 1",
			      "its rows have several labels: %" PRIu32 " of the first %" PRIu32
			      " list two names or more",
			      words, label->values);
	if (20 * (uint64_t)label->several < label->values ||
	    10 * (uint64_t)(label->several + label->numbers) < 9 * (uint64_t)label->values || !label->several)
		return true;
	return refuse(fault, "train with a sigmoid for each class; audit one alone as a column of 0 and 1",
		      "its rows have several labels: %" PRIu32 " of the first %" PRIu32 " list two ids or more",
		      label->several, label->values);
}

/* Finds the class of all objects of a table without one: the foreground. */
static bool find_class_of_runs(const struct list_preview *s, struct list_layout *out, struct fault *fault)
{
	const struct id_ranges *classes = &s->classes->classes;
	uint64_t count = id_ranges_size(classes);

	if (count > 2)
		return refuse(fault,
			      "pass --classes 2 if all objects are of one class; else name the column of classes "
			      "with --column",
			      "its rows are runs of pixels without a class, but --classes declares %" PRIu64, count);
	out->runs_id = count ? classes->v[classes->count - 1].last : 0;
	return true;
}

static bool read_label_name(struct csv *c, struct list_layout *out, struct fault *fault)
{
	if (!csv_rewind(c, fault) || !csv_next(c, fault))
		return false;
	const struct csv_field *name = &c->fields[out->label_column];

	snprintf(out->label_name, sizeof(out->label_name), "%.*s", (int)MIN(name->n, sizeof(out->label_name) - 1),
		 name->s);
	return true;
}

/* Fills *out from the first rows and, if these do not suffice, from all. */
static bool find_columns(struct csv *c, const char *column, const struct name_table *declared, struct list_preview *s,
			 struct list_layout *out, struct fault *fault)
{
	if (!s->count)
		return refuse(fault, "", "only blank lines: no labels");
	out->columns = (uint32_t)s->count;
	out->header = c->json || preview_has_header(s);
	out->runs_column = find_runs(s, out);
	if (out->runs_column != NO_COLUMN)
		out->sound_runs = 10 * s->columns[out->runs_column].sound >= 9 * s->columns[out->runs_column].values;
	if (column && !find_given(c, column, out, fault))
		return false;
	if (!out->header && !preview_add_first(s, c, declared, fault))
		return false;
	if (!column && !choose(c, s, s->classes, out, fault))
		return false;
	if (out->choice == COLUMN_LAST && !refuse_binary(s, out->header, fault))
		return false;
	if (out->label_column == NO_COLUMN || !s->rows)
		return no_labels(s, out, fault);

	const struct list_column *label = &s->columns[out->label_column];

	if (out->label_column != out->runs_column && out->choice != COLUMN_GROUPS && !refuse_several(s, label, fault))
		return false;
	out->names = column_is_text(label) && out->choice != COLUMN_GROUPS && out->choice != COLUMN_RUNS;
	if (out->choice == COLUMN_SUFFIX)
		out->names = 2 * label->suffixes <= label->values;
	if (out->choice == COLUMN_RUNS && !find_class_of_runs(s, out, fault))
		return false;
	out->path_column = out->choice == COLUMN_GROUPS                                  ? 0
			   : out->choice == COLUMN_BEFORE || out->choice == COLUMN_AFTER ? NO_COLUMN
			   : out->choice == COLUMN_SUFFIX                                ? out->label_column
											 : find_paths(s, out);
	out->boxes = out->choice == COLUMN_CORNERS || out->choice == COLUMN_GROUPS || out->choice == COLUMN_BEFORE ||
		     out->choice == COLUMN_AFTER || (out->header && (is_box_list(s) || out->runs_column != NO_COLUMN));
	out->path_to_label = has_blanks_in_paths(s, out);
	if (s->count == 2 && out->path_column != NO_COLUMN && out->choice == COLUMN_LAST)
		out->choice = COLUMN_ONLY;
	return !out->header || read_label_name(c, out, fault);
}

bool list_columns_find(struct csv *c, const char *column, const struct class_set *classes,
		       const struct name_table *declared, struct list_layout *out, struct fault *fault)
{
	struct list_preview s;

	*out = (struct list_layout){
		.separator = c->separator,
		.label_column = NO_COLUMN,
		.path_column = NO_COLUMN,
		.runs_column = NO_COLUMN,
		.choice = COLUMN_GIVEN,
	};

	bool ok = preview_read(&s, c, classes, declared, fault) && find_columns(c, column, declared, &s, out, fault) &&
		  csv_rewind(c, fault);

	free(s.columns);
	return ok;
}
