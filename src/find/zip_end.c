#include "find/zip_end.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"

/* Records and their lengths (APPNOTE, sections 4.3.14 to 4.3.16). */
enum {
	END_BYTES = 22,
	END64_BYTES = 56,
	LOCATOR64_BYTES = 20,
	COMMENT_MAX = 65535,
};
#define SIGNATURE_END       0x06054b50u
#define SIGNATURE_END64     0x06064b50u
#define SIGNATURE_LOCATOR64 0x07064b50u

int64_t zip_read_at(int fd, uint64_t at, void *out, size_t n, struct fault *fault)
{
	size_t got = 0;

	if (at > INT64_MAX - n)
		return 0;
	while (got < n) {
		ssize_t r = pread(fd, (uint8_t *)out + got, n - got, (off_t)(at + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
			fault_set(fault, FAULT_UNREADABLE, at, "cannot read at byte %" PRIu64 ": %s", at,
				  strerror(errno));
			return -1;
		}
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (int64_t)got;
}

struct end_record {
	uint64_t at; /* in the file */
	uint64_t disk, directory_disk, here, total, size, offset;
	uint16_t comment;
};

static void parse_end(const uint8_t *p, uint64_t at, struct end_record *e)
{
	e->at = at;
	e->disk = le16(p + 4);
	e->directory_disk = le16(p + 6);
	e->here = le16(p + 8);
	e->total = le16(p + 10);
	e->size = le32(p + 12);
	e->offset = le32(p + 16);
	e->comment = le16(p + 20);
}

/*
 * Finds the end record in the last bytes of the file: the last one whose comment ends where the file does, else the
 * last one. *candidates: how many there are that could be one.
 */
static bool find_end(const uint8_t *tail, size_t n, uint64_t tail_at, struct end_record *out, unsigned *candidates)
{
	bool exact = false;

	*candidates = 0;
	for (size_t i = n < END_BYTES ? 0 : n - END_BYTES + 1; i-- > 0;) {
		struct end_record e;

		if (le32(tail + i) != SIGNATURE_END)
			continue;
		parse_end(tail + i, tail_at + i, &e);
		bool fits = i + END_BYTES + e.comment == n;

		++*candidates;
		if (*candidates == 1 || (fits && !exact)) {
			*out = e;
			exact = fits;
		}
	}
	return *candidates;
}

/* The record of zip64, where the other one has no room for a number. False: fault. */
static bool take_end64(const struct zip *z, struct end_record *e)
{
	uint8_t locator[LOCATOR64_BYTES], p[END64_BYTES];
	bool wanted = e->total == ZIP_FULL_16 || e->size == ZIP_FULL_32 || e->offset == ZIP_FULL_32;

	if (e->at < LOCATOR64_BYTES ||
	    zip_read_at(z->fd, e->at - LOCATOR64_BYTES, locator, sizeof(locator), z->fault) != LOCATOR64_BYTES ||
	    le32(locator) != SIGNATURE_LOCATOR64) {
		if (wanted && e->size != ZIP_FULL_32 && e->offset != ZIP_FULL_32)
			return true; /* 65535 members, just so */
		if (wanted)
			fault_set(z->fault, FAULT_CORRUPT, e->at,
				  "the end record points past 4 GiB, but there is no zip64 record");
		return !wanted;
	}
	uint64_t at = le64(locator + 8);

	if (at > z->file_size || zip_read_at(z->fd, at, p, sizeof(p), z->fault) != END64_BYTES ||
	    le32(p) != SIGNATURE_END64) {
		/* in an archive behind other data, it is right in front of its locator */
		if (e->at < LOCATOR64_BYTES + END64_BYTES ||
		    zip_read_at(z->fd, e->at - LOCATOR64_BYTES - END64_BYTES, p, sizeof(p), z->fault) != END64_BYTES ||
		    le32(p) != SIGNATURE_END64) {
			fault_set(z->fault, FAULT_CORRUPT, e->at - LOCATOR64_BYTES,
				  "the zip64 locator points to byte %" PRIu64 ", where no zip64 record is", at);
			return false;
		}
		at = e->at - LOCATOR64_BYTES - END64_BYTES;
	}
	uint16_t comment = e->comment;

	*e = (struct end_record){ .at = at,
				  .disk = le32(p + 16),
				  .directory_disk = le32(p + 20),
				  .here = le64(p + 24),
				  .total = le64(p + 32),
				  .size = le64(p + 40),
				  .offset = le64(p + 48),
				  .comment = comment };
	return true;
}

/* Where the directory really is: as the record says, or, behind other data, right in front of the record. */
static bool place_directory(struct zip *z, const struct end_record *e)
{
	uint8_t signature[4];
	uint64_t end;

	if (size_add(e->offset, e->size, &end) && end <= e->at) {
		if (!e->size || (zip_read_at(z->fd, e->offset, signature, 4, z->fault) == 4 &&
				 le32(signature) == ZIP_SIGNATURE_CENTRAL)) {
			z->next = e->offset;
			z->end = end;
			return true;
		}
		uint64_t at = e->at - e->size;

		if (zip_read_at(z->fd, at, signature, 4, z->fault) == 4 && le32(signature) == ZIP_SIGNATURE_CENTRAL) {
			z->base = at - e->offset;
			z->next = at;
			z->end = e->at;
			return true;
		}
	}
	fault_set(z->fault, FAULT_CORRUPT, e->at,
		  "the end record says that the directory is at byte %" PRIu64 ", %" PRIu64
		  " bytes long, and it is not",
		  e->offset, e->size);
	return false;
}

static void check_ends(struct zip *z, const struct end_record *e, uint64_t after, unsigned candidates)
{
	uint8_t signature[4];

	if (e->disk || e->directory_disk || e->here != e->total)
		archive_flaw(z->facts, "it claims to be one of several disks");
	if (after > e->comment)
		archive_flaw(z->facts, "%" PRIu64 " bytes of other data follow the end record", after - e->comment);
	if (after < e->comment)
		archive_flaw(z->facts, "its comment of %u bytes goes beyond the end of the file", e->comment);
	if (candidates > 1)
		archive_flaw(
			z->facts,
			"%u end records are in it: readers disagree which one counts, and so which members there are",
			candidates);
	if (e->total &&
	    (z->base || (zip_read_at(z->fd, 0, signature, 4, z->fault) == 4 && le32(signature) != ZIP_SIGNATURE_LOCAL)))
		archive_flaw(z->facts, "other data stand in front of it");
}

bool zip_find_directory(struct zip *z)
{
	size_t n = (size_t)MIN(z->file_size, (uint64_t)(COMMENT_MAX + END_BYTES));
	uint64_t tail_at = z->file_size - n;
	uint8_t *tail = xmalloc(n + 4);
	struct end_record e = { 0 };
	unsigned candidates;
	bool ok = false;

	if (zip_read_at(z->fd, tail_at, tail, n, z->fault) != (int64_t)n) {
		fault_set(z->fault, FAULT_UNREADABLE, tail_at, "changed while it was read");
	} else if (!find_end(tail, n, tail_at, &e, &candidates)) {
		fault_set(z->fault, FAULT_TRUNCATED, z->file_size,
			  "no end record within the last %zu bytes: the archive was cut off, or is none", n);
	} else {
		uint64_t after = z->file_size - e.at - END_BYTES;

		ok = take_end64(z, &e) && place_directory(z, &e);
		z->expected = e.total;
		if (ok)
			check_ends(z, &e, after, candidates);
	}
	free(tail);
	return ok;
}
