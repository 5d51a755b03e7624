/* Images of an ImageFolder: one label each, the id of their class folder, which the sample has already. Nothing is
 * read. */
#include "measure/label_reader.h"

/* Told by where a file lies (find/class_folders.h), not by what is in it. */
static bool claims(const struct peeked *p)
{
	(void)p;
	return false;
}

static void measure(struct label_meter *m, struct batch_item *item, struct batch *batch)
{
	id_counter_add(&m->ids, item->sample.folder_id, NO_INDEX);
	id_counter_end(&m->ids, &item->stats, batch);
}

const struct label_reader label_reader_folder = {
	.name = "an image in a class folder",
	.format = FORMAT_FOLDER,
	.kind = KIND_IMAGEFOLDER,
	.claims = claims,
	.measure = measure,
};
