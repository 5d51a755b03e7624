/*
 * The backend sim against the reference over real PNG files, whole, broken and hostile, in each view and lane order.
 *
 * The files come from LABELAUDIT_SHARED (default ../shared); where it is absent this prints `skipped`. Large
 * folders are sampled: every n-th file, so that the test stays under half a minute.
 */
#include "check_main.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "effort.h"
#include "measure/backend.h"

enum {
	BATCH = 64,
	FILE_BYTES_MAX = 64 << 10, /* the larger ones only take longer */
	DATA_STEP = 12,
};

static struct {
	char **paths;
	size_t count, cap;
} files;

static bool is_data; /* else hostile: all of them */
static size_t seen;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
	size_t n = strlen(path);

	(void)where;
	if (type != FTW_F || n < 4 || strcmp(path + n - 4, ".png") != 0 || st->st_size > FILE_BYTES_MAX)
		return 0;
	if (is_data && seen++ % DATA_STEP)
		return 0;
	GROW(files.paths, files.cap, files.count + 1);
	files.paths[files.count++] = xstrdup(path);
	return 0;
}

static bool find_files(void)
{
	const char *shared = getenv("LABELAUDIT_SHARED");
	char path[4096];

	if (!shared)
		shared = "../shared";
	snprintf(path, sizeof(path), "%s/hostile", shared);
	if (nftw(path, add_file, 16, FTW_PHYS) < 0)
		return false;
	is_data = true;
	snprintf(path, sizeof(path), "%s/data", shared);
	return nftw(path, add_file, 16, FTW_PHYS) == 0 && files.count > 0;
}

static void batch_fill(struct batch *batch, size_t first, size_t count)
{
	batch_clear(batch);
	for (size_t i = 0; i < count; i++) {
		struct batch_item *item = batch_add(batch);

		input_init(&item->input);
		fault_clear(&item->sample.fault);
		fault_clear(&item->sample.warning);
		item->sample.path = files.paths[first + i];
		ck_assert(input_open(&item->input, AT_FDCWD, item->sample.path, &item->sample.fault));
		item->sample.format = FORMAT_PNG;
		item->sample.status = SAMPLE_READ;
	}
}

static void batch_close_inputs(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		input_release(&batch->items[i].input);
}

static void *open_backend(const struct backend *backend, const struct settings *settings)
{
	struct error err = ERROR_INIT;
	void *self;

	ck_assert_msg(backend->open(&self, settings, 0, &err) == STATUS_OK, "%s", err.text);
	return self;
}

static void measure(const struct backend *backend, void *self, struct batch *batch, size_t first, size_t count)
{
	batch_fill(batch, first, count);
	backend->measure(self, batch);
	batch_close_inputs(batch);
}

static uint64_t compare_view(enum view view)
{
	static const char *const orders[] = { "forward", "reverse", "random" };
	static struct settings settings;
	struct error err = ERROR_INIT;
	struct batch expected, got;
	uint64_t labels = 0;

	settings.view = view;
	settings.limits = (struct limits){ .max_pixels = UINT64_C(1) << 30,
					   .max_inflated = UINT64_C(1) << 31,
					   .max_archive_ratio = 200 };
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "2", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&settings.classes, "255", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	batch_init(&expected);
	batch_init(&got);
	/* One order a view: each order meets each file kind, and the test stays short. */
	setenv("LABELAUDIT_SIM_ORDER", orders[view % ARRAY_SIZE(orders)], 1);
	void *reference = open_backend(&backend_cpu_reference, &settings);
	void *sim = open_backend(&backend_sim, &settings);

	/* a third of the batches for each view in turn */
	for (size_t first = effort(BATCH * (size_t)view, 0); first < files.count; first += effort(6 * BATCH, BATCH)) {
		size_t count = MIN(files.count - first, (size_t)BATCH);

		measure(&backend_cpu_reference, reference, &expected, first, count);
		measure(&backend_sim, sim, &got, first, count);
		for (size_t i = 0; i < count; i++) {
			const struct batch_item *a = &expected.items[i], *b = &got.items[i];

			ck_assert_msg(!memcmp(&a->stats, &b->stats, sizeof(a->stats)), "%s: stats differ",
				      a->sample.path);
			ck_assert_msg(a->sample.status == b->sample.status &&
					      !strcmp(a->sample.fault.text, b->sample.fault.text) &&
					      a->sample.fault.offset == b->sample.fault.offset &&
					      !strcmp(a->sample.warning.text, b->sample.warning.text),
				      "%s: faults differ: '%s', '%s'", a->sample.path, a->sample.fault.text,
				      b->sample.fault.text);
			labels += a->stats.labels;
		}
		ck_assert_uint_eq(expected.ids_count, got.ids_count);
		ck_assert_msg(!memcmp(expected.ids, got.ids, got.ids_count * sizeof(*got.ids)),
			      "id rows differ in the batch from %s", files.paths[first]);
	}
	backend_cpu_reference.close(reference);
	backend_sim.close(sim);
	batch_release(&expected);
	batch_release(&got);
	class_set_release(&settings.classes);
	unsetenv("LABELAUDIT_SIM_ORDER");
	return labels;
}

START_TEST(sim_equals_reference_on_files)
{
	if (!find_files()) {
		printf("skipped: no LABELAUDIT_SHARED with hostile and data\n");
		return;
	}
	for (int view = VIEW_PIL; view <= VIEW_CV2; view++)
		printf("view %d: %zu files, %llu labels, sim equals the reference\n", view, files.count,
		       (unsigned long long)compare_view((enum view)view));
	for (size_t i = 0; i < files.count; i++)
		free(files.paths[i]);
	free(files.paths);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sim_files");
	TCase *c = tcase_create("files");

	tcase_set_timeout(c, 300);
	tcase_add_test(c, sim_equals_reference_on_files);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
