#include "read/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "platform/platform.h"

enum {
	PREVIEW_ROWS = 1000,
	COUNTED_ROWS = 6,  /* as many numbers from 0 or 1 on are indices */
	DISTINCT_ROWS = 4, /* fewer may differ by chance */
	SERIAL_ROWS = 4,   /* fewer rows may count up by chance */
	PADDED = 4,
	FLAGS_MIN = 3,
	LOOK_BYTES = 64, /* of a list in brackets, which may be of millions: its first items tell what it is */
};

void columns_release(struct columns *t)
{
	free(t->v);
	hash_set_release(&t->seen);
	*t = (struct columns){ 0 };
}

/* Copies s[0..n), cut to fit and NUL-terminated; without the line breaks and the indentation of lists of JSON. */
static void copy_shown(char out[SHOWN_BYTES], const char *s, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n && count < SHOWN_BYTES - 1; i++)
		if (!strchr("\r\n\t ", s[i]) || (s[i] == ' ' && count && out[count - 1] != '['))
			out[count++] = s[i];
	out[count] = '\0';
}

size_t value_is_several_hot(const char *s, size_t n)
{
	size_t i = 1, count = 0;

	for (; n > 2 && i + 1 < n && (s[i] == '0' || s[i] == '1'); count++) {
		i += i + 3 < n && s[i + 1] == '.' && s[i + 2] == '0' ? 3 : 1;
		i += s[i] == ',' && i + 1 < n;
		i += s[i] == ' ' && i + 1 < n;
	}
	return n && *s == '[' && i == n - 1 && s[i] == ']' ? count : 0;
}

bool value_is_list(const char *s, size_t n)
{
	const char *end = s + n;
	const bool brackets = n >= 2 && *s == '[' && end[-1] == ']';
	const char *const between = brackets ? " ,;|\t\r\n[]\"'" : " ,;|\t";
	const char *cut = brackets && n > LOOK_BYTES ? memrchr(s, ',', LOOK_BYTES) : NULL;
	size_t count = 0;

	s += brackets;
	end = cut ? cut : end - brackets;
	while (s < end) {
		int64_t v;
		const char *p = s;

		while (p < end && !strchr(between, *p))
			p++;
		if (p > s && scan_integer(s, (size_t)(p - s), &v) != INTEGER_EXACT)
			return false;
		count += p > s;
		s = p + (p < end);
	}
	return brackets || count > 1;
}

static bool is_image(const char *s, size_t n)
{
	char name[256];

	if (!n || n >= sizeof(name) || !ascii_isalnum(s[n - 1]))
		return false;
	memcpy(name, s, n);
	name[n] = '\0';
	return is_image_name(name);
}

static void add_value(struct columns *t, size_t i, const char *s, size_t n, const struct name_table *declared)
{
	int64_t v;
	const enum integer_kind kind = scan_integer(s, n, &v);

	if (word_is_missing(s, n))
		return;
	struct column_facts *c = &t->v[i];
	const size_t hot = *s == '[' ? value_is_several_hot(s, n) : 0;

	c->hot_length = c->hot_length ? c->hot_length : hot;
	c->hot += hot && hot == c->hot_length;
	c->repeated += !hash_set_add(&t->seen, hash_word(hash_bytes(hash_seed(), s, n), i));
	if (c->values < SHOWN_VALUES)
		copy_shown(c->shown[c->values], s, n);
	c->values++;
	if (kind == INTEGER_EXACT || kind == INTEGER_DECIMAL) {
		c->serial = c->integers ? c->serial && c->last < INT64_MAX && v == c->last + 1 : kind == INTEGER_EXACT;
		c->flags = (!c->integers || c->flags) && v >= -1 && v <= 1;
		c->first = c->integers ? c->first : v;
		c->last = v;
		c->integers++;
		c->padded += n >= PADDED && s[0] == '0' && ascii_isdigit(s[1]);
	} else if (kind == INTEGER_OVERFLOW) { /* what is wrong with it does not make it a word */
		c->serial = c->flags = false;
		c->integers++;
	} else if (kind != INTEGER_NONE) {
		c->fractions++;
	} else if (hot || value_is_list(s, n)) {
		c->lists++;
	} else {
		c->paths += value_looks_like_path(s, n);
		c->images += is_image(s, n);
		c->spaced += memchr(s, ' ', n) != NULL;
	}
	c->known += declared && name_table_find(declared, s, n);
}

bool column_holds_text(const struct column_facts *c)
{
	return c->values && 2 * (c->integers + c->fractions + c->lists) <= c->values;
}

static void add_row(struct columns *t, const struct csv *c, const struct name_table *declared)
{
	size_t images = 0;

	t->rows++;
	t->ragged += c->count != t->count;
	for (size_t i = 0; i < MIN(c->count, t->count); i++) {
		images += is_image(c->fields[i].s, c->fields[i].n);
		add_value(t, i, c->fields[i].s, c->fields[i].n, declared);
	}
	t->pairs += images > 1;
}

/*
 * Returns whether a record may name the columns: it has no number, list of these or name of an image. Keys of JSON name
 * them; its values alone do not.
 */
static bool is_words(const struct csv *c)
{
	bool words = c->json != JSON_ROWS_OF_VALUES;

	for (size_t i = 0; i < c->count && words && !c->json; i++) {
		const struct text_field *f = &c->fields[i];
		int64_t v;

		words = scan_integer(f->s, f->n, &v) == INTEGER_NONE && !value_is_list(f->s, f->n) &&
			!is_image(f->s, f->n);
	}
	return words;
}

/* Takes the words of the current record. */
static void name_columns(struct columns *t, const struct csv *c)
{
	t->v = xcalloc(c->count ? c->count : 1, sizeof(*t->v));
	t->count = c->count;
	for (size_t i = 0; i < c->count; i++) {
		const char *s = c->fields[i].s, *point = c->json ? memrchr(s, '.', c->fields[i].n) : NULL;
		const size_t above = point ? (size_t)(point + 1 - s) : 0; /* a.b means what b does */

		t->v[i].nested = above;
		plain_word(s + above, c->fields[i].n - above, &t->v[i].word);
		copy_shown(t->v[i].name, c->fields[i].s, c->fields[i].n);
	}
}

/* Returns whether words are a header: one of them is known, or is above a column of numbers. */
static bool have_header(const struct columns *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (word_is_label(&t->v[i].word) || word_is_path(&t->v[i].word) ||
		    (t->v[i].values && !column_holds_text(&t->v[i])))
			return true;
	return false;
}

static void add_rows(struct columns *t, struct csv *c, const struct name_table *declared, struct fault *fault)
{
	for (size_t bytes = 0; t->rows < PREVIEW_ROWS && bytes < CSV_SAMPLE_BYTES && csv_next(c, fault);
	     bytes += c->size)
		add_row(t, c, declared);
}

bool columns_read(struct columns *t, struct csv *c, const struct name_table *declared, struct fault *fault)
{
	*t = (struct columns){ 0 };
	if (!csv_next(c, fault))
		return fault->kind == FAULT_NONE;
	name_columns(t, c);
	t->header = is_words(c);
	if (!t->header)
		add_row(t, c, declared);
	if (fault->kind == FAULT_NONE)
		add_rows(t, c, declared, fault);
	/* a fault in later rows is reported when they are read again */
	if (t->rows && fault->kind != FAULT_UNREADABLE)
		fault_clear(fault);
	if (fault->kind != FAULT_NONE || !csv_rewind(c, fault))
		return false;
	if (!t->header || c->json || have_header(t))
		return true;
	t->header = false; /* it is a row, too */
	if (!csv_next(c, fault))
		return false;
	for (size_t i = 0; i < t->count; i++) {
		t->v[i].word.s[0] = '\0';
		t->v[i].serial = false;
	}
	add_row(t, c, declared);
	return csv_rewind(c, fault);
}

/* Returns whether most values are integers, or lists of them, and not the numbers of images. */
static bool holds_integers(const struct column_facts *c)
{
	return 2 * (c->integers + c->lists) > c->values && 2 * c->padded <= c->values;
}

/* Returns whether the word of column i means labels; y beside x is a coordinate. */
static bool is_named_labels(const struct columns *t, size_t i)
{
	const struct column_facts *c = &t->v[i];

	/* a value of an object is one if it is no text; the categories of a COCO file are its classes */
	if (!word_is_label(&c->word) || (c->nested && !holds_integers(c) && strncmp(c->shown[0], "[\"", 2) != 0) ||
	    (!c->nested && !strcmp(c->word.s, "categories")))
		return false;
	for (size_t k = 0; !strcmp(t->v[i].word.s, "y") && k < t->count; k++)
		if (!strcmp(t->v[k].word.s, "x"))
			return false;
	return true;
}

/* Returns whether column i holds lists of tokens, by its word. */
static bool is_named_tokens(const struct columns *t, size_t i)
{
	return word_is_tokens(&t->v[i].word) && 2 * t->v[i].lists >= t->v[i].values;
}

bool columns_name_labels(const struct columns *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (is_named_labels(t, i) || is_named_tokens(t, i))
			return true;
	return false;
}

/*
 * Returns the column that a word of the header names, or NO_COLUMN: also if two of a kind are named, but for two of
 * names (LabelName, ClassName), of which it is the one that has those of declared classes.
 */
static uint32_t choose_among(const struct columns *t, bool (*is_named)(const struct columns *t, size_t i),
			     bool *several)
{
	uint32_t found[2] = { NO_COLUMN, NO_COLUMN }, declared = NO_COLUMN;
	size_t counts[2] = { 0 }, known = 0;

	for (uint32_t i = 0; t->header && i < t->count; i++) {
		const bool text = column_holds_text(&t->v[i]);

		if (!is_named(t, i))
			continue;
		found[text] = i;
		counts[text]++;
		if (text && 2 * t->v[i].known > t->v[i].values) {
			declared = i;
			known++;
		}
	}
	if (!counts[0] && counts[1] > 1 && known == 1) {
		*several = false;
		return declared;
	}
	*several = counts[0] > 1 || (!counts[0] && counts[1] > 1);
	return counts[0] == 1 ? found[0] : !counts[0] && counts[1] == 1 ? found[1] : NO_COLUMN;
}

/* Labels come before tokens, which are the labels only where there are no others. */
static uint32_t choose_by_word(const struct columns *t, bool *several)
{
	const uint32_t labels = choose_among(t, is_named_labels, several);

	return labels == NO_COLUMN && !*several ? choose_among(t, is_named_tokens, several) : labels;
}

/* Returns the column of labels where no word names it, or NO_COLUMN. */
static uint32_t choose_by_values(const struct columns *t)
{
	uint32_t found = NO_COLUMN;
	size_t count = 0;

	for (uint32_t i = 0; i < t->count; i++)
		if (2 * t->v[i].known > t->v[i].values) {
			found = i;
			count++;
		}
	for (uint32_t i = 0, names = count > 0; !names && i < t->count; i++) {
		const struct column_facts *c = &t->v[i];

		if (2 * c->integers <= c->values || !holds_integers(c) ||
		    (c->serial && t->rows >= SERIAL_ROWS && c->integers == c->values) ||
		    (t->header && (word_is_path(&c->word) || word_is_other_number(&c->word))))
			continue;
		found = i;
		count++;
	}
	for (uint32_t i = 0; !count && !t->ragged && t->count == 2 && i < 2; i++)
		if (2 * t->v[i].images > t->v[i].values && column_holds_text(&t->v[1 - i]) && !t->v[1 - i].paths &&
		    !t->v[1 - i].spaced)
			return 1 - i;
	return count == 1 ? found : NO_COLUMN;
}

/*
 * Returns whether a table is of the classes: a column of ids counts up from 0 or 1, or there are colours, and another
 * has a name, once each, that is no path. A third column of few numbers, which come again in most rows, holds labels.
 */
static bool are_classes(const struct columns *t)
{
	enum { COLUMNS_MAX = 8, ROWS_MIN = 3 };
	bool ids = false, colours = false, labels = false;

	if (t->count > COLUMNS_MAX || t->rows < 2)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		const struct column_facts *c = &t->v[i];

		if (c->images || (t->header && word_is_path(&c->word) && strcmp(c->word.s, "id") != 0))
			return false;
		colours |= t->header && word_is_colour(&c->word);
		labels |= 2 * c->integers > t->rows && 2 * c->repeated > t->rows;
		ids |= c->serial && c->integers == t->rows && (c->first == 0 || c->first == 1) && t->rows >= ROWS_MIN;
	}
	for (size_t i = 0; (ids || colours) && i < t->count; i++) {
		const struct column_facts *c = &t->v[i];

		if (column_holds_text(c) && !word_is_colour(&c->word) && c->values == t->rows && !c->repeated)
			return colours || (t->count <= 3 && !labels);
	}
	return false;
}

bool columns_are_distinct_integers(const struct columns *t)
{
	return t->count == 1 && t->rows >= DISTINCT_ROWS && t->v[0].integers == t->rows && !t->v[0].repeated;
}

/*
 * One column of integers, also written as 3.0, is a list; unless they count up from 0 or 1, as indices do, or are
 * numbers of images, with zeros before them. Other words a line are the names of images, or of classes, or prose.
 */
static enum text_kind kind_of_column(const struct columns *t)
{
	const struct column_facts *c = &t->v[0];

	if (!c->integers || 10 * (c->integers + (t->rows > 1)) < 9 * t->rows)
		return 2 * c->paths > t->rows && !c->repeated ? TEXT_IS_NAMES : TEXT_IS_NONE;
	return 2 * c->padded > t->rows || (c->serial && c->integers == t->rows && (c->first == 0 || c->first == 1) &&
					   t->rows >= COUNTED_ROWS)
		       ? TEXT_IS_NAMES
		       : TEXT_IS_LIST;
}

enum text_kind columns_kind(const struct columns *t, uint32_t *labels)
{
	bool several;

	*labels = NO_COLUMN;
	if (t->count < 2) {
		*labels = t->count ? 0 : NO_COLUMN;
		return t->count ? kind_of_column(t) : TEXT_IS_NONE;
	}
	if (are_classes(t))
		return TEXT_IS_CLASSES;
	*labels = choose_by_word(t, &several);
	if (*labels != NO_COLUMN)
		return TEXT_IS_LIST;
	if (2 * t->pairs > t->rows)
		return TEXT_IS_PAIRS;
	if (!several)
		*labels = choose_by_values(t);
	return *labels == NO_COLUMN ? TEXT_IS_TABLE : TEXT_IS_LIST;
}

uint32_t columns_find_paths(const struct columns *t, uint32_t labels)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (i != labels && column_holds_text(&t->v[i]) && 2 * t->v[i].paths > t->v[i].values)
			return i;
	for (uint32_t i = 0; t->header && i < t->count; i++)
		if (i != labels && word_is_path(&t->v[i].word))
			return i;
	/* without extensions: the only other column, if it is of words or of numbers of images */
	const struct column_facts *other = t->count == 2 && labels < 2 ? &t->v[1 - labels] : NULL;

	return other && (column_holds_text(other) || other->padded) && 2 * other->spaced <= other->values ? 1 - labels
													  : NO_COLUMN;
}

/* Finds the columns of the sides: all four, or none. */
static void find_sides(const struct columns *t, struct list_layout *out)
{
	uint32_t sides[BOX_OTHER];

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		sides[i] = NO_COLUMN;
	uint32_t image[2] = { NO_COLUMN, NO_COLUMN };

	for (uint32_t i = 0; t->header && i < t->count; i++) {
		const size_t side = word_box_side(&t->v[i].word), size = word_image_side(&t->v[i].word);

		if (side < BOX_OTHER && sides[side] == NO_COLUMN)
			sides[side] = i;
		else if (size < ARRAY_SIZE(image) && image[size] == NO_COLUMN)
			image[size] = i;
	}
	const bool corners = sides[BOX_RIGHT] != NO_COLUMN && sides[BOX_BOTTOM] != NO_COLUMN;

	/* x, y, width, height: of the box */
	if (!corners && sides[BOX_WIDTH] == NO_COLUMN && sides[BOX_TOP] == sides[BOX_LEFT] + 1 &&
	    image[0] == sides[BOX_TOP] + 1 && image[1] == image[0] + 1) {
		sides[BOX_WIDTH] = image[0];
		sides[BOX_HEIGHT] = image[1];
		image[0] = image[1] = NO_COLUMN;
	}
	if (sides[BOX_LEFT] == NO_COLUMN || sides[BOX_TOP] == NO_COLUMN ||
	    (!corners && (sides[BOX_WIDTH] == NO_COLUMN || sides[BOX_HEIGHT] == NO_COLUMN)))
		return;
	out->boxes = true;
	out->box_sizes = !corners;
	out->box_columns[0] = sides[BOX_LEFT];
	out->box_columns[1] = sides[BOX_TOP];
	out->box_columns[2] = sides[corners ? BOX_RIGHT : BOX_WIDTH];
	out->box_columns[3] = sides[corners ? BOX_BOTTOM : BOX_HEIGHT];
	/* width, after the corners: of the box again, unless it is image_width */
	if (image[0] != NO_COLUMN && image[1] != NO_COLUMN &&
	    (image[0] < sides[BOX_LEFT] || t->v[image[0]].word.s[0] == 'i'))
		memcpy(out->image_columns, image, sizeof(image));
}

/* Returns whether a value, which may be cut, is numbers between blanks or commas. */
static bool is_bare_box(const char shown[SHOWN_BYTES])
{
	struct text_field rest = { .s = shown, .n = strlen(shown) };
	size_t numbers = 0;

	while (rest.n) {
		const struct text_field item = field_next_item(&rest);
		struct decimal_value v;
		const bool cut = !rest.n && item.s + item.n == shown + SHOWN_BYTES - 1;

		if (!cut && (!item.n || scan_decimal(item.s, item.s + item.n, &v) != item.s + item.n))
			return false;
		numbers++;
	}
	return numbers > 1;
}

/*
 * Finds the column of boxes, in brackets or not: left, top, width, height, as users of COCO's word for it read them,
 * also of Hugging Face's objects.bbox (transformers, "Object detection") and Global Wheat's.
 */
static void find_boxes_column(const struct columns *t, bool lists, struct list_layout *out)
{
	for (uint32_t i = 0; t->header && !out->boxes && i < t->count; i++) {
		bool box = false;

		for (size_t k = 0; k < SHOWN_VALUES; k++)
			box |= ((t->v[i].shown[k][0] == '[' || t->v[i].shown[k][0] == '(') &&
				t->v[i].shown[k][1] != ']' && (t->v[i].shown[k][1] == '[') == lists) ||
			       (!lists && is_bare_box(t->v[i].shown[k]));
		if (!box || word_box_side(&t->v[i].word) != BOX_OTHER)
			continue;
		out->boxes = out->box_sizes = true;
		out->boxes_column = i;
	}
	for (uint32_t i = 0; out->boxes_column != NO_COLUMN && i < t->count; i++)
		if (word_image_side(&t->v[i].word) < ARRAY_SIZE(out->image_columns))
			out->image_columns[word_image_side(&t->v[i].word)] = i;
}

bool columns_find_boxes(const struct columns *t, bool lists, struct list_layout *out)
{
	find_sides(t, out);
	find_boxes_column(t, lists, out);
	return out->boxes;
}

size_t columns_flags(const struct columns *t)
{
	size_t flags = 0;

	for (size_t i = 0; i < t->count; i++)
		flags += t->v[i].flags && t->v[i].integers == t->v[i].values;
	return flags >= FLAGS_MIN ? flags : 0;
}

void columns_question(const struct columns *t, struct strbuf *out)
{
	enum { SHOWN_COLUMNS = 6 };

	for (size_t i = 0; i < t->count && i < SHOWN_COLUMNS; i++) {
		const struct column_facts *c = &t->v[i];

		strbuf_addf(out, "%s%zu%s", i ? "; " : "", i + 1, t->header ? " " : "");
		if (t->header)
			escape_terminal(out, c->name, strlen(c->name));
		strbuf_adds(out, " (");
		for (size_t k = 0; k < SHOWN_VALUES && c->shown[k][0]; k++) {
			strbuf_adds(out, k ? ", " : "");
			escape_terminal(out, c->shown[k], strlen(c->shown[k]));
		}
		strbuf_addch(out, ')');
	}
	if (t->count > SHOWN_COLUMNS)
		strbuf_addf(out, "; and %zu more", t->count - SHOWN_COLUMNS);
}
