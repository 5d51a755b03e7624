#include "base/json_block.h"

#if defined(__SSE2__)

/* Bit i of each is set if byte i is of that class. */
struct block {
	uint64_t digit, zero, point, minus, comma, space;
};

static uint64_t bits_of(__m128i v, unsigned i)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << 16 * i;
}

static struct block classify(const uint8_t *s)
{
	struct block b = { 0 };

	for (unsigned i = 0; i < JSON_BLOCK / 16; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s + 16 * (size_t)i));

		b.digit |= bits_of(_mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('0' - 1)),
						 _mm_cmplt_epi8(v, _mm_set1_epi8('9' + 1))),
				   i);
		b.zero |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('0')), i);
		b.point |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')), i);
		b.minus |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')), i);
		b.comma |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), i);
		b.space |= bits_of(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))), i);
	}
	return b;
}

bool json_find_numbers(const uint8_t *s, struct json_numbers *out)
{
	const struct block b = classify(s);
	uint64_t other = ~(b.digit | b.point | b.minus | b.comma | b.space);
	uint64_t within = other ? (other & -other) - 1 : UINT64_MAX; /* before the first of them */
	uint64_t comma = b.comma & within;

	if (!comma)
		return false;
	out->bytes = JSON_BLOCK - (unsigned)__builtin_clzll(comma);
	within = out->bytes == JSON_BLOCK ? UINT64_MAX : ((uint64_t)1 << out->bytes) - 1;

	uint64_t number = b.digit | b.minus | b.point;
	uint64_t first = number & ~(number << 1);        /* bytes of numbers */
	uint64_t whole = first | (first & b.minus) << 1; /* where their first digits must be */
	/* The sum carries from the byte after each point through the digits to the byte after these. */
	uint64_t after_fraction = ((b.point << 1) + b.digit) & ~b.digit;
	uint64_t wrong = (b.minus & ~first) | (b.minus << 1 & ~b.digit) | (b.point & ~(b.digit << 1)) |
			 (b.point << 1 & ~b.digit) | (b.point & after_fraction) | ((whole & b.zero) << 1 & b.digit) |
			 (b.comma & ~(b.digit << 1)) | (b.space & b.digit << 1);

	if (wrong & within)
		return false;
	out->starts = first & within;
	out->commas = comma;
	out->minus = b.minus;
	out->points = b.point & within;
	return true;
}

#else

bool json_find_numbers(const uint8_t *s, struct json_numbers *out)
{
	(void)s, (void)out;
	return false;
}

#endif
