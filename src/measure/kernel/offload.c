#include "measure/kernel/offload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "measure/kernel/kernel_host.h"
#include "png/view.h"

#define STAGE_KIB "LABELAUDIT_STAGE_KIB"
enum { STAGE_KIB_MAX = 1 << 20 }; /* 1 GiB: offsets in a stage have 32 bits */

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void stage_clear(struct offload_stage *s)
{
	s->count = 0;
	s->streams_used = 0;
	s->lut_at = KERNEL_NO_LUT;
	s->scratch_bytes = 0;
	s->submitted = false;
}

/* Lays out a stage in its block, the first streams_cap bytes of which are for streams. */
static void stage_init(struct offload_stage *s, uint8_t *block, size_t streams_cap)
{
	memset(s, 0, sizeof(*s));
	s->streams = block;
	s->streams_cap = streams_cap;
	s->jobs = (void *)(block + streams_cap);
	s->next = (void *)(s->jobs + OFFLOAD_JOBS_MAX);
	s->slots = (void *)(s->next + 2); /* 8 bytes for next, so that the slots are aligned for their 64-bit fields */
	stage_clear(s);
}

enum status offload_init(struct offload *o, const struct settings *settings, const struct offload_device *device,
			 void *device_self, struct error *err)
{
	const char *text = getenv(STAGE_KIB);
	uint64_t kib = OFFLOAD_STREAMS / 1024;

	memset(o, 0, sizeof(*o));
	if (text && (!scan_whole_uint64(text, strlen(text), &kib) || !kib || kib > STAGE_KIB_MAX))
		return error_set(err, STAGE_KIB ": not a number from 1 to %d: %s", STAGE_KIB_MAX, text);
	size_t streams_cap = (size_t)kib * 1024;

	o->block_bytes = round_up(
		streams_cap + 8 + OFFLOAD_JOBS_MAX * (sizeof(struct kernel_job) + sizeof(struct kernel_slot)), 4096);
	void *blocks =
		mmap(NULL, OFFLOAD_STAGES * o->block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (blocks == MAP_FAILED)
		return error_set_errno(err, errno, "not enough memory for %d stages of %zu KiB", OFFLOAD_STAGES,
				       streams_cap / 1024);
	o->blocks = blocks;
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++)
		stage_init(&o->stages[i], o->blocks + i * o->block_bytes, streams_cap);
	o->settings = settings;
	o->device = device;
	o->device_self = device_self;
	o->scratch_max = KERNEL_SCRATCH_MAX;
	o->chunks = (struct fast_chunks){ 0 };
	o->engine = engine_new(settings, NULL);
	batch_init(&o->ids);
	kernel_legal_ids(&settings->classes, o->legal);
	return STATUS_OK;
}

void offload_release(struct offload *o)
{
	munmap(o->blocks, OFFLOAD_STAGES * o->block_bytes);
	fast_chunks_release(&o->chunks);
	engine_free(o->engine);
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
		.streams = stage->streams,
		.jobs = stage->jobs,
		.slots = stage->slots,
		.next = stage->next,
		.count = stage->count,
		.scratch_bytes = stage->scratch_bytes,
	};

	memcpy(b.legal, o->legal, sizeof(b.legal));
	return b;
}

/* Waits for a stage, fills the items of its jobs, and clears it. */
static void stage_finish(struct offload *o, struct batch *batch, unsigned at)
{
	struct offload_stage *s = &o->stages[at];
	char why[OFFLOAD_NOTE] = "";
	bool answered = s->submitted && o->device->wait(o->device_self, at, s, why);

	if (s->submitted && !answered)
		offload_device_fails(o, why);
	for (uint32_t i = 0; i < s->count; i++) {
		struct batch_item *item = &batch->items[s->items[i]];
		enum kernel_answer answer = answered ? kernel_slot_answer(&s->slots[i], &s->jobs[i]) : ANSWER_REFUSED;

		if (answer == ANSWER_WRONG) {
			offload_device_fails(o, "the device returned wrong counts");
			answered = false;
		}
		if (answer == ANSWER_MEASURED)
			kernel_slot_collect(&s->slots[i], &s->jobs[i], &o->settings->classes, &item->stats, &o->ids);
		else
			engine_measure(o->engine, item, &o->ids);
		o->taken += answer == ANSWER_MEASURED;
		o->refused += answered && answer == ANSWER_REFUSED;
	}
	stage_clear(s);
}

/* Submits the current stage, and makes the oldest one current, after finishing it. */
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

/* Fills the job of a mask. Returns false if the mask is not for the device. */
static bool make_job(const struct offload *o, const struct png_header *png, const struct fast_chunks *chunks,
		     const struct view_map *map, struct kernel_job *job)
{
	if (o->device_failed || png->interlace || png->channels != 1 || map->wide ||
	    chunks->idat_bytes > KERNEL_STREAM_MAX)
		return false;
	*job = (struct kernel_job){
		.stream_bytes = (uint32_t)chunks->idat_bytes,
		.lut_at = map->identity || png->bit_depth == 16 ? KERNEL_NO_LUT : 0, /* 0: see add_lut */
		.width = png->width,
		.height = png->height,
		.depth = png->bit_depth,
	};
	return kernel_scratch_bytes(job) <= o->scratch_max;
}

/* Returns the most stage bytes that a job can need. */
static size_t job_bytes(const struct kernel_job *job)
{
	return round_up((size_t)job->stream_bytes + KERNEL_STREAM_PADDING, KERNEL_STREAM_PADDING) +
	       (job->lut_at == KERNEL_NO_LUT ? 0 : KERNEL_IDS);
}

/* Adds a lut unless it equals the last one, as is usual in a data set. */
static void add_lut(struct offload_stage *s, const uint8_t lut[KERNEL_IDS])
{
	if (s->lut_at != KERNEL_NO_LUT && memcmp(s->streams + s->lut_at, lut, KERNEL_IDS) == 0)
		return;
	s->lut_at = (uint32_t)s->streams_used;
	memcpy(s->streams + s->streams_used, lut, KERNEL_IDS);
	s->streams_used += KERNEL_IDS;
}

/* Concatenates the data of all IDAT chunks. */
static void add_stream(struct offload_stage *s, const struct fast_chunks *chunks)
{
	const uint8_t *idat = chunks->idat;
	uint8_t *to = s->streams + s->streams_used;

	for (size_t i = 0; i < chunks->idat_chunks; i++) {
		uint32_t length = be32(idat - 8); /* length and type precede the data */

		memcpy(to, idat, length);
		to += length;
		idat += length + 12; /* CRC, and length and type of the next chunk */
	}
	memset(to, 0, KERNEL_STREAM_PADDING);
	s->streams_used = round_up((size_t)(to - s->streams) + KERNEL_STREAM_PADDING, KERNEL_STREAM_PADDING);
}

static void stage_add(struct offload *o, struct batch *batch, size_t index, const struct fast_chunks *chunks,
		      const struct view_map *map, struct kernel_job *job)
{
	struct offload_stage *s = &o->stages[o->current];

	if (s->count == OFFLOAD_JOBS_MAX || job_bytes(job) > s->streams_cap - s->streams_used) {
		stage_submit(o, batch);
		s = &o->stages[o->current];
	}
	if (job->lut_at != KERNEL_NO_LUT) {
		add_lut(s, map->lut);
		job->lut_at = s->lut_at;
	}
	job->serial = ++o->serial;
	job->stream_at = (uint32_t)s->streams_used;
	add_stream(s, chunks);
	s->scratch_bytes = MAX(s->scratch_bytes, (uint32_t)kernel_scratch_bytes(job));
	s->items[s->count] = index;
	s->jobs[s->count++] = *job;
}

static void measure_item(struct offload *o, struct batch *batch, size_t index)
{
	struct batch_item *item = &batch->items[index];
	struct png_header *png = &item->sample.png;
	struct view_map map;
	struct kernel_job job;

	memset(&item->stats, 0, sizeof(item->stats));
	if (!item->input.bytes) {
		engine_measure(o->engine, item, &o->ids);
		return;
	}
	if (!fast_chunks_open(&o->chunks, &item->input, &o->settings->limits, png)) {
		engine_measure_judged(o->engine, item, &o->ids, false);
		return;
	}
	view_map_of(&map, png, o->settings);
	if (!map.coded && make_job(o, png, &o->chunks, &map, &job) && job_bytes(&job) <= o->stages[0].streams_cap)
		stage_add(o, batch, index, &o->chunks, &map, &job);
	else
		engine_measure(o->engine, item, &o->ids);
}

/* Copies the id rows to the batch, in the order of its items. An item from the cache has its rows there already. */
static void sort_ids(struct offload *o, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct label_stats *stats = &batch->items[i].stats;

		if (PLANTED(cached_items_sliced_again, batch->items[i].cached, false) ||
		    (!stats->labels && !stats->colours))
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
	for (size_t i = 0; i < batch->count; i++)
		if (batch_item_needs_backend(&batch->items[i]))
			measure_item(o, batch, i);
	if (o->stages[o->current].count)
		stage_submit(o, batch);
	for (unsigned i = 0; i < OFFLOAD_STAGES; i++)
		stage_finish(o, batch, i);
	sort_ids(o, batch);
}
