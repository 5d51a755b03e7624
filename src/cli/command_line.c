#include "cli/command_line.h"

#include <string.h>

#include "base/escape.h"

/* Appends a word, in single quotes if a shell would take it apart. */
static void add_word(const char *word, struct strbuf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	struct strbuf quoted = STRBUF_INIT;

	if (*word && word[strspn(word, plain)] == '\0') {
		strbuf_adds(out, word);
		return;
	}
	strbuf_addch(&quoted, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			strbuf_adds(&quoted, "'\\''");
		else
			strbuf_addch(&quoted, *p);
	}
	strbuf_addch(&quoted, '\'');
	escape_terminal(out, quoted.s, quoted.len);
	strbuf_release(&quoted);
}

void command_line_add(const struct options *o, const char *added, const char *from, const char *to, struct strbuf *out)
{
	strbuf_adds(out, "labelaudit");
	if (added)
		strbuf_addf(out, " %s", added);
	for (int i = 1; i < o->argc; i++) {
		strbuf_addch(out, ' ');
		add_word(from && !strcmp(o->argv[i], from) ? to : o->argv[i], out);
	}
}
