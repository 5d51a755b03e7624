#include "audit/work_budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/work_units.h"

void work_budget_init(struct work_budget *b, uint64_t total, const atomic_bool *stop)
{
	memset(b, 0, sizeof(*b));
	b->total = b->left = total;
	b->stop = stop;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->ended, NULL);
}

void work_budget_release(struct work_budget *b)
{
	free(b->ahead);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->ended);
}

/*
 * Takes `units` for a file of work unit `number`, after all earlier units have ended. Call it in the order of the
 * unit's files. Returns false if the budget does not suffice.
 */
static bool work_budget_take(struct work_budget *b, uint64_t number, uint64_t units)
{
	if (!units || !b->total)
		return true;
	/* Whatever set it came before this file. */
	if (atomic_load(&b->spent))
		return false;
	pthread_mutex_lock(&b->lock);
	while (PLANTED(turns_of_the_budget, b->next < number, false) && !is_stopped(b->stop)) {
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&b->ended, &b->lock, &until);
	}
	if (units > b->left)
		atomic_store(&b->spent, true);
	bool enough = !atomic_load(&b->spent);

	if (enough)
		b->left -= units;
	pthread_mutex_unlock(&b->lock);
	return enough;
}

/* Gives units back that were taken, but not used. */
static void give_back(struct work_budget *b, uint64_t units)
{
	if (!b->total)
		return;
	pthread_mutex_lock(&b->lock);
	b->left += PLANTED(unused_units, units, 0);
	pthread_mutex_unlock(&b->lock);
}

/* Adds a unit to those that ended early. */
static void add_ahead(struct work_budget *b, uint64_t number)
{
	struct unit_range *before = NULL, *after = NULL;

	for (size_t i = 0; i < b->ahead_count; i++) {
		if (b->ahead[i].last + 1 == number)
			before = &b->ahead[i];
		if (b->ahead[i].first == number + 1)
			after = &b->ahead[i];
	}
	if (before && after) {
		before->last = after->last;
		*after = b->ahead[--b->ahead_count];
	} else if (before) {
		before->last = number;
	} else if (after) {
		after->first = number;
	} else {
		GROW(b->ahead, b->ahead_cap, b->ahead_count + 1);
		b->ahead[b->ahead_count++] = (struct unit_range){ number, number };
	}
}

void work_budget_end_unit(struct work_budget *b, uint64_t number)
{
	pthread_mutex_lock(&b->lock);
	add_ahead(b, number);
	for (size_t i = 0; i < b->ahead_count; i++) {
		if (b->ahead[i].first == b->next) {
			b->next = b->ahead[i].last + 1;
			b->ahead[i] = b->ahead[--b->ahead_count];
			pthread_cond_broadcast(&b->ended);
			break; /* ranges do not touch */
		}
	}
	pthread_mutex_unlock(&b->lock);
}

static bool charge_unpacked(void *self, uint64_t units, struct fault *fault)
{
	struct work_charge *c = self;
	uint64_t more;

	if (units <= c->credit || units - c->credit <= c->unpacked)
		return true;
	more = units - c->credit - c->unpacked;
	c->unpacked += more;
	if (GUARD(budget_of_packed_files, !work_budget_take(c->budget, c->number, more)))
		return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
				 "it unpacks to far more than its bytes on disk, and the audit's budget of %" PRIu64
				 " for such files is spent (--pixel-budget)",
				 c->budget->total);
	return true;
}

struct input_meter work_charge_meter(struct work_charge *c)
{
	return (struct input_meter){ c, charge_unpacked };
}

bool work_charge_png(struct work_charge *c, const uint8_t *head, size_t n)
{
	c->declared = png_work_units(head, n);
	c->inflated = png_inflated_bytes(head, n);
	uint64_t excess = c->declared - MIN(c->declared, c->credit);

	if (!work_budget_take(c->budget, c->number, excess))
		return false;
	c->taken = excess;
	return true;
}

void work_charge_settle(struct work_charge *c, const struct sample *sample, const struct label_stats *stats)
{
	const struct png_header *png = &sample->png;
	uint64_t cost = c->declared;

	if (!c->taken)
		return;
	/* a file that failed, or whose edges were not counted, may have cost all of it */
	if (sample->status == SAMPLE_READ && stats->neighbours && !png->interlace)
		cost = png_flat_units(png->width, png->height, c->declared, c->inflated, stats->edges[LINE_ROW],
				      stats->edges[LINE_COLUMN]);
	give_back(c->budget, MIN(c->declared - cost, c->taken));
	c->taken = 0;
}
