/* judge/dataset.h: sums, and that neither order nor partition shows. */
#include "../rules/measured.h"
#include "check_main.h"

#include <stdio.h>

static void add(struct dataset_stats *d, struct measured *m, const char *path)
{
	m->sample.path = path;
	measured_add(m, d, false);
}

TEST(counts)
{
	struct measured *m = measured_new("3", "255");
	struct dataset_stats d;

	dataset_init(&d);
	m->sample.file_bytes = 100;
	measured_list(m, 0, 0, 1, 255);
	add(&d, m, "b.png");
	measured_list(m, 0, 9);
	add(&d, m, "c.png");
	add(&d, m, "a.png");
	measured_list(m, 255);
	add(&d, m, "d.png");
	measured_list(m, 0);
	add(&d, m, "e.png");
	m->sample.status = SAMPLE_FAILED;
	add(&d, m, "f.png");
	m->sample.status = SAMPLE_SKIPPED;
	add(&d, m, "g.png");

	ck_assert_uint_eq(d.files, 7);
	ck_assert_uint_eq(d.files_read, 5);
	ck_assert_uint_eq(d.files_failed, 1);
	ck_assert_uint_eq(d.files_skipped, 1);
	ck_assert_uint_eq(d.labels, 10);
	ck_assert_uint_eq(d.bytes, 500);
	ck_assert_uint_eq(d.files_with_ids, 5);
	ck_assert_uint_eq(d.files_with_ignored, 2);
	ck_assert_uint_eq(d.masks_only_zero, 1);
	ck_assert_uint_eq(d.ids_count, 4);
	ck_assert_uint_eq(dataset_id(&d, 0)->labels, 5);
	ck_assert_uint_eq(dataset_id(&d, 0)->files, 4);
	ck_assert_ptr_null(dataset_id(&d, 0)->example);
	ck_assert_str_eq(dataset_id(&d, 9)->example, "a.png");
	ck_assert_ptr_null(dataset_id(&d, 255)->example);
	ck_assert_ptr_null(dataset_id(&d, 8));
	ck_assert_ptr_null(dataset_id(&d, 256));
	ck_assert_uint_eq(d.sizes.count, 3);
	ck_assert_uint_eq(d.sizes.v[0].width, 1);
	ck_assert_uint_eq(d.sizes.v[0].files, 2);
	ck_assert_uint_eq(d.formats.count, 1);
	ck_assert_uint_eq(d.formats.v[0].seen.files, 5);
	ck_assert_str_eq(d.formats.v[0].seen.example, "a.png");
	dataset_release(&d);
}

/* A mask of 70000 x 70000 pixels has more than 2^32; so have two of 2^31, and the parts of a report. */
TEST(counts_past_32_bits)
{
	const uint64_t pixels = UINT64_C(4900000000);
	struct measured *m = measured_new("3", "255");
	struct dataset_stats d, more;

	dataset_init(&d);
	dataset_init(&more);
	measured_list(m, 0);
	m->stats.labels = m->ids[0].labels = pixels;
	m->sample.file_bytes = pixels;
	add(&d, m, "a.png");
	add(&d, m, "b.png");
	add(&more, m, "c.png");
	ck_assert_uint_eq(d.labels, 2 * pixels);
	ck_assert_uint_eq(dataset_id(&d, 0)->labels, 2 * pixels);
	dataset_merge(&d, &more);
	ck_assert_uint_eq(d.labels, 3 * pixels);
	ck_assert_uint_eq(d.bytes, 3 * pixels);
	ck_assert_uint_eq(dataset_id(&d, 0)->labels, 3 * pixels);
	dataset_release(&d);
	dataset_release(&more);
}

TEST(files_with_channels_have_no_ids)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats d;
	const uint8_t rgb[] = { 1, 2, 3 };

	dataset_init(&d);
	measured_channels(m, 1, 1, 3, rgb);
	add(&d, m, "a.png");
	ck_assert_uint_eq(d.files_read, 1);
	ck_assert_uint_eq(d.files_with_ids, 0);
	ck_assert_uint_eq(d.ids_count, 0);
	ck_assert_uint_eq(d.labels, 0);
	ck_assert_uint_eq(d.formats.count, 1);
	dataset_release(&d);
}

/* Files with two ids or more could be damaged; where neighbours were not measured, none could. */
TEST(tested_files)
{
	struct measured *m = measured_new("3", "255");
	struct dataset_stats d;

	dataset_init(&d);
	for (uint64_t ids = 1; ids <= 3; ids++) {
		measured_begin(m, 10, 10);
		m->stats.labels = 100;
		m->stats.max = 2;
		for (uint64_t id = 0; id < ids; id++)
			measured_row(m, (int64_t)id)->labels = 30;
		const uint64_t before = d.tested_files;

		m->stats.neighbours = 0;
		measured_add(m, &d, false);
		ck_assert_uint_eq(d.tested_files, before);
		m->stats.neighbours = 1;
		measured_add(m, &d, ids == 2);
		ck_assert_uint_eq(d.tested_files, ids - 1);
	}
	ck_assert_uint_eq(d.tested_flagged, 1);
	dataset_release(&d);
}

TEST(roles_are_those_after_reducing)
{
	struct measured *m = measured_new("2", NULL);
	struct dataset_stats d;

	dataset_init(&d);
	measured_reduce_zero_label(m);
	measured_list(m, 0, 2, 3, 255);
	add(&d, m, "a.png");
	ck_assert_uint_eq(d.files_with_ignored, 1);
	ck_assert_ptr_null(dataset_id(&d, 2)->example);
	ck_assert_str_eq(dataset_id(&d, 3)->example, "a.png");
	measured_list(m, 0, 255);
	add(&d, m, "b.png");
	dataset_release(&d);
}

/* ---- order and partition ---------------------------------------------------------------------------------------- */

enum { FILES = 60 };

/* File i, different from all others in ids, size and encoding. */
static void make(struct measured *m, int i, char path[16])
{
	int64_t ids[40];
	uint32_t width = 1 + (uint32_t)(i * 7 % 31);

	for (uint32_t x = 0; x < width; x++)
		ids[x] = (int64_t)(x * (uint32_t)(i + 3) % 37) * (i % 3 + 1);
	measured_ids(m, width, 1, ids);
	m->sample.status = i % 11 == 5 ? SAMPLE_FAILED : SAMPLE_READ;
	m->sample.png.colour_type = i % 4 == 1 ? PNG_PALETTE : PNG_GREY;
	m->sample.png.bit_depth = (uint8_t)(i % 4 == 2 ? 16 : i % 8 == 3 ? 1 : i % 8 == 7 ? 4 : 8);
	m->sample.file_bytes = (uint64_t)i;
	snprintf(path, 16, "%02d.png", i * 17 % FILES);
}

static void same_count(const struct file_count *a, const struct file_count *b)
{
	ck_assert_uint_eq(a->files, b->files);
	ck_assert_pstr_eq(a->example, b->example);
}

static void same(const struct dataset_stats *a, const struct dataset_stats *b)
{
	ck_assert_uint_eq(a->ids_count, b->ids_count);
	for (size_t i = 0; i < a->ids_count; i++) {
		ck_assert_mem_eq(&a->ids[i], &b->ids[i], offsetof(struct id_total, example));
		ck_assert_pstr_eq(a->ids[i].example, b->ids[i].example);
	}
	ck_assert_uint_eq(a->formats.count, b->formats.count);
	for (size_t i = 0; i < a->formats.count; i++) {
		ck_assert_uint_eq(a->formats.v[i].colour_type, b->formats.v[i].colour_type);
		ck_assert_uint_eq(a->formats.v[i].bit_depth, b->formats.v[i].bit_depth);
		same_count(&a->formats.v[i].seen, &b->formats.v[i].seen);
	}
	ck_assert_uint_eq(a->sizes.count, b->sizes.count);
	ck_assert_mem_eq(a->sizes.v, b->sizes.v, a->sizes.count * sizeof(*a->sizes.v));
	for (size_t i = 0; i < COUNTED_KINDS; i++)
		same_count(&a->counted[i], &b->counted[i]);
	ck_assert_uint_eq(a->files, b->files);
	ck_assert_uint_eq(a->files_read, b->files_read);
	ck_assert_uint_eq(a->files_failed, b->files_failed);
	ck_assert_uint_eq(a->labels, b->labels);
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_uint_eq(a->files_with_ids, b->files_with_ids);
	ck_assert_uint_eq(a->masks_only_zero, b->masks_only_zero);
	ck_assert_uint_eq(a->informative_files, b->informative_files);
	ck_assert_mem_eq(a->between, b->between, sizeof(a->between));
	ck_assert_mem_eq(a->wide_edges, b->wide_edges, sizeof(a->wide_edges));
}

TEST(order_and_partition_do_not_show)
{
	struct measured *m = measured_new("20", "36");
	struct dataset_stats forward, parts[4];
	char path[16];

	dataset_init(&forward);
	for (int i = 0; i < FILES; i++) {
		make(m, i, path);
		add(&forward, m, path);
	}
	for (int p = 0; p < 4; p++)
		dataset_init(&parts[p]);
	for (int i = FILES - 1; i >= 0; i--) {
		make(m, i, path);
		add(&parts[i % 3], m, path); /* parts[3] stays empty */
	}
	dataset_merge(&parts[3], &parts[1]);
	dataset_merge(&parts[2], &parts[0]);
	dataset_merge(&parts[3], &parts[2]);
	ck_assert_uint_eq(parts[1].files, 0);
	ck_assert_uint_gt(forward.counted[COUNTED_SIXTEEN_BIT].files, 0);
	ck_assert_uint_gt(forward.counted[COUNTED_PALETTE_LUMA].files, 0);
	same(&forward, &parts[3]);
	dataset_release(&forward);
	dataset_release(&parts[3]);
}

/* If there are more sizes than are kept, the first by height and width stay, exactly counted, whatever the order. */
TEST(sizes_are_bounded)
{
	struct measured *m = measured_new("3", NULL);
	struct dataset_stats up, down, up_total, down_total;

	dataset_init(&up);
	dataset_init(&down);
	dataset_init(&up_total);
	dataset_init(&down_total);
	measured_list(m, 0);
	for (uint32_t i = 1; i <= SIZES_MAX + 10; i++) {
		m->stats.width = i;
		add(&up, m, "a");
		m->stats.width = SIZES_MAX + 11 - i;
		add(&down, m, "a");
	}
	m->stats.width = 7;
	add(&up, m, "a");
	add(&down, m, "a");
	dataset_merge(&up_total, &up);
	dataset_merge(&down_total, &down);
	ck_assert_uint_eq(up_total.sizes.count, SIZES_MAX);
	same(&up_total, &down_total);
	ck_assert_uint_eq(up_total.sizes.v[6].files, 2);
	for (uint32_t i = 0; i < SIZES_MAX; i++)
		ck_assert_uint_eq(up_total.sizes.v[i].width, i + 1);
	dataset_release(&up_total);
	dataset_release(&down_total);
}

TIMEOUT(60)
