/*
 * struct archive_reader: reads the members of a tar (plain or packed) or a zip without unpacking it to disk, and adds
 * them to work units in the archive's order. The content decides which kind of archive it is.
 *
 * The source reads under its lock, as many members at a time as a unit holds. Members of up to UNIT_MEMBER_MAX bytes
 * are copied into the unit; those of a zip still packed, so that the thread that drew the unit unpacks them outside the
 * lock. A larger member is a unit of its own, which reads it as a stream; until that unit is cleared, no other can be
 * drawn.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/member.h"
#include "find/skip_reason.h"

struct archive_reader;
struct find_options;
struct walk_filter;
struct work_unit;

enum archive_opened {
	ARCHIVE_OPENED,
	ARCHIVE_NONE,   /* it is not an archive */
	ARCHIVE_FAILED, /* it is one, or should be, and cannot be read: *fault is set */
};

/* Which members are read, and how much of them. Borrowed by the reader. */
struct archive_options {
	const struct find_options *find;
	const atomic_bool *stop; /* base/stop.h; or NULL */
	struct walk_filter *filter;
	bool is_explicit; /* the current archive is a PATH, or from the list: a walk that chose it has applied --include
			   */
	uint32_t typed_path;   /* of the archive: for classify() */
	uint64_t *units_free;  /* for byte_stream_open() */
	uint64_t *heads_units; /* for byte_stream_heads_only() */
};

enum { ARCHIVE_HEAD = 4096 };

/* Returns whether a name is an archive's: *.tar, *.tgz, *.tar.gz, *.zip ... */
bool is_archive_name(const char *name);
/* Returns whether a name is that of NumPy's archives, *.npz, each of whose members claims to be an array. */
bool is_npz_name(const char *name);
/* Returns whether an archive of which `head` is the first n bytes is a zip: by these, or by its name if they tell
 * nothing. */
bool archive_is_zip(const char *name, const uint8_t *head, size_t n);
/*
 * Opens name below dirfd; `path` is what reports call it. claimed: its name is an archive's, so it is a fault if it is
 * none; otherwise it is an archive only if its first bytes say so.
 */
enum archive_opened archive_open(struct archive_reader **out, int dirfd, const char *name, const char *path,
				 bool claimed, const struct archive_options *options, struct fault *fault);
/* The same for standard input. If that is no archive, head[0..*n) are the bytes that were read of it. */
enum archive_opened archive_open_standard_input(struct archive_reader **out, const struct archive_options *options,
						uint8_t head[ARCHIVE_HEAD], size_t *n, struct fault *fault);
void archive_close(struct archive_reader *a);
const char *archive_path(const struct archive_reader *a);
/* Returns how far into its file the members lie that were given; and the size of the file, 0 if that is unknown. */
uint64_t archive_position(const struct archive_reader *a);
uint64_t archive_file_size(const struct archive_reader *a);

/*
 * Adds entries for the next members to a unit that holds no others, up to max in all. Returns false if there are no
 * more members; if there is something to report about the archive itself, the last entry is for that.
 */
bool archive_fill(struct archive_reader *a, struct work_unit *u, size_t max);

/* Reads on in the member that a unit reads as a stream: struct input_stream's read. */
int64_t archive_stream_read(void *self, void *out, size_t n, struct fault *fault);
