#include "report/json_writer.h"

#include <assert.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"

void json_init(struct json_writer *w, struct strbuf *out, bool compact)
{
	w->out = out;
	w->compact = compact;
	w->keyed = false;
	w->depth = 0;
}

static void new_line(struct json_writer *w)
{
	static const char blanks[2 * JSON_DEPTH_MAX + 1] = "                                ";

	strbuf_addch(w->out, '\n');
	strbuf_add(w->out, blanks, 2 * (size_t)w->depth);
}

/* Appends the separator before the next member of the innermost level. */
static void separate(struct json_writer *w)
{
	if (!w->depth)
		return;
	bool block = w->levels[w->depth - 1].block, first = !w->levels[w->depth - 1].filled;

	w->levels[w->depth - 1].filled = true;
	if (!first)
		strbuf_addch(w->out, ',');
	if (block)
		new_line(w);
	else if (!first && !w->compact)
		strbuf_addch(w->out, ' ');
}

struct strbuf *json_value(struct json_writer *w)
{
	if (w->keyed) {
		w->keyed = false;
	} else {
		assert(!w->depth || w->levels[w->depth - 1].close == ']');
		separate(w);
	}
	return w->out;
}

static void begin(struct json_writer *w, char open, char close, enum json_layout layout)
{
	strbuf_addch(json_value(w), open);
	assert(w->depth < JSON_DEPTH_MAX);
	w->levels[w->depth].close = close;
	w->levels[w->depth].block = layout == JSON_BLOCK && !w->compact;
	w->levels[w->depth].filled = false;
	w->depth++;
}

void json_begin_object(struct json_writer *w, enum json_layout layout)
{
	begin(w, '{', '}', layout);
}

void json_begin_array(struct json_writer *w, enum json_layout layout)
{
	begin(w, '[', ']', layout);
}

void json_end(struct json_writer *w)
{
	assert(w->depth && !w->keyed);
	w->depth--;
	if (w->levels[w->depth].block && w->levels[w->depth].filled)
		new_line(w);
	strbuf_addch(w->out, w->levels[w->depth].close);
}

void json_ends(struct json_writer *w, unsigned n)
{
	while (n--)
		json_end(w);
}

void json_key(struct json_writer *w, const char *key)
{
	assert(w->depth && w->levels[w->depth - 1].close == '}' && !w->keyed);
	separate(w);
	strbuf_addch(w->out, '"');
	strbuf_adds(w->out, key);
	strbuf_adds(w->out, w->compact ? "\":" : "\": ");
	w->keyed = true;
}

void json_string(struct json_writer *w, const char *s, size_t n)
{
	escape_json_string(json_value(w), s, n);
}

void json_text(struct json_writer *w, const char *s)
{
	if (s)
		json_string(w, s, strlen(s));
	else
		json_null(w);
}

void json_base64(struct json_writer *w, const char *s, size_t n)
{
	struct strbuf *out = json_value(w);

	strbuf_addch(out, '"');
	escape_base64(out, s, n);
	strbuf_addch(out, '"');
}

void json_u64(struct json_writer *w, uint64_t v)
{
	strbuf_add_u64(json_value(w), v);
}

void json_i64(struct json_writer *w, int64_t v)
{
	struct strbuf *out = json_value(w);

	if (v < 0)
		strbuf_addch(out, '-');
	strbuf_add_u64(out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_pair(struct json_writer *w, int64_t id, uint64_t count)
{
	json_begin_array(w, JSON_INLINE);
	json_i64(w, id);
	json_u64(w, count);
	json_end(w);
}

void json_bool(struct json_writer *w, bool v)
{
	strbuf_adds(json_value(w), v ? "true" : "false");
}

void json_null(struct json_writer *w)
{
	strbuf_adds(json_value(w), "null");
}

void json_counts(struct json_writer *w, const uint64_t *v, size_t n)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < n; i++)
		json_u64(w, v[i]);
	json_end(w);
}

void json_key_object(struct json_writer *w, const char *key, enum json_layout layout)
{
	json_key(w, key);
	json_begin_object(w, layout);
}

void json_key_array(struct json_writer *w, const char *key, enum json_layout layout)
{
	json_key(w, key);
	json_begin_array(w, layout);
}

#define KEY_AND_VALUE(name, type)                                                \
	void json_key_##name(struct json_writer *w, const char *key, type value) \
	{                                                                        \
		json_key(w, key);                                                \
		json_##name(w, value);                                           \
	}

KEY_AND_VALUE(text, const char *)
KEY_AND_VALUE(u64, uint64_t)
KEY_AND_VALUE(i64, int64_t)
KEY_AND_VALUE(bool, bool)

void json_key_ratio(struct json_writer *w, const char *key, uint64_t num, uint64_t den, unsigned decimals)
{
	json_key(w, key);
	decimal_ratio(json_value(w), num, den, decimals);
}

void json_key_in_object(struct json_writer *w, const char *key, const char *inner, const char *s)
{
	json_key_object(w, key, JSON_INLINE);
	json_key_text(w, inner, s);
	json_end(w);
}
