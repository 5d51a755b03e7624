/* Command lines as text, parsed into `o`, for tests of options. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "cli/options.h"

static struct options o;
static struct error err;

/* Parses `labelaudit` and the words of a line, split at single blanks; '_' stands for an empty word. */
static inline enum status parse(const char *line)
{
	static char text[512];
	static char *argv[32];
	int argc = 1;

	options_release(&o);
	options_init(&o);
	memset(&err, 0, sizeof(err));
	snprintf(text, sizeof(text), "%s", line);
	argv[0] = text + strlen(text); /* any string */
	for (char *p = strtok(text, " "); p && argc < 32; p = strtok(NULL, " ")) {
		argv[argc++] = p;
		if (!strcmp(p, "_"))
			*p = '\0';
	}
	return options_parse(&o, argc, argv, &err);
}

static inline void accept_line(const char *line)
{
	enum status status = parse(line);

	ck_assert_msg(status == STATUS_OK, "%s: %s", line, err.text);
	ck_assert_str_eq(err.text, "");
}

static inline void refuse_line(const char *line, const char *words)
{
	ck_assert_msg(parse(line) == STATUS_FAILED, "%s: accepted", line);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s: '%s' does not say '%s'", line, err.text, words);
	ck_assert_msg(!strchr(err.text, '\n'), "%s: more than one line", line);
}
