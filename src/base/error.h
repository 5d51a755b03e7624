/*
 * struct error: why the environment made us give up, in one line for a person.
 *
 * Filled once, at the origin; callers on the way up pass it on and add nothing.
 * Owner: the caller's stack. No allocation. Text is cut at ERROR_TEXT bytes.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/status.h"

enum { ERROR_TEXT = 1024 };

struct error {
	char text[ERROR_TEXT]; /* "" while nothing went wrong */
};

#define ERROR_INIT        \
	{                 \
		{         \
			0 \
		}         \
	}

/* Fills err (which must be empty) and returns STATUS_FAILED, so that origins can `return error_set(...)`. */
enum status error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": <strerror(errnum)>" behind it. */
enum status error_set_errno(struct error *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
