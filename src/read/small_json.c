#include "read/small_json.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

cJSON *small_json_parse(const char *text, size_t n, struct fault *fault)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	FREED char *copy = xmemdup0(text, n);
	cJSON *root;

	pthread_once(&once, set_hooks);
	budget = TREE_BYTES_MAX;
	root = cJSON_Parse(copy);
	budget = SIZE_MAX;
	if (!root)
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "its values take more than %d MiB, are nested deeper than %d levels, have more than 63 "
			  "digits, or "
			  "hold half of a surrogate pair",
			  TREE_BYTES_MAX >> 20, CJSON_NESTING_LIMIT);
	return root;
}
