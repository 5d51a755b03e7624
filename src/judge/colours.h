/*
 * The colours of masks: what the channels of a file hold, and the palettes of well-known data sets, which give colours
 * their ids. Pure functions and constant tables; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/rule_input.h"

/* ---- channels --------------------------------------------------------------------------------------------------- */

/* A file with several channels is exactly one of these, so that exactly one rule reports it. */
enum channel_use {
	CHANNELS_REPLICATED,  /* all colour channels are equal, alpha is constant: any of them holds the ids */
	CHANNELS_ONE_HOT,     /* each channel is a class */
	CHANNELS_MULTI_LABEL, /* each channel is a class, and pixels may have several, or none */
	CHANNELS_COLOURS,     /* colours (or an alpha) that encode something */
};
enum channel_use channels_use(const struct rule_input *s);

/* Taken from a PNG's header or an array's shape. */
struct channel_layout {
	unsigned channels;
	bool alpha;       /* the last channel is alpha */
	unsigned bits;    /* per sample */
	const char *load; /* Python that loads all channels */
};
struct channel_layout channels_layout(const struct rule_input *s);

/*
 * Returns whether a palette PNG uses at least two indices and all of them are white: only tRNS can distinguish them.
 * Not in the cv2 view, where all are one id.
 */
bool palette_is_white(const struct sample *sample, const struct label_stats *stats);

/*
 * Returns whether a PNG has one colour everywhere, and an alpha channel that varies: only that can hold the mask.
 */
bool mask_is_in_alpha_channel(const struct rule_input *s);

/* ---- palettes --------------------------------------------------------------------------------------------------- */

enum { NOT_A_COLOUR = -1 };

struct known_palette {
	const char *name;                  /* "PASCAL VOC" */
	const char *preset;                /* "voc": that --colors takes */
	int64_t (*id_of)(uint32_t colour); /* returns the id of 0xRRGGBB, or NOT_A_COLOUR */
	unsigned classes;                  /* of the data set; a palette may have more colours */
	uint32_t (*colour_of)(unsigned i); /* returns the colour of class i < classes */
	uint32_t ignored_colour;           /* of id 255 */
};
extern const struct known_palette known_palettes[];
extern const size_t known_palettes_count;

/*
 * Returns the palette that has all n colours, at least two; if several fit, the first of the table, whose order is from
 * special to general. NULL if none fits. swapped: compares the colours with red and blue exchanged.
 */
const struct known_palette *known_palette_match(const struct id_stats *colours, size_t n, bool swapped);

/*
 * Colours that a table lacks: whether JPEG, resizing or smoothing made them of its colours. Then three quarters of
 * their pixels are near one of the table; the others are mixed of two, and lie along borders. A class that the table
 * lacks fills areas in a colour that is far from all others. All zero: none was added.
 */
struct near_colours {
	uint64_t labels, near, areas; /* areas: of those that are not near and fill areas */
};

/* Adds an id and its labels, unless it is no colour; thin: as in struct id_stats. */
void near_colours_add(struct near_colours *n, const struct colour_table *table, int64_t id, uint64_t labels,
		      uint64_t thin);
bool near_colours_explain(const struct near_colours *n);
/* The same for a mask that is read by its colours. */
bool colours_are_near_table(const struct rule_input *s);

/* Exchanges red and blue, as cv2.imwrite does with an RGB image. */
static inline uint32_t colour_swapped(uint32_t colour)
{
	return (colour & 0xff) << 16 | (colour & 0x00ff00) | (colour >> 16 & 0xff);
}

/* Returns colour i of the VOC colormap, 0 <= i < 256. */
uint32_t voc_colour(unsigned i);
