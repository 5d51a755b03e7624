#include "fix/mask_deflate.h"

#include <assert.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/differing.h"
#include "base/mem.h"
#include "fix/deflate_blocks.h"

/*
 * Prices, in parts of a bit. Measured on masks of eight sets: what a symbol takes on average once its block has codes
 * of its own; and what the bytes that follow a match will take, which is judged by the runs that are left.
 */
enum {
	BIT = 256,
	LITERAL_PRICE = 4 * BIT,
	LENGTH_PRICE = 5 * BIT, /* beside its extra bits, as below */
	LONGEST_PRICE = 5 * BIT / 2,
	LEFT_PRICE = 1 * BIT,      /* a pixel */
	ABOVE_PRICE = 3 * BIT / 2, /* a row */
	ELSEWHERE_PRICE = 7 * BIT,
	RUN_WORTH = 9 * BIT, /* a run that begins among the bytes of a match: one symbol or two are saved */
	BYTE_WORTH = 3,
	REST_PRICE = 7 * BIT, /* a match that ends within a run: another one takes the rest of it */
};

enum {
	HASH_BITS = 12,
	HASHED_BYTES = 8,
	WORD = 64,        /* bytes that are compared at a time */
	LIKE_UP_TO = 128, /* bytes that the row above matches; with more nothing else is looked for */
	SURE_RUNS = 3,    /* begin within a word that the row above matches: nothing is worth more */
};
_Static_assert((int)MASK_DEFLATE_AFTER >= (int)WORD, "a word is read after the last byte");

struct mask_deflate {
	struct deflate_blocks blocks;
	uint32_t last[1 << HASH_BITS]; /* by the hash of the bytes there: where a run began, plus 1 */
	const uint8_t *rows;
	size_t pixel, line, bytes;
};

struct mask_deflate *mask_deflate_new(void)
{
	return xcalloc(1, sizeof(struct mask_deflate));
}

void mask_deflate_free(struct mask_deflate *m)
{
	free(m);
}

/* ---- matches ----------------------------------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* The next symbol: a literal (length 1, distance 0) or a match. */
struct step {
	unsigned length, distance;
	int worth;
};

/* Returns the bits of the first n places. */
INLINE uint64_t first_bits(unsigned n)
{
	return n < WORD ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Returns a bit for each byte of the word that differs from that of the pixel before, and for the end of the rows. */
INLINE uint64_t starts_from(const struct mask_deflate *m, size_t at, differing64_fn *differing)
{
	uint64_t starts = differing(m->rows + at, m->rows + at - m->pixel);
	size_t left = m->bytes - at;

	if (__builtin_expect(at < m->pixel, 0))
		starts |= first_bits((unsigned)(m->pixel - at));
	if (__builtin_expect(left < WORD, 0))
		starts = (starts & first_bits((unsigned)left)) | UINT64_C(1) << left;
	return starts;
}

/* Returns how many bytes equal those `distance` before, at most `most`; the first `equal` of them do. */
INLINE unsigned match_length(const struct mask_deflate *m, size_t at, size_t distance, unsigned equal, unsigned most,
			     differing64_fn *differing)
{
	for (unsigned i = equal; i < most; i += WORD) {
		uint64_t bits = differing(m->rows + at + i, m->rows + at + i - distance);

		if (bits)
			return MIN(i + (unsigned)__builtin_ctzll(bits), most);
	}
	return most;
}

/* Returns what a symbol is worth. starts: of the word that it begins; price: of its codes. */
INLINE int worth(const struct mask_deflate *m, size_t at, unsigned length, int price, uint64_t starts,
		 differing64_fn *differing)
{
	unsigned i = 0;
	int runs = 0;

	for (; i + WORD <= length; i += WORD) {
		runs += __builtin_popcountll(starts);
		starts = starts_from(m, at + i + WORD, differing);
	}
	runs += __builtin_popcountll(starts & first_bits(length - i));
	starts >>= length - i;
	int rest = starts ? __builtin_ctzll(starts) : WORD;

	return BYTE_WORTH * (int)length + RUN_WORTH * runs - price -
	       MIN(rest * LITERAL_PRICE, REST_PRICE + rest * BYTE_WORTH);
}

INLINE int match_price(unsigned length, size_t distance, int distance_price)
{
	int price =
		length == DEFLATE_MATCH_MAX ? LONGEST_PRICE : LENGTH_PRICE + BIT * (int)deflate_length_extra(length);

	return price + distance_price + BIT * (int)deflate_distance_extra((unsigned)distance);
}

/* Takes the match instead of the best step so far if it is worth more. */
INLINE void consider(const struct mask_deflate *m, size_t at, unsigned length, size_t distance, int distance_price,
		     uint64_t starts, struct step *best, differing64_fn *differing)
{
	if (length < DEFLATE_MATCH_MIN)
		return;
	int is_worth = worth(m, at, length, match_price(length, distance, distance_price), starts, differing);

	if (is_worth > best->worth)
		*best = (struct step){ length, (unsigned)distance, is_worth };
}

/* Enters the start of a run. Returns where the last one began that was like it, plus 1; or 0. */
INLINE uint32_t replace_like(struct mask_deflate *m, size_t start)
{
	uint64_t bytes;

	_Static_assert(sizeof(bytes) == HASHED_BYTES, "a word");
	memcpy(&bytes, m->rows + start - 1, sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	uint32_t *last = &m->last[bytes * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)], like = *last;

	*last = (uint32_t)start + 1;
	return like;
}

/* Considers a match that goes on over the end of the run as an earlier one did. */
INLINE void consider_like(const struct mask_deflate *m, size_t at, unsigned run_end, size_t distance, uint64_t starts,
			  struct step *best, differing64_fn *differing)
{
	const unsigned most = (unsigned)MIN((size_t)DEFLATE_MATCH_MAX, m->bytes - at);

	if (!distance || distance > MIN(at, (size_t)DEFLATE_WINDOW) || distance == m->pixel || distance == m->line)
		return;
	unsigned length = match_length(m, at, distance, 0, most, differing);

	if (length > run_end)
		consider(m, at, length, distance, ELSEWHERE_PRICE, starts, best, differing);
}

INLINE struct step choose(struct mask_deflate *m, size_t at, differing64_fn *differing)
{
	const unsigned most = (unsigned)MIN((size_t)DEFLATE_MATCH_MAX, m->bytes - at);
	const uint64_t starts = starts_from(m, at, differing);
	const uint64_t later = starts & ~UINT64_C(1);
	unsigned run_end = later ? MIN((unsigned)__builtin_ctzll(later), most)
				 : match_length(m, at, m->pixel, WORD, most, differing);
	unsigned left = starts & 1 ? 0 : run_end, above = 0;

	if (left == DEFLATE_MATCH_MAX)
		return (struct step){ left, (unsigned)m->pixel, 0 };
	if (at >= m->line && m->line <= DEFLATE_WINDOW)
		above = match_length(m, at, m->line, 0, most, differing);
	uint32_t like = run_end < most ? replace_like(m, at + run_end) : 0;

	if (above >= WORD && __builtin_popcountll(starts) >= SURE_RUNS)
		return (struct step){ above, (unsigned)m->line, 0 };

	struct step best = { 1, 0, worth(m, at, 1, LITERAL_PRICE, starts, differing) };

	consider(m, at, left, m->pixel, LEFT_PRICE, starts, &best, differing);
	if (above > left)
		consider(m, at, above, m->line, ABOVE_PRICE, starts, &best, differing);
	if (above < LIKE_UP_TO && like)
		consider_like(m, at, run_end, at + run_end + 1 - like, starts, &best, differing);
	return best;
}

/* Adds all symbols. Returns how many they are. */
INLINE uint64_t add_symbols(struct mask_deflate *m, differing64_fn *differing)
{
	uint64_t symbols = 0;

	for (size_t at = 0; at < m->bytes; symbols++) {
		struct step step = choose(m, at, differing);

		if (step.distance)
			deflate_match(&m->blocks, step.length, step.distance);
		else
			deflate_literal(&m->blocks, m->rows[at]);
		at += step.length;
	}
	return symbols;
}

DIFFERING_WIDE static uint64_t add_symbols_wide(struct mask_deflate *m)
{
	return add_symbols(m, differing64_wide);
}

static uint64_t add_symbols_narrow(struct mask_deflate *m)
{
	return add_symbols(m, differing64);
}

void mask_deflate(struct mask_deflate *m, const uint8_t *rows, size_t pixel, size_t line, size_t bytes,
		  struct strbuf *out, uint64_t *symbols)
{
	static const uint8_t header[] = { 0x78, 0xda }; /* the window of 32 KiB, the best compression */
	uint32_t adler = libdeflate_adler32(1, rows, bytes);

	assert(pixel <= MASK_DEFLATE_BEFORE && bytes <= UINT32_MAX - 1);
	m->rows = rows;
	m->pixel = pixel;
	m->line = line;
	m->bytes = bytes;
	memset(m->last, 0, sizeof(m->last));
	strbuf_add(out, header, sizeof(header));
	deflate_begin(&m->blocks, out);
	*symbols = differing_is_wide() ? add_symbols_wide(m) : add_symbols_narrow(m);
	deflate_end(&m->blocks);
	const uint8_t trailer[] = { (uint8_t)(adler >> 24), (uint8_t)(adler >> 16), (uint8_t)(adler >> 8),
				    (uint8_t)adler };

	strbuf_add(out, trailer, sizeof(trailer));
}
