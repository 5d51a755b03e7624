#include "measure/offload.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "measure/kernel_host.h"

#define STAGE_KIB "LABELAUDIT_STAGE_KIB"

/* Digits only, as strtoul takes signs and blanks too. 0 if it is not a number from 1 to 2^20. */
static size_t parse_kib(const char *s)
{
	size_t v = 0;

	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return 0;
		v = v * 10 + (size_t)(*s - '0');
		if (v > 1 << 20)
			return 0;
	}
	return v;
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static bool stage_init(struct offload_stage *s, size_t pixels_cap)
{
	/* next has 8 bytes, so that the slots are aligned for their 64-bit fields. */
	size_t jobs_at = pixels_cap, next_at = jobs_at + OFFLOAD_JOBS_MAX * sizeof(*s->jobs);
	size_t slots_at = next_at + 8, end = slots_at + OFFLOAD_JOBS_MAX * sizeof(*s->slots);

	memset(s, 0, sizeof(*s));
	s->block_bytes = round_up(end, 4096);
	void *block = mmap(NULL, s->block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return false;
	s->pixels = block;
	s->pixels_cap = pixels_cap;
	s->jobs = (void *)(s->pixels + jobs_at);
	s->next = (void *)(s->pixels + next_at);
	s->slots = (void *)(s->pixels + slots_at);
	return true;
}

static void stage_release(struct offload_stage *s)
{
	if (s->pixels)
		munmap(s->pixels, s->block_bytes);
	memset(s, 0, sizeof(*s));
}

enum status offload_init(struct offload *o, const struct settings *settings, const struct offload_device *device,
			 void *device_self, struct error *err)
{
	const char *kib = getenv(STAGE_KIB);
	size_t pixels_cap = OFFLOAD_PIXELS;

	memset(o, 0, sizeof(*o));
	if (kib) {
		pixels_cap = parse_kib(kib) * 1024;
		if (!pixels_cap)
			return error_set(err, STAGE_KIB ": not a number from 1 to 1048576: %s", kib);
	}
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++) {
		if (!stage_init(&o->stages[i], pixels_cap)) {
			int saved = errno;

			while (i > 0)
				stage_release(&o->stages[--i]);
			return error_set_errno(err, saved, "no memory for a stage of %zu KiB", pixels_cap / 1024);
		}
	}
	o->settings = settings;
	o->device = device;
	o->device_self = device_self;
	measure_png_init(&o->png, settings);
	batch_init(&o->ids);
	kernel_legal_ids(&settings->classes, o->legal);
	return STATUS_OK;
}

void offload_release(struct offload *o)
{
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++)
		stage_release(&o->stages[i]);
	measure_png_release(&o->png);
	batch_release(&o->ids);
}

void offload_device_fails(struct offload *o, const char *why)
{
	if (!o->device_failed)
		snprintf(o->note, sizeof(o->note), "%s; measured on the CPU instead", why);
	o->device_failed = true;
}

struct kernel_batch offload_kernel_batch(const struct offload *o, const struct offload_stage *stage)
{
	struct kernel_batch b = {
		.pixels = stage->pixels,
		.jobs = stage->jobs,
		.slots = stage->slots,
		.next = stage->next,
		.count = stage->count,
	};

	memcpy(b.legal, o->legal, sizeof(b.legal));
	return b;
}

/* The reference's way from a raster that is decoded already. */
static void measure_job_here(struct offload *o, const struct offload_stage *s, uint32_t at, struct batch_item *item)
{
	const struct kernel_job *job = &s->jobs[at];

	if (!measure_png_begin(&o->png, item, false)) {
		measure_png_fail(item);
		return;
	}
	for (uint32_t y = 0; y < job->height; y++)
		measure_rows_add(o->png.rows, s->pixels + job->pixels_at + (uint64_t)y * job->width);
	measure_rows_end(o->png.rows, &item->stats, &o->ids);
}

/* Sees to it that all jobs of a stage are in their items, and empties it. */
static void stage_finish(struct offload *o, struct batch *batch, unsigned at)
{
	struct offload_stage *s = &o->stages[at];
	char why[OFFLOAD_NOTE] = "";
	bool answered = s->submitted && o->device->wait(o->device_self, at, s, why);

	if (s->submitted && !answered)
		offload_device_fails(o, why);
	for (uint32_t i = 0; i < s->count; i++) {
		struct batch_item *item = &batch->items[s->items[i]];

		if (answered && !kernel_slot_answers(&s->slots[i], &s->jobs[i])) {
			offload_device_fails(o, "the device returned wrong counts");
			answered = false;
		}
		if (answered)
			kernel_slot_collect(&s->slots[i], &s->jobs[i], &o->settings->classes, &item->stats, &o->ids);
		else
			measure_job_here(o, s, i, item);
	}
	s->count = 0;
	s->pixels_used = 0;
	s->submitted = false;
}

/* Sends the current stage off and makes the other one current, empty. */
static void stage_submit(struct offload *o, struct batch *batch)
{
	struct offload_stage *s = &o->stages[o->current];
	char why[OFFLOAD_NOTE] = "";

	*s->next = 0;
	if (!o->device_failed) {
		s->submitted = o->device->submit(o->device_self, o->current, s, why);
		if (!s->submitted)
			offload_device_fails(o, why);
	}
	o->current = (o->current + 1) % OFFLOAD_STAGES;
	stage_finish(o, batch, o->current);
}

static bool decode_rows(struct png_decoder *d, const struct view_map *map, const struct png_header *png, uint8_t *out,
			uint64_t raw_used[4])
{
	for (uint32_t y = 0; y < png->height; y++) {
		const void *row = png_decoder_row(d);

		if (!row)
			return false;
		if (png->channels == 1 && png->bit_depth <= 8)
			measure_raw_used(raw_used, row, png->width);
		view_map_row(map, row, png->width, out + (uint64_t)y * png->width);
	}
	return png_decoder_finish(d);
}

/* Decodes an opened item to a job of a stage. */
static void stage_add(struct offload *o, struct batch *batch, size_t index, struct png_decoder *d,
		      const struct view_map *map)
{
	struct batch_item *item = &batch->items[index];
	const struct png_header *png = &item->sample.png;
	size_t pixels = (size_t)png->width * png->height;
	struct offload_stage *s = &o->stages[o->current];

	if (s->count == OFFLOAD_JOBS_MAX || pixels > s->pixels_cap - s->pixels_used) {
		stage_submit(o, batch);
		s = &o->stages[o->current];
	}
	if (decode_rows(d, map, png, s->pixels + s->pixels_used, item->stats.raw_used)) {
		s->items[s->count] = index;
		s->jobs[s->count] = (struct kernel_job){
			.pixels_at = s->pixels_used,
			.serial = ++o->serial,
			.width = png->width,
			.height = png->height,
		};
		s->count++;
		/* Rows start where they come; rasters start on 16 bytes, as far as there is room. */
		s->pixels_used = MIN(round_up(s->pixels_used + pixels, 16), s->pixels_cap);
	} else {
		measure_png_fail(item);
	}
	png_decoder_close(d);
}

static bool device_takes(const struct offload *o, const struct png_header *png, const struct view_map *map)
{
	uint64_t pixels = (uint64_t)png->width * png->height;

	return !o->device_failed && map->has_ids && !map->wide && pixels <= o->stages[0].pixels_cap &&
	       pixels >> KERNEL_PIXELS_LOG2 == 0;
}

/* The slices, in the order of the items. */
static void sort_ids(struct offload *o, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct label_stats *stats = &batch->items[i].stats;

		if (!stats->labels && !stats->colours)
			continue;
		uint64_t from = stats->ids_at;

		stats->ids_at = batch->ids_count;
		if (stats->ids_count)
			memcpy(batch_add_ids(batch, stats->ids_count), o->ids.ids + from,
			       stats->ids_count * sizeof(struct id_stats));
	}
}

void offload_measure(struct offload *o, struct batch *batch)
{
	batch_clear(&o->ids);
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];
		struct view_map map;

		if (!measure_png_wants(item))
			continue;
		struct png_decoder *d = measure_png_open(&o->png, item, &map);

		if (!d)
			continue;
		if (device_takes(o, &item->sample.png, &map))
			stage_add(o, batch, i, d, &map);
		else
			measure_png_rest(&o->png, d, &map, item, &o->ids);
	}
	if (o->stages[o->current].count)
		stage_submit(o, batch);
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++)
		stage_finish(o, batch, i);
	sort_ids(o, batch);
}
