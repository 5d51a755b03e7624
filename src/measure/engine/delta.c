/* The parts of the delta engine that no instruction set changes: memory, begin and end of an image, groups of rows. */
#include "measure/engine/delta.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void *aligned_try(size_t n)
{
	void *p = NULL;

	return posix_memalign(&p, 64, n) ? NULL : p;
}

static void grow_ids(struct delta *s, size_t n)
{
	if (n <= s->by_id.cap)
		return;
	free(s->by_id.labels);
	free(s->by_id.ids);
	s->by_id.labels = xcalloc(n, sizeof(*s->by_id.labels));
	s->by_id.ids = xcalloc(n, sizeof(*s->by_id.ids));
	s->by_id.cap = n;
	if (n == IDS_16 && !s->by_id.seen)
		s->by_id.seen = xcalloc(IDS_16 / 64, sizeof(*s->by_id.seen));
}

struct delta *delta_new(const struct class_set *classes, const struct isa *isa)
{
	struct delta *s = aligned_try((sizeof(*s) + 63) / 64 * 64);

	if (!s)
		s = xmalloc(SIZE_MAX); /* reports that memory is short, and exits */
	memset(s, 0, sizeof(*s));
	s->isa = isa ? isa : isa_best();
	s->by_id.roles = classes->dense;
	for (unsigned id = 0; id < IDS_8; id++)
		s->by_id.invalid[id] = s->by_id.roles[id] == ID_INVALID ? 0xff : 0;
	grow_ids(s, IDS_8);
	s->weights.columns = xmalloc(DELTA_WEIGHTS * sizeof(*s->weights.columns));
	s->weights.rows = xmalloc(DELTA_WEIGHTS * sizeof(*s->weights.rows));
	for (uint32_t i = 0; i < DELTA_WEIGHTS; i++) {
		s->weights.columns[i] = content_column(i);
		s->weights.rows[i] = content_rows(i, 0);
	}
	return s;
}

static void free_blocks(struct delta *s)
{
	free(s->last.blocks);
	free(s->group.dirty);
	free(s->last.above);
	free(s->last.above2);
	free(s->group.row_pixels);
	s->last.blocks = NULL;
	s->group.dirty = NULL;
	s->last.above = s->last.above2 = s->group.row_pixels = NULL;
	s->last.blocks_cap = 0;
}

void delta_free(struct delta *s)
{
	if (!s)
		return;
	free_blocks(s);
	free(s->by_id.labels);
	free(s->by_id.ids);
	free(s->by_id.seen);
	free(s->weights.columns);
	free(s->weights.rows);
	free(s);
}

/* Returns how many rows of this many blocks make a group. */
static uint32_t group_of(size_t blocks)
{
	return (uint32_t)MIN(MAX(DELTA_GROUP_BYTES / (blocks * DELTA_BLOCK), (size_t)1), (size_t)DELTA_GROUP);
}

/* Allocates blocks for 16-bit ids whatever the image has: a row is small beside an image. */
static bool grow_blocks(struct delta *s, size_t blocks)
{
	size_t row = blocks * DELTA_BLOCK * 2;

	if (blocks <= s->last.blocks_cap)
		return true;
	free_blocks(s);
	s->last.blocks = aligned_try(blocks * sizeof(*s->last.blocks));
	s->group.dirty = aligned_try(DELTA_GROUP / 64 * blocks * sizeof(*s->group.dirty));
	s->last.above = aligned_try(row);
	s->last.above2 = aligned_try(row);
	/* a group of rows of 8 bits, or half of it of 16 bits */
	s->group.row_pixels = aligned_try(group_of(blocks) * row + DELTA_SLACK);
	if (!s->last.blocks || !s->group.dirty || !s->last.above || !s->last.above2 || !s->group.row_pixels) {
		free_blocks(s);
		return false;
	}
	memset(s->group.dirty, 0, DELTA_GROUP / 64 * blocks * sizeof(*s->group.dirty));
	memset(s->last.above2, 0, row);
	s->last.blocks_cap = blocks;
	return true;
}

/* Clears the counters of an image that was given up. Those of all 65,536 ids are 10 MB: only ids that occur are
 * cleared. */
static void clear_counters(struct delta *s)
{
	if (!s->wide) {
		memset(s->by_id.labels, 0, IDS_8 * sizeof(*s->by_id.labels));
		memset(s->by_id.ids, 0, IDS_8 * sizeof(*s->by_id.ids));
	}
	for (uint32_t word = 0; s->wide && word < IDS_16 / 64; word++) {
		for (uint64_t bits = s->by_id.seen[word]; bits; bits &= bits - 1) {
			uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);

			s->by_id.labels[id] = 0;
			memset(&s->by_id.ids[id], 0, sizeof(s->by_id.ids[id]));
		}
		s->by_id.seen[word] = 0;
	}
	memset(s->queues.minus, 0, sizeof(s->queues.minus));
	memset(s->queues.plus, 0, sizeof(s->queues.plus));
}

bool delta_begin(struct delta *s, uint32_t width, uint32_t height, bool wide)
{
	size_t blocks = width / DELTA_BLOCK + 1, pixel = wide ? 2 : 1;

	assert(width > 0 && width <= DELTA_WIDTH_MAX && height > 0);
	if (!grow_blocks(s, blocks))
		return false;
	if (wide && s->by_id.cap < IDS_16)
		grow_ids(s, IDS_16);
	if (s->unfinished)
		clear_counters(s);
	s->unfinished = true;
	s->width = width;
	s->height = height;
	s->y = 0;
	s->wide = wide;
	s->blocks_count = blocks;
	s->group.max = group_of(blocks * pixel);
	s->group.buffered = 0;

	/* Above row 0 lies a row of zeros (PNG specification, 9.2), whose counters are zero too. */
	memset(s->last.above, 0, blocks * DELTA_BLOCK * pixel);
	memset(s->last.blocks, 0, blocks * sizeof(*s->last.blocks));
	memset(s->last.tail, 0, sizeof(s->last.tail));
	memset(s->last.tail, 0xff, width % DELTA_BLOCK * pixel);

	memset(s->lanes, 0, sizeof(s->lanes));
	memset(&s->sums, 0, sizeof(s->sums));
	s->queues.changes = s->queues.new_runs.count = s->queues.old_runs.count = s->queues.columns.count = 0;
	s->queues.first_row = 0;
	/* RFC 1950: a = 1 + the sum of the bytes; b = n + each byte times the number of bytes from it to the end. */
	s->adler_a = 1;
	s->adler_b = (uint32_t)((uint64_t)height * (width + 1) % ADLER_MODULUS);
	return true;
}

/* Adds the group's sums to Adler-32. */
static void fold_adler(struct delta *s)
{
	int64_t a = s->adler_a, b = s->adler_b;

	for (unsigned i = 0; i < DELTA_LANES; i++) {
		a += (int64_t)s->adler.sum[i];
		b += (int64_t)s->adler.weighted[i] % ADLER_MODULUS;
	}
	a %= ADLER_MODULUS;
	b %= ADLER_MODULUS;
	s->adler_a = (uint32_t)(a < 0 ? a + ADLER_MODULUS : a);
	s->adler_b = (uint32_t)(b < 0 ? b + ADLER_MODULUS : b);
}

/* Adds the lanes to the sums. */
static void fold_sums(struct delta *s)
{
	for (unsigned i = 0; i < DELTA_LANES; i++)
		for (unsigned line = 0; line < 2; line++) {
			s->sums.edges[line] += s->lanes[SUM_EDGES + line][i];
			s->sums.wide_edges[line] += s->lanes[SUM_WIDE_EDGES + line][i];
			s->sums.long_between[line] += s->lanes[SUM_LONG_BETWEEN + line][i];
		}
	memset(s->lanes, 0, sizeof(s->lanes));
}

/* Describes a group whose rows all have filter None. That depends on their number alone, so it is kept. */
static void fill_none_rows(struct delta *s, uint32_t count)
{
	for (uint32_t r = 0; r < count && s->group.none_rows != count; r++)
		s->group.rows[r] = (struct delta_row){ .same_filter_as_above = UINT64_MAX,
						       .rows = count - r,
						       .filter = FILTER_NONE };
	s->group.none_rows = count;
}

/*
 * Describes the rows of a group, and adds their filter bytes to Adler-32. There is no branch on a filter, since it
 * could not be predicted. Returns false if a row names no filter of PNG.
 */
static bool fill_rows(struct delta *s, const uint8_t *rows, uint32_t count)
{
	const size_t line = (size_t)s->width + 1;
	uint64_t sum = 0, weighted = 0, weight = s->group.bytes_after + count * (uint64_t)line;
	uint32_t before = FILTER_NONE;
	bool known = true;

	s->group.none_rows = 0;
	for (uint32_t r = 0; r < count; r++, weight -= line) {
		uint32_t filter = rows[r * line];
		bool none = filter == FILTER_NONE, sub = filter == FILTER_SUB;
		bool same_filter_as_above = (filter == before) & (none | (sub & (r > 0)));
		bool always_visit = !same_filter_as_above & (filter != FILTER_UP) & (filter != FILTER_PAETH);

		known &= filter <= FILTER_PAETH;
		s->group.rows[r].filter = filter;
		s->group.rows[r].same_filter_as_above = 0 - (uint64_t)same_filter_as_above;
		s->group.always_visit[r / 64] |= (uint64_t)always_visit << r % 64;
		s->group.sub_rows[r / 64] |= (uint64_t)(always_visit & sub) << r % 64;
		sum += filter;
		weighted += filter * weight;
		before = filter;
	}
	s->adler.sum[0] += sum;
	s->adler.weighted[0] += weighted;
	for (uint32_t r = count, repeating = 0; r-- > 0;) {
		s->group.rows[r].rows = ++repeating;
		repeating &= (uint32_t)s->group.rows[r].same_filter_as_above;
	}
	return known;
}

/* Begins a group of `count` rows; the first byte is a filter byte. Returns false if a row names no filter of PNG. */
static bool begin_group(struct delta *s, const uint8_t *rows, uint32_t count)
{
	size_t line = (size_t)s->width + 1;
	uint32_t none = 0; /* rows of filter None: in palette images, all of them */

	memset(s->group.always_visit, 0, sizeof(s->group.always_visit));
	memset(s->group.sub_rows, 0, sizeof(s->group.sub_rows));
	memset(&s->adler, 0, sizeof(s->adler));
	s->group.bytes = rows + 1;
	s->group.rows_count = count;
	s->group.bytes_after = (uint32_t)((s->height - s->y - count) * (uint64_t)line % ADLER_MODULUS);
	while (none < count && rows[none * line] == FILTER_NONE)
		none++;
	if (none == count)
		fill_none_rows(s, count);
	else if (!fill_rows(s, rows, count))
		return false;
	s->group.always_visit[0] |= s->y == 0; /* in the first row every block changes */
	return true;
}

bool delta_add_filtered(struct delta *s, const uint8_t *rows, uint32_t count)
{
	while (count) {
		uint32_t n = MIN(count, s->group.max);

		if (!begin_group(s, rows, n))
			return false;
		s->isa->scan_filtered(s);
		fold_adler(s);
		fold_sums(s);
		s->y += n;
		rows += n * ((size_t)s->width + 1);
		count -= n;
	}
	return true;
}

/* Returns the bytes of a row of ids. */
static size_t bytes_of_ids(const struct delta *s)
{
	return (size_t)s->width * (s->wide ? sizeof(uint16_t) : sizeof(uint8_t));
}

static void scan_buffered(struct delta *s)
{
	if (s->group.buffered)
		s->isa->scan_ids(s, s->group.row_pixels, bytes_of_ids(s), s->group.buffered);
	fold_sums(s);
	s->y += s->group.buffered;
	s->group.buffered = 0;
}

void delta_add_ids(struct delta *s, const void *row)
{
	size_t bytes = bytes_of_ids(s);

	if (s->group.max == 1) {
		s->isa->scan_ids(s, row, bytes, 1);
		fold_sums(s);
		s->y++;
		return;
	}
	memcpy(s->group.row_pixels + s->group.buffered * bytes, row, bytes);
	if (++s->group.buffered == s->group.max)
		scan_buffered(s);
}

void delta_repeat_row(struct delta *s)
{
	size_t bytes = bytes_of_ids(s);

	assert(s->y + s->group.buffered > 0);
	if (s->group.buffered)
		delta_add_ids(s, s->group.row_pixels + (s->group.buffered - 1) * bytes);
	else
		s->y++;
}

uint64_t delta_row_edges(const struct delta *s)
{
	uint64_t row = 0;

	/* the edges of the last row were counted for all rows that follow too */
	for (size_t b = 0; b < s->blocks_count; b++)
		row += (uint64_t)__builtin_popcountll(s->last.blocks[b].known[WORD_TRANSITIONS]);
	return s->sums.edges[LINE_ROW] - row * (s->height - s->y);
}

void delta_end(struct delta *s)
{
	scan_buffered(s);
	s->isa->end_columns(s);
	for (unsigned word = 0; word < IDS_8 / 64 && !s->wide; word++) {
		const int64_t *labels = s->by_id.labels + word * 64;
		uint64_t used = 0;

		for (unsigned i = 0; i < 64; i++)
			used |= (uint64_t)(labels[i] != 0) << i;
		s->by_id.used[word] = used;
	}
}

uint32_t delta_adler32(const struct delta *s)
{
	return s->adler_b << 16 | s->adler_a;
}

void delta_used_ids(const struct delta *s, uint64_t used[4])
{
	assert(!s->wide);
	memcpy(used, s->by_id.used, sizeof(s->by_id.used));
}

/* Appends the row of an id, and clears its counters for the next image. */
static void end_id(struct delta *s, uint32_t id, struct label_stats *stats, struct batch *batch)
{
	const struct delta_id *from = &s->by_id.ids[id];
	struct id_stats *row = image_end_id(stats, batch, id);

	memset(row, 0, sizeof(*row));
	row->id = id;
	row->labels = (uint64_t)s->by_id.labels[id];
#pragma GCC unroll 16
	for (unsigned kind = 0; kind < SHORT_KINDS; kind++) {
		uint64_t runs = (uint64_t)from->runs[kind];
		enum line line = kind & SHORT_COLUMN ? LINE_COLUMN : LINE_ROW;

		row->thin += kind & SHORT_SINGLE ? runs : 2 * runs;
		row->lone[line] += kind & SHORT_LONE ? runs : 0;
		row->between[line] += kind & SHORT_BETWEEN ? runs : 0;
	}
	row->first_index = NO_INDEX;
	if (s->by_id.roles[id] == ID_INVALID) {
		row->first_index = from->first - 1;
		row->x0 = from->x0;
		row->y0 = from->y0;
		row->x1 = from->x1;
		row->y1 = from->y1;
	}
	s->by_id.labels[id] = 0;
	memset(&s->by_id.ids[id], 0, sizeof(s->by_id.ids[id]));
}

void delta_finish(struct delta *s, struct label_stats *stats, struct batch *batch)
{
	assert(s->y == s->height);
	image_end(stats, batch, s->width, s->height, &s->sums);
	uint64_t *used = s->wide ? s->by_id.seen : s->by_id.used;

	for (uint32_t word = 0; word < (s->wide ? IDS_16 : IDS_8) / 64; word++) {
		for (uint64_t bits = used[word]; bits; bits &= bits - 1)
			end_id(s, word * 64 + (uint32_t)__builtin_ctzll(bits), stats, batch);
		used[word] = 0;
	}
	s->unfinished = false;
}
