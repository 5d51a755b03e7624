/*
 * struct zip_hidden: members of a zip that its directory does not list: an archive before the archive, or what was
 * deleted from the directory alone. Programs that read the local headers in their order (bsdtar, ZipInputStream) find
 * these, programs that read the directory (unzip, Python) do not.
 *
 * It collects where the listed members lie, in any order, and then searches what lies between them for a local header
 * that looks real. Memory: one extent for members that touch, which is all of them for most writers. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip_extent {
	uint64_t at, end; /* sorted by the first */
};

struct zip_hidden {
	struct zip_extent *extents; /* owned */
	size_t count, cap;
	bool full;         /* there are more than ZIP_EXTENTS_MAX: nothing is searched */
	uint64_t searched; /* bytes of gaps that were read */
	bool found;
	uint64_t at;    /* of the first one that was found */
	char name[129]; /* its beginning */
};

enum { ZIP_EXTENTS_MAX = 1 << 20 }; /* 16 MiB */

/* Adds the next member of the directory, at byte `at`, which ends at `end` or shortly after. */
void zip_hidden_add(struct zip_hidden *h, uint64_t at, uint64_t end);
/* Searches the gaps before and between what was added. */
void zip_hidden_search(struct zip_hidden *h, int fd);
void zip_hidden_release(struct zip_hidden *h);

/* Returns whether p[0..n) begins with a local header whose fields are possible. */
bool zip_is_local_header(const uint8_t *p, uint64_t n);
