/*
 * Error message
 *   json.decoder.JSONDecodeError: Expecting value: line 1 column 5 (char 4)
 *
 * What it finds
 *   COCO files that some JSON readers refuse or read differently: NaN and Infinity, which Python writes and RFC 8259
 *   does not allow; the same key twice in an object; strings that are not UTF-8 or hold half a surrogate pair; names
 *   longer than 1024 bytes; ids written as 3.0, as pandas does, which are audited as 3; ids that are strings, which
 *   pycocotools loads, while its evaluation and loaders that make tensors of them (DETR, torchvision's references)
 *   stop. A byte order mark is an error: Python's json.load() refuses the file ("Unexpected UTF-8 BOM").
 *
 * Why it matters
 *   One tool reads such a file, another refuses it; for a repeated key, one reader keeps the first value and another
 *   the last.
 *
 * Example
 *   instances.json: warning nonstandard-json: 1 key is repeated in the same object (first at line 1, column 137)
 *
 * What to do
 *   Write the file again: in Python json.dump(data, f, allow_nan=False), which names the first NaN.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->stats->coco.facts.trouble[COCO_BOM].count)
		f->level = LEVEL_ERROR; /* Python's json.load() stops at it, and with it every trainer */
	return true;
}

const struct rule rule_nonstandard_json = {
	RULE("nonstandard-json", "coco", LEVEL_WARNING, "COCO files on which JSON readers disagree"),
	.facts_needed = FACTS_COCO,
	.check_file = check,
	.phrases =
		PHRASES({ COCO_SAME_KEY, "key is", "keys are", "repeated in the same object" },
			{ COCO_NON_FINITE, "number is", "numbers are", "NaN or Infinity, which JSON does not allow" },
			{ COCO_BAD_TEXT, "string is", "strings are", "not well-formed Unicode" },
			{ COCO_LONG_TEXT, "name is", "names are", "longer than 1024 bytes" },
			{ COCO_DECIMAL_ID, "id is", "ids are", "written as 3.0, which readers of integers refuse" },
			{ COCO_TEXT_ID, "id is", "ids are", "strings, of which loaders can make no tensors" },
			{ COCO_BOM, "byte order mark is", "byte order marks are", "at the beginning" }),
	.advice = "write the file again, for example with json.dump(data, f, allow_nan=False) of Python; ids are "
		  "integers",
};
