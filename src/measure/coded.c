#include "measure/coded.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

enum {
	/* Open addressing stays short at half load. */
	SLOT_BITS = 13,
	SLOTS = 1 << SLOT_BITS,
};
_Static_assert(SLOTS == 2 * COLOURS_MAX, "half load");
_Static_assert(CODED_UNKNOWN + COLOURS_MAX <= CLASS_SET_DENSE, "ids of 16 bits");

struct coded_slot {
	uint32_t key; /* the colour plus 1; 0: free */
	uint16_t id;
};

void coded_colours_release(struct coded_colours *c)
{
	free(c->slots);
	memset(c, 0, sizeof(*c));
}

void coded_colours_begin(struct coded_colours *c, const struct colour_table *table, const struct png_header *png)
{
	if (!c->slots)
		c->slots = xcalloc(SLOTS, sizeof(*c->slots));
	for (uint32_t i = 0; i < c->used_count; i++)
		c->slots[c->used[i]].key = 0;
	c->used_count = c->unknown_count = 0;
	c->table = table;
	c->last = 0;
	c->unequal = false;
	c->deep = png->bit_depth == 16;
	c->channels = png->channels;
}

/* Finds the id of a colour, and gives it one if it is new. Returns false if there are too many. */
static bool find_id(struct coded_colours *c, uint32_t colour, uint16_t *id)
{
	size_t at = colour * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS); /* Fibonacci hashing */

	while (c->slots[at].key && c->slots[at].key != colour + 1)
		at = (at + 1) % SLOTS;
	if (!c->slots[at].key) {
		int32_t known = colour_table_find(c->table, colour);

		if (c->used_count == COLOURS_MAX)
			return false;
		c->used[c->used_count++] = (uint32_t)at;
		c->unequal |= colour != (colour & 255) * 0x010101;
		if (known == NO_COLOUR_CLASS) {
			known = CODED_UNKNOWN + (int32_t)c->unknown_count;
			c->unknown[c->unknown_count++] = colour;
		}
		c->slots[at] = (struct coded_slot){ colour + 1, (uint16_t)known };
	}
	*id = c->slots[at].id;
	return true;
}

/* Inlined for each kind of pixel. step: bytes of a sample. */
static inline __attribute__((always_inline)) bool map_pixels(struct coded_colours *c, const uint8_t *p, size_t n,
							     bool is_first, unsigned step, unsigned channels,
							     uint16_t *ids)
{
	uint32_t last = c->last;
	uint16_t id = c->last_id;

	if (is_first && channels == 4)
		c->alpha = step == 2 ? be16(p + 6) : p[3];
	for (size_t i = 0; i < n; i++, p += channels * step) {
		uint32_t colour = (uint32_t)p[0] << 16 | (uint32_t)p[step] << 8 | p[2 * step];

		if (channels == 4 && (step == 2 ? be16(p + 6) : p[3]) != c->alpha)
			return false;
		if (colour + 1 != last) {
			if (!find_id(c, colour, &id))
				return false;
			last = colour + 1;
		}
		ids[i] = id;
	}
	c->last = last;
	c->last_id = id;
	return true;
}

bool coded_colours_map(struct coded_colours *c, const uint8_t *pixels, size_t n, bool is_first, uint16_t *ids)
{
	if (c->deep)
		return map_pixels(c, pixels, n, is_first, 2, c->channels, ids);
	return c->channels == 3 ? map_pixels(c, pixels, n, is_first, 1, 3, ids)
				: map_pixels(c, pixels, n, is_first, 1, 4, ids);
}

void coded_palette_unknown(const struct view_map *map, const struct png_header *png, uint32_t unknown[256])
{
	for (unsigned i = 256; i-- > 0;)
		if (map->codes[i] >= CODED_UNKNOWN)
			unknown[map->codes[i] - CODED_UNKNOWN] = png_palette_colour(png, i);
}

/* Replaces the id of an unknown colour. */
static int64_t final_id(int64_t id, const uint32_t *unknown)
{
	return id < CODED_UNKNOWN ? id : COLOUR_ID(unknown[id - CODED_UNKNOWN]);
}

void coded_end(struct label_stats *stats, struct batch *batch, const struct class_set *classes, const uint32_t *unknown)
{
	struct id_stats *rows = batch->ids + stats->ids_at;
	struct worst_place *worst = &stats->worst;
	bool any = stats->max >= CODED_UNKNOWN;

	stats->coded = 1;
	if (!any)
		return;
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		struct id_stats *row = &rows[i];

		row->id = final_id(row->id, unknown);
		if (class_set_role(classes, row->id) == ID_INVALID)
			continue;
		row->first_index = NO_INDEX; /* --ignore names the colour */
		row->x0 = row->y0 = row->x1 = row->y1 = 0;
	}
	id_stats_sort(rows, stats->ids_count);
	stats->min = rows[0].id;
	stats->max = rows[stats->ids_count - 1].id;
	if (worst->key) {
		worst->left = final_id(worst->left, unknown);
		worst->id = final_id(worst->id, unknown);
		worst->right = final_id(worst->right, unknown);
	}
	/* the key is of ids in the order of an image's own colours: it says nothing about another image */
	memset(stats->content, 0, sizeof(stats->content));
}
