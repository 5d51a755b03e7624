/*
 * struct work_budget: bounds what an audit measures by the bytes that it reads from disk, so that a few kilobytes
 * cannot take hours. --max-pixels bounds one file; this bounds all of them together.
 *
 * Each file brings a credit of WORK_UNITS_A_BYTE for each of its bytes on disk (base/work_units.h). A file takes its
 * excess, which it declares beyond that, from the budget of the audit; once that does not suffice for a file, this file
 * and all that follow it with an excess are refused: FAULT_LIMIT. Ordinary masks have no excess.
 *
 *   a file in a folder     its size, at least a block
 *   a member of a zip      its packed size and its headers
 *   a member of a tar      its size and its header
 *   a member of a packed tar   as much as it needs, until all that the archive has on disk is claimed
 *   a packed label file    as a file or a member; what it unpacks to is work, too
 *
 * Verdicts depend on nothing but the order of the walk: not on threads, devices, batches or the cache. Excess is
 * charged in that order, by what files declare, before they are measured; what a mask of one id did not cost is given
 * back after it is measured. So a worker measures a file with an excess before it loads the next one, and before that
 * waits until all earlier work units are charged. No deadlock: the earliest unit never waits, and who waits holds no
 * lock. A file with an excess is never cached, so a cached one has none. Each shard has a budget of its own.
 *
 * All workers share one; it has a lock inside.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/label_stats.h"
#include "read/input.h"
#include "read/sample.h"

struct unit_range {
	uint64_t first, last;
};

struct work_budget {
	uint64_t total;          /* 0: no limit */
	const atomic_bool *stop; /* when it becomes true, nobody waits any more */
	atomic_bool spent;       /* did not suffice for a file; so it is for all that follow */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	/* under the lock */
	uint64_t left;
	uint64_t next;            /* the first work unit that is not ended */
	struct unit_range *ahead; /* those that ended before an earlier one: no more ranges than workers; owned */
	size_t ahead_count, ahead_cap;
};

void work_budget_init(struct work_budget *b, uint64_t total, const atomic_bool *stop);
void work_budget_release(struct work_budget *b);
/* Nothing more is taken or given back for a work unit. Call it once for each that was drawn. */
void work_budget_end_unit(struct work_budget *b, uint64_t number);

/* The cost of one file to the audit. One thread. */
struct work_charge {
	struct work_budget *budget;
	uint64_t number;             /* of its work unit */
	uint64_t credit;             /* from its bytes on disk */
	uint64_t unpacked;           /* units taken from the budget for unpacking it */
	uint64_t declared, inflated; /* a PNG's units, and the bytes of its rows */
	uint64_t taken;              /* units taken for measuring it, until work_charge_settle() */
};

/* Returns a meter for input_unpack() that charges what is unpacked beyond the credit. */
struct input_meter work_charge_meter(struct work_charge *c);
/* Takes what a PNG with these first n bytes declares beyond the credit. Returns false if the budget is spent. */
bool work_charge_png(struct work_charge *c, const uint8_t *head, size_t n);
/* Gives back what that did not cost, once the PNG is measured or failed. */
void work_charge_settle(struct work_charge *c, const struct sample *sample, const struct label_stats *stats);
