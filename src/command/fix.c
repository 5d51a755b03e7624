/* `labelaudit fix`: what a corrected copy of a set would be (fix/plan.h). */
#include "command/commands.h"

#include <string.h>

#include "base/write_all.h"
#include "fix/plan.h"
#include "fix/plan_report.h"

/* Refuses what a plan cannot be made for, and takes back what labelaudit.yaml says of an audit alone. */
static enum status prepare(struct options *options, struct error *err)
{
	if (strcmp(options->format, "text") != 0 && strcmp(options->format, "json") != 0)
		return error_set(err, "--format %s: a plan is written as text or json", options->format);
	options->cache = false;
	options->baseline = options->write_baseline = NULL;
	options->images = NULL;
	options->settings.pairing = options->settings.check_images = false;
	options->outputs_count = 0;
	if (options->without_classes)
		return error_set(err, "--classes or --preset is required: which ids are legal?");
	for (size_t i = 0; i < options->paths.count; i++)
		if (!strcmp(options->paths.v[i], "-"))
			return error_set(err, "fix reads files and folders, not standard input");
	return STATUS_OK;
}

enum status fix_run(struct options *options, int *signal_number, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	const char *format = options->format;
	struct fix_set set;
	struct fix_plan plan;

	if (prepare(options, err) != STATUS_OK)
		return STATUS_FAILED;
	options->format = "none";
	if (fix_set_audit(&set, options, signal_number, err) != STATUS_OK)
		return STATUS_FAILED;
	fix_plan_make(&plan, &set, options);
	if (!strcmp(format, "json"))
		plan_json(&plan, options, &out);
	else
		plan_text(&plan, &out);
	enum status status = write_stdout(&out, signal_number, err);

	if (status == STATUS_OK)
		status = !set.complete ? error_set(err, "something could not be read: the plan is not whole")
			 : fix_plan_is_whole(&plan) ? STATUS_OK
						    : STATUS_FINDINGS;
	strbuf_release(&out);
	fix_plan_release(&plan);
	fix_set_release(&set);
	return status;
}
