#include "measure/array/array_colours.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/array/array_mask.h"

enum {
	/* Longer rows are not those of an image. */
	ROW_BYTES_MAX = 1 << 22,
};

void array_colours_release(struct array_colours *c)
{
	colour_measurer_free(c->measurer);
	free(c->rows.bytes);
}

void array_colours_begin(struct array_colours *c, const struct array_header *a)
{
	unsigned last = a->rank - 1u;
	uint64_t width, height;

	c->alive = c->no_memory = false;
	if (a->fortran || (a->rank != 3 && a->rank != 4) || (a->shape[last] != 3 && a->shape[last] != 4))
		return;
	width = a->shape[last - 1];
	if (width < ARRAY_SIDE_MIN || width > ROW_BYTES_MAX / 4 || a->shape[last - 2] < ARRAY_SIDE_MIN)
		return;
	height = a->elements / a->shape[last] / width;
	if (!height || height > UINT32_MAX)
		return;
	c->stacked = a->rank == 4;
	c->channels = (unsigned)a->shape[last];
	c->width = (uint32_t)width;
	c->height = (uint32_t)height;
	c->no_memory = !array_rows_begin(&c->rows, width * c->channels, false, COLOUR_SLACK);
	if (c->no_memory)
		return;
	if (!c->measurer)
		c->measurer = colour_measurer_new();
	colour_measurer_begin(c->measurer, &(struct png_header){ .width = c->width,
								 .height = c->height,
								 .bit_depth = 8,
								 .channels = (uint8_t)c->channels });
	c->alive = true;
}

void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next)
{
	c->alive = c->alive && !ids->slots_count && ids->used <= 256;
	while (c->alive && next.n) {
		struct array_rows *r = &c->rows;

		if (!array_rows_fill(r, &next))
			break;
		colour_measurer_add(c->measurer, array_rows_at(r, r->y), r->y ? array_rows_at(r, r->y - 1) : NULL);
		array_rows_end(r);
	}
}

static bool has_invalid(const struct id_counter *ids)
{
	for (uint32_t id = 0; id < ids->used; id++)
		if (ids->labels[id] && class_set_role(ids->classes, id) == ID_INVALID)
			return true;
	return false;
}

bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch)
{
	size_t count = batch->ids_count;
	struct label_stats image;

	if (!c->alive)
		return false;
	colour_measurer_end(c->measurer, &image, batch);

	const struct channel_stats *facts = &image.channels;
	bool equal = !facts->unequal_pixels, all_zeros = !facts->peak && !facts->alpha_max;
	bool is_image = equal || (!may_be_classes && (facts->peak == 1 || has_invalid(ids)));

	if (!is_image || all_zeros || facts->alpha_min != facts->alpha_max) {
		batch->ids_count = count;
		return false;
	}
	if (c->stacked)
		image.width = image.height = 0;
	*stats = image;
	return true;
}
