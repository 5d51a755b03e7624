/*
 * Images whose colours are ids (view_map.coded): the ids of pixels in RGB, and the end of such an image, which is the
 * same for every measurement.
 *
 * While it is measured, an image has ids of 16 bits: those of the table, and from CODED_UNKNOWN on one for each other
 * colour, in the order in which they occur; so an unknown colour is above all known ones, and interpolation between two
 * classes is no third class by chance. coded_end() replaces these by COLOUR_ID(colour).
 *
 * An image has no code if it has more than COLOURS_MAX colours, if its alpha is not the same everywhere, or if all its
 * colours are grey and some of them unknown: then each channel holds the ids. It is measured as an image of several
 * channels.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "measure/backend.h"
#include "measure/label_stats.h"
#include "png/view.h"

/* The ids of an image's colours, for one thread. */
struct coded_colours {
	const struct colour_table *table;
	struct coded_slot *slots;      /* owned; NULL before the first image */
	uint32_t used[COLOURS_MAX];    /* slots */
	uint32_t unknown[COLOURS_MAX]; /* the colours of ids from CODED_UNKNOWN on */
	uint32_t used_count, unknown_count;
	uint32_t last; /* the colour looked up last, plus 1; 0: none */
	uint16_t last_id;
	uint32_t alpha;
	bool deep;
	bool unequal;      /* some colour is not grey */
	unsigned channels; /* of the image: 3 or 4 */
};

void coded_colours_release(struct coded_colours *c);
void coded_colours_begin(struct coded_colours *c, const struct colour_table *table, const struct png_header *png);
/*
 * Fills the ids of n pixels. Pixels are as in the file: 16-bit samples are big-endian, and their high bytes count.
 * is_first: they begin the image. Returns false if the image has no code.
 */
bool coded_colours_map(struct coded_colours *c, const uint8_t *pixels, size_t n, bool is_first, uint16_t *ids);

/* Returns whether the image, of which all pixels were mapped, has no code. */
static inline bool coded_colours_are_levels(const struct coded_colours *c)
{
	return c->unknown_count && !c->unequal;
}

/* Fills unknown[] with the colours of the ids from CODED_UNKNOWN on of a palette. */
void coded_palette_unknown(const struct view_map *map, const struct png_header *png, uint32_t unknown[256]);
/* Ends an image whose ids were measured: stats and its id rows, the last of the batch. unknown: by id. */
void coded_end(struct label_stats *stats, struct batch *batch, const struct class_set *classes,
	       const uint32_t *unknown);
