#include "measure/label_measurer.h"

#include <stdlib.h>

#include "base/mem.h"
#include "find/split.h"
#include "measure/array/measure_array.h"
#include "read/image_groups.h"
#include "read/offenders.h"

#define FREE_LIST(list)                           \
	for (void *next; (list); (list) = next) { \
		next = (list)->next;              \
		free(list);                       \
	}

/* Frees what the rules read of the last batch. */
static void free_facts(struct label_measurer *m)
{
	FREE_LIST(m->coco_maps)
	FREE_LIST(m->names)
	for (struct image_groups *next; m->groups; m->groups = next) {
		next = m->groups->next;
		image_groups_free(m->groups);
	}
	for (struct listed_images *next; m->images; m->images = next) {
		next = m->images->next;
		listed_images_free(m->images);
	}
	for (struct offenders *next; m->offenders; m->offenders = next) {
		next = m->offenders->next;
		key_set_release(&m->offenders->invalid);
		for (size_t i = 0; i < OFFENDER_KINDS; i++)
			key_set_release(&m->offenders->kinds[i]);
		free(m->offenders);
	}
}

struct offenders *label_measurer_offenders(struct label_measurer *m, struct sample *sample)
{
	if (sample->offenders)
		return m->offenders; /* the current sample's were made last */
	struct offenders *o = xcalloc(1, sizeof(*o));

	o->next = m->offenders;
	sample->offenders = m->offenders = o;
	return o;
}

void label_measurer_begin_groups(struct label_measurer *m, struct sample *sample)
{
	struct image_groups *g;

	/* in a folder of a split, an equal name may be of a different image */
	if (!m->settings->group &&
	    (sample->split || !split_by_own_name(sample->member ? sample->member : sample->path)))
		return;
	g = xcalloc(1, sizeof(*g));
	strbuf_init(&g->names);
	g->next = m->groups;
	sample->groups = m->groups = g;
}

void label_measurer_group(void *self, const char *s, size_t n)
{
	struct label_measurer *m = self;

	image_groups_add(m->groups, m->settings->group, s, n);
}

void label_measurer_begin_images(struct label_measurer *m, struct sample *sample)
{
	const struct settings *s = m->settings;

	if (!s->images.judged)
		return;
	struct listed_images *l = xcalloc(1, sizeof(*l));
	RELEASED struct strbuf place = STRBUF_INIT;

	l->next = m->images;
	sample->images = m->images = l;
	strbuf_addf(&place, "%s%s%s", sample->path, sample->member ? "/" : "", sample->member ? sample->member : "");
	image_checker_open(&m->checker, l, place.s, s->list.root ? s->list.root : s->images.folder, m->pool);
	m->checker.is_list = sample->format == FORMAT_LIST;
	m->checker.members = m->members;
}

void label_measurer_image(struct label_measurer *m, const struct listed_image *image)
{
	if (m->checker.out)
		image_checker_add(&m->checker, image);
}

void label_measurer_end_images(struct label_measurer *m, const struct sample *sample)
{
	if (sample->images)
		image_checker_close(&m->checker);
	m->checker.out = NULL;
}

void label_measurer_init(struct label_measurer *m, const struct settings *settings)
{
	*m = (struct label_measurer){ .settings = settings };
	id_counter_init(&m->ids, &settings->classes);
}

void label_measurer_release(struct label_measurer *m)
{
	array_measurer_free(m->arrays);
	id_counter_release(&m->ids);
	free_facts(m);
	entry_table_release(&m->boxes);
	box_pairs_release(&m->pairs);
}

/* An image in a class folder: its label is the folder's, and it is not opened. */
static bool measure_folder(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	id_counter_add(&m->ids, item->sample.class_folder.id, NO_INDEX);
	return id_counter_end(&m->ids, &item->stats, batch);
}

static bool (*const by_format[])(struct label_measurer *m, struct batch_item *item, struct batch *batch) = {
	[FORMAT_NPY] = measure_npy,      [FORMAT_IDX] = measure_idx,       [FORMAT_LIST] = measure_list,
	[FORMAT_YOLO] = measure_yolo,    [FORMAT_COCO] = measure_coco,     [FORMAT_FOLDER] = measure_folder,
	[FORMAT_NIFTI] = measure_volume, [FORMAT_TOKENS] = measure_tokens,
};

void label_measurer_measure(struct label_measurer *m, struct batch *batch)
{
	free_facts(m);
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];

		if (item->sample.status != SAMPLE_READ || !by_format[item->sample.format] ||
		    by_format[item->sample.format](m, item, batch))
			continue;
		id_counter_clear(&m->ids);
		batch_item_fail(item);
	}
}
