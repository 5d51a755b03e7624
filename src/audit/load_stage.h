/*
 * struct load_stage: from an entry that was fetched to an input whose format is known: look into the cache, unpack it,
 * recognise its format, charge what it costs. The first stage of a worker; one thread.
 */
#pragma once

#include "audit/fetch.h"
#include "audit/work_budget.h"
#include "cache/cache.h"
#include "measure/backend.h"

struct load_stage {
	const struct settings *settings;
	const struct dataset_layouts *layouts;
	const struct source *source;
	const struct pairs *pairs; /* with --images */
	struct work_budget *budget;
	struct cache_reader cache;
	struct batch *batch; /* that is filled; borrowed */
	/* of the last entry */
	struct work_charge charge;
};

/*
 * Fills item from the entry. item->sample.status: SAMPLE_READ if there is something to measure; otherwise the sample
 * says why not, or item->cached is set. unit: number of the entry's work unit.
 */
void load_entry(struct load_stage *l, struct fetched *f, uint64_t unit, struct batch_item *item);
