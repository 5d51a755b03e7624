/*
 * The warp kernel with a thread for each lane, built with -fsanitize=thread: finds a missing warp_sync and a plain
 * update of memory that lanes share, which a loop over lanes cannot. Two warps decode and measure from one queue. Not a
 * Check program, which forks. The results are compared with the reference.
 *
 * usage: kernel_threads [SEED [MASKS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP_THREADS
#include "measure/kernel/kernel_host.h"
#include "measure/kernel/measure_kernel.h"
#include "measure/reference_rows.h"
#include "pictures.h"

enum { WARPS = 2, SIDE_MAX = 40 };

struct lane_thread {
	pthread_t thread;
	struct warp warp;
	struct kernel_shared *shared;
	const struct kernel_batch *batch;
	uint32_t index; /* of the warp */
};

static void *lane_run(void *arg)
{
	struct lane_thread *t = arg;

	kernel_run_warp(&t->warp, t->shared, t->batch, t->index);
	return NULL;
}

static void run_threads(const struct kernel_batch *batch)
{
	static struct warp_shared shared[WARPS];
	static struct kernel_shared memory[WARPS];
	static struct lane_thread threads[WARPS][WARP_LANES];

	for (int w = 0; w < WARPS; w++)
		warp_shared_init(&shared[w]);
	for (int w = 0; w < WARPS; w++) {
		for (uint32_t i = 0; i < WARP_LANES; i++) {
			threads[w][i] = (struct lane_thread){ .warp = { .lane = i, .shared = &shared[w] },
							      .shared = &memory[w],
							      .batch = batch,
							      .index = (uint32_t)w };
			if (pthread_create(&threads[w][i].thread, NULL, lane_run, &threads[w][i])) {
				fprintf(stderr, "kernel_threads: cannot start thread %u\n", i);
				exit(2);
			}
		}
	}
	for (int w = 0; w < WARPS; w++)
		for (uint32_t i = 0; i < WARP_LANES; i++)
			pthread_join(threads[w][i].thread, NULL);
}

/* A mask, and what the kernel is given of it. */
struct task {
	struct mask mask;
	bool broken; /* its stream is, and must be refused */
};

static uint32_t expected_id(const struct kernel_batch *b, const struct kernel_job *job, uint32_t id)
{
	if (job->depth == 16)
		return id >> 8;
	id &= (1u << job->depth) - 1;
	return job->lut_at == KERNEL_NO_LUT ? id : b->streams[job->lut_at + id];
}

static int compare(const struct kernel_batch *batch, const struct task *tasks, const struct class_set *classes)
{
	struct reference_rows *rows = reference_rows_new(classes);
	struct batch expected, got;
	uint8_t row[SIDE_MAX];
	int bad = 0;

	batch_init(&expected);
	batch_init(&got);
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct kernel_job *job = &batch->jobs[i];
		struct label_stats a = { 0 }, b = { 0 };
		enum kernel_answer answer = kernel_slot_answer(&batch->slots[i], job);

		if (tasks[i].broken || answer != ANSWER_MEASURED) {
			bad += !tasks[i].broken || answer != ANSWER_REFUSED;
			continue;
		}
		if (!reference_rows_begin(rows, job->width, job->height, false))
			exit(2);
		for (uint32_t y = 0; y < job->height; y++) {
			for (uint32_t x = 0; x < job->width; x++)
				row[x] =
					(uint8_t)expected_id(batch, job, tasks[i].mask.ids[(size_t)y * job->width + x]);
			reference_rows_add(rows, row);
		}
		reference_rows_end(rows, &a, &expected);
		kernel_slot_collect(&batch->slots[i], job, classes, &b, &got);
		memcpy(a.raw_used, b.raw_used, sizeof(a.raw_used)); /* of samples, which the reference does not see */
		bad += memcmp(&a, &b, sizeof(a)) != 0;
	}
	if (expected.ids_count != got.ids_count || memcmp(expected.ids, got.ids, got.ids_count * sizeof(*got.ids)) != 0)
		bad++;
	batch_release(&expected);
	batch_release(&got);
	reference_rows_free(rows);
	return bad;
}

static size_t align16(size_t n)
{
	return (n + 15) / 16 * 16;
}

/* A lut, then a stream of each mask. Every eighth has a wrong checksum. */
static struct bytes make_jobs(struct task *tasks, struct kernel_job *jobs, uint32_t count, uint64_t seed)
{
	static const uint32_t depths[] = { 8, 8, 8, 8, 1, 2, 4, 16 };
	struct bytes streams = { 0 };
	uint8_t lut[KERNEL_IDS], zeros[2 * KERNEL_STREAM_PADDING] = { 0 };

	for (unsigned i = 0; i < KERNEL_IDS; i++)
		lut[i] = (uint8_t)(i * 85 ^ i / 3);
	bytes_add(&streams, lut, sizeof(lut));
	for (uint32_t i = 0; i < count; i++) {
		struct task *t = &tasks[i];
		uint32_t depth = depths[(seed + i) % ARRAY_SIZE(depths)];

		t->mask = mask_random(seed + i, depth == 16 ? 65536 : 256, SIDE_MAX);
		uint64_t s = seed + i;
		struct bytes rows = mask_rows(&t->mask, depth, &s),
			     stream = stream_make(&rows, LEVEL_ANY, PACKED_ANYHOW, &s);

		t->broken = i % 8 == 5;
		stream.p[stream.n - 1] ^= t->broken;
		jobs[i] = (struct kernel_job){
			.serial = seed + i,
			.stream_at = (uint32_t)streams.n,
			.stream_bytes = (uint32_t)stream.n,
			.lut_at = i % 3 || depth == 16 ? KERNEL_NO_LUT : 0,
			.width = t->mask.width,
			.height = t->mask.height,
			.depth = depth,
		};
		bytes_add(&streams, stream.p, stream.n);
		bytes_add(&streams, zeros, align16(stream.n + KERNEL_STREAM_PADDING) - stream.n);
		free(stream.p);
		free(rows.p);
	}
	return streams;
}

int main(int argc, char **argv)
{
	static struct class_set classes;
	struct error err = ERROR_INIT;
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 40, next = 0;
	struct kernel_job *jobs = xcalloc(count, sizeof(*jobs));
	struct kernel_slot *slots = xmalloc(count * sizeof(*slots));
	struct task *tasks = xcalloc(count, sizeof(*tasks));

	if (class_set_parse_classes(&classes, "0-12,40-90", &err) != STATUS_OK ||
	    class_set_parse_ignore(&classes, "255", &err) != STATUS_OK)
		return 2;
	class_set_finish(&classes);
	memset(slots, 0xa5, count * sizeof(*slots));
	struct bytes streams = make_jobs(tasks, jobs, count, seed);
	struct kernel_batch batch = {
		.streams = streams.p, .jobs = jobs, .slots = slots, .next = &next, .count = count
	};

	for (uint32_t i = 0; i < count; i++)
		batch.scratch_bytes = MAX(batch.scratch_bytes, (uint32_t)kernel_scratch_bytes(&jobs[i]));
	batch.scratch = xmalloc((size_t)WARPS * batch.scratch_bytes);
	kernel_legal_ids(&classes, batch.legal);
	run_threads(&batch);
	int bad = compare(&batch, tasks, &classes);

	printf("kernel_threads: %u masks by %d warps of %d threads, %d differ from the reference\n", count, WARPS,
	       WARP_LANES, bad);
	for (uint32_t i = 0; i < count; i++)
		mask_release(&tasks[i].mask);
	free(tasks);
	free(batch.scratch);
	free(streams.p);
	free(jobs);
	free(slots);
	class_set_release(&classes);
	return bad ? 1 : 0;
}
