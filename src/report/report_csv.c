/*
 * The CSV report (RFC 4180, lines end in a line feed): a row per class, for a spreadsheet or pandas. A class that never
 * occurs has empty weights. Names are always quoted, and no cell begins with what a spreadsheet would execute
 * (base/escape.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/escape.h"
#include "report/tables.h"

static void end(const struct report *r, struct strbuf *out)
{
	struct report_tables t;

	tables_init(&t, r->settings, r->dataset);
	strbuf_adds(out, "id,name,labels,files,fraction");
	for (int weight = 0; weight < CLASS_WEIGHTS; weight++)
		strbuf_addf(out, ",%s", class_weight_name((enum class_weight)weight));
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < t.classes_count; i++) {
		const struct id_row *row = &t.classes[i];

		strbuf_addf(out, "%lld,", (long long)row->id);
		if (row->name)
			escape_csv(out, row->name, strlen(row->name));
		strbuf_addf(out, ",%" PRIu64 ",%" PRIu64 ",", row->labels, row->files);
		decimal_ratio(out, row->labels, r->dataset->labels - t.ignored_labels, 6);
		for (int weight = 0; weight < CLASS_WEIGHTS; weight++) {
			strbuf_addch(out, ',');
			class_weight_add(out, &t, i, (enum class_weight)weight);
		}
		strbuf_addch(out, '\n');
	}
	tables_release(&t);
}

const struct reporter reporter_csv = { .name = "csv", .extension = "csv", .end = end };
