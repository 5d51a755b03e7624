#include "read/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/json_block.h"
#include "base/key_set.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "read/list_words.h"
#include "read/listed_images.h"
#include "read/text_look.h"

enum {
	/* Different names to number at most: this many more than classes, so that a finding can list the extra ones. */
	NAMES_SPARE = 64,
	NAMES_MAX = 1 << 16,
	NAMES_BYTES = 4 << 20,
	NAME_BYTES = 255, /* of one; the names of all lists are kept */
};

#define BIT(fault) (1u << (fault))

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Copies s[0..n), cut to fit and NUL-terminated. */
static void copy_word(char out[LIST_WORD_MAX], const char *s, size_t n)
{
	n = MIN(n, (size_t)LIST_WORD_MAX - 1);
	memcpy(out, s, n);
	out[n] = '\0';
}

static bool too_many_names(const struct list *l, uint64_t classes, struct fault *fault)
{
	fault_set_at(fault, FAULT_LABELS, l->csv.line, 1,
		     "column %" PRIu32 " holds more than %zu different words, for %" PRIu64
		     " classes: it does not name classes",
		     l->layout.label_column + 1, l->names.count, classes);
	return fault_advise(fault, "name the label column with --column NAME or --column N");
}

static bool too_long_a_name(const struct list *l, size_t n, struct fault *fault)
{
	fault_set_at(fault, FAULT_LABELS, l->csv.line, 1,
		     "column %" PRIu32 " holds a text of %zu bytes: it names no classes", l->layout.label_column + 1,
		     n);
	return fault_advise(fault, "name the column of labels with --column NAME or --column N");
}

/* Finds the current record's label. Returns false if it is too short. */
static bool find_label(const struct list *l, struct text_field *out)
{
	if (l->layout.label_column >= l->csv.count)
		return false;
	*out = l->csv.fields[l->layout.label_column];
	return true;
}

/* Returns whether a value may name a class that is not declared: it is neither a number nor a list, nor missing. */
static bool may_be_name(const char *s, size_t n)
{
	int64_t v;

	return !word_is_missing(s, n) && *s != '[' && *s != '{' && !value_is_list(s, n) &&
	       scan_integer(s, n, &v) == INTEGER_NONE;
}

/* Returns whether a value is a list of names: in brackets, with quotation marks inside; or of none. */
static bool is_list_of_names(const struct text_field *f)
{
	size_t first = 1;

	if (f->n < 2 || *f->s != '[' || f->s[f->n - 1] != ']')
		return false;
	while (first < f->n - 1 && field_between_items(f->s[first]))
		first++;
	return first == f->n - 1 || strchr("\"'", f->s[first]);
}

/* Returns whether a value is no declared name, but all its words are: scab rust. */
static bool is_several_names(const struct list *l, const struct text_field *f)
{
	struct text_field rest = *f;
	bool known = !l->layout.numbered && !name_table_find(&l->names, f->s, f->n);

	while (known && rest.n) {
		const struct text_field item = field_next_item(&rest);

		known = name_table_find(&l->names, item.s, item.n) != NULL;
	}
	return known && f->n;
}

/* Numbers a name. Returns false with *fault set if it is none, or there are too many. */
static bool number_name(struct list *l, const char *s, size_t n, struct fault *fault)
{
	uint64_t classes = id_ranges_size(&l->options->classes->classes);

	if (!may_be_name(s, n) || memchr(s, '\0', n))
		return true;
	if (n > NAME_BYTES)
		return too_long_a_name(l, n, fault);
	name_table_add(&l->names, s, n, 0);
	return l->names.count <= (size_t)MIN(classes, (uint64_t)NAMES_MAX) + NAMES_SPARE &&
			       l->names.text.len <= NAMES_BYTES
		       ? true
		       : too_many_names(l, classes, fault);
}

/* Collects the different names of the whole list, and numbers them. */
static bool number_names(struct list *l, struct fault *fault)
{
	while (csv_next(&l->csv, fault)) {
		struct text_field label;

		const bool grouped = l->form && l->form->grouped;

		for (size_t i = 1; grouped && i < l->csv.count; i++) {
			const struct text_field *box = &l->csv.fields[i];
			const size_t class = box_group_class(box->s, box->n);

			if (class && !number_name(l, box->s + class, box->n - class, fault))
				return false;
		}
		if (grouped || !find_label(l, &label))
			continue;
		for (bool more = true, many = is_list_of_names(&label); more; more = many && label.n) {
			const struct text_field name = many ? field_next_item(&label) : label;

			if (!number_name(l, name.s, name.n, fault))
				return false;
		}
	}
	if (fault->kind != FAULT_NONE)
		return false;
	name_table_number(&l->names);
	return true;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static bool rewind_to_rows(struct list *l, struct fault *fault)
{
	return csv_rewind(&l->csv, fault) && (!l->layout.header || csv_next(&l->csv, fault));
}

bool list_open(struct list *l, struct input *in, const struct list_options *options, struct fault *fault)
{
	struct csv *c = &l->csv;
	struct text_look look;

	*l = (struct list){ .options = options };
	name_table_init(&l->names);
	if (!csv_open(c, in, fault))
		return false;
	const size_t n = (size_t)(c->text.end - c->text.at);

	text_look_at_lines(c->text.at, MIN(n, (size_t)CSV_SAMPLE_BYTES), c->text.last && n <= CSV_SAMPLE_BYTES, &look);
	l->form = options->form ? options->form : options->column ? NULL : look.form;
	l->announced = look.counted ? look.rows : 0;
	if (!csv_begin(c, l->form ? l->form->separator : look.separator, look.json, look.counted, fault))
		return false;
	l->plain = class_set_plain(options->classes);
	name_table_declare(&l->names, options->classes);
	if (!list_find_columns(l, fault))
		return false;
	if (!rewind_to_rows(l, fault))
		return false;
	l->layout.numbered = l->layout.names && !l->names.count;
	if (l->layout.numbered && (!number_names(l, fault) || !rewind_to_rows(l, fault)))
		return false;
	return true;
}

void list_close(struct list *l)
{
	csv_close(&l->csv);
	name_table_release(&l->names);
	entry_table_release(&l->entries);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Keeps the first unknown name, and the declared name nearest to it, for the finding. */
static void look_for_nearest(struct list *l, const char *s, size_t n)
{
	struct nearest nearest;

	if (l->layout.unknown[0])
		return;
	copy_word(l->layout.unknown, s, n);
	if (n >= LIST_WORD_MAX)
		return;
	nearest_init(&nearest, l->layout.unknown);
	for (size_t i = 0; i < l->names.count; i++)
		nearest_try(&nearest, name_table_text(&l->names, &l->names.names[i]));
	if (nearest.name)
		copy_word(l->layout.nearest, nearest.name, strlen(nearest.name));
}

static void read_id(const struct csv *c, struct list_row *row, const char *s, size_t n)
{
	enum integer_kind kind = scan_integer(s, n, &row->id);

	row->has_id = kind == INTEGER_EXACT || kind == INTEGER_DECIMAL;
	if (row->has_id && s >= c->bytes && s < c->bytes + c->size) {
		row->id_at = text_lines_offset(&c->text, s);
		row->id_size = (uint32_t)n;
	}
	if (kind == INTEGER_DECIMAL)
		row->faults |= BIT(LIST_FLOAT);
	else if (kind == INTEGER_OVERFLOW)
		row->faults |= BIT(LIST_OVERFLOW);
	else if (!row->has_id)
		row->faults |= word_is_missing(s, n) ? BIT(LIST_MISSING) : BIT(LIST_NOT_INTEGER);
}

/* Returns whether a name has blanks between it and a separator that is none. */
static bool has_blanks_around(const struct csv *c, const struct text_field *field)
{
	const char *const end = field->s + field->n;

	return !c->json && c->separator != FIELDS_BLANKS && !field->quoted && field->s >= c->bytes &&
	       end <= c->bytes + c->size &&
	       ((field->s > c->bytes && field->s[-1] == ' ') || (end < c->bytes + c->size && *end == ' '));
}

/* Reads the label, an id or a name, in a field. */
static void read_value(struct list *l, struct list_row *row, const struct text_field *field)
{
	row->column = csv_place(&l->csv, field->at, &row->line);
	if (!l->layout.names || l->items.tokens) {
		read_id(&l->csv, row, field->s, field->n);
		return;
	}
	const struct class_name *name = name_table_find(&l->names, field->s, field->n);

	if (name) {
		row->has_id = true;
		row->id = name->id;
	} else if (word_is_missing(field->s, field->n)) {
		row->faults |= BIT(LIST_MISSING);
	} else if (may_be_name(field->s, field->n)) {
		row->faults |= BIT(LIST_UNKNOWN);
		look_for_nearest(l, field->s, field->n);
	} else {
		row->faults |= BIT(LIST_NOT_NAME);
	}
}

/* ---- lists in a field ---------------------------------------------------------------------------------------------
 */

/*
 * Reads the digits before a comma, at most seven, eight bytes at once: `s` has as many. Returns the bytes with the
 * comma, and a blank after it; 0 if s does not begin so.
 */
static size_t read_digits(const char *s, int64_t *id)
{
	const uint64_t v = ascii_digits(s);
	const unsigned digits = ascii_count_digits(v);

	if (!digits || digits == 8 || s[digits] != ',')
		return 0;
	*id = ascii_value(v << 8 * (8 - digits));
	return digits + 1u + (s[digits + 1] == ' ');
}

/* Ids that are classes, or negative and ignored: they need no row. */
struct plain_ids {
	int64_t ids[512];
	int64_t ignored; /* the last that was */
	size_t count, negative;
};

enum { ITEMS_SPARE = 24 }; /* bytes of a list that are left for its last item */

/* Returns whether an id is a class, or negative and ignored. */
static inline bool is_plain_id(const struct list *l, struct plain_ids *plain, int64_t id)
{
	if ((uint64_t)id < (uint64_t)l->plain)
		return true;
	if (id >= 0 || l->items.indexes ||
	    (id != plain->ignored && class_set_role(l->options->classes, id) != ID_IGNORED))
		return false;
	plain->ignored = id;
	plain->negative++;
	return true;
}

/* Takes plain ids while they are digits before commas, one by one. Returns where the first other item begins. */
static const char *take_ids(const struct list *l, const char *s, const char *end, struct plain_ids *plain)
{
	while (plain->count < ARRAY_SIZE(plain->ids) && end - s > ITEMS_SPARE) {
		const bool minus = *s == '-';
		int64_t *id = &plain->ids[plain->count];
		const size_t size = read_digits(s + minus, id);

		*id = minus ? -*id : *id;
		if (!size || !is_plain_id(l, plain, *id))
			break;
		s += size + minus;
		plain->count++;
	}
	return s;
}

/* The same by blocks, of which each is read and judged whole, up to the last number before a bracket. */
static const char *take_blocks(const struct list *l, const char *s, const char *end, struct plain_ids *plain)
{
	const char *const field = l->csv.bytes, *const window = l->csv.text.end;
	const char *const readable = s >= field && s < field + l->csv.size ? window : end;
	struct json_numbers block;
	size_t taken = 1;

	while (taken && plain->count + JSON_BLOCK_NUMBERS <= ARRAY_SIZE(plain->ids) &&
	       readable - s >= JSON_BLOCK_READABLE &&
	       json_read_ids((const uint8_t *)s, &block, plain->ids + plain->count)) {
		const uint64_t last = UINT64_C(1) << 63 >> __builtin_clzll(block.ends);
		const bool closed = block.closed && end - s > __builtin_ctzll(last);
		const ptrdiff_t most = closed ? __builtin_ctzll(last) : end - s - ITEMS_SPARE;
		uint64_t commas = most >= JSON_BLOCK ? block.ends
				  : most > 0         ? block.ends & ((UINT64_C(1) << most) - 1)
						     : 0;

		for (taken = 0; commas && is_plain_id(l, plain, plain->ids[plain->count]); commas &= commas - 1) {
			block.starts &= block.starts - 1;
			plain->count++;
			taken++;
		}
		if (block.starts)
			s += __builtin_ctzll(block.starts) - (block.negative & block.starts & -block.starts ? 1 : 0);
		else
			s += __builtin_ctzll(last) + 1;
		if (commas || closed)
			break;
	}
	return s;
}

/* Takes plain ids, and hands them over. */
static const char *take_plain(const struct list *l, const char *s, const char *end, struct plain_ids *plain)
{
	plain->count = plain->negative = 0;
	s = take_blocks(l, s, end, plain);
	s = take_ids(l, s, end, plain);
	l->options->ids(l->options->context, plain->ids, plain->count);
	return s;
}

/* Reads plain ids up to another item or to the last one. */
static void read_plain_items(struct list *l)
{
	struct list_items *items = &l->items;
	const char *s = items->rest.s, *const end = s + items->rest.n;
	struct plain_ids plain = { .ignored = 0 };

	do {
		s = take_plain(l, s, end, &plain);
		while (s < end && field_between_items(*s))
			s++;
		items->count += plain.count;
		items->trained += plain.count - plain.negative;
	} while (plain.count);
	items->rest.at += (uint32_t)(s - items->rest.s);
	items->rest.s = s;
	items->rest.n = (size_t)(end - s);
}

static void begin_items(struct list *l, const struct text_field *field, bool tokens)
{
	l->items = (struct list_items){
		.rest = *field, .tokens = tokens, .indexes = tokens || l->layout.tokens, .labels = l->items.count
	};
}

/* Takes the next of 1 and 0, one for each class, as the id of its class. */
static void read_hot(struct list *l, struct list_row *row, const struct text_field *item)
{
	int64_t hot = -1;

	row->column = csv_place(&l->csv, item->at, &row->line);
	const enum integer_kind kind = scan_integer(item->s, item->n, &hot);

	row->has_id = (kind == INTEGER_DECIMAL || kind == INTEGER_EXACT) && hot == 1;
	row->id = (int64_t)l->items.count;
	if (!row->has_id && hot != 0)
		row->faults |= BIT(LIST_NOT_INTEGER);
}

/* Judges a list that was read to its end; that of the tokens is next. */
static void end_items(struct list *l, struct list_row *row)
{
	const struct list_items *items = &l->items;
	const struct list_layout *y = &l->layout;
	const uint32_t column = items->tokens ? NO_COLUMN : y->token_column;
	const uint64_t wanted = items->tokens                     ? items->labels
				: y->several_hot                  ? id_ranges_size(&l->options->classes->classes)
				: y->beside_column < l->csv.count ? field_list_length(&l->csv.fields[y->beside_column])
								  : items->count;

	if (items->count != wanted)
		row->faults |= BIT(LIST_LENGTH);

	if (l->options->max_length && items->count > l->options->max_length)
		row->faults |= BIT(LIST_TOO_LONG);
	l->lists += !items->tokens;
	if (!items->tokens && items->count && !items->trained)
		row->faults |= BIT(LIST_ALL_IGNORED);
	if (column < l->csv.count && value_is_list(l->csv.fields[column].s, l->csv.fields[column].n))
		begin_items(l, &l->csv.fields[column], true);
}

/* Reads a box of the only class. */
static void read_one_class(struct list *l, struct list_row *row)
{
	row->has_id = list_read_listed_box(l, row);
	row->id = l->options->classes->classes.v[0].first;
}

/* Reads the next item of a list. */
static void read_item(struct list *l, struct list_row *row)
{
	struct list_items *items = &l->items;
	const struct class_set *classes = l->options->classes;

	row->key = key_of_numbers(items->rest.n, row->key); /* one id of its row */
	const struct text_field item = field_next_item(&items->rest);

	l->item = item;
	if (l->layout.one_class) {
		read_one_class(l, row);
		items->rest = items->boxes;
		items->count++;
		items->trained++;
		if (!items->rest.n || !memchr(items->rest.s, '[', items->rest.n))
			items->rest.n = 0;
	} else if (item.n) {
		if (l->layout.several_hot)
			read_hot(l, row, &item);
		else
			read_value(l, row, &item);
		list_read_listed_box(l, row);
		const bool ignored = row->has_id && class_set_role(classes, row->id) == ID_IGNORED;

		items->count++;
		items->trained += !ignored;
		if (items->indexes && ignored &&
		    (row->id < 0 || row->id > classes->classes.v[classes->classes.count - 1].last)) {
			row->faults |= BIT(LIST_NO_TOKEN);
			row->has_id = false;
		}
	}
	if (!items->rest.n)
		end_items(l, row);
}

/* Hands over the image of the current record. */
static void take_path(const struct list *l, const struct text_field *path)
{
	const struct listed_image image = { path->s, path->n, l->image_size[0], l->image_size[1], l->csv.line, 1, 0 };

	if (l->options->path)
		l->options->path(l->options->context, &image);
}

/* Hands over the image of the current record's frame. */
static void take_frame(const struct list *l)
{
	const struct csv *c = &l->csv;
	const size_t at = box_form_column(l->form, 'F');
	int64_t frame = 0;
	char name[32];

	if (at >= c->count || scan_integer(c->fields[at].s, c->fields[at].n, &frame) != INTEGER_EXACT || frame < 0)
		return;
	const int n = snprintf(name, sizeof(name), "%0*" PRId64, l->form->digits, frame);

	take_path(l, &(struct text_field){ .s = name, .n = (size_t)n });
}

static void read_path(struct list *l, struct list_row *row)
{
	const struct csv *c = &l->csv;
	const struct text_field *path = &c->fields[l->layout.path_column];

	if (!path->n)
		return;
	take_path(l, path);
	if (l->form || l->layout.box_columns[0] != NO_COLUMN || l->layout.boxes_column != NO_COLUMN)
		return; /* boxes are compared by their numbers */
	row->has_entry = true;
	/* an image has many boxes, but each box once */
	if (l->layout.boxes)
		row->entry = hash_bytes(hash_seed(), c->bytes, c->size);
	else
		row->entry = hash_bytes(hash_seed(), path->s, path->n);
}

/* Returns whether a row names an image that has no box: all its fields after the path are empty. */
static bool is_without_box(const struct list *l)
{
	const struct csv *c = &l->csv;

	for (size_t i = l->layout.path_column + 1; i < c->count; i++)
		if (c->fields[i].n)
			return false;
	return true;
}

/*
 * Reads the next box of a record of keras-yolo3: image.jpg 48,240,195,371,11 8,12,352,498,14. The path may contain
 * blanks; a record of a path alone is an image without objects.
 */
static void read_box(struct list *l, struct list_row *row)
{
	struct csv *c = &l->csv;
	size_t at = l->next_box ? l->next_box : 1;

	while (!l->next_box && at < c->count && !box_group_class(c->fields[at].s, c->fields[at].n))
		at++;
	const struct text_field *box = &c->fields[at < c->count ? at : c->count - 1];
	size_t id = box_group_class(box->s, box->n);

	l->next_box = at + 1 < c->count ? at + 1 : 0;
	row->column = csv_place(c, box->at + id, &row->line);
	row->key = key_of_numbers(at, row->key);
	if (id) {
		read_value(l, row,
			   &(struct text_field){ .s = box->s + id, .at = box->at + (uint32_t)id, .n = box->n - id });
		list_read_group_box(l, row, box);
	} else if (c->count > 1)
		row->faults |= BIT(LIST_NOT_INTEGER);
	if (row->has_id)
		take_path(l, &c->fields[0]);
}

static void begin_row(const struct list *l, struct list_row *row)
{
	const struct csv *c = &l->csv;

	*row = (struct list_row){ .line = c->line, .column = 1, .key = l->key };
}

/* Reads the next record. Returns false at the end, or if *fault is set. */
static bool next_record(struct list *l, struct fault *fault)
{
	enum { KEY_BYTES = 4096 };
	struct csv *c = &l->csv;

	if (!csv_next(c, fault))
		return false;
	l->key = key_of_bytes(c->bytes, MIN(c->size, (size_t)KEY_BYTES));
	if (l->layout.path_column == NO_COLUMN)
		l->key = key_of_numbers(c->line, l->key);
	if (l->layout.boxes)
		l->image = list_image_key(l);
	return true;
}

/* Returns whether a row has as many columns as the first one, or as its form allows. */
static bool has_columns(const struct list *l, size_t count)
{
	size_t all, least;

	if (!l->form)
		return count == l->layout.columns;
	least = box_form_width(l->form, &all);
	return count == least || count == all;
}

/* Returns whether a field is digits alone, as most are. */
static bool is_plain_integer(const struct text_field *field)
{
	size_t digits = 0;

	while (digits < field->n && ascii_isdigit(field->s[digits]))
		digits++;
	return digits == field->n;
}

static void read_row(struct list *l, struct list_row *row)
{
	struct text_field label;
	const struct csv *c = &l->csv;
	const struct text_lines *t = &c->text;

	begin_row(l, row);
	const bool grouped = l->form && l->form->grouped;

	if (!grouped && !has_columns(l, c->count))
		row->faults |= BIT(LIST_RAGGED);
	if (c->stray_quote && c->separator != '\t') /* TSV has no quoting */
		row->faults |= BIT(LIST_QUOTE);
	if (c->lone_cr)
		row->faults |= BIT(LIST_LONE_CR);
	if (t->eighth && !utf8_valid(c->bytes, c->size))
		row->faults |= BIT(LIST_NOT_UTF8);
	if (t->nul && memchr(c->bytes, '\0', c->size)) {
		row->faults |= BIT(LIST_NUL);
		return; /* programs disagree on where such a row ends */
	}
	if (grouped) {
		read_box(l, row);
		return;
	}
	if (l->form && strchr(l->form->columns, 'p') && is_without_box(l))
		return;
	const bool wide = has_columns(l, c->count);
	bool boxed = false;

	if (!find_label(l, &label)) {
		/* a row that is too short has no label: LIST_RAGGED */
	} else if (!is_plain_integer(&label) &&
		   (l->layout.one_class     ? true
		    : l->layout.several_hot ? value_is_several_hot(label.s, label.n)
		    : l->layout.names       ? is_list_of_names(&label) || is_several_names(l, &label)
					    : value_is_list(label.s, label.n))) {
		begin_items(l, &label, false);
		if (l->layout.boxes_column < c->count) {
			l->items.boxes = c->fields[l->layout.boxes_column];
			list_read_image_size(l, row);
		}
		if (l->layout.path_column < c->count)
			take_path(l, &c->fields[l->layout.path_column]);
		read_item(l, row);
		return;
	} else {
		l->items.tokens = false;
		if (l->layout.names && has_blanks_around(c, &label))
			row->faults |= BIT(LIST_BLANKS);
		read_value(l, row, &label);
	}
	if (l->layout.image_columns[0] != NO_COLUMN)
		list_read_image_size(l, row);
	if (wide && l->layout.boxes_column != NO_COLUMN) {
		l->items.boxes = c->fields[l->layout.boxes_column];
		boxed = list_read_listed_box(l, row);
	} else if (wide && (l->form || l->layout.box_columns[0] != NO_COLUMN)) {
		boxed = list_read_sides(l, row);
	}
	if (l->layout.one_class && boxed) {
		row->has_id = true;
		row->id = l->options->classes->classes.v[0].first;
	}
	if (l->layout.path_column < c->count && row->has_id)
		read_path(l, row);
	if (l->form && l->form->frames)
		take_frame(l);
}

/* Reads rows of digits alone, of which lists have millions, straight from the window. Stops at the first other row. */
static size_t read_plain_rows(struct list *l, struct list_row *rows, size_t max)
{
	struct csv *c = &l->csv;
	const char *at = c->text.at, *end = c->text.end, *first = at;
	uint64_t line = c->text.lines, offset = text_lines_offset(&c->text, first);
	size_t count = 0;

	while (count < max) {
		const char *p = at;
		int64_t v = 0;

		while (p < end && ascii_isdigit(*p) && p - at < 18)
			v = v * 10 + (*p++ - '0');
		if (p == at || p == end || *p != '\n')
			break;
		line++;
		struct list_row *row = &rows[count++];

		/* member by member: not all need be cleared */
		row->line = line;
		row->column = 1;
		row->faults = 0;
		row->has_id = true;
		row->has_entry = false;
		row->id = v;
		row->id_at = offset + (uint64_t)(at - first);
		row->id_size = (uint32_t)(p - at);
		row->entry = 0;
		row->key = line;
		at = p + 1;
	}
	c->text.at = at;
	c->text.lines = line;
	return count;
}

/* Reads plain ids that follow an element of an array of JSON, which are its elements. Stops at the first other one. */
static void read_plain_values(struct list *l)
{
	struct csv *c = &l->csv;
	const char *s = c->text.at, *const end = c->text.end;
	struct plain_ids plain = { .count = s < end && *s == ',' };

	while (plain.count) {
		for (s++; s < end && strchr(" \n", *s) && *s;)
			s++;
		s = take_plain(l, s, end, &plain);
		do
			s--;
		while (*s != ','); /* after an element, as csv_next() expects it */
		csv_skip_values(c, s, plain.count);
	}
}

static void compare_entries(struct list *l, struct list_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i + ENTRY_AHEAD < count)
			entry_table_prefetch(&l->entries, rows[i + ENTRY_AHEAD].entry);
		if (!rows[i].has_entry)
			continue;
		enum entry_state state = entry_table_add(&l->entries, rows[i].entry, (uint64_t)rows[i].id);

		if (state != ENTRY_NEW)
			rows[i].faults |= state == ENTRY_SAME ? BIT(LIST_DUPLICATE) : BIT(LIST_CONFLICT);
	}
}

/* Sets *fault if the list ended with fewer rows, or more, than its first line says. */
static void check_announced(const struct list *l, struct fault *fault)
{
	const uint64_t rows = l->csv.records - (l->layout.header ? 1 : 0);

	if (l->announced && rows != l->announced)
		fault_set_at(fault, FAULT_LABELS, 1, 1, "the first line says %" PRIu64 " rows, but %" PRIu64 " follow",
			     l->announced, rows);
}

size_t list_read(struct list *l, struct list_row *rows, size_t max, struct fault *fault)
{
	bool plain = l->layout.columns == 1 && !l->layout.names;
	const bool values = plain && l->csv.json == JSON_ROWS_OF_VALUES && l->options->ids && !l->layout.several_hot;
	size_t count = 0;

	while (count < max) {
		if (plain) {
			count += read_plain_rows(l, rows + count, max - count);
			if (count == max)
				break;
		}
		if (values && !l->items.rest.n && l->csv.values)
			read_plain_values(l);
		if (!l->next_box && !l->items.rest.n && !next_record(l, fault))
			break;
		if (l->items.rest.n) {
			if (l->options->ids && !l->layout.several_hot && l->layout.boxes_column == NO_COLUMN)
				read_plain_items(l);
			begin_row(l, &rows[count]);
			read_item(l, &rows[count++]);
		} else {
			read_row(l, &rows[count++]);
		}
	}
	if (!count && fault->kind == FAULT_NONE)
		check_announced(l, fault);
	if (fault->kind != FAULT_NONE)
		return 0;
	if (l->layout.path_column != NO_COLUMN)
		compare_entries(l, rows, count);
	return count;
}
