/*
 * struct tar: the members of a tar archive, one after the other, from a byte_stream.
 *
 * Read are POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU long names and V7. Recognised but not read are sparse members
 * (GNU's old ones and pax) and parts of several volumes. Why a reader of our own: an auditor has to tell what other
 * readers pass over, such as a wrong checksum (the members behind it are found again by searching for the next block
 * that is a header), an end marker that is missing or half, data behind the end (up to TAR_TRAILER_MAX), links that
 * carry data. What is wrong with one member is that member's fault; what is wrong with the archive goes into its facts
 * and fault. One thread.
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
#include "find/tar_extended.h"
#include "find/tar_header.h"

enum {
	TAR_EXTENDED_MAX = 1 << 20, /* bytes of one extended header: its longest sensible value is a path of 4 KiB */
	TAR_EXTENDED_RUN = 8,       /* extended headers that may precede one member; writers make three at most */
	/*
	 * Bytes behind the end marker that are looked at, not counting holes of the file: about a second. Writers fill
	 * up to 10 KiB there, tapes some MiB.
	 */
	TAR_TRAILER_MAX = 1 << 30,
};

struct tar {
	struct byte_stream *stream;  /* borrowed */
	struct archive_facts *facts; /* borrowed */
	struct fault *fault;         /* of the archive as a whole; borrowed */
	const struct limits *limits; /* borrowed */
	struct strbuf name;
	struct tar_extended next;   /* of the next member */
	struct tar_extended global; /* pax 'g': of all members that follow */
	unsigned extended_run;      /* extended headers since the last member */
	bool extended_waits;        /* one of them was not global, so that a member must follow */
	uint64_t data_left;         /* of the member in hand */
	uint64_t padding;           /* behind its data */
	bool told;                  /* the member in hand has a fault */
	bool searching;             /* its size is unknown: what follows is data, until a block is a header */
	bool heads_only;            /* set by the caller: what is behind the end marker does not matter */
	bool ended;
};

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
