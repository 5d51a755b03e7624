/* SHA-256 (FIPS 180-4), to compare decoded samples with recorded digests. For tests only; not for secrets. */
#ifndef TESTS_SHA256_H
#define TESTS_SHA256_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[64];
};

static uint32_t sha256_rotate(uint32_t v, unsigned by)
{
	return v >> by | v << (32 - by);
}

/* The constants are the first 32 bits of the fractions of roots of the first primes: square for h, cube for k. */
static void sha256_constants(uint32_t k[64], uint32_t h[8])
{
	unsigned n = 0;

	for (unsigned p = 2; n < 64; p++) {
		unsigned d = 2;

		while (d * d <= p && p % d)
			d++;
		if (d * d <= p)
			continue;
		long double cube = cbrtl((long double)p), square = sqrtl((long double)p);

		k[n] = (uint32_t)((cube - floorl(cube)) * 4294967296.0L);
		if (n < 8)
			h[n] = (uint32_t)((square - floorl(square)) * 4294967296.0L);
		n++;
	}
}

static void sha256_block(struct sha256 *s)
{
	static uint32_t k[64], unused[8];
	uint32_t w[64], v[8];

	if (!k[0])
		sha256_constants(k, unused);
	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
		       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (sha256_rotate(w[i - 15], 7) ^ sha256_rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (sha256_rotate(w[i - 2], 17) ^ sha256_rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, s->h, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = v[4], a = v[0];
		uint32_t t1 = v[7] + (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
		uint32_t t2 = (sha256_rotate(a, 2) ^ sha256_rotate(a, 13) ^ sha256_rotate(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void sha256_init(struct sha256 *s)
{
	uint32_t unused[64];

	memset(s, 0, sizeof(*s));
	sha256_constants(unused, s->h);
}

static void sha256_add(struct sha256 *s, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t at = (size_t)(s->bytes % 64), take = 64 - at < n ? 64 - at : n;

		memcpy(s->block + at, bytes, take);
		s->bytes += take;
		bytes += take;
		n -= take;
		if (at + take == 64)
			sha256_block(s);
	}
}

static void sha256_hex(struct sha256 *s, char out[65])
{
	uint64_t bits = s->bytes * 8;
	uint8_t length[8];
	static const uint8_t one = 0x80, zero = 0;

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, &one, 1);
	while (s->bytes % 64 != 56)
		sha256_add(s, &zero, 1);
	sha256_add(s, length, 8);
	for (unsigned i = 0; i < 8; i++)
		snprintf(out + 8 * i, 9, "%08x", s->h[i]);
}

#endif
