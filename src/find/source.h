/*
 * struct source: where the files come from: PATHs, walked folders, file lists, archives. Hands out units of work.
 *
 * Any thread may draw; a lock inside. Units are numbered in the order of the walk: PATHs as typed, then the list; below
 * each folder by the bytes of the path (in chunks of FIND_CHUNK names of one folder, see find/walk.h), so reproducible.
 * Directories are read by getdents64, with types from d_type instead of a stat, and kept open while units point at
 * them. With `follow` each is visited once below a PATH, by (device, inode); without, links are passed over and no loop
 * is possible. Archives among them (named, or with the name of one in a folder) are expanded, one level deep: a unit
 * holds files or members of one archive, never both. Memory: the names of the open directories, never all paths.
 * Descriptors: at most a half of RLIMIT_NOFILE.
 */
#ifndef FIND_SOURCE_H
#define FIND_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "find/shard.h"
#include "find/split.h"

struct dir_handle; /* an open directory; counted references */
struct archive_facts;
struct archive_reader;
struct unit_members;

/* Members up to this are handed out whole, in the unit's memory; larger ones as a stream. */
enum { UNIT_MEMBER_MAX = 8 << 20 };

struct find_options {
	const char *const *paths; /* as typed */
	size_t paths_count;
	const char *files_from;     /* NULL, a file or "-" */
	bool nul_separated;         /* -0 */
	const char *const *include; /* globs; a file must match one of them, if any */
	size_t include_count;
	const char *const *exclude; /* globs; matching files and folders are left out */
	size_t exclude_count;
	bool hidden;        /* visit names that begin with a dot */
	bool follow;        /* follow symbolic links found in folders */
	struct shard shard; /* only the entries of this part, an archive as a whole; { 0, 0 }: all */
	/* of archives (find/archive.h) */
	struct limits limits;
	/* Whether a member's name and first bytes (4 KiB, unless it has fewer) make it worth reading; NULL: all are. */
	bool (*wants_member)(const void *chooser, const char *name, const uint8_t *head, size_t n);
	const void *chooser;
	bool heads_only;          /* hand out no more than the first 4 KiB of each member */
	bool keep_shut;           /* archives are files like any others */
	bool keep_standard_input; /* read nothing from it, so that another source can: it is a plain entry */
	const atomic_bool *stop;  /* when it becomes true, as source_stop; NULL: there is that alone */
};

/* One file to audit, a member of an archive, or what is to be said of an archive itself. */
struct entry {
	const char *path;    /* as reported; in the unit's memory */
	const char *name;    /* to open, below dirfd; a suffix of path or path itself */
	int dirfd;           /* or AT_FDCWD */
	bool named;          /* typed by the user or listed by --files-from: must be a label file */
	bool standard_input; /* "-": read descriptor 0, behind the bytes_len bytes that were read of it */
	bool failed;         /* the walk could not read it (a folder without permission ...): fault says why */
	uint8_t split;       /* see source_split */
	size_t below;        /* path + below: what was found below a folder; 0: the path itself was named */
	struct fault fault;  /* only if failed */
	/* Members only. The bytes are followed by 64 zero bytes, and are the unit's as well. */
	const char *member;   /* its name in the archive `path`; NULL: a file */
	const uint8_t *bytes; /* the whole of it; of a stream, its beginning */
	size_t bytes_len;
	uint64_t size;                 /* of the member */
	struct archive_reader *stream; /* read on from the beginning by archive_stream_read; NULL: it is all in bytes */
	bool skipped;                  /* a link, a device, or not wanted: nothing of it was read */
	bool repeated;                 /* a member before it has the same name */
	bool name_cut;                 /* the name goes on behind a NUL */
	/*
	 * Not NULL: this is no file, but an archive of which something is to be said, and its members are entries.
	 * skipped: with heads_only, the rest of it was not looked at.
	 */
	const struct archive_facts *archive;
};

/* A run of entries, at most as many as asked for. Owner: the worker; reused. */
struct unit {
	uint64_t number; /* 0, 1, 2 ... in the order of the walk */
	struct entry *entries;
	size_t count, cap;
	struct strbuf text;       /* the paths */
	struct dir_handle **dirs; /* referenced; one reference each */
	size_t dirs_count, dirs_cap;
	struct unit_members *members; /* memory of what came from archives; NULL until the first; owned */
};

void unit_init(struct unit *u);
void unit_release(struct unit *u);
/* Drops the references, keeps the memory. Ends its stream: until then, other threads' draws wait. */
void unit_clear(struct unit *u);

struct source;

/* Checks that each PATH exists and each glob is one (else STATUS_FAILED). options must outlive the source. */
enum status source_open(struct source **out, const struct find_options *options, struct error *err);
/*
 * Fills a cleared unit with up to max entries (fewer where they are in very many folders or have very long paths).
 * count == 0: the end, its number is not set. STATUS_FAILED: --files-from could not be read, now or in an earlier draw.
 */
enum status source_draw(struct source *s, struct unit *u, size_t max, struct error *err);
/* Entries handed out so far, and whether the walk is over (then it is the total). Any thread. */
uint64_t source_progress(const struct source *s, bool *complete);
/* Which split the entry belongs to, and what the splits are called. Any thread. */
unsigned source_split(const struct source *s, const struct entry *entry);
const struct splits *source_splits(const struct source *s);
/* Draws end at once, also one that waits for a list from a pipe. For signals: may be called while others draw. */
void source_stop(struct source *s);
/* NULL is fine. Units may outlive it, except one that has a stream. */
void source_close(struct source *s);

/* Shell glob as ripgrep's (find/glob.h); a pattern without a slash is matched against the name alone. */
bool glob_match(const char *pattern, const char *path);

#endif
