#include "measure/kernel/kernel_host.h"

#include <string.h>

#include "measure/image_sums.h"
#include "measure/kernel/measure_kernel.h"

void kernel_legal_ids(const struct class_set *classes, uint32_t legal[KERNEL_IDS / 32])
{
	memset(legal, 0, KERNEL_IDS / 8);
	for (uint32_t id = 0; id < KERNEL_IDS; id++)
		if (class_set_role(classes, id) != ID_INVALID)
			legal[id / 32] |= UINT32_C(1) << id % 32;
}

uint64_t kernel_scratch_bytes(const struct kernel_job *job)
{
	return kernel_lay_out(job).end;
}

enum kernel_answer kernel_slot_answer(const struct kernel_slot *slot, const struct kernel_job *job)
{
	uint64_t labels = 0;

	if (slot->serial != job->serial)
		return ANSWER_WRONG;
	if (slot->status != KERNEL_MEASURED)
		return slot->status == KERNEL_REFUSED ? ANSWER_REFUSED : ANSWER_WRONG;
	for (uint32_t id = 0; id < KERNEL_IDS; id++)
		labels += slot->labels[id];
	return labels == (uint64_t)job->width * job->height ? ANSWER_MEASURED : ANSWER_WRONG;
}

/* Without a lut, samples are ids. 16-bit samples have no raw_used. */
static void collect_raw_used(const struct kernel_slot *slot, const struct kernel_job *job, uint64_t raw_used[4])
{
	for (uint32_t v = 0; v < KERNEL_IDS; v++) {
		bool used = job->lut_at == KERNEL_NO_LUT ? slot->labels[v] > 0 : slot->raw_used[v / 32] >> v % 32 & 1;

		if (used && job->depth <= 8)
			raw_used[v / 64] |= UINT64_C(1) << v % 64;
	}
}

void kernel_slot_collect(const struct kernel_slot *slot, const struct kernel_job *job, const struct class_set *classes,
			 struct label_stats *stats, struct batch *batch)
{
	const struct image_sums sums = {
		.edges = { slot->edges[0], slot->edges[1] },
		.wide_edges = { slot->wide_edges[0], slot->wide_edges[1] },
		.long_between = { slot->long_between[0], slot->long_between[1] },
		.between_pixels = slot->between_pixels,
		.worst = { slot->worst_key, slot->worst_left, slot->worst_id, slot->worst_right },
		.content = { slot->content[0], slot->content[1] },
	};

	image_end(stats, batch, job->width, job->height, &sums);
	for (uint32_t id = 0; id < KERNEL_IDS; id++) {
		if (!slot->labels[id])
			continue;
		struct id_stats *row = image_end_id(stats, batch, id);

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
	}
	memset(stats->raw_used, 0, sizeof(stats->raw_used));
	collect_raw_used(slot, job, stats->raw_used);
}
