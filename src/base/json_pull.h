/*
 * struct json_pull: reads JSON (RFC 8259) token by token, from memory or from a stream, for files that are too large
 * for a tree: annotation files of hundreds of megabytes, reports of many shards.
 *
 * The memory is one buffer, one string, and a bit per level of nesting. The grammar is checked strictly, also in
 * skipped values. Numbers are exact 64-bit integers, or digits and an exponent. Strings are decoded and cut at text_max
 * bytes.
 *
 * Choices that RFC 8259 leaves to a parser:
 *   - a UTF-8 byte order mark is accepted and noted in had_bom (section 8.1 allows that); UTF-16 is refused;
 *   - ill-formed UTF-8 in a string is accepted, its bytes are kept as they are, and the string's flags say so;
 *   - an escaped surrogate without its other half becomes U+FFFD, and the flags say so;
 *   - numbers may have any number of digits; if 64 bits do not hold them, `exact` is false;
 *   - nesting deeper than JSON_PULL_DEPTH_MAX is refused, as a limit;
 *   - a key that an object has twice is returned twice;
 *   - NaN, Infinity and -Infinity, which Python writes, are refused unless JSON_NON_FINITE is given.
 *
 *   struct json_pull p;
 *   json_open_memory(&p, bytes, n, 0);
 *   while ((token = json_next(&p)) != JSON_END && token != JSON_FAULT) ...
 *   json_close(&p);
 *
 * Owner: the caller that opened it; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fault.h"

enum {
	JSON_PULL_DEPTH_MAX = 1024, /* label files need 6 levels; 500 are customary in test suites */
	JSON_BUFFER = 256 << 10,    /* default bytes of a stream read at a time */
	JSON_TEXT_MAX = 64 << 10,   /* default length at which strings are cut */
};

enum json_token {
	JSON_FAULT, /* not JSON, over a limit, or the stream failed: see `fault`. Every later call returns it too */
	JSON_END,   /* the value is complete and only white space followed */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,    /* text */
	JSON_STRING, /* text */
	JSON_NUMBER, /* number */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

enum json_options {
	JSON_NON_FINITE = 1 << 0, /* accept NaN, Infinity and -Infinity as numbers */
};

enum json_text_flags {
	JSON_TEXT_CUT = 1 << 0,            /* longer than text_max: cut, at a character's boundary */
	JSON_TEXT_BAD_UTF8 = 1 << 1,       /* holds bytes that are not UTF-8 */
	JSON_TEXT_LONE_SURROGATE = 1 << 2, /* \uD800 to \uDFFF without its other half: replaced by U+FFFD */
};

/* value = (negative ? -1 : 1) * magnitude * 10^exponent */
struct json_number {
	uint64_t magnitude; /* the first 19 significant digits, 20 where they fit */
	int64_t exponent;
	bool negative; /* also for -0 */
	bool integer;  /* written without a fraction and an exponent */
	bool exact;    /* no digit was dropped */
	bool finite;   /* false: NaN or Infinity was written */
	bool nan;
};

/* Reads up to n bytes. Returns how many, 0 at the end, -1 if it fails; then *fault is set. input_read is one. */
typedef int64_t json_read_function(void *context, void *out, size_t n, struct fault *fault);

/* Counts lines, each byte once: for places in the text. */
struct json_line_feeds {
	const uint8_t *counted;            /* how far */
	uint64_t count, line_start;        /* those before `counted`, and the offset after the last of them */
	uint64_t token_line, token_column; /* of a token that began before the buffered bytes */
};

struct json_pull {
	/* The last token; valid until the next call. */
	const char *text; /* not NUL-terminated, may hold NULs */
	size_t text_len;
	unsigned text_flags; /* enum json_text_flags */
	struct json_number number;
	uint64_t token_offset; /* of its first byte */

	struct fault fault; /* why JSON_FAULT: FAULT_LABELS, FAULT_TRUNCATED, FAULT_LIMIT, or the stream's fault */
	bool had_bom;       /* the text began with a byte order mark */
	/* Counts, skipped values included: NaN and infinities; strings and keys with a flag but JSON_TEXT_CUT */
	uint64_t non_finite, bad_text;
	uint32_t depth; /* number of open arrays and objects */

	/* private */
	json_read_function *read;
	void *context;
	unsigned options;
	const uint8_t *start, *at, *end; /* of the buffered bytes; at: the next one */
	uint8_t *buffer;                 /* owned; NULL: the bytes are the caller's */
	size_t buffer_size;
	uint64_t base; /* offset of start */
	struct json_line_feeds feeds;
	char *decoded; /* owned: strings that are not contiguous bytes of the text */
	size_t text_max;
	bool skipping; /* strings are checked but not kept */
	uint8_t want;
	uint64_t is_object[JSON_PULL_DEPTH_MAX / 64]; /* a bit per level */
};

/* Reads n bytes of memory, which must stay valid until json_close. */
void json_open_memory(struct json_pull *p, const void *bytes, size_t n, unsigned options);
/* Reads a stream, buffer_size bytes at a time (0: JSON_BUFFER). */
void json_open_stream(struct json_pull *p, json_read_function *read, void *context, size_t buffer_size,
		      unsigned options);
/* Reads a descriptor from its current position; the caller closes it. */
void json_open_fd(struct json_pull *p, int fd, unsigned options);
void json_close(struct json_pull *p);
/* Sets the length at which strings are cut, 4 or more; before the first token. */
void json_set_text_max(struct json_pull *p, size_t max);

enum json_token json_next(struct json_pull *p);
/* Skips the rest of the array or object that `token`, the last one, begins. Other tokens skip nothing. False: fault. */
bool json_skip(struct json_pull *p, enum json_token token);
/* Skips the whole next value, such as that of a key. False: fault. */
bool json_skip_next(struct json_pull *p);
/* In an array: skips numbers, adds their count to *count, and returns the next other token. Faster than json_next. */
enum json_token json_skip_numbers(struct json_pull *p, uint64_t *count);
/*
 * In an array: reads up to max numbers and sets *count to how many. Returns the next other token; JSON_NUMBER if there
 * are max of them. p->number may be that of an earlier one. Faster than json_next.
 */
enum json_token json_next_numbers(struct json_pull *p, double *values, size_t max, size_t *count);

/* Returns line and column, from 1, of the last token's first byte. All calls together read each byte only once. */
void json_place(struct json_pull *p, uint64_t *line, uint64_t *column);
/* Returns the offset after the last token, or after what was skipped. */
static inline uint64_t json_end_offset(const struct json_pull *p)
{
	return p->base + (uint64_t)(p->at - p->start);
}

/* Returns "a number", "the end of an array", ..., for messages. */
const char *json_token_name(enum json_token token);

static inline bool json_text_is(const struct json_pull *p, const char *s)
{
	size_t n = strlen(s);

	return p->text_len == n && !memcmp(p->text, s, n);
}

/* Return false unless the number was written as an integer and fits. -0 is 0. */
bool json_number_int64(const struct json_number *n, int64_t *out);
bool json_number_uint64(const struct json_number *n, uint64_t *out);
/*
 * Returns the nearest double, correctly rounded for up to 19 significant digits and else within one unit of the last
 * place; infinity if the number is too large.
 */
double json_number_double(const struct json_number *n);
/*
 * For json_pull.c: reads a number of at most 7 bytes, without its sign and an exponent; n is that of 0. Returns its
 * bytes; 0 if s does not begin so, and n is as it was. 8 bytes at s can be read.
 */
size_t json_short_number(const uint8_t *s, struct json_number *n);
/*
 * For json_pull.c: reads numbers of at most 15 digits and no exponent, a blank before each allowed, right before a
 * comma or a bracket of an array, from where one may begin. Returns how many, at most max; *at is after the last of
 * them. It is less than max where a number has another form, or might not end before `end`.
 */
size_t json_plain_numbers(const uint8_t **at, const uint8_t *end, double *values, size_t max);
