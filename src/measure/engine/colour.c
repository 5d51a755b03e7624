#include "measure/engine/colour.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

enum {
	/* Open addressing stays short at half load. */
	TABLE_BITS = 13,
	TABLE_SLOTS = 1 << TABLE_BITS,
};
_Static_assert(TABLE_SLOTS == 2 * COLOURS_MAX, "half load");

/* 2^64 divided by the golden ratio: Fibonacci hashing. */
#define HASH_MULTIPLY UINT64_C(0x9e3779b97f4a7c15)

typedef uint64_t quads __attribute__((vector_size(16)));

/*
 * Pixels are the bytes of the file: 16-bit samples are big-endian. With 2 or 4 channels the last one is alpha, which is
 * not counted.
 */
struct pixel_kind {
	unsigned channels, colours; /* colours: channels without alpha */
	bool deep;                  /* samples of 16 bits */
	size_t bytes;               /* of a pixel */
};

static struct pixel_kind pixel_kind_of(unsigned channels, bool deep)
{
	return (struct pixel_kind){ channels, channels % 2 ? channels : channels - 1, deep,
				    channels * (deep ? 2u : 1u) };
}

/* Counts of pixels by what each is by itself, for struct channel_stats (label_stats.h). */
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

struct table_slot {
	uint64_t key; /* plus 1; 0: free */
	uint64_t pixels;
};

struct colour_measurer {
	uint32_t width, height;
	uint32_t repeats; /* of the last row, which is not counted yet */
	struct pixel_kind kind;
	/*
	 * A key is the bytes of the colour samples in the file, out of eight that are loaded; of 16-bit samples only
	 * the high bytes, once there are too many colours.
	 */
	uint64_t key_mask;
	struct table_slot *table;   /* TABLE_SLOTS; owned */
	uint16_t used[COLOURS_MAX]; /* slots */
	uint32_t used_count;
	bool cut;     /* there are more than COLOURS_MAX colours */
	bool by_rows; /* the facts are counted row by row */
	uint32_t peak, alpha_min, alpha_max;
	struct pixel_facts sum; /* if by_rows: of all rows so far */
};

/* ---- single pixels ---------------------------------------------------------------------------------------------- */

/* Returns the highest bit of each lane of v that is not zero. high: the highest bits of all lanes. */
static inline uint64_t not_zero(uint64_t v, uint64_t high)
{
	return (((v & ~high) + ~high) | v) & high;
}

/* Counts a pixel without branches, with each sample in a lane of a word. */
static inline void count_pixel(struct pixel_facts *c, const uint8_t *pixel, unsigned colours, bool deep, uint32_t peak)
{
	const unsigned bits = deep ? 16 : 8;
	const uint64_t mask = UINT64_MAX >> (64 - bits * colours), ones = mask / ((UINT64_C(1) << bits) - 1);
	const uint64_t high = ones << (bits - 1);
	uint64_t v = 0, peaks = ones * peak;

	for (unsigned i = 0; i < colours; i++)
		v |= (uint64_t)pixel_sample(pixel + (deep ? 2 : 1) * i, deep) << bits * i;
	uint64_t positive = not_zero(v, high), not_peak = not_zero(v ^ peaks, high);

	c->unequal += v != (v & (mask / ones)) * ones;
	c->one_hot += (positive != 0) & !(positive & (positive - 1));
	c->blank += positive == 0;
	c->pure += (positive != 0) & !(positive & not_peak);
}

static inline __attribute__((always_inline)) uint32_t peak_of_run(const uint8_t *p, size_t n, unsigned channels,
								  bool deep)
{
	uint32_t peak = 0;

	for (size_t i = 0; i < n; i++, p += channels * (deep ? 2 : 1))
		for (unsigned c = 0; c < (channels % 2 ? channels : channels - 1); c++)
			peak = MAX(peak, pixel_sample(p + (deep ? 2 : 1) * c, deep));
	return peak;
}

static inline __attribute__((always_inline)) void count_run(struct pixel_facts *c, const uint8_t *p, size_t n,
							    unsigned channels, bool deep, uint32_t peak)
{
	for (size_t i = 0; i < n; i++, p += channels * (deep ? 2 : 1))
		count_pixel(c, p, channels % 2 ? channels : channels - 1, deep, peak);
}

/* Calls an inline function with constants, so that each kind of pixel has a loop of its own. */
#define EACH_KIND(kind, call)           \
	switch ((kind)->bytes) {        \
	case 3:                         \
		call(3, false);         \
		break;                  \
	case 6:                         \
		call(3, true);          \
		break;                  \
	case 8:                         \
		call(4, true);          \
		break;                  \
	case 2:                         \
		call(2, false);         \
		break;                  \
	default:                        \
		if ((kind)->deep)       \
			call(2, true);  \
		else                    \
			call(4, false); \
		break;                  \
	}

/* Counts n pixels; `peak` is the largest colour sample of the image. */
static struct pixel_facts pixel_facts_of(const struct pixel_kind *kind, const uint8_t *pixels, size_t n, uint32_t peak)
{
	struct pixel_facts c = { 0 };

#define COUNT(channels, deep) count_run(&c, pixels, n, channels, deep, peak)
	EACH_KIND(kind, COUNT)
#undef COUNT
	return c;
}

/* Returns the largest colour sample of n pixels. */
static uint32_t pixels_peak(const struct pixel_kind *kind, const uint8_t *pixels, size_t n)
{
	uint32_t peak = 0;

#define PEAK(channels, deep) peak = peak_of_run(pixels, n, channels, deep)
	EACH_KIND(kind, PEAK)
#undef PEAK
	return peak;
}

/* Adds `more` `times` times, modulo 2^64, so that -n subtracts it n times. */
static void pixel_facts_add(struct pixel_facts *to, const struct pixel_facts *more, uint64_t times)
{
	to->unequal += times * more->unequal;
	to->one_hot += times * more->one_hot;
	to->blank += times * more->blank;
	to->pure += times * more->pure;
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

struct colour_measurer *colour_measurer_new(void)
{
	struct colour_measurer *m = xcalloc(1, sizeof(*m));

	m->table = xcalloc(TABLE_SLOTS, sizeof(*m->table));
	return m;
}

void colour_measurer_free(struct colour_measurer *m)
{
	if (!m)
		return;
	free(m->table);
	free(m);
}

static void forget_colours(struct colour_measurer *m)
{
	for (uint32_t i = 0; i < m->used_count; i++)
		m->table[m->used[i]] = (struct table_slot){ 0 };
	m->used_count = 0;
}

/* Returns a mask of n of the bytes of a word, in the order of memory: the first one and every `step`-th after it. */
static inline uint64_t mask_of_bytes(size_t n, size_t step)
{
	uint64_t mask;
	uint8_t bytes[8] = { 0 };

	for (size_t i = 0; i < n; i++)
		bytes[i * step] = 0xff;
	memcpy(&mask, bytes, sizeof(mask));
	return mask;
}

void colour_measurer_begin(struct colour_measurer *m, const struct png_header *png)
{
	assert(png->channels >= 2 && png->channels <= 4);
	m->width = png->width;
	m->height = png->height;
	m->repeats = 0;
	m->kind = pixel_kind_of(png->channels, png->bit_depth == 16);
	m->key_mask = mask_of_bytes((size_t)m->kind.colours * (m->kind.deep ? 2 : 1), 1);
	forget_colours(m);
	m->cut = m->by_rows = false;
	m->peak = m->alpha_max = 0;
	m->alpha_min = UINT32_MAX;
	m->sum = (struct pixel_facts){ 0 };
}

bool rows_differ(const uint8_t *row, const uint8_t *prior, size_t n, size_t *from, size_t *to)
{
	size_t at = *to;

	for (; n - at >= ROWS_DIFFER_BYTES; at += ROWS_DIFFER_BYTES) {
		quads a[ROWS_DIFFER_BYTES / 16], b[ROWS_DIFFER_BYTES / 16];

		memcpy(a, row + at, sizeof(a));
		memcpy(b, prior + at, sizeof(b));
		quads differ = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]);

		if (differ[0] | differ[1]) {
			*from = at;
			*to = at + ROWS_DIFFER_BYTES;
			return true;
		}
	}
	*from = at;
	*to = n;
	return at < n && memcmp(row + at, prior + at, n - at) != 0;
}

static inline uint64_t load_pixel(const uint8_t *p)
{
	uint64_t pixel;

	memcpy(&pixel, p, sizeof(pixel));
	return pixel;
}

/* Computes the facts of all pixels from how often the colours occur. */
static struct pixel_facts counts_of_colours(struct colour_measurer *m)
{
	struct pixel_facts c = { 0 };

	for (uint32_t i = 0; i < m->used_count; i++) {
		uint64_t key = m->table[m->used[i]].key - 1;

		m->peak = MAX(m->peak, pixels_peak(&m->kind, (const uint8_t *)&key, 1));
	}
	for (uint32_t i = 0; i < m->used_count; i++) {
		const struct table_slot *slot = &m->table[m->used[i]];
		uint64_t key = slot->key - 1;

		struct pixel_facts one = pixel_facts_of(&m->kind, (const uint8_t *)&key, 1, m->peak);

		pixel_facts_add(&c, &one, slot->pixels);
	}
	return c;
}

/* Returns the slot of a colour, or NULL if there are too many. */
static inline struct table_slot *find_slot(struct colour_measurer *m, uint64_t key)
{
	size_t at = (size_t)(key * HASH_MULTIPLY >> (64 - TABLE_BITS));

	while (m->table[at].key != key + 1) {
		if (!m->table[at].key) {
			if (m->used_count == COLOURS_MAX)
				return NULL;
			m->used[m->used_count++] = (uint16_t)at;
			m->table[at].key = key + 1;
			break;
		}
		at = (at + 1) % TABLE_SLOTS;
	}
	return &m->table[at];
}

/* Merges colours that differ only in the low bytes of 16-bit samples, and uses the high bytes from now on. */
static void shorten_keys(struct colour_measurer *m)
{
	FREED struct table_slot *full = xmalloc(COLOURS_MAX * sizeof(*full));
	uint32_t n = m->used_count;

	for (uint32_t i = 0; i < n; i++)
		full[i] = m->table[m->used[i]];
	forget_colours(m);
	m->key_mask = mask_of_bytes(m->kind.colours, 2); /* the high byte comes first */
	for (uint32_t i = 0; i < n; i++) {
		struct table_slot *slot = find_slot(m, (full[i].key - 1) & m->key_mask);

		assert(slot); /* there are no more than before */
		slot->pixels += full[i].pixels;
	}
}

/*
 * Handles a colour too many: from this row on, facts are counted row by row, so the share of this row is taken back
 * from what was counted: its first x pixels, `times` times.
 */
static void too_many(struct colour_measurer *m, const uint8_t *row, size_t x, uint32_t times)
{
	if (!m->by_rows) {
		m->by_rows = true;
		m->sum = counts_of_colours(m);
		const struct pixel_facts now = pixel_facts_of(&m->kind, row, x, m->peak);

		pixel_facts_add(&m->sum, &now, -(uint64_t)times);
		if (m->kind.deep) {
			shorten_keys(m);
			return;
		}
	}
	m->cut = true;
	forget_colours(m);
}

/* Adds the n pixels of one colour from x on. */
static inline __attribute__((always_inline)) void add_run(struct colour_measurer *m, const uint8_t *row, uint64_t key,
							  size_t x, size_t n, uint32_t times)
{
	if (m->kind.channels != m->kind.colours) {
		uint32_t alpha =
			pixel_sample((const uint8_t *)&key + m->kind.colours * (m->kind.deep ? 2 : 1), m->kind.deep);

		m->alpha_min = MIN(m->alpha_min, alpha);
		m->alpha_max = MAX(m->alpha_max, alpha);
	}
	while (!m->cut) {
		struct table_slot *slot = find_slot(m, key & m->key_mask);

		if (slot) {
			slot->pixels += (uint64_t)n * times;
			return;
		}
		too_many(m, row, x, times);
	}
}

/* Adds the colours of a row. It is inlined for each size of a pixel. */
static inline __attribute__((always_inline)) void add_colours(struct colour_measurer *m, const uint8_t *row,
							      uint32_t times, size_t bpp)
{
	const uint64_t mask = mask_of_bytes(bpp, 1);
	const size_t bytes = (m->width - 1) * bpp;
	size_t start = 0, x = 0, from, to = 0;

	/* runs end where a pixel differs from the next one; one that lies in two pieces belongs to the first */
	while (rows_differ(row, row + bpp, bytes, &from, &to)) {
		for (x = MAX(x, from / bpp); x * bpp < to; x++) {
			const uint64_t here = load_pixel(row + x * bpp) & mask;

			if (here == (load_pixel(row + (x + 1) * bpp) & mask))
				continue;
			add_run(m, row, here, start, x + 1 - start, times);
			start = x + 1;
		}
	}
	add_run(m, row, load_pixel(row + start * bpp) & mask, start, m->width - start, times);
}

/* Adds a row that occurs `times` times. */
static void add_row(struct colour_measurer *m, const uint8_t *row, uint32_t times)
{
	if (!m->cut || m->kind.channels != m->kind.colours) {
		switch (m->kind.bytes) {
		case 2:
			add_colours(m, row, times, 2);
			break;
		case 3:
			add_colours(m, row, times, 3);
			break;
		case 4:
			add_colours(m, row, times, 4);
			break;
		case 6:
			add_colours(m, row, times, 6);
			break;
		default:
			add_colours(m, row, times, 8);
			break;
		}
	}
	if (m->by_rows) {
		uint32_t peak = pixels_peak(&m->kind, row, m->width);

		if (peak > m->peak) {
			m->peak = peak;
			m->sum.pure = 0;
		}
		const struct pixel_facts facts = pixel_facts_of(&m->kind, row, m->width, m->peak);

		pixel_facts_add(&m->sum, &facts, times);
	}
}

void colour_measurer_add(struct colour_measurer *m, const uint8_t *prior)
{
	if (prior)
		add_row(m, prior, m->repeats);
	m->repeats = 1;
}

void colour_measurer_repeat(struct colour_measurer *m)
{
	m->repeats++;
}

/* Returns 0xRRGGBB, from the high bytes. */
static int64_t colour_of_key(const struct colour_measurer *m, uint64_t key)
{
	const uint8_t *p = (const uint8_t *)&key;
	unsigned step = m->kind.deep ? 2 : 1;

	return m->kind.colours == 1 ? p[0] * INT64_C(0x010101) : (int64_t)p[0] << 16 | p[step] << 8 | p[2 * step];
}

/* Fills the rows of all colours, sorted; those that differ only in the low bytes become one. Returns how many. */
static size_t colour_rows(const struct colour_measurer *m, struct id_stats *rows)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->used_count; i++) {
		const struct table_slot *slot = &m->table[m->used[i]];

		rows[i] = (struct id_stats){ .id = colour_of_key(m, slot->key - 1),
					     .labels = slot->pixels,
					     .first_index = NO_INDEX };
	}
	id_stats_sort(rows, m->used_count);
	for (uint32_t i = 0; i < m->used_count; i++) {
		if (n && rows[n - 1].id == rows[i].id)
			rows[n - 1].labels += rows[i].labels;
		else
			rows[n++] = rows[i];
	}
	return n;
}

void colour_measurer_end(struct colour_measurer *m, const uint8_t *last, struct label_stats *stats, struct batch *batch)
{
	struct channel_stats *facts = &stats->channels;

	add_row(m, last, m->repeats);
	if (!m->by_rows)
		m->sum = counts_of_colours(m);
	memset(stats, 0, sizeof(*stats));
	stats->width = m->width;
	stats->height = m->height;
	stats->colours = 1;
	facts->pixels = (uint64_t)m->width * m->height;
	facts->unequal_pixels = m->sum.unequal;
	facts->one_hot_pixels = m->sum.one_hot;
	facts->blank_pixels = m->sum.blank;
	facts->mixed_pixels = facts->pixels - m->sum.blank - m->sum.pure;
	facts->peak = m->peak;
	if (m->kind.channels != m->kind.colours) {
		facts->alpha_min = m->alpha_min;
		facts->alpha_max = m->alpha_max;
	}
	facts->colours_cut = m->cut;
	stats->ids_at = batch->ids_count;
	if (m->cut)
		return;
	stats->ids_count = colour_rows(m, batch_add_ids(batch, m->used_count));
	batch->ids_count -= m->used_count - stats->ids_count;
}
