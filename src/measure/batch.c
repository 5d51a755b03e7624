/* struct batch (measure/backend.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/backend.h"

void batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
}

/* All items below cap hold a valid input, used or not: its memory is reused. */
void batch_release(struct batch *b)
{
	for (size_t i = 0; i < b->cap; i++)
		input_release(&b->items[i].input);
	free(b->items);
	free(b->ids);
	batch_init(b);
}

void batch_clear(struct batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		input_reset(&b->items[i].input);
	b->count = 0;
	b->ids_count = 0;
}

struct batch_item *batch_add(struct batch *b)
{
	size_t old_cap = b->cap;

	GROW(b->items, b->cap, b->count + 1);
	for (size_t i = old_cap; i < b->cap; i++)
		input_init(&b->items[i].input);
	struct batch_item *item = &b->items[b->count++];

	memset(&item->sample, 0, sizeof(item->sample));
	memset(&item->stats, 0, sizeof(item->stats));
	memset(&item->image, 0, sizeof(item->image));
	item->cacheable = item->cached = false;
	return item;
}

struct id_stats *batch_add_ids(struct batch *b, size_t n)
{
	/* at least 1, so that b->ids is not NULL: NULL + offset is undefined behaviour */
	GROW(b->ids, b->ids_cap, MAX(b->ids_count + n, (size_t)1));
	struct id_stats *rows = b->ids + b->ids_count;

	b->ids_count += n;
	return rows;
}

static int compare_ids(const void *a, const void *b)
{
	const struct id_stats *p = a, *q = b;

	return (p->id > q->id) - (p->id < q->id);
}

void id_stats_sort(struct id_stats *rows, size_t n)
{
	qsort(rows, n, sizeof(*rows), compare_ids);
}

bool batch_item_needs_backend(const struct batch_item *item)
{
	return item->sample.format == FORMAT_PNG && item->sample.status == SAMPLE_READ;
}

void batch_item_fail(struct batch_item *item)
{
	assert(item->sample.fault.kind != FAULT_NONE);
	item->sample.status = SAMPLE_FAILED;
	memset(&item->stats, 0, sizeof(item->stats));
}
