#include "find/zip_hidden.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/lower_bound.h"
#include "base/mem.h"

enum {
	LOCAL_BYTES = 30,
	NAME_SEARCHED = 1024,    /* a name that is longer is taken for chance */
	VERSION_MAX = 63,        /* APPNOTE 4.4.3.2 */
	SEARCH_BLOCK = 64 << 10, /* bytes read at a time */
	SEARCHED_MAX = 64 << 20, /* of all gaps: no more than 20 ms */
	SEARCH_OVERLAP = LOCAL_BYTES + NAME_SEARCHED,
};

bool zip_is_local_header(const uint8_t *p, uint64_t n)
{
	if (n <= LOCAL_BYTES || memcmp(p, "PK\3\4", 4) != 0 || p[4] > VERSION_MAX)
		return false;
	unsigned method = le16(p + 8), name_len = le16(p + 26);

	/* stored, deflate, and what a reader could unpack by another library (4.4.5) */
	if (method != 0 && method != 8 && method != 9 && method != 12 && method != 14 && method < 93)
		return false;
	if (method > 99 || !name_len || name_len > NAME_SEARCHED || name_len > n - LOCAL_BYTES)
		return false;
	for (unsigned i = 0; i < name_len; i++)
		if (p[LOCAL_BYTES + i] < ' ')
			return false;
	return true;
}

static void note(struct zip_hidden *h, uint64_t at, const uint8_t *name, size_t n)
{
	h->found = true;
	h->at = at;
	n = MIN(n, sizeof(h->name) - 1);
	memcpy(h->name, name, n);
	h->name[n] = '\0';
}

/* Searches the n bytes of the file from `at` on. */
static void search_block(struct zip_hidden *h, const uint8_t *p, size_t n, uint64_t at)
{
	const uint8_t *hit, *from = p;

	while (!h->found && (hit = memmem(from, n - (size_t)(from - p), "PK\3\4", 4))) {
		uint64_t left = n - (size_t)(hit - p);

		if (GUARD(member_that_no_directory_lists, zip_is_local_header(hit, left)))
			note(h, at + (uint64_t)(hit - p), hit + LOCAL_BYTES, le16(hit + 26));
		from = hit + 1;
	}
}

static void search(struct zip_hidden *h, int fd, uint64_t at, uint64_t end)
{
	FREED uint8_t *block = xmalloc(SEARCH_BLOCK);

	while (!h->found && end - at > LOCAL_BYTES && h->searched < SEARCHED_MAX) {
		ssize_t n = pread(fd, block, (size_t)MIN(end - at, (uint64_t)SEARCH_BLOCK), (off_t)at);

		if (n <= 0)
			break;
		h->searched += (uint64_t)n;
		search_block(h, block, (size_t)n, at);
		if ((uint64_t)n == end - at || n <= SEARCH_OVERLAP)
			break;
		at += (uint64_t)n - SEARCH_OVERLAP; /* a header may begin in this block and end in the next */
	}
}

void zip_hidden_add(struct zip_hidden *h, uint64_t at, uint64_t end)
{
	struct zip_extent *last = h->count ? &h->extents[h->count - 1] : NULL;

	if (last && at >= last->at && at - MIN(at, last->end) <= LOCAL_BYTES) {
		last->end = MAX(last->end, end);
		return;
	}
	h->full = h->full || h->count == ZIP_EXTENTS_MAX;
	if (h->full)
		return;
	GROW(h->extents, h->cap, h->count + 1);
	h->extents[h->count++] = (struct zip_extent){ at, MAX(at, end) };
}

void zip_hidden_search(struct zip_hidden *h, int fd)
{
	uint64_t reached = 0;

	if (h->full || !h->count)
		return;
	qsort(h->extents, h->count, sizeof(*h->extents), compare_uint64);
	for (size_t i = 0; i < h->count && !h->found; i++) {
		const struct zip_extent *e = &h->extents[i];

		if (e->at > reached && e->at - reached > LOCAL_BYTES)
			search(h, fd, reached, e->at);
		reached = MAX(reached, e->end);
	}
}

void zip_hidden_release(struct zip_hidden *h)
{
	free(h->extents);
	memset(h, 0, sizeof(*h));
}
