/*
 * struct tar: the members of a tar archive, in order, from a byte_stream.
 *
 * Formats: POSIX.1-1988 ustar and POSIX.1-2001 pax (IEEE Std 1003.1, pax, "Interchange Format"), GNU long names, V7.
 * Recognised but not read: sparse members (GNU old and pax), multi-volume parts. An own reader, because what an auditor
 * has to tell is what other readers pass over: a wrong checksum (the members behind it are found again by searching
 * for the next header that is one), missing or single end blocks, what follows the end (up to TAR_TRAILER_MAX), links
 * that carry data.
 * The header of each member is read whatever its fault; extended headers are limited to TAR_EXTENDED_MAX bytes.
 */
#ifndef FIND_TAR_H
#define FIND_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/strbuf.h"
#include "find/byte_stream.h"
#include "find/member.h"

enum {
	TAR_BLOCK = 512,
	TAR_EXTENDED_MAX = 1 << 20, /* bytes of one extended header: its longest sensible value is a path of 4 KiB */
	TAR_EXTENDED_RUN = 8,       /* extended headers that may precede one member; writers make three at most */
	/*
	 * Bytes behind the end marker that are looked at, besides holes of the file: a second or so. Writers fill up to
	 * 10 KiB there, tapes to some MiB.
	 */
	TAR_TRAILER_MAX = 1 << 30,
};

/* What the extended headers before a member say of it. */
struct tar_extended {
	struct strbuf name;
	bool has_name, name_cut, has_size, sparse;
	uint64_t size, real_size;
	unsigned run;       /* how many there were */
	bool waits;         /* for the member that it is about; a global one does not */
	struct fault fault; /* one of them cannot be parsed */
};

struct tar {
	struct byte_stream *stream;  /* borrowed */
	struct archive_facts *facts; /* borrowed */
	struct fault *fault;         /* of the archive as a whole; borrowed */
	const struct limits *limits; /* borrowed */
	struct strbuf name;
	struct tar_extended next, global; /* global: pax 'g', for all members that follow */
	uint64_t data_left;               /* of the member in hand */
	uint64_t padding;                 /* behind its data */
	bool told;                        /* the member in hand has a fault */
	bool searching;                   /* its size is unknown, so that what follows is no header */
	bool heads_only;                  /* what is behind the end marker does not matter; set by who wants that */
	bool ended;
};

/* Whether a block is a tar header: its checksum is right, and not all of it is zero. */
bool tar_is_header(const uint8_t block[TAR_BLOCK]);

void tar_init(struct tar *t, struct byte_stream *stream, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault);
void tar_release(struct tar *t);
/* Passes over what is left of the member in hand. False: the end; then facts and fault are complete. */
bool tar_next(struct tar *t, struct member *m);
/* The next n bytes of the member's data; fewer only at its end, or with the fault filled. */
size_t tar_read(struct tar *t, void *out, size_t n, struct fault *fault);
/* Looks at the first n bytes (at most BYTE_STREAM_PEEK) without taking them. */
const uint8_t *tar_peek(struct tar *t, size_t n, size_t *have);

#endif
