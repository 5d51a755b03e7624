#include "read/yolo.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/key_set.h"
#include "base/mem.h"

#define BIT(fault) (1u << (fault))
/* The faults that make a row wrong, not only unusual. */
#define FAULTY (BIT(BOX_DUPLICATE) - 1)

enum {
	KEYPOINTS_AT = 5, /* columns before them: class x y w h */
};

bool yolo_open(struct yolo *y, struct input *in, const struct yolo_form *form, struct entry_table *rows,
	       struct fault *fault)
{
	*y = (struct yolo){ .rows = rows };
	if (form)
		y->form = *form;
	strbuf_init(&y->blanks);
	entry_table_clear(rows);
	return text_lines_open(&y->text, in, fault);
}

void yolo_close(struct yolo *y)
{
	text_lines_close(&y->text);
	strbuf_release(&y->blanks);
}

/*
 * The columns of a row read so far. A place is 1 and the bytes from the first coordinate to the first one of a kind; 0:
 * there is none. The struct is cleared for each row, so it is small.
 */
struct columns {
	uint64_t count;
	uint64_t hash;           /* of the values */
	const char *at;          /* the first coordinate */
	double farthest;         /* of the coordinates out of range, without its sign */
	int64_t first[4];        /* of the coordinates */
	int64_t low[2], high[2]; /* of x and y of the points after these two */
	uint32_t not_a_number, out_of_range;
	uint32_t slight;        /* out of range by less than the tolerance */
	uint32_t size;          /* a width or height (of a rectangle or pose) of 0 or less */
	uint32_t no_visibility; /* of every third column from the eighth on, not 0, 1 or 2: no pose has one */
	bool others_out_of_range;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p, const char *end)
{
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

static void fault_at(struct box_row *row, const struct text_line *line, enum box_fault fault, const char *where)
{
	if (!(row->faults & FAULTY))
		row->column = (uint32_t)(where - line->s) + 1;
	row->faults |= BIT(fault);
}

/* Returns whether a word is the name of a class; sets row->id. */
static bool is_name(const struct class_set *names, const char *s, size_t n, struct box_row *row)
{
	char name[256];

	if (!names || n >= sizeof(name))
		return false;
	memcpy(name, s, n);
	name[n] = '\0';
	row->id = (int64_t)class_set_find_name(names, name);
	return (size_t)row->id < names->names_count;
}

static const char *read_class(const struct yolo *y, struct box_row *row, const struct text_line *line, const char *p,
			      const char *end)
{
	const char *word = p;

	p = skip_word(p, end);
	row->column = (uint32_t)(word - line->s) + 1;
	enum integer_kind kind = scan_integer(word, (size_t)(p - word), &row->id);

	row->has_id = kind == INTEGER_EXACT || kind == INTEGER_DECIMAL;
	row->id_at += (uint64_t)(word - line->s);
	row->id_size = (uint32_t)(p - word);
	if (kind == INTEGER_DECIMAL)
		row->faults |= BIT(BOX_FLOAT);
	if (!row->has_id && is_name(y->names, word, row->id_size, row)) {
		row->has_id = true;
		fault_at(row, line, BOX_NAME, word);
	} else if (!row->has_id)
		fault_at(row, line, BOX_CLASS, word);
	else if (row->id < 0)
		fault_at(row, line, BOX_NEGATIVE, word);
	return p;
}

/* Notes the place of a coordinate at p, unless one is noted. */
static void note_place(uint32_t *place, const struct columns *c, const char *p)
{
	if (!*place)
		*place = (uint32_t)(p - c->at) + 1;
}

/* Scans the number at p, by the fast way if it is written as most are. readable: what can be read ends there. */
static const char *scan_coordinate(const char *p, const char *end, const char *readable, struct decimal_value *v)
{
	const char *after = readable - p >= SCAN_FRACTION ? scan_fraction(p, &v->units) : NULL;

	if (!after)
		return scan_decimal(p, end, v);
	v->kind = NUMBER_FINITE;
	return after;
}

/* Reads column c->count at p. Returns its end. */
static const char *read_coordinate(struct columns *c, const char *p, const char *end, const char *readable)
{
	struct decimal_value v;
	const char *after = scan_coordinate(p, end, readable, &v);
	bool visibility = c->count >= KEYPOINTS_AT + 2 && (c->count - KEYPOINTS_AT) % 3 == 2;

	if (v.kind != NUMBER_FINITE || (after < end && !is_blank(*after))) {
		note_place(&c->not_a_number, c, p);
		c->hash = hash_bytes(c->hash, p, (size_t)(after - p));
		return skip_word(after, end);
	}
	c->hash = hash_word(c->hash, (uint64_t)v.units);
	if ((uint64_t)v.units <= (uint64_t)BOX_ONE) {
		/* as most are */
	} else if (v.units >= BOX_LOWEST && v.units <= BOX_HIGHEST) {
		note_place(&c->slight, c, p);
	} else {
		note_place(&c->out_of_range, c, p);
		c->others_out_of_range |= !visibility;
		c->farthest = MAX(c->farthest, fabs((double)v.units / DECIMAL_ONE));
	}
	if (visibility && v.units != 0 && v.units != DECIMAL_ONE && v.units != 2 * DECIMAL_ONE)
		note_place(&c->no_visibility, c, p);
	if ((c->count == 3 || c->count == 4) && v.units <= 0)
		note_place(&c->size, c, p);
	if (c->count <= ARRAY_SIZE(c->first)) {
		c->first[c->count - 1] = v.units;
	} else {
		const unsigned axis = c->count % 2 == 0;

		c->low[axis] = c->count <= 6 ? v.units : MIN(c->low[axis], v.units);
		c->high[axis] = c->count <= 6 ? v.units : MAX(c->high[axis], v.units);
	}
	return after;
}

/*
 * Returns the type of a row by its columns. An odd number from 7 on is a polygon, unless its only coordinates out of
 * range could be visibilities: then it is a pose with three numbers per keypoint. A pose with two numbers per keypoint
 * looks like a polygon and has the same bounds.
 */
static enum box_type type_of(const struct columns *c)
{
	bool triples = c->count > KEYPOINTS_AT && (c->count - KEYPOINTS_AT) % 3 == 0;

	if (c->count == KEYPOINTS_AT)
		return BOX_RECTANGLE;
	if (triples && !c->no_visibility && (c->count % 2 == 0 || (c->out_of_range && !c->others_out_of_range)))
		return BOX_POSE;
	if (c->count >= 7 && c->count % 2)
		return c->count == 9 ? BOX_ORIENTED : BOX_POLYGON;
	return triples ? BOX_POSE : BOX_NONE;
}

/* Returns whether a row of these columns is of the declared task, as Ultralytics reads them. */
static bool fits_task(const struct yolo_form *form, const struct columns *c)
{
	const bool rectangle = c->count == KEYPOINTS_AT, polygon = c->count >= 7 && c->count % 2;

	if (form->keypoints)
		return c->count == KEYPOINTS_AT + (uint64_t)form->keypoints * form->numbers;
	switch (form->task) {
	case TASK_DETECT: /* of a polygon the box is taken */
		return rectangle || polygon;
	case TASK_SEGMENT:
		return polygon;
	case TASK_OBB:
		return c->count == 9;
	case TASK_POSE:
		return c->count > KEYPOINTS_AT &&
		       ((c->count - KEYPOINTS_AT) % 3 == 0 || (c->count - KEYPOINTS_AT) % 2 == 0);
	case TASK_AUTO:
	case TASK_CLASSIFY:
		break;
	}
	return true;
}

static bool has_size(enum box_type type)
{
	return type == BOX_RECTANGLE || type == BOX_POSE;
}

/* Fills the four numbers of the box of a row: centre and size; or left, top, right and bottom around its points. */
static void box_of(const struct columns *c, bool sized, double v[4])
{
	for (size_t i = 0; i < 4; i++)
		v[i] = (double)c->first[i] * GEOMETRY_UNIT;
	for (size_t axis = 0; !sized && axis < 2; axis++) {
		const double a = v[axis], b = v[2 + axis];

		v[axis] = MIN(MIN(a, b), (double)c->low[axis] * GEOMETRY_UNIT);
		v[2 + axis] = MAX(MAX(a, b), (double)c->high[axis] * GEOMETRY_UNIT);
	}
}

/*
 * Trainers compare the centre and the size of the box around a polygon with 0 and 1 (Ultralytics and YOLOv5,
 * segments2boxes()), and cut what is outside. Takes back what its points alone have out of range.
 */
static void range_polygon(struct columns *c)
{
	double v[4], least = 0, most = 0;

	box_of(c, false, v);
	for (size_t axis = 0; axis < 2; axis++) {
		const double centre = (v[axis] + v[2 + axis]) / 2;

		least = MIN(least, centre);
		most = MAX(most, MAX(centre, v[2 + axis] - v[axis]));
	}
	if (least < (double)BOX_LOWEST * GEOMETRY_UNIT || most > (double)BOX_HIGHEST * GEOMETRY_UNIT)
		return;
	if (least >= 0 && most <= (double)BOX_ONE * GEOMETRY_UNIT)
		c->slight = 0;
	else if (c->out_of_range && (!c->slight || c->out_of_range < c->slight))
		c->slight = c->out_of_range;
	c->out_of_range = 0;
}

/* Judges the box of a row, or the box around its points. */
static void judge_box(struct yolo *y, struct box_row *row, const struct text_line *line, const struct columns *c)
{
	const bool sized = has_size(row->type), range = row->faults & BIT(BOX_RANGE);
	struct box_facts *const box = &y->box;

	*box = (struct box_facts){ .numbers = sized ? BOX_CENTRE_SIZE : BOX_CORNERS,
				   .unit = BOX_FRACTIONS,
				   .width = y->image.width,
				   .height = y->image.height,
				   .unwritten = !sized || row->faults & (BIT(BOX_SEPARATOR) | BIT(BOX_DECIMAL)) };
	box_of(c, sized, box->v);
	struct box_tally *const tally = !range ? &y->boxes : c->farthest > BOX_FRACTION_MOST ? &y->unread : &y->beyond;
	const uint64_t clipped = tally->clipped;
	unsigned found = geometry_judge(box, tally);

	if (!(found & (BIT(GEOMETRY_NO_AREA) | BIT(GEOMETRY_INVERTED))) && !(range && c->farthest > BOX_FRACTION_MOST))
		for (size_t axis = 0; axis < 2; axis++) {
			const double first = box->v[axis], second = box->v[2 + axis], half = sized ? second / 2 : 0;

			row->edges[axis] = (float)(first - half);
			row->edges[2 + axis] = (float)(sized ? first + half : second);
		}
	if (range) { /* it says so */
		found &= BIT(GEOMETRY_NO_AREA) | BIT(GEOMETRY_INVERTED);
		y->boxes.clipped += tally->clipped - clipped;
	}
	for (; found; found &= found - 1)
		fault_at(row, line, BOX_NO_AREA + (unsigned)__builtin_ctz(found),
			 c->at + (sized && c->size ? c->size - 1 : 0));
}

static void judge_columns(struct yolo *y, struct box_row *row, const struct text_line *line, struct columns *c)
{
	const struct yolo_form *form = &y->form;
	/* kpt_shape or the task says so; without kpt_shape, an odd number of columns is of triples */
	const bool is_pose = (form->keypoints || form->task == TASK_POSE) && fits_task(form, c);
	const bool has_visibility = !is_pose          ? !c->no_visibility
				    : form->keypoints ? form->numbers == 3
						      : !c->no_visibility || (c->count - KEYPOINTS_AT) % 2;

	row->type = is_pose ? BOX_POSE : type_of(c);
	row->maybe_pose = row->type == BOX_POLYGON && !c->no_visibility && (c->count - KEYPOINTS_AT) % 3 == 0;
	if (row->type == BOX_NONE)
		fault_at(row, line, c->count == KEYPOINTS_AT + 1 ? BOX_CONFIDENCE : BOX_COLUMNS, line->s);
	else if (!is_pose && !fits_task(form, c))
		fault_at(row, line, BOX_TASK, line->s);
	const bool pose_in_range = row->type == BOX_POSE && has_visibility && !c->others_out_of_range;

	if (is_pose && has_visibility && c->no_visibility)
		fault_at(row, line, BOX_VISIBILITY, c->at + c->no_visibility - 1);
	if (c->not_a_number)
		fault_at(row, line, BOX_NUMBER, c->at + c->not_a_number - 1);
	if ((c->out_of_range || c->slight) && !has_size(row->type) && c->count >= KEYPOINTS_AT + 2)
		range_polygon(c);
	/* a size below 0 is said to be one */
	if (c->out_of_range && !pose_in_range && !(has_size(row->type) && c->out_of_range == c->size)) {
		fault_at(row, line, BOX_RANGE, c->at + c->out_of_range - 1);
		y->farthest = MAX(y->farthest, c->farthest);
	}
	/* where the class is no integer, the columns may be others */
	if (row->type != BOX_NONE && !c->not_a_number && !(row->faults & BIT(BOX_CLASS)))
		judge_box(y, row, line, c);
	if (c->slight && !(row->faults & FAULTY)) /* else it is said, or nothing to what is */
		fault_at(row, line, BOX_SLIGHT, c->at + c->slight - 1);
}

/* Reads up to `most` numbers from *at on, and moves it after them. */
static size_t read_points(const char **at, const char *end, const char *readable, double *v, size_t most)
{
	const char *p = *at;
	size_t n = 0;

	for (; n < most && (p = skip_blanks(p, end)) < end; n++) {
		struct decimal_value number;

		p = scan_coordinate(p, end, readable, &number);
		v[n] = (double)number.units * GEOMETRY_UNIT;
	}
	*at = p;
	return n;
}

/* Judges the points of a row that has no other fault: the edges of a polygon of few, and the keypoints of a pose. */
static void judge_points(struct box_row *row, const struct columns *c, const char *end, const char *readable)
{
	const bool few = !row->maybe_pose && c->count <= 1 + 2 * CROSSING_POINTS;
	double v[2 * CROSSING_POINTS];
	const char *p = c->at;

	if ((row->type == BOX_POLYGON || row->type == BOX_ORIENTED) && few &&
	    polygon_crosses(v, read_points(&p, end, readable, v, ARRAY_SIZE(v)) / 2))
		row->faults |= BIT(BOX_CROSSING);
	if (row->type != BOX_POSE || (c->count - KEYPOINTS_AT) % 3 || c->no_visibility)
		return;
	const double edges[4] = { (double)row->edges[0], (double)row->edges[1], (double)row->edges[2],
				  (double)row->edges[3] };
	struct keypoint_facts k = { 0 };

	read_points(&p, end, readable, v, KEYPOINTS_AT - 1); /* the box */
	while (read_points(&p, end, readable, v, 3) == 3)
		keypoint_add(&k, v);
	row->faults |= (keypoints_are_away(&k, edges, 0) ? BIT(BOX_AWAY_POINTS) : 0) |
		       (k.at_origin ? BIT(BOX_ORIGIN) : 0) | (k.labelled ? 0 : BIT(BOX_UNLABELLED));
}

/* Returns what separates the columns of a row: a comma or a semicolon after an id, with a number after it; else 0. */
static char separator_of(const char *p, const char *end)
{
	const char *word = p;
	struct decimal_value v;
	int64_t id;

	while (p < end && *p != ',' && *p != ';' && !is_blank(*p))
		p++;
	if (p == end || is_blank(*p) || scan_integer(word, (size_t)(p - word), &id) != INTEGER_EXACT)
		return 0;
	const char separator = *p;

	p = skip_blanks(p + 1, end);
	const char *const after = scan_decimal(p, end, &v);

	return after > p && (after == end || *after == separator || *after == ',' || is_blank(*after)) ? separator : 0;
}

/* Returns whether the column after the class has a comma for a decimal point. */
static bool has_decimal_comma(const char *p, const char *end)
{
	while (p < end && *p != ',' && *p != ';' && !is_blank(*p))
		p++;
	if (p == end || *p == ',')
		return false;
	const char *const whole = p = skip_blanks(p + 1, end);

	while (p < end && ascii_isdigit(*p))
		p++;
	if (p == whole || p == end || *p != ',')
		return false;
	const char *const decimals = ++p;

	while (p < end && ascii_isdigit(*p))
		p++;
	return p > decimals && (p == end || *p == ';' || is_blank(*p));
}

static void replace_all(struct strbuf *s, char from, char to)
{
	for (char *at = s->s; (at = memchr(at, from, (size_t)(s->s + s->len - at)));)
		*at = to;
}

static void read_row(struct yolo *y, const struct text_line *read, struct box_row *row)
{
	const char *const read_end = read->s + read->n, *const class_at = skip_blanks(read->s, read_end);
	const char separator = separator_of(class_at, read_end);
	const bool decimal = memchr(read->s, ',', read->n) && has_decimal_comma(class_at, read_end);
	struct columns c = { 0 };
	struct text_line line_read = *read, *const line = &line_read;

	*row = (struct box_row){ .line = line->number,
				 .key = key_of_bytes(line->s, line->n),
				 .id_at = text_lines_offset(&y->text, line->s) };
	if (separator || decimal) { /* what else is wrong with the row shows once they are blanks and points */
		strbuf_set(&y->blanks, line->s, line->n);
		line->s = y->blanks.s;
		if (separator)
			replace_all(&y->blanks, separator, ' ');
		if (decimal)
			replace_all(&y->blanks, ',', '.');
	}
	const char *const end = line->s + line->n, *p = skip_blanks(line->s, end);
	const char *const readable = line->s == y->blanks.s ? end : y->text.end;

	p = read_class(y, row, line, p, end);
	if (separator)
		fault_at(row, line, BOX_SEPARATOR, p);
	if (decimal)
		fault_at(row, line, BOX_DECIMAL, skip_blanks(p, end));
	c.hash = hash_word(hash_seed(), (uint64_t)row->id);
	c.at = skip_blanks(p, end);
	for (c.count = 1; (p = skip_blanks(p, end)) < end; c.count++)
		p = read_coordinate(&c, p, end, readable);
	judge_columns(y, row, line, &c);
	if (!(row->faults & FAULTY))
		judge_points(row, &c, end, readable);
	row->entry = hash_word(c.hash, c.count);
	row->round = c.first[0] % (DECIMAL_ONE / 1000) == 0 && c.first[1] % (DECIMAL_ONE / 1000) == 0;
	if (y->text.bom && line->number == 1)
		row->faults |= BIT(BOX_BOM);
	if (line->lone_cr)
		row->faults |= BIT(BOX_LONE_CR);
}

static void compare_rows(struct yolo *y, struct box_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i + ENTRY_AHEAD < count)
			entry_table_prefetch(y->rows, rows[i + ENTRY_AHEAD].entry);
		/* what could not be read is equal to nothing */
		if (rows[i].has_id && !(rows[i].faults & BIT(BOX_NUMBER)) &&
		    entry_table_add(y->rows, rows[i].entry, 0) != ENTRY_NEW)
			rows[i].faults |= BIT(BOX_DUPLICATE);
	}
}

size_t yolo_read(struct yolo *y, struct box_row *rows, size_t max, struct fault *fault)
{
	struct text_line line;
	size_t count = 0;

	while (count < max && text_lines_next(&y->text, &line, fault))
		if (skip_blanks(line.s, line.s + line.n) < line.s + line.n)
			read_row(y, &line, &rows[count++]);
	if (fault->kind != FAULT_NONE)
		return 0;
	compare_rows(y, rows, count);
	return count;
}
