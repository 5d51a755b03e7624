#include "read/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_pull.h"
#include "base/mem.h"
#include "read/find_bytes.h"

/* Makes room for n fields. */
static void need_fields(struct csv *c, size_t n)
{
	if (n > c->fields_cap) {
		c->fields_cap = MAX(n, (size_t)64);
		c->fields = xrealloc(c->fields, c->fields_cap * sizeof(*c->fields));
	}
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

enum {
	JSON_KEYS_MAX = 256, /* keys of an object that are columns: each of a row is looked for among them */
	JSON_NESTED_MAX = 8, /* objects in objects whose keys are columns: a.b */
};

/* Appends the key of a member to c->path, after a point if it is inside another. Returns the length before. */
static size_t push_key(struct csv *c, const struct json_pull *p)
{
	const size_t before = c->path.len;

	if (before)
		strbuf_addch(&c->path, '.');
	strbuf_add(&c->path, p->text, p->text_len);
	return before;
}

/* Adds the keys of an object to the columns, and those of the objects in it. Stops at a fault: the row has it, too. */
static bool json_keys(struct csv *c, struct json_pull *p, unsigned depth)
{
	enum json_token token;

	while (c->keys_count < JSON_KEYS_MAX && (token = json_next(p)) == JSON_KEY) {
		const size_t before = push_key(c, p);

		token = json_next(p);
		if (token == JSON_OBJECT && depth < JSON_NESTED_MAX) {
			if (!json_keys(c, p, depth + 1))
				return false;
		} else {
			strbuf_add(&c->keys, c->path.s, c->path.len + 1);
			c->keys_count++;
			if (!json_skip(p, token))
				return false;
		}
		strbuf_cut(&c->path, before);
	}
	return true;
}

/* Makes the keys of the first object the current record; it is read again, as a row. */
static bool json_header(struct csv *c)
{
	struct json_pull p;

	strbuf_clear(&c->keys);
	strbuf_clear(&c->path);
	c->keys_count = 0;
	json_open_memory(&p, c->text.at, (size_t)(c->text.end - c->text.at), JSON_NON_FINITE);
	if (json_next(&p) == JSON_OBJECT)
		json_keys(c, &p, 0);
	json_close(&p);
	c->bytes = c->text.at;
	c->size = 0;
	c->count = c->keys_count;
	need_fields(c, c->count);
	for (size_t i = 0, k = 0; i < c->count; i++, k += strlen(c->keys.s + k) + 1)
		c->fields[i] = (struct text_field){ .s = c->keys.s + k, .n = strlen(c->keys.s + k) };
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
		field->s = p->text;
		if (p->text == c->bytes + at + 1)
			return true;
		field->doubled = true; /* json_record() makes it point there */
		field->s = c->bytes + c->unquoted.len;
		strbuf_add(&c->unquoted, p->text, p->text_len);
		return true;
	}
	if (!json_skip(p, token))
		return false;
	field->n = token == JSON_NULL ? 0 : (size_t)json_end_offset(p) - at;
	return true;
}

/* Fills the fields from an object's members. `at`: of the field that was filled last, whose key is next_key. */
static bool json_members(struct csv *c, struct json_pull *p, size_t *at, const char **next_key)
{
	enum json_token token;

	while ((token = json_next(p)) == JSON_KEY) {
		const size_t before = push_key(c, p);
		struct text_field ignored, *field = &ignored;
		bool parent = false;

		/* objects mostly have the same keys in the same order */
		for (size_t tried = 0; tried < c->count && field == &ignored && !parent; tried++) {
			if (!strcmp(*next_key, c->path.s))
				field = &c->fields[*at];
			else
				parent = !strncmp(*next_key, c->path.s, c->path.len) && (*next_key)[c->path.len] == '.';
			if (parent)
				break;
			*at = *at + 1 < c->count ? *at + 1 : 0;
			*next_key = *at ? *next_key + strlen(*next_key) + 1 : c->keys.s;
		}
		token = json_next(p);
		if (token == JSON_FAULT || !(parent && token == JSON_OBJECT ? json_members(c, p, at, next_key)
									    : json_field(c, field, p, token)))
			return false;
		strbuf_cut(&c->path, before);
	}
	return token == JSON_OBJECT_END;
}

/* Fills the fields from the value at the beginning of the window, which ends before `end`. */
static bool json_value(struct csv *c, struct json_pull *p, const char *end)
{
	const char *key = c->keys.s;
	size_t at = 0;

	c->bytes = c->text.at;
	strbuf_clear(&c->unquoted);
	strbuf_clear(&c->path);
	c->count = c->json == JSON_ROWS_OF_VALUES ? 1 : c->keys_count;
	for (size_t i = 0; i < c->count; i++)
		c->fields[i] = (struct text_field){ .s = c->bytes };
	json_open_memory(p, c->bytes, (size_t)(end - c->bytes), JSON_NON_FINITE);
	json_set_text_max(p, TEXT_LINE_MAX);
	const enum json_token token = json_next(p);

	if (c->json == JSON_ROWS_OF_VALUES)
		return token != JSON_FAULT && json_field(c, &c->fields[0], p, token);
	return token == JSON_OBJECT && json_members(c, p, &at, &key) &&
	       (c->json != JSON_LINES || json_next(p) == JSON_END);
}

/* Moves to the next byte that is no white space, and counts lines. Returns it; 0 at the end, or if *fault is set. */
static char json_next_byte(struct csv *c, struct fault *fault)
{
	struct text_lines *t = &c->text;

	do {
		for (; t->at < t->end && strchr(" \t\r\n", *t->at) && *t->at; t->at++)
			if (*t->at == '\n') {
				t->lines++;
				c->line_at = text_lines_offset(t, t->at + 1);
			}
		if (t->at < t->end)
			return *t->at;
	} while (text_lines_more(t, fault));
	return '\0';
}

static bool json_fault(struct csv *c, const struct json_pull *p, const char *text, struct fault *fault)
{
	const uint64_t down = p && p->fault.line ? p->fault.line - 1 : 0, column = p ? MAX(p->fault.column, 1u) : 1;

	return fault_set_at(fault, FAULT_LABELS, c->line + down, (uint32_t)(down ? column : c->column - 1 + column),
			    "%s", text);
}

/* Notes the line ends of what was read, up to byte `end` of the window. Returns whether there are any. */
static bool count_lines(struct csv *c, const char *end)
{
	const uint64_t before = c->text.lines;

	for (const char *feed = c->text.at; (feed = memchr(feed, '\n', (size_t)(end - feed))); c->text.lines++)
		c->line_at = text_lines_offset(&c->text, ++feed);
	c->text.at = end;
	return c->text.lines > before;
}

void csv_skip_values(struct csv *c, const char *to, size_t count)
{
	count_lines(c, to);
	c->values += count;
	c->records += count;
}

/* Moves to the next element of an array, or after its end. Returns false if there is none, or if *fault is set. */
static bool json_next_element(struct csv *c, struct fault *fault)
{
	char next = json_next_byte(c, fault);

	c->line = c->text.lines + 1;
	c->column = (uint32_t)(text_lines_offset(&c->text, c->text.at) - c->line_at) + 1;
	if (c->closed)
		return next && json_fault(c, NULL, "something follows the end of the array", fault);
	if (next && next != ']' && !c->values)
		return true;
	if (next && next != ']' && next != ',')
		return json_fault(c, NULL, "expected a comma or a bracket after the element of an array", fault);
	if (!next)
		return fault->kind == FAULT_NONE && json_fault(c, NULL, "the array has no end", fault);
	c->closed = next == ']';
	c->text.at++;
	return c->closed ? json_next_element(c, fault) : json_next_byte(c, fault) != '\0';
}

/* Makes the next value of the text the current record. Returns false at the end, or if *fault is set. */
static bool json_record(struct csv *c, struct fault *fault)
{
	struct text_lines *t = &c->text;
	struct json_pull p;
	bool whole, more = true;

	if ((c->json != JSON_LINES && !json_next_element(c, fault)) || !json_next_byte(c, fault))
		return false;
	c->line = t->lines + 1;
	c->column = (uint32_t)(text_lines_offset(t, t->at) - c->line_at) + 1;
	while (more) {
		const char *line = c->json == JSON_LINES ? memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;

		whole = json_value(c, &p, line ? line : t->end);
		/* what ends where the window does may go on */
		more = !t->last && !line &&
		       (whole ? t->at + json_end_offset(&p) == t->end : p.fault.kind == FAULT_TRUNCATED);
		if (!more)
			break;
		json_close(&p);
		if (!text_lines_more(t, fault) && !t->last)
			return fault->kind == FAULT_NONE && text_too_long(t, "the row at line", c->line, fault);
	}
	if (whole) {
		c->size = (size_t)json_end_offset(&p);
		for (size_t i = 0; i < c->count && c->unquoted.len; i++)
			if (c->fields[i].doubled)
				c->fields[i].s = c->unquoted.s + (c->fields[i].s - c->bytes);
		c->folded |= count_lines(c, c->bytes + c->size);
		c->values++;
	} else {
		json_fault(c, &p, p.fault.kind ? p.fault.text : "expected an object of JSON, as on the first line",
			   fault);
	}
	json_close(&p);
	return whole;
}

/* Makes the next value the current record; first, the keys of the first object. */
static bool json_next_record(struct csv *c, struct fault *fault)
{
	if (c->records++)
		return json_record(c, fault);
	if (json_next_byte(c, fault) == '[' && c->json != JSON_LINES) {
		c->text.at++;
		json_next_byte(c, fault);
	}
	c->line = c->text.lines + 1;
	return fault->kind == FAULT_NONE && (c->json == JSON_ROWS_OF_VALUES ? json_record(c, fault) : json_header(c));
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Joins lines until a quoted field, whose text after its mark begins at byte `from`, is closed. */
static bool close_quoted(struct csv *c, struct text_line *line, size_t from, struct fault *fault)
{
	const char *const before = line->s;
	uint64_t opened;
	size_t n = line->n;
	bool closed = false;

	c->folded = true;
	c->bytes = line->s;
	c->size = line->n;
	c->place = (struct csv_place){ 0 };
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
	c->folded = false;
	c->place = (struct csv_place){ 0 };
	if (c->json)
		return json_next_record(c, fault);
	if (c->unquoted.len)
		strbuf_clear(&c->unquoted);
	while (text_lines_next(&c->text, &line, fault)) {
		c->line = line.number;
		if (!split_record(c, &line, fault))
			return false;
		c->bytes = line.s;
		c->size = line.n;
		c->lone_cr = line.lone_cr;
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

uint32_t csv_place(struct csv *c, size_t at, uint64_t *line)
{
	struct csv_place *place = &c->place;
	const char *const s = c->bytes + at, *feed;

	*line = c->line;
	if (!c->folded)
		return c->column + (uint32_t)at;
	if (at < place->at)
		*place = (struct csv_place){ 0 };
	for (const char *p = c->bytes + place->at; (feed = find_bytes(p, s, '\n', '\r', '\r', '\r')) < s; p = feed + 1)
		if (*feed == '\n' || feed[1] != '\n') {
			place->begin = (uint32_t)(feed + 1 - c->bytes);
			place->lines++;
		}
	place->at = (uint32_t)at;
	*line += place->lines;
	return (uint32_t)at - place->begin + (place->lines ? 1 : c->column);
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
	strbuf_init(&c->path);
	need_fields(c, 1);
	if (!text_lines_open(t, in, fault))
		return false;
	while (!t->last && t->end - t->at < CSV_SAMPLE_BYTES)
		if (!text_lines_more(t, fault))
			return fault->kind == FAULT_NONE;
	return true;
}

bool csv_begin(struct csv *c, char separator, enum json_rows json, bool counted, struct fault *fault)
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
	strbuf_release(&c->path);
}

bool csv_rewind(struct csv *c, struct fault *fault)
{
	struct input *in = c->text.in;
	struct text_line line;

	text_lines_close(&c->text);
	c->comments = c->records = c->values = c->line_at = 0;
	c->closed = false;
	c->column = 1;
	if (!text_lines_open(&c->text, in, fault))
		return false;
	if (c->json)
		c->text.longest = JSON_ROW_MAX;
	if (c->counted)
		text_lines_next(&c->text, &line, fault);
	return fault->kind == FAULT_NONE;
}
