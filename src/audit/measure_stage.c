#include "audit/measure_stage.h"

#include <string.h>

void measure_stage_init(struct measure_stage *m, const struct settings *settings, const struct backend *backend,
			int device)
{
	memset(m, 0, sizeof(*m));
	m->settings = settings;
	m->backend = backend;
	m->device = device;
	label_measurer_init(&m->measurer, settings);
}

void measure_stage_release(struct measure_stage *m)
{
	label_measurer_release(&m->measurer);
	grey_plane_release(&m->grey_plane);
	measure_stage_close(m);
}

enum status measure_stage_open(struct measure_stage *m, struct error *err)
{
	return m->backend->open(&m->backend_self, m->settings, m->device, err);
}

void measure_stage_close(struct measure_stage *m)
{
	if (m->backend_self)
		m->backend->close(m->backend_self);
	m->backend_self = NULL;
}

void measure_batch(struct measure_stage *m, struct batch *batch)
{
	m->backend->measure(m->backend_self, batch);
	label_measurer_measure(&m->measurer, batch);
	for (size_t i = 0; i < batch->count; i++)
		grey_plane_measure(&m->grey_plane, m->settings, &batch->items[i], batch);
}
