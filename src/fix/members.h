/*
 * struct members: reads the members of an archive one after the other, as the audit read them (find/archive.h). Its
 * parts are open to those who copy the archive with what lies between the members. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"
#include "find/byte_stream.h"
#include "find/member.h"
#include "find/tar.h"
#include "find/zip.h"
#include "read/input.h"

struct members {
	int fd; /* the archive; a tar's belongs to its stream, which owns it */
	bool is_zip;
	enum packing packing; /* of a tar */
	uint64_t file_size;
	struct byte_stream stream;
	struct tar tar;
	struct zip zip;
	struct zip_data data;          /* of a zip's current member */
	struct zip_stream *zip_stream; /* NULL until it is read */
	struct archive_facts facts;
	struct fault fault; /* of the archive as a whole */
	struct member member;
};

/* Opens an archive below dirfd. Returns false if *fault is set; close it all the same. */
bool members_open(struct members *m, int dirfd, const char *name, const struct limits *limits, struct fault *fault);
void members_close(struct members *m);
/* Goes to the next member. Returns false at the end, or if *fault is set. */
bool members_next(struct members *m, struct fault *fault);
/* Opens the current member, from which nothing was read yet, as a stream. Returns false if *fault is set. */
bool members_open_input(struct members *m, struct input *in, struct fault *fault);
