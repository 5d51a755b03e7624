/*
 * struct text: a string of bounded length, for messages and advice of findings. Longer text is cut at a UTF-8 boundary
 * and ends in "...".
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

enum { TEXT_ROOM = 1024 };

struct text {
	size_t len;
	char s[TEXT_ROOM]; /* always NUL-terminated */
};

static inline void text_clear(struct text *t)
{
	t->len = 0;
	t->s[0] = '\0';
}
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
