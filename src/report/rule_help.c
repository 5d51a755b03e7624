#include "report/rule_help.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"

/* A line of prose; what stands between backticks is code already. */
static void add_prose(struct strbuf *out, const char *line, size_t n)
{
	bool code = false;

	while (n) {
		const char *tick = memchr(line, '`', n);
		size_t length = tick ? (size_t)(tick - line) : n;

		if (code)
			escape_markdown_code(out, line, length);
		else
			escape_markdown(out, line, length);
		if (!tick)
			break;
		strbuf_addch(out, '`');
		code = !code;
		line += length + 1;
		n -= length + 1;
	}
}

/*
 * A rule's documentation is headings that begin in the first column, and text two columns further right
 * (scripts/generate-rule-table).
 */
void rule_help_markdown(const struct rule *rule, struct strbuf *out)
{
	bool example = false;

	for (const char *line = rule_docs[rule_index(rule)]; *line;) {
		size_t n = strcspn(line, "\n");

		if (n && line[0] != ' ') {
			example = n == 7 && !memcmp(line, "Example", n);
			strbuf_adds(out, "## ");
			add_prose(out, line, n);
			strbuf_addch(out, '\n');
		} else if (n > 2 && example) {
			strbuf_adds(out, "    "); /* an indented block of code */
			strbuf_add(out, line + 2, n - 2);
		} else if (n > 2) {
			add_prose(out, line + 2, n - 2);
		}
		strbuf_addch(out, '\n');
		line += n + (line[n] == '\n');
	}
}
