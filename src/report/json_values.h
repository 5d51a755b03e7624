/*
 * struct json_values: reads typed values, one after the other, from a JSON document that labelaudit wrote, a report or
 * a baseline.
 *
 * A layer over the tokenizer (base/json_pull.h) for objects whose members may come in any order. The current value is
 * the one whose first token was read last. A value of another type than expected ends the reading: the error says what
 * was expected, at which byte and under which key. After a failure every call fails, so callers may check once at the
 * end. Objects whose members are known are read by a table of them (report/fields.h).
 *
 * Owner: the caller; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_pull.h"
#include "base/settings.h"
#include "base/strbuf.h"

/* Bytes of a string: --classes with 65536 single ids takes 500 KB. */
enum { VALUES_TEXT_MAX = 4 << 20 };

struct json_values {
	struct json_pull pull;
	enum json_token token; /* the first of the current value */
	struct strbuf text;    /* the string that was read last */
	const char *name;      /* of the document, for messages; not owned */
	char key[48];          /* of the current value; cut, so that no longer key equals one of ours */
	bool by_line;          /* errors name the line, not the byte and the key */
	bool failed;
	struct error *err; /* filled at the first failure */
};

/* Reads from fd, which stays the caller's. err is filled at the first failure. */
void values_open(struct json_values *v, int fd, const char *name, struct error *err);
void values_close(struct json_values *v);

/* Fills the error with the place of the current value. Always returns false. */
bool values_fail(struct json_values *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reads a token: makes the whole document the current value, or checks after it that nothing follows. */
bool values_next(struct json_values *v);

/* ---- objects and arrays ----------------------------------------------------------------------------------------- */

/* Fail unless the current value is an object, or an array. */
bool values_object(struct json_values *v);
bool values_array(struct json_values *v);
/* Make the next member or element of the innermost object or array the current value; return false at its end. */
bool values_member(struct json_values *v);
bool values_element(struct json_values *v);
/* Fails unless the innermost array ends here. */
bool values_array_end(struct json_values *v);
bool values_key_is(const struct json_values *v, const char *key);
/* Skips the current value. */
bool values_skip(struct json_values *v);
/* Skips the rest of the innermost array or object. */
bool values_skip_rest(struct json_values *v);

/* ---- values: each function reads the current one and fails if it has another type -------------------------------- */

/* Returns whether the value is null; never fails. */
bool values_null(const struct json_values *v);
bool values_u64(struct json_values *v, uint64_t *out);
bool values_i64(struct json_values *v, int64_t *out);
bool values_bool(struct json_values *v, bool *out);
/* Returns a NUL-terminated string without NULs inside, valid until the next one is read; NULL on failure. */
const char *values_string(struct json_values *v);
/* Does the same for a string in base64, which it decodes. */
const char *values_base64(struct json_values *v);
/* Reads "error", "warning" or "info"; "off" if off is true. */
bool values_level(struct json_values *v, bool off, enum level *out);
/* Reads a string of 16 hexadecimal digits. */
bool values_hex(struct json_values *v, uint64_t *out);
/* Reads a number in units of 10^-decimals, rounded down. */
bool values_decimal(struct json_values *v, unsigned decimals, uint64_t *out);
/* Reads the next element of an array, a count. */
bool values_next_u64(struct json_values *v, uint64_t *out);
/* Reads [id, count]. */
bool values_pair(struct json_values *v, int64_t *id, uint64_t *count);
