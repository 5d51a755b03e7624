/*
 * struct zip: reads the members of a zip archive, in the order of its central directory, which decides what they are
 * (APPNOTE 6.3.10).
 *
 * Reads stored and deflated members, zip64, data descriptors, and archives after other data. Recognises but does not
 * read encrypted members, other methods, and archives of several disks. If the local headers, a second end record or
 * the counts contradict the directory, other readers will see other members: a flaw of the archive; so is a member that
 * the directory does not list. If the members together have more packed bytes than the file, they overlap, as in zip
 * bombs: then nothing is read.
 *
 * The file must be seekable, since members are read where they lie. The directory is read a window at a time, so it may
 * have any size. One thread, except where noted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/strbuf.h"
#include "find/file_window.h"
#include "find/member.h"
#include "find/zip_hidden.h"
#include "find/zip_place.h"

enum zip_method {
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
};

/* Records, and their lengths without names (APPNOTE, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16). */
enum {
	ZIP_LOCAL_BYTES = 30,
	ZIP_CENTRAL_BYTES = 46,
	ZIP_END_BYTES = 22,
	ZIP_END64_BYTES = 56,
	ZIP_LOCATOR64_BYTES = 20,
	ZIP_EXTRA_ZIP64 = 1,
};
#define ZIP_LOCAL     0x04034b50u
#define ZIP_CENTRAL   0x02014b50u
#define ZIP_END       0x06054b50u
#define ZIP_END64     0x06064b50u
#define ZIP_LOCATOR64 0x07064b50u

/* Replaces a number that is too large for its field; the record or field of zip64 has it (section 4.4.1.4). */
#define ZIP_FULL_32 0xffffffffu

enum { ZIP_HEADER_BYTES = 76 }; /* of a member, without its names: 30 before it and 46 in the directory */

struct libdeflate_decompressor;
struct zip_stream;

/* Bytes of the directory that were read. */
struct zip_window {
	uint8_t *bytes; /* owned */
	uint64_t at;    /* in the file */
	size_t len;
};

struct zip {
	int fd; /* borrowed */
	uint64_t file_size;
	const struct limits *limits; /* borrowed */
	struct archive_facts *facts; /* borrowed */
	struct fault *fault;         /* of the archive as a whole; borrowed */
	uint64_t directory;          /* its first byte in the file */
	uint64_t next, end;          /* of the directory, in the file */
	uint64_t base;               /* bytes of other data before the archive, to be added to all offsets */
	uint64_t count, expected;    /* members so far; members by the end record */
	uint64_t packed, unpacked;   /* bytes of the members so far, by the directory */
	uint64_t differing;          /* local headers that contradict the directory */
	struct zip_window window;
	/* The same of the members, whose headers and data are small reads. */
	struct file_window members;
	uint8_t *local; /* scratch: a local header with its name; owned */
	size_t local_cap;
	struct strbuf name, first_differing;
	struct zip_hidden hidden;
	bool directory_only; /* set by the caller of zip_init(): local headers are not read */
	bool ended;
	uint64_t local_at; /* of the last member's local header, in the file */
};

/* Finds and checks the directory. Returns false if that fails; then *fault is set, and there are no members. */
bool zip_init(struct zip *z, int fd, uint64_t file_size, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault);
void zip_release(struct zip *z);
/*
 * Reads the next entry of the directory; *data is set if it is a file without a fault. Returns false at the end; facts
 * and fault are complete then.
 */
bool zip_next(struct zip *z, struct member *m, struct zip_data *data);

/* Reads n packed bytes at data->at + offset into out. */
bool zip_read_packed(struct zip *z, const struct zip_data *data, uint64_t offset, void *out, size_t n,
		     struct fault *fault);
/*
 * Unpacks a whole member that is in memory, and checks its CRC. Any thread, with an *inflater of its own, which is NULL
 * at first and is freed by libdeflate_free_decompressor.
 */
bool zip_unpack(const struct zip_data *data, const uint8_t *packed, uint8_t *out,
		struct libdeflate_decompressor **inflater, struct fault *fault);

/* Opens a member that is too large for memory. */
struct zip_stream *zip_stream_open(struct zip *z, const struct zip_data *data);
/* Reads n bytes; fewer only at the end, when the CRC and the size were right, or if *fault is set. */
size_t zip_stream_read(struct zip_stream *s, void *out, size_t n, struct fault *fault);
void zip_stream_close(struct zip_stream *s);
