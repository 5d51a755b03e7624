/*
 * struct strbuf: a growing byte string, always NUL-terminated; it may contain NULs. `s` is never NULL after
 * STRBUF_INIT. Ends the process without memory, so the caller bounds sizes that the input chooses. Owner: the caller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
	char *s;
	size_t len;
	size_t cap; /* 0: s is the shared empty string */
};

extern char strbuf_empty[];
#define STRBUF_INIT                \
	{                          \
		strbuf_empty, 0, 0 \
	}

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);
/* Before the type of local strbufs: each is released where its block ends, also by a return. */
#define RELEASED __attribute__((cleanup(strbuf_release)))
/* Returns the string, which the caller owns, and empties the strbuf. */
char *strbuf_detach(struct strbuf *sb);
void strbuf_clear(struct strbuf *sb);                            /* sets the length to 0 and keeps the memory */
void strbuf_cut(struct strbuf *sb, size_t len);                  /* shortens it to at most len bytes */
void strbuf_set(struct strbuf *sb, const void *bytes, size_t n); /* replaces what it holds */
void strbuf_add(struct strbuf *sb, const void *bytes, size_t n);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_add_u64(struct strbuf *sb, uint64_t v);                     /* decimal; faster than addf */
void strbuf_add_grouped(struct strbuf *sb, uint64_t v);                 /* decimal, for people: "1,234,567" */
void strbuf_add_count(struct strbuf *sb, uint64_t n, const char *noun); /* "1 file", "1,234 files" */

/*
 * struct text: a string of bounded length, for messages and advice of findings. Longer text is cut at a UTF-8 boundary
 * and ends in "...".
 */
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
/* Appends. Returns true, so that a check which found something can end in it. */
bool text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
