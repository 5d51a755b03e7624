/*
 * Samples of files by a hash of their names: the same files in every run, whatever the number of jobs, the shard or the
 * order of the PATHs. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "layout/probe.h"

/* Returns a hash of an entry's path below its PATH, or of a member's name. Not seeded: it must not differ by run. */
static inline uint64_t sample_hash(const struct entry *entry)
{
	const char *name = entry_inner_path(entry);

	return hash_bytes(0, name, strlen(name));
}

/*
 * Makes room for a hash among the least ones, sorted: v[0..*count), at most max elements of `size` bytes that begin
 * with theirs; the largest one of max goes. Returns the index of the new element, of which the hash is set; max: the
 * hash is too large.
 */
static inline unsigned sample_insert(void *v, size_t size, unsigned *count, unsigned max, uint64_t hash)
{
	unsigned char *bytes = (unsigned char *)v;
	unsigned at = *count, kept = MIN(*count, max - 1);
	uint64_t other;

	for (; at; at--) {
		memcpy(&other, bytes + (at - 1) * size, sizeof(other));
		if (other <= hash)
			break;
	}
	if (at == max)
		return max;
	memmove(bytes + (at + 1) * size, bytes + at * size, (kept - at) * size);
	memcpy(bytes + at * size, &hash, sizeof(hash));
	*count = kept + 1;
	return at;
}

/* Returns the lowest ones of which there are as many as n has bits: of 2^k files one has a hash without them. */
static inline uint64_t sample_mask(uint64_t n)
{
	uint64_t mask = 0;

	for (; n; n /= 2)
		mask = 2 * mask + 1;
	return mask;
}

/*
 * Returns the mask of a sample of some thousand files: those are in it whose hash has none of its bits. whole: `files`
 * are all; else they are some of very many.
 */
static inline uint64_t look_mask(uint64_t files, bool whole)
{
	enum { FILES = 1024, SHARE = 64 };

	return whole ? sample_mask(files / FILES) : SHARE - 1;
}
