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
	REST_AHEAD = 1024,    /* bytes that are looked through for the end of that run */
};

enum {
	HASH_BITS = 12,
	HASHED_BYTES = 8,
	LIKE_UP_TO = 128, /* bytes that the row above matches; with more nothing else is looked for */
	PIECE = 1 << 17,  /* bytes whose runs and changes are listed at a time */
	LISTED = PIECE + DEFLATE_MATCH_MAX + REST_AHEAD,
};

/* Positions in ascending order; after the last one comes the end of what is listed. */
struct positions {
	uint32_t v[LISTED + 64 + 1];
	size_t next; /* the first that is not before the current byte */
};

struct mask_deflate {
	struct deflate_blocks blocks;
	struct positions starts;       /* bytes that differ from that of the pixel before */
	struct positions changes;      /* bytes that differ from the one above */
	uint32_t last[1 << HASH_BITS]; /* by the hash of the bytes there: where a run began, plus 1 */
	const uint8_t *rows;
	size_t pixel, line, bytes;
	size_t listed; /* bytes before it are in the lists */
};

struct mask_deflate *mask_deflate_new(void)
{
	return xcalloc(1, sizeof(struct mask_deflate));
}

void mask_deflate_free(struct mask_deflate *m)
{
	free(m);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void list_all(const uint8_t *rows, struct positions *list, size_t from,
							   size_t to, size_t distance, differing64_fn *differing)
{
	size_t n = 0;

	for (size_t at = from; at < to; at += 64) {
		uint64_t bits = differing(rows + at, rows + at - distance);

		for (; bits; bits &= bits - 1)
			list->v[n++] = (uint32_t)(at + (unsigned)__builtin_ctzll(bits));
	}
	while (n && list->v[n - 1] >= to)
		n--;
	list->v[n] = (uint32_t)to;
	list->next = 0;
}

DIFFERING_WIDE static void list_wide(const uint8_t *rows, struct positions *list, size_t from, size_t to,
				     size_t distance)
{
	list_all(rows, list, from, to, distance, differing64_wide);
}

/* Lists the bytes from `from` up to `to` that differ from the one `distance` before. */
static void list_differing(const uint8_t *rows, struct positions *list, size_t from, size_t to, size_t distance)
{
	if (differing_is_wide())
		list_wide(rows, list, from, to, distance);
	else
		list_all(rows, list, from, to, distance, differing64);
}

/* Lists the bytes from `at` on. */
static void list_piece(struct mask_deflate *m, size_t at)
{
	size_t to = MIN(at + LISTED, m->bytes);

	m->listed = to < m->bytes ? at + PIECE : to;
	list_differing(m->rows, &m->starts, at, to, m->pixel);
	list_differing(m->rows, &m->changes, MIN(MAX(at, m->line), to), to, m->line);
}

/* ---- matches ----------------------------------------------------------------------------------------------------- */

/* The next symbol: a literal (length 1) or a match. */
struct step {
	unsigned length, distance;
	int worth;
};

static inline size_t match_end(const struct mask_deflate *m, size_t at)
{
	return MIN(at + DEFLATE_MATCH_MAX, m->bytes);
}

/* Takes the step instead of the best one so far if it is worth more. */
static inline void consider(const struct mask_deflate *m, size_t at, unsigned length, unsigned distance, int price,
			    struct step *best)
{
	const uint32_t *start = m->starts.v + m->starts.next;
	uint32_t end = (uint32_t)(at + length);
	int worth = BYTE_WORTH * (int)length - price;

	for (; *start < end; start++)
		worth += RUN_WORTH;
	if (*start > end) {
		int rest = (int)(*start - end);

		worth -= MIN(rest * LITERAL_PRICE, REST_PRICE + rest * BYTE_WORTH);
	}
	if (worth > best->worth)
		*best = (struct step){ length, distance, worth };
}

static inline void consider_match(const struct mask_deflate *m, size_t at, unsigned length, unsigned distance,
				  int distance_price, struct step *best)
{
	if (length < DEFLATE_MATCH_MIN)
		return;
	int price =
		length == DEFLATE_MATCH_MAX ? LONGEST_PRICE : LENGTH_PRICE + BIT * (int)deflate_length_extra(length);

	price += distance_price + BIT * (int)deflate_distance_extra(distance);
	consider(m, at, length, distance, price, best);
}

/* Returns how many bytes equal those `distance` before. */
static unsigned match_length(const struct mask_deflate *m, size_t at, size_t distance)
{
	size_t end = match_end(m, at), i = at;

	while (i < end) {
		uint64_t bits = differing64(m->rows + i, m->rows + i - distance);

		if (bits)
			return (unsigned)(MIN(i + (unsigned)__builtin_ctzll(bits), end) - at);
		i += 64;
	}
	return (unsigned)(end - at);
}

static inline uint32_t *last_like(struct mask_deflate *m, size_t start)
{
	uint64_t bytes;

	_Static_assert(sizeof(bytes) == HASHED_BYTES, "a word");
	memcpy(&bytes, m->rows + start - 1, sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	return &m->last[bytes * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)];
}

/* Considers a match that goes on over the start of a run as an earlier one did. */
static void consider_like(struct mask_deflate *m, size_t at, size_t start, struct step *best)
{
	uint32_t like = *last_like(m, start);
	size_t distance = start + 1 - like;

	if (!like || distance > MIN(at, (size_t)DEFLATE_WINDOW) || distance == m->pixel || distance == m->line)
		return;
	unsigned length = match_length(m, at, distance);

	if (at + length > start)
		consider_match(m, at, length, (unsigned)distance, ELSEWHERE_PRICE, best);
}

static struct step choose(struct mask_deflate *m, size_t at)
{
	const uint32_t *start = m->starts.v + m->starts.next;
	bool starts = *start == at, goes_on = !starts && at >= m->pixel;
	size_t run_end = start[starts], end = match_end(m, at);
	unsigned rest = (unsigned)(MIN(run_end, end) - at), above = 0;
	struct step best = { 0, 0, INT_MIN };

	if (goes_on && rest == DEFLATE_MATCH_MAX)
		return (struct step){ rest, (unsigned)m->pixel, 0 };
	consider(m, at, 1, 0, LITERAL_PRICE, &best);
	if (goes_on)
		consider_match(m, at, rest, (unsigned)m->pixel, LEFT_PRICE, &best);
	if (at >= m->line && m->line <= DEFLATE_WINDOW) {
		above = (unsigned)(MIN((size_t)m->changes.v[m->changes.next], end) - at);
		consider_match(m, at, above, (unsigned)m->line, ABOVE_PRICE, &best);
	}
	if (above < LIKE_UP_TO && run_end < end)
		consider_like(m, at, run_end, &best);
	return best;
}

/* Goes on to the next byte; enters the starts of runs that were passed. */
static void advance(struct mask_deflate *m, size_t at)
{
	if (at >= m->listed && at < m->bytes)
		list_piece(m, at);
	for (; m->starts.v[m->starts.next] < at; m->starts.next++)
		*last_like(m, m->starts.v[m->starts.next]) = m->starts.v[m->starts.next] + 1;
	while (m->changes.v[m->changes.next] < at)
		m->changes.next++;
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
	m->listed = 0;
	memset(m->last, 0, sizeof(m->last));
	list_piece(m, 0);
	strbuf_add(out, header, sizeof(header));
	deflate_begin(&m->blocks, out);
	*symbols = 0;
	for (size_t at = 0; at < bytes; ++*symbols) {
		advance(m, at);
		struct step step = choose(m, at);

		if (step.distance)
			deflate_match(&m->blocks, step.length, step.distance);
		else
			deflate_literal(&m->blocks, rows[at]);
		at += step.length;
	}
	deflate_end(&m->blocks);
	const uint8_t trailer[] = { (uint8_t)(adler >> 24), (uint8_t)(adler >> 16), (uint8_t)(adler >> 8),
				    (uint8_t)adler };

	strbuf_add(out, trailer, sizeof(trailer));
}
