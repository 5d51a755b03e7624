#include "cache/cache_record.h"

#include <string.h>

#include "base/mem.h"
#include "base/work_units.h"

enum { PNG_ID_MAX = 65535, COLOUR_ID_MAX = 0xffffff };

static bool header_is_plausible(const struct sample *sample)
{
	const struct png_header *png = &sample->png;
	const uint8_t ihdr[PNG_IHDR_BYTES] = {
		0, 0, 0, 1, 0, 0, 0, 1, png->bit_depth, png->colour_type, 0, 0, png->interlace
	};
	struct png_header legal; /* but for the size */

	if (!png->width || !png->height || png_header_parse(ihdr, &legal) != PNG_HEADER_LEGAL ||
	    png->channels != legal.channels)
		return false;
	uint64_t row = ((uint64_t)png->width * png->channels * png->bit_depth + 7) / 8, bytes;

	return !__builtin_mul_overflow(row, png->height, &bytes) && bytes / DEFLATE_RATIO_MAX <= sample->file_bytes;
}

static bool is_at_most(const uint64_t *values, size_t n, uint64_t max)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] > max)
			return false;
	return true;
}

/* Returns whether the ids rise from 0 to at most max, and their labels add up to n. */
static bool rows_add_up(const struct id_stats *rows, uint64_t count, int64_t max, uint64_t n)
{
	uint64_t left = n;

	for (uint64_t i = 0; i < count; i++) {
		if (!rows[i].labels || rows[i].labels > left || rows[i].id > max ||
		    rows[i].id < (i ? rows[i - 1].id + 1 : 0))
			return false;
		left -= rows[i].labels;
	}
	return !left;
}

static bool has_no_place(const struct id_stats *row)
{
	return row->first_index == NO_INDEX && !row->x0 && !row->y0 && !row->x1 && !row->y1;
}

/* The first label is in the box's first row, and the box has a place for each label. */
static bool place_is_plausible(const struct id_stats *row, const struct label_stats *stats)
{
	uint32_t w = stats->width;

	return row->x0 <= row->x1 && row->x1 < w && row->y0 <= row->y1 && row->y1 < stats->height &&
	       row->first_index / w == row->y0 && row->first_index % w >= row->x0 && row->first_index % w <= row->x1 &&
	       row->labels <= (uint64_t)(row->x1 - row->x0 + 1) * (row->y1 - row->y0 + 1);
}

static bool row_is_plausible(const struct id_stats *row, const struct label_stats *stats)
{
	/* A lone pixel of a line is a thin one of that line. */
	if (!is_at_most(row->lone, 2, row->labels) || row->thin > 2 * row->labels ||
	    row->lone[0] + row->lone[1] > row->thin || row->between[0] > row->lone[0] || row->between[1] > row->lone[1])
		return false;
	return has_no_place(row) || place_is_plausible(row, stats);
}

static bool worst_is_plausible(const struct worst_place *worst, uint64_t n, bool coded)
{
	const int64_t l = worst->left, m = worst->id, r = worst->right;

	if (coded) /* the gap is one of ids that were replaced */
		return WORST_INDEX_MASK - (worst->key >> 1 & WORST_INDEX_MASK) < n;
	if (l < 0 || l > PNG_ID_MAX || r < 0 || r > PNG_ID_MAX || !((l < m && m < r) || (l > m && m > r)))
		return false;
	uint64_t gap = (uint64_t)(l < r ? r - l : l - r);

	return worst->key >> 48 == gap && WORST_INDEX_MASK - (worst->key >> 1 & WORST_INDEX_MASK) < n;
}

static bool neighbours_are_plausible(const struct label_stats *stats, const struct id_stats *rows)
{
	const uint64_t edges[2] = { stats->labels - stats->height, stats->labels - stats->width };
	const struct worst_place none = { 0, 0, 0, 0 }, *worst = &stats->worst;
	uint64_t between[2] = { 0, 0 };

	for (uint64_t i = 0; i < stats->ids_count; i++) {
		if (!row_is_plausible(&rows[i], stats))
			return false;
		for (int line = 0; line < 2; line++)
			between[line] += rows[i].between[line];
	}
	for (int line = 0; line < 2; line++)
		if (stats->edges[line] > edges[line] || stats->wide_edges[line] > stats->edges[line] ||
		    stats->long_between[line] > stats->edges[line] || stats->between_pixels < between[line])
			return false;
	if (stats->between_pixels > between[0] + between[1])
		return false;
	/* The key has no bits for places past WORST_INDEX_MASK. */
	if (!worst->key)
		return !memcmp(worst, &none, sizeof(none)) &&
		       (!stats->between_pixels || stats->labels > WORST_INDEX_MASK);
	return stats->between_pixels && worst_is_plausible(worst, stats->labels, stats->coded);
}

/* Returns whether the values used fit into the bit depth, and are enough for the ids that a view made of them. */
static bool raw_used_is_plausible(const struct png_header *png, const struct label_stats *stats)
{
	unsigned values = png->channels == 1 && png->bit_depth <= 8 ? 1u << png->bit_depth : 0, used = 0;

	for (unsigned word = 0; word < 4; word++) {
		unsigned here = values > 64 * word ? values - 64 * word : 0;
		uint64_t allowed = here >= 64 ? UINT64_MAX : ((uint64_t)1 << here) - 1;

		if (stats->raw_used[word] & ~allowed)
			return false;
		used += (unsigned)__builtin_popcountll(stats->raw_used[word]);
	}
	return !values || stats->ids_count <= used;
}

static bool ids_are_plausible(const struct sample *sample, const struct label_stats *stats, const struct id_stats *rows)
{
	static const struct label_stats zero;
	const size_t facts = offsetof(struct label_stats, channels);

	return stats->labels == (uint64_t)stats->width * stats->height && stats->neighbours == 1 && stats->ids_count &&
	       stats->coded <= 1 &&
	       rows_add_up(rows, stats->ids_count, stats->coded ? COLOUR_ID(COLOUR_ID_MAX) : PNG_ID_MAX,
			   stats->labels) &&
	       stats->min == rows[0].id && stats->max == rows[stats->ids_count - 1].id &&
	       raw_used_is_plausible(&sample->png, stats) &&
	       !memcmp((const char *)stats + facts, (const char *)&zero + facts, sizeof(zero) - facts) &&
	       neighbours_are_plausible(stats, rows);
}

static bool channels_are_plausible(const struct png_header *png, const struct channel_stats *c, uint64_t n)
{
	const uint64_t counts[] = { c->unequal_pixels, c->one_hot_pixels, c->blank_pixels, c->mixed_pixels };
	const uint32_t top = (1u << png->bit_depth) - 1;
	const bool has_alpha = png->channels % 2 == 0;

	if (c->pixels != n || !is_at_most(counts, ARRAY_SIZE(counts), n))
		return false;
	return c->one_hot_pixels + c->blank_pixels <= n && c->mixed_pixels + c->blank_pixels <= n && c->peak <= top &&
	       !c->peak == (c->blank_pixels == n) && c->alpha_min <= c->alpha_max &&
	       c->alpha_max <= (has_alpha ? top : 0) && c->colours_cut <= 1;
}

/* Returns whether the neighbourhood counters are those of one of several equal channels (measure/grey_plane.h). */
static bool grey_is_plausible(const struct label_stats *stats, const struct id_stats *rows, uint64_t n)
{
	enum { GREY = 0x010101 };
	struct label_stats plane = *stats;

	plane.labels = n;
	for (uint64_t i = 0; i < stats->ids_count; i++)
		if (rows[i].id % GREY || !has_no_place(&rows[i]))
			return false;
	return !stats->channels.unequal_pixels && neighbours_are_plausible(&plane, rows);
}

static bool colours_are_plausible(const struct sample *sample, const struct label_stats *stats,
				  const struct id_stats *rows)
{
	const uint64_t n = (uint64_t)stats->width * stats->height;
	struct label_stats expected;

	/* Nothing else is measured. All padding is 0, as in a struct of the engine. */
	memset(&expected, 0, sizeof(expected));
	expected.width = stats->width;
	expected.height = stats->height;
	expected.colours = 1;
	expected.ids_at = stats->ids_at;
	expected.ids_count = stats->ids_count;
	expected.channels = stats->channels;
	if (stats->neighbours == 1) {
		expected.neighbours = 1;
		memcpy(expected.edges, stats->edges, sizeof(expected.edges));
		memcpy(expected.wide_edges, stats->wide_edges, sizeof(expected.wide_edges));
		memcpy(expected.long_between, stats->long_between, sizeof(expected.long_between));
		expected.between_pixels = stats->between_pixels;
		expected.worst = stats->worst;
	}
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
	if (sample->png.channels < 2 || memcmp(stats, &expected, sizeof(expected)) != 0 ||
	    !channels_are_plausible(&sample->png, &stats->channels, n))
		return false;
	if (stats->channels.colours_cut)
		return !stats->ids_count;
	if (stats->neighbours && !grey_is_plausible(stats, rows, n))
		return false;
	for (uint64_t i = 0; i < stats->ids_count && !stats->neighbours; i++) {
		const struct id_stats *row = &rows[i];

		if (row->thin || row->lone[0] || row->lone[1] || row->between[0] || row->between[1] ||
		    !has_no_place(row))
			return false;
	}
	return stats->ids_count <= COLOURS_MAX && rows_add_up(rows, stats->ids_count, COLOUR_ID_MAX, n);
}

bool cache_is_plausible(const struct sample *sample, const struct label_stats *stats, const struct id_stats *rows)
{
	if (!header_is_plausible(sample) || stats->width != sample->png.width || stats->height != sample->png.height ||
	    stats->no_ids || stats->planes)
		return false;
	return stats->colours ? colours_are_plausible(sample, stats, rows) : ids_are_plausible(sample, stats, rows);
}
