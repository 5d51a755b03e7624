#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_addf(struct text *t, const char *fmt, ...)
{
	static const char dots[] = "...";
	size_t room = sizeof(t->s) - t->len;
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(t->s + t->len, room, fmt, args);

	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n < room) {
		t->len += (size_t)n;
		return;
	}
	size_t cut = sizeof(t->s) - sizeof(dots);

	while (cut > 0 && ((unsigned char)t->s[cut] & 0xc0) == 0x80)
		cut--;
	memcpy(t->s + cut, dots, sizeof(dots));
	t->len = cut + sizeof(dots) - 1;
}
