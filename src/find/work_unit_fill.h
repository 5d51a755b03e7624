/*
 * How a source fills a unit: for the files of this room alone. Between the first unit_add_* and work_unit_end, the
 * pointers in the entries are not valid: they are offsets, because the unit's text still moves.
 *
 * A unit keeps the folders of its files open, UNIT_FOLDERS of them at most; and all units and the walk together no more
 * than half of RLIMIT_NOFILE (and one more for each unit whose paths are too long for the kernel). Files in further
 * folders are opened by their whole path, or go into the next unit if that path is too long.
 */
#ifndef FIND_WORK_UNIT_FILL_H
#define FIND_WORK_UNIT_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include "find/member.h"
#include "find/walk.h"
#include "find/work_unit.h"
#include "find/zip.h"

enum {
	UNIT_FOLDERS = 16,   /* more would be folders of one or two files, where the descriptor saves nothing */
	UNIT_TEXT = 4 << 20, /* bytes of paths: 12,000 of 350 bytes; longer ones make smaller units */
};

/* How many folders a walk may keep open, so that enough are left for units. */
size_t folders_of_a_walk(void);

/* Adds an entry for a path that is opened as it is. What is returned is valid until the next entry is added. */
struct entry *work_unit_add_path(struct work_unit *u, const char *path, size_t len);
/* Adds an entry for what a walk found. NULL: the unit is full (and not empty). */
struct entry *work_unit_add_item(struct work_unit *u, const struct walk_item *item);
/* Nothing more is added: turns the offsets in the entries into pointers. */
void work_unit_end(struct work_unit *u);

/* ---- members of archives (find/archive_fill.c) --- */

/* A member that waits to be unpacked. */
struct work_unit_packed {
	struct zip_data data;
	size_t entry;
	const uint8_t *packed;
	uint8_t *out;
};

/* Allocated as a whole with the first member, so that pointers into it stay valid. */
struct work_unit_members {
	uint8_t *memory; /* UNIT_MEMORY bytes */
	size_t used;
	uint8_t *packed; /* UNIT_MEMORY bytes; NULL until the first member of a zip */
	size_t packed_used;
	struct work_unit_packed *waiting;
	size_t waiting_count, waiting_cap;
	struct libdeflate_decompressor *inflater;
	struct archive_facts facts;
	struct archive_reader *lent; /* the archive that this unit streams from */
	size_t path_at;              /* where the text has the archive's path */
	bool has_path;
};

enum {
	UNIT_PADDING = 64, /* zero bytes behind each member; what is read with wide loads may go beyond its end */
	UNIT_MEMORY = UNIT_MEMBER_MAX + 2 * UNIT_PADDING,
};

struct work_unit_members *unit_members(struct work_unit *u);
void work_unit_members_clear(struct work_unit_members *m); /* NULL is fine */
void work_unit_members_free(struct work_unit_members *m);  /* NULL is fine */

struct entry *work_unit_add_member(struct work_unit *u, const char *path, const char *name, size_t name_len);
/*
 * Whether a member of `size` bytes, and the `packed` bytes that it will be unpacked from, fit in. A unit without
 * members has room for any of up to UNIT_MEMBER_MAX.
 */
bool work_unit_has_room(const struct work_unit *u, size_t size, size_t packed);
/* Room for a member, with its padding. */
uint8_t *work_unit_take_memory(struct work_unit *u, size_t size);
/* Room for the packed bytes of the entry that is added next; work_unit_unpack will unpack them to `out`. */
uint8_t *work_unit_add_packed(struct work_unit *u, const struct zip_data *data, uint8_t *out);
void work_unit_drop_packed(struct work_unit *u); /* the last one */
/* Unpacks what the unit holds of a zip. After work_unit_end; needs no lock of the source, so that threads do it at
 * once. */
void work_unit_unpack(struct work_unit *u);
void work_unit_lend(struct work_unit *u, struct archive_reader *a);
const struct archive_facts *work_unit_keep_facts(struct work_unit *u, const struct archive_facts *f);

#endif
