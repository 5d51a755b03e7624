/*
 * struct error: the environment's fault that ends the run, as one line for a person.
 *
 * Set once, at the origin; callers pass it on unchanged. Owner: the caller's stack. Text is cut at ERROR_TEXT bytes.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/status.h"

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

#endif
