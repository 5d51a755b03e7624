#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

void fault_set(struct fault *f, enum fault_kind kind, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	if (f->kind != FAULT_NONE)
		return;
	f->kind = kind;
	f->offset = offset;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}
