#include "png/changed_rows.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/adler_wide.h"
#include "base/differing.h"
#include "base/mem.h"
#include "png/unfilter.h"

enum { BLOCK = CHANGED_BLOCK, WORD_BITS = 64 };
_Static_assert((int)CHANGED_READ_IN >= (int)UNFILTER_READ_IN, "rows are undone as a whole, too");

#define INLINE static inline __attribute__((always_inline))

void changed_rows_release(struct changed_rows *r)
{
	free(r->memory);
	memset(r, 0, sizeof(*r));
}

bool changed_rows_begin(struct changed_rows *r, uint32_t width)
{
	size_t words = ((size_t)width + BLOCK - 1) / BLOCK, row = (words + 1) * BLOCK;
	size_t lists = words * (sizeof(*r->blocks) + sizeof(*r->bits));

	r->memory = mem_try_fit(r->memory, &r->memory_cap, lists + 2 * row);
	if (!r->memory)
		return false;
	r->width = width;
	r->words = words;
	r->blocks = (void *)r->memory;
	r->count = 0;
	r->bits = (void *)(r->blocks + words);
	r->row = r->memory + lists;
	r->fresh = r->row + row;
	r->adler = (struct line_adler){ 1, 0 };
	memset(r->row, 0, row);
	return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Returns the bits of the pixels that block i has. */
INLINE uint64_t valid_bits(const struct changed_rows *r, size_t i)
{
	size_t left = r->width - i * BLOCK;

	return left < BLOCK ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

/* Appends a block to those that change; differs: not 0. */
INLINE void put_block(struct changed_rows *r, size_t i, uint64_t differs, const uint8_t fresh[BLOCK])
{
	struct changed_block *block = &r->blocks[r->count++];
	uint8_t *pixels = r->row + i * BLOCK;

	block->x = (uint32_t)(i * BLOCK);
	block->differs = differs;
	memcpy(block->before, pixels, BLOCK);
	memcpy(pixels, fresh, BLOCK);
}

/*
 * Fills the bits of up to WORD_BITS blocks from `first` on: of bytes that differ from those of `other`, or are not zero
 * if that is NULL. Returns a bit for each block that has any.
 */
INLINE uint64_t compare_blocks(struct changed_rows *r, size_t first, const uint8_t *in, const uint8_t *other,
			       differing64_fn *differing)
{
	static const uint8_t zeros[BLOCK];
	const size_t n = MIN(r->words - first, (size_t)WORD_BITS);
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++) {
		size_t x = (first + i) * BLOCK;
		uint64_t bits = differing(in + x, other ? other + x : zeros) & valid_bits(r, first + i);

		r->bits[first + i] = bits;
		any |= (uint64_t)(bits != 0) << i;
	}
	return any;
}

/* Adds the bytes of a block that are not zero. */
INLINE void add_sums(struct line_sums *sums, const struct changed_rows *r, const uint8_t *in, size_t i)
{
	for (uint64_t bits = r->bits[i]; bits; bits &= bits - 1) {
		size_t x = i * BLOCK + (unsigned)__builtin_ctzll(bits);

		line_sums_add(sums, in[x], r->width - x);
	}
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

/* Compares a row without a filter with the one above. */
INLINE void compare_row(struct changed_rows *r, const uint8_t *row, differing64_fn *differing)
{
	for (size_t first = 0; first < r->words; first += WORD_BITS) {
		uint64_t any = compare_blocks(r, first, row, r->row, differing);

		for (; any; any &= any - 1) {
			size_t i = first + (unsigned)__builtin_ctzll(any);

			put_block(r, i, r->bits[i], row + i * BLOCK);
		}
	}
}

/* Undoes a block of Sub: runs of the left pixel up to each byte that is not zero. Returns the last pixel. */
INLINE uint8_t undo_sub_block(uint8_t fresh[2 * BLOCK], const uint8_t *in, uint8_t left, uint64_t bytes)
{
	memset(fresh, left, BLOCK);
	for (; bytes; bytes &= bytes - 1) {
		unsigned x = (unsigned)__builtin_ctzll(bytes);

		left = (uint8_t)(left + in[x]);
		memset(fresh + x, left, BLOCK);
	}
	return left;
}

static void undo_sub(struct changed_rows *r, const uint8_t *in, struct line_sums *sums)
{
	uint8_t left = 0;

	for (size_t first = 0; first < r->words; first += WORD_BITS) {
		const size_t n = MIN(r->words - first, (size_t)WORD_BITS);

		compare_blocks(r, first, in, NULL, differing64);
		for (size_t i = first; i < first + n; i++) {
			uint8_t fresh[2 * BLOCK];

			left = undo_sub_block(fresh, in + i * BLOCK, left, r->bits[i]);
			uint64_t differs = differing64(fresh, r->row + i * BLOCK) & valid_bits(r, i);

			if (differs)
				put_block(r, i, differs, fresh);
			add_sums(sums, r, in, i);
		}
	}
}

static void undo_up(struct changed_rows *r, const uint8_t *in, struct line_sums *sums)
{
	for (size_t first = 0; first < r->words; first += WORD_BITS) {
		uint64_t any = compare_blocks(r, first, in, NULL, differing64);

		for (; any; any &= any - 1) {
			size_t i = first + (unsigned)__builtin_ctzll(any), x = i * BLOCK;
			uint8_t fresh[BLOCK];

			for (unsigned k = 0; k < BLOCK; k++)
				fresh[k] = (uint8_t)(in[x + k] + r->row[x + k]);
			put_block(r, i, r->bits[i], fresh);
			add_sums(sums, r, in, i);
		}
	}
}

/*
 * Undoes a block of Paeth. Where the left pixel equals the corner, the prediction is the pixel above; where the one
 * above does, it is the left one. So only nonzero bytes and, after a pixel that differs from the one above, borders in
 * the row above need arithmetic: `bytes`, and `stops`, which has both. up[-1] is the corner. Returns the last pixel.
 */
INLINE uint8_t undo_paeth_block(uint8_t fresh[2 * BLOCK], const uint8_t *in, const uint8_t *up, uint8_t left,
				uint64_t bytes, uint64_t stops)
{
	for (unsigned x = 0; x < BLOCK; x++) {
		bool as_above = left == up[(int)x - 1];
		uint64_t next = (as_above ? bytes : stops) >> x;

		if (as_above)
			memcpy(fresh + x, up + x, BLOCK);
		else
			memset(fresh + x, left, BLOCK);
		if (!next)
			break;
		x += (unsigned)__builtin_ctzll(next);
		left = (uint8_t)(in[x] + (as_above ? up[x] : unfilter_paeth(left, up[x], up[(int)x - 1])));
		fresh[x] = left;
	}
	return fresh[BLOCK - 1];
}

static void undo_paeth(struct changed_rows *r, const uint8_t *in, struct line_sums *sums)
{
	uint64_t goes_on = 0; /* into the next block: the left pixel differs from its corner */
	uint8_t left = 0, corner = 0;

	for (size_t first = 0; first < r->words; first += WORD_BITS) {
		uint64_t any = compare_blocks(r, first, in, NULL, differing64) | goes_on;
		const size_t n = MIN(r->words - first, (size_t)WORD_BITS);

		for (; any; any &= any - 1) {
			const unsigned k = (unsigned)__builtin_ctzll(any);
			const size_t i = first + k, x = i * BLOCK;
			uint8_t memory[1 + 2 * BLOCK], *up = memory + 1, fresh[2 * BLOCK];

			if (!goes_on)
				left = corner = i ? r->row[x - 1] : 0;
			up[-1] = corner;
			memcpy(up, r->row + x, 2 * BLOCK);
			const uint64_t valid = valid_bits(r, i), borders = differing64(up, up - 1) & valid;

			left = undo_paeth_block(fresh, in + x, up, left, r->bits[i], r->bits[i] | borders);
			corner = up[BLOCK - 1];
			uint64_t differs = differing64(fresh, up) & valid;

			if (differs)
				put_block(r, i, differs, fresh);
			add_sums(sums, r, in, i);
			goes_on = left != corner;
			any |= k + 1 < n ? goes_on << (k + 1) : 0;
		}
	}
}

/* Undoes a row without a filter, or of Average, as a whole. */
INLINE void undo_whole_row(struct changed_rows *r, const uint8_t *line, differing64_fn *differing)
{
	const size_t n = (size_t)r->width + 1;
	const uint8_t *in = line + 1;

	line_adler_add_whole(&r->adler, libdeflate_adler32(0, line, n), n);
	if (line[0]) {
		unfilter_pixels(r->fresh, in, r->row, r->width, 1, line[0]);
		in = r->fresh;
	}
	compare_row(r, in, differing);
}

/* Undoes a row of Sub, Up or Paeth, of which most bytes are 0. */
static void undo_sparse(struct changed_rows *r, const uint8_t *in, uint8_t filter, struct line_sums *sums)
{
	if (filter == 1)
		undo_sub(r, in, sums);
	else if (filter == 2)
		undo_up(r, in, sums);
	else
		undo_paeth(r, in, sums);
}

#if HAS_DIFFERING_WIDE

/* ---- the same with wide registers -------------------------------------------------------------------------------- */

/* Returns a bit for each of up to WORD_BITS blocks from `first` on that has a byte that is not zero. */
DIFFERING_WIDE static inline uint64_t nonzero_blocks(const struct changed_rows *r, size_t first, const uint8_t *in)
{
	const size_t n = MIN(r->words - first, (size_t)WORD_BITS);
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++) {
		__m512i bytes = _mm512_loadu_si512(in + (first + i) * BLOCK);

		any |= (uint64_t)(_mm512_test_epi64_mask(bytes, bytes) != 0) << i;
	}
	return any;
}

/* A block: its bytes, with zeros after the row, and the pixels above. */
struct wide_block {
	size_t x;
	uint64_t valid, differs; /* differs: bits of the bytes that are not zero */
	__m512i bytes, above;
};

DIFFERING_WIDE static inline struct wide_block load_block(const struct changed_rows *r, size_t i, const uint8_t *in)
{
	struct wide_block b = { .x = i * BLOCK, .valid = valid_bits(r, i) };

	b.bytes = _mm512_maskz_loadu_epi8(b.valid, in + b.x);
	b.above = _mm512_loadu_si512(r->row + b.x);
	b.differs = _mm512_test_epi8_mask(b.bytes, b.bytes);
	return b;
}

/* Appends a block to those that change, unless it does not. */
DIFFERING_WIDE static inline void put_block_wide(struct changed_rows *r, const struct wide_block *b, __m512i fresh)
{
	const uint64_t differs = _mm512_mask_cmpneq_epu8_mask(b->valid, fresh, b->above);
	struct changed_block *block = &r->blocks[r->count];

	if (!differs)
		return;
	r->count++;
	block->x = (uint32_t)b->x;
	block->differs = differs;
	_mm512_storeu_si512(block->before, b->above);
	_mm512_storeu_si512(r->row + b->x, _mm512_mask_mov_epi8(b->above, differs, fresh));
}

/* Replaces all pixels from x on. */
DIFFERING_WIDE static inline __m512i fill_from(__m512i pixels, unsigned x, __m512i others)
{
	return _mm512_mask_mov_epi8(pixels, UINT64_MAX << x, others);
}

DIFFERING_WIDE static inline __m512i undo_sub_wide(const struct wide_block *b, const uint8_t *in, uint8_t *left)
{
	__m512i fresh = _mm512_set1_epi8((char)*left);

	for (uint64_t bytes = b->differs; bytes; bytes &= bytes - 1) {
		unsigned x = (unsigned)__builtin_ctzll(bytes);

		*left = (uint8_t)(*left + in[b->x + x]);
		fresh = fill_from(fresh, x, _mm512_set1_epi8((char)*left));
	}
	return fresh;
}

/* Undoes a block of Paeth as undo_paeth_block() does. *left: the pixel to the left; gets the last one. */
DIFFERING_WIDE static inline __m512i undo_paeth_wide(const struct wide_block *b, const uint8_t *in, const uint8_t *row,
						     uint8_t corner, uint8_t *last)
{
	const uint8_t *up = row + b->x;
	const __m512i before = _mm512_loadu_si512(up - 1);
	const uint64_t borders = _mm512_mask_cmpneq_epu8_mask(b->valid & ~UINT64_C(1), b->above, before);
	const uint64_t stops = b->differs | borders | (up[0] != corner);
	__m512i fresh = b->above;
	uint8_t left = *last;

	in += b->x;
	*last = up[BLOCK - 1];
	for (unsigned x = 0; x < BLOCK; x++) {
		const bool as_above = left == corner;
		const uint64_t next = (as_above ? b->differs : stops) >> x;

		fresh = fill_from(fresh, x, as_above ? b->above : _mm512_set1_epi8((char)left));
		if (!next) {
			*last = as_above ? up[BLOCK - 1] : left;
			return fresh;
		}
		const unsigned step = (unsigned)__builtin_ctzll(next);

		x += step;
		if (step)
			corner = up[x - 1];
		left = (uint8_t)(in[x] + (as_above ? up[x] : unfilter_paeth(left, up[x], corner)));
		corner = up[x];
		fresh = fill_from(fresh, x, _mm512_set1_epi8((char)left));
	}
	*last = left;
	return fresh;
}

DIFFERING_WIDE static void undo_sparse_wide(struct changed_rows *r, const uint8_t *in, uint8_t filter,
					    struct line_sums *out)
{
	struct wide_sums sums = wide_sums_begin();
	uint64_t goes_on = 0; /* into the next block: the left pixel differs from its corner */
	uint8_t left = 0, corner = 0;

	for (size_t first = 0; first < r->words; first += WORD_BITS) {
		const size_t n = MIN(r->words - first, (size_t)WORD_BITS);
		uint64_t any = filter == 1 ? (n < WORD_BITS ? UINT64_C(1) << n : 0) - 1
					   : nonzero_blocks(r, first, in) | goes_on;

		for (; any; any &= any - 1) {
			const unsigned k = (unsigned)__builtin_ctzll(any);
			const struct wide_block b = load_block(r, first + k, in);
			__m512i fresh;

			if (filter == 1) {
				fresh = undo_sub_wide(&b, in, &left);
			} else if (filter == 2) {
				fresh = _mm512_add_epi8(b.bytes, b.above);
			} else {
				if (!goes_on)
					left = corner = b.x ? r->row[b.x - 1] : 0;
				const uint8_t next_corner = r->row[b.x + BLOCK - 1];

				fresh = undo_paeth_wide(&b, in, r->row, corner, &left);
				corner = next_corner;
				goes_on = left != corner;
				any |= k + 1 < n ? goes_on << (k + 1) : 0;
			}
			put_block_wide(r, &b, fresh);
			if (b.differs)
				wide_sums_add(&sums, b.bytes, (int64_t)r->width - (int64_t)b.x - BLOCK);
		}
	}
	wide_sums_end(&sums, out);
}

DIFFERING_WIDE static void undo_whole_row_wide(struct changed_rows *r, const uint8_t *line)
{
	undo_whole_row(r, line, differing64_wide);
}

#else
#define undo_sparse_wide    undo_sparse
#define undo_whole_row_wide undo_whole_row_narrow
#endif

static void undo_whole_row_narrow(struct changed_rows *r, const uint8_t *line)
{
	undo_whole_row(r, line, differing64);
}

bool changed_rows_next(struct changed_rows *r, const uint8_t *line)
{
	const bool wide = differing_is_wide();
	struct line_sums sums = { 0 };

	if (line[0] > 4)
		return false;
	r->count = 0;
	if (!line[0] || line[0] == 3) {
		(wide ? undo_whole_row_wide : undo_whole_row_narrow)(r, line);
		return true;
	}
	line_sums_add(&sums, line[0], (size_t)r->width + 1);
	(wide ? undo_sparse_wide : undo_sparse)(r, line + 1, line[0], &sums);
	line_adler_add(&r->adler, &sums, (size_t)r->width + 1);
	return true;
}
