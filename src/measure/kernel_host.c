#include "measure/kernel_host.h"

#include <string.h>

void kernel_legal_ids(const struct class_set *classes, uint32_t legal[KERNEL_IDS / 32])
{
	memset(legal, 0, KERNEL_IDS / 8);
	for (uint32_t id = 0; id < KERNEL_IDS; id++)
		if (class_set_role(classes, id) != ID_INVALID)
			legal[id / 32] |= UINT32_C(1) << id % 32;
}

bool kernel_slot_answers(const struct kernel_slot *slot, const struct kernel_job *job)
{
	uint64_t labels = 0;

	for (uint32_t id = 0; id < KERNEL_IDS; id++)
		labels += slot->labels[id];
	return slot->serial == job->serial && labels == (uint64_t)job->width * job->height;
}

void kernel_slot_collect(const struct kernel_slot *slot, const struct kernel_job *job, const struct class_set *classes,
			 struct label_stats *stats, struct batch *batch)
{
	stats->labels = (uint64_t)job->width * job->height;
	stats->width = job->width;
	stats->height = job->height;
	stats->colours = 0;
	stats->neighbours = 1;
	stats->ids_at = batch->ids_count;
	stats->ids_count = 0;
	for (uint32_t id = 0; id < KERNEL_IDS; id++) {
		if (!slot->labels[id])
			continue;
		struct id_stats *row = batch_add_ids(batch, 1);

		*row = (struct id_stats){
			.id = id,
			.labels = slot->labels[id],
			.thin = slot->thin[id],
			.lone = { slot->lone[0][id], slot->lone[1][id] },
			.between = { slot->between[0][id], slot->between[1][id] },
			.first_index = NO_INDEX,
		};
		if (class_set_role(classes, id) == ID_INVALID) {
			row->first_index = slot->first_index[id];
			row->x0 = slot->x0[id];
			row->y0 = slot->y0[id];
			row->x1 = slot->x1[id];
			row->y1 = slot->y1[id];
		}
		if (stats->ids_count++ == 0)
			stats->min = id;
		stats->max = id;
	}
	for (int d = 0; d < 2; d++) {
		stats->edges[d] = slot->edges[d];
		stats->wide_edges[d] = slot->wide_edges[d];
		stats->long_between[d] = slot->long_between[d];
	}
	stats->bogus_pixels = slot->bogus_pixels;
	stats->worst = (struct worst_place){ slot->worst_key, slot->worst_left, slot->worst_id, slot->worst_right };
}
