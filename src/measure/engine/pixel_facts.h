/*
 * struct pixel_facts: counts the pixels of a multi-channel image by what each is by itself, for struct channel_stats
 * (label_stats.h). For the fast measurement (colour.h); reference_rows.c is its judge.
 *
 * Pixels are the bytes of the file: 16-bit samples are big-endian. With 2 or 4 channels the last one is alpha, which is
 * not counted. Pure, any thread.
 */
#ifndef MEASURE_PIXEL_FACTS_H
#define MEASURE_PIXEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct pixel_kind {
	unsigned channels, colours; /* colours: channels without alpha */
	bool deep;                  /* samples of 16 bits */
	size_t bytes;               /* of a pixel */
};

static inline struct pixel_kind pixel_kind_of(unsigned channels, bool deep)
{
	return (struct pixel_kind){ channels, channels % 2 ? channels : channels - 1, deep,
				    channels * (deep ? 2u : 1u) };
}

struct pixel_facts {
	uint64_t unequal; /* pixels whose colour samples differ */
	uint64_t one_hot; /* exactly one is above 0 */
	uint64_t blank;   /* all are 0 */
	uint64_t pure;    /* some are above 0, and all of those are `peak` */
};

static inline uint32_t pixel_sample(const uint8_t *p, bool deep)
{
	return deep ? be16(p) : p[0];
}

/* Returns the largest colour sample of n pixels. */
uint32_t pixels_peak(const struct pixel_kind *kind, const uint8_t *pixels, size_t n);
/* Counts n pixels; `peak` is the largest colour sample of the image. */
struct pixel_facts pixel_facts_of(const struct pixel_kind *kind, const uint8_t *pixels, size_t n, uint32_t peak);
/* Adds `more` `times` times, modulo 2^64, so that -n subtracts it n times. */
void pixel_facts_add(struct pixel_facts *to, const struct pixel_facts *more, uint64_t times);

#endif
