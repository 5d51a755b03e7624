/*
 * struct records: what became of each entry of a tree. They are kept in a file without a name, in the folder of the
 * result, and not in memory: a set may have millions of entries, and each record is written once and read once.
 *
 * records_put() may be called by many threads, each for entries of its own; the rest by one. Owner: the command.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fix/file_digest.h"
#include "fix/fix_set.h"

/* A member of an archive that changes, before and after. */
struct member_record {
	const struct fix_file *file;
	struct digest input, output;
	uint64_t labels;
};

/* An entry of the tree, before and after. */
struct fix_record {
	struct digest input, output;
	uint64_t labels;               /* that got another id */
	struct member_record *members; /* of an archive that changes; the caller makes them, the records free them */
	size_t members_count;
};

struct records {
	int fd;
	pthread_mutex_t lock;
	struct member_record **members; /* of all archives; owned */
	size_t members_count, members_cap;
	struct fix_record *read; /* records that were read ahead; owned */
	size_t read_first, read_count;
};

/* folder: of the result. On failure there is nothing to close. */
enum status records_open(struct records *r, const char *folder, struct error *err);
void records_close(struct records *r);
/* Keeps the record of an entry, and takes over its members. */
enum status records_put(struct records *r, size_t entry, const struct fix_record *record, struct error *err);
/* Returns the record of an entry, until the next call; or NULL. Best asked in their order, after all were put. */
const struct fix_record *records_get(struct records *r, size_t entry, struct error *err);
