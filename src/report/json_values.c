#include "report/json_values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

void values_open(struct json_values *v, int fd, const char *name, struct error *err)
{
	memset(v, 0, sizeof(*v));
	json_open_fd(&v->pull, fd, 0);
	json_set_text_max(&v->pull, VALUES_TEXT_MAX);
	strbuf_init(&v->text);
	v->name = name;
	v->err = err;
}

void values_close(struct json_values *v)
{
	json_close(&v->pull);
	strbuf_release(&v->text);
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static bool fail_at(struct json_values *v, uint64_t offset, uint64_t line, const char *text)
{
	v->failed = true;
	if (v->by_line)
		error_set(v->err, "%s: line %" PRIu64 ": %s", v->name, line, text);
	else
		error_set(v->err,
			  "%s: this is not a report of labelaudit, or it is damaged: byte %" PRIu64 ": %s%s%s%s",
			  v->name, offset, v->key[0] ? "'" : "", v->key, v->key[0] ? "': " : "", text);
	return false;
}

bool values_fail(struct json_values *v, const char *fmt, ...)
{
	uint64_t line, column;
	char text[512];
	va_list args;

	if (v->failed)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_place(&v->pull, &line, &column);
	return fail_at(v, v->pull.token_offset, line, text);
}

static bool fail_type(struct json_values *v, const char *expected)
{
	return values_fail(v, "expected %s, found %s", expected, json_token_name(v->token));
}

/* Reports the tokenizer's fault. */
static bool fail_syntax(struct json_values *v)
{
	const struct fault *fault = &v->pull.fault;

	if (v->failed)
		return false;
	if (fault->kind != FAULT_UNREADABLE && (fault->line || !v->by_line))
		return fail_at(v, fault->offset == FAULT_NO_OFFSET ? v->pull.token_offset : fault->offset, fault->line,
			       fault->text);
	v->failed = true;
	error_set(v->err, "%s: %s", v->name, fault->text);
	return false;
}

bool values_next(struct json_values *v)
{
	if (v->failed)
		return false;
	v->token = json_next(&v->pull);
	return v->token != JSON_FAULT || fail_syntax(v);
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

bool values_object(struct json_values *v)
{
	return (!v->failed && v->token == JSON_OBJECT) || fail_type(v, "an object");
}

bool values_array(struct json_values *v)
{
	return (!v->failed && v->token == JSON_ARRAY) || fail_type(v, "an array");
}

bool values_member(struct json_values *v)
{
	if (!values_next(v) || v->token == JSON_OBJECT_END)
		return false;
	snprintf(v->key, sizeof(v->key), "%.*s", (int)MIN(v->pull.text_len, sizeof(v->key)), v->pull.text);
	return values_next(v);
}

bool values_element(struct json_values *v)
{
	return values_next(v) && v->token != JSON_ARRAY_END;
}

bool values_array_end(struct json_values *v)
{
	if (!values_next(v))
		return false;
	return v->token == JSON_ARRAY_END || fail_type(v, "the end of the array");
}

bool values_key_is(const struct json_values *v, const char *key)
{
	return !strcmp(v->key, key);
}

bool values_skip(struct json_values *v)
{
	if (v->failed)
		return false;
	return json_skip(&v->pull, v->token) || fail_syntax(v);
}

bool values_skip_rest(struct json_values *v)
{
	if (v->failed)
		return false;
	return json_skip(&v->pull, JSON_ARRAY) || fail_syntax(v);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

bool values_null(const struct json_values *v)
{
	return !v->failed && v->token == JSON_NULL;
}

bool values_u64(struct json_values *v, uint64_t *out)
{
	return (!v->failed && v->token == JSON_NUMBER && json_number_uint64(&v->pull.number, out)) ||
	       fail_type(v, "an integer from 0 to 18446744073709551615");
}

bool values_i64(struct json_values *v, int64_t *out)
{
	return (!v->failed && v->token == JSON_NUMBER && json_number_int64(&v->pull.number, out)) ||
	       fail_type(v, "an integer of 64 bits");
}

bool values_bool(struct json_values *v, bool *out)
{
	if (v->failed || (v->token != JSON_TRUE && v->token != JSON_FALSE))
		return fail_type(v, "true or false");
	*out = v->token == JSON_TRUE;
	return true;
}

bool values_decimal(struct json_values *v, unsigned decimals, uint64_t *out)
{
	const struct json_number *number = &v->pull.number;
	uint64_t n = number->magnitude;
	int64_t exponent = number->exponent + decimals;

	if (v->failed || v->token != JSON_NUMBER)
		return fail_type(v, "a number");
	if (number->negative || !number->finite)
		return values_fail(v, "expected a number of 0 or more");
	for (; n && exponent < 0; exponent++)
		n /= 10;
	for (; n && exponent > 0; exponent--)
		if (!size_mul(n, 10, &n))
			return values_fail(v, "the number is too large");
	*out = n;
	return true;
}

const char *values_string(struct json_values *v)
{
	const char *why = v->pull.text_flags & JSON_TEXT_CUT        ? "the string is too long"
			  : v->pull.text_flags & JSON_TEXT_BAD_UTF8 ? "the string is not UTF-8"
								    : NULL;

	if (v->failed || v->token != JSON_STRING) {
		fail_type(v, "a string");
		return NULL;
	}
	if (why || memchr(v->pull.text, '\0', v->pull.text_len)) {
		values_fail(v, "%s", why ? why : "the string holds a NUL");
		return NULL;
	}
	strbuf_clear(&v->text);
	strbuf_add(&v->text, v->pull.text, v->pull.text_len);
	return v->text.s;
}

const char *values_base64(struct json_values *v)
{
	struct strbuf *text = &v->text;

	if (!values_string(v))
		return NULL;
	if (!unescape_base64(text->s, &text->len) || strlen(text->s) != text->len) {
		values_fail(v, "expected base64 of the bytes of a name");
		return NULL;
	}
	return text->s;
}

bool values_level(struct json_values *v, bool off, enum level *out)
{
	const char *s = values_string(v);

	if (s && level_by_name(s, strlen(s), out) && (off || *out != LEVEL_OFF))
		return true;
	return s && values_fail(v, "expected a level, found '%.40s'", s);
}

bool values_hex(struct json_values *v, uint64_t *out)
{
	const char *s = values_string(v);

	if (s && (strlen(s) != 16 || s[strspn(s, "0123456789abcdef")]))
		return values_fail(v, "expected 16 hexadecimal digits");
	if (s)
		*out = strtoull(s, NULL, 16);
	return s != NULL;
}

bool values_next_u64(struct json_values *v, uint64_t *out)
{
	return values_next(v) && values_u64(v, out);
}

bool values_pair(struct json_values *v, int64_t *id, uint64_t *count)
{
	if (values_array(v) && values_element(v) && values_i64(v, id) && values_next_u64(v, count) &&
	    values_array_end(v))
		return true;
	return v->failed ? false : values_fail(v, "expected [id, count]");
}
