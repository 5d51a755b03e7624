/*
 * Masks that are noise: the measurement that is made for them against the reference, bit for bit, by itself and where
 * the fast path turns to it; and what such files cost, which they are made for.
 */
#include "check_main.h"

#include <string.h>
#include <time.h>

#include "effort.h"
#include "engine_fixture.h"
#include "measure/engine/delta.h"
#include "measure/engine/full.h"
#include "measure/reference_rows.h"
#include "pictures.h"

static struct engine_fixture engine;

static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,300-400", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* The codes of this processor, each with a measurer of its own: what they measure is compared with one run of the
 * reference. */
struct fulls {
	struct full *v[ENGINE_CODES_MAX];
	const char *names[ENGINE_CODES_MAX];
	size_t count;
};

/* i: which of two sets of classes, of which the second has all ids. */
static void fulls_init(struct fulls *fulls, int i)
{
	struct error err = ERROR_INIT;

	if (i) {
		class_set_release(&engine.settings.classes);
		class_set_init(&engine.settings.classes);
		ck_assert_int_eq(class_set_parse_classes(&engine.settings.classes, "0-65535", &err), STATUS_OK);
		class_set_finish(&engine.settings.classes);
	}
	fulls->count = 0;
	for (size_t k = 0; k < engine.count; k++)
		if (engine.isas[k]->full.make_weights) {
			fulls->names[fulls->count] = engine.isas[k]->name;
			fulls->v[fulls->count++] = full_new(&engine.settings.classes, engine.isas[k]);
		}
}

static void fulls_release(struct fulls *fulls)
{
	for (size_t k = 0; k < fulls->count; k++)
		full_free(fulls->v[k]);
}

/* By itself; ids as bytes or, if wide, as they are. */
static void compare_masks(const struct fulls *fulls, const struct mask *m, bool wide, uint64_t seed)
{
	struct batch expected;
	uint8_t *bytes = mask_bytes(m);
	const uint8_t *ids = wide ? (const uint8_t *)m->ids : bytes;
	size_t row_bytes = (size_t)m->width * (wide ? 2 : 1);

	batch_init(&expected);
	ck_assert(reference_rows_begin(engine.reference.rows, m->width, m->height, wide));
	for (uint32_t y = 0; y < m->height; y++)
		reference_rows_add(engine.reference.rows, ids + y * row_bytes);
	reference_rows_end(engine.reference.rows, &batch_add(&expected)->stats, &expected);
	for (size_t k = 0; k < fulls->count; k++) {
		struct batch got;

		batch_init(&got);
		ck_assert(full_begin(fulls->v[k], m->width, m->height, wide));
		for (uint32_t y = 0; y < m->height; y++)
			full_add_row(fulls->v[k], ids + y * row_bytes);
		full_end(fulls->v[k], &batch_add(&got)->stats, &got);
		engine_expect_same(&got, &expected, fulls->names[k], seed);
		batch_release(&got);
	}
	batch_release(&expected);
	free(bytes);
}

TEST_EACH(random_ids, 2)
{
	struct fulls fulls;

	fulls_init(&fulls, _i);
	for (uint64_t seed = 0; fulls.count && seed < effort(80, 3000); seed++) {
		bool wide = seed % 3 == 2;
		struct mask m = mask_random(seed, wide ? 65536 : 256, seed % 10 ? 100 : 600);

		compare_masks(&fulls, &m, wide, seed);
		mask_release(&m);
	}
	fulls_release(&fulls);
}

/* Widths about those at which rows are taken apart or together (full.c): 256, 4032, 2^18. */
TEST_EACH(odd_widths, 2)
{
	static const uint32_t widths[] = { 31,   32,   33,   255,  256,  257,  319,  320,    4031,   4032,
					   4033, 4095, 4096, 4097, 8063, 8064, 8065, 262143, 262144, 262150 };
	struct fulls fulls;
	uint64_t s = 3;

	fulls_init(&fulls, _i);
	for (size_t i = 0; fulls.count && i < ARRAY_SIZE(widths); i++) {
		/* in `make check` two of the four for each width */
		for (unsigned few = i % 2 ? 2 + effort(66, 0) : 2; few <= 200; few += effort(132, 66)) {
			struct mask m = { .width = widths[i],
					  .height = widths[i] < 9000 ? 1 + random_below(&s, effort(i % 3 ? 20 : 60, 60))
								     : 5 };
			size_t n = (size_t)m.width * m.height;

			m.ids = xmalloc(n * sizeof(*m.ids));
			/* runs of all lengths, in rows and columns */
			for (size_t k = 0; k < n; k++)
				m.ids[k] = (uint16_t)(k > m.width && random_below(&s, 3)
							      ? m.ids[k - (random_below(&s, 2) ? 1 : m.width)]
							      : random_below(&s, few));
			compare_masks(&fulls, &m, few == 68, i);
			mask_release(&m);
		}
	}
	fulls_release(&fulls);
}

/* Kinds of files, by their pixels. */
enum noise { NOISE_BYTES, NOISE_TWO_ROWS, NOISE_FEW, NOISE_ALTERNATING, NOISE_LATE, NOISES };

/* depth of samples; colour: 0, 2, 3, 4 or 6, as in IHDR. The bytes of the rows, not the pixels, are the noise. */
static struct bytes noise_png(uint32_t width, uint32_t height, unsigned depth, unsigned colour, unsigned filter,
			      enum noise noise, uint64_t seed)
{
	uint64_t s = seed;
	struct picture p = picture_new(width, height, depth, colour);
	size_t row_bytes = ((size_t)width * depth * p.channels + 7) / 8;
	struct bytes rows = { xmalloc((row_bytes + 1) * height), (row_bytes + 1) * height };

	for (uint32_t y = 0; y < height; y++) {
		uint8_t *row = rows.p + y * (row_bytes + 1);

		*row++ = (uint8_t)(filter < 5 ? filter : random_below(&s, 5));
		for (size_t i = 0; i < row_bytes; i++) {
			if (noise == NOISE_TWO_ROWS && y > 1)
				row[i] = *(row + i - 2 * (row_bytes + 1));
			else if (noise == NOISE_ALTERNATING)
				row[i] = (uint8_t)((i + y) % 2 ? 0x15 : 0xe2);
			else if (noise == NOISE_LATE && y < height / 2)
				row[i] = 0;
			else
				row[i] = (uint8_t)(random_next(&s) & (noise == NOISE_FEW ? 0x11 : 0xff));
		}
	}
	struct bytes stream = stream_make(&rows, 1, PACKED_WELL, &s),
		     png = picture_file(&p, &stream, NULL, SPLIT_NONE, &s);

	free(stream.p);
	free(rows.p);
	free(p.samples);
	return png;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time. */
struct cost {
	double fast, reference;
};

static struct cost compare_files(const struct bytes *png, uint64_t seed)
{
	struct batch got, expected;
	struct cost cost;

	batch_init(&got);
	batch_init(&expected);
	struct batch_item *item = engine_file(&got, png), *reference = engine_file(&expected, png);

	cost.fast = seconds_now();
	ck_assert(engine_measure_fast(engine.fast[0], item, &got));
	cost.fast = seconds_now() - cost.fast;
	cost.reference = seconds_now();
	engine_measure_reference(&engine, &expected, reference);
	cost.reference = seconds_now() - cost.reference;
	ck_assert_int_eq(reference->sample.status, SAMPLE_READ);
	engine_expect_same(&got, &expected, "noise", seed);
	batch_release(&got);
	batch_release(&expected);
	return cost;
}

/* Large enough for the delta engine to find noise, in the middle or at once. */
TEST(files)
{
	static const struct {
		unsigned depth, colour;
	} types[] = { { 8, 0 }, { 8, 3 }, { 1, 0 }, { 2, 3 }, { 4, 0 }, { 16, 0 }, { 8, 2 }, { 16, 6 }, { 8, 4 } };
	static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };
	uint64_t s = 8;

	for (uint64_t seed = 0; seed < effort(1, 2) * ARRAY_SIZE(types); seed++) {
		unsigned depth = types[seed % ARRAY_SIZE(types)].depth, colour = types[seed % ARRAY_SIZE(types)].colour;
		uint32_t width = seed % 4 ? 300 + random_below(&s, 3000) : 1 + random_below(&s, 40);
		enum noise noise = (enum noise)random_below(&s, NOISES);
		uint32_t height = (noise == NOISE_LATE ? 2600000 : 1300000) / (width + 20);
		struct bytes png = noise_png(width, height, depth, colour, random_below(&s, 6), noise, seed);

		engine.settings.view = colour == 2 || colour > 3 ? VIEW_CV2 : views[seed % 3];
		compare_files(&png, seed);
		free(png.p);
	}
}

/*
 * Files that are made to take long: no more than twice what the reference takes, which has one price for all pixels
 * (measured: a seventh to as much); and twice as large, not more than 2.5 times as much. The smaller one is large
 * enough for the delta engine to find noise and give up: what it has measured by then is measured once more.
 */
TEST(costs)
{
	engine.settings.view = VIEW_PIL;
	for (unsigned kind = 0; kind < 8; kind++) {
		unsigned depth = kind == 5 ? 16 : kind == 6 ? 1 : 8, colour = kind == 7 ? PNG_RGB : PNG_GREY;
		enum noise noise = kind % 2 ? NOISE_ALTERNATING : NOISE_TWO_ROWS;
		uint32_t width = kind == 2 || kind == 3 ? 7 : 1500, height = 1500000 / width;
		struct bytes one = noise_png(width, height, depth, colour, FILTER_PAETH * (kind & 1), noise, kind),
			     two = noise_png(width, 2 * height, depth, colour, FILTER_PAETH * (kind & 1), noise, kind);
		struct cost least[2] = { { 1e9, 1e9 }, { 1e9, 1e9 } };

		/* a machine that is busy with other things makes one time longer than another: then once more */
		for (unsigned round = 0; round < 12; round++) {
			if (round >= effort(1, 2) && least[1].fast < 2 * least[1].reference &&
			    least[1].fast < 2.5 * least[0].fast)
				break;
			for (unsigned i = 0; i < 2; i++) {
				struct cost cost = compare_files(i ? &two : &one, kind);

				least[i].fast = MIN(least[i].fast, cost.fast);
				least[i].reference = MIN(least[i].reference, cost.reference);
			}
		}
		ck_assert_msg(least[1].fast < 2 * least[1].reference, "kind %u: %g s, but the reference %g s", kind,
			      least[1].fast, least[1].reference);
		ck_assert_msg(least[1].fast < 2.5 * least[0].fast, "kind %u: %g s, and twice as large %g s", kind,
			      least[0].fast, least[1].fast);
		free(one.p);
		free(two.p);
	}
}

TIMEOUT(300)
FIXTURE(set_up, tear_down)
