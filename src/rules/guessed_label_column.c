/*
 * What it finds
 *   Lists in which more than one column could hold labels, if the header does not name the right one and --column is
 *   not given. Also lists of class names if --classes gives only the number of classes, so that the names are numbered
 *   in byte order. The finding says which column was read and why, and which name got which id.
 *
 * Why it matters
 *   The list itself is fine. But if another column holds the labels, the wrong numbers were audited.
 *
 * Example
 *   GT-final_test.csv: info guessed-label-column: labels are read from column 8 of 8, the last one that may hold labels
 *
 * What to do
 *   If it is the right column, nothing; else name the right one with --column. With a file of class names as --classes,
 *   names have the ids of that file.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct list_layout *layout = &s->sample->list;
	bool guessed = layout->choice == COLUMN_CLASSES || layout->choice == COLUMN_LAST;

	if (!guessed && !layout->numbered)
		return false;
	say(f, "labels are read from column %" PRIu32 " of %" PRIu32, layout->label_column + 1, layout->columns);
	if (layout->label_name[0])
		say(f, " (%s)", layout->label_name);
	if (guessed)
		say(f, ", %s",
		    layout->choice == COLUMN_CLASSES
			    ? "the one whose number of different words is the number of classes"
			    : "the last one that may hold labels");
	if (layout->numbered) {
		say(f, "; its names are numbered in byte order: %s", layout->numbers);
		text_addf(&f->details.map, "%s", layout->numbers);
		advise(f, "to audit their ids, give the file of class names as --classes");
	}
	return true;
}

const struct rule rule_guessed_label_column = {
	RULE("guessed-label-column", "lists", LEVEL_INFO,
	     "a list whose label column, or whose numbering of class names, was guessed"),
	.facts_needed = FACTS_LIST,
	.check_file = check,
	.advice = "if another column holds the labels, name it with --column",
};
