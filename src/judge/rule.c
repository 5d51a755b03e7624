#include "judge/rule.h"

#include <assert.h>
#include <string.h>

#include "judge/interpolation.h"

const char *const rule_categories[RULE_CATEGORIES] = {
	"file", "range", "encoding", "shape", "content", "lists", "coco"
};

/* Index of the rule of that name, or rule_count. */
static size_t find_index(const char *name)
{
	size_t lo = 0, hi = rule_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(name, rule_table[mid]->name);

		if (!order)
			return mid;
		if (order > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return rule_count;
}

const struct rule *rule_find(const char *name)
{
	size_t i = find_index(name);

	return i < rule_count ? rule_table[i] : NULL;
}

size_t rule_index(const struct rule *rule)
{
	size_t i = find_index(rule->name);

	assert(i < rule_count && rule_table[i] == rule);
	return i;
}

struct subject subject_of(const struct settings *settings, const struct sample *sample, const struct label_stats *stats,
			  const struct id_stats *ids, const struct pairing *pairing)
{
	return (struct subject){
		.settings = settings,
		.sample = sample,
		.stats = stats,
		.ids = ids,
		.pairing = pairing,
		.interpolation = sample->status == SAMPLE_READ ? interpolation_tests(stats, ids) : 0,
	};
}

unsigned subject_offers(const struct subject *s)
{
	const struct sample *sample = s->sample;
	const struct label_stats *stats = s->stats;
	unsigned offers = s->pairing ? NEEDS_PAIRING : 0;

	if (sample->archive || sample->member)
		offers |= NEEDS_ARCHIVE;
	if (sample->fault.kind != FAULT_NONE || sample->remark.kind != FAULT_NONE)
		offers |= NEEDS_FAULT;
	if (sample->status != SAMPLE_READ)
		return offers;
	if (sample_is_array(sample) && !stats->colours)
		offers |= NEEDS_ARRAY;
	if (stats->no_ids)
		return offers;
	if (stats->colours)
		return offers | NEEDS_CHANNELS;
	offers |= NEEDS_IDS;
	if (sample->format == FORMAT_LIST)
		offers |= NEEDS_LIST;
	if (sample->format == FORMAT_YOLO)
		offers |= NEEDS_BOXES;
	if (sample_is_mask(sample))
		offers |= NEEDS_MASK;
	if (sample->format == FORMAT_COCO)
		offers |= NEEDS_COCO;
	if (sample->format == FORMAT_PNG)
		offers |= NEEDS_PNG;
	if (stats->neighbours)
		offers |= NEEDS_NEIGHBOURS;
	return offers;
}
