/*
 * SHA-256 (FIPS 180-4), for what nobody must be able to make collide: names, and the files of a receipt. With the
 * instructions of the processor, where it has them. Owner: the caller's stack; one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Ends the hash and writes it as 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(struct sha256 *s, char out[65]);
