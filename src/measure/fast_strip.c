/* What of the strip does not depend on an instruction set: memory, begin and end of an image, Adler-32. */
#include "measure/fast_strip.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	IDS_8 = 256,
	IDS_16 = 65536,
};

const struct strip_code *const strip_codes[] = {
#if defined(__x86_64__)
	&strip_avx512,
	&strip_avx2,
#endif
	&strip_plain,
};
const size_t strip_codes_count = ARRAY_SIZE(strip_codes);

const struct strip_code *strip_best_code(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(strip_codes); i++)
		if (strip_codes[i]->usable())
			return strip_codes[i];
	return &strip_plain; /* always usable */
}

static void *aligned_try(size_t n)
{
	void *p = NULL;

	return posix_memalign(&p, 64, n) ? NULL : p;
}

static void grow_ids(struct strip *s, size_t n)
{
	if (n <= s->ids_cap)
		return;
	free(s->labels);
	free(s->ids);
	s->labels = xcalloc(n, sizeof(*s->labels));
	s->ids = xcalloc(n, sizeof(*s->ids));
	s->ids_cap = n;
	if (n == IDS_16 && !s->seen)
		s->seen = xcalloc(IDS_16 / 64, sizeof(*s->seen));
}

struct strip *strip_new(const struct class_set *classes)
{
	struct strip *s = aligned_try((sizeof(*s) + 63) / 64 * 64);

	if (!s)
		s = xmalloc(SIZE_MAX); /* reports and ends */
	memset(s, 0, sizeof(*s));
	s->roles = classes->dense;
	for (unsigned id = 0; id < IDS_8; id++)
		s->invalid[id] = s->roles[id] == ID_INVALID ? 0xff : 0;
	grow_ids(s, IDS_8);
	s->columns = xmalloc(STRIP_WEIGHTS * sizeof(*s->columns));
	s->rows = xmalloc(STRIP_WEIGHTS * sizeof(*s->rows));
	for (uint32_t i = 0; i < STRIP_WEIGHTS; i++) {
		s->columns[i] = content_column(i);
		s->rows[i] = content_rows(i, 0);
	}
	return s;
}

static void free_rows(struct strip *s)
{
	free(s->current);
	free(s->past);
	free(s->closed);
	free(s->next);
	free(s->changed);
	free(s->todo);
	free(s->marked);
	free(s->blocks_memory);
	s->current = s->past = s->closed = s->next = NULL;
	s->changed = s->todo = s->marked = NULL;
	s->blocks_memory = s->blocks = NULL;
	s->blocks_cap = 0;
}

void strip_free(struct strip *s)
{
	if (!s)
		return;
	free_rows(s);
	free(s->labels);
	free(s->ids);
	free(s->seen);
	free(s->columns);
	free(s->rows);
	free(s);
}

/* Rows are sized for 16-bit ids: a row is small beside the image. */
static bool grow_rows(struct strip *s, size_t blocks)
{
	if (blocks <= s->blocks_cap)
		return true;
	size_t row = STRIP_FRONT + blocks * STRIP_BLOCK * 2 + STRIP_SLACK,
	       words = STRIP_WORDS(blocks) * sizeof(uint64_t);

	free_rows(s);
	s->current = aligned_try(row);
	s->past = aligned_try(row);
	s->closed = aligned_try(row);
	s->next = aligned_try(row);
	s->changed = aligned_try(words);
	s->todo = aligned_try(words);
	s->marked = aligned_try(words);
	s->blocks_memory = aligned_try((blocks + 1) * sizeof(*s->blocks));
	if (!s->current || !s->past || !s->closed || !s->next || !s->changed || !s->todo || !s->marked ||
	    !s->blocks_memory) {
		free_rows(s);
		return false;
	}
	memset(s->blocks_memory, 0, sizeof(*s->blocks_memory));
	s->blocks = s->blocks_memory + 1;
	memset(s->past, 0, row);
	memset(s->next, 0, row);
	s->blocks_cap = blocks;
	return true;
}

bool strip_begin(struct strip *s, uint32_t width, uint32_t height, bool wide)
{
	size_t blocks = width / STRIP_BLOCK + 1, pixel = wide ? 2 : 1;
	unsigned rest = width % STRIP_BLOCK;

	assert(width > 0 && width <= STRIP_WIDTH_MAX && height > 0);
	if (!grow_rows(s, blocks))
		return false;
	if (wide && s->ids_cap < IDS_16)
		grow_ids(s, IDS_16);
	if (s->unfinished) {
		memset(s->labels, 0, s->ids_cap * sizeof(*s->labels));
		memset(s->ids, 0, s->ids_cap * sizeof(*s->ids));
		if (s->seen)
			memset(s->seen, 0, IDS_16 / 8);
	}
	s->unfinished = true;
	s->width = width;
	s->height = height;
	s->y = 0;
	s->wide = wide;
	s->blocks_count = blocks;

	/* Above row 0 lies a row of zeros (PNG specification, 9.2), of which every counter is zero too. */
	memset(s->current, 0, STRIP_FRONT + (blocks * STRIP_BLOCK + STRIP_BLOCK) * pixel);
	memset(s->changed, 0, STRIP_WORDS(blocks) * sizeof(uint64_t));
	memset(s->todo, 0, STRIP_WORDS(blocks) * sizeof(uint64_t));
	memset(s->blocks, 0, blocks * sizeof(*s->blocks));
	for (size_t b = 0; b < blocks; b++)
		s->blocks[b].inner = UINT64_MAX;
	s->blocks[blocks - 1].inner = (UINT64_C(1) << rest) - 1;
	s->blocks[blocks - 1].end = UINT64_C(1) << rest;
	s->blocks[0].inner &= ~UINT64_C(1);
	memset(s->tail, 0, sizeof(s->tail));
	memset(s->tail, 0xff, rest * pixel);

	memset(s->edges, 0, sizeof(s->edges));
	memset(s->wide_edges, 0, sizeof(s->wide_edges));
	memset(s->long_between, 0, sizeof(s->long_between));
	s->queues.changes = s->queues.come.count = s->queues.gone.count = s->queues.columns.count = 0;
	s->queues.first_row = 0;
	s->bogus_pixels = 0;
	memset(&s->worst, 0, sizeof(s->worst));
	s->row_counts = s->row_bogus = 0;
	memset(s->content, 0, sizeof(s->content));
	memset(s->row_content, 0, sizeof(s->row_content));
	memset(s->adler_sum, 0, sizeof(s->adler_sum));
	memset(s->adler_weighted, 0, sizeof(s->adler_weighted));
	s->row_sums = false;
	return true;
}

void strip_repeat(struct strip *s)
{
	assert(s->y > 0);
	strip_count_row(s);
}

uint32_t strip_adler32(const struct strip *s)
{
	/* RFC 1950: a = 1 + sum, b = n * 1 + each byte times the bytes from it to the end. */
	uint64_t n = (uint64_t)s->height * (s->width + 1);
	uint64_t a = 1, b = n;

	for (unsigned i = 0; i < STRIP_LANES; i++) {
		a = (a + s->adler_sum[i]) % ADLER_MODULUS;
		b = (b + s->adler_weighted[i] % ADLER_MODULUS) % ADLER_MODULUS;
	}
	return (uint32_t)(b << 16 | a);
}

void strip_used(const struct strip *s, uint64_t used[4])
{
	assert(!s->wide);
	for (unsigned id = 0; id < IDS_8; id++)
		used[id / 64] |= (uint64_t)(s->labels[id] != 0) << id % 64;
}

static void finish_id(struct strip *s, uint32_t id, struct label_stats *stats, struct batch *batch)
{
	const struct strip_id *from = &s->ids[id];
	struct id_stats *row = batch_add_ids(batch, 1);

	memset(row, 0, sizeof(*row));
	row->id = id;
	row->labels = (uint64_t)s->labels[id];
	for (unsigned kind = 0; kind < SHORT_KINDS; kind++) {
		uint64_t runs = (uint64_t)from->runs[kind];
		enum line line = kind & SHORT_COLUMN ? LINE_COLUMN : LINE_ROW;

		row->thin += kind & SHORT_SINGLE ? runs : 2 * runs;
		row->lone[line] += kind & SHORT_LONE ? runs : 0;
		row->between[line] += kind & SHORT_BETWEEN ? runs : 0;
	}
	row->first_index = NO_INDEX;
	if (s->roles[id] == ID_INVALID) {
		row->first_index = from->first - 1;
		row->x0 = from->x0;
		row->y0 = from->y0;
		row->x1 = from->x1;
		row->y1 = from->y1;
	}
	if (stats->ids_count++ == 0)
		stats->min = id;
	stats->max = id;
	s->labels[id] = 0;
	memset(&s->ids[id], 0, sizeof(s->ids[id]));
}

void strip_finish(struct strip *s, struct label_stats *stats, struct batch *batch)
{
	assert(s->y == s->height);
	stats->labels = (uint64_t)s->width * s->height;
	stats->width = s->width;
	stats->height = s->height;
	stats->colours = 0;
	stats->neighbours = STRIP_NEIGHBOURS;
	stats->ids_at = batch->ids_count;
	stats->ids_count = 0;
	if (s->wide) {
		for (uint32_t word = 0; word < IDS_16 / 64; word++) {
			for (uint64_t bits = s->seen[word]; bits; bits &= bits - 1)
				finish_id(s, word * 64 + (uint32_t)__builtin_ctzll(bits), stats, batch);
			s->seen[word] = 0;
		}
	} else {
		for (uint32_t id = 0; id < IDS_8; id++)
			if (s->labels[id])
				finish_id(s, id, stats, batch);
	}
	memcpy(stats->edges, s->edges, sizeof(s->edges));
	memcpy(stats->wide_edges, s->wide_edges, sizeof(s->wide_edges));
	memcpy(stats->long_between, s->long_between, sizeof(s->long_between));
	stats->bogus_pixels = s->bogus_pixels;
	memcpy(stats->content, s->content, sizeof(s->content));
	stats->worst = s->worst;
	s->unfinished = false;
}
