#include "read/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_pull.h"
#include "base/mem.h"
#include "read/find_bytes.h"

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* Reads until the window holds CSV_SAMPLE_BYTES, or the whole text. */
static bool fill_sample(struct text_lines *t, struct fault *fault)
{
	while (!t->last && t->end - t->at < CSV_SAMPLE_BYTES)
		if (!text_lines_more(t, fault))
			return fault->kind == FAULT_NONE;
	return true;
}

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

/* Keys of an object that are columns: each of a row is looked for among them. */
enum { JSON_KEYS_MAX = 256 };

/* Fills c->keys from the first object, whose line begins at c->text.at. Returns false if it is none. */
static bool json_open(struct csv *c)
{
	const char *s = c->text.at, *end = memchr(s, '\n', (size_t)(c->text.end - s));
	struct json_pull p;

	json_open_memory(&p, s, (size_t)((end ? end : c->text.end) - s), JSON_NON_FINITE);
	if (json_next(&p) == JSON_OBJECT)
		while (c->keys_count < JSON_KEYS_MAX && json_next(&p) == JSON_KEY) {
			strbuf_add(&c->keys, p.text, p.text_len);
			strbuf_addch(&c->keys, '\0');
			c->keys_count++;
			if (!json_skip_next(&p))
				break;
		}
	json_close(&p);
	return c->keys_count;
}

/* Makes the keys the current record. */
static void json_header(struct csv *c)
{
	const char *key = c->keys.s;

	c->bytes = c->text.at;
	c->size = 0;
	c->line = c->lines + 1;
	c->stray_quote = c->lone_cr = false;
	c->count = c->keys_count;
	for (size_t i = 0; i < c->count; i++, key += strlen(key) + 1)
		c->fields[i] = (struct csv_field){ .s = key, .n = strlen(key), .column = 1 };
}

/* Sets a field to the value that `token` begins: a string's characters, nothing for null, else as it is written. */
static bool json_field(struct csv *c, struct csv_field *field, struct json_pull *p, enum json_token token)
{
	const size_t at = (size_t)p->token_offset;

	*field = (struct csv_field){ .s = c->bytes + at, .column = (uint32_t)at + 1, .quoted = token == JSON_STRING };
	if (token == JSON_STRING) {
		field->column++;
		field->n = p->text_len;
		if (p->text_len && p->text == c->bytes + at + 1) {
			field->s = p->text;
			return true;
		}
		field->offset = c->unquoted.len;
		strbuf_add(&c->unquoted, p->text, p->text_len);
		field->s = NULL; /* the buffer may still grow */
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
		struct csv_field ignored, *field = &ignored;

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

/* Makes the object in the line s[0..n) the current record. Returns false if it is none; then *fault is set. */
static bool json_record(struct csv *c, const char *s, size_t n, struct fault *fault)
{
	struct json_pull p;

	c->bytes = s;
	c->size = n;
	c->stray_quote = c->lone_cr = false;
	c->count = c->keys_count;
	strbuf_clear(&c->unquoted);
	for (size_t i = 0; i < c->count; i++)
		c->fields[i] = (struct csv_field){ .s = s, .column = 1 };
	json_open_memory(&p, s, n, JSON_NON_FINITE);
	json_set_text_max(&p, TEXT_LINE_MAX);
	if (!json_fields(c, &p))
		fault_set_at(fault, FAULT_LABELS, c->line, MAX(p.fault.column, 1u), "%s",
			     p.fault.kind ? p.fault.text : "expected an object of JSON, as on the first line");
	json_close(&p);
	for (size_t i = 0; i < c->count; i++)
		if (!c->fields[i].s)
			c->fields[i].s = c->unquoted.s + c->fields[i].offset;
	return fault->kind == FAULT_NONE;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Skips the line that counts the rows. */
static void skip_count_line(struct csv *c)
{
	c->text.at += c->skipped;
	c->lines = c->skipped > 0;
}

bool csv_open(struct csv *c, struct input *in, const struct box_form *form, struct fault *fault)
{
	*c = (struct csv){ 0 };
	strbuf_init(&c->unquoted);
	strbuf_init(&c->keys);
	if (!text_lines_open(&c->text, in, fault) || !fill_sample(&c->text, fault))
		return false;
	const size_t n = (size_t)(c->text.end - c->text.at);
	const bool whole = c->text.last && n <= CSV_SAMPLE_BYTES;
	uint64_t rows;

	c->fields = xmalloc(CSV_FIELDS_MAX * sizeof(*c->fields));
	text_look(c->text.at, MIN(n, (size_t)CSV_SAMPLE_BYTES), whole, &c->look);
	if (c->look.counted)
		c->skipped = text_count_line(c->text.at, MIN(n, (size_t)CSV_SAMPLE_BYTES), whole, &rows);
	c->separator = form ? form->separator : c->look.separator;
	c->look.lacks_word &= !form;
	c->look.json = c->look.json && json_open(c);
	skip_count_line(c);
	if (c->text.at < c->text.end && c->text.at[0] == '#') {
		while (!c->columns && csv_next(c, fault))
			;
		if (fault->kind == FAULT_UNREADABLE)
			return false;
		fault_clear(fault); /* it is reported when the text is read again */
		return csv_rewind(c, fault);
	}
	return true;
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

	text_lines_close(&c->text);
	c->lines = c->comments = c->records = 0;
	if (!text_lines_open(&c->text, in, fault))
		return false;
	skip_count_line(c);
	return true;
}

/* The position in the record being read. */
struct cursor {
	const char *p, *end;
	const char *line_start;
	uint32_t line; /* of the record's lines, from 0 */
};

enum outcome { RECORD, NEEDS_MORE, FAILED };

/* Skips and counts the line end at p, or nothing at the end of the text. Returns what follows it. */
static const char *skip_line_end(struct cursor *k, const char *p)
{
	if (p == k->end)
		return p;
	p += *p == '\r' && p + 1 < k->end && p[1] == '\n' ? 2 : 1;
	k->line++;
	k->line_start = p;
	return p;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/*
 * Reads a quoted field from after its opening mark; k->p ends after the closing one. The field points into the window,
 * which does not move while a record is read, unless marks were doubled.
 */
static enum outcome read_quoted(struct csv *c, struct cursor *k, struct csv_field *field, struct fault *fault)
{
	const char *start = k->p, *p = start;
	size_t unquoted_at = c->unquoted.len;
	uint64_t line = c->lines + k->line + 1;
	bool doubled = false;

	for (;;) {
		p = find_bytes(p, k->end, '"', '\n', '\r', '\r');
		if (p - c->text.at > TEXT_LINE_MAX || (p == k->end && c->text.last)) {
			fault_set_at(fault, FAULT_LABELS, line, field->column,
				     p == k->end && c->text.last
					     ? "an opening quotation mark is never closed"
					     : "an opening quotation mark is not closed within %d bytes",
				     TEXT_LINE_MAX);
			return FAILED;
		}
		/* the byte after a mark or a CR is needed */
		if (p == k->end || (p + 1 == k->end && !c->text.last))
			return NEEDS_MORE;
		if (is_line_end(*p)) {
			p = skip_line_end(k, p);
			continue;
		}
		if (p + 1 == k->end || p[1] != '"')
			break;
		strbuf_add(&c->unquoted, start, (size_t)(p + 1 - start));
		p += 2;
		start = p;
		doubled = true;
	}
	field->s = start;
	field->n = (size_t)(p - start);
	if (doubled) {
		strbuf_add(&c->unquoted, start, (size_t)(p - start));
		field->s = NULL; /* the buffer may still grow: see place_unquoted */
		field->n = c->unquoted.len - unquoted_at;
	}
	k->p = p + 1;
	return RECORD;
}

/* Sets the pointers of the fields that are in c->unquoted, one after the other. */
static void place_unquoted(struct csv *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->fields[i].s)
			continue;
		c->fields[i].s = c->unquoted.s + at;
		at += c->fields[i].n;
	}
}

static void trim(struct csv_field *field)
{
	while (field->n && is_blank(field->s[0])) {
		field->s++;
		field->n--;
	}
	while (field->n && is_blank(field->s[field->n - 1]))
		field->n--;
}

/* Reads one field from k->p, which ends at the byte after it. */
static enum outcome read_field(struct csv *c, struct cursor *k, struct csv_field *field, struct fault *fault)
{
	const char separator = c->separator, other = separator == FIELDS_BLANKS ? '\t' : separator;
	const char *p = k->p;

	while (p < k->end && (*p == ' ' || (*p == '\t' && separator != '\t')))
		p++;
	field->column = (uint32_t)(p - k->line_start) + 1;
	field->line = k->line;
	field->quoted = p < k->end && *p == '"';
	if (field->quoted) {
		k->p = p + 1;
		enum outcome outcome = read_quoted(c, k, field, fault);

		if (outcome != RECORD)
			return outcome;
		for (p = k->p; p < k->end && *p == ' ' && separator != ' '; p++)
			;
		k->p = p;
		if (p == k->end || *p == separator || *p == other || is_line_end(*p))
			return RECORD;
		c->stray_quote = true;
		p = find_bytes(p, k->end, separator, other, '\n', '\r');
		if (field->s) /* else a mark was doubled, and it is in the buffer already */
			strbuf_add(&c->unquoted, field->s, field->n);
		strbuf_add(&c->unquoted, k->p, (size_t)(p - k->p));
		field->s = NULL;
		field->n += (size_t)(p - k->p);
		k->p = p;
		return RECORD;
	}
	field->s = p;
	p = find_bytes(p, k->end, separator, other, '\n', '\r');
	field->n = (size_t)(p - field->s);
	trim(field);
	k->p = p;
	return RECORD;
}

/* Reads the record at c->text.at. Returns NEEDS_MORE if the window does not hold all of it. */
static enum outcome read_record(struct csv *c, struct fault *fault)
{
	struct text_lines *t = &c->text;
	struct cursor k = { t->at, t->end, t->at, 0 };

	c->count = 0;
	c->stray_quote = c->lone_cr = false;
	c->bytes = t->at;
	c->line = c->lines + 1;
	if (c->unquoted.len)
		strbuf_clear(&c->unquoted);
	for (;;) {
		struct csv_field *field = &c->fields[c->count];

		if (c->count == CSV_FIELDS_MAX) {
			fault_set_at(fault, FAULT_LIMIT, c->line, 1,
				     "line %" PRIu64 " has more than %d columns, the most that are read", c->line,
				     CSV_FIELDS_MAX);
			return FAILED;
		}
		enum outcome outcome = read_field(c, &k, field, fault);

		if (outcome != RECORD)
			return outcome;
		if (k.p - t->at > TEXT_LINE_MAX) {
			text_too_long(fault, "the row at line", c->line);
			return FAILED;
		}
		c->count++;
		if (k.p == k.end || is_line_end(*k.p))
			break;
		k.p++;
		/* a run of blanks is one separator; at the end of a line it is none */
		if (c->separator == FIELDS_BLANKS) {
			while (k.p < k.end && is_blank(*k.p))
				k.p++;
			if (k.p < k.end && is_line_end(*k.p))
				break;
		}
	}
	/* the bytes after the window may belong to the record, such as a LF to its CR */
	if (!t->last && (k.p == k.end || k.p + 1 == k.end))
		return NEEDS_MORE;
	c->size = (size_t)(k.p - t->at);

	const char *next = skip_line_end(&k, k.p);

	c->lone_cr = next == k.p + 1 && *k.p == '\r';
	t->at = next;
	c->lines += k.line ? k.line : next == k.end;
	if (c->unquoted.len)
		place_unquoted(c);
	return RECORD;
}

/* Returns whether a mark is inside a field that does not begin with one. */
static bool has_stray_quote(const struct csv *c)
{
	if (!memchr(c->bytes, '"', c->size))
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (!c->fields[i].quoted && memchr(c->fields[i].s, '"', c->fields[i].n))
			return true;
	return false;
}

static bool is_blank_line(const struct csv *c)
{
	return c->count == 1 && !c->fields[0].n && !c->fields[0].quoted;
}

/* Returns whether the record is a line of DOTA's head: these come before any row, or before rows of more columns. */
static bool is_dota_head(const struct csv *c)
{
	return c->columns != 1 && c->count == 1 && text_is_dota_head(c->bytes, c->size);
}

static bool is_comment(struct csv *c)
{
	if (c->bytes[0] != '#' || !c->size) {
		c->columns = c->columns ? c->columns : c->count;
		return false;
	}
	if (!c->columns)
		return false;
	return c->separator == FIELDS_BLANKS ? c->count != c->columns || c->fields[0].n == 1 : c->count < c->columns;
}

/* Puts an empty field before those of the header. */
static void add_first_field(struct csv *c)
{
	if (c->count == CSV_FIELDS_MAX)
		return;
	memmove(c->fields + 1, c->fields, c->count * sizeof(*c->fields));
	c->fields[0] = (struct csv_field){ .s = c->bytes, .column = 1 };
	c->count++;
}

/* Reads the next line of JSON; the keys come first. */
static bool next_json(struct csv *c, struct fault *fault)
{
	struct text_lines *t = &c->text;
	const char *end;

	if (!c->records++) {
		json_header(c);
		return true;
	}
	for (;;) {
		while (t->at < t->end && (is_line_end(*t->at) || is_blank(*t->at)))
			c->lines += *t->at++ == '\n';
		if (t->at == t->end && t->last)
			return false;
		end = t->at < t->end ? memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;
		if (end || t->last)
			break;
		if (!text_lines_more(t, fault)) {
			if (fault->kind != FAULT_NONE)
				return false;
			if (!t->last)
				return text_too_long(fault, "the object at line", c->lines + 1);
		}
	}
	const char *s = t->at, *stop = end ? end : t->end;

	c->line = ++c->lines;
	t->at = stop + (end != NULL);
	if (stop > s && stop[-1] == '\r')
		stop--;
	if (stop - s > TEXT_LINE_MAX)
		return text_too_long(fault, "the object at line", c->line);
	return json_record(c, s, (size_t)(stop - s), fault);
}

bool csv_next(struct csv *c, struct fault *fault)
{
	struct text_lines *t = &c->text;

	if (c->look.json)
		return next_json(c, fault);
	for (;;) {
		/* skip empty lines */
		while (t->at < t->end && (is_line_end(*t->at) && (t->last || t->at + 1 < t->end))) {
			t->at += *t->at == '\r' && t->at + 1 < t->end && t->at[1] == '\n' ? 2 : 1;
			c->lines++;
		}
		if (t->at == t->end && t->last)
			return false;
		if (t->at < t->end) {
			enum outcome outcome = read_record(c, fault);

			if (outcome == FAILED)
				return false;
			if (outcome == RECORD) {
				if (is_blank_line(c) || is_dota_head(c))
					continue;
				c->stray_quote = c->stray_quote || has_stray_quote(c);
				if (!is_comment(c)) {
					if (!c->records++ && c->look.lacks_word)
						add_first_field(c);
					return true;
				}
				c->first_comment = c->comments++ ? c->first_comment : c->line;
				continue;
			}
		}
		if (!text_lines_more(t, fault)) {
			if (fault->kind != FAULT_NONE)
				return false;
			if (!t->last) /* the window is full */
				return text_too_long(fault, "the row at line", c->lines + 1);
		}
	}
}
