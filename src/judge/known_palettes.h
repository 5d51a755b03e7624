/*
 * The colours that well-known datasets paint their classes with, to name the ids behind a colour-coded mask.
 * Constant tables and formulas; any thread.
 */
#ifndef JUDGE_KNOWN_PALETTES_H
#define JUDGE_KNOWN_PALETTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/label_stats.h"

enum { NOT_A_COLOUR = -1 };

struct known_palette {
	const char *name;                  /* as people call it: "PASCAL VOC" */
	int64_t (*id_of)(uint32_t colour); /* 0xRRGGBB to its id, or NOT_A_COLOUR */
	unsigned classes;                  /* those of the dataset; a palette may go on behind them */
	uint32_t (*colour_of)(unsigned i); /* of class i < classes */
	uint32_t ignored_colour;           /* of what is not trained on, id 255 */
};

extern const struct known_palette known_palettes[];
extern const size_t known_palettes_count;

/*
 * The palette that all n colours belong to: at least two colours, one of them not black. Where several fit, the first
 * of the table, whose order is from special to general. NULL if none does. swapped: with red and blue exchanged.
 */
const struct known_palette *known_palette_match(const struct id_stats *colours, size_t n, bool swapped);

/* The colour with red and blue exchanged, as what was painted in RGB comes out of cv2.imwrite. */
static inline uint32_t colour_swapped(uint32_t colour)
{
	return (colour & 0xff) << 16 | (colour & 0x00ff00) | (colour >> 16 & 0xff);
}

/* Colour i of the VOC colormap, 0 <= i < 256. */
uint32_t voc_colour(unsigned i);

#endif
