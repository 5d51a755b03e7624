/*
 * What it finds
 *   Label files in text, CSV, JSON, NumPy or IDX form that break their own format. If the rest cannot be read the
 *   file fails, and the finding gives the line and column, what was expected and what was found. In a list with some
 *   bad rows, the other rows are audited; the finding counts the rows without a label, with a label that is not an
 *   integer or does not fit into 64 bits, with more or fewer columns than the first row, with a number where others
 *   name a class, with a list of more or fewer labels than boxes or tokens beside it (if most rows have as many
 *   tokens) or, if it says 1 or 0 for each class, than classes, with a box of coordinates that are no finite
 *   numbers, with an image whose width or height is 0, and with NUL bytes, and names the first of them. It is a
 *   warning if all labels could be read: an array that is empty or followed by more bytes, or IDX labels whose
 *   number is not that of the images beside them.
 *
 * Why it matters
 *   Parsers treat such errors differently: one skips the line, one reads it as 0 or NaN, one stops.
 *
 * Example
 *   train.csv: error malformed-labels: of 5000 rows, 2 have no label, 1 has more or fewer columns than the first row
 *   (first: line 12, column 3)
 *
 * What to do
 *   Correct the file at that place, or write it again with the tool that made it. If another column holds the labels,
 *   name it with --column.
 */
#include "judge/check.h"

static const struct phrase *const phrases = PHRASES(
	{ LIST_MISSING, "has", "have", "no label" },
	{ LIST_NOT_INTEGER, "has a label that is not an integer", "have labels that are not integers", "" },
	{ LIST_OVERFLOW, "has a label that does not fit into 64 bits", "have labels that do not fit into 64 bits", "" },
	{ LIST_RAGGED, "has", "have", "more or fewer columns than the first row" },
	{ LIST_NUL, "has a NUL byte", "have NUL bytes", "" },
	{ LIST_NOT_NAME, "has", "have", "a number or a list where other rows name a class" },
	{ LIST_LENGTH, "has", "have", "a list of more or fewer labels than tokens, boxes or classes" },
	{ LIST_BOX_NUMBER, "has", "have", "a coordinate that is not a finite number" },
	{ LIST_IMAGE_SIZE, "has", "have", "a width or height of the image that is not above 0" });

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->status == SAMPLE_FAILED)
		return fault_finding(f, &s->sample->fault, FAULT_LABELS, "correct the file at that place");
	if (s->sample->status != SAMPLE_READ || s->sample->format == FORMAT_PNG)
		return false;
	if (fault_finding(f, &s->sample->warning, FAULT_MALFORMED, "write the file again with the tool that made it")) {
		f->level = LEVEL_WARNING;
		return true;
	}
	if (s->sample->format != FORMAT_LIST || !phrases_finding(f, s->sample, s->stats, phrases))
		return false;
	if (s->stats->list.faults[LIST_NOT_INTEGER].rows && !s->settings->list.column)
		advise(f, "correct these rows; if another column holds the labels, name it with --column");
	return true;
}

const struct rule rule_malformed_labels = {
	RULE("malformed-labels", "file", LEVEL_ERROR,
	     "a text, CSV, JSON, NumPy or IDX file that cannot be parsed, or some of its rows"),
	.check_file = check,
	.tells_unread = true,
	.advice = "correct these rows",
};
