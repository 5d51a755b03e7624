/*
 * What it finds
 *   Datasets of classes in which "ignore" was written as -1 by files of different types: two or three of the ids -1
 *   (signed), 255 (-1 in 8 bits) and 65535 (-1 in 16 bits) occur beside the classes, and none of them is one.
 *
 * Why it matters
 *   Each is the same id to whoever wrote it, and another to the loss: one --ignore covers only some of the files.
 *
 * Example
 *   dataset: warning wrapped-negative-ids: ids 255 (812 files) in files of 8 bits and 65535 (31 files) in files of 16
 *   bits are all -1: one meaning, two ids
 *
 * What to do
 *   Write one of them everywhere: `mask[mask == 65535] = 255` before the mask is cut to 8 bits.
 *
 *   Silent where 0 is the only class in use (255 and 65535 are then white, see scaled-ids) and where other ids above
 * 255 occur, so that 65535 may be one of many.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "judge/role.h"
#include "judge/rule.h"
#include "judge/wording.h"

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	static const struct {
		int64_t id;
		const char *where;
	} wraps[] = { { -1, "signed files" }, { 255, "files of 8 bits" }, { 65535, "files of 16 bits" } };
	bool classes = false;
	unsigned found = 0;

	for (size_t i = 0; i < d->ids_count; i++) {
		int64_t id = d->ids[i].id;

		if (id > 255 && id != 65535)
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
		text_addf(&f->message, "%s%" PRId64 " (", found++ ? " and " : "ids ", total->id);
		word_count(&f->message, total->files, "file", "files");
		text_addf(&f->message, ") in %s", wraps[i].where);
	}
	if (found < 2)
		return false;
	text_addf(&f->message, " are all -1: one meaning, %s ids", found == 2 ? "two" : "three");
	text_addf(&f->details.map, "-1 -> 255, 65535 -> 255");
	text_addf(&f->advice, "write one of them in all files (mask[mask == 65535] = 255), and ignore that one");
	return true;
}

const struct rule rule_wrapped_negative_ids = {
	.name = "wrapped-negative-ids",
	.category = "range",
	.level = LEVEL_WARNING,
	.since = "0.1.0",
	.summary = "-1 that became 255 in some files and 65535 in others",
	.check_dataset = check_dataset,
};
