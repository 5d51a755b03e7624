/*
 * struct backend: one way to turn encoded PNG masks into label_stats. All backends give the same integers.
 *
 *   cpu-reference  libpng and plain loops (reference.h): the judge of all others, never optimised
 *   cpu            the fast engine (engine/engine.h); the reference for files that it does not take
 *   sim            the GPU's kernel as a loop over 32 lanes on the host (kernel/backend_sim.h); for tests
 *   cuda           the same kernel on a GPU (cuda/)
 *
 * A batch and a backend instance (void *self) belong to one worker thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/settings.h"
#include "measure/label_stats.h"
#include "read/input.h"
#include "read/photo.h"
#include "read/sample.h"

/* One file of a batch. Measuring reads input and sample; it fills stats, and status, fault and warning of the sample.
 */
struct batch_item {
	struct input input;
	struct sample sample;
	struct label_stats stats;
	struct photo_size image; /* of a label file of one image, if its header was read; else its width is 0 */
	/*
	 * For the audit: whether the result may go into the cache, or came from it with cached_status (backends then
	 * see a skipped sample).
	 */
	bool cacheable, cached;
	enum sample_status cached_status;
};

/* Files measured together. `ids` holds the id rows of all items (slices ids_at, ids_count). Reused by the worker. */
struct batch {
	struct batch_item *items;
	size_t count, cap;
	struct id_stats *ids;
	size_t ids_count, ids_cap;
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);
/* Closes the inputs and forgets items and ids; the memory is reused. */
void batch_clear(struct batch *b);
/* Appends an item, zeroed, its input closed. Pointers to earlier items become invalid. */
struct batch_item *batch_add(struct batch *b);
/* Appends n uninitialised rows; never NULL. Pointers to earlier rows become invalid. */
struct id_stats *batch_add_ids(struct batch *b, size_t n);

/* Sorts id rows by id. */
void id_stats_sort(struct id_stats *rows, size_t n);

/* Returns whether a backend must measure the item: a PNG that nothing has failed or skipped so far. */
bool batch_item_needs_backend(const struct batch_item *item);
/* Fails the item, whose sample.fault is set: nothing of it is counted. */
void batch_item_fail(struct batch_item *item);

struct backend {
	const char *name;
	/* Returns whether program and machine have what the backend needs, without starting it. NULL: true. */
	bool (*is_there)(void);
	/* Returns the devices this program holds kernels for, in words; "" for none. NULL: it needs no kernels. */
	const char *(*built_for)(void);
	/* Returns which kernels an instance has loaded, in words. NULL: none. */
	const char *(*loaded)(const void *self);
	/* Writes one line for `doctor` and run.device. Fails if the backend cannot run here; then err says why. */
	enum status (*probe)(int device, char *text, size_t n, struct error *err);
	/*
	 * device: a CUDA ordinal; 0 for other backends; -1 - N for process N of several on this machine, which share
	 * out the GPUs. settings must outlive the instance.
	 */
	enum status (*open)(void **self, const struct settings *settings, int device, struct error *err);
	/*
	 * Measures every item that needs a backend. Bad data fails the item. If a device fails (no memory, lost), the
	 * batch is measured again on the CPU, and note says so.
	 */
	void (*measure)(void *self, struct batch *batch);
	/* Returns one line for run.notes, or "". Valid until close. NULL: there never is one. */
	const char *(*note)(void *self);
	void (*close)(void *self);
	/* The files and encoded bytes that it wants in a batch. */
	size_t batch_files, batch_bytes;
};

extern const struct backend backend_cpu_reference;
extern const struct backend backend_cpu;
extern const struct backend backend_sim;
extern const struct backend backend_cuda;
