#include "report/text_parts.h"

#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "report/narrowed.h"

enum { MESSAGE_INDENT = 4 };

void text_paint(const struct report *r, struct strbuf *out, const char *colour, const char *text)
{
	bool painted = r->colour && *colour;

	strbuf_addf(out, "%s%s%s", painted ? colour : "", text, painted ? PLAIN : "");
}

void text_paint_level(const struct report *r, struct strbuf *out, enum level level)
{
	text_paint(r, out, level == LEVEL_ERROR ? RED : level == LEVEL_WARNING ? YELLOW : CYAN, level_name(level));
}

void text_finding(const struct report *r, const struct kept_finding *f, size_t columns, struct strbuf *out)
{
	struct strbuf where = STRBUF_INIT, message = STRBUF_INIT;
	size_t at;

	if (f->path)
		add_place(&where, f->path, f->member);
	else
		strbuf_adds(&where, "(dataset)");
	at = text_columns(where.s) + 2 + strlen(level_name(f->level)) + 1 + strlen(f->rule->name) + 2;
	text_paint(r, out, BOLD, where.s);
	strbuf_adds(out, ": ");
	text_paint_level(r, out, f->level);
	strbuf_addf(out, " %s: ", f->rule->name);
	escape_terminal(&message, f->message, strlen(f->message));
	wrap_text(out, message.s, at, MESSAGE_INDENT, columns);
	strbuf_addch(out, '\n');
	strbuf_release(&message);
	strbuf_release(&where);
}

static void add_note(const struct report *r, const struct strbuf *note, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	escape_terminal(&text, note->s, note->len);
	wrap_text(out, text.s, 0, MESSAGE_INDENT, r->columns);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

void text_verdict(const struct report *r, struct strbuf *out)
{
	const char *taken = setting_values_find(&r->settings->options, TAKEN_FROM);
	struct strbuf text = STRBUF_INIT;

	if (taken) {
		strbuf_addf(&text, "taken from %s", taken);
		add_note(r, &text, out);
		strbuf_clear(&text);
	}
	narrowed_line(r->settings, &text);
	if (text.len)
		add_note(r, &text, out);
	strbuf_clear(&text);
	if (!r->complete) {
		strbuf_adds(&text, "Not everything was audited: ");
		summary_why_incomplete(r, &text);
		add_note(r, &text, out);
	}
	strbuf_clear(&text);
	summary_paint_verdict(r, out);
	strbuf_adds(out, ": ");
	summary_counts(r, &text);
	wrap_text(out, text.s, strlen(summary_verdict(r)) + 2, MESSAGE_INDENT, r->columns);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}
