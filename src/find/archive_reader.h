/* struct archive_reader from inside: for archive.c and archive_fill.c alone. */
#ifndef FIND_ARCHIVE_READER_H
#define FIND_ARCHIVE_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "find/archive.h"
#include "find/byte_stream.h"
#include "find/member.h"
#include "find/tar.h"
#include "find/zip.h"

/* Names remembered to tell those that come twice: 8 bytes each in a table that is at least half full, 64 MiB. */
enum { ARCHIVE_NAMES_MAX = 4 << 20 };

struct archive_reader {
	int fd; /* owned; a tar's belongs to its stream */
	char *path;
	const struct archive_wishes *wishes;
	bool regular; /* a file, not a pipe */
	bool arrays;  /* an .npz, all of whose members must be label files */
	struct stat st;
	bool is_tar, is_zip;
	struct byte_stream stream;
	struct tar tar;
	struct zip zip;
	struct zip_data zip_data;      /* of the member in hand */
	struct zip_stream *zip_stream; /* the member that is read as a stream */
	struct archive_facts facts;
	struct fault fault;                        /* of the archive as a whole */
	struct strbuf first_special, first_unsafe; /* escaped names */
	struct member member;
	bool pending; /* the member in hand did not fit into the unit before */
	bool judged;  /* it was looked at then: its name was noted */
	bool repeated;
	uint64_t *names; /* hashes of the names of files, open addressing, 0 is empty; owned */
	size_t names_count, names_cap;
	pthread_mutex_t lock; /* over lent */
	pthread_cond_t idle;
	bool lent; /* a unit reads a member as a stream: only that one may touch the archive */
};

bool archive_next(struct archive_reader *a, struct member *m);
/* Whether a member of this name was not seen before; notes it. */
bool archive_name_is_new(struct archive_reader *a, const char *name, size_t len);
void archive_check_end(struct archive_reader *a);
void archive_stream_begin(struct archive_reader *a);
/* Waits until nobody reads a stream. False: told to stop. */
bool archive_wait_idle(struct archive_reader *a);

#endif
