#include "measure/label_reader.h"

#include "base/mem.h"
#include "measure/measure_array.h"
#include "measure/measure_coco.h"

static bool claims_png(const struct peeked *p)
{
	return p->content == CONTENT_PNG;
}

static const struct label_reader reader_png = {
	.name = "a PNG",
	.format = FORMAT_PNG,
	.kind = KIND_MASK,
	.claims = claims_png,
};

/* The first that claims a file gets it, so those that know a signature stand before those that guess by layout. */
static const struct label_reader *const readers[] = {
	&reader_png,        &label_reader_npy,  &label_reader_idx,    &label_reader_coco,
	&label_reader_yolo, &label_reader_list, &label_reader_folder,
};

const struct label_reader *label_reader_for(const struct peeked *p, unsigned kinds)
{
	struct peeked file = *p;

	file.told = (kinds & (kinds - 1)) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if ((kinds & KIND_BIT(readers[i]->kind)) && readers[i]->claims(&file))
			return readers[i];
	return NULL;
}

/* NULL for FORMAT_NONE. */
static const struct label_reader *reader_of(enum sample_format format)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (readers[i]->format == format)
			return readers[i];
	return NULL;
}

void label_meter_init(struct label_meter *m, const struct settings *settings)
{
	m->settings = settings;
	m->arrays = NULL;
	id_counter_init(&m->ids, &settings->classes);
	entry_table_init(&m->boxes);
	m->coco_maps = NULL;
}

void label_meter_release(struct label_meter *m)
{
	array_meter_free(m->arrays);
	id_counter_release(&m->ids);
	coco_maps_free(&m->coco_maps);
	entry_table_release(&m->boxes);
}

struct array_meter *label_meter_arrays(struct label_meter *m)
{
	if (!m->arrays)
		m->arrays = array_meter_new(m->settings);
	return m->arrays;
}

void label_meter_measure(struct label_meter *m, struct batch *batch)
{
	coco_maps_free(&m->coco_maps); /* the batch before is judged */
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];
		const struct label_reader *reader = reader_of(item->sample.format);

		if (item->sample.status == SAMPLE_READ && reader && reader->measure)
			reader->measure(m, item, batch);
	}
}
