/*
 * struct zip_hidden: members of a zip that its directory does not list: an archive before the archive, or what was
 * deleted from the directory alone. Programs that read the local headers in their order (bsdtar, ZipInputStream) find
 * these, programs that read the directory (unzip, Python) do not.
 *
 * It remembers how far the listed members reach, and searches what lies between two of them for a local header that
 * looks real. This needs members in the order of the directory, as all common writers have them. One thread.
 */
#ifndef FIND_ZIP_HIDDEN_H
#define FIND_ZIP_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

struct zip_hidden {
	uint64_t reached;  /* the end of the members so far */
	uint64_t searched; /* bytes of gaps that were read */
	bool unordered;    /* a member lies before the end of an earlier one */
	bool found;
	uint64_t at;    /* of the first one that was found */
	char name[129]; /* its beginning */
};

/* Adds the next member of the directory, at byte `at`, which ends at `end` or shortly after. */
void zip_hidden_add(struct zip_hidden *h, int fd, uint64_t at, uint64_t end);

/* Returns whether p[0..n) begins with a local header whose fields are possible. */
bool zip_is_local_header(const uint8_t *p, uint64_t n);

#endif
