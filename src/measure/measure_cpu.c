/* The reference backend: libpng and plain loops, one file after the other. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/backend.h"
#include "measure/measure_png.h"

static enum status cpu_probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)err;
	snprintf(text, n, "cpu reference");
	return STATUS_OK;
}

static enum status cpu_open(void **self, const struct settings *settings, int device, struct error *err)
{
	struct measure_png *m = xmalloc(sizeof(*m));

	(void)device;
	(void)err;
	measure_png_init(m, settings);
	*self = m;
	return STATUS_OK;
}

static enum status cpu_measure(void *self, struct batch *batch, struct error *err)
{
	struct measure_png *m = self;

	(void)err;
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];
		struct view_map map;

		if (!measure_png_wants(item))
			continue;
		struct png_decoder *d = measure_png_open(m, item, &map);

		if (d)
			measure_png_rest(m, d, &map, item, batch);
	}
	return STATUS_OK;
}

static const char *cpu_note(void *self)
{
	(void)self;
	return "";
}

static void cpu_close(void *self)
{
	struct measure_png *m = self;

	measure_png_release(m);
	free(m);
}

const struct backend backend_cpu_reference = {
	.name = "cpu-reference",
	.probe = cpu_probe,
	.open = cpu_open,
	.measure = cpu_measure,
	.note = cpu_note,
	.close = cpu_close,
	/* Enough to make the queue cheap, few enough to keep all workers busy at the end of a small set. */
	.batch_files = 16,
	.batch_bytes = 4 << 20,
};
