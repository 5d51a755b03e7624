/*
 * struct json_writer: appends JSON to a strbuf, value by value, without a tree or allocations of its own.
 *
 * Integers are exact over the whole range of uint64_t and int64_t; strings may be any bytes (base/escape.h). Misuse,
 * such as a value without a key in an object or an end without a begin, is a bug and asserts. Owner: the caller's
 * stack; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum { JSON_DEPTH_MAX = 16 };

/* The layout of the members of an object or an array. */
enum json_layout {
	JSON_INLINE, /* all on one line */
	JSON_BLOCK,  /* each on its own line, indented */
};

struct json_writer {
	struct strbuf *out;
	bool compact; /* everything inline, no blanks: one document per line */
	bool keyed;   /* a key was written, its value is next */
	unsigned depth;
	struct {
		char close; /* '}' or ']' */
		bool block;
		bool filled; /* it has a member */
	} levels[JSON_DEPTH_MAX];
};

void json_init(struct json_writer *w, struct strbuf *out, bool compact);

void json_begin_object(struct json_writer *w, enum json_layout layout);
void json_begin_array(struct json_writer *w, enum json_layout layout);
/* Ends the innermost open object or array. */
void json_end(struct json_writer *w);
void json_ends(struct json_writer *w, unsigned n); /* n of them */

/* key: ours, plain ASCII without quotes or backslashes */
void json_key(struct json_writer *w, const char *key);

void json_string(struct json_writer *w, const char *s, size_t n);
void json_text(struct json_writer *w, const char *s); /* NUL-terminated; NULL: null */
void json_base64(struct json_writer *w, const char *s, size_t n);
void json_u64(struct json_writer *w, uint64_t v);
void json_i64(struct json_writer *w, int64_t v);
/* [id, count], inline */
void json_pair(struct json_writer *w, int64_t id, uint64_t count);
void json_bool(struct json_writer *w, bool v);
void json_null(struct json_writer *w);
/* [count, ...], inline */
void json_counts(struct json_writer *w, const uint64_t *v, size_t n);
/* Returns the strbuf, for one finished value to be appended (base/decimal.h). */
struct strbuf *json_value(struct json_writer *w);

/* A key and its value, or what begins its value. */
void json_key_object(struct json_writer *w, const char *key, enum json_layout layout);
void json_key_array(struct json_writer *w, const char *key, enum json_layout layout);
void json_key_text(struct json_writer *w, const char *key, const char *s);
void json_key_u64(struct json_writer *w, const char *key, uint64_t v);
void json_key_i64(struct json_writer *w, const char *key, int64_t v);
void json_key_bool(struct json_writer *w, const char *key, bool v);
void json_key_ratio(struct json_writer *w, const char *key, uint64_t num, uint64_t den, unsigned decimals);
/* "key": {"inner": "s"} */
void json_key_in_object(struct json_writer *w, const char *key, const char *inner, const char *s);
