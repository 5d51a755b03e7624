/*
 * struct pixel_facts: what the pixels of a picture with several channels are, each by itself: the counts from which
 * struct channel_stats (label_stats.h) is made. For the fast measurement (colour.h); reference_rows.c is its judge.
 *
 * Pixels are the bytes of the file: 16-bit samples in big-endian order. With 2 or 4 channels the last one is alpha,
 * which is no colour and has no part in the facts. Pure, any thread.
 */
#ifndef MEASURE_PIXEL_FACTS_H
#define MEASURE_PIXEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct pixel_kind {
	unsigned channels, colours; /* of the channels, those that are not alpha */
	bool deep;                  /* samples of 16 bits */
	size_t bytes;               /* of a pixel */
};

static inline struct pixel_kind pixel_kind_of(unsigned channels, bool deep)
{
	return (struct pixel_kind){ channels, channels % 2 ? channels : channels - 1, deep,
				    channels * (deep ? 2u : 1u) };
}

/* How many pixels are so. */
struct pixel_facts {
	uint64_t unequal; /* the colour samples differ */
	uint64_t one_hot; /* exactly one is above 0 */
	uint64_t blank;   /* none is */
	uint64_t pure;    /* some are, and all of those are `peak` */
};

static inline uint32_t pixel_sample(const uint8_t *p, bool deep)
{
	return deep ? be16(p) : p[0];
}

/* The largest colour sample of n pixels. */
uint32_t pixels_peak(const struct pixel_kind *kind, const uint8_t *pixels, size_t n);
/* The facts of n pixels, the largest sample of all being `peak`. */
struct pixel_facts pixel_facts_of(const struct pixel_kind *kind, const uint8_t *pixels, size_t n, uint32_t peak);
/* Adds `more` so many times. In arithmetic modulo 2^64, so that -n takes it off n times. */
void pixel_facts_add(struct pixel_facts *to, const struct pixel_facts *more, uint64_t times);

#endif
