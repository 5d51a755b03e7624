/*
 * A stand-in for png/decode.h and png/view.h in tests of backends: an "encoded" file is a struct fake_png in memory,
 * which can be told to fail at any row. So these tests see what backends do with files, and nothing of PNG. Include it
 * in one file of a program that does not link the real ones.
 */
#ifndef TESTS_FAKE_PNG_H
#define TESTS_FAKE_PNG_H

#include "base/settings.h"
#include "measure/backend.h"
#include "png/decode.h"
#include "png/view.h"
#include "random_masks.h"

enum { FAKE_OPENS = -1, FAKE_NEVER_FAILS = -2, FAKE_FINISH = -3 };

struct fake_png {
	struct png_header header;
	int64_t fails_at; /* a row, or FAKE_* : at open, never, at finish */
	uint8_t *samples; /* owned; width * channels of 1 or 2 bytes a row */
};

struct png_decoder {
	const struct fake_png *file;
	struct sample *sample;
	uint32_t y;
};

bool png_decoder_open(struct png_decoder **out, struct input *input, const struct limits *limits, struct sample *sample)
{
	const struct fake_png *file = (const void *)input->bytes;

	(void)limits;
	if (file->fails_at == FAKE_OPENS) {
		fault_set(&sample->fault, FAULT_CORRUPT, 8, "fails at open");
		return false;
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->file = file;
	(*out)->sample = sample;
	sample->png = file->header;
	return true;
}

const void *png_decoder_row(struct png_decoder *d)
{
	const struct png_header *h = &d->file->header;

	if (d->y == d->file->fails_at) {
		fault_set(&d->sample->fault, FAULT_TRUNCATED, 100, "fails at row %u", d->y);
		return NULL;
	}
	ck_assert_uint_lt(d->y, h->height);
	return d->file->samples + (size_t)d->y++ * h->width * h->channels * (h->bit_depth == 16 ? 2 : 1);
}

bool png_decoder_finish(struct png_decoder *d)
{
	ck_assert_uint_eq(d->y, d->file->header.height);
	if (d->file->fails_at == FAKE_FINISH)
		fault_set(&d->sample->fault, FAULT_CORRUPT, 200, "fails at the end");
	return d->file->fails_at != FAKE_FINISH;
}

void png_decoder_close(struct png_decoder *d)
{
	free(d);
}

void view_map_init(struct view_map *m, const struct png_header *png, enum view view)
{
	memset(m, 0, sizeof(*m));
	m->view = view;
	m->channels = png->channels;
	m->depth = png->bit_depth;
	m->has_ids = png->channels == 1;
	m->wide = png->bit_depth == 16;
	m->identity = m->has_ids && png->bit_depth >= 8;
	for (unsigned i = 0; i < 256; i++)
		m->lut[i] = (uint8_t)(png->bit_depth == 4 ? i * 17 : i);
}

void view_map_row(const struct view_map *m, const void *row, uint32_t width, void *out)
{
	const uint8_t *from = row;
	uint8_t *to = out;

	ck_assert(m->has_ids && !m->wide);
	for (uint32_t x = 0; x < width; x++)
		to[x] = m->lut[from[x]];
}

/* Mostly 8-bit masks; also 4 and 16 bits, colours, and files that fail in every way. */
static inline struct fake_png fake_png_random(uint64_t seed, uint32_t side_max)
{
	uint64_t s = seed * 977 + 5;
	uint32_t kind = random_below(&s, 10);
	struct mask m = mask_random(seed, kind == 1 ? 65536 : 256, side_max);
	struct fake_png f = { .fails_at = FAKE_NEVER_FAILS };
	size_t n = (size_t)m.width * m.height;

	f.header.width = m.width;
	f.header.height = m.height;
	f.header.bit_depth = 8;
	f.header.channels = 1;
	f.header.colour_type = PNG_GREY;
	if (kind == 1) {
		f.header.bit_depth = 16;
	} else if (kind == 2) {
		f.header.channels = 3;
		f.header.colour_type = PNG_RGB;
	} else if (kind == 3) {
		f.header.bit_depth = 4;
	} else if (kind == 4) {
		static const int64_t ways[] = { FAKE_OPENS, FAKE_FINISH, 0 };
		uint32_t way = random_below(&s, ARRAY_SIZE(ways) + 1);

		f.fails_at = way < ARRAY_SIZE(ways) ? ways[way] : m.height - 1;
	}
	f.samples = xmalloc(n * 6);
	for (size_t i = 0; i < n; i++) {
		if (kind == 1)
			memcpy(f.samples + 2 * i, &m.ids[i], 2);
		else if (kind == 2)
			memset(f.samples + 3 * i, m.ids[i] & 0xff, random_below(&s, 2) ? 3 : 2);
		else
			f.samples[i] = (uint8_t)(kind == 3 ? m.ids[i] & 15 : m.ids[i]);
		if (kind == 2)
			f.samples[3 * i + 2] = (uint8_t)m.ids[i];
	}
	mask_release(&m);
	return f;
}

/* A batch of such files; and a settings object with classes 0-12, 40-90 and 255 ignored. */
struct fake_set {
	struct fake_png *files;
	size_t count;
	struct settings settings;
};

static inline void fake_set_init(struct fake_set *set, uint64_t seed, size_t count, uint32_t side_max)
{
	struct error err = ERROR_INIT;

	memset(set, 0, sizeof(*set));
	set->count = count;
	set->files = xmalloc(count * sizeof(*set->files));
	for (size_t i = 0; i < count; i++)
		set->files[i] = fake_png_random(seed + i, side_max);
	class_set_init(&set->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&set->settings.classes, "0-12,40-90", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&set->settings.classes, "255", &err), STATUS_OK);
	class_set_finish(&set->settings.classes);
}

static inline void fake_set_release(struct fake_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->files[i].samples);
	free(set->files);
	class_set_release(&set->settings.classes);
}

static inline void fake_set_fill(const struct fake_set *set, struct batch *batch)
{
	batch_clear(batch);
	for (size_t i = 0; i < set->count; i++) {
		struct batch_item *item = batch_add(batch);

		item->input.bytes = (void *)&set->files[i];
		item->input.size = sizeof(set->files[i]);
		item->sample.format = i % 17 == 16 ? FORMAT_NONE : FORMAT_PNG;
		item->sample.status = i % 19 == 18 ? SAMPLE_SKIPPED : SAMPLE_READ;
	}
}

/* Same stats, same id rows in the same order, same statuses and faults. */
static inline void fake_set_compare(const struct batch *a, const struct batch *b, const char *what)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct batch_item *p = &a->items[i], *q = &b->items[i];

		ck_assert_msg(!memcmp(&p->stats, &q->stats, sizeof(p->stats)), "%s: stats of item %zu differ", what, i);
		ck_assert_msg(p->sample.status == q->sample.status, "%s: status of item %zu differs", what, i);
		ck_assert_msg(!memcmp(&p->sample.fault, &q->sample.fault, sizeof(p->sample.fault)),
			      "%s: fault of item %zu differs", what, i);
	}
	ck_assert_uint_eq(a->ids_count, b->ids_count);
	ck_assert_msg(!memcmp(a->ids, b->ids, a->ids_count * sizeof(*a->ids)), "%s: id rows differ", what);
}

#endif
