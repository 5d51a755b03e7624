#include "measure/kernel/backend_sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "measure/backend.h"
#include "measure/kernel/measure_kernel.h"
#include "measure/kernel/offload.h"

struct sim {
	enum lane_order order;
	uint8_t *scratch; /* of its one warp; mmap: pages that are not used take no memory */
	struct offload offload;
};

/* by enum lane_order */
static const char *const order_names[] = { "forward", "reverse", "random" };

/* Reads LABELAUDIT_SIM_ORDER: forward (the default), reverse or random; refuses anything else. */
static enum status get_order(enum lane_order *order, struct error *err)
{
	const char *name = getenv("LABELAUDIT_SIM_ORDER");

	for (unsigned i = 0; i < ARRAY_SIZE(order_names); i++) {
		if (!strcmp(name ? name : order_names[0], order_names[i])) {
			*order = (enum lane_order)i;
			return STATUS_OK;
		}
	}
	return error_set(err, "LABELAUDIT_SIM_ORDER: not forward, reverse or random: %s", name);
}

void sim_kernel(const struct kernel_batch *b, enum lane_order order)
{
	struct kernel_shared shared;
	struct warp w;

	memset(&shared, 0xa5, sizeof(shared)); /* on a GPU it holds what the last kernel left */
	warp_init(&w, order);
	kernel_run_warp(&w, &shared, b, 0);
}

static enum status sim_probe(int device, char *text, size_t n, struct error *err)
{
	enum lane_order order;

	(void)device;
	if (get_order(&order, err) != STATUS_OK)
		return STATUS_FAILED;
	snprintf(text, n, "sim (the GPU's kernel on the CPU, lanes %s)", order_names[order]);
	return STATUS_OK;
}

static bool sim_submit(void *device, unsigned at, struct offload_stage *stage, char *why)
{
	struct sim *sim = device;
	struct kernel_batch b = offload_kernel_batch(&sim->offload, stage);

	(void)at;
	(void)why;
	b.scratch = sim->scratch;
	sim_kernel(&b, sim->order);
	return true;
}

static bool sim_wait(void *device, unsigned at, struct offload_stage *stage, char *why)
{
	(void)device;
	(void)at;
	(void)stage;
	(void)why;
	return true;
}

static const struct offload_device sim_device = { sim_submit, sim_wait };

static enum status sim_open(void **self, const struct settings *settings, int device, struct error *err)
{
	struct sim *sim = xmalloc(sizeof(*sim));

	(void)device;
	sim->scratch = mmap(NULL, KERNEL_SCRATCH_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sim->scratch == MAP_FAILED) {
		error_set_errno(err, errno, "not enough memory for rasters");
		free(sim);
		return STATUS_FAILED;
	}
	if (get_order(&sim->order, err) != STATUS_OK ||
	    offload_init(&sim->offload, settings, &sim_device, sim, err) != STATUS_OK) {
		munmap(sim->scratch, KERNEL_SCRATCH_MAX);
		free(sim);
		return STATUS_FAILED;
	}
	*self = sim;
	return STATUS_OK;
}

static void sim_measure(void *self, struct batch *batch)
{
	offload_measure(&((struct sim *)self)->offload, batch);
}

static const char *sim_note(void *self)
{
	return ((struct sim *)self)->offload.note;
}

void sim_counts(void *self, uint64_t *taken, uint64_t *refused)
{
	struct sim *sim = self;

	*taken = sim->offload.taken;
	*refused = sim->offload.refused;
}

static void sim_close(void *self)
{
	struct sim *sim = self;

	offload_release(&sim->offload);
	munmap(sim->scratch, KERNEL_SCRATCH_MAX);
	free(sim);
}

const struct backend backend_sim = {
	.name = "sim",
	.probe = sim_probe,
	.open = sim_open,
	.measure = sim_measure,
	.note = sim_note,
	.close = sim_close,
	.batch_files = 64,
	.batch_bytes = 4 << 20,
};
