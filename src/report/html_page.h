/*
 * The HTML page around the report: its policy and style, and what its parts are written with.
 *
 * The page is one file without a script that requests nothing from the network. Its Content Security Policy (Level 3)
 * allows only pictures that the page itself holds, and the one style whose SHA-256 it names: text that slipped through
 * an escape could neither run nor fetch. So no style attribute is ever written. Text from outside becomes text or a
 * value in double quotes, by html_addf.
 */
#pragma once

#include "base/settings.h"
#include "base/strbuf.h"

/* A coloured word: error, warning, info. For html_addf. */
#define HTML_LEVEL         "<span class=\"level %s\">%s</span>"
#define LEVEL_TWICE(level) level_name(level), level_name(level)

/* A part that may be wider than the page; the keyboard reaches it to scroll it. The name is ours. */
#define HTML_SCROLL(name) "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" name "\">\n"

/* Bytes at which texts from outside are cut. */
enum {
	HTML_PATH_CUT = 300,
	HTML_MEMBER_CUT = 200,
};
#define HTML_MESSAGE "%.400s"
#define HTML_NAME    "%.100s"

/* Appends the page from the document type to the opened body; html_end closes the body. */
void html_begin(const char *title, struct strbuf *out);
void html_end(struct strbuf *out);
/* Appends <section id="id"><h2>heading</h2>; the caller closes it. Both texts are ours. */
void html_section(const char *id, const char *heading, struct strbuf *out);
/* Appends a table up to its first row. tags: those that open it; heads: "#files|name", # begins a column of numbers. */
void html_begin_table(const char *tags, const char *heads, struct strbuf *out);
/*
 * Appends HTML with values in it, which become inert text: %s is escaped, %.300s also cut to 300 bytes, and
 * PRIu64 is a number with commas. %d, %u and PRId64 are plain numbers; %% is a per cent sign.
 */
void html_addf(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends <td class="n">1,234</td>. */
void html_number_cell(uint64_t n, struct strbuf *out);
/* Appends path or path#member, cut. */
void html_place(const char *path, const char *member, struct strbuf *out);
