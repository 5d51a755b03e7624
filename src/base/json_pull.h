/*
 * struct json_pull: reads JSON (RFC 8259) token by token, from memory or from a stream, in bounded memory.
 *
 * For files that are too large for a tree: annotation files of hundreds of megabytes, reports of many shards. There is
 * no recursion, and no memory but one buffer and one string: nesting takes a bit a level, up to JSON_PULL_DEPTH_MAX.
 * The grammar is checked strictly, also in what is skipped. Numbers are exact 64-bit integers, or digits and an
 * exponent; they become a double only if the caller asks for one, in no locale. Strings are decoded, and cut at a
 * length of the caller's choice.
 *
 * Where RFC 8259 leaves the choice:
 *   - a UTF-8 byte order mark is accepted and noted in had_bom (section 8.1 allows that); UTF-16 is refused;
 *   - ill-formed UTF-8 in a string is accepted, its bytes are kept as they are, and the string's flags say so;
 *   - an escaped surrogate without its other half becomes U+FFFD, and the flags say so;
 *   - numbers may have any number of digits; of one that 64 bits do not hold, `exact` is false;
 *   - nesting deeper than JSON_PULL_DEPTH_MAX is refused, as a limit;
 *   - the same key twice in an object is given twice: it is for the caller to notice;
 *   - NaN, Infinity and -Infinity, which Python writes, are refused unless JSON_NON_FINITE is given.
 *
 *   struct json_pull p;
 *   json_open_memory(&p, bytes, n, 0);
 *   while ((token = json_next(&p)) != JSON_END && token != JSON_FAULT) ...
 *   json_close(&p);
 *
 * Owner: whoever opened it; one thread.
 */
#ifndef BASE_JSON_PULL_H
#define BASE_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fault.h"

enum {
	JSON_PULL_DEPTH_MAX = 1024, /* label files need 6 levels; 500 are customary in test suites */
	JSON_BUFFER = 256 << 10,    /* bytes of a stream read at a time */
	JSON_TEXT_MAX = 64 << 10,   /* default length at which strings are cut */
};

enum json_token {
	JSON_FAULT, /* not JSON, over a limit, or the stream failed: `fault` says what. Every later call gives it again
		     */
	JSON_END,   /* the value is complete and only white space followed */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,    /* of an object: text */
	JSON_STRING, /* text */
	JSON_NUMBER, /* number */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

enum json_options {
	JSON_NON_FINITE = 1 << 0, /* NaN, Infinity and -Infinity are numbers (not finite ones) */
};

enum json_text_flags {
	JSON_TEXT_CUT = 1 << 0,            /* longer than text_max: cut, at a character's boundary */
	JSON_TEXT_BAD_UTF8 = 1 << 1,       /* holds bytes that are not UTF-8 */
	JSON_TEXT_LONE_SURROGATE = 1 << 2, /* held \uD800 to \uDFFF without its other half: U+FFFD stands there now */
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

/* Gives up to n of the next bytes. Returns how many, 0 at the end, -1 with the fault filled. Such as input_read. */
typedef int64_t json_read_function(void *context, void *out, size_t n, struct fault *fault);

struct json_pull {
	/* The token that was given last; valid until the next call. */
	const char *text; /* not NUL-terminated, may hold NULs */
	size_t text_len;
	unsigned text_flags; /* enum json_text_flags */
	struct json_number number;
	uint64_t token_offset; /* of its first byte */

	struct fault fault;  /* why JSON_FAULT; FAULT_LABELS, FAULT_TRUNCATED, FAULT_LIMIT, or what the stream said */
	bool had_bom;        /* the text began with a byte order mark */
	uint64_t non_finite; /* NaN and infinities met, also in what was skipped */
	uint64_t bad_text; /* strings and keys with JSON_TEXT_BAD_UTF8 or _LONE_SURROGATE met, also in what was skipped
			    */
	uint32_t depth;    /* of open arrays and objects */

	/* private */
	json_read_function *read;
	void *context;
	unsigned options;
	const uint8_t *start, *at, *end; /* of the bytes at hand; at: the next one */
	uint8_t *buffer;                 /* owned; NULL: the bytes are the caller's */
	size_t buffer_size;
	uint64_t base; /* offset of start */
	/* How many line feeds there are before `counted`, and where the last of them is: no byte is looked at twice. */
	const uint8_t *counted;
	uint64_t lines, line_start;
	uint64_t token_line, token_column; /* of a token that began before start */
	char *decoded;                     /* owned: strings that had to be put together */
	size_t text_max;
	bool skipping; /* strings are checked, not kept */
	uint8_t want;
	uint64_t is_object[JSON_PULL_DEPTH_MAX / 64]; /* a bit a level */
};

/* Reads n bytes that are all in memory, and must stay there until json_close. */
void json_open_memory(struct json_pull *p, const void *bytes, size_t n, unsigned options);
/* Reads a stream, buffer_size bytes at a time (0: JSON_BUFFER). */
void json_open_stream(struct json_pull *p, json_read_function *read, void *context, size_t buffer_size,
		      unsigned options);
/* Reads a descriptor from where it stands; the caller still has to close it. */
void json_open_fd(struct json_pull *p, int fd, unsigned options);
void json_close(struct json_pull *p);
/* Longer strings are cut. Before the first token; 4 or more. */
void json_set_text_max(struct json_pull *p, size_t max);

enum json_token json_next(struct json_pull *p);
/*
 * `token` was given just now: if it begins an array or an object, passes over the rest of that; else over nothing (a
 * key's value is not part of the key). False: fault.
 */
bool json_skip(struct json_pull *p, enum json_token token);
/* Skips the next value whole, for instance that of a key that is not needed. False: fault. */
bool json_skip_next(struct json_pull *p);
/*
 * Inside an array: passes over numbers, adding to *count how many there were, and gives the first token that is not a
 * number. JSON_ARRAY_END: nothing else was there. Several times as fast as json_next.
 */
enum json_token json_skip_numbers(struct json_pull *p, uint64_t *count);

/*
 * Line and column, from 1, of the first byte of the token that was given last; the column counts bytes. May only be
 * asked for tokens in their order. Cheap enough for every object of a file: all calls together look at each byte once.
 */
void json_place(struct json_pull *p, uint64_t *line, uint64_t *column);
/* "a number", "the end of an array", for messages. */
const char *json_token_name(enum json_token token);

static inline bool json_text_is(const struct json_pull *p, const char *s)
{
	size_t n = strlen(s); /* of a literal: known when compiled */

	return p->text_len == n && !memcmp(p->text, s, n);
}

/* False unless it was written as an integer and fits. -0 is 0. */
bool json_number_int64(const struct json_number *n, int64_t *out);
bool json_number_uint64(const struct json_number *n, uint64_t *out);
/*
 * The nearest double: exact rounding for up to 19 significant digits, within one unit of the last place beyond;
 * infinite if too large, NaN for NaN.
 */
double json_number_double(const struct json_number *n);

#endif
