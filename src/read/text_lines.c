#include "read/text_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "read/find_bytes.h"

static bool has_eighth_bit(const char *s, size_t n)
{
	uint64_t all = 0, word;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&word, s, 8);
		all |= word;
	}
	for (; n; n--, s++)
		all |= (uint64_t)(unsigned char)*s << 56 | (unsigned char)*s;
	return all & UINT64_C(0x8080808080808080);
}

/* Notes which bytes that most texts lack are in new bytes of the window. Three passes at the speed of memory. */
static void note_bytes(struct text_lines *t, const char *s, size_t n)
{
	t->cr = t->cr || memchr(s, '\r', n);
	t->nul = t->nul || memchr(s, '\0', n);
	t->eighth = t->eighth || has_eighth_bit(s, n);
}

bool text_lines_more(struct text_lines *t, struct fault *fault)
{
	if (t->last)
		return false;

	size_t left = (size_t)(t->end - t->at);

	if (left == t->longest)
		return false;
	memmove(t->window, t->at, left);
	if (left == t->window_size) {
		t->window_size = MIN(2 * left, t->longest);
		t->window = xrealloc(t->window, t->window_size);
	}
	t->at = t->window;
	t->end = t->window + left;
	if (!left)
		t->cr = t->nul = t->eighth = false;

	int64_t n = input_read(t->in, t->window + left, t->window_size - left, fault);

	if (n < 0)
		return false;
	t->last = (size_t)n < t->window_size - left;
	t->end += n;
	note_bytes(t, t->window + left, (size_t)n);
	return n > 0;
}

/* Detects UTF-16 and UTF-32 by their marks, and ASCII in UTF-16 without one: every other byte is 0. Else NULL. */
static const char *wide_encoding(const char *s, size_t n)
{
	bool even = n >= 8, odd = n >= 8; /* the bytes that are 0 */

	if (n >= 4 && (!memcmp(s, "\xff\xfe\0\0", 4) || !memcmp(s, "\0\0\xfe\xff", 4)))
		return "UTF-32";
	if (n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2)))
		return "UTF-16";
	for (size_t i = 0; i < 8 && i < n; i++) {
		even = even && (s[i] == 0) == (i % 2 == 0);
		odd = odd && (s[i] == 0) == (i % 2 == 1);
	}
	return even || odd ? "UTF-16" : NULL;
}

bool text_lines_open(struct text_lines *t, struct input *in, struct fault *fault)
{
	*t = (struct text_lines){ .in = in, .window_size = TEXT_WINDOW, .longest = TEXT_WINDOW };
	if (!input_rewind(in, fault))
		return false;
	if (in->bytes) {
		t->at = (const char *)in->bytes;
		t->end = t->at + in->size;
		t->last = true;
		note_bytes(t, t->at, (size_t)in->size);
	} else {
		t->window = xmalloc(TEXT_WINDOW);
		t->at = t->end = t->window;
		if (!text_lines_more(t, fault) && fault->kind != FAULT_NONE)
			return false;
	}

	size_t n = (size_t)(t->end - t->at);
	const char *wide = wide_encoding(t->at, n);

	if (wide) {
		fault_set(fault, FAULT_LABELS, 0, "the text is in %s; label files must be UTF-8", wide);
		fault->line = fault->column = 1;
		return fault_advise(fault, "convert it: iconv -f %s -t UTF-8 FILE", wide);
	}
	if (n >= 3 && !memcmp(t->at, "\xef\xbb\xbf", 3)) {
		t->bom = true;
		t->at += 3;
	}
	return true;
}

void text_lines_close(struct text_lines *t)
{
	free(t->window);
	t->window = NULL;
}

bool text_too_long(const struct text_lines *t, const char *what, uint64_t line, struct fault *fault)
{
	fault_set_at(fault, FAULT_LIMIT, line, 1, "%s %" PRIu64 " is longer than %zu bytes, the most that is read",
		     what, line, t->longest == TEXT_WINDOW ? (size_t)TEXT_LINE_MAX : t->longest);
	return fault_advise(fault, "write it as several rows: no option raises this limit");
}

/* Returns the first LF or CR, or `end`. Searches for both at once, since a text may have a million of one only. */
static const char *find_line_end(const struct text_lines *t, const char *s, const char *end)
{
	if (t->cr)
		return find_bytes(s, end, '\n', '\r', '\r', '\r');
	const char *lf = memchr(s, '\n', (size_t)(end - s));

	return lf ? lf : end;
}

/* Takes the line at t->at, of which the first `known` bytes are no end of it. */
static bool take_line(struct text_lines *t, size_t known, struct text_line *line, struct fault *fault)
{
	const char *end = find_line_end(t, t->at + known, t->end);

	/* the LF of a CR that ends the window may follow it */
	while (!t->last && (end == t->end || (*end == '\r' && end + 1 == t->end)) && end - t->at <= TEXT_LINE_MAX) {
		size_t n = (size_t)(end - t->at);

		if (!text_lines_more(t, fault) && fault->kind != FAULT_NONE)
			return false;
		end = find_line_end(t, t->at + n, t->end);
	}
	line->s = t->at;
	line->n = (size_t)(end - t->at);
	if (t->end == t->at + known) {
		t->at = t->end;
		return false;
	}
	if (GUARD(length_of_a_line, end - t->at > TEXT_LINE_MAX))
		return text_too_long(t, "line", t->lines + 1, fault);
	t->lines++;
	line->lone_cr = false;
	t->at = end;
	if (end == t->end)
		return true;
	t->at++;
	if (*end == '\r') {
		line->lone_cr = t->at == t->end || *t->at != '\n';
		t->at += !line->lone_cr;
	}
	return true;
}

bool text_lines_next(struct text_lines *t, struct text_line *line, struct fault *fault)
{
	line->number = t->lines + 1;
	return take_line(t, 0, line, fault);
}

bool text_lines_join(struct text_lines *t, struct text_line *line, struct fault *fault)
{
	const size_t known = (size_t)(t->at - line->s);

	t->at = line->s;
	return take_line(t, known, line, fault);
}
