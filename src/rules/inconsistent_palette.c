/*
 * What it finds
 *   Datasets of palette files in which the same index has different colours, counting only indices that occur in the
 *   files and are not ignored. For each such index the finding names an example file that differs from the most
 *   frequent colour.
 *
 * Why it matters
 *   If ids were numbered image by image (older labelme exports, DIGITS, converted colour masks), index 1 is a cat in
 *   one file and a car in the next. All ids are in range, nothing fails, and the network learns a mixture.
 *
 * Example
 *   (dataset): warning inconsistent-palette: index 1 is #800000 in 90 of 100 files, and #008000 in
 *   masks/0007.png
 *
 * What to do
 *   Compare the files named in the finding with others. If a colour means the same class everywhere, map each file by
 *   its colours: `np.array(Image.open(f).convert('RGB'))`, one table of colours for the set. If only the palettes
 *   differ and the indices are right, nothing needs to be done.
 */
#include "judge/check.h"

enum { SAID_MAX = 3 };

/* In the cv2 view the audited ids are luma, so the settings do not say what an index means. */
static bool is_ignored(const struct settings *settings, int64_t index)
{
	return settings->view != VIEW_CV2 && settings_role(settings, index) == ID_IGNORED;
}

/* Reports one index and its n > 1 colours; whole: these are all its colours. */
static void report_index(struct finding *f, uint32_t index, const struct palette_total *v, size_t n, bool whole)
{
	const struct palette_total *most = v;
	uint64_t files = 0;

	for (size_t i = 0; i < n; i++) {
		files += v[i].files;
		if (v[i].files > most->files)
			most = &v[i];
	}
	const struct palette_total *other = most == v ? v + 1 : v;

	for (size_t i = 0; i < n; i++)
		if (&v[i] != most && v[i].files > other->files)
			other = &v[i];
	if (f->details.ids_total > SAID_MAX)
		return;
	f->example = f->example ? f->example : other->example;
	say_also(f,
		 "index %" PRIu32 " is #%06" PRIx32 " in %" PRIu64 " of %s%" PRIu64 " files, and #%06" PRIx32 " in %s",
		 index, (unsigned)(most->key & 0xffffff), most->files, whole ? "" : "at least ", files,
		 (unsigned)(other->key & 0xffffff), other->example);
	if (n > 2)
		say(f, " (%zu colours in all)", n);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct palette_totals *t = &d->palettes;

	for (size_t i = 0, n; i < t->count; i += n) {
		uint32_t index = (uint32_t)(t->v[i].key >> 24);

		for (n = 1; i + n < t->count && t->v[i + n].key >> 24 == index; n++)
			;
		if (n == 1 || is_ignored(settings, (int64_t)index))
			continue;

		const struct id_total *id = dataset_id(d, (int64_t)index);

		finding_add_id(f, (int64_t)index, id && settings->view != VIEW_CV2 ? id->labels : 0);
		/* A full table may lack some colours of its last index. */
		report_index(f, index, t->v + i, n, t->count < PALETTE_TOTALS_MAX || i + n < t->count);
	}
	if (!f->details.ids_total)
		return false;
	if (f->details.ids_total > SAID_MAX)
		say(f, "; and %" PRIu64 " more indices", f->details.ids_total - SAID_MAX);
	return true;
}

const struct rule rule_inconsistent_palette = {
	RULE("inconsistent-palette", "encoding", LEVEL_WARNING,
	     "a palette index with different colours in different files"),
	.repair = REPAIR_NEVER,
	.check_dataset = check_dataset,
	.advice = "check the files named here: ids may have been numbered image by image; if colours mean the classes, "
		  "map every file by its colours, np.array(Image.open(f).convert('RGB')), with one table for the set",
};
