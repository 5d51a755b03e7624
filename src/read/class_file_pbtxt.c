/*
 * Class files of TensorFlow's Object Detection API, label_map.pbtxt: messages `item { id: 1 name: "cat" }` in the text
 * format of protocol buffers (StringIntLabelMap of protos/string_int_label_map.proto). display_name takes the place of
 * a name that is a machine's, as Open Images has them: /m/01g317. Other fields are skipped.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "read/class_text.h"

/* A token: a word, a number, a string without its quotation marks, or one of { } : , ; <end of text>. */
struct token {
	const char *s;
	size_t n;
	size_t line;
	bool is_string;
};

struct reader {
	const struct class_text *text;
	const char *at, *end;
	size_t line;
	struct token token;
};

static bool is_word_byte(char c)
{
	return ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+';
}

/* Reads the next token; an empty one at the end, or where a string does not end. */
static const struct token *next(struct reader *r)
{
	struct token *t = &r->token;

	for (; r->at < r->end && (strchr(" \t\r\n", *r->at) || *r->at == '#'); r->at++) {
		if (*r->at == '#') { /* a comment, to the end of its line */
			const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

			r->at = newline ? newline : r->end - 1;
		}
		r->line += *r->at == '\n';
	}
	*t = (struct token){ r->at, 0, r->line, false };
	if (r->at == r->end)
		return t;
	if (*r->at == '"' || *r->at == '\'') {
		const char *close = memchr(r->at + 1, *r->at, (size_t)(r->end - r->at - 1));

		if (!close || memchr(r->at, '\n', (size_t)(close - r->at))) {
			r->at = r->end;
			return t;
		}
		*t = (struct token){ r->at + 1, (size_t)(close - r->at - 1), r->line, true };
		r->at = close + 1;
		return t;
	}
	do
		t->n++;
	while (is_word_byte(*r->at) && ++r->at < r->end && is_word_byte(*r->at));
	r->at = t->s + t->n;
	return t;
}

static bool is(const struct token *t, const char *word)
{
	return !t->is_string && t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

static enum status fail(const struct reader *r, const char *what)
{
	char where[40];

	snprintf(where, sizeof(where), "line %zu", r->token.line);
	return class_fail(r->text, where, "%s", what);
}

/* Skips a message after its '{', with those in it. */
static enum status skip_message(struct reader *r)
{
	for (unsigned depth = 1; depth;) {
		const struct token *t = next(r);

		if (!t->n && !t->is_string)
			return fail(r, "a message that does not end");
		depth += is(t, "{");
		depth -= is(t, "}");
	}
	return STATUS_OK;
}

struct item {
	struct token id, name, display;
};

/* Reads an item after its '{'. */
static enum status read_item(struct reader *r, struct item *item)
{
	*item = (struct item){ .id = { .s = NULL } };
	while (!is(next(r), "}")) {
		struct token key = r->token;
		const struct token *value;

		if (is(&key, ",") || is(&key, ";"))
			continue;
		if (!key.n || key.is_string || !is_word_byte(key.s[0]))
			return fail(r, "expected the name of a field, or }");
		value = next(r);
		if (is(value, ":"))
			value = next(r);
		if (is(value, "{")) {
			if (skip_message(r) != STATUS_OK)
				return STATUS_FAILED;
			continue;
		}
		if (!value->n && !value->is_string)
			return fail(r, "a field without a value");
		if (is(&key, "id"))
			item->id = *value;
		else if (is(&key, "name"))
			item->name = *value;
		else if (is(&key, "display_name"))
			item->display = *value;
	}
	return STATUS_OK;
}

bool class_file_is_pbtxt(const struct class_text *t)
{
	struct reader r = { t, t->text, t->text + t->size, 1, { 0 } };

	if (!is(next(&r), "item"))
		return false;
	next(&r);
	return is(&r.token, "{") || (is(&r.token, ":") && is(next(&r), "{"));
}

enum status class_file_pbtxt(struct class_text *t)
{
	struct reader r = { t, t->text, t->text + t->size, 1, { 0 } };

	while (next(&r)->n) {
		struct item item;
		int64_t id;
		char where[40];

		if (is(&r.token, ",") || is(&r.token, ";"))
			continue;
		if (!is(&r.token, "item"))
			return fail(&r, "expected 'item {'");
		if (is(next(&r), ":"))
			next(&r);
		if (!is(&r.token, "{"))
			return fail(&r, "expected 'item {'");
		if (read_item(&r, &item) != STATUS_OK)
			return STATUS_FAILED;
		if (!item.id.n)
			return fail(&r, "an item without an id");
		const struct token *name = &item.name;

		if (item.display.n && (!name->n || (name->n > 2 && !memcmp(name->s, "/m/", 3))))
			name = &item.display;
		snprintf(where, sizeof(where), "line %zu", item.id.line);
		if (class_scan_id(t, where, item.id.s, item.id.n, &id) != STATUS_OK ||
		    class_add(t, where, id, name->s, name->n) != STATUS_OK)
			return STATUS_FAILED;
	}
	return r.token.s == r.end ? STATUS_OK : fail(&r, "a string that does not end");
}
