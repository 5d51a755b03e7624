#include "judge/row_faults.h"

#include <inttypes.h>

void row_place(struct finding *f, const char *before, const struct row_tally *tally)
{
	f->details.line = tally->first >> PLACE_COLUMN_BITS;
	f->details.column = tally->first & PLACE_COLUMN_MAX;
	text_addf(&f->message, " (%sline %" PRIu64 ", column %" PRIu64 ")", before, f->details.line, f->details.column);
}

bool row_faults_finding(struct finding *f, uint64_t rows, const struct row_tally *tallies,
			const struct row_phrase *phrases, size_t count)
{
	struct row_tally all = { 0, UINT64_MAX };

	for (size_t i = 0; i < count; i++) {
		const struct row_tally *tally = &tallies[phrases[i].fault];

		if (!tally->rows)
			continue;
		if (!all.rows)
			text_addf(&f->message, "of %" PRIu64 " row%s", rows, rows == 1 ? "" : "s");
		text_addf(&f->message, ", %" PRIu64 " %s", tally->rows,
			  tally->rows == 1 ? phrases[i].one : phrases[i].many);
		all.rows += tally->rows;
		if (tally->first < all.first)
			all.first = tally->first;
	}
	if (!all.rows)
		return false;
	row_place(f, all.rows > 1 ? "first: " : "", &all);
	return true;
}
