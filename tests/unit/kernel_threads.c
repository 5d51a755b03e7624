/*
 * The warp kernel with a thread for each lane, built with -fsanitize=thread: finds a missing warp_sync and a plain
 * update of memory that lanes share, which a loop over lanes cannot. Two warps draw from one queue. Not a Check
 * program, which forks. The results are compared with the reference.
 *
 * usage: kernel_threads [SEED [MASKS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP_THREADS
#include "measure/kernel_host.h"
#include "measure/measure_kernel.h"
#include "measure/measure_rows.h"
#include "random_masks.h"

enum { WARPS = 2, SIDE_MAX = 40 };

struct lane_thread {
	pthread_t thread;
	struct warp warp;
	const struct kernel_batch *batch;
};

static void *lane_run(void *arg)
{
	struct lane_thread *t = arg;

	kernel_run_warp(&t->warp, t->batch);
	return NULL;
}

static void run_threads(const struct kernel_batch *batch)
{
	static struct warp_shared shared[WARPS];
	static struct lane_thread threads[WARPS][WARP_LANES];

	for (int w = 0; w < WARPS; w++)
		warp_shared_init(&shared[w]);
	for (int w = 0; w < WARPS; w++) {
		for (uint32_t i = 0; i < WARP_LANES; i++) {
			threads[w][i] = (struct lane_thread){ .warp = { i, 0, &shared[w] }, .batch = batch };
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

static int compare(const struct kernel_batch *batch, const struct class_set *classes)
{
	struct measure_rows *rows = measure_rows_new(classes);
	struct batch expected, got;
	int bad = 0;

	batch_init(&expected);
	batch_init(&got);
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct kernel_job *job = &batch->jobs[i];
		struct label_stats a = { 0 }, b = { 0 };

		if (!measure_rows_begin(rows, job->width, job->height, false))
			exit(2);
		for (uint32_t y = 0; y < job->height; y++)
			measure_rows_add(rows, batch->pixels + job->pixels_at + (size_t)y * job->width);
		measure_rows_end(rows, &a, &expected);
		kernel_slot_collect(&batch->slots[i], job, classes, &b, &got);
		bad += !kernel_slot_answers(&batch->slots[i], job) || memcmp(&a, &b, sizeof(a)) != 0;
	}
	if (expected.ids_count != got.ids_count || memcmp(expected.ids, got.ids, got.ids_count * sizeof(*got.ids)) != 0)
		bad++;
	batch_release(&expected);
	batch_release(&got);
	measure_rows_free(rows);
	return bad;
}

int main(int argc, char **argv)
{
	static struct class_set classes;
	struct error err = ERROR_INIT;
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 40, next = 0;
	struct kernel_job *jobs = xcalloc(count, sizeof(*jobs));
	struct kernel_slot *slots = xmalloc(count * sizeof(*slots));
	uint8_t *pixels = xmalloc((size_t)count * SIDE_MAX * SIDE_MAX);
	size_t used = 0;

	if (class_set_parse_classes(&classes, "0-12,40-90", &err) != STATUS_OK ||
	    class_set_parse_ignore(&classes, "255", &err) != STATUS_OK)
		return 2;
	class_set_finish(&classes);
	memset(slots, 0xa5, count * sizeof(*slots));
	for (uint32_t i = 0; i < count; i++) {
		struct mask m = mask_random(seed + i, 256, SIDE_MAX);
		size_t n = (size_t)m.width * m.height;

		jobs[i] = (struct kernel_job){ used, seed + i, m.width, m.height };
		for (size_t p = 0; p < n; p++)
			pixels[used + p] = (uint8_t)m.ids[p];
		used += n;
		mask_release(&m);
	}
	struct kernel_batch batch = { .pixels = pixels, .jobs = jobs, .slots = slots, .next = &next, .count = count };

	kernel_legal_ids(&classes, batch.legal);
	run_threads(&batch);
	int bad = compare(&batch, &classes);

	printf("kernel_threads: %u masks by %d warps of %d threads, %d differ from the reference\n", count, WARPS,
	       WARP_LANES, bad);
	free(jobs);
	free(slots);
	free(pixels);
	class_set_release(&classes);
	return bad ? 1 : 0;
}
