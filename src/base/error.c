#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static size_t put(struct error *err, const char *fmt, va_list args)
{
	assert(!err->text[0]);
	int n = vsnprintf(err->text, sizeof(err->text), fmt, args);

	return n < 0 ? 0 : (size_t)n < sizeof(err->text) ? (size_t)n : sizeof(err->text) - 1;
}

enum status error_set(struct error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put(err, fmt, args);
	va_end(args);
	return STATUS_FAILED;
}

enum status error_set_errno(struct error *err, int errnum, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	size_t n = put(err, fmt, args);
	va_end(args);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s", strerror(errnum));
	return STATUS_FAILED;
}
