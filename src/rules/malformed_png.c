/*
 * What it finds
 *   PNG files that were decoded completely although they break the PNG specification: bytes after IEND, more image
 *   data than pixels, a tRNS chunk longer than the palette.
 *
 * Why it matters
 *   Loaders disagree about such files: one reads them, another warns in every epoch, a third refuses. Bytes after the
 *   end may be the rest of another file.
 *
 * Example
 *   masks/0001.png: warning malformed-png: 9 bytes of other data after IEND, from byte 292 on
 *
 * What to do
 *   Write the file again: `Image.open(f).save(f)` with Pillow keeps palette and ids.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	return s->sample->format == FORMAT_PNG &&
	       fault_finding(f, &s->sample->warning, FAULT_MALFORMED,
			     "write the file again, for example with Image.open(f).save(f) of Pillow");
}

const struct rule rule_malformed_png = {
	RULE("malformed-png", "file", LEVEL_WARNING, "a PNG that can be decoded but breaks the specification"),
	.facts_needed = FACTS_FAULT,
	.check_file = check,
};
