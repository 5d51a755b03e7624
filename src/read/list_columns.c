/* Finds the columns of a list: by the form of its rows, by --column, or as read/columns.h says; in doubt it asks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "read/columns.h"
#include "read/list.h"

/* Sets *fault: the text can be read, but what in it are the labels is for the user to say. Returns false. */
static bool ask(struct fault *fault, const char *advice, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool ask(struct fault *fault, const char *advice, const char *fmt, ...)
{
	char text[FAULT_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fault_set_at(fault, FAULT_AMBIGUOUS, 1, 1, "%s", text);
	return fault_advise(fault, "%s", advice);
}

/* ---- --column ---------------------------------------------------------------------------------------------------- */

/*
 * Finds the column of --column: by its name in the first row, which then is a header, or by its number from 1. A number
 * is a name only in a header.
 */
static bool find_given(struct list *l, const struct columns *t, struct fault *fault)
{
	const char *wanted = l->options->column;
	struct list_layout *out = &l->layout;
	struct csv *c = &l->csv;
	int64_t number;
	bool is_a_number = scan_integer(wanted, strlen(wanted), &number) == INTEGER_EXACT;

	if (!csv_rewind(c, fault) || !csv_next(c, fault))
		return false;
	for (uint32_t i = 0; i < c->count && (!is_a_number || out->header); i++) {
		if (c->fields[i].n == strlen(wanted) && !memcmp(c->fields[i].s, wanted, c->fields[i].n)) {
			if (out->label_column != NO_COLUMN)
				return ask(fault, "give its number, from 1",
					   "--column %s: columns %" PRIu32 " and %" PRIu32 " have that name", wanted,
					   out->label_column + 1, i + 1);
			out->label_column = i;
		}
	}
	if (out->label_column != NO_COLUMN) {
		out->header = true;
		return true;
	}
	RELEASED struct strbuf columns = STRBUF_INIT;

	columns_question(t, &columns);
	if (is_a_number && number >= 1 && (uint64_t)number <= c->count)
		out->label_column = (uint32_t)(number - 1);
	else if (is_a_number)
		ask(fault, "count columns from 1", "--column %s: the first row has %zu columns: %s", wanted, c->count,
		    columns.s);
	else
		ask(fault, "give a name from the first row, or a number from 1",
		    "--column %s: the first row has no such column; it has %s", wanted, columns.s);
	return fault->kind == FAULT_NONE;
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

/* Returns whether a table without a header has an image, a label and four columns of numbers. */
static bool may_have_boxes(const struct columns *t)
{
	size_t numbers = 0, images = 0;

	for (size_t i = 0; i < t->count; i++) {
		numbers += t->v[i].values && t->v[i].integers + t->v[i].fractions == t->v[i].values;
		images += 2 * t->v[i].images > t->v[i].values;
	}
	return !t->header && t->count == 6 && images == 1 && numbers >= 4;
}

static bool ask_for_column(enum text_kind kind, const struct columns *t, struct fault *fault)
{
	const size_t flags = columns_flags(t);
	RELEASED struct strbuf columns = STRBUF_INIT;

	columns_question(t, &columns);
	if (kind == TEXT_IS_CLASSES)
		ask(fault, "pass it as --classes, and the folder of the labels as PATH",
		    "no labels, but a table of the classes, each once: columns %s", columns.s);
	else if (kind == TEXT_IS_PAIRS)
		ask(fault,
		    "pass the folder of the masks as PATH (fetch them, if they are not there), or a list of masks as "
		    "--files-from",
		    "no labels, but a list of images and masks: columns %s", columns.s);
	else if (kind == TEXT_IS_NONE)
		ask(fault,
		    "make ids of the texts first (input_ids), or name the key that holds labels with --column a.b",
		    "objects, as of a conversation, and no labels: columns %s", columns.s);
	else if (t->header && !t->rows)
		ask(fault, "", "a header without a row after it: no labels");
	else if (t->count == 1)
		ask(fault, "pass a list of files to audit with --files-from", "a list of file names without labels");
	else if (flags && !columns_name_labels(t))
		ask(fault,
		    "one 1 a row: write its column's number as one column; else audit each alone: --column N --classes "
		    "2",
		    "its rows have several labels, or are one-hot: %zu columns of 0 and 1: %s", flags, columns.s);
	else
		ask(fault,
		    may_have_boxes(t) ? "name it with --column N, or, with boxes, all columns: sed -i '1i "
					"image,class,xmin,ymin,xmax,ymax' FILE"
				      : "name it with --column NAME or --column N",
		    "which column holds the labels? %s", columns.s);
	return false;
}

static bool ask_for_class(struct fault *fault)
{
	return ask(fault,
		   "if all are of one class, declare that one (--classes 1); "
		   "else name the column of the classes with --column",
		   "rows of boxes, and no column with their classes");
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Returns whether the first box of keras-yolo3 has the name of a class. */
static bool groups_have_names(struct list *l, struct fault *fault)
{
	struct csv *c = &l->csv;
	size_t class = 0;
	int64_t id;

	if (!csv_rewind(c, fault))
		return false;
	while (!class && csv_next(c, fault))
		for (size_t i = 1; !class && i < c->count; i++) {
			const struct text_field *box = &c->fields[i];

			class = box_group_class(box->s, box->n);
			if (class && scan_integer(box->s + class, box->n - class, &id) == INTEGER_NONE)
				return true;
		}
	return false;
}

/* Takes the columns of a form. */
static void take_form(struct list *l, const struct columns *t, struct fault *fault)
{
	const struct box_form *form = l->form;
	struct list_layout *out = &l->layout;
	static const char letters[] = "ltrb";
	const size_t named = box_form_column(form, 'p');
	const size_t path = named == SIZE_MAX && form->columns[0] == 'w' ? 0 : named;

	out->header = false;
	out->boxes = true;
	out->fractions = form->fractions;
	out->leaves_frame = form->leaves_frame;
	out->label_column = (uint32_t)box_form_class(form);
	out->path_column = path == SIZE_MAX ? NO_COLUMN : (uint32_t)path;
	out->names = form->grouped ? groups_have_names(l, fault)
				   : form->columns[out->label_column] == 'N' ||
					     (form->columns[out->label_column] == 'A' && out->label_column < t->count &&
					      column_holds_text(&t->v[out->label_column]));
	out->box_sizes = strchr(form->columns, 'W');
	if (strchr(form->columns, 'X')) {
		out->image_columns[0] = (uint32_t)box_form_column(form, 'X');
		out->image_columns[1] = (uint32_t)box_form_column(form, 'Y');
	}
	for (size_t i = 0; i < 4 && !form->grouped && !strchr(form->columns, 'q'); i++)
		out->box_columns[i] =
			(uint32_t)box_form_column(form, out->box_sizes && i >= 2 ? "WH"[i - 2] : letters[i]);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

enum { HOT_MIN = 3 }; /* classes: 1 and 0 in lists of two may be ids */

static bool find_columns(struct list *l, const struct columns *t, struct fault *fault)
{
	struct list_layout *out = &l->layout;
	const char *column = l->options->column;
	uint32_t labels;
	const enum text_kind kind = columns_kind(t, &labels);

	out->columns = (uint32_t)t->count;
	out->header = t->header;
	if (!t->count)
		return fault_set_at(fault, FAULT_LABELS, 1, 1, "only blank lines: no labels");
	if (l->form) {
		take_form(l, t, fault);
		return fault->kind == FAULT_NONE;
	}
	if (column && !find_given(l, t, fault))
		return false;
	if (!column)
		out->label_column = labels;
	if (out->label_column == NO_COLUMN && t->rows && !columns_name_labels(t) &&
	    (columns_find_boxes(t, false, out) || columns_find_boxes(t, true, out))) {
		out->one_class = true;
		out->path_column = columns_find_paths(t, NO_COLUMN);
		if (!strncmp(t->v[MIN(out->boxes_column, (uint32_t)t->count - 1)].shown[0], "[[", 2))
			out->label_column = out->boxes_column;
		return id_ranges_size(&l->options->classes->classes) == 1 || ask_for_class(fault);
	}
	if (out->label_column == NO_COLUMN || !t->rows)
		return ask_for_column(kind, t, fault);

	const struct column_facts *label = &t->v[out->label_column];

	if (!column && (label->shown[0][0] == '{' || !strncmp(label->shown[0], "[{", 2)))
		return ask_for_column(TEXT_IS_NONE, t, fault);
	if (t->count == 1 && !column && column_holds_text(label) && 2 * label->paths > label->values && !label->known)
		return ask_for_column(kind, t, fault);
	out->names = column_holds_text(label);
	out->several_hot =
		label->hot_length >= HOT_MIN && 4 * label->hot >= 3 * label->values &&
		(strchr(label->shown[0], '.') || label->hot_length == id_ranges_size(&l->options->classes->classes));
	out->path_column = columns_find_paths(t, out->label_column);
	/* a path with blanks is several columns */
	for (uint32_t i = 0, texts = 0; out->separator == FIELDS_BLANKS && !out->header && i < t->count; i++) {
		texts += i != out->label_column && column_holds_text(&t->v[i]);
		if (texts > 1)
			out->path_column = NO_COLUMN;
	}
	bool lists = 2 * label->lists > label->values;

	for (size_t k = 0; k < SHOWN_VALUES; k++) /* of names */
		lists |= label->shown[k][0] == '[' && strchr("\"'", label->shown[k][1]) && label->shown[k][1];
	if (columns_find_boxes(t, lists, out) && lists && out->boxes_column != NO_COLUMN) {
		out->beside_column = out->boxes_column;
		out->several_hot = false;
	}
	out->unnamed_boxes = !out->boxes && may_have_boxes(t);
	/* runs of pixels: a row is an object, too */
	for (uint32_t i = 0; !lists && i < t->count; i++)
		out->boxes |= i != out->label_column && t->v[i].values && 2 * t->v[i].lists > t->v[i].values;
	if (out->header)
		memcpy(out->label_name, label->name, sizeof(label->name));
	return true;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* Returns how many ids of classes are in a list. */
static size_t count_classes(const struct list *l, const struct text_field *list)
{
	struct text_field rest = *list;
	size_t count = 0;

	while (value_is_list(list->s, list->n) && rest.n) {
		const struct text_field item = field_next_item(&rest);
		int64_t id;

		count += scan_integer(item.s, item.n, &id) == INTEGER_EXACT &&
			 class_set_role(l->options->classes, id) == ID_CLASS;
	}
	return count;
}

/*
 * Ids of tokens beside the labels, input_ids, index the embeddings. The task decides if --classes is about these, too:
 * the labels of a language model are tokens, one for each of the input, those of a tagger or of a classifier
 * are not. They are read if most rows have as many labels and most of the tokens are classes: ids that are wrong are
 * few. If most rows have as many, all should, also as words.
 */
static bool find_tokens(struct list *l, const struct columns *t, struct fault *fault)
{
	enum { ROWS = 16 };
	struct list_layout *out = &l->layout;
	struct csv *c = &l->csv;
	uint32_t column = NO_COLUMN;
	size_t items = 0, classes = 0, alike = 0, rows = 0;
	bool ids = false, others = false;

	for (uint32_t i = 0; t->header && i < t->count; i++) {
		const bool lists = 2 * t->v[i].lists > t->v[i].values;

		if (i == out->label_column || !word_is_tokens(&t->v[i].word) || t->v[i].shown[0][0] != '[')
			continue;
		others |= ids && lists;
		/* of an encoder and a decoder the labels are those of the decoder */
		if (!ids || (lists && !strcmp(t->v[i].word.s, "decoderinputids")))
			column = column == NO_COLUMN || lists ? i : column;
		ids |= lists;
	}
	out->tokens = t->header && out->label_column < t->count && word_is_tokens(&t->v[out->label_column].word);
	if (column == NO_COLUMN || l->options->column || l->form)
		return true;
	if (!csv_rewind(c, fault) || !csv_next(c, fault))
		return false;
	for (; rows < ROWS && csv_next(c, fault); rows++) {
		if (MAX(column, out->label_column) >= c->count)
			continue;
		const size_t tokens = field_list_length(&c->fields[column]);

		alike += tokens == field_list_length(&c->fields[out->label_column]);
		items += tokens;
		classes += count_classes(l, &c->fields[column]);
	}
	if (fault->kind == FAULT_UNREADABLE)
		return false;
	fault_clear(fault); /* it is reported when the row is read again */
	const bool beside = 4 * alike >= 3 * rows;

	const bool apart = ids && (!beside || 2 * classes < items);

	out->other_tokens = apart || others;
	if (ids && !apart)
		out->token_column = column;
	else if (beside)
		out->beside_column = column;
	return true;
}

bool list_find_columns(struct list *l, struct fault *fault)
{
	struct columns t;

	l->layout = (struct list_layout){
		.separator = l->csv.separator,
		.label_column = NO_COLUMN,
		.path_column = NO_COLUMN,
		.token_column = NO_COLUMN,
		.beside_column = NO_COLUMN,
		.boxes_column = NO_COLUMN,
		.box_columns = { NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN },
		.image_columns = { NO_COLUMN, NO_COLUMN },
	};
	const bool ok = columns_read(&t, &l->csv, &l->names, fault) && find_columns(l, &t, fault) &&
			find_tokens(l, &t, fault) && csv_rewind(&l->csv, fault);

	l->layout.one_image = l->layout.boxes && l->layout.path_column == NO_COLUMN &&
			      l->layout.boxes_column == NO_COLUMN && !(l->form && strchr(l->form->columns, 'F'));
	columns_release(&t);
	return ok;
}
