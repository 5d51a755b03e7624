#include "find/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum { WRITTEN_MAX = 1 << 20 }; /* bytes of all patterns that braces stand for */

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Reads one member of a set, with or without a backslash. Returns false at the end of the pattern. */
static bool take_member(const char **p, unsigned *out)
{
	*p += **p == '\\';
	*out = (unsigned char)*(*p)++;
	return *out;
}

/*
 * Scans a set from after its '['; a ']' that comes first is a member. Returns what follows it, and whether it has the
 * byte; or NULL if it is wrong, and then why.
 */
static const char *scan_set(const char *p, unsigned byte, bool *has, const char **why)
{
	const bool negated = *p == '!' || *p == '^';

	*has = false;
	p += negated;
	for (bool first = true; first || *p != ']'; first = false) {
		unsigned low, high;
		bool whole = take_member(&p, &low);

		high = low;
		if (whole && p[0] == '-' && p[1] && p[1] != ']') {
			p++;
			whole = take_member(&p, &high);
		}
		if (!whole || low > high) {
			*why = whole ? "a range in [ ] is reversed" : "a [ is not closed";
			return NULL;
		}
		*has |= byte >= low && byte <= high;
	}
	*has = *has != negated && byte != '/';
	return p + 1;
}

/* Returns what follows the byte, the escaped byte or the set at p, all of which a right pattern has. */
static const char *after_element(const char *p)
{
	const char *why;
	bool has;

	return *p == '[' ? scan_set(p + 1, 0, &has, &why) : *p == '\\' ? p + 2 : p + 1;
}

/* Returns NULL if the pattern is right; otherwise why it is not. */
static const char *find_flaw(const char *p)
{
	const char *why = NULL;
	size_t depth = 0;
	bool has;

	while (*p) {
		if (*p == '[' && !scan_set(p + 1, 0, &has, &why))
			return why;
		if (*p == '\\' && !p[1])
			return "a \\ at the end escapes nothing";
		if (*p == '}' && !depth)
			return "a } without its {";
		depth += *p == '{';
		depth -= *p == '}';
		p = after_element(p);
	}
	return depth ? "a { is not closed" : NULL;
}

/* ---- braces ------------------------------------------------------------------------------------------------------ */

static void add_pattern(struct glob *g, char *pattern)
{
	GROW(g->patterns, g->cap, g->count + 1);
	g->patterns[g->count++] = pattern;
}

/* Adds a pattern for each alternative of the brace at `open`; `written` counts their bytes. */
static void add_alternatives(struct glob *g, const char *pattern, const char *open, size_t *written)
{
	const char *end = open + 1;
	size_t depth = 1;

	while (depth) {
		depth += *end == '{';
		depth -= *end == '}';
		end = after_element(end);
	}
	for (const char *from = open + 1, *p = from; from < end && *written <= WRITTEN_MAX; from = ++p) {
		RELEASED struct strbuf text = STRBUF_INIT;

		for (; p < end - 1 && (depth || *p != ','); p = after_element(p)) {
			depth += *p == '{';
			depth -= *p == '}';
		}
		strbuf_add(&text, pattern, (size_t)(open - pattern));
		strbuf_add(&text, from, (size_t)(p - from));
		strbuf_adds(&text, end);
		*written += text.len;
		add_pattern(g, xmemdup0(text.s ? text.s : "", text.len));
	}
}

/* Writes out the first brace of each pattern until none has one. Returns false if there are too many. */
static bool write_out(struct glob *g)
{
	size_t written = 0;

	for (size_t i = 0; i < g->count;) {
		char *pattern = g->patterns[i];
		const char *open = pattern;

		while (*open && *open != '{')
			open = after_element(open);
		if (!*open) {
			i++;
			continue;
		}
		g->patterns[i] = g->patterns[--g->count];
		add_alternatives(g, pattern, open, &written);
		free(pattern);
		if (written > WRITTEN_MAX)
			return false;
	}
	return true;
}

bool glob_compile(struct glob *g, const char *pattern, const char **why)
{
	size_t len = strlen(pattern);

	*g = (struct glob){ .folders_only = len > 1 && pattern[len - 1] == '/' };
	len -= g->folders_only;
	g->whole_path = memchr(pattern, '/', len) != NULL;
	const bool rooted = *pattern == '/';

	add_pattern(g, xmemdup0(pattern + rooted, len - rooted));
	*why = find_flaw(g->patterns[0]);
	if (!*why && !write_out(g))
		*why = "its braces stand for too many patterns";
	if (*why)
		glob_release(g);
	return !*why;
}

void glob_release(struct glob *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->patterns[i]);
	free(g->patterns);
	memset(g, 0, sizeof(*g));
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* Returns whether the element at *p matches a byte, and moves *p after it. */
static bool take_element(const char **p, char byte)
{
	const char *at = *p, *why;
	bool has = false;

	if (*at == '[') {
		*p = scan_set(at + 1, (unsigned char)byte, &has, &why);
		return has;
	}
	if (*at == '?')
		has = byte != '/';
	else
		has = *at && at[*at == '\\'] == byte;
	*p = *at ? after_element(at) : at;
	return has;
}

/*
 * Tries what follows a star at each place that it can reach. A star that is followed by another one need not reach
 * further: the other one could as well.
 */
static bool matches(const char *pattern, const char *text, const char *end)
{
	const char *p = pattern;
	const char *star = NULL, *star_at = NULL; /* after the last `*`, and where what follows it was tried */
	const char *deep = NULL, *deep_at = NULL; /* the same of the last whole component `**` */

	for (;;) {
		if (*p == '*') {
			const size_t stars = strspn(p, "*");
			const bool component = stars == 2 && (p == pattern || p[-1] == '/');

			if (component && !p[2] && text < end)
				return true;
			if (component && p[2] == '/') {
				p = deep = p + 3;
				deep_at = text;
				star = NULL;
				continue;
			}
			if (!component || p[2]) {
				p = star = p + stars;
				star_at = text;
				continue;
			}
		} else if (text == end && !*p) {
			return true;
		} else if (text < end && take_element(&p, *text)) {
			text++;
			continue;
		}
		if (star && star_at < end && *star_at != '/') {
			p = star;
			text = ++star_at;
		} else if (deep && (deep_at = memchr(deep_at, '/', (size_t)(end - deep_at)))) {
			p = deep;
			text = ++deep_at;
			star = NULL;
		} else {
			return false;
		}
	}
}

bool glob_test(const struct glob *g, const char *text, size_t len)
{
	for (size_t i = 0; i < g->count; i++)
		if (matches(g->patterns[i], text, text + len))
			return true;
	return false;
}
