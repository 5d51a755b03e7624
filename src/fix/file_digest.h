/* Hashes what an input holds, and writes it elsewhere on the way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fault.h"
#include "base/sha256.h"
#include "read/input.h"

/* A file's bytes. */
struct digest {
	uint64_t bytes;
	char sha256[65];
};

static inline bool digest_equal(const struct digest *a, const struct digest *b)
{
	return a->bytes == b->bytes && !strcmp(a->sha256, b->sha256);
}

/* The digest of bytes that come one after the other. */
struct digester {
	struct sha256 sha;
	uint64_t bytes;
};

void digester_begin(struct digester *d);
void digester_add(struct digester *d, const void *bytes, size_t n);
void digester_finish(struct digester *d, struct digest *out);

/* Reads the input to its end, and writes it to fd unless that is -1. Returns false if *fault is set. */
bool digest_input(struct input *in, int fd, struct digest *out, struct fault *fault);
void digest_bytes(const void *bytes, size_t n, struct digest *out);
/* Fills the digest of the path that a symbolic link holds. Returns false if errno says why it cannot be read. */
bool digest_link(int folder, const char *path, struct digest *out);
