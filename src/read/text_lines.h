/*
 * struct text_lines: reads the lines of a text file through a window.
 *
 * If the file is in memory, the window is all of it, without a copy; over a streamed file the window moves. Lines end
 * in LF, CR LF or CR, as in Python; the last line may lack an end. A line longer than TEXT_LINE_MAX bytes is refused,
 * which bounds memory. A UTF-8 byte order mark is skipped; UTF-16 and UTF-32 are refused. Owner: the reader of one
 * file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "read/input.h"

enum {
	/* Bytes: a polygon of 12,000 points with 8 decimals; one drawn by hand has hundreds. */
	TEXT_LINE_MAX = 256 << 10,
	/* Bytes of a moving window: the longest line fits after a part of the previous one. */
	TEXT_WINDOW = 2 * TEXT_LINE_MAX,
};

struct text_lines {
	struct input *in;
	const char *at, *end;        /* the unread part of the window */
	bool last;                   /* the text ends at `end` */
	char *window;                /* owned; NULL if the input is in memory */
	size_t window_size, longest; /* in bytes: what the window holds, and what it may grow to; TEXT_WINDOW */
	uint64_t lines;              /* read so far */
	bool bom;                    /* the text begins with a UTF-8 byte order mark */
	bool cr, nul, eighth;        /* the window may hold a CR, a NUL, a byte above 0x7f */
};

/* A line, without its line end. */
struct text_line {
	const char *s;
	size_t n;
	uint64_t number; /* from 1 */
	bool lone_cr;    /* a CR alone ended it */
};

/* Starts at byte 0 of the input, which is borrowed. Returns false if *fault is set; close it all the same. */
bool text_lines_open(struct text_lines *t, struct input *in, struct fault *fault);
void text_lines_close(struct text_lines *t);

/* Extends the window; at and end may move. Returns false if the text has ended, the window is full, or *fault is set.
 */
bool text_lines_more(struct text_lines *t, struct fault *fault);

/* Reads the next line, valid until the next call. Returns false at the end, or if *fault is set. */
bool text_lines_next(struct text_lines *t, struct text_line *line, struct fault *fault);

/* Sets *fault: `what` ("line", "the row at line") is longer than is read. Returns false. */
bool text_too_long(const struct text_lines *t, const char *what, uint64_t line, struct fault *fault);

/*
 * Makes the line that was read last reach to the end of the next one: its bytes may move. Returns false if the text has
 * ended, or *fault is set.
 */
bool text_lines_join(struct text_lines *t, struct text_line *line, struct fault *fault);

/* Returns the offset in the file of a byte of the window. */
static inline uint64_t text_lines_offset(const struct text_lines *t, const char *s)
{
	return t->window ? t->in->at - (uint64_t)(t->end - s) : (uint64_t)(s - (const char *)t->in->bytes);
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}
