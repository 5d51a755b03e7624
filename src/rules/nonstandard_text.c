/*
 * What it finds
 *   Lists and YOLO texts that can be read, but not by all programs alike: semicolons or bars between columns, a
 *   quotation mark inside a bare field (not between tabs), class names with blanks around them, lines that begin with #
 *   and are no rows, bytes that are not UTF-8, lines that end in CR alone, ids written as 3.0; in YOLO texts also a
 *   byte order mark before the first class.
 *
 * Why it matters
 *   A reader with other habits sees one column where there are two, stops at a byte, takes the whole file for one line,
 *   or hands floats to a loss that wants integers.
 *
 * Example
 *   labels.csv: warning nonstandard-text: columns are separated by semicolons
 *
 * What to do
 *   Write it again: UTF-8 without a byte order mark, lines that end in LF, commas, integers without a point.
 */
#include "judge/check.h"

static const struct phrase list_phrases[] = {
	{ LIST_FLOAT, "has an id written with a point or an exponent", "have ids written with a point or an exponent",
	  "" },
	{ LIST_QUOTE, "has a quotation mark inside a bare field", "have quotation marks inside bare fields", "" },
	{ LIST_PADDED, "has a class name with blanks around it", "have class names with blanks around them", "" },
	{ LIST_NOT_UTF8, "has", "have", "bytes that are not UTF-8" },
	{ LIST_LONE_CR, "ends", "end", "in CR alone" },
};

static const struct phrase box_phrases[] = {
	{ BOX_FLOAT, "has a class written with a point or an exponent",
	  "have classes written with a point or an exponent", "" },
	{ BOX_BOM, "begins", "begin", "with a byte order mark" },
	{ BOX_NOT_UTF8, "has", "have", "bytes that are not UTF-8" },
	{ BOX_LONE_CR, "ends", "end", "in CR alone" },
};

static bool check_list(const struct rule_input *s, struct finding *f)
{
	const struct list_stats *list = &s->stats->list;
	bool found = rows_finding(f, list->rows, list->faults, list_phrases, ARRAY_SIZE(list_phrases), "");

	const struct row_tally *comments = &list->faults[LIST_COMMENT];
	char separator = s->sample->list.separator;

	if (separator == ';' || separator == '|') {
		say(f, "%scolumns are separated by %s", found ? "; " : "",
		    separator == ';' ? "semicolons" : "bars (|)");
		found = true;
	}
	if (comments->rows) {
		say(f, found ? "; " : "");
		text_add_count(&f->message, comments->rows, "line begins", "lines begin");
		say(f, " with #, which some readers take for a row and others for a comment");
		if (!f->details.line)
			finding_set_row(f, comments, NULL);
		found = true;
	}
	return found;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct box_stats *boxes = &s->stats->boxes;
	bool found = false;

	if (s->sample->format == FORMAT_LIST)
		found = check_list(s, f);
	else if (s->sample->format == FORMAT_YOLO)
		found = rows_finding(f, boxes->rows, boxes->faults, box_phrases, ARRAY_SIZE(box_phrases), "");
	if (found)
		advise(f, "write it again: UTF-8 without a byte order mark, LF, commas, integers without a point%s",
		       s->sample->format == FORMAT_LIST && s->stats->list.faults[LIST_COMMENT].rows ? ", no comments"
												    : "");
	return found;
}

const struct rule rule_nonstandard_text = {
	.name = "nonstandard-text",
	.category = "lists",
	.level = LEVEL_WARNING,
	.facts_needed = FACTS_IDS,
	.summary = "a text that programs read differently: separators, marks, encoding, line ends",
	.check_file = check,
};
