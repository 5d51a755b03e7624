#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/strbuf.h"
#include "base/write_all.h"

/* Longer messages are cut; struct error holds 1024 bytes. */
enum { MESSAGE_MAX = 2048 };

static int log_verbosity;
static bool log_colour;

void log_set_verbosity(int verbosity)
{
	log_verbosity = verbosity;
}

void log_set_colour(bool colour)
{
	log_colour = colour;
}

/* ECMA-48 select graphic rendition */
#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define PLAIN  "\033[0m"

static void message(const char *kind, const char *colour, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

static void message(const char *kind, const char *colour, const char *fmt, va_list args)
{
	char text[MESSAGE_MAX];
	RELEASED struct strbuf line = STRBUF_INIT;

	vsnprintf(text, sizeof(text), fmt, args);
	strbuf_addf(&line, "labelaudit: %s%s%s: ", log_colour ? colour : "", kind, log_colour ? PLAIN : "");
	escape_terminal(&line, text, strlen(text));
	strbuf_addch(&line, '\n');
	log_text(line.s);
}

void log_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("error", RED, fmt, args);
	va_end(args);
}

void log_warning(const char *fmt, ...)
{
	va_list args;

	if (log_verbosity < 0)
		return;
	va_start(args, fmt);
	message("warning", YELLOW, fmt, args);
	va_end(args);
}

void log_text(const char *text)
{
	/* a failure cannot be reported */
	(void)write_all(STDERR_FILENO, text, strlen(text));
}
