#include "fix/mask_deflate.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/differing.h"
#include "base/mem.h"
#include "fix/deflate_blocks.h"
#include "fix/symbol_repeats.h"

enum {
	WORD = 64,       /* bytes of a word of bits */
	PART = 57,       /* bits of one that a load has, wherever they begin */
	STRIP = 1 << 10, /* words that are compared at a time: those bytes stay in the L1 cache */
	STRIP_AHEAD = 8, /* and after them, for a match that begins in the last one and what follows it */
	ALL = STRIP + STRIP_AHEAD,
};
_Static_assert((int)MASK_DEFLATE_AFTER >= (int)WORD && (int)MASK_DEFLATE_BEFORE >= (int)WORD, "words are read");
_Static_assert((STRIP_AHEAD - 2) * WORD > DEFLATE_MATCH_MAX + WORD, "a match and the word after it");

/* Compares the bytes of a strip with others. The first byte after the rows ends a run, and differs from all above. */
struct strip {
	size_t begin;         /* its first byte; a whole number of words */
	uint64_t starts[ALL]; /* a bit for each byte that begins a run: it differs from that of the pixel before */
	uint64_t breaks[ALL]; /* a bit for each byte that differs from that of the row above */
};

struct mask_deflate {
	struct deflate_blocks blocks;
	struct strip strip;
	struct mask_rows rows;
	uint32_t lengths[DEFLATE_MATCH_MAX + 1]; /* their symbols */
};

struct mask_deflate *mask_deflate_new(void)
{
	struct mask_deflate *m = xcalloc(1, sizeof(*m));

	for (unsigned i = DEFLATE_MATCH_MIN; i <= DEFLATE_MATCH_MAX; i++)
		m->lengths[i] = deflate_length(i);
	return m;
}

void mask_deflate_free(struct mask_deflate *m)
{
	free(m);
}

#define INLINE static inline __attribute__((always_inline))

/* ---- strips ------------------------------------------------------------------------------------------------------ */

/* Returns the bits of the first n < WORD places. */
INLINE uint64_t first_bits(size_t n)
{
	return (UINT64_C(1) << n) - 1;
}

/* Returns the bits of a word of `breaks`. */
INLINE uint64_t breaks_of(const struct mask_deflate *m, size_t at, differing64_fn *differing)
{
	if (m->rows.line > DEFLATE_WINDOW || at + WORD <= m->rows.line)
		return UINT64_MAX;
	uint64_t breaks = differing(m->rows.v + at, m->rows.v + at - m->rows.line);

	return at < m->rows.line ? breaks | first_bits(m->rows.line - at) : breaks;
}

/* Compares the words of bytes at..end. */
INLINE void compare_words(struct mask_deflate *m, size_t at, size_t end, differing64_fn *differing)
{
	struct strip *s = &m->strip;

	for (size_t i = (at - s->begin) / WORD; at < end; at += WORD, i++) {
		s->starts[i] = differing(m->rows.v + at, m->rows.v + at - m->rows.pixel);
		s->breaks[i] = breaks_of(m, at, differing);
	}
}

static void compare_words_narrow(struct mask_deflate *m, size_t at, size_t end)
{
	compare_words(m, at, end, differing64);
}

#if HAS_DIFFERING_WIDE

/* The same; bytes of pixels of one byte, in rows after the first, are loaded once and not with those before them. */
DIFFERING_WIDE static void compare_words_wide(struct mask_deflate *m, size_t at, size_t end)
{
	const size_t line = m->rows.line, i = (at - m->strip.begin) / WORD;
	const bool fast = m->rows.pixel == 1 && line <= DEFLATE_WINDOW;
	const size_t head = MIN(end, fast ? MAX(at, (line + WORD - 1) / WORD * WORD) : end);

	compare_words(m, at, head, differing64_wide);
	if (head == end)
		return;
	uint64_t *starts = m->strip.starts + i, *breaks = m->strip.breaks + i;
	const uint8_t *v = m->rows.v;
	__m512i before = _mm512_loadu_si512(v + head - WORD);

	for (size_t x = head; x < end; x += WORD) {
		__m512i bytes = _mm512_loadu_si512(v + x);
		__m512i lanes = _mm512_alignr_epi64(bytes, before, 6); /* the 16 bytes before each 16 */

		starts[(x - at) / WORD] = _mm512_cmpneq_epu8_mask(bytes, _mm512_alignr_epi8(bytes, lanes, 15));
		breaks[(x - at) / WORD] = _mm512_cmpneq_epu8_mask(bytes, _mm512_loadu_si512(v + x - line));
		before = bytes;
	}
}

#else
#define compare_words_wide compare_words_narrow
#endif

static void compare_strip(struct mask_deflate *m, size_t begin)
{
	const size_t end = MIN(m->rows.bytes, begin + (size_t)ALL * WORD);
	struct strip *s = &m->strip;

	s->begin = begin;
	(differing_is_wide() ? compare_words_wide : compare_words_narrow)(m, begin, end);
	if (!begin)
		s->starts[0] |= first_bits(m->rows.pixel);
	if (end < m->rows.bytes)
		return;
	size_t last = (end - begin) / WORD, left = (end - begin) % WORD, after = last + (left != 0);

	memset(s->starts + after, 0, (ALL - after) * sizeof(*s->starts));
	memset(s->breaks + after, 0, (ALL - after) * sizeof(*s->breaks));
	s->starts[last] = (s->starts[last] & first_bits(left)) | UINT64_C(1) << left;
	s->breaks[last] = (s->breaks[last] & first_bits(left)) | UINT64_C(1) << left;
}

/* Moves the strip on to the word of this byte. */
static void move_strip(struct mask_deflate *m, size_t at)
{
	compare_strip(m, at - at % WORD);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

/* Returns the PART bits from byte `at` of the strip on, and up to 7 more, or zeros in their place. */
INLINE uint64_t bits_at(const uint64_t *bits, size_t at)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t word;

	memcpy(&word, (const uint8_t *)bits + at / 8, sizeof(word));
	return word >> at % 8;
#else
	size_t i = at / WORD, shift = at % WORD;

	return bits[i] >> shift | bits[i + 1] << 1 << (WORD - 1 - shift);
#endif
}

/* Returns how many bytes there are from `at` up to the next bit, at most DEFLATE_MATCH_MAX. */
INLINE unsigned bytes_to_next(const uint64_t *bits, size_t at)
{
	uint64_t first = bits_at(bits, at);
	unsigned n = 0;

	while (!first) {
		n += PART;
		if (n > DEFLATE_MATCH_MAX)
			return DEFLATE_MATCH_MAX;
		first = bits_at(bits, at + n);
	}
	return MIN(n + (unsigned)__builtin_ctzll(first), (unsigned)DEFLATE_MATCH_MAX);
}

/* Adds all symbols. Returns how many they are. */
INLINE uint64_t add_symbols(struct mask_deflate *m)
{
	const uint32_t to_left = deflate_distance((unsigned)m->rows.pixel);
	const uint32_t to_above = m->rows.line <= DEFLATE_WINDOW ? deflate_distance((unsigned)m->rows.line) : 0;
	const struct strip *s = &m->strip;
	uint64_t symbols = 0;

	move_strip(m, 0);
	for (size_t at = 0, step; at < m->rows.bytes; at += step, symbols++) {
		if (at - s->begin >= (size_t)STRIP * WORD)
			move_strip(m, at);
		const size_t x = at - s->begin;
		const unsigned begins = s->starts[x / WORD] >> x % WORD & 1;
		const unsigned left = begins + bytes_to_next(s->starts, x + begins); /* to the next run */
		uint32_t symbol;

		if (left == DEFLATE_MATCH_MAX && !begins) { /* of all symbols the cheapest */
			deflate_add(&m->blocks, m->lengths[left] | to_left);
			step = DEFLATE_MATCH_MAX;
			continue;
		}
		const unsigned above = bytes_to_next(s->breaks, x);

		if (above > left && above >= DEFLATE_MATCH_MIN) { /* it saves the symbols of a run that begins there */
			symbol = m->lengths[above] | to_above;
			step = above;
		} else if (!begins && left >= DEFLATE_MATCH_MIN) {
			symbol = m->lengths[left] | to_left;
			step = left;
		} else {
			symbol = deflate_literal(m->rows.v[at]);
			step = 1;
		}
		deflate_add(&m->blocks, symbol);
	}
	return symbols;
}

#if defined(__x86_64__)
__attribute__((target("bmi,bmi2,popcnt"))) static uint64_t add_symbols_bmi2(struct mask_deflate *m)
{
	return add_symbols(m);
}
#endif

static uint64_t add_symbols_plain(struct mask_deflate *m)
{
	return add_symbols(m);
}

static uint64_t add_all_symbols(struct mask_deflate *m)
{
#if defined(__x86_64__)
	if (cpu_features() & CPU_BMI2)
		return add_symbols_bmi2(m);
#endif
	return add_symbols_plain(m);
}

void mask_deflate(struct mask_deflate *m, const struct mask_rows *rows, struct strbuf *out,
		  struct mask_symbols *symbols)
{
	static const uint8_t header[] = { 0x78, 0xda }; /* the window of 32 KiB, the best compression */
	const uint32_t adler = rows->adler;
	const uint8_t trailer[] = { (uint8_t)(adler >> 24), (uint8_t)(adler >> 16), (uint8_t)(adler >> 8),
				    (uint8_t)adler };

	assert(rows->bytes < UINT32_MAX);
	m->rows = *rows;
	strbuf_add(out, header, sizeof(header));
	deflate_begin(&m->blocks, out);
	symbols->count = add_all_symbols(m);
	/* of the last block, after which there are those of the block before it */
	symbols->repeat = symbols_repeat(m->blocks.symbols, (size_t)MIN(symbols->count, (uint64_t)DEFLATE_BLOCK));
	deflate_end(&m->blocks);
	strbuf_add(out, trailer, sizeof(trailer));
}
