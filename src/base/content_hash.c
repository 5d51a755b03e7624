#include "base/content_hash.h"

#include <stdlib.h>

#include "base/mem.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ALIGNED = 64 }; /* as XXH3_state_t must be, and malloc() need not be */

struct content_hash {
	XXH3_state_t *state; /* in room */
	char room[sizeof(XXH3_state_t) + ALIGNED];
};

struct content_hash *content_hash_new(void)
{
	struct content_hash *h = xcalloc(1, sizeof(*h));

	h->state = (XXH3_state_t *)(void *)(h->room + (ALIGNED - (uintptr_t)h->room % ALIGNED));
	XXH3_INITSTATE(h->state);
	XXH3_128bits_reset(h->state);
	return h;
}

void content_hash_add(struct content_hash *h, const void *bytes, size_t n)
{
	XXH3_128bits_update(h->state, bytes, n);
}

static void put(XXH128_hash_t hash, uint64_t out[2])
{
	out[0] = hash.high64;
	out[1] = hash.low64;
}

void content_hash_finish(struct content_hash *h, uint64_t out[2])
{
	put(XXH3_128bits_digest(h->state), out);
	free(h);
}

void content_hash_bytes(const void *bytes, size_t n, uint64_t out[2])
{
	put(XXH3_128bits(bytes, n), out);
}
