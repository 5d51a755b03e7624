/*
 * struct json_values: typed values out of a JSON document that was written by us, one after the other.
 *
 * A thin layer over the tokenizer: objects are asked for their members in whatever order they come, arrays for their
 * elements; a value of another type than expected ends the reading with one line that says what, where and under which
 * key. After a failure every call fails, so callers may check once at the end.
 *
 *   if (!values_object(v)) return false;
 *   while (values_member(v)) {
 *       if (values_key_is(v, "files")) values_u64(v, &files);
 *       else values_skip(v);
 *   }
 *   return !v->failed;
 *
 * Owner: the caller; one thread.
 */
#ifndef REPORT_JSON_VALUES_H
#define REPORT_JSON_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_pull.h"
#include "base/strbuf.h"

/* Bytes of a string: --classes with 65536 single ids takes 500 KB. */
enum { VALUES_TEXT_MAX = 4 << 20 };

struct json_values {
	struct json_pull pull;
	enum json_token token; /* the first of the value at hand */
	struct strbuf text;    /* the last string that was asked for, or number, for messages */
	const char *name;      /* of the document, for messages; not owned */
	char key[48];          /* of the value at hand; cut, so that a longer one is none of ours */
	bool failed;
	struct error *err; /* filled at the first failure */
};

/* Reads from fd, which stays the caller's. err is filled at the first failure. */
void values_open(struct json_values *v, int fd, const char *name, struct error *err);
void values_close(struct json_values *v);

/* Fills the error with the place of the value at hand. Always false. */
bool values_fail(struct json_values *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The whole document becomes the value at hand; at the end, takes the token after it: nothing may follow. */
bool values_begin(struct json_values *v);
bool values_end(struct json_values *v);

/* The value at hand is an object, an array (else a failure). */
bool values_object(struct json_values *v);
bool values_array(struct json_values *v);
/* The next member or element of the innermost one is at hand; false at its end. */
bool values_member(struct json_values *v);
bool values_element(struct json_values *v);
bool values_key_is(const struct json_values *v, const char *key);
/* Passes over the value at hand whole. */
bool values_skip(struct json_values *v);

/* The value at hand; false and a failure if it is something else. */
bool values_null(const struct json_values *v); /* a question, never a failure */
bool values_u64(struct json_values *v, uint64_t *out);
bool values_i64(struct json_values *v, int64_t *out);
bool values_bool(struct json_values *v, bool *out);
/* A number without an exponent, in units of 10^-decimals, what is below them cut off: 4.25 with 3 decimals is 4250. */
bool values_decimal(struct json_values *v, unsigned decimals, uint64_t *out);
/* NUL-terminated, without NULs inside; valid until the next value. NULL on failure. */
const char *values_string(struct json_values *v);
/* The same, decoded from base64. */
const char *values_base64(struct json_values *v);
/* An array of exactly n counts. */
bool values_counts(struct json_values *v, uint64_t *out, size_t n);
/* One element more of an array: a count. */
bool values_next_u64(struct json_values *v, uint64_t *out);
/* Passes over the rest of the innermost array or object. */
bool values_skip_rest(struct json_values *v);
/* The array ends here (else a failure). */
bool values_array_end(struct json_values *v);

#endif
