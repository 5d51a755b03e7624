/*
 * Error message
 *   IndexError: Target 65535 is out of bounds.
 *
 * What it finds
 *   Datasets of classes in which "ignore" was written as -1 by files of different types: two or more of the ids -1
 *   (signed), 255 (-1 in 8 bits), 65535 (-1 in 16 bits) and 4294967295 (-1 in 32 bits) occur beside the classes, and
 *   none of them is a class. In single files: arrays of int8 in which ids of 128 and more became negative.
 *
 * Why it matters
 *   They meant the same to their author, and are different ids to the loss: one --ignore covers only some of the
 *   files.
 *
 * Example
 *   (dataset): warning wrapped-negative-ids: ids 255 (812 files) in files of 8 bits and 65535 (31 files) in files of 16
 *   bits are all -1: one meaning, two ids
 *
 * What to do
 *   Write one of them everywhere: `mask[mask == 65535] = 255` before the mask is cut to 8 bits.
 *
 *   The rule is silent if 0 is the only class in use (255 and 65535 are then white, see scaled-ids), and if other ids
 *   above 255 occur, since 65535 may then be one of many.
 */
#include "judge/check.h"

/* Checks an int8 array for ids of -128..-2 that are classes if 256 is added. */
static bool check(const struct rule_input *s, struct finding *f)
{
	uint64_t labels = 0;

	if (s->sample->array.dtype != DTYPE_INT8)
		return false;
	for (size_t i = 0; i < s->stats->ids_count && s->ids[i].id < -1; i++) {
		if (settings_role(s->settings, s->ids[i].id) != ID_INVALID)
			continue;
		if (settings_role(s->settings, s->ids[i].id + 256) != ID_CLASS)
			return false;
		labels += s->ids[i].labels;
		finding_add_id(f, s->ids[i].id, s->ids[i].labels);
	}
	if (!labels)
		return false;
	say(f, "int8 cannot hold values above 127: %" PRIu64 " %s %s %s, valid with 256 added", labels,
	    sample_unit(s->sample, labels), plural(labels, "has", "have"), text_finding_ids(f).s);
	finding_map(f, f->details.ids[0].id, f->details.ids[0].id + 256);
	return advise(f, "%s.view(np.uint8), and find the step that writes int8", array_loader(s->sample));
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	static const struct {
		int64_t id;
		const char *where;
	} wraps[] = { { -1, "signed files" },
		      { 255, "files of 8 bits" },
		      { 65535, "files of 16 bits" },
		      { UINT32_MAX, "files of 32 bits" } };
	static const char *const numbers[] = { "two", "three", "four" };
	bool classes = false;
	int64_t target = 255;
	unsigned found = 0;

	for (size_t i = 0; i < d->ids_count; i++) {
		int64_t id = d->ids[i].id;

		if (id > 255 && id != 65535 && id != UINT32_MAX)
			return false;
		classes |= id > 0 && settings_role(settings, id) == ID_CLASS;
	}
	if (!classes)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(wraps); i++) {
		const struct id_total *total = dataset_id(d, wraps[i].id);

		if (!total || settings_role(settings, total->id) == ID_CLASS)
			continue;
		finding_add_id(f, total->id, total->labels);
		if (settings_role(settings, total->id) == ID_IGNORED)
			target = total->id; /* the one that is declared */
		say(f, "%s%" PRId64 " (%s) in %s", found++ ? " and " : "ids ", total->id,
		    text_files(total->files, NULL).s, wraps[i].where);
	}
	if (found < 2)
		return false;
	say(f, " are all -1: one meaning, %s ids", numbers[found - 2]);
	if (settings_role(settings, 255) == ID_CLASS)
		return advise(f, "write one of them in all files, and ignore that one");
	for (size_t i = 0; i < ARRAY_SIZE(wraps); i++)
		if (dataset_id(d, wraps[i].id) && wraps[i].id != target &&
		    settings_role(settings, wraps[i].id) != ID_CLASS)
			finding_map(f, wraps[i].id, target);
	return advise(
		f, "write 255 in all files, np.where((mask < 0) | (mask > 255), 255, mask).astype(np.uint8), and pass "
		   "--ignore=255");
}

const struct rule rule_wrapped_negative_ids = {
	RULE("wrapped-negative-ids", "range", LEVEL_WARNING,
	     "-1 that became 255 in some files and 65535 in others, and int8 that wrapped"),
	.repair = REPAIR_MAP,
	.facts_needed = FACTS_IDS | FACTS_ARRAY,
	.check_file = check,
	.check_dataset = check_dataset,
};
