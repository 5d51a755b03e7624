#include "report/html_classes.h"

#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "report/html_page.h"
#include "report/tables.h"

/*
 * A bar holds both scales; two radio buttons before the table choose one by style alone. Its units are those of its
 * viewBox, which is stretched: whole numbers, so that no locale can put a comma into one.
 */
enum { BAR_WIDTH = 1000, BAR_HEIGHT = 10 };

static unsigned linear_width(uint64_t labels, uint64_t most)
{
	return (unsigned)((decimal_wide)labels * BAR_WIDTH / most);
}

/* log(1 + n), so that a single label has a bar, too. */
static unsigned logarithm_width(uint64_t labels, uint64_t most)
{
	return (unsigned)(log1p((double)labels) / log1p((double)most) * BAR_WIDTH);
}

static const char *row_style(const struct class_table_row *row)
{
	if (row->role == ID_CLASS)
		return row->labels ? "class" : "never";
	return row->role == ID_IGNORED ? "ignored" : "invalid";
}

/* Returns what to call a row without a name. */
static const char *row_note(const struct class_table_row *row)
{
	if (row->role == ID_IGNORED)
		return "ignored";
	return row->role == ID_INVALID ? "out of range" : "";
}

static void add_bar(const struct class_table_row *row, uint64_t most, struct strbuf *out)
{
	html_addf(out,
		  "<svg class=\"bar %s\" viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
		  "<rect class=\"linear\" width=\"%u\" height=\"%u\"/>"
		  "<rect class=\"logarithm\" width=\"%u\" height=\"%u\"/></svg>",
		  row_style(row), BAR_WIDTH, BAR_HEIGHT, MAX(1U, linear_width(row->labels, most)), BAR_HEIGHT,
		  MAX(1U, logarithm_width(row->labels, most)), BAR_HEIGHT);
}

static void add_row(const struct class_table_row *row, uint64_t most, struct strbuf *out)
{
	html_addf(out, "<tr class=\"%s\"><td class=\"n\" data-s=\"%" PRId64 "\">", row_style(row), row->id);
	id_format(row->id, out);
	strbuf_adds(out, "</td><td><div class=\"bar-of\"><span>");
	html_addf(out, row->name ? HTML_NAME : "<i>%s</i>", row->name ? row->name : row_note(row));
	strbuf_adds(out, "</span>");
	if (row->labels)
		add_bar(row, most, out);
	else
		strbuf_adds(out, "<i>never occurs</i>");
	strbuf_adds(out, "</div></td>");
	html_number_cell(row->labels, out);
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", row->role == ID_IGNORED ? 0 : row->labels);
	html_addf(out, "%s</td>", row->share[0] ? row->share : "-");
	html_number_cell(row->files, out);
	strbuf_adds(out, "</tr>\n");
}

static void add_table(const struct class_table *t, struct strbuf *out)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->count; i++)
		most = MAX(most, t->rows[i].labels);
	strbuf_adds(
		out,
		"<p class=\"small faint\">Shares are of the labels that are not ignored. Ignored ids are striped, ids "
		"out of range red.</p>\n"
		"<div class=\"scale\"><input type=\"radio\" name=\"scale\" id=\"linear\" autocomplete=\"off\" "
		"checked><label for=\"linear\">linear</label>\n<input type=\"radio\" name=\"scale\" id=\"log\" "
		"autocomplete=\"off\"><label for=\"log\">logarithmic</label>\n");
	html_begin_table(HTML_SCROLL("classes") "<table class=\"sorted classes\">", "#id|class|#labels|#share|#files",
			 out);
	for (size_t i = 0; i < t->count; i++)
		add_row(&t->rows[i], most, out);
	strbuf_adds(out, "</tbody>\n</table>\n</div>\n</div>\n");
}

void html_add_classes(const struct report *r, struct strbuf *out)
{
	struct class_table t;

	class_table_init(&t, r);
	html_section("classes", "Classes", out);
	if (t.count)
		add_table(&t, out);
	else
		strbuf_adds(out, "<p>No class is declared, and no id was read.</p>\n");
	for (size_t i = 0; i < UNLISTED_KINDS; i++)
		if (t.unlisted[i])
			html_addf(out, "<p class=\"faint\">... and %" PRIu64 " more %s</p>\n", t.unlisted[i],
				  class_table_unlisted[i]);
	strbuf_adds(out, "</section>\n");
	class_table_release(&t);
}
