/*
 * Decides what a PNG seems to show from its size and its first bytes: a photo, a mask of ids, or flat colours (a
 * rendering of labels, a plot). Names are not asked. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum png_look {
	PNG_LOOK_NONE,   /* no PNG, or its header is damaged */
	PNG_LOOK_PHOTO,  /* many bits a pixel, and smooth unless in colours */
	PNG_LOOK_MASK,   /* grey or a palette, and not a photo */
	PNG_LOOK_COLOUR, /* several channels, and not a photo */
};

struct png_sight {
	enum png_look look;
	uint8_t channels;
	bool small;    /* too few pixels to tell a photo: its bits per pixel prove nothing, nor do its first rows */
	bool noise;    /* if rows were inflated: neighbours differ as in noise, not as in a photo */
	bool varied;   /* the same: hardly a pixel equals its neighbour, as in flat photos, and not in masks */
	bool indices;  /* it has a palette, or less than a byte a sample */
	bool alpha;    /* it has an alpha channel, as plots have and masks hardly ever do */
	bool drawn;    /* if rows were inflated: the first pixel is neither white nor transparent, as in plots */
	bool on_white; /* the same, in colours: the first pixel is white or transparent */
	uint64_t bits, pixels; /* of the IDATs' data; of the image */
	/* The values of the first samples, if it has one channel of up to 8 bits: palette indices, or grey as stored.
	 */
	uint64_t ids[256 / 64];
	bool has_ids;    /* some samples could be read */
	bool wide_ids;   /* it has 16 bits a sample, and one of those read is above 255 */
	unsigned levels; /* how many values are in `ids` */
};

/*
 * Looks at the first n bytes of a file of `size` bytes. Inflates no more than some rows, and none if the bytes of its
 * IDATs tell that it is no photo; unless with_ids. fd: the file, whose chunks and pixels are read if they lie behind
 * the head; -1: there is none.
 */
void png_look(const uint8_t *head, size_t n, uint64_t size, int fd, bool with_ids, struct png_sight *out);
