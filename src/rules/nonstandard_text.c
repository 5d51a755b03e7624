/*
 * What it finds
 *   Lists and YOLO texts that programs read differently: semicolons or bars between columns, a quotation mark inside
 *   a bare field (not between tabs), blanks around the name of a class, lines that begin with # and are no rows,
 *   bytes that are not UTF-8, lines that end in CR alone, ids written as 3.0; of YOLO texts also a byte order mark
 *   before the first class, and a name in .TXT.
 *
 * Why it matters
 *   Another reader sees one column where there are two, stops at a byte, treats the whole file as one line, or
 *   passes floats to a loss that expects integers. To Ultralytics, which looks for .txt, a .TXT is no label: its
 *   image is trained on as background.
 *
 * Example
 *   labels.csv: warning nonstandard-text: columns are separated by semicolons
 *
 * What to do
 *   Write it again: UTF-8 without a byte order mark, lines that end in LF, commas, integers without a point.
 */
#include <string.h>

#include "base/file_name.h"
#include "judge/check.h"

static const struct phrase *const list_phrases = PHRASES(
	{ LIST_FLOAT, "has an id written with a point or an exponent", "have ids written with a point or an exponent",
	  "" },
	{ LIST_QUOTE, "has a quotation mark inside a bare field", "have quotation marks inside bare fields", "" },
	{ LIST_BLANKS, "has blanks around its name, which pandas keeps", "have blanks around names, which pandas keeps",
	  "" },
	{ LIST_NOT_UTF8, "has", "have", "bytes that are not UTF-8" }, { LIST_LONE_CR, "ends", "end", "in CR alone" });

static const struct phrase *const box_phrases =
	PHRASES({ BOX_FLOAT, "has a class written with a point or an exponent",
		  "have classes written with a point or an exponent", "" },
		{ BOX_BOM, "begins", "begin", "with a byte order mark" }, { BOX_LONE_CR, "ends", "end", "in CR alone" },
		{ BOX_SLIGHT, "has", "have", "a coordinate a little below 0 or above 1" });

static bool check_list(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *comments = &s->stats->list.faults[LIST_COMMENT];
	const struct list_layout *layout = &s->sample->list;
	const char separator = layout->boxes && !layout->header ? ',' : layout->separator; /* a form has its own */

	phrases_finding(f, s->sample, s->stats, list_phrases);
	if (separator == ';' || separator == '|')
		say_also(f, "columns are separated by %s", separator == ';' ? "semicolons" : "bars (|)");
	if (comments->rows) {
		say_also(f, "%" PRIu64 " %s with #, which some readers treat as a row and others as a comment",
			 comments->rows, plural(comments->rows, "line begins", "lines begin"));
		f->details.count += comments->rows;
		if (!f->details.line)
			finding_set_row(f, comments, NULL);
	}
	return f->message.len;
}

/* Returns whether a label's name ends in .txt, but for the case of its letters. */
static bool is_in_capitals(const struct sample *s)
{
	const char *name = s->member ? s->member : s->path;

	return file_name_ends_in(name, ".txt") && strcmp(file_name_extension(name), ".txt") != 0;
}

static bool check_yolo(const struct rule_input *s, struct finding *f)
{
	phrases_finding(f, s->sample, s->stats, box_phrases);
	if (f->details.count && f->details.count == s->stats->boxes.faults[BOX_FLOAT].rows &&
	    !is_in_capitals(s->sample))
		f->level = LEVEL_INFO; /* Ultralytics reads all numbers of a row as floats */
	if (s->stats->boxes.faults[BOX_SLIGHT].rows)
		advise(f, "YOLOv5 to v7 and older Ultralytics drop these images: cut them at the edge: labelaudit fix "
			  "--clip");
	if (!is_in_capitals(s->sample))
		return f->message.len;
	say_also(f, "its name ends in %s, but loaders look for .txt",
		 file_name_extension(s->sample->member ? s->sample->member : s->sample->path));
	return advise(f, "%srename it to .txt in lower case", f->advice.len ? "; " : "");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	bool list = s->sample->format == FORMAT_LIST;

	if (list ? !check_list(s, f) : s->sample->format != FORMAT_YOLO || !check_yolo(s, f))
		return false;
	if (f->advice.len)
		return true;
	return advise(f, "write it again: UTF-8 without a byte order mark, LF, commas, integers without a point%s%s",
		      list && s->stats->list.faults[LIST_BLANKS].rows ? ", names without blanks around them" : "",
		      list && s->stats->list.faults[LIST_COMMENT].rows ? ", no comments" : "");
}

const struct rule rule_nonstandard_text = {
	RULE("nonstandard-text", "lists", LEVEL_WARNING,
	     "a text that programs read differently: separators, marks, encoding, line ends"),
	.facts_needed = FACTS_IDS,
	.check_file = check,
};
