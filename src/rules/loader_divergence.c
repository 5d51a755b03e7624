/*
 * What it finds
 *   A dataset whose ids depend on the loader: palette masks (index or luma), 1-bit grey (0/1 or 0/255), grey of 2 or 4
 *   bits (times 85 or 17), 16-bit grey (OpenCV keeps the high byte), ids above 255 (uint8 wraps around). One finding
 *   for the whole set.
 *
 * Why it matters
 *   An audit of one loader's ids says nothing about another's. A set that is right in Pillow trains on luma, or only on
 *   0, once somebody reads it with cv2.imread(f, 0).
 *
 * Example
 *   (dataset): warning loader-divergence: ids depend on the loader: 2913 palette files (cv2.imread(f, 0) reads luma,
 *   not the index)
 *
 * What to do
 *   Read the masks with one loader on every machine, and audit its view (--view); or write them as 8-bit grey, which
 *   every loader reads the same way.
 */
#include "judge/check.h"

static void report_tally(struct finding *f, const struct file_count *t, const char *what, const char *many,
			 const char *how)
{
	if (!t->files)
		return;
	f->details.count += t->files;
	f->example = f->example ? f->example : t->example;
	say(f, "%s%" PRIu64 " %s, first %s: %s", f->message.len ? "; " : "ids depend on the loader: ", t->files,
	    plural(t->files, what, many), t->example, how);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *t = d->counted;

	report_tally(f, &t[COUNTED_PALETTE_LUMA], "palette file", "palette files",
		     "cv2.imread(f, 0) reads luma, not the index");
	report_tally(f, &t[COUNTED_ONE_BIT], "file of 1 bit", "files of 1 bit", "Pillow reads 0/1, cv2 0/255");
	report_tally(f, &t[COUNTED_EXPANDED], "grey file of 2 or 4 bits", "grey files of 2 or 4 bits",
		     "Pillow and cv2 multiply by 85 or 17, raw readers do not");
	report_tally(f, &t[COUNTED_SIXTEEN_BIT], "file of 16 bits", "files of 16 bits",
		     "cv2.imread(f, 0) keeps the high byte, so that ids below 256 become 0");
	report_tally(f, &t[COUNTED_OVER_UINT8], "file with ids above 255", "files with ids above 255",
		     ".astype(np.uint8) wraps them, 300 becomes 44");
	if (!f->message.len)
		return false;
	advise(f, "the audited ids are those of --view %s; ", view_name(settings->view));
	if (t[COUNTED_PALETTE_LUMA].files || t[COUNTED_ONE_BIT].files || t[COUNTED_SIXTEEN_BIT].files)
		advise(f, "np.array(Image.open(f)) is right%s; ",
		       t[COUNTED_SIXTEEN_BIT].files && !t[COUNTED_PALETTE_LUMA].files
			       ? ", cv2.imread(f, cv2.IMREAD_UNCHANGED) too"
			       : "");
	return advise(f, "every loader reads 8-bit grey files the same way");
}

const struct rule rule_loader_divergence = {
	RULE("loader-divergence", "encoding", LEVEL_WARNING, "ids that differ from loader to loader"),
	.check_dataset = check_dataset,
};
