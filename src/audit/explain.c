/* --explain: the table of folders by which was decided what is audited. Nothing is audited. */
#include <string.h>

#include "audit/audit_parts.h"
#include "base/write_all.h"
#include "layout/layout_config.h"
#include "report/json_writer.h"
#include "report/layout.h"
#include "report/report_json.h"

enum status audit_explain(const struct audit *a, struct strbuf *decisions, int *signal_number, struct error *err)
{
	RELEASED struct strbuf out = STRBUF_INIT;

	if (a->options->command == COMMAND_INIT) {
		; /* the file says it */
	} else if (!a->options->output.format_is_auto && !strcmp(a->options->output.format, "json")) {
		struct coverage coverage = { 0 };
		struct json_writer w;

		layout_facts(&a->layouts, a->find, &coverage);
		json_init(&w, &out, false);
		report_json_layout(&w, &coverage);
		strbuf_addch(&out, '\n');
		coverage_release(&coverage);
	} else {
		layout_text(&a->layouts, a->find, &out);
	}
	enum status status = write_stdout(&out, signal_number, err);

	if (status == STATUS_OK)
		status = layouts_ask(&a->layouts, a->find, err);
	return status == STATUS_OK && decisions ? layout_config(&a->layouts, decisions, err) : status;
}
