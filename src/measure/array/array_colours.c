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
	free(c->rows);
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
	c->y = 0;
	c->filled = 0;
	c->row_bytes = width * c->channels;
	if (c->rows_cap < c->row_bytes) {
		free(c->rows);
		c->rows = mem_try_zero(2 * (c->row_bytes + COLOUR_SLACK), 1);
		c->rows_cap = c->rows ? c->row_bytes : 0;
	}
	c->no_memory = !c->rows;
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

static uint8_t *row_at(const struct array_colours *c, uint32_t y)
{
	return c->rows + y % 2 * (c->row_bytes + COLOUR_SLACK);
}

void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next)
{
	c->alive = c->alive && !ids->slots_count && ids->used <= 256;
	while (c->alive && next.n) {
		size_t piece = MIN(next.n, c->row_bytes - c->filled);

		elements_narrow(row_at(c, c->y) + c->filled, false, &next, piece);
		c->filled += piece;
		if (c->filled < c->row_bytes)
			break;
		colour_measurer_add(c->measurer, row_at(c, c->y), c->y ? row_at(c, c->y - 1) : NULL);
		c->filled = 0;
		c->y++;
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
