#include "judge/fault_finding.h"

#include <inttypes.h>

bool fault_finding(struct finding *f, const struct fault *fault, enum fault_kind kind, const char *advice)
{
	if (fault->kind != kind)
		return false;
	text_addf(&f->message, "%s", fault->text);
	if (fault->line && fault->column)
		text_addf(&f->message, " (line %" PRIu64 ", column %" PRIu64 ")", fault->line, fault->column);
	else if (fault->line)
		text_addf(&f->message, " (line %" PRIu64 ")", fault->line);
	text_addf(&f->advice, "%s", fault->advice[0] ? fault->advice : advice);
	f->details.offset = fault->offset;
	f->details.line = fault->line;
	f->details.column = fault->column;
	return true;
}
