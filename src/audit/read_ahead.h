/*
 * struct read_ahead: fetches entries before workers ask for them, many at a time, where storage is late.
 *
 * On a warm page cache, workers draw work units from the source and open files themselves: a hand-over would cost more
 * than it saves. Once files take longer than memory does, one thread draws the units ahead, those of struct io fetch
 * their files in the order of the walk, and workers take the units in the same order. It ends when the files come from
 * memory again. Either way the units, their numbers and the report are the same.
 *
 * Bounds: AHEAD_FILES that no worker has taken, AHEAD_BYTES of these in memory, and AHEAD_PACKED units of members. A
 * file that a worker waits for needs no memory to be free, so nobody waits for ever.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "audit/fetch.h"
#include "base/error.h"
#include "find/work_unit.h"
#include "report/report.h"

enum {
	AHEAD_FILES = 1024,
	AHEAD_BYTES = 96 << 20,
	AHEAD_PACKED = 2, /* a unit of members takes 16 MiB */
	/*
	 * A file whose open and read took longer than this came from a disk, not from the page cache (2 to 7 us).
	 */
	LATE_NS = 25000,
	LATE_FILES = 2, /* more than others: a file of a warm set may be cold */
};

/* The files that a worker opened itself. */
struct late_files {
	unsigned count; /* more that waited for storage than others */
	uint64_t ns;    /* what the last one took */
};

/* A unit that was drawn ahead. */
struct ahead_unit {
	struct ahead_unit *next, *next_made;
	struct work_unit unit;
	struct fetched *files; /* of each entry; owned */
	size_t cap;
	bool packed; /* they are members */
};

struct read_ahead {
	struct source *source;
	struct fetch_options options;
	const atomic_bool *audit_stop; /* a worker failed */
	struct io *io;                 /* NULL: off */
	bool always;                   /* --io N */
	pthread_mutex_t lock;
	pthread_cond_t arrived; /* a file that is wanted, a unit, or the end of drawing */
	pthread_cond_t freed;   /* memory */
	pthread_cond_t place;   /* for a unit */
	pthread_cond_t drawer_ended;
	/* under the lock */
	struct ahead_unit *first, **last; /* drawn, and taken by no worker */
	struct ahead_unit *spare, *made;  /* to be used again; all */
	size_t files;                     /* in units, and taken by no worker */
	size_t unit_files;                /* of a unit */
	unsigned packed;                  /* units of members that were not ended */
	uint64_t bytes;
	atomic_bool drawing; /* written under the lock */
	bool stopped;
	bool ended; /* it cannot begin again */
	atomic_uint starts;
	unsigned warm;    /* files of late that came from memory */
	unsigned streams; /* files that stay open, since they are too long for memory */
	pthread_t drawer;
	bool joinable;
	pthread_mutex_t cache_lock;
	struct cache_reader cache; /* under the cache's lock */
	uint64_t fetched;          /* files */
};

/* io: what fetches, borrowed; NULL: nothing is read ahead. always: even if files come from memory. */
void read_ahead_init(struct read_ahead *r, struct source *source, const struct fetch_options *options,
		     struct cache *cache, const atomic_bool *stop, struct io *io, bool always);
/* Notes how long a worker needed to open and read a file itself; late_begin() was called before (base/late.h). */
void read_ahead_note_time(struct late_files *late, uint64_t ns);
/* Returns whether that is a reason to start. */
bool read_ahead_is_due(struct read_ahead *r, const struct late_files *late);
/*
 * Begins to draw ahead, units of unit_files, and fetches what is left of the worker's unit from entry `first` on: that
 * is *now then, as read_ahead_draw() sets it.
 */
void read_ahead_start(struct read_ahead *r, struct late_files *late, struct ahead_unit **now, struct work_unit *unit,
		      size_t first, size_t unit_files);
/*
 * Fills the cleared unit as source_draw() does. *now: the unit that was drawn ahead, whose files are its entries', or
 * NULL; the one before is given back.
 */
enum status read_ahead_draw(struct read_ahead *r, struct ahead_unit **now, struct work_unit *unit, size_t max,
			    struct error *err);
/* Gives back the unit that a worker has, if any, and clears `unit`, which was filled from it. */
void read_ahead_give_back(struct read_ahead *r, struct ahead_unit **now, struct work_unit *unit);
/* Waits for a file. Returns false if the audit was stopped first; then its unit can only be given back. */
bool read_ahead_wait(struct read_ahead *r, struct fetched *f);
/* Takes the bytes of a file that has arrived: its input goes to *input. */
void read_ahead_take(struct read_ahead *r, struct fetched *f, struct input *input);
/* Ends all waits. Any thread. */
void read_ahead_stop(struct read_ahead *r);
/*
 * Call it when no worker goes on. release: no worker waits for storage, so that memory may be freed. Returns false if a
 * thread of its own does; then nothing is freed, and the process is to end by _exit (base/stop.h).
 */
bool read_ahead_close(struct read_ahead *r, bool release, struct run_facts *run);
