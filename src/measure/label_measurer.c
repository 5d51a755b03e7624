#include "measure/label_measurer.h"

#include "measure/array/measure_array.h"
#include "measure/measure_coco.h"

void label_measurer_init(struct label_measurer *m, const struct settings *settings)
{
	m->settings = settings;
	m->arrays = NULL;
	id_counter_init(&m->ids, &settings->classes);
	entry_table_init(&m->boxes);
	m->coco_maps = NULL;
}

void label_measurer_release(struct label_measurer *m)
{
	array_measurer_free(m->arrays);
	id_counter_release(&m->ids);
	coco_maps_free(&m->coco_maps);
	entry_table_release(&m->boxes);
}

void label_measurer_begin_batch(struct label_measurer *m)
{
	coco_maps_free(&m->coco_maps);
}

struct array_measurer *label_measurer_arrays(struct label_measurer *m)
{
	if (!m->arrays)
		m->arrays = array_measurer_new(m->settings);
	return m->arrays;
}
