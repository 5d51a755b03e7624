/*
 * struct work_unit: a run of entries that a source gives to a worker: files, or members of one archive with their
 * bytes. Owner: the worker, which uses it again for the next draw; one thread.
 *
 * A unit keeps the folders of its files open, at most UNIT_FOLDERS. All units and a walk of usual depth together keep
 * at most half of RLIMIT_NOFILE open (and one more for each unit with a path too long for the kernel). Files in further
 * folders are opened by their whole path, or go into the next unit if that is too long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "find/skip_reason.h"
#include "find/zip_place.h"

struct archive_facts;
struct archive_reader;
struct dir_handle;
struct label_format;
struct walk_item;
struct work_unit_members;

enum {
	UNIT_MEMBER_MAX = 8 << 20, /* bytes; members up to this size are whole in the unit's memory, others streams */
	UNIT_FOLDERS = 16,         /* more would be folders of one or two files, where the descriptor saves nothing */
	UNIT_TEXT = 4 << 20,       /* bytes of paths: 12,000 of 350 bytes; longer ones make smaller units */
};

/*
 * Where a symbolic link leads that the walk found: to a file below the PATHs that it gives under this path as well; or
 * NULL. In the unit's memory.
 */
struct entry_link {
	const char *target;
	size_t rel_offset; /* the target's */
};

/* One file to audit, one member of an archive, or an archive about which there is something to report. */
struct entry {
	const char *path;    /* as reported; in the unit's memory */
	const char *name;    /* what to open below dirfd: the end of path, or all of it */
	int dirfd;           /* or AT_FDCWD */
	bool is_explicit;    /* typed by the user or listed by --files-from: must be a label file */
	bool standard_input; /* "-": read descriptor 0; its first bytes_len bytes were read already and are in bytes */
	bool failed;         /* it could not be read (a folder without permission ...): fault says why */
	struct entry_link link;
	uint8_t skip_reason;    /* enum skip_reason: left out, and nothing of it was read; it may be a folder */
	bool looks_like_labels; /* only if left out */
	uint8_t unread_kind;    /* the same: enum unread_kind (read/unread_kind.h) */
	uint32_t typed_path;    /* index of the PATH that it belongs to; the number of PATHs: of the list */
	size_t rel_offset; /* where the part of path begins that is below the PATH typed; 0: path itself was typed */
	/* Members only. The bytes are in the unit's memory, too, and 64 zero bytes follow them. */
	const char *member;   /* its name in the archive `path`; NULL: a file */
	const uint8_t *bytes; /* all of it; if it is read as a stream, its beginning */
	size_t bytes_len;
	uint64_t size;                     /* of the member */
	uint64_t disk_bytes;               /* those of the archive's that pay for its work (base/work_units.h) */
	struct archive_reader *stream;     /* gives what follows `bytes`, by archive_stream_read; NULL: bytes are all */
	bool is_wanted;                    /* member_options' classify() decided so from its first bytes */
	const struct label_format *format; /* what classify() recognised; or NULL */
	bool repeated;                     /* an earlier member has the same name */
	bool name_cut;                     /* its name has a NUL in it, and `member` ends there */
	struct zip_place in_zip;           /* heads_only, in_place: where it lies in the archive */
	/*
	 * Not NULL: this entry is an archive, and these are its facts; its members are entries of their own.
	 */
	const struct archive_facts *archive;
	struct fault fault; /* only if failed; the last member */
};

/* Fails the entry if there is a fault. */
static inline void entry_fail(struct entry *e, const struct fault *fault)
{
	e->failed = fault->kind != FAULT_NONE;
	if (e->failed)
		e->fault = *fault;
}

struct work_unit {
	uint64_t number; /* 0, 1, 2 ... in the order of the walk */
	struct entry *entries;
	size_t count, cap;
	struct strbuf text;       /* the paths */
	struct dir_handle **dirs; /* referenced; one reference each */
	size_t dirs_count, dirs_cap;
	struct work_unit_members *members; /* memory of what came from archives; NULL until the first; owned */
};

void work_unit_init(struct work_unit *u);
void work_unit_release(struct work_unit *u);
/* Forgets the entries, closes their folders and keeps the memory. Ends a stream, for which other draws wait. */
void work_unit_clear(struct work_unit *u);

/*
 * ---- filling a unit, for a source and its archives. The pointers in entries are offsets until work_unit_end, because
 * the unit's text still moves; the returned entries are valid until the next one is added.
 */

/* Adds an entry for a path that is opened as it is. */
struct entry *work_unit_add_path(struct work_unit *u, const char *path, size_t len);
/* Adds an entry for what a walk found. Returns NULL if the unit is full (and not empty). */
struct entry *work_unit_add_item(struct work_unit *u, const struct walk_item *item);
/* Adds an entry for a member of the archive `path`, the same one for all members of a unit. */
struct entry *work_unit_add_member(struct work_unit *u, const char *path, const char *name, size_t name_len);
/* Turns the offsets in the entries into pointers, after the last one. */
void work_unit_end(struct work_unit *u);

/*
 * Returns whether a member of `size` bytes fits, and the `packed` bytes that it will be unpacked from. A unit without
 * members has space for any of up to UNIT_MEMBER_MAX.
 */
bool work_unit_fits(const struct work_unit *u, size_t size, size_t packed);
/* Returns memory for a member, with its padding. */
uint8_t *work_unit_take_memory(struct work_unit *u, size_t size);
/* Returns memory for the packed bytes of the entry that is added next; work_unit_unpack will unpack them to `out`. */
uint8_t *work_unit_add_packed(struct work_unit *u, const struct zip_data *data, uint8_t *out);
/* Takes the last of these back. */
void work_unit_drop_packed(struct work_unit *u);
/* Unpacks the members of a zip, after work_unit_end. Needs no lock of the source, so that threads do it at once. */
void work_unit_unpack(struct work_unit *u);
/* Calls end_stream(a) when the unit is cleared, which until then reads from the archive. */
void work_unit_lend(struct work_unit *u, struct archive_reader *a, void (*end_stream)(struct archive_reader *a));
const struct archive_facts *work_unit_keep_facts(struct work_unit *u, const struct archive_facts *f);
