#include "read/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_pull.h"
#include "base/mem.h"

/* Makes room for n fields. */
static void need_fields(struct csv *c, size_t n)
{
	if (n > c->fields_cap) {
		c->fields_cap = MAX(n, (size_t)64);
		c->fields = xrealloc(c->fields, c->fields_cap * sizeof(*c->fields));
	}
}

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

/* Keys of an object that are columns: each of a row is looked for among them. */
enum { JSON_KEYS_MAX = 256 };

/* Makes the keys of the first object the current record. */
static bool json_header(struct csv *c, struct fault *fault)
{
	const uint64_t lines = c->text.lines;
	struct text_line line;
	struct json_pull p;

	strbuf_clear(&c->keys);
	c->keys_count = 0;
	if (!text_lines_next(&c->text, &line, fault))
		return false;
	json_open_memory(&p, line.s, line.n, JSON_NON_FINITE);
	if (json_next(&p) == JSON_OBJECT)
		while (c->keys_count < JSON_KEYS_MAX && json_next(&p) == JSON_KEY) {
			strbuf_add(&c->keys, p.text, p.text_len);
			strbuf_addch(&c->keys, '\0');
			c->keys_count++;
			if (!json_skip_next(&p))
				break;
		}
	json_close(&p);
	c->line = line.number;
	c->bytes = line.s;
	c->size = 0;
	c->count = c->keys_count;
	need_fields(c, c->count);
	for (size_t i = 0, k = 0; i < c->count; i++, k += strlen(c->keys.s + k) + 1)
		c->fields[i] = (struct text_field){ .s = c->keys.s + k, .n = strlen(c->keys.s + k) };
	/* the line is read again, as a row: nothing has moved, since it is within the sample */
	c->text.at = line.s;
	c->text.lines = lines;
	return c->count;
}

/* Sets a field to the value that `token` begins: a string's characters, nothing for null, else as it is written. */
static bool json_field(struct csv *c, struct text_field *field, struct json_pull *p, enum json_token token)
{
	const size_t at = (size_t)p->token_offset;

	*field = (struct text_field){ .s = c->bytes + at, .at = (uint32_t)at, .quoted = token == JSON_STRING };
	if (token == JSON_STRING) {
		field->at++;
		field->n = p->text_len;
		if (p->text == c->bytes + at + 1) {
			field->s = p->text;
			return true;
		}
		if (!c->unquoted.len)
			strbuf_set(&c->unquoted, c->bytes, c->size);
		field->s = c->unquoted.s + at;
		memcpy(c->unquoted.s + at, p->text, p->text_len); /* no longer than it is written */
		return true;
	}
	if (!json_skip(p, token))
		return false;
	field->n = token == JSON_NULL ? 0 : (size_t)json_end_offset(p) - at;
	return true;
}

/* Fills the fields from the object's members. Returns whether it is whole, and nothing follows it. */
static bool json_fields(struct csv *c, struct json_pull *p)
{
	const char *key = c->keys.s; /* of field `at`: objects mostly have the same keys in the same order */
	enum json_token token;
	size_t at = 0;

	if (json_next(p) != JSON_OBJECT)
		return false;
	while ((token = json_next(p)) == JSON_KEY) {
		struct text_field ignored, *field = &ignored;

		for (size_t tried = 0; tried < c->count && field == &ignored; tried++) {
			if (json_text_is(p, key))
				field = &c->fields[at];
			at = at + 1 < c->count ? at + 1 : 0;
			key = at ? key + strlen(key) + 1 : c->keys.s;
		}
		token = json_next(p);
		if (token == JSON_FAULT || !json_field(c, field, p, token))
			return false;
	}
	return token == JSON_OBJECT_END && json_next(p) == JSON_END;
}

/* Makes the object in a line the current record. Returns false if it is none; then *fault is set. */
static bool json_record(struct csv *c, const struct text_line *line, struct fault *fault)
{
	struct json_pull p;

	c->count = c->keys_count;
	for (size_t i = 0; i < c->count; i++)
		c->fields[i] = (struct text_field){ .s = line->s };
	json_open_memory(&p, line->s, line->n, JSON_NON_FINITE);
	json_set_text_max(&p, TEXT_LINE_MAX);
	if (!json_fields(c, &p))
		fault_set_at(fault, FAULT_LABELS, c->line, MAX(p.fault.column, 1u), "%s",
			     p.fault.kind ? p.fault.text : "expected an object of JSON, as on the first line");
	json_close(&p);
	return fault->kind == FAULT_NONE;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Joins lines until a quoted field, whose text after its mark begins at byte `from`, is closed. */
static bool close_quoted(struct csv *c, struct text_line *line, size_t from, struct fault *fault)
{
	const char *const before = line->s;
	uint64_t opened;
	size_t n = line->n;
	bool closed = false;

	c->bytes = line->s;
	c->size = line->n;
	const uint32_t column = csv_place(c, from - 1, &opened);

	while (!closed && text_lines_join(&c->text, line, fault)) {
		closed = field_closing_mark(line->s + n, line->s + line->n);
		n = line->n;
	}
	for (size_t i = 0; i < c->count; i++) /* the window may have moved */
		c->fields[i].s += line->s - before;
	if (closed || fault->kind == FAULT_UNREADABLE)
		return closed;
	const bool too_long = fault->kind != FAULT_NONE;

	fault_clear(fault);
	fault_set_at(fault, FAULT_LABELS, opened, column,
		     too_long ? "an opening quotation mark is not closed within %d bytes"
			      : "an opening quotation mark is never closed",
		     TEXT_LINE_MAX);
	return false;
}

/* Reads the fields of a line, and of those that it is joined with. */
static bool split_record(struct csv *c, struct text_line *line, struct fault *fault)
{
	size_t from = 0;
	bool open = true;

	c->count = 0;
	while (open) {
		const char *s = line->s + from, *end = line->s + line->n;
		const size_t kept = c->count;

		c->count += fields_split(s, end, c->separator, c->fields + kept, c->fields_cap - kept, &open);
		if (c->count > CSV_FIELDS_MAX)
			return fault_set_at(fault, FAULT_LIMIT, line->number, 1,
					    "line %" PRIu64 " has more than %d columns, the most that are read",
					    line->number, CSV_FIELDS_MAX);
		if (c->count > c->fields_cap) {
			need_fields(c, MIN(2 * c->count, (size_t)CSV_FIELDS_MAX));
			c->count = kept;
			open = true;
			continue;
		}
		for (size_t i = kept; i < c->count && from; i++)
			c->fields[i].at += (uint32_t)from;
		if (open) {
			from = c->fields[--c->count].at;
			if (!close_quoted(c, line, from + 1, fault))
				return false;
		}
	}
	return true;
}

/* Removes the marks of a field in place, halving those that are doubled. Returns its length. */
static size_t unquote(char *s, size_t n, bool marked)
{
	bool inside = true;
	size_t to = 0;

	for (size_t i = marked; i < n; i++) {
		if (inside && s[i] == '"') {
			if (i + 1 == n || s[i + 1] != '"') {
				inside = false;
				continue;
			}
			i++;
		}
		s[to++] = s[i];
	}
	return to;
}

/* Unquotes the fields that need it, and looks for marks where none should be. */
static void unquote_fields(struct csv *c)
{
	bool copied = false;

	for (size_t i = 0; i < c->count; i++) {
		struct text_field *f = &c->fields[i];

		c->stray_quote |= f->followed || (!f->quoted && memchr(f->s, '"', f->n));
		if (!f->doubled && !f->followed)
			continue;
		if (!copied)
			strbuf_set(&c->unquoted, c->bytes, c->size);
		copied = true;
		f->s = c->unquoted.s + (f->s - c->bytes);
		f->n = unquote(c->unquoted.s + (f->s - c->unquoted.s), f->n, f->followed);
	}
}

/* Returns whether the record is a line of DOTA's head: these come before any row, or before rows of more columns. */
static bool is_dota_head(const struct csv *c)
{
	return c->columns != 1 && c->count == 1 && text_is_dota_head(c->bytes, c->size);
}

static bool is_comment(struct csv *c)
{
	if (c->bytes[0] != '#') {
		c->columns = c->columns ? c->columns : c->count;
		return false;
	}
	if (!c->columns || c->hashes_are_comments)
		return c->columns;
	return c->separator == FIELDS_BLANKS ? c->count != c->columns || c->fields[0].n == 1 : c->count < c->columns;
}

bool csv_next(struct csv *c, struct fault *fault)
{
	struct text_line line;

	c->stray_quote = c->lone_cr = false;
	if (c->unquoted.len)
		strbuf_clear(&c->unquoted);
	if (c->json && !c->records++)
		return json_header(c, fault);
	while (text_lines_next(&c->text, &line, fault)) {
		c->line = line.number;
		if (!c->json && !split_record(c, &line, fault))
			return false;
		c->bytes = line.s;
		c->size = line.n;
		c->lone_cr = line.lone_cr;
		if (c->json) {
			for (size_t i = 0; i < line.n; i++)
				if (!is_blank(line.s[i]))
					return json_record(c, &line, fault);
			continue;
		}
		if (c->count == 0 || (c->count == 1 && !c->fields[0].n && !c->fields[0].quoted) || is_dota_head(c))
			continue;
		if (!is_comment(c)) {
			if (memchr(c->bytes, '"', c->size))
				unquote_fields(c);
			c->records++;
			return true;
		}
		c->first_comment = c->comments++ ? c->first_comment : c->line;
	}
	return false;
}

uint32_t csv_place(const struct csv *c, size_t at, uint64_t *line)
{
	const char *begin = c->bytes, *const s = c->bytes + at;

	*line = c->line;
	for (const char *p = begin; p < s && c->text.lines > c->line; p++)
		if (*p == '\n' || (*p == '\r' && p[1] != '\n')) {
			begin = p + 1;
			++*line;
		}
	return (uint32_t)(s - begin) + 1;
}

bool text_is_dota_head(const char *s, size_t n)
{
	return (n >= 12 && !memcmp(s, "imagesource:", 12)) || (n >= 4 && !memcmp(s, "gsd:", 4));
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

bool csv_open(struct csv *c, struct input *in, struct fault *fault)
{
	struct text_lines *t = &c->text;

	*c = (struct csv){ .separator = ',' };
	strbuf_init(&c->unquoted);
	strbuf_init(&c->keys);
	need_fields(c, 1);
	if (!text_lines_open(t, in, fault))
		return false;
	while (!t->last && t->end - t->at < CSV_SAMPLE_BYTES)
		if (!text_lines_more(t, fault))
			return fault->kind == FAULT_NONE;
	return true;
}

bool csv_begin(struct csv *c, char separator, bool json, bool counted, struct fault *fault)
{
	const bool comment = c->text.at < c->text.end && c->text.at[0] == '#';

	c->separator = separator;
	c->json = json;
	c->counted = counted;
	while (comment && !c->columns && csv_next(c, fault))
		;
	if (fault->kind == FAULT_UNREADABLE)
		return false;
	fault_clear(fault); /* it is reported when the text is read again */
	return csv_rewind(c, fault);
}

void csv_close(struct csv *c)
{
	text_lines_close(&c->text);
	free(c->fields);
	c->fields = NULL;
	strbuf_release(&c->unquoted);
	strbuf_release(&c->keys);
}

bool csv_rewind(struct csv *c, struct fault *fault)
{
	struct input *in = c->text.in;
	struct text_line line;

	text_lines_close(&c->text);
	c->comments = c->records = 0;
	if (!text_lines_open(&c->text, in, fault))
		return false;
	if (c->counted)
		text_lines_next(&c->text, &line, fault);
	return fault->kind == FAULT_NONE;
}
