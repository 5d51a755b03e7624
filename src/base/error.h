/*
 * enum status: the result of functions that can fail for reasons outside the data. There are three kinds of failure:
 *   - a bug fails an assertion;
 *   - bad input gives one file a struct fault (fault.h), and the run goes on;
 *   - a bad environment (usage, I/O of outputs, memory) returns STATUS_FAILED up to main, with a struct error: one line
 *     for a person, set once, at the origin, and cut at ERROR_TEXT bytes. Owner: the caller's stack.
 */
#pragma once

/* The values are the exit statuses. */
enum status {
	STATUS_OK = 0,       /* done; nothing at or above --fail-on */
	STATUS_FINDINGS = 1, /* done; findings at or above --fail-on */
	STATUS_FAILED = 2,   /* the audit could not be done or finished */
};

enum { ERROR_TEXT = 1024 };

struct error {
	char text[ERROR_TEXT]; /* "": no error */
};

#define ERROR_INIT        \
	{                 \
		{         \
			0 \
		}         \
	}

/* Sets err, which must be empty, and returns STATUS_FAILED. */
enum status error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, followed by ": <strerror(errnum)>". */
enum status error_set_errno(struct error *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
