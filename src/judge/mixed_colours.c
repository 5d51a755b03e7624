#include "judge/mixed_colours.h"

#include <assert.h>
#include <stdbool.h>

#include "base/mem.h"

/*
 * 1,000 clean colour masks (palettes of VOC, Cityscapes, greys, pure and random colours; real masks, polygons, cells,
 * text) have no such mixtures; 370 of 484 damaged ones of at most 256 colours do. A mixture has an eighth of the pixels
 * of what it was mixed of: at a quarter, two clean ones of greys come to half of their colours.
 */
enum {
	MIXTURES_MIN = 8,
	RARER = 8,
	FREQUENT = 32, /* colours that may be mixed */
	CHANNELS = 3,
	NEAR = 12, /* JPEG's noise, in each channel */
	OFF = 2,   /* mixtures are rounded, twice if along rows and columns */
};

static int channel(const struct id_stats *colour, int i)
{
	return (int)(colour->id >> 8 * i & 0xff);
}

static int difference(int a, int b)
{
	return a < b ? b - a : a - b;
}

static bool is_near(const struct id_stats *a, const struct id_stats *b)
{
	for (int i = 0; i < CHANNELS; i++)
		if (difference(channel(a, i), channel(b, i)) > NEAR)
			return false;
	return true;
}

/* Returns whether a colour lies on the line between two others, within OFF. Products are at most 2^33. */
static bool is_between(const struct id_stats *colour, const struct id_stats *a, const struct id_stats *b)
{
	int64_t line[CHANNELS], from_a[CHANNELS], length = 0, along = 0;

	for (int i = 0; i < CHANNELS; i++) {
		line[i] = channel(b, i) - channel(a, i);
		from_a[i] = channel(colour, i) - channel(a, i);
		length += line[i] * line[i];
		along += line[i] * from_a[i];
	}
	if (along <= 0 || along >= length)
		return false;
	for (int i = 0; i < CHANNELS; i++) {
		int64_t off = from_a[i] * length - along * line[i];

		if (off > OFF * length || off < -OFF * length)
			return false;
	}
	return true;
}

/* frequent: n colours, the most frequent first. */
static bool is_mixture(const struct id_stats *colour, const struct id_stats *const *frequent, size_t n)
{
	while (n && frequent[n - 1]->labels / RARER < colour->labels)
		n--;
	for (size_t i = 0; i < n; i++)
		if (is_near(colour, frequent[i]))
			return true;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (is_between(colour, frequent[i], frequent[k]))
				return true;
	return false;
}

/* Fills the most frequent colours, the first on ties. Returns how many. */
static size_t find_frequent(const struct id_stats *colours, size_t n, const struct id_stats *frequent[FREQUENT])
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = count;

		while (at && frequent[at - 1]->labels < colours[i].labels)
			at--;
		if (at == FREQUENT)
			continue;
		count = MIN(count + 1, (size_t)FREQUENT);
		for (size_t k = count - 1; k > at; k--)
			frequent[k] = frequent[k - 1];
		frequent[at] = &colours[i];
	}
	return count;
}

size_t mixed_colours(const struct id_stats *colours, size_t n)
{
	const struct id_stats *frequent[FREQUENT] = { NULL };
	size_t mixtures = 0, count;

	assert(n <= MIXED_COLOURS_MAX);
	count = find_frequent(colours, n, frequent);
	for (size_t i = 0; i < n; i++)
		mixtures += is_mixture(&colours[i], frequent, count);
	return mixtures >= MIXTURES_MIN && 2 * mixtures >= n ? mixtures : 0;
}
