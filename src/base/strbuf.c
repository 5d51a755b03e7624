#include "base/strbuf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char strbuf_empty[1];

void strbuf_init(struct strbuf *sb)
{
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->s);
	strbuf_init(sb);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->cap ? sb->s : xstrdup("");

	strbuf_init(sb);
	return s;
}

void strbuf_clear(struct strbuf *sb)
{
	strbuf_cut(sb, 0);
}

void strbuf_cut(struct strbuf *sb, size_t len)
{
	if (sb->len <= len)
		return;
	sb->len = len;
	sb->s[len] = '\0';
}

void strbuf_set(struct strbuf *sb, const void *bytes, size_t n)
{
	strbuf_clear(sb);
	strbuf_add(sb, bytes, n);
}

/* Makes space for n more bytes and the NUL. */
static void reserve(struct strbuf *sb, size_t n)
{
	assert(n < SIZE_MAX / 2 - sb->len);
	if (sb->len + n + 1 <= sb->cap)
		return;
	char *s = sb->cap ? sb->s : NULL;

	sb->s = mem_grow(s, &sb->cap, sb->len + n + 1, 1);
}

void strbuf_add(struct strbuf *sb, const void *bytes, size_t n)
{
	if (!n)
		return;
	reserve(sb, n);
	memcpy(sb->s + sb->len, bytes, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);

	va_end(args);
	assert(n >= 0);
	reserve(sb, (size_t)n);
	vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, again);
	va_end(again);
	sb->len += (size_t)n;
}

void strbuf_add_u64(struct strbuf *sb, uint64_t v)
{
	char digits[20]; /* 2^64 has 20 digits */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	strbuf_add(sb, digits + at, sizeof(digits) - at);
}

void strbuf_add_grouped(struct strbuf *sb, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			strbuf_addch(sb, ',');
		strbuf_addch(sb, digits[i]);
	}
}

void strbuf_add_count(struct strbuf *sb, uint64_t n, const char *noun)
{
	strbuf_add_grouped(sb, n);
	strbuf_addf(sb, " %s%s", noun, n == 1 ? "" : "s");
}

bool text_addf(struct text *t, const char *fmt, ...)
{
	static const char dots[] = "...";
	size_t room = sizeof(t->s) - t->len;
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(t->s + t->len, room, fmt, args);

	va_end(args);
	if (n >= 0 && (size_t)n < room) {
		t->len += (size_t)n;
	} else if (n >= 0) {
		size_t cut = sizeof(t->s) - sizeof(dots);

		while (cut > 0 && ((unsigned char)t->s[cut] & 0xc0) == 0x80)
			cut--;
		memcpy(t->s + cut, dots, sizeof(dots));
		t->len = cut + sizeof(dots) - 1;
	}
	return true;
}
