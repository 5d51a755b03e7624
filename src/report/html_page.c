#include "report/html_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/ascii.h"
#include "base/embed.h"
#include "base/escape.h"
#include "base/sha256.h"

/*
 * Dark and light by the reader's own setting. Text has a contrast of 4.5 : 1 or more with its background (WCAG 2.1,
 * 1.4.3), and no colour alone has a meaning.
 */
EMBEDDED(page_css);

/* Appends 'sha256-...', the source expression that allows an inline element with this text. */
static void add_hash(const char *text, size_t size, struct strbuf *out)
{
	struct sha256 sha;
	char hex[65], bytes[32];

	sha256_init(&sha);
	sha256_add(&sha, text, size);
	sha256_hex(&sha, hex);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(ascii_xdigit_value(hex[2 * i]) << 4 | ascii_xdigit_value(hex[2 * i + 1]));
	strbuf_adds(out, "'sha256-");
	escape_base64(out, bytes, sizeof(bytes));
	strbuf_addch(out, '\'');
}

void html_begin(const char *title, struct strbuf *out)
{
	strbuf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
			 "style-src ");
	add_hash(page_css, page_css_size, out);
	html_addf(out,
		  "; base-uri 'none'; form-action 'none'\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta name=\"referrer\" content=\"no-referrer\">\n"
		  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>",
		  title);
	strbuf_add(out, page_css, page_css_size);
	strbuf_adds(out, "</style>\n</head>\n<body>\n");
}

void html_end(struct strbuf *out)
{
	strbuf_adds(out, "</body>\n</html>\n");
}

void html_section(const char *id, const char *heading, struct strbuf *out)
{
	strbuf_addf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, heading);
}

void html_begin_table(const char *tags, const char *heads, struct strbuf *out)
{
	strbuf_addf(out, "%s\n<thead><tr>", tags);
	while (*heads) {
		bool number = *heads == '#';
		size_t n = strcspn(heads += number, "|");

		strbuf_addf(out, "<th%s>%.*s</th>", number ? " class=\"n\"" : "", (int)n, heads);
		heads += n + (heads[n] == '|');
	}
	strbuf_adds(out, "</tr></thead>\n<tbody>\n");
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends at most max bytes of s: a third from its head and two thirds from its tail, which distinguishes paths. */
static void html_cut(const char *s, size_t max, struct strbuf *out)
{
	size_t n = strlen(s), head = max / 3, tail;

	if (n <= max) {
		escape_xml(out, s, n);
		return;
	}
	tail = n - (max - head);
	while (head && continues(s[head]))
		head--;
	while (tail < n && continues(s[tail]))
		tail++;
	escape_xml(out, s, head);
	strbuf_adds(out, " [...] ");
	escape_xml(out, s + tail, n - tail);
}

void html_addf(struct strbuf *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	for (const char *percent; (percent = strchr(fmt, '%')); fmt++) {
		size_t max = SIZE_MAX;
		bool wide;

		strbuf_add(out, fmt, (size_t)(percent - fmt));
		fmt = percent + 1;
		if (*fmt == '.')
			for (max = 0, fmt++; ascii_isdigit(*fmt); fmt++)
				max = 10 * max + (size_t)(*fmt - '0');
		wide = *fmt == 'l';
		fmt += wide;
		if (*fmt == '%')
			strbuf_addch(out, '%');
		else if (*fmt == 's')
			html_cut(va_arg(args, const char *), max, out);
		else if (*fmt == 'u' && wide)
			strbuf_add_grouped(out, va_arg(args, uint64_t));
		else if (*fmt == 'u')
			strbuf_addf(out, "%u", va_arg(args, unsigned));
		else if (wide)
			strbuf_addf(out, "%" PRId64, va_arg(args, int64_t));
		else
			strbuf_addf(out, "%d", va_arg(args, int));
	}
	va_end(args);
	strbuf_adds(out, fmt);
}

void html_number_cell(uint64_t n, struct strbuf *out)
{
	strbuf_adds(out, "<td class=\"n\">");
	strbuf_add_grouped(out, n);
	strbuf_adds(out, "</td>");
}

void html_place(const char *path, const char *member, struct strbuf *out)
{
	strbuf_adds(out, "<code>");
	html_cut(path, HTML_PATH_CUT, out);
	if (member) {
		strbuf_addch(out, '#');
		html_cut(member, HTML_MEMBER_CUT, out);
	}
	strbuf_adds(out, "</code>");
}
