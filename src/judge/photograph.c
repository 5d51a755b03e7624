#include "judge/photograph.h"

#include "judge/role.h"

enum {
	IDS_MIN = 65, /* the largest number of classes in one image of ADE20K is near 50 */
	/*
	 * Two measures: the share of labels in thin runs, and the effective number of ids, 1 / sum of squared shares (n
	 * equally frequent ids give n). Real masks of more than 40 ids: .11 and 2.5 at most if anti-aliased; a depth
	 * map has .27 and 7, photographs .5 to .95 and 60 to 200.
	 */
	THIN_SHARE = 5,
	/* Masks of 150 classes shrunk by Lanczos have .21; maps of steep gradients, which look damaged, too, .5. */
	THIN_SHARE_DAMAGED = 3,
	/* At most .13 of the changes in a stepped map are wider than one step; .7 in damaged masks of as many ids. */
	WIDE_SHARE = 4,
	EFFECTIVE_IDS_MIN = 6,
	SHARE_BITS = 16,
};

/* Shares are 65536ths. Those cut to 0 do not matter to the sum. */
bool ids_are_spread(const struct label_stats *stats, const struct id_stats *ids, uint64_t labels, uint64_t n)
{
	uint64_t sum = 0;
	unsigned shift = 0;

	while (labels >> shift >> (64 - SHARE_BITS)) /* above 2^48 labels the low bits do not matter */
		shift++;
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		uint64_t share = ((ids[i].labels >> shift) << SHARE_BITS) / (labels >> shift);

		sum += share * share;
	}
	return sum * n <= (uint64_t)1 << 2 * SHARE_BITS;
}

/* Returns whether the ids are steps of a scale (depth, height), all in range: neighbours differ by one step. */
static bool are_ordinal(const struct settings *settings, const struct label_stats *stats, const struct id_stats *ids)
{
	for (int d = 0; d < 2; d++)
		if (stats->wide_edges[d] > stats->edges[d] / WIDE_SHARE)
			return false;
	for (uint64_t i = 0; i < stats->ids_count; i++)
		if (settings_role(settings, ids[i].id) == ID_INVALID)
			return false;
	return true;
}

bool is_photograph(const struct settings *settings, const struct label_stats *stats, const struct id_stats *ids,
		   bool damaged, uint64_t *thin)
{
	uint64_t sum = 0;

	if (!stats->neighbours || stats->ids_count < IDS_MIN || are_ordinal(settings, stats, ids))
		return false;
	for (uint64_t i = 0; i < stats->ids_count; i++)
		sum += ids[i].thin;
	if (thin)
		*thin = sum;
	/* thin counts each label up to twice, in rows and in columns. */
	return sum / 2 >= stats->labels / (damaged ? THIN_SHARE_DAMAGED : THIN_SHARE) &&
	       ids_are_spread(stats, ids, stats->labels, EFFECTIVE_IDS_MIN);
}
