/*
 * What it finds
 *   Lists in which more than one column could hold labels, if the header does not name the right one and --column is
 *   not given. Also lists of class names if --classes gives only the number of classes, so that the names are numbered
 *   in byte order, over all lists of the set. The findings say which column was read and why, and which name got which
 *   id. Tables without a header that have an image, a label and four columns of numbers: if these are boxes, a header
 *   with the names of their sides lets them be judged.
 *
 *   Where input_ids stand beside labels of another kind, of a tagger or a classifier, the labels alone are read. Those
 *   of a language model, one for each token, are read with them.
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

enum { MAP_BYTES = 140 };

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct name_totals *names = &d->names;

	(void)settings;
	if (!names->count)
		return false;
	for (size_t i = 0; i < names->count && f->details.map.len < MAP_BYTES; i++)
		text_addf(&f->details.map, "%s%s %zu", i ? ", " : "", names->v[i].name, i);
	say(f, "class names of lists are numbered in byte order: %s", f->details.map.s);
	advise(f, "to audit their ids, give the file of class names as --classes");
	return true;
}

/* Tables of boxes whose first line does not name these. */
static bool check_boxes(const struct list_layout *l, struct finding *f)
{
	static const char *const sides[] = { "xmin", "ymin", "xmax", "ymax" };
	size_t side = 0;

	say(f, "four columns of numbers beside the labels are not judged: no first line says what they are");
	advise(f, "if they are boxes, name them (or x, y, w, h): sed -i '1i ");
	for (uint32_t i = 0; i < l->columns; i++)
		advise(f, "%.*s%s", i > 0, &l->separator,
		       i == l->path_column                                 ? "image"
		       : i == l->label_column || side == ARRAY_SIZE(sides) ? "class"
									   : sides[side++]);
	return advise(f, "' FILE");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->list.unnamed_boxes)
		return check_boxes(&s->sample->list, f);
	if (!s->sample->list.other_tokens || s->settings->list.column)
		return false;
	return say(f,
		   "the labels are read, in column %" PRIu32
		   "; the tokens beside them, which index a table of their own, "
		   "are not",
		   s->sample->list.label_column + 1) &&
	       advise(f, "audit them, too: --column input_ids --classes SIZE_OF_THE_VOCABULARY");
}

const struct rule rule_guessed_label_column = {
	RULE("guessed-label-column", "lists", LEVEL_INFO,
	     "a list whose label column, or whose numbering of class names, was guessed"),
	.facts_needed = FACTS_LIST,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "if another column holds the labels, name it with --column",
};
