#include "base/sha256.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/bytes.h"
#include "base/cpu.h"

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t v, unsigned by)
{
	return v >> by | v << (32 - by);
}

static void add_block(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = be32(block + 4 * i);
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, h, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = v[4], a = v[0];
		uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
			      k[i] + w[i];
		uint32_t t2 =
			(rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
}

#if defined(__x86_64__)

/* Four rounds a step: sha256rnds2 does two, with the state in the order that it wants, and half of it at a time. */
__attribute__((target("sha,ssse3,sse4.1"))) static void add_blocks_sha(uint32_t h[8], const uint8_t *p, size_t blocks)
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const void *)h), 0xb1);
	__m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(h + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(dcba, efgh, 8), cdgh = _mm_blend_epi16(efgh, dcba, 0xf0);

	for (; blocks; blocks--, p += 64) {
		const __m128i abef_before = abef, cdgh_before = cdgh;
		__m128i w[4];

		for (unsigned i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), big_endian);
#pragma GCC unroll 16
		for (unsigned i = 0; i < 16; i++) {
			__m128i *now = &w[i % 4], *last = &w[(i + 3) % 4];
			__m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const void *)(k + 4 * i)));

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
			*now = _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) % 4]),
					     _mm_alignr_epi8(*last, w[(i + 2) % 4], 4));
			*now = _mm_sha256msg2_epu32(*now, *last);
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	__m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);

	_mm_storeu_si128((void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128((void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif

static void add_blocks(uint32_t h[8], const uint8_t *p, size_t blocks)
{
#if defined(__x86_64__)
	if (cpu_features() & CPU_SHA) {
		add_blocks_sha(h, p, blocks);
		return;
	}
#endif
	for (; blocks; blocks--, p += 64)
		add_block(h, p);
}

void sha256_init(struct sha256 *s)
{
	/* The same of the square roots of the first eight. */
	static const uint32_t first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memset(s, 0, sizeof(*s));
	memcpy(s->h, first, sizeof(first));
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	size_t at = (size_t)(s->bytes % 64);

	s->bytes += n;
	if (at) { /* a block was begun */
		size_t take = 64 - at < n ? 64 - at : n;

		memcpy(s->block + at, p, take);
		if (at + take < 64)
			return;
		add_blocks(s->h, s->block, 1);
		p += take;
		n -= take;
	}
	add_blocks(s->h, p, n / 64);
	memcpy(s->block, p + n / 64 * 64, n % 64);
}

void sha256_hex(struct sha256 *s, char out[65])
{
	static const uint8_t one = 0x80, zero = 0;
	uint64_t bits = s->bytes * 8;
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, &one, 1);
	while (s->bytes % 64 != 56)
		sha256_add(s, &zero, 1);
	sha256_add(s, length, sizeof(length));
	for (unsigned i = 0; i < 64; i++)
		out[i] = "0123456789abcdef"[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
	out[64] = '\0';
}
