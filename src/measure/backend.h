/*
 * struct backend: one way to turn encoded label files into label_stats. All of them give the same integers.
 *
 *   cpu-reference  libpng and plain loops (reference.h): the judge of all others, never optimised
 *   cpu            the fast path of the machine's processor (engine.c); the reference for what it does not take
 *   sim            the shared warp kernel, run on the host as a loop over 32 lanes (kernel/backend_sim.h)
 *   cuda           the same kernel on a GPU (cuda/)
 *
 * A batch belongs to one worker thread; a backend instance (void *) too: open one for each worker.
 */
#ifndef MEASURE_BACKEND_H
#define MEASURE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "measure/label_stats.h"
#include "read/input.h"
#include "read/sample.h"

/* One file of a batch. measure() reads input and sample; it fills stats, and status, fault and warning of the sample.
 */
struct batch_item {
	struct input input;
	struct sample sample;
	struct label_stats stats;
	/*
	 * For the audit alone: whether the result may go into the cache; or whether it came from there, with this
	 * status (backends then see a skipped sample).
	 */
	bool cacheable, cached;
	enum sample_status cached_status;
};

/*
 * Many files, measured together. Owner: the worker, which reuses it. `ids` grows and is shared by all items
 * (slices ids_at, ids_count).
 */
struct batch {
	struct batch_item *items;
	size_t count, cap;
	struct id_stats *ids;
	size_t ids_count, ids_cap;
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);
void batch_clear(struct batch *b);             /* closes the inputs, forgets the items and ids, keeps the memory */
struct batch_item *batch_add(struct batch *b); /* zeroed, its input closed; pointers to earlier items become invalid */
struct id_stats *batch_add_ids(struct batch *b, size_t n); /* room for n more rows; uninitialised */

/* Returns whether a backend must measure the item: a PNG that nothing has failed or skipped so far. */
bool batch_item_needs_backend(const struct batch_item *item);
/* Fails the item, whose sample.fault is set: nothing of it is counted. */
void batch_item_fail(struct batch_item *item);

struct backend {
	const char *name;
	/* Whether this program and this machine have what the backend needs, told without starting it; NULL: always. */
	bool (*is_there)(void);
	/* For which devices this program holds its kernels, in words; "": for none. NULL: it needs no kernels. */
	const char *(*built_for)(void);
	/* One line for `doctor` and run.device; fills err if the backend cannot run here. */
	enum status (*probe)(int device, char *text, size_t n, struct error *err);
	/*
	 * device: a CUDA ordinal; 0 for other backends; -1 - N for process number N of several on this machine, which
	 * share out the GPUs. settings must outlive the instance.
	 */
	enum status (*open)(void **self, const struct settings *settings, int device, struct error *err);
	/*
	 * Measures every item of FORMAT_PNG with status SAMPLE_READ. Bad data goes into the item; STATUS_FAILED is
	 * for a broken environment only. A device that fails (no memory, lost) is not: the batch is measured again on
	 * the CPU and note (for run.notes, at most one) says so.
	 */
	enum status (*measure)(void *self, struct batch *batch, struct error *err);
	const char *(*note)(void *self); /* "" or what the user should know; valid until close */
	void (*close)(void *self);
	size_t batch_files; /* how many files it wants at once */
	size_t batch_bytes; /* and how many encoded bytes */
};

extern const struct backend backend_cpu_reference;
extern const struct backend backend_cpu;
extern const struct backend backend_sim;
extern const struct backend backend_cuda;

#endif
