/* Reads the boxes of lists: read/list.h has the contract. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "platform/platform.h"
#include "read/list.h"
#include "read/list_words.h"

#define BIT(fault) (1u << (fault))

/* Reads the coordinate in a field. Returns false if it is no finite number, or too large for one. */
static bool read_coordinate(const char *s, size_t n, int64_t *out)
{
	struct decimal_value v;
	const bool number = n && scan_decimal(s, s + n, &v) == s + n && v.kind == NUMBER_FINITE &&
			    v.units > -DECIMAL_LIMIT && v.units < DECIMAL_LIMIT;

	*out = number ? v.units : 0;
	return number;
}

/* Notes a box, whose sides are left, top, right (or width), bottom (or height), and what is wrong with it. */
static void add_box(struct list *l, struct list_row *row, const int64_t sides[4], bool numbers)
{
	l->box = (struct box_facts){ .numbers = l->layout.box_sizes ? BOX_CORNER_SIZE : BOX_CORNERS,
				     .unit = l->layout.fractions ? BOX_FRACTIONS
					     : l->form           ? BOX_PIXELS
								 : BOX_EITHER,
				     /* which a clip would not keep as they are */
				     .unwritten = l->form && (strchr(l->form->columns, 'q') || l->form->leaves_frame) };
	if (l->image_size[0] && l->image_size[1]) {
		l->box.width = l->image_size[0];
		l->box.height = l->image_size[1];
	}
	for (size_t i = 0; i < ARRAY_SIZE(l->box.v); i++)
		l->box.v[i] = (double)sides[i] * GEOMETRY_UNIT;
	if (!numbers)
		row->faults |= BIT(LIST_BOX_NUMBER);
	else if (l->options->box)
		l->options->box(l->options->context, l, row);
	else
		row->faults |= geometry_judge(&l->box, &l->boxes) << LIST_BOX_NO_AREA;
}

bool list_read_listed_box(struct list *l, struct list_row *row)
{
	struct text_field *boxes = &l->items.boxes;
	const bool tuple = boxes->n && *boxes->s == '('; /* of Python */
	const bool bare = !tuple && !word_is_missing(boxes->s, boxes->n) && !memchr(boxes->s, ']', boxes->n);
	const char *close = bare       ? boxes->s + boxes->n
			    : boxes->n ? memchr(boxes->s, tuple ? ')' : ']', boxes->n)
				       : NULL;
	const char *open = bare    ? boxes->s
			   : close ? memrchr(boxes->s, tuple ? '(' : '[', (size_t)(close - boxes->s))
				   : NULL;
	int64_t sides[4] = { 0 };
	bool numbers = true;
	size_t count = 0;

	if (!open)
		return false;
	struct text_field box = { .s = open + !bare, .n = (size_t)(close - open - !bare) };

	for (; box.n; count++) {
		const struct text_field item = field_next_item(&box);

		if (!item.n)
			break;
		numbers &= count < ARRAY_SIZE(sides) && read_coordinate(item.s, item.n, &sides[count]);
		if (count < ARRAY_SIZE(sides))
			l->sides[count] = item;
	}
	close += !bare;
	l->bracketed = (struct text_field){ .s = open, .n = (size_t)(close - open) };
	boxes->n -= (size_t)(close - boxes->s);
	boxes->s = close;
	if (count) /* an image without a box has [] */
		add_box(l, row, sides, numbers && count == ARRAY_SIZE(sides));
	return count;
}

bool list_read_sides(struct list *l, struct list_row *row)
{
	const struct csv *c = &l->csv;
	const bool corners = l->form && strchr(l->form->columns, 'q');
	int64_t sides[4] = { INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN };
	bool numbers = true, empty = !corners;
	double points[8] = { 0 };

	for (size_t i = 0; corners && i < 8; i++) {
		int64_t v = 0;

		numbers &= i < c->count && read_coordinate(c->fields[i].s, c->fields[i].n, &v);
		sides[i % 2] = MIN(sides[i % 2], v);
		sides[2 + i % 2] = MAX(sides[2 + i % 2], v);
		points[i] = (double)v;
	}
	if (corners && numbers && polygon_crosses(points, ARRAY_SIZE(points) / 2))
		row->faults |= BIT(LIST_CROSSING);
	for (size_t i = 0; !corners && i < 4; i++) {
		const uint32_t at = l->layout.box_columns[i];

		l->sides[i] = at < c->count ? c->fields[at] : (struct text_field){ 0 };
		empty &= at >= c->count || word_is_missing(c->fields[at].s, c->fields[at].n);
		numbers &= at < c->count && read_coordinate(c->fields[at].s, c->fields[at].n, &sides[i]);
	}
	if (!empty) /* an image without a box */
		add_box(l, row, sides, numbers);
	return !empty;
}

void list_read_group_box(struct list *l, struct list_row *row, const struct text_field *box)
{
	struct text_field fields[5];
	int64_t sides[4];
	bool numbers = true;

	fields_split(box->s, box->s + box->n, ',', fields, ARRAY_SIZE(fields), NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		numbers &= read_coordinate(fields[i].s, fields[i].n, &sides[i]);
	add_box(l, row, sides, numbers);
}

/* ---- images -------------------------------------------------------------------------------------------------------
 */

/* A record of a list of boxes without a path is an image by itself. */
uint64_t list_image_key(const struct list *l)
{
	const struct csv *c = &l->csv;
	const size_t frame = l->form ? box_form_column(l->form, 'F') : SIZE_MAX;
	uint64_t key = 0;

	if (l->layout.path_column < c->count)
		key = hash_bytes(hash_seed(), c->fields[l->layout.path_column].s, c->fields[l->layout.path_column].n);
	else if (l->layout.boxes_column != NO_COLUMN)
		key = hash_word(hash_seed(), c->line);
	return frame < c->count ? hash_bytes(key ^ hash_seed(), c->fields[frame].s, c->fields[frame].n) : key;
}

void list_read_image_size(struct list *l, struct list_row *row)
{
	const struct csv *c = &l->csv;

	for (size_t i = 0; i < ARRAY_SIZE(l->image_size); i++) {
		const uint32_t at = l->layout.image_columns[i];
		int64_t v = 0;

		if (at < c->count && read_coordinate(c->fields[at].s, c->fields[at].n, &v) && v <= 0)
			row->faults |= BIT(LIST_IMAGE_SIZE);
		if (v % DECIMAL_ONE)
			v = 0;
		l->image_size[i] = (uint32_t)MAX(v / DECIMAL_ONE, 0);
	}
}

void list_read_frame_size(struct list *l, const char *path)
{
	static const char *const keys[] = { "imWidth=", "imHeight=" };
	char *folder = path_folder(path), text[PEEK_BYTES + 1];
	RELEASED struct strbuf name = STRBUF_INIT;
	struct fault ignored = FAULT_INIT;
	struct file_peek peek;

	strbuf_addf(&name, "%.*s/../seqinfo.ini", (int)path_trimmed(folder), folder);
	if (peek_open(&peek, AT_FDCWD, name.s, name.s, &ignored)) {
		memcpy(text, peek.head, peek.n);
		text[peek.n] = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			const char *at = strstr(text, keys[i]);
			uint64_t side;

			at = at ? at + strlen(keys[i]) : NULL;
			if (at && scan_uint64(&at, &side) && side < UINT32_MAX)
				l->image_size[i] = (uint32_t)side;
		}
		peek_close(&peek);
	}
	free(folder);
}
