/*
 * Copies an archive of which some members change, member by member, in their order: the headers stay but for the sizes
 * and checksums of those that change, and every other member stays byte for byte. tar_copy.c and zip_copy.c know the
 * two formats.
 *
 * Members of up to INPUT_WHOLE_MAX bytes are gathered in batches, whose changes are made on several threads and written
 * in order, so that the bytes do not depend on the number of threads; a larger one goes through files without a name.
 * One thread calls.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "find/zip.h"
#include "fix/fix_set.h"
#include "fix/members.h"
#include "fix/pack.h"
#include "fix/plan.h"
#include "fix/receipt.h"
#include "fix/sink.h"
#include "fix/writers.h"

struct archive_job {
	const struct fix_plan *plan;
	const struct fix_archive *archive;
	const char *folder; /* for files without a name, where the copy will be */
	unsigned jobs;      /* threads, this one among them */
	struct sink *out;   /* begun */
};

enum {
	COPY_ITEMS = 64,       /* members of a batch */
	COPY_BYTES = 16 << 20, /* from which on a batch is written */
};

/* A member of the batch. */
struct copy_item {
	const struct fix_file *file;  /* if it changes; else NULL */
	struct member_record *record; /* then */
	struct strbuf head;           /* what lies in the archive before the member's bytes */
	struct strbuf body;           /* them, as they are in the archive; a zip's only if they change */
	struct strbuf tail;           /* and after them */
	struct sink corrected;
	struct fault fault;
	/* of a zip */
	struct zip_data data; /* where the member's bytes are in the old archive; if they changed, what they became */
	struct strbuf directory; /* its entry */
	uint64_t offset;         /* that the entry has */
};

struct copy_worker;

struct archive_copy {
	const struct archive_job *job;
	struct members members;
	struct copy_item *items; /* COPY_ITEMS; owned */
	size_t count;
	uint64_t bytes; /* of the batch, in memory */
	atomic_size_t next;
	struct copy_worker *workers;   /* one for each thread; owned */
	struct packer *packer;         /* of a packed tar; or NULL; owned */
	uint64_t written;              /* before it is packed */
	struct member_record *records; /* of the members that change; borrowed */
	size_t records_room, records_count;
	struct strbuf directory; /* of the new zip, so far */
};

/*
 * Copies the archive `path` to job->out. records: room for one of each member that changes, in the order of the set.
 * Returns false if *fault is set: it cannot be read or written, or is not what was planned for.
 */
bool archive_copy(const struct archive_job *job, const char *path, struct member_record *records, struct fault *fault);

/* ---- for the two formats ----------------------------------------------------------------------------------------- */

/* Each copies what c->members has. */
bool tar_copy(struct archive_copy *c, struct fault *fault);
bool zip_copy(struct archive_copy *c, struct fault *fault);
/* Writes an item that is complete. */
bool tar_write_item(struct archive_copy *c, struct copy_item *item, struct fault *fault);
bool zip_write_item(struct archive_copy *c, struct copy_item *item, struct fault *fault);

/* Returns the next item of the batch, empty, for the current member; `file` is set if it changes. */
struct copy_item *copy_next_item(struct archive_copy *c, struct fault *fault);
/* Adds the item to the batch, and writes this if it is full. Returns false if *fault is set, as the others. */
bool copy_add_item(struct archive_copy *c, struct copy_item *item, struct fault *fault);
/* Makes and writes the batch. */
bool copy_flush(struct archive_copy *c, struct fault *fault);
/*
 * Makes a member that is too large for memory, by way of files without a name. *fd: the corrected bytes; those of a
 * deflated zip member deflated. Sets item->data as they are; item is in no batch.
 */
bool copy_make_large(struct archive_copy *c, struct copy_item *item, int *fd, struct fault *fault);
/* Appends to the archive. */
bool copy_write(struct archive_copy *c, const void *bytes, size_t n, struct fault *fault);
/* Appends n bytes of a file, from byte `at` on. */
bool copy_write_file(struct archive_copy *c, int fd, uint64_t at, uint64_t n, struct fault *fault);
/* Appends n bytes of zeros. */
bool copy_write_zeros(struct archive_copy *c, uint64_t n, struct fault *fault);
