/* Lines of a text that is in memory; text_lines.h reads those of a file. Pure, any thread. */
#pragma once

#include "read/find_bytes.h"
#include "read/text_lines.h"

struct line_span {
	const char *s, *end; /* without blanks around it, and the CR at its end */
	const char *next;    /* what follows its end */
};

/* Returns the line at s; the last one ends at `end`. */
static inline struct line_span line_at(const char *s, const char *end)
{
	struct line_span l = { s, find_bytes(s, end, '\n', '\n', '\n', '\n'), end };

	l.next = l.end + (l.end < end);
	while (l.end > l.s && (is_blank(l.end[-1]) || l.end[-1] == '\r'))
		l.end--;
	while (l.s < l.end && is_blank(*l.s))
		l.s++;
	return l;
}
