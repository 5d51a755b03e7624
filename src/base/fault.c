#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, va_list args)
	__attribute__((format(printf, 4, 0)));

static void fill(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, va_list args)
{
	f->kind = kind;
	f->offset = offset;
	vsnprintf(f->text, sizeof(f->text), fmt, args);
}

void fault_set(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	if (f->kind != FAULT_NONE)
		return;
	va_start(args, fmt);
	fill(f, kind, offset, fmt, args);
	va_end(args);
}

void fault_no_memory(struct fault *f, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	if (f->kind != FAULT_NONE)
		return;
	va_start(args, fmt);
	fill(f, FAULT_UNREADABLE, offset, fmt, args);
	va_end(args);
	snprintf(f->advice, sizeof(f->advice), "audit it where there is more memory, or with fewer --jobs");
}
