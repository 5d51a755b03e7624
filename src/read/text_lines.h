/*
 * struct text_lines: the lines of a text file, through a window on it.
 *
 * Of a file that is in memory the window is all of it, and nothing is copied; through a streamed one the window moves.
 * Lines end in LF, CR LF or CR, as Python reads them; the last one need not have an end. A line longer than
 * TEXT_LINE_MAX bytes is refused, which bounds memory. A UTF-8 byte order mark is passed over; UTF-16 and UTF-32 are
 * refused. Owner: the reader of one file; one thread.
 */
#ifndef READ_TEXT_LINES_H
#define READ_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "read/input.h"

enum {
	/* A polygon of 12,000 points with 8 decimals; one drawn by hand has hundreds. */
	TEXT_LINE_MAX = 256 << 10,
	/* Bytes of a window that moves: enough that any line fits in behind a part of the line before it. */
	TEXT_WINDOW = 2 * TEXT_LINE_MAX,
};

struct text_lines {
	struct input *in;
	const char *at, *end; /* the part of the window that was not given yet */
	bool last;            /* the text ends at `end` */
	char *window;         /* owned; NULL if the input is in memory */
	uint64_t lines;       /* how many were given */
	bool bom;             /* the text began with a UTF-8 byte order mark */
	bool cr, nul, eighth; /* whether the window may hold a CR, a NUL, a byte above 0x7f */
};

/* One line, without its end. */
struct text_line {
	const char *s;
	size_t n;
	uint64_t number; /* from 1 */
	bool lone_cr;    /* a CR alone ended it */
};

/* Begins at byte 0 of the input, which it borrows. False with the fault filled. */
bool text_lines_open(struct text_lines *t, struct input *in, struct fault *fault);
void text_lines_close(struct text_lines *t);

/*
 * Reads on behind `end`; at and end may move. False: the text has ended, the window is full, since a line is too long,
 * or the fault is filled.
 */
bool text_lines_more(struct text_lines *t, struct fault *fault);

/* Gives the next line, which is valid until the next call. False: there is none, or the fault is filled. */
bool text_lines_next(struct text_lines *t, struct text_line *line, struct fault *fault);

/* Fills the fault: what ("line", "the row at line") is longer than TEXT_LINE_MAX. */
void text_too_long(struct fault *fault, const char *what, uint64_t line);

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

#endif
