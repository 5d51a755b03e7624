#include "read/json_line.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "read/list_words.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct json_line *line)
{
	while (line->p < line->end && is_space(*line->p))
		line->p++;
}

/* Skips a character after white space. Returns false if another one is there. */
static bool skip_sign(struct json_line *line, char sign)
{
	skip_space(line);
	if (line->p == line->end || *line->p != sign)
		return false;
	line->p++;
	return true;
}

/* Skips the string that begins at line->p. Returns false if it does not end. */
static bool skip_string(struct json_line *line)
{
	for (line->p++; line->p < line->end && *line->p != '"'; line->p++)
		if (*line->p == '\\' && ++line->p == line->end)
			return false;
	return line->p < line->end && *line->p++ == '"';
}

/* Skips an object or an array, and what is in it. Returns false if it does not end. */
static bool skip_nested(struct json_line *line)
{
	size_t depth = 0;

	do {
		if (line->p == line->end)
			return false;
		if (*line->p == '"') {
			if (!skip_string(line))
				return false;
			continue;
		}
		depth += *line->p == '{' || *line->p == '[';
		depth -= *line->p == '}' || *line->p == ']';
		line->p++;
	} while (depth);
	return true;
}

/* Skips a value. Returns false if there is none, or it does not end. */
static bool skip_value(struct json_line *line)
{
	const char *start = line->p;

	if (line->p == line->end)
		return false;
	if (*line->p == '"')
		return skip_string(line);
	if (*line->p == '{' || *line->p == '[')
		return skip_nested(line);
	while (line->p < line->end && *line->p != ',' && *line->p != '}' && *line->p != ']' && !is_space(*line->p))
		line->p++;
	return line->p > start && line->p < line->end;
}

bool json_line_open(struct json_line *line, const char *s, size_t n)
{
	*line = (struct json_line){ .p = s, .end = s + n };
	return skip_sign(line, '{');
}

bool json_line_next(struct json_line *line, struct json_member *out)
{
	skip_space(line);
	if (line->ended || line->p == line->end)
		return false;
	if (*line->p == '}') {
		line->p++;
		line->ended = true;
		return false;
	}
	if (line->begun && !skip_sign(line, ','))
		return false;
	skip_space(line);
	if (line->p == line->end || *line->p != '"')
		return false;
	out->key = line->p + 1;
	if (!skip_string(line))
		return false;
	out->key_n = (size_t)(line->p - 1 - out->key);
	if (!skip_sign(line, ':'))
		return false;
	skip_space(line);
	out->value = line->p;
	if (!skip_value(line))
		return false;
	out->value_n = (size_t)(line->p - out->value);
	line->begun = true;
	return true;
}

bool json_line_is_whole(struct json_line *line)
{
	skip_space(line);
	return line->ended && line->p == line->end;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* Returns the four hexadecimal digits at p, before `end`; 0 if they are others. */
static unsigned take_code(const char *p, const char *end)
{
	unsigned code = 0;

	if (end - p < 4)
		return 0;
	for (int i = 0; i < 4; i++) {
		const char digit = ascii_tolower(p[i]);

		if (!ascii_isdigit(digit) && (digit < 'a' || digit > 'f'))
			return 0;
		code = code * 16 + (unsigned)(ascii_isdigit(digit) ? digit - '0' : digit - 'a' + 10);
	}
	return code;
}

static void add_utf8(struct strbuf *out, unsigned code)
{
	if (code < 0x80) {
		strbuf_addch(out, (char)code);
		return;
	}
	if (code < 0x800) {
		strbuf_addch(out, (char)(0xc0 | code >> 6));
	} else {
		if (code < 0x10000) {
			strbuf_addch(out, (char)(0xe0 | code >> 12));
		} else {
			strbuf_addch(out, (char)(0xf0 | code >> 18));
			strbuf_addch(out, (char)(0x80 | (code >> 12 & 63)));
		}
		strbuf_addch(out, (char)(0x80 | (code >> 6 & 63)));
	}
	strbuf_addch(out, (char)(0x80 | (code & 63)));
}

/* Appends the character of the escape sequence after a backslash. Returns what follows it. */
static const char *add_escaped(struct strbuf *out, const char *p, const char *end)
{
	static const char signs[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *sign = memchr(signs, *p, sizeof(signs) - 1);

	if (*p != 'u') {
		strbuf_addch(out, sign ? meant[sign - signs] : *p);
		return p + 1;
	}
	unsigned code = take_code(p + 1, end);

	p = end - p < 5 ? end : p + 5;
	if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		const unsigned low = take_code(p + 2, end);

		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
			p += 6;
		}
	}
	add_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
	return p;
}

void json_line_unescape(struct strbuf *out, const char *s, size_t n)
{
	const char *end = s + n;

	for (const char *p = s; p < end;) {
		if (*p == '\\' && p + 1 < end)
			p = add_escaped(out, p + 1, end);
		else
			strbuf_addch(out, *p++);
	}
}

/* ---- texts of such lines ---------------------------------------------------------------------------------------- */

bool json_line_has_key(const char *s, size_t n, const char *key)
{
	struct json_line line;
	struct json_member m;

	if (!json_line_open(&line, s, n))
		return false;
	while (json_line_next(&line, &m))
		if (m.key_n == strlen(key) && !memcmp(m.key, key, m.key_n))
			return true;
	return false;
}

/* Returns whether s[0..n) is an object and nothing else. */
static bool is_object(const char *s, size_t n)
{
	struct json_line line;
	struct json_member ignored;

	if (!json_line_open(&line, s, n))
		return false;
	while (json_line_next(&line, &ignored))
		;
	return json_line_is_whole(&line);
}

bool json_lines_begin(const char *s, size_t n, bool whole)
{
	const char *end = s + n, *line = memchr(s, '\n', n), *next;

	if (!line) /* one long object, or the beginning of one */
		return whole ? is_object(s, n) : n > 1 && s[0] == '{' && s[1] == '"';
	if (!is_object(s, (size_t)(line - s)))
		return false;
	for (next = line + 1; next < end && is_space(*next);)
		next++;
	return next == end ? whole : *next == '{';
}

bool json_lines_have_labels(const char *s, size_t n, bool whole)
{
	struct json_line line;
	struct json_member m;
	bool found = false;

	if (!json_lines_begin(s, n, whole) || !json_line_open(&line, s, n))
		return false;
	while (!found && json_line_next(&line, &m)) {
		struct plain_word word;

		plain_word(m.key, m.key_n, &word);
		found = *m.value != '{' && *m.value != '[' && word_label_rank(&word) >= 0;
	}
	return found;
}

bool json_lines_are_metadata(const char *s, size_t n, bool whole)
{
	return json_lines_begin(s, n, whole) && !json_lines_have_labels(s, n, whole) &&
	       json_line_has_key(s, n, "file_name");
}
