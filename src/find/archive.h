/*
 * struct archive_reader: an archive whose members are audited without unpacking it to disk: a tar, plain or packed, or
 * a zip, told by its content. Members come in the archive's order.
 *
 * A source reads it under the source's lock, as many members at a time as a unit holds. Members of up to
 * UNIT_MEMBER_MAX bytes are copied into the unit; those of a zip still packed, so that the thread that drew the unit
 * can unpack them outside the lock. A larger member is a unit of its own, which reads it as a stream, and until that
 * unit is cleared nothing else can be drawn.
 */
#ifndef FIND_ARCHIVE_H
#define FIND_ARCHIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"
#include "find/member.h"

struct archive_reader;
struct entry;
struct member_folders;
struct work_unit;

enum archive_opened {
	ARCHIVE_OPENED,
	ARCHIVE_NONE,   /* it is no archive */
	ARCHIVE_FAILED, /* it is one, or should be, and cannot be read: fault */
};

/* What of an archive is wanted; borrowed by its reader, so it must outlive that. */
struct archive_wishes {
	const struct limits *limits;
	const atomic_bool *stop; /* base/wait.h; or NULL */
	/* Whether --include, --exclude and the like let a member pass; NULL: all pass. */
	bool (*lets_in)(void *filter, const char *name, size_t len);
	void *filter;
	bool (*wants)(const void *chooser, struct entry *member); /* as in struct find_options */
	const void *chooser;
	bool heads_only; /* give no more than the first ARCHIVE_HEAD bytes of each member */
	bool names_only; /* give not even these: `wants` is not asked, and what can be passed by is not unpacked */
	bool hidden;     /* give members, too, of which some part of the name begins with a dot */
	struct member_folders *folders; /* is told of the folders of all members; NULL: nobody asks */
};

enum { ARCHIVE_HEAD = 4096 };

/* Whether a name claims to be an archive's: *.tar, *.tgz, *.tar.gz, *.zip ... */
bool archive_claimed(const char *name);
/* Whether a name claims to be that of NumPy's archives, *.npz, of which every member claims to be an array. */
bool archive_holds_arrays(const char *name);
/*
 * Opens name below dirfd; `path` is what it is called in reports. claimed: its name claims that it is an archive, so if
 * it is none, that is its fault; without it, a file is an archive only if its first bytes say so.
 */
enum archive_opened archive_open(struct archive_reader **out, int dirfd, const char *name, const char *path,
				 bool claimed, const struct archive_wishes *wishes, struct fault *fault);
/* The same for standard input. If it is no archive, head, which has ARCHIVE_HEAD bytes, holds the *n bytes read of it.
 */
enum archive_opened archive_open_standard_input(struct archive_reader **out, const struct archive_wishes *wishes,
						uint8_t *head, size_t *n, struct fault *fault);
void archive_close(struct archive_reader *a);
const char *archive_path(const struct archive_reader *a);

/*
 * Adds entries for the next members to a unit that holds no others, up to max in all. False: there are no more members;
 * if something is to be said of the archive itself, the last entry is about that.
 */
bool archive_fill(struct archive_reader *a, struct work_unit *u, size_t max);

/* Reads on in the member that is lent to a unit as a stream; to be used as struct input_stream's read. */
int64_t archive_stream_read(void *self, void *out, size_t n, struct fault *fault);
/* The unit needs the stream no more; work_unit_clear calls it. */
void archive_stream_end(struct archive_reader *a);

#endif
