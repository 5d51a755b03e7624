/*
 * The parts of the HTML report (report_html.c), each a pure function of the report, and what they write with.
 *
 * The page is one file under 5 MB that asks nothing of the network. What came from outside is text or a value in double
 * quotes, and passes html_text or html_cut. No style attribute and no event handler is ever written, since the page's
 * own policy would refuse them.
 */
#ifndef REPORT_REPORT_HTML_PARTS_H
#define REPORT_REPORT_HTML_PARTS_H

#include "report/report.h"

/*
 * What keeps the page below 5 MB, in bytes as written. A rule that fired is heard even past HTML_FINDINGS_BYTES, in at
 * most 8 KB (the HTML_..._CUT below, each byte of which may become 6): 80 rules, 0.7 MB.
 */
enum {
	HTML_FINDINGS_MAX = 2000,
	HTML_FINDINGS_BYTES = 2 << 20,
	HTML_PICTURES_BYTES = 1 << 20,
	HTML_PATH_CUT = 300,
	HTML_MEMBER_CUT = 200,
	HTML_MESSAGE_CUT = 400,
	HTML_NAME_CUT = 100,
};

/* ---- report_html_page.c ----------------------------------------------------------------------------------------- */

/* From the document type to the opened body; ends the body. */
void html_begin(const char *title, struct strbuf *out);
void html_end(struct strbuf *out);
/* <section id="id"><h2>heading</h2>; closed by the caller. Both are ours. */
void html_section(const char *id, const char *heading, struct strbuf *out);
void html_text(const char *s, struct strbuf *out);
/* Of a text of more than max bytes a third from its head, and two from its tail, which tells paths apart. */
void html_cut(const char *s, size_t max, struct strbuf *out);
/* "532,014,112" */
void html_number(uint64_t n, struct strbuf *out);
/* <td class="n" data-s="1234">1,234</td>: data-s is what the script sorts by. */
void html_number_cell(uint64_t n, struct strbuf *out);
/* "17 masks", with the plural */
void html_count(uint64_t n, const char *noun, struct strbuf *out);
/* A coloured word: error, warning, info. */
void html_level(enum level level, struct strbuf *out);
/* The name of a rule, a link to its explanation. */
void html_rule(const struct rule *rule, struct strbuf *out);
/* path or path#member, cut. */
void html_place(const char *path, const char *member, struct strbuf *out);

/* ---- report_html_classes.c -------------------------------------------------------------------------------------- */

void html_classes(const struct report *r, struct strbuf *out);
void html_sizes(const struct report *r, struct strbuf *out);
void html_weights(const struct report *r, struct strbuf *out);

/* ---- report_html_findings.c ------------------------------------------------------------------------------------- */

void html_findings(const struct report *r, struct strbuf *out);
void html_pictures(const struct report *r, struct strbuf *out);

#endif
