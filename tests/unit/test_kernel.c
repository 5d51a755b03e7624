/*
 * The warp kernel as a loop over lanes, in three orders, against the reference: alone, and as the backend sim.
 */
#include "check_main.h"

#include <stdint.h>

#include "fake_png.h"
#include "measure/kernel_host.h"
#include "measure/measure_rows.h"
#include "measure/measure_sim.h"

static void make_classes(struct class_set *c)
{
	struct error err = ERROR_INIT;

	class_set_init(c);
	ck_assert_int_eq(class_set_parse_classes(c, "0-12,40-90,160", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(c, "255", &err), STATUS_OK);
	class_set_finish(c);
}

enum { MASKS = 25 };

/* MASKS masks from `seed` on as one kernel batch, in blocks of exactly their sizes, by each order. */
static void compare_kernel(const struct class_set *classes, struct measure_rows *rows, uint64_t seed)
{
	struct mask masks[MASKS];
	struct kernel_job jobs[MASKS];
	size_t pixels = 0;
	uint32_t next;
	struct batch expected, got;
	struct label_stats stats[MASKS];

	batch_init(&expected);
	batch_init(&got);
	for (unsigned i = 0; i < MASKS; i++) {
		masks[i] = mask_random(seed + i, 256, 100);
		jobs[i] = (struct kernel_job){ pixels, seed + i, masks[i].width, masks[i].height };
		pixels += (size_t)masks[i].width * masks[i].height;
	}
	uint8_t *bytes = xmalloc(pixels);
	struct kernel_slot *slots = xmalloc(MASKS * sizeof(*slots));
	struct kernel_batch b = { .pixels = bytes, .jobs = jobs, .slots = slots, .next = &next, .count = MASKS };

	kernel_legal_ids(classes, b.legal);
	memset(stats, 0, sizeof(stats));
	for (unsigned i = 0; i < MASKS; i++) {
		uint8_t *at = bytes + jobs[i].pixels_at;

		ck_assert(measure_rows_begin(rows, masks[i].width, masks[i].height, false));
		for (size_t p = 0; p < (size_t)masks[i].width * masks[i].height; p++)
			at[p] = (uint8_t)masks[i].ids[p];
		for (uint32_t y = 0; y < masks[i].height; y++)
			measure_rows_add(rows, at + (size_t)y * masks[i].width);
		measure_rows_end(rows, &stats[i], &expected);
		mask_release(&masks[i]);
	}
	for (int order = SIM_FORWARD; order <= SIM_RANDOM; order++) {
		batch_clear(&got);
		next = 0;
		memset(slots, 0xa5, MASKS * sizeof(*slots)); /* the kernel must clear what it counts in */
		sim_kernel(&b, (enum sim_order)order);
		for (unsigned i = 0; i < MASKS; i++) {
			struct label_stats s = { 0 };

			ck_assert(kernel_slot_answers(&slots[i], &jobs[i]));
			kernel_slot_collect(&slots[i], &jobs[i], classes, &s, &got);
			ck_assert_msg(!memcmp(&s, &stats[i], sizeof(s)), "stats differ: seed %llu, order %d",
				      (unsigned long long)(seed + i), order);
		}
		ck_assert_uint_eq(got.ids_count, expected.ids_count);
		ck_assert_msg(!memcmp(got.ids, expected.ids, got.ids_count * sizeof(*got.ids)),
			      "id rows differ: seeds from %llu, order %d", (unsigned long long)seed, order);
	}
	free(slots);
	free(bytes);
	batch_release(&expected);
	batch_release(&got);
}

START_TEST(kernel_equals_reference)
{
	static struct class_set classes;

	make_classes(&classes);
	struct measure_rows *rows = measure_rows_new(&classes);

	for (uint64_t seed = 1; seed <= 1000; seed += MASKS)
		compare_kernel(&classes, rows, seed);
	measure_rows_free(rows);
	class_set_release(&classes);
}
END_TEST

START_TEST(a_wrong_answer_is_seen)
{
	struct kernel_job job = { 0, 7, 5, 4 };
	struct kernel_slot *slot = xcalloc(1, sizeof(*slot));

	slot->serial = 7;
	slot->labels[3] = 19;
	ck_assert(!kernel_slot_answers(slot, &job));
	slot->labels[200] = 1;
	ck_assert(kernel_slot_answers(slot, &job));
	slot->serial = 6;
	ck_assert(!kernel_slot_answers(slot, &job));
	free(slot);
}
END_TEST

static void measure(const struct backend *backend, const struct fake_set *set, struct batch *batch)
{
	struct error err = ERROR_INIT;
	void *self;

	fake_set_fill(set, batch);
	ck_assert_int_eq(backend->open(&self, &set->settings, 0, &err), STATUS_OK);
	ck_assert_int_eq(backend->measure(self, batch, &err), STATUS_OK);
	ck_assert_str_eq(backend->note(self), "");

	/* Again with the same instance: nothing may be left over from the first time. */
	fake_set_fill(set, batch);
	ck_assert_int_eq(backend->measure(self, batch, &err), STATUS_OK);
	backend->close(self);
}

/* Stages of 1 KiB, which most masks fill or exceed; of 16 KiB; of the usual size. */
START_TEST(sim_equals_reference)
{
	static const char *const orders[] = { "forward", "reverse", "random" };
	static const char *const stages[] = { "1", "16", NULL };
	struct fake_set set;
	struct batch expected, got;
	size_t failed = 0, read = 0;

	fake_set_init(&set, 5000, 300, 60);
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
			fake_set_compare(&expected, &got, orders[o]);
		}
	}
	unsetenv("LABELAUDIT_SIM_ORDER");
	batch_release(&expected);
	batch_release(&got);
	fake_set_release(&set);
}
END_TEST

START_TEST(settings_from_the_environment_are_checked)
{
	static const char *const bad_sizes[] = { "", "0", "-1", "1x", " 1", "1048577", "99999999999999999999" };
	struct fake_set set;
	struct error err = ERROR_INIT;
	void *self;
	char text[128];

	fake_set_init(&set, 1, 1, 4);
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
	fake_set_release(&set);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("kernel");
	TCase *c = tcase_create("sim");

	tcase_set_timeout(c, 120);
	tcase_add_test(c, kernel_equals_reference);
	tcase_add_test(c, a_wrong_answer_is_seen);
	tcase_add_test(c, sim_equals_reference);
	tcase_add_test(c, settings_from_the_environment_are_checked);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
