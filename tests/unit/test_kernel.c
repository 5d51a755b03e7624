/*
 * The warp kernel as a loop over lanes, in three orders, against the reference: alone, and as the backend sim.
 */
#include "check_main.h"

#include <stdint.h>

#include "effort.h"
#include "measure/kernel/backend_sim.h"
#include "measure/kernel/kernel_host.h"
#include "measure/reference_rows.h"
#include "png_set.h"

static void make_classes(struct class_set *c)
{
	struct error err = ERROR_INIT;

	class_set_init(c);
	ck_assert_int_eq(class_set_parse_classes(c, "0-12,40-90,160", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(c, "255", &err), STATUS_OK);
	class_set_finish(c);
}

/* Returns the id of a sample. */
static uint32_t expected_id(const struct kernel_job *job, const uint8_t *lut, uint32_t sample)
{
	return job->depth == 16 ? sample >> 8 : job->lut_at == KERNEL_NO_LUT ? sample : lut[sample];
}

/* A mask of each depth, with and without a lut, by each order; all memory is of exactly the size that is promised. */
static void compare_mask(const struct class_set *classes, struct reference_rows *rows, uint64_t seed, uint32_t depth,
			 struct mask mask)
{
	uint64_t s = seed * 31;
	uint32_t next;
	struct bytes filtered = mask_rows(&mask, depth, &s),
		     stream = stream_make(&filtered, LEVEL_ANY, PACKED_ANYHOW, &s);
	size_t lut_at = (stream.n + KERNEL_STREAM_PADDING + 15) / 16 * 16;
	struct kernel_job job = {
		.serial = seed,
		.stream_bytes = (uint32_t)stream.n,
		.lut_at = depth <= 8 && random_below(&s, 2) ? (uint32_t)lut_at : KERNEL_NO_LUT,
		.width = mask.width,
		.height = mask.height,
		.depth = depth,
	};
	uint8_t *streams = xcalloc(lut_at + KERNEL_IDS, 1), *lut = streams + lut_at, *row = xmalloc(mask.width);
	struct kernel_slot *slot = xmalloc(sizeof(*slot));
	struct kernel_batch b = { .streams = streams, .jobs = &job, .slots = slot, .next = &next, .count = 1 };
	struct label_stats expected_stats = { 0 };
	struct batch expected, got;

	memcpy(streams, stream.p, stream.n);
	for (unsigned i = 0; i < KERNEL_IDS; i++)
		lut[i] = (uint8_t)(i * 85 ^ i / 3);
	b.scratch_bytes = (uint32_t)kernel_scratch_bytes(&job);
	kernel_legal_ids(classes, b.legal);
	batch_init(&expected);
	batch_init(&got);
	ck_assert(reference_rows_begin(rows, mask.width, mask.height, false));
	for (uint32_t y = 0; y < mask.height; y++) {
		for (uint32_t x = 0; x < mask.width; x++) {
			uint32_t sample = mask.ids[(size_t)y * mask.width + x] & ((1u << depth) - 1);

			row[x] = (uint8_t)expected_id(&job, lut, sample);
			if (depth <= 8)
				expected_stats.raw_used[sample / 64] |= UINT64_C(1) << sample % 64;
		}
		reference_rows_add(rows, row);
	}
	reference_rows_end(rows, &expected_stats, &expected);
	for (int order = LANES_FORWARD; order <= LANES_RANDOM; order++) {
		struct label_stats stats = { 0 };

		b.scratch = xmalloc(b.scratch_bytes);
		memset(b.scratch, 0xa5, b.scratch_bytes);
		batch_clear(&got);
		next = 0;
		memset(slot, 0xa5, sizeof(*slot)); /* the kernel must clear what it counts in */
		sim_kernel(&b, (enum lane_order)order);
		ck_assert_msg(kernel_slot_answer(slot, &job) == ANSWER_MEASURED, "refused: seed %llu, order %d",
			      (unsigned long long)seed, order);
		kernel_slot_collect(slot, &job, classes, &stats, &got);
		ck_assert_msg(!memcmp(&stats, &expected_stats, sizeof(stats)), "stats differ: seed %llu, order %d",
			      (unsigned long long)seed, order);
		ck_assert_uint_eq(got.ids_count, expected.ids_count);
		ck_assert_msg(!memcmp(got.ids, expected.ids, got.ids_count * sizeof(*got.ids)),
			      "id rows differ: seed %llu, order %d", (unsigned long long)seed, order);
		free(b.scratch);
	}
	batch_release(&expected);
	batch_release(&got);
	free(slot);
	free(row);
	free(streams);
	free(stream.p);
	free(filtered.p);
	mask_release(&mask);
}

/*
 * Rows of noise: more runs than are gathered at a time, and more pixels that differ from those above. A row is new, or
 * that above, or that above in part.
 */
static struct mask wide_noise(uint64_t seed)
{
	uint64_t s = seed;
	struct mask m = { .width = 200 + random_below(&s, 1200), .height = 12, .ids_end = 256 };

	m.ids = xmalloc((size_t)m.width * m.height * sizeof(*m.ids));
	for (uint32_t y = 0; y < m.height; y++) {
		uint32_t fresh = y == 0 ? m.width : random_below(&s, 3) * m.width / 2;

		for (uint32_t x = 0; x < m.width; x++) {
			uint16_t *id = &m.ids[(size_t)y * m.width + x];

			*id = x < fresh ? (uint16_t)random_below(&s, 200) : id[-(ptrdiff_t)m.width];
		}
	}
	return m;
}

TEST(kernel_equals_reference)
{
	static const uint32_t depths[] = { 8, 8, 8, 1, 2, 4, 16 };
	static struct class_set classes;

	make_classes(&classes);
	struct reference_rows *rows = reference_rows_new(&classes);

	/* the depths in turn whatever the step */
	for (uint64_t seed = 1; seed <= 2000; seed += effort(4, 1)) {
		uint32_t depth = depths[seed % ARRAY_SIZE(depths)];

		compare_mask(&classes, rows, seed, depth, mask_random(seed, depth == 16 ? 65536 : 256, 100));
	}
	for (uint64_t seed = 1; seed <= effort(30, 60); seed++)
		compare_mask(&classes, rows, seed, depths[seed % 4], wide_noise(seed));
	reference_rows_free(rows);
	class_set_release(&classes);
}

TEST(a_wrong_answer_is_seen)
{
	struct kernel_job job = { .serial = 7, .width = 5, .height = 4 };
	struct kernel_slot *slot = xcalloc(1, sizeof(*slot));

	slot->serial = 7;
	slot->labels[3] = 19;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_WRONG);
	slot->status = KERNEL_MEASURED;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_WRONG);
	slot->labels[200] = 1;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_MEASURED);
	slot->status = KERNEL_REFUSED;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_REFUSED);
	slot->status = KERNEL_REFUSED + 1;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_WRONG);
	slot->status = KERNEL_REFUSED;
	slot->serial = 6;
	ck_assert_int_eq(kernel_slot_answer(slot, &job), ANSWER_WRONG);
	free(slot);
}

static uint64_t taken, refused; /* by the kernel, of two rounds */

static void measure(const struct backend *backend, const struct png_set *set, struct batch *batch)
{
	struct error err = ERROR_INIT;
	void *self;

	png_set_fill(set, batch);
	ck_assert_int_eq(backend->open(&self, &set->settings, 0, &err), STATUS_OK);
	backend->measure(self, batch);
	ck_assert_str_eq(backend->note ? backend->note(self) : "", "");

	/* Again with the same instance: nothing may be left over from the first time. */
	png_set_fill(set, batch);
	backend->measure(self, batch);
	if (backend == &backend_sim)
		sim_counts(self, &taken, &refused);
	backend->close(self);
}

/* Stages of 2 KiB, which most masks fill or exceed; of 16 KiB; of the usual size. */
TEST(sim_equals_reference)
{
	static const char *const orders[] = { "forward", "reverse", "random" };
	static const char *const stages[] = { "2", "16", NULL };
	struct png_set set;
	struct batch expected, got;
	size_t failed = 0, read = 0;

	png_set_init(&set, effort(2500, 5000), 300, 60);
	batch_init(&expected);
	batch_init(&got);
	measure(&backend_cpu_reference, &set, &expected);
	for (size_t i = 0; i < expected.count; i++) {
		const struct batch_item *item = &expected.items[i];

		failed += item->sample.status == SAMPLE_FAILED;
		read += item->stats.labels > 0;
		if (item->sample.status == SAMPLE_FAILED)
			ck_assert_uint_eq(item->stats.ids_count + item->stats.width + item->stats.raw_used[0], 0);
		else if (item->stats.labels && item->sample.png.bit_depth == 8)
			ck_assert(item->stats.raw_used[0] | item->stats.raw_used[1] | item->stats.raw_used[2] |
				  item->stats.raw_used[3]);
	}
	/* The set must hold what it is meant to test. */
	ck_assert_uint_gt(failed, 10);
	ck_assert_uint_gt(read, 100);
	for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
		for (size_t k = 0; k < ARRAY_SIZE(stages); k++) {
			setenv("LABELAUDIT_SIM_ORDER", orders[o], 1);
			if (stages[k])
				setenv("LABELAUDIT_STAGE_KIB", stages[k], 1);
			else
				unsetenv("LABELAUDIT_STAGE_KIB");
			measure(&backend_sim, &set, &got);
			png_set_compare(&expected, &got, orders[o]);
			/* Most masks are its business, and only few of the broken ones are seen before. */
			ck_assert_uint_gt(taken, stages[k] ? 2 * 60 : 2 * 130);
			ck_assert_uint_gt(refused, 2 * 3);
		}
	}
	unsetenv("LABELAUDIT_SIM_ORDER");
	batch_release(&expected);
	batch_release(&got);
	png_set_release(&set);
}

TEST(settings_from_the_environment_are_checked)
{
	static const char *const bad_sizes[] = { "", "0", "-1", "1x", " 1", "1048577", "99999999999999999999" };
	struct png_set set;
	struct error err = ERROR_INIT;
	void *self;
	char text[128];

	png_set_init(&set, 1, 1, 4);
	for (size_t i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
		setenv("LABELAUDIT_STAGE_KIB", bad_sizes[i], 1);
		err.text[0] = '\0';
		ck_assert_msg(backend_sim.open(&self, &set.settings, 0, &err) == STATUS_FAILED, "%s", bad_sizes[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "LABELAUDIT_STAGE_KIB"));
	}
	unsetenv("LABELAUDIT_STAGE_KIB");
	setenv("LABELAUDIT_SIM_ORDER", "sideways", 1);
	err.text[0] = '\0';
	ck_assert_int_eq(backend_sim.open(&self, &set.settings, 0, &err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "sideways"));
	unsetenv("LABELAUDIT_SIM_ORDER");
	err.text[0] = '\0';
	ck_assert_int_eq(backend_sim.probe(0, text, sizeof(text), &err), STATUS_OK);
	ck_assert_ptr_nonnull(strstr(text, "lanes forward"));
	png_set_release(&set);
}

TIMEOUT(120)
