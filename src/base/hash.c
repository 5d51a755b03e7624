#include "base/hash.h"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

/* From the header alone: most hashes are of a few bytes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/guard.h"
#include "platform/platform.h"

static uint64_t seed;
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

static void make_seed(void)
{
	struct timespec now;

	if (platform_random(&seed, sizeof(seed)))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = hash_mix((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)&now);
}

uint64_t hash_seed(void)
{
	pthread_once(&seed_once, make_seed);
	return PLANTED(hash_without_a_seed, seed, 7);
}

uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	return XXH3_64bits_withSeed(bytes, n, h);
}
