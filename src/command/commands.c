#include "command/commands.h"

#include "audit/audit.h"
#include "base/version.h"
#include "base/write_all.h"
#include "command/diff.h"
#include "command/doctor.h"
#include "command/explain_rules.h"
#include "command/merge.h"
#include "command/render.h"
#include "report/report.h"

/* With --exit-zero findings are no failure. */
static enum status without_findings(const struct options *options, enum status status)
{
	return status == STATUS_FINDINGS && options->exit_zero ? STATUS_OK : status;
}

enum status command_run(struct options *options, int *signal_number, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	enum status status = STATUS_OK;

	switch (options->command) {
	case COMMAND_AUDIT:
		if (options->show_settings) {
			options_show(options, &out);
			break;
		}
		return without_findings(options, audit_run(options, signal_number, err));
	case COMMAND_MERGE:
		return without_findings(options, merge_run(options, signal_number, err));
	case COMMAND_RENDER:
		return render_run(options, signal_number, err);
	case COMMAND_DIFF:
		return without_findings(options, diff_run(options, signal_number, err));
	case COMMAND_RULE:
		status = explain_rules(&options->words, &out, err);
		break;
	case COMMAND_DOCTOR:
		doctor(options, &out);
		break;
	case COMMAND_SCHEMA:
		strbuf_add(&out, report_schema, report_schema_size);
		break;
	case COMMAND_COMPLETIONS:
		status = options_completions(options->words.v[0], &out, err);
		break;
	case COMMAND_HELP:
		options_help(options->help_about, &out);
		break;
	case COMMAND_PRESETS:
		presets_list(&out);
		break;
	case COMMAND_VERSION:
		strbuf_adds(&out, "labelaudit " LABELAUDIT_VERSION "\n");
		break;
	}
	if (status == STATUS_OK)
		status = write_stdout(&out, signal_number, err);
	strbuf_release(&out);
	return status;
}
