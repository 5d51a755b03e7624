#include "measure/reference_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "measure/content_key.h"
#include "measure/image_sums.h"
#include "png/view.h"

enum {
	LENGTH_CAP = 3, /* the counters need no more than 1, 2 and "longer" */
	/* at most half full, for short probes; COLOURS_MAX + 1 colours end the count */
	COLOUR_SLOTS = 2 * COLOURS_MAX,
};

/* A maximal run of equal ids in a line, so far. */
struct run {
	uint16_t id, left; /* left: the id before the run; valid if has_left */
	uint8_t length;    /* at most LENGTH_CAP */
	bool has_left;
};

struct colour_slot {
	uint32_t colour; /* valid if pixels > 0 */
	uint64_t pixels;
	uint16_t id; /* valid if has_id */
	bool has_id;
};

struct reference_rows {
	const struct class_set *classes;
	uint32_t width, height, y;
	bool wide;
	struct image_sums sums;
	struct id_stats *ids; /* IDS_8, or IDS_16 once a wide image was seen; indexed by id */
	size_t ids_cap;

	/* by column */
	struct run *columns;
	uint8_t *row_between; /* 1: the pixel of the current row is a lone one between its row neighbours */
	uint8_t *old_between; /* the same for the row above */
	size_t columns_cap;

	/* several channels */
	unsigned channels;
	bool deep;
	struct channel_stats facts;
	uint64_t pure_pixels;        /* all colour samples are 0 or the peak so far, and some are the peak */
	struct colour_slot *colours; /* COLOUR_SLOTS */
	uint32_t colours_count;
	uint32_t unknown_count; /* colours that are in no table */
};

struct reference_rows *reference_rows_new(const struct class_set *classes)
{
	struct reference_rows *m = xcalloc(1, sizeof(*m));

	m->classes = classes;
	m->ids_cap = IDS_8;
	m->ids = xcalloc(m->ids_cap, sizeof(*m->ids));
	return m;
}

void reference_rows_free(struct reference_rows *m)
{
	if (!m)
		return;
	free(m->ids);
	free(m->columns);
	free(m->row_between);
	free(m->old_between);
	free(m->colours);
	free(m);
}

static bool grow_columns(struct reference_rows *m, size_t width)
{
	if (width <= m->columns_cap)
		return true;
	free(m->columns);
	free(m->row_between);
	free(m->old_between);
	m->columns = mem_try(width, sizeof(*m->columns));
	m->row_between = mem_try(width, 1);
	m->old_between = mem_try(width, 1);
	m->columns_cap = m->columns && m->row_between && m->old_between ? width : 0;
	return m->columns_cap > 0;
}

bool reference_rows_begin(struct reference_rows *m, uint32_t width, uint32_t height, bool wide)
{
	assert(width > 0 && height > 0);
	if (!grow_columns(m, width))
		return false;
	if (wide && m->ids_cap < IDS_16) {
		free(m->ids);
		m->ids_cap = IDS_16;
		m->ids = xmalloc(m->ids_cap * sizeof(*m->ids));
	}
	m->width = width;
	m->height = height;
	m->y = 0;
	m->wide = wide;
	memset(m->ids, 0, (wide ? IDS_16 : IDS_8) * sizeof(*m->ids));
	memset(&m->sums, 0, sizeof(m->sums));
	memset(m->row_between, 0, width);
	return true;
}

/*
 * Counts a run that ends before `right`, or at the border (has_right false). index: of its last pixel. Returns whether
 * the run is a lone pixel between its neighbours.
 */
static bool close_run(struct reference_rows *m, enum line line, const struct run *run, bool has_right, uint16_t right,
		      uint64_t index)
{
	struct id_stats *row = &m->ids[run->id];

	if (run->length <= 2)
		row->thin += run->length;
	if (!has_right)
		return false;
	m->sums.edges[line]++;
	if (abs(run->id - right) >= 2)
		m->sums.wide_edges[line]++;
	if (!run->has_left || run->left == right)
		return false;

	bool between = (run->left < run->id && run->id < right) || (run->left > run->id && run->id > right);

	if (run->length > 1) {
		m->sums.long_between[line] += between;
		return false;
	}
	row->lone[line]++;
	row->between[line] += between;
	if (between)
		image_update_worst(&m->sums.worst, line, run->left, run->id, right, index);
	return between;
}

/* Adds the next pixel of a line to the run, or closes the run and starts the next. index: of the pixel before. */
static bool extend_run(struct reference_rows *m, enum line line, struct run *run, uint16_t id, uint64_t index)
{
	if (id == run->id) {
		if (run->length < LENGTH_CAP)
			run->length++;
		return false;
	}
	bool between = close_run(m, line, run, true, id, index);

	*run = (struct run){ .id = id, .left = run->id, .length = 1, .has_left = true };
	return between;
}

static void count_label(struct reference_rows *m, uint16_t id, uint32_t x, uint32_t y)
{
	struct id_stats *row = &m->ids[id];

	if (row->labels++ == 0) {
		row->first_index = (uint64_t)y * m->width + x;
		row->x0 = row->x1 = x;
		row->y0 = row->y1 = y;
	}
	row->x0 = MIN(row->x0, x);
	row->x1 = MAX(row->x1, x);
	row->y1 = y;
}

/* Adds the current row to the content key. */
static void add_content(struct reference_rows *m, const uint8_t *narrow, const uint16_t *wide, uint32_t y)
{
	struct content_pair weight = content_rows(m->height - y, m->height - y - 1);
	uint64_t row[2] = { 0 };

	for (uint32_t x = 0, start = 0; x < m->width; x++) {
		uint16_t id = m->wide ? wide[x] : narrow[x];

		if (x + 1 < m->width && id == (m->wide ? wide[x + 1] : narrow[x + 1]))
			continue;
		content_add(row, (int64_t)id + 1, content_columns(start, x + 1));
		start = x + 1;
	}
	m->sums.content[0] += row[0] * weight.v[0];
	m->sums.content[1] += row[1] * weight.v[1];
}

void reference_rows_add(struct reference_rows *m, const void *ids)
{
	const uint8_t *narrow = ids;
	const uint16_t *wide = ids;
	uint32_t y = m->y++;
	uint64_t row_at = (uint64_t)y * m->width;
	uint8_t *swap = m->old_between;
	struct run run = { 0 };

	assert(y < m->height);
	m->old_between = m->row_between;
	m->row_between = swap;
	memset(m->row_between, 0, m->width);

	for (uint32_t x = 0; x < m->width; x++) {
		uint16_t id = m->wide ? wide[x] : narrow[x];
		struct run *column = &m->columns[x];

		count_label(m, id, x, y);
		if (x == 0) {
			run = (struct run){ .id = id, .length = 1 };
		} else if (extend_run(m, LINE_ROW, &run, id, row_at + x - 1)) {
			m->row_between[x - 1] = 1;
			m->sums.between_pixels++;
		}
		if (y == 0)
			*column = (struct run){ .id = id, .length = 1 };
		else if (extend_run(m, LINE_COLUMN, column, id, row_at - m->width + x) && !m->old_between[x])
			m->sums.between_pixels++;
	}
	close_run(m, LINE_ROW, &run, false, 0, 0);
	add_content(m, narrow, wide, y);
}

void reference_rows_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch)
{
	assert(m->y == m->height);
	for (uint32_t x = 0; x < m->width; x++)
		close_run(m, LINE_COLUMN, &m->columns[x], false, 0, 0);

	image_end(stats, batch, m->width, m->height, &m->sums);
	for (uint32_t id = 0; id < (m->wide ? IDS_16 : IDS_8); id++) {
		if (!m->ids[id].labels)
			continue;
		struct id_stats *row = image_end_id(stats, batch, id);

		*row = m->ids[id];
		row->id = id;
		if (class_set_role(m->classes, id) != ID_INVALID) {
			row->first_index = NO_INDEX;
			row->x0 = row->y0 = row->x1 = row->y1 = 0;
		}
	}
}

void reference_channels_begin(struct reference_rows *m, uint32_t width, uint32_t height, unsigned channels, bool deep)
{
	assert(width > 0 && height > 0 && channels >= 2 && channels <= 4);
	m->width = width;
	m->height = height;
	m->y = 0;
	m->channels = channels;
	m->deep = deep;
	memset(&m->facts, 0, sizeof(m->facts));
	m->pure_pixels = 0;
	if (!m->colours)
		m->colours = xmalloc(COLOUR_SLOTS * sizeof(*m->colours));
	memset(m->colours, 0, COLOUR_SLOTS * sizeof(*m->colours));
	m->colours_count = m->unknown_count = 0;
}

/* Returns the slot of a colour, which may be free. */
static uint32_t find_colour(const struct reference_rows *m, uint32_t colour)
{
	uint32_t at = (uint32_t)hash_word(hash_seed(), colour) % COLOUR_SLOTS;

	while (m->colours[at].pixels && m->colours[at].colour != colour)
		at = (at + 1) % COLOUR_SLOTS;
	return at;
}

static void count_colour(struct reference_rows *m, uint32_t colour)
{
	if (m->facts.colours_cut)
		return;
	uint32_t at = find_colour(m, colour);

	if (!m->colours[at].pixels) {
		if (m->colours_count == COLOURS_MAX) {
			m->facts.colours_cut = 1;
			return;
		}
		m->colours_count++;
		m->colours[at].colour = colour;
	}
	m->colours[at].pixels++;
}

void reference_channels_add(struct reference_rows *m, const void *samples)
{
	const uint8_t *shallow = samples;
	const uint16_t *deep = samples;
	struct channel_stats *facts = &m->facts;
	bool has_alpha = m->channels == 2 || m->channels == 4;
	unsigned colours = has_alpha ? m->channels - 1 : m->channels;

	assert(m->y < m->height);
	m->y++;
	for (uint32_t x = 0; x < m->width; x++) {
		uint32_t v[4] = { 0 }, peak = 0, positive = 0;
		bool unequal = false, pure = true;

		for (unsigned c = 0; c < m->channels; c++) {
			size_t at = (size_t)x * m->channels + c;

			v[c] = m->deep ? deep[at] : shallow[at];
		}
		for (unsigned c = 0; c < colours; c++) {
			unequal |= v[c] != v[0];
			positive += v[c] > 0;
			peak = MAX(peak, v[c]);
		}
		if (peak > facts->peak) {
			facts->peak = peak;
			m->pure_pixels = 0;
		}
		for (unsigned c = 0; c < colours; c++)
			pure &= v[c] == 0 || v[c] == facts->peak;
		facts->unequal_pixels += unequal;
		facts->one_hot_pixels += positive == 1;
		facts->blank_pixels += positive == 0;
		m->pure_pixels += positive > 0 && pure;
		if (has_alpha) {
			uint32_t alpha = v[colours];

			facts->alpha_min = facts->pixels ? MIN(facts->alpha_min, alpha) : alpha;
			facts->alpha_max = MAX(facts->alpha_max, alpha);
		}
		facts->pixels++;

		unsigned cut = m->deep ? 8 : 0;
		uint32_t red = v[0] >> cut, green = colours == 3 ? v[1] >> cut : red,
			 blue = colours == 3 ? v[2] >> cut : red;

		count_colour(m, red << 16 | green << 8 | blue);
	}
}

void reference_channels_end(struct reference_rows *m, struct label_stats *stats, struct batch *batch)
{
	assert(m->y == m->height);
	m->facts.mixed_pixels = m->facts.pixels - m->facts.blank_pixels - m->pure_pixels;

	memset(stats, 0, sizeof(*stats));
	stats->width = m->width;
	stats->height = m->height;
	stats->colours = 1;
	stats->channels = m->facts;
	stats->ids_at = batch->ids_count;
	if (m->facts.colours_cut)
		return;
	stats->ids_count = m->colours_count;
	struct id_stats *rows = batch_add_ids(batch, m->colours_count), *row = rows;

	for (uint32_t i = 0; i < COLOUR_SLOTS; i++) {
		if (!m->colours[i].pixels)
			continue;
		*row++ = (struct id_stats){ .id = m->colours[i].colour,
					    .labels = m->colours[i].pixels,
					    .first_index = NO_INDEX };
	}
	id_stats_sort(rows, m->colours_count);
}

void reference_channels_ids(struct reference_rows *m, const struct colour_table *table, const void *samples,
			    uint16_t *ids)
{
	const uint8_t *shallow = samples;
	const uint16_t *deep = samples;

	for (uint32_t x = 0; x < m->width; x++) {
		size_t at = (size_t)x * m->channels;
		uint32_t colour = 0;

		for (unsigned c = 0; c < 3; c++)
			colour = colour << 8 | (m->deep ? deep[at + c] >> 8 : shallow[at + c]);
		ids[x] = 0;
		if (m->facts.colours_cut)
			continue;

		struct colour_slot *slot = &m->colours[find_colour(m, colour)];

		if (!slot->has_id) {
			int32_t known = colour_table_find(table, colour);

			slot->id = (uint16_t)(known != NO_COLOUR_CLASS ? known
								       : CODED_UNKNOWN + (int32_t)m->unknown_count++);
			slot->has_id = true;
		}
		ids[x] = slot->id;
	}
}

bool reference_channels_unknown(const struct reference_rows *m, uint32_t unknown[COLOURS_MAX])
{
	bool unequal = false;

	if (m->facts.colours_cut || m->facts.alpha_min != m->facts.alpha_max)
		return false;
	for (uint32_t i = 0; i < COLOUR_SLOTS; i++)
		if (m->colours[i].pixels)
			unequal |= m->colours[i].colour >> 8 != (m->colours[i].colour & 0xffff);
	if (m->unknown_count && !unequal)
		return false;
	for (uint32_t i = 0; i < COLOUR_SLOTS; i++)
		if (m->colours[i].pixels && m->colours[i].id >= CODED_UNKNOWN)
			unknown[m->colours[i].id - CODED_UNKNOWN] = m->colours[i].colour;
	return true;
}
