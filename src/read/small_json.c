#include "read/small_json.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

enum {
	/*
	 * Bytes of a tree, within the 256 MiB of the whole run. 65536 categories of eight members, twice as many as
	 * COCO writes, take 80 MB.
	 */
	TREE_BYTES_MAX = 128 << 20,
	/* glibc's overhead and smallest block: most nodes have short strings. */
	BLOCK_OVERHEAD = 16,
	BLOCK_MIN = 32,
};

/* Bytes that cJSON may still allocate; unlimited outside small_json_parse. */
static _Thread_local size_t budget = SIZE_MAX;

static void *allocate(size_t n)
{
	size_t block = MAX(n + BLOCK_OVERHEAD, (size_t)BLOCK_MIN);

	if (block > budget)
		return NULL;
	budget -= budget == SIZE_MAX ? 0 : block;
	return mem_try(n, 1);
}

static void set_hooks(void)
{
	cJSON_Hooks hooks = { .malloc_fn = allocate, .free_fn = free };

	cJSON_InitHooks(&hooks);
}

static unsigned hex4(const char *s)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 | (unsigned)ascii_xdigit_value((uint8_t)s[i]);
	return v;
}

/* Replaces escaped surrogates without their other half by U+FFFD; cJSON would refuse them. */
static void replace_lone_surrogates(char *s)
{
	while ((s = strchr(s, '\\'))) {
		if (s[1] != 'u') {
			s += 2;
			continue;
		}
		unsigned v = hex4(s + 2);
		bool high = v >= 0xd800 && v <= 0xdbff, pair = high && s[6] == '\\' && s[7] == 'u';
		unsigned low = pair ? hex4(s + 8) : 0;

		if (low >= 0xdc00 && low <= 0xdfff) {
			s += 12;
			continue;
		}
		if (v >= 0xd800 && v <= 0xdfff)
			memset(s + 2, 'f', 3), s[5] = 'd';
		s += 6;
	}
}

cJSON *small_json_parse(const char *text, size_t n, struct fault *fault)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *copy = xmemdup0(text, n);
	cJSON *root;

	pthread_once(&once, set_hooks);
	replace_lone_surrogates(copy);
	budget = TREE_BYTES_MAX;
	root = cJSON_Parse(copy);
	budget = SIZE_MAX;
	free(copy);
	if (!root)
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "its values take more than %d MiB, are nested deeper than %d levels, or have more than 63 "
			  "digits",
			  TREE_BYTES_MAX >> 20, CJSON_NESTING_LIMIT);
	return root;
}
