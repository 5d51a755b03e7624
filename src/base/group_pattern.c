#include "base/group_pattern.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/strbuf.h"

struct group_pattern {
	regex_t regex;
};

enum {
	PATTERN_MAX = 256,
	/* glibc copies what is repeated: {100}{100}{100} would take a gigabyte */
	COPIES_MAX = 1000,
};

/* Translates one escape, of which p is the backslash. Returns false if it is refused. */
static bool translate_escape(const char *p, bool in_brackets, struct strbuf *out)
{
	if (p[1] == 'd')
		strbuf_adds(out, in_brackets ? "0-9" : "[0-9]");
	else if (p[1] == 'D' && !in_brackets)
		strbuf_adds(out, "[^0-9]");
	else if (in_brackets && strchr("./_ ", p[1]))
		strbuf_addch(out, p[1]);
	else if (in_brackets || !p[1] || (p[1] >= '1' && p[1] <= '9'))
		return false;
	else
		strbuf_addf(out, "\\%c", p[1]);
	return true;
}

/* Returns NULL, or why the pattern is refused. */
static const char *translate(const char *text, struct strbuf *out)
{
	bool in_brackets = false;
	uint64_t copies = 1;

	for (const char *p = text; *p; p++) {
		const char *number = p + 1;
		uint64_t n;

		if (*p == '\\') {
			if (!translate_escape(p++, in_brackets, out))
				return in_brackets
					       ? "within [] a backslash stands for itself: write the character alone"
					       : "back references are not supported";
			continue;
		}
		if (!in_brackets && strchr("*+?}", *p) && p[1] == '?')
			return "lazy repetition is not supported; write [^/]* or the like instead of .*?";
		if (!in_brackets && *p == '(' && p[1] == '?')
			return "groups that begin with (? are not supported";
		if (!in_brackets && *p == '{') {
			while (scan_uint64(&number, &n) || *number == ',')
				if (*number == ',')
					number++;
				else
					copies *= MIN(MAX(n, (uint64_t)1), (uint64_t)COPIES_MAX + 1);
			if (GUARD(pattern_of_copies, copies > COPIES_MAX))
				return "it repeats too much";
		}
		if (*p == '[' && !in_brackets) {
			in_brackets = true;
			strbuf_addch(out, *p);
			if (p[1] == '^')
				strbuf_addch(out, *++p);
			if (p[1] == ']')
				strbuf_addch(out, *++p);
			continue;
		}
		in_brackets = in_brackets && *p != ']';
		strbuf_addch(out, *p);
	}
	return NULL;
}

struct group_pattern *group_pattern_compile(const char *option, const char *text, struct error *err)
{
	RELEASED struct strbuf pattern = STRBUF_INIT;
	const char *refused = strlen(text) > PATTERN_MAX ? "it is longer than 256 bytes" : translate(text, &pattern);
	char why[128];

	if (refused) {
		error_set(err, "--%s '%s': %s", option, text, refused);
		return NULL;
	}
	struct group_pattern *p = xcalloc(1, sizeof(*p));
	int failed = regcomp(&p->regex, pattern.s, REG_EXTENDED);

	if (!failed)
		return p;
	regerror(failed, &p->regex, why, sizeof(why));
	error_set(err, "--%s '%s': %s", option, text, why);
	free(p);
	return NULL;
}

void group_pattern_free(struct group_pattern *p)
{
	if (p)
		regfree(&p->regex);
	free(p);
}

bool group_pattern_find(const struct group_pattern *p, const char *path, const char **group, size_t *len)
{
	regmatch_t match[2];

	if (regexec(&p->regex, path, 2, match, 0))
		return false;
	const regmatch_t *m = &match[p->regex.re_nsub > 0];

	if (m->rm_so < 0 || m->rm_so == m->rm_eo)
		return false;
	*group = path + m->rm_so;
	*len = (size_t)(m->rm_eo - m->rm_so);
	return true;
}
