/*
 * What it finds
 *   Datasets whose ids skip some numbers (0, 1, 2, 4), though 0 to C-1 are declared without a gap: between the
 *   smallest and the largest id that is not ignored, no more ids are missing than occur, and each id that occurs is
 *   in at least 5 files.
 *
 * Why it matters
 *   Such ids were never numbered for training (BraTS has 0, 1, 2, 4; COCO 80 classes from 1 to 90). If the number of
 *   declared classes is the number of ids, the largest ids are out of range; if classes are declared up to the
 *   largest id, the model has outputs that learn nothing.
 *
 * Example
 *   (dataset): warning gap-in-ids: ids 0-2, 4 occur, each in at least 5 files, but id 3 never
 *
 * What to do
 *   Map the ids to 0..n-1, as the map says, or declare the gaps: `--classes 0-2,4`.
 */
#include <string.h>

#include "judge/check.h"

/* An id as rare as the rarest would be in 5 files on average, and in none with probability e^-5, under 1 %. */
enum { FILES_MIN = 5, SAID_MAX = 256 };

/* Appends `, or declare the gaps: --classes 0-2,4` if the list is short enough to type. */
static void advise_list(struct finding *f, const int64_t *ids, size_t n)
{
	const struct text list = text_ids(ids, n);

	if (strstr(list.s, "more"))
		return;
	advise(f, ", or declare the gaps: --classes ");
	for (const char *c = list.s; *c; c++)
		if (*c != ' ')
			advise(f, "%c", *c);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct id_ranges *classes = &settings->classes.classes;
	int64_t said[SAID_MAX], previous = 0;
	size_t present = 0, jumps = 0;
	size_t base = settings->reduce_zero_label; /* 0 is ignored then, so the ids in files must begin at 1 */

	if (classes->count != 1 || classes->v[0].first != 0)
		return false; /* the declared list has gaps on purpose */
	if (d->counted[COUNTED_BY_NAME].files == d->files_with_ids)
		return false; /* names are found by themselves, whatever their numbers are */
	for (size_t i = 0; i < d->ids_count; i++) {
		const struct id_total *id = &d->ids[i];

		if (settings_role(settings, id->id) == ID_IGNORED)
			continue;
		if (id->id < 0 || id->files < FILES_MIN)
			return false;
		if (present < SAID_MAX)
			said[present] = id->id;
		finding_map(f, id->id, (int64_t)(present + base));
		for (int64_t gap = previous + 1; present && gap < id->id; gap++) {
			if (settings_role(settings, gap) == ID_IGNORED)
				continue;
			finding_add_id(f, gap, 0);
			if (++jumps > d->ids_count)
				return false; /* a far outlier, or scaled ids */
		}
		previous = id->id;
		present++;
	}
	if (!jumps || jumps > present)
		return false;

	say(f, "ids %s occur, each in at least %d files, but %s never",
	    text_ids(said, MIN(present, (size_t)SAID_MAX)).s, FILES_MIN, text_finding_ids(f).s);
	advise(f, "map them to %zu..%zu, see the map", base, base + present - 1);
	if (!settings->reduce_zero_label)
		advise_list(f, said, MIN(present, (size_t)SAID_MAX));
	return true;
}

const struct rule rule_gap_in_ids = {
	RULE("gap-in-ids", "range", LEVEL_WARNING, "ids with gaps"),
	.repair = REPAIR_MAP,
	.check_dataset = check_dataset,
};
