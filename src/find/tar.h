/*
 * struct tar: reads the members of a tar archive in order, from a byte_stream.
 *
 * Reads POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU long names and V7. Recognises but does not read sparse members (GNU's
 * old ones and pax) and parts of several volumes. This is a reader of its own because an auditor must report what other
 * readers ignore: a wrong checksum (the members after it are found by searching for the next block that is a header), a
 * missing or half end marker, data after the end (up to TAR_TRAILER_MAX), links with data. A member's fault covers
 * that member; the archive's facts and fault cover the rest. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/strbuf.h"
#include "find/byte_stream.h"
#include "find/member.h"

enum {
	TAR_BLOCK = 512,
	/* Fields of a header, which is one block. */
	TAR_SIZE_AT = 124,
	TAR_SIZE_BYTES = 12,
	TAR_CHECKSUM_AT = 148,
	TAR_CHECKSUM_BYTES = 8,
	TAR_TYPE_AT = 156,
	TAR_EXTENDED_MAX = 1 << 20, /* bytes of one extended header: its longest sensible value is a path of 4 KiB */
	TAR_EXTENDED_RUN = 8,       /* extended headers that may precede one member; writers make three at most */
	TAR_TRAILER_MAX =
		256 << 20, /* bytes after the end marker that are read: writers fill up to 10 KiB, tapes some MiB */
};

/*
 * The contents of the extended headers before a member: pax records (POSIX.1-2001, "pax Header Block") and GNU's long
 * names. In the archive they are members of their own.
 */
struct tar_extended {
	struct strbuf name;
	bool has_name;
	bool name_cut; /* it contained a NUL and ends there */
	bool has_size;
	bool sparse;
	uint64_t size;
	uint64_t real_size; /* of a sparse member, unpacked */
	struct fault fault; /* one of the headers cannot be parsed */
};

struct tar {
	struct byte_stream *stream;  /* borrowed */
	struct archive_facts *facts; /* borrowed */
	struct fault *fault;         /* of the archive as a whole; borrowed */
	const struct limits *limits; /* borrowed */
	struct strbuf name;
	struct tar_extended next;   /* for the next member */
	struct tar_extended global; /* pax 'g': for all members that follow */
	unsigned extended_run;      /* extended headers since the last member */
	bool extended_waits;        /* one of them was not global, so a member must follow */
	uint64_t data_left;         /* of the current member */
	uint64_t padding;           /* after its data */
	bool has_fault;             /* the current member has one */
	bool searching;             /* its size is unknown: what follows is data, until a block is a header */
	bool heads_only;            /* set by the caller: do not read past the end marker */
	bool ended;
};

void tar_init(struct tar *t, struct byte_stream *stream, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault);
void tar_release(struct tar *t);
/* Skips the rest of the current member and reads the next. Returns false at the end; facts and fault are complete then.
 */
bool tar_next(struct tar *t, struct member *m);
/* Reads the next n bytes of the member's data; fewer only at its end, or if *fault is set. */
size_t tar_read(struct tar *t, void *out, size_t n, struct fault *fault);
/* Returns the first n bytes (at most BYTE_STREAM_PEEK) without consuming them; *have of them. */
const uint8_t *tar_peek(struct tar *t, size_t n, size_t *have);

/* Returns whether a block is a header with a right checksum. A block of zeros is none. Pure, as the next two. */
bool tar_is_header(const uint8_t *block);
/* Returns whether a block says that it is ustar's or GNU's header, whatever its checksum; V7's has no such mark. */
bool tar_has_magic(const uint8_t *block);
bool tar_all_zero(const uint8_t *p, size_t n);
