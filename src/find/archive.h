/*
 * struct archive_reader: one archive whose members are audited in place: tar (plain or packed) or zip, told by content.
 *
 * A source reads it under its lock, a unit's worth of members at a time. Members of up to UNIT_MEMORY_MAX bytes are
 * copied into the unit (packed ones of a zip as they are, and unpacked by whoever drew them, outside the lock). A
 * larger one is a unit of its own, which reads it as a stream; nothing else is drawn until that unit is cleared. Order
 * and numbering are those of the archive. Nothing is written anywhere.
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
struct unit;

enum archive_opened {
	ARCHIVE_OPENED,
	ARCHIVE_NONE,   /* it is no archive */
	ARCHIVE_FAILED, /* it is one, or should be, and cannot be read: fault */
};

/* What an archive is asked for; borrowed, and must outlive it. */
struct archive_wishes {
	const struct limits *limits;
	const atomic_bool *stop; /* waits end soon after it becomes true */
	/* Whether the filters let a member in; NULL: all. */
	bool (*lets_in)(void *filter, const char *name, size_t len);
	void *filter;
	/* Whether a member's name and first bytes (ARCHIVE_HEAD, unless it has fewer) make it worth reading; NULL: all.
	 */
	bool (*wants)(const void *chooser, const char *name, const uint8_t *head, size_t n);
	const void *chooser;
	bool heads_only; /* of every member, no more than its first ARCHIVE_HEAD bytes */
	bool hidden;     /* also members below or with names that begin with a dot */
};

enum { ARCHIVE_HEAD = 4096 };

/* Whether a name claims to be an archive's: *.tar, *.tgz, *.tar.gz, *.zip ... */
bool archive_claimed(const char *name);
/* Whether it is NumPy's, *.npz: then every member claims to be an array. */
bool archive_holds_arrays(const char *name);
/*
 * Opens name below dirfd, a regular file; `path` is what it is called in reports. Without `claimed` (see above) it must
 * look like one.
 */
enum archive_opened archive_open(struct archive_reader **out, int dirfd, const char *name, const char *path,
				 bool claimed, const struct archive_wishes *wishes, struct fault *fault);
/*
 * The same for standard input. ARCHIVE_NONE: head (of ARCHIVE_HEAD bytes) holds the *n bytes that were read to find
 * that out.
 */
enum archive_opened archive_open_standard_input(struct archive_reader **out, const struct archive_wishes *wishes,
						uint8_t *head, size_t *n, struct fault *fault);
void archive_close(struct archive_reader *a);
const char *archive_path(const struct archive_reader *a);

/*
 * Adds entries for the next members to a unit that holds none but this archive's, up to max of them. False: that were
 * the last; if there is something to say of the archive itself, its entry is among them.
 */
bool archive_fill(struct archive_reader *a, struct unit *u, size_t max);

/* The member that a unit of one streamed entry has; as struct input_stream's. */
int64_t archive_stream_read(void *self, void *out, size_t n, struct fault *fault);
/* The unit is done with it: called by unit_clear. */
void archive_stream_end(struct archive_reader *a);

#endif
