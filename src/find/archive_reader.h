/* The inside of struct archive_reader (find/archive.h), for archive.c and archive_fill.c alone. */
#ifndef FIND_ARCHIVE_READER_H
#define FIND_ARCHIVE_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/table.h"
#include "find/archive.h"
#include "find/byte_stream.h"
#include "find/member.h"
#include "find/tar.h"
#include "find/zip.h"

/* How many names are remembered to tell those that come twice: 8 bytes each, in a table at most half full: 64 MiB. */
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
	bool pending;             /* the member in hand did not fit into the last unit, and goes into the next one */
	bool judged;              /* its name was noted when it was first looked at */
	bool repeated, is_wanted; /* as in its entry */
	const struct format *format;
	struct hash_set names; /* of files; at most ARCHIVE_NAMES_MAX */
	bool names_full;       /* and the report says so */
	pthread_mutex_t lock;  /* over lent */
	pthread_cond_t idle;
	bool lent; /* a unit reads a member as a stream: only that one may touch the archive */
};

/* False at the end. */
bool archive_next(struct archive_reader *a, struct member *m);
/* Notes the name of a member. False: an earlier member has the same one. */
bool archive_name_is_new(struct archive_reader *a, const char *name, size_t len);
/* After the last member: whether the archive changed meanwhile, or has no members, goes into its fault. */
void archive_check_end(struct archive_reader *a);
/* Lends the member in hand to a unit as a stream. */
void archive_stream_begin(struct archive_reader *a);
/* Waits until no unit has a stream. False: told to stop. */
bool archive_wait_idle(struct archive_reader *a);

#endif
