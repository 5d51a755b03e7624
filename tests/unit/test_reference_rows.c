/* Compares the reference with a plainer model: each counter by its definition in label_stats.h, pixel by pixel. */
#include "check_main.h"

#include "measure/content_key.h"
#include "measure/reference_rows.h"
#include "random_masks.h"

/* One line of the array, in steps of `step` ids. */
struct line_view {
	const uint16_t *ids;
	uint32_t length, step;
};

static int64_t at(const struct line_view *l, uint32_t i)
{
	return l->ids[(size_t)i * l->step];
}

/* The maximal run that holds pixel i is [*a, *b]. */
static void find_run(const struct line_view *l, uint32_t i, uint32_t *a, uint32_t *b)
{
	for (*a = i; *a > 0 && at(l, *a - 1) == at(l, i); --*a)
		;
	for (*b = i; *b + 1 < l->length && at(l, *b + 1) == at(l, i); ++*b)
		;
}

struct pixel_facts {
	bool thin, ends_at_edge, wide_edge, ends_long_between, lone, between;
	int64_t left, right;
};

static struct pixel_facts ask(const struct line_view *l, uint32_t i)
{
	struct pixel_facts f = { 0 };
	uint32_t a, b;
	int64_t id = at(l, i);

	find_run(l, i, &a, &b);
	f.thin = b - a + 1 <= 2;
	f.left = a > 0 ? at(l, a - 1) : -1;
	f.right = b + 1 < l->length ? at(l, b + 1) : -1;
	f.ends_at_edge = i == b && f.right >= 0;
	f.wide_edge = f.ends_at_edge && (id - f.right >= 2 || f.right - id >= 2);
	if (f.left >= 0 && f.right >= 0 && f.left != f.right) {
		bool between = MIN(f.left, f.right) < id && id < MAX(f.left, f.right);

		f.lone = a == b;
		f.between = between && a == b;
		f.ends_long_between = between && a < b && i == b;
	}
	return f;
}

/* The key's definition, a pixel at a time. */
static void model_content(const struct mask *m, uint64_t content[2])
{
	for (uint32_t y = 0; y < m->height; y++) {
		for (uint32_t x = 0; x < m->width; x++) {
			struct content_pair column = content_columns(x, x + 1);
			struct content_pair row = content_rows(m->height - y, m->height - y - 1);

			for (unsigned i = 0; i < 2; i++)
				content[i] += (m->ids[(size_t)y * m->width + x] + UINT64_C(1)) * column.v[i] * row.v[i];
		}
	}
}

static struct label_stats model(const struct mask *m, const struct class_set *classes, struct batch *batch)
{
	size_t n = (size_t)m->width * m->height;
	struct label_stats s = { .labels = n, .width = m->width, .height = m->height, .neighbours = 1 };
	struct id_stats *rows = xcalloc(m->ids_end, sizeof(*rows));
	int64_t worst_gap = 0;
	uint64_t worst_index = 0;
	int worst_row = 0;

	for (uint32_t y = 0; y < m->height; y++) {
		for (uint32_t x = 0; x < m->width; x++) {
			size_t index = (size_t)y * m->width + x;
			struct line_view lines[2] = { { m->ids + (size_t)y * m->width, m->width, 1 },
						      { m->ids + x, m->height, m->width } };
			struct id_stats *row = &rows[m->ids[index]];
			bool bogus = false;

			row->labels++;
			for (int d = 0; d < 2; d++) {
				struct pixel_facts f = ask(&lines[d], d == LINE_ROW ? x : y);
				int64_t gap = f.left > f.right ? f.left - f.right : f.right - f.left;

				row->thin += f.thin;
				s.edges[d] += f.ends_at_edge;
				s.wide_edges[d] += f.wide_edge;
				s.long_between[d] += f.ends_long_between;
				row->lone[d] += f.lone;
				row->between[d] += f.between;
				bogus |= f.between;
				/* Pixels come in row-major order and the row before the column. */
				if (f.between && gap > worst_gap) {
					worst_gap = gap;
					worst_index = index;
					worst_row = d == LINE_ROW;
					s.worst.left = f.left;
					s.worst.id = m->ids[index];
					s.worst.right = f.right;
				}
			}
			s.between_pixels += bogus;
		}
	}
	if (worst_gap)
		s.worst.key = (uint64_t)worst_gap * (UINT64_C(1) << 48) +
			      (((UINT64_C(1) << 47) - 1 - worst_index) * 2) + (uint64_t)worst_row;

	model_content(m, s.content);
	s.ids_at = batch->ids_count;
	s.min = INT64_MAX;
	s.max = INT64_MIN;
	for (uint32_t id = 0; id < m->ids_end; id++) {
		struct id_stats *row = &rows[id];

		if (!row->labels)
			continue;
		row->id = id;
		row->first_index = NO_INDEX;
		if (class_set_role(classes, id) == ID_INVALID) {
			row->x0 = row->y0 = UINT32_MAX;
			for (size_t i = n; i-- > 0;) {
				uint32_t x = (uint32_t)(i % m->width), y = (uint32_t)(i / m->width);

				if (m->ids[i] != id)
					continue;
				row->first_index = i;
				row->x0 = MIN(row->x0, x);
				row->y0 = MIN(row->y0, y);
				row->x1 = MAX(row->x1, x);
				row->y1 = MAX(row->y1, y);
			}
		}
		s.ids_count++;
		s.min = MIN(s.min, id);
		s.max = MAX(s.max, id);
		*batch_add_ids(batch, 1) = *row;
	}
	free(rows);
	return s;
}

static struct label_stats reference(struct reference_rows *rows, const struct mask *m, struct batch *batch)
{
	struct label_stats s = { 0 };
	bool wide = m->ids_end > 256;
	uint8_t *bytes = mask_bytes(m);

	ck_assert(reference_rows_begin(rows, m->width, m->height, wide));
	for (uint32_t y = 0; y < m->height; y++) {
		size_t first = (size_t)y * m->width;

		reference_rows_add(rows, wide ? (const void *)(m->ids + first) : (const void *)(bytes + first));
	}
	reference_rows_end(rows, &s, batch);
	free(bytes);
	return s;
}

static void make_classes(struct class_set *c, const char *classes, const char *ignore)
{
	struct error err = ERROR_INIT;

	class_set_init(c);
	ck_assert_int_eq(class_set_parse_classes(c, classes, &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(c, ignore, &err), STATUS_OK);
	class_set_finish(c);
}

static void ck_same(const struct label_stats *a, const struct batch *a_ids, const struct label_stats *b,
		    const struct batch *b_ids, uint64_t seed)
{
	ck_assert_msg(!memcmp(a, b, sizeof(*a)), "stats differ, seed %llu", (unsigned long long)seed);
	ck_assert_uint_eq(a_ids->ids_count, b_ids->ids_count);
	ck_assert_msg(!a_ids->ids_count || !memcmp(a_ids->ids, b_ids->ids, a_ids->ids_count * sizeof(*a_ids->ids)),
		      "id rows differ, seed %llu", (unsigned long long)seed);
}

static void compare_masks(uint64_t seeds, uint32_t ids_end)
{
	static struct class_set classes;
	struct batch expected, got;

	make_classes(&classes, "0-12,40-90,300-20000", "255,65535");
	struct reference_rows *rows = reference_rows_new(&classes);

	batch_init(&expected);
	batch_init(&got);
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct mask m = mask_random(seed, ids_end, 70);
		struct label_stats a, b;

		/* Now and then a new batch: the slice must start where the batch ended. */
		if (seed % 5 == 0) {
			batch_clear(&expected);
			batch_clear(&got);
		}
		a = model(&m, &classes, &expected);
		b = reference(rows, &m, &got);
		ck_same(&a, &expected, &b, &got, seed);
		mask_release(&m);
	}
	batch_release(&expected);
	batch_release(&got);
	reference_rows_free(rows);
	class_set_release(&classes);
}

TEST(narrow_equals_model)
{
	compare_masks(600, 256);
}

TEST(wide_equals_model)
{
	compare_masks(150, 65536);
}

/* A mask that a person can count. Classes 0-8, 255 ignored. */
TEST(counted_by_hand)
{
	static struct class_set classes;
	uint16_t ids[] = {
		0, 0, 4,   8, 8, /* 4: lone, between 0 and 8 */
		0, 0, 9,   0, 0, /* 9: illegal, lone in the row, but L == R; in the column between 4 and 255 */
		0, 0, 255, 0, 0,
	};
	struct mask m = { .width = 5, .height = 3, .ids = ids, .ids_end = 256 };
	struct label_stats s;
	struct batch batch;

	make_classes(&classes, "9", "255");
	struct reference_rows *rows = reference_rows_new(&classes);

	batch_init(&batch);
	s = reference(rows, &m, &batch);
	ck_assert_uint_eq(s.labels, 15);
	ck_assert_int_eq(s.min, 0);
	ck_assert_int_eq(s.max, 255);
	ck_assert_uint_eq(s.ids_count, 5);
	const struct id_stats *four = &batch.ids[1], *nine = &batch.ids[3];

	ck_assert_int_eq(four->id, 4);
	ck_assert_uint_eq(four->labels, 1);
	ck_assert_uint_eq(four->thin, 2);
	ck_assert_uint_eq(four->lone[LINE_ROW], 1);
	ck_assert_uint_eq(four->between[LINE_ROW], 1);
	ck_assert_uint_eq(four->lone[LINE_COLUMN], 0);
	ck_assert_uint_eq(four->first_index, NO_INDEX);
	ck_assert_int_eq(nine->id, 9);
	ck_assert_uint_eq(nine->lone[LINE_ROW], 0);
	ck_assert_uint_eq(nine->between[LINE_COLUMN], 1);
	ck_assert_uint_eq(nine->first_index, 7);
	ck_assert_uint_eq(nine->x0, 2);
	ck_assert_uint_eq(nine->y1, 1);
	ck_assert_uint_eq(s.edges[LINE_ROW], 6);
	ck_assert_uint_eq(s.edges[LINE_COLUMN], 4);
	ck_assert_uint_eq(s.wide_edges[LINE_ROW], 6);
	ck_assert_uint_eq(s.between_pixels, 2);
	/* The column's gap, |4 - 255|, is the larger one. */
	ck_assert_uint_eq(s.worst.key, UINT64_C(251) << 48 | (WORST_INDEX_MASK - 7) << 1 | 0);
	ck_assert_int_eq(s.worst.left, 4);
	ck_assert_int_eq(s.worst.id, 9);
	ck_assert_int_eq(s.worst.right, 255);
	batch_release(&batch);
	reference_rows_free(rows);
	class_set_release(&classes);
}

/* Channel facts from their definitions, with the peak known beforehand. */
static void model_channels(const uint16_t *v, size_t pixels, unsigned channels, bool deep, struct label_stats *s,
			   struct batch *batch)
{
	unsigned colours = channels % 2 ? channels : channels - 1;
	struct channel_stats *f = &s->channels;
	uint32_t *keys = xmalloc(pixels * sizeof(*keys));
	size_t first = batch->ids_count;

	s->colours = 1;
	f->pixels = pixels;
	for (size_t i = 0; i < pixels; i++)
		for (unsigned c = 0; c < colours; c++)
			f->peak = MAX(f->peak, v[i * channels + c]);
	if (colours < channels)
		f->alpha_min = UINT32_MAX;
	for (size_t i = 0; i < pixels; i++) {
		const uint16_t *p = v + i * channels;
		unsigned above = 0, differ = 0, other = 0, shift = deep ? 8 : 0;

		for (unsigned c = 0; c < colours; c++) {
			above += p[c] != 0;
			differ += p[c] != p[0];
			other += p[c] != 0 && p[c] != f->peak;
		}
		f->blank_pixels += above == 0;
		f->one_hot_pixels += above == 1;
		f->unequal_pixels += differ != 0;
		f->mixed_pixels += other != 0;
		if (colours < channels) {
			f->alpha_min = MIN(f->alpha_min, p[colours]);
			f->alpha_max = MAX(f->alpha_max, p[colours]);
		}
		keys[i] = colours == 1
				  ? (uint32_t)(p[0] >> shift) * 0x10101
				  : (uint32_t)(p[0] >> shift) << 16 | (uint32_t)(p[1] >> shift) << 8 | p[2] >> shift;
	}
	s->ids_at = first;
	/* Selection in ascending order: the next larger key, and how often it is there. */
	for (uint64_t least = 0;;) {
		uint64_t key = UINT64_MAX, count = 0;

		for (size_t i = 0; i < pixels; i++)
			if (keys[i] >= least && keys[i] < key)
				key = keys[i];
		if (key == UINT64_MAX)
			break;
		for (size_t i = 0; i < pixels; i++)
			count += keys[i] == key;
		if (++s->ids_count > COLOURS_MAX) {
			s->ids_count = 0;
			f->colours_cut = 1;
			break;
		}
		*batch_add_ids(batch, 1) =
			(struct id_stats){ .id = (int64_t)key, .labels = count, .first_index = NO_INDEX };
		least = key + 1;
	}
	if (f->colours_cut)
		batch->ids_count = first;
	free(keys);
}

static void compare_channels(struct reference_rows *rows, uint64_t seed, uint32_t width, uint32_t height,
			     uint32_t values)
{
	uint64_t state = seed;
	unsigned channels = 2 + random_below(&state, 3);
	bool deep = random_below(&state, 2);
	size_t samples = (size_t)width * height * channels;
	uint16_t *v = xmalloc(samples * sizeof(*v));
	uint8_t *bytes = xmalloc(samples);
	struct label_stats a = { .width = width, .height = height }, b = { 0 };
	struct batch expected, got;

	for (size_t i = 0; i < samples; i++) {
		uint32_t one = random_below(&state, values);

		v[i] = (uint16_t)(deep ? one * 771 : one); /* 771: both bytes differ */
		if (values <= 256 && i % channels && random_below(&state, 3))
			v[i] = v[i - 1];
		bytes[i] = (uint8_t)v[i];
	}
	batch_init(&expected);
	batch_init(&got);
	model_channels(v, (size_t)width * height, channels, deep, &a, &expected);
	reference_channels_begin(rows, width, height, channels, deep);
	for (uint32_t y = 0; y < height; y++) {
		size_t first = (size_t)y * width * channels;

		reference_channels_add(rows, deep ? (const void *)(v + first) : (const void *)(bytes + first));
	}
	reference_channels_end(rows, &b, &got);
	ck_same(&a, &expected, &b, &got, seed);
	batch_release(&expected);
	batch_release(&got);
	free(bytes);
	free(v);
}

TEST(channels_equal_model)
{
	static struct class_set classes;

	make_classes(&classes, "3", "255");
	struct reference_rows *rows = reference_rows_new(&classes);

	for (uint64_t seed = 1; seed <= 300; seed++)
		compare_channels(rows, seed, 1 + (uint32_t)(seed % 13), 1 + (uint32_t)(seed % 7),
				 seed % 3 ? 2 + (uint32_t)(seed % 3) : 80);
	reference_rows_free(rows);
	class_set_release(&classes);
}

/* COLOURS_MAX distinct colours are listed, one more is not. */
TEST(colours_at_the_threshold)
{
	static struct class_set classes;

	make_classes(&classes, "3", "255");
	struct reference_rows *rows = reference_rows_new(&classes);

	for (uint32_t extra = 0; extra < 2; extra++) {
		uint32_t n = COLOURS_MAX + extra;
		uint8_t *rgb = xmalloc((size_t)n * 3);
		struct label_stats s = { 0 };
		struct batch batch;

		for (uint32_t i = 0; i < n; i++) {
			rgb[3 * i] = (uint8_t)(i >> 8);
			rgb[3 * i + 1] = (uint8_t)i;
			rgb[3 * i + 2] = 7;
		}
		batch_init(&batch);
		reference_channels_begin(rows, n, 2, 3, false);
		reference_channels_add(rows, rgb);
		reference_channels_add(rows, rgb);
		reference_channels_end(rows, &s, &batch);
		ck_assert_uint_eq(s.channels.colours_cut, extra);
		ck_assert_uint_eq(s.ids_count, extra ? 0 : COLOURS_MAX);
		ck_assert_uint_eq(batch.ids_count, s.ids_count);
		for (size_t i = 0; i < s.ids_count; i++) {
			ck_assert_uint_eq(batch.ids[i].labels, 2);
			ck_assert(i == 0 || batch.ids[i - 1].id < batch.ids[i].id);
		}
		batch_release(&batch);
		free(rgb);
	}
	reference_rows_free(rows);
	class_set_release(&classes);
}

TIMEOUT(120)
