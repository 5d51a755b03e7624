/*
 * struct text_lines: the text of a label file, a window of it at a time, and its lines.
 *
 * A file that is in memory is one window and is never copied; a streamed one has a window that moves. Lines end in LF,
 * CR LF or CR, as Python reads them; the last may lack its end. No line is longer than TEXT_LINE_MAX bytes: that keeps
 * memory bounded. A UTF-8 byte order mark is passed over; UTF-16 and UTF-32 are refused.
 * Owner: the reader of one file; one thread.
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
	/* Bytes of a window that moves: any line fits behind what is left of the one before it. */
	TEXT_WINDOW = 2 * TEXT_LINE_MAX,
};

struct text_lines {
	struct input *in;
	const char *at, *end; /* what was read, but not handed out */
	bool last;            /* nothing is behind `end` */
	char *window;         /* owned; NULL if the input is in memory */
	uint64_t lines;       /* handed out */
	bool bom;             /* the text began with a UTF-8 byte order mark */
	bool cr, nul, eighth; /* whether the window may hold a CR, a NUL, a byte of 0x80 or more */
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
 * Brings more bytes behind `end`; at and end may move. False: there are none, or the window is full (then the line is
 * too long), or with a fault.
 */
bool text_lines_more(struct text_lines *t, struct fault *fault);

/* Whether there was a line; if not: the end, or a fault. It is valid until the next call. */
bool text_lines_next(struct text_lines *t, struct text_line *line, struct fault *fault);

/* Fills the fault for what ("line", "the row at line") is longer than TEXT_LINE_MAX. */
void text_too_long(struct fault *fault, const char *what, uint64_t line);

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

#endif
