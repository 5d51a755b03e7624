#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, va_list args)
	__attribute__((format(printf, 4, 0)));
static void fill(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, va_list args)
{
	if (f->kind != FAULT_NONE)
		return;
	f->kind = kind;
	f->offset = offset;
	vsnprintf(f->text, sizeof(f->text), fmt, args);
}

bool fault_set(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(f, kind, offset, fmt, args);
	va_end(args);
	return false;
}

bool fault_set_at(struct fault *f, enum fault_kind kind, uint64_t line, uint64_t column, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(f, kind, FAULT_NO_OFFSET, fmt, args);
	va_end(args);
	f->line = line;
	f->column = column;
	return false;
}

bool fault_no_memory(struct fault *f, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	if (f->kind != FAULT_NONE)
		return false;
	va_start(args, fmt);
	fill(f, FAULT_UNREADABLE, offset, fmt, args);
	va_end(args);
	return fault_advise(f, "audit it where there is more memory, or with fewer --jobs");
}

bool fault_advise(struct fault *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->advice, sizeof(f->advice), fmt, args);
	va_end(args);
	return false;
}
