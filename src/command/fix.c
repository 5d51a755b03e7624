/* `labelaudit fix`: plans a corrected copy of a set (fix/plan.h), makes it (fix/copy.h), and verifies one
 * (fix/receipt.h). */
#include "command/commands.h"

#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "fix/copy.h"
#include "fix/plan.h"
#include "fix/plan_report.h"
#include "fix/receipt.h"
#include "report/output_file.h"

/* Refuses what cannot be fixed, and takes back the settings of labelaudit.yaml that are for audits alone. */
static enum status prepare(struct options *options, struct error *err)
{
	bool has_form =
		options->fix.out || !strcmp(options->output.format, "text") || !strcmp(options->output.format, "json");

	if (!has_form)
		return error_set(err, "--format %s: a plan is written as text or json", options->output.format);
	options->run.cache.on = false;
	options->baseline.file = options->baseline.write = NULL;
	options->input.images = NULL;
	options->settings.images = (struct image_settings){ .folder = NULL };
	options->output.files_count = 0;
	if (options->fix.declared.nearest && !options->settings.colours.count)
		return error_set(err, "--nearest takes the nearest colour of a table: name one with --colors");
	options->settings.nearest_colours = options->fix.declared.nearest;
	options->fix.declared.strip = options->fix.palette == PALETTE_STRIP;
	if (options->classes.missing)
		return error_set(err, "--classes or --preset is required: which ids are legal?");
	for (size_t i = 0; i < options->input.paths.count; i++)
		if (!strcmp(options->input.paths.v[i], "-"))
			return error_set(err, "fix reads files and folders, not standard input");
	return STATUS_OK;
}

/* Where the plan goes. */
struct plan_output {
	int *signal_number;
	struct error *err;
};

static bool write_piece(void *context, const struct strbuf *piece)
{
	const struct plan_output *o = context;

	return write_stdout(piece, o->signal_number, o->err) == STATUS_OK;
}

static enum status print_plan(const struct fix_plan *plan, const char *format, const struct options *options,
			      int *signal_number, struct error *err)
{
	struct plan_output output = { signal_number, err };
	RELEASED struct strbuf text = STRBUF_INIT;
	bool written;

	if (!strcmp(format, "text")) {
		plan_text(plan, &text);
		written = write_piece(&output, &text);
	} else {
		written = plan_json(plan, options, write_piece, &output);
	}
	if (!written)
		return STATUS_FAILED;
	return fix_plan_is_whole(plan) ? STATUS_OK : STATUS_FINDINGS;
}

static void log_plan(const struct fix_plan *plan, const struct options *options)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	plan_text(plan, &text);
	if (options->output.verbosity >= 0)
		log_text(text.s);
}

/* Returns the path of a place in the result, which the caller frees. */
static char *path_in(const char *folder, const char *place)
{
	RELEASED struct strbuf path = STRBUF_INIT;

	strbuf_adds(&path, folder);
	if (*place)
		strbuf_addf(&path, "%s%s", folder[strlen(folder) - 1] == '/' ? "" : "/", place);
	return strbuf_detach(&path);
}

/* Audits the result as the set was audited, but for what the plan carried out, and writes the report. */
static enum status audit_result(struct options *options, const struct fix_plan *plan, const struct tree *tree,
				int *signal_number, struct error *err)
{
	const struct string_list paths = options->input.paths; /* others point to it, too */
	FREED const char **typed = xcalloc(paths.count, sizeof(*typed));

	for (size_t i = 0; i < paths.count; i++) {
		typed[i] = paths.v[i];
		paths.v[i] = path_in(options->fix.out, tree->roots[i]);
	}
	fix_decision_settle(plan->decision, &options->settings);
	options->settings.nearest_colours = false;
	enum status status = audit_run(options, signal_number, err);

	for (size_t i = 0; i < paths.count; i++) {
		free((char *)(uintptr_t)paths.v[i]);
		paths.v[i] = typed[i];
	}
	return status;
}

static enum status write_receipt(const struct receipt *receipt, struct error *err)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	struct output_file file;

	strbuf_addf(&path, "%s/" RECEIPT_NAME, receipt->options->fix.out);
	enum status status = output_file_open(&file, path.s, err);

	if (status == STATUS_OK) {
		status = receipt_write(receipt, &file, err);
		if (status == STATUS_OK)
			status = output_file_commit(&file, err);
		else
			output_file_abort(&file);
	}
	return status;
}

/* Makes the result, audits it, and writes its receipt. Returns the exit status of that audit. */
static enum status make_result(struct options *options, const struct fix_plan *plan, const struct tree *tree,
			       const struct destination *d, int *signal_number, struct error *err)
{
	struct manifest manifest;
	struct progress progress;
	const struct copy copy = { .plan = plan,
				   .tree = tree,
				   .destination = d,
				   .jobs = options->run.jobs ? options->run.jobs : cpu_usable_cores(),
				   .manifest = &manifest,
				   .progress = &progress };

	manifest_init(&manifest);
	progress_init(&progress, options->output.progress == PROGRESS_BAR, options->output.progress == PROGRESS_LINES,
		      options->output.unicode);
	enum status status = copy_run(&copy, signal_number, err);

	if (status == STATUS_OK)
		status = audit_result(options, plan, tree, signal_number, err);
	manifest_sort(&manifest);
	const struct receipt receipt = { plan, options, &manifest, (int)status };

	if (status != STATUS_FAILED && write_receipt(&receipt, err) != STATUS_OK)
		status = STATUS_FAILED;
	manifest_release(&manifest);
	return status;
}

/* Compares a result with its receipt, and prints how. */
static enum status verify(const struct options *options, const char *folder, int *signal_number, struct error *err)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	if (options->fix.verify && options->input.paths.count)
		return error_set(err, "--verify %s takes no PATH, but there is %s", folder, options->input.paths.v[0]);
	enum status status = receipt_verify(folder, &text, err);

	if (status != STATUS_FAILED && write_stdout(&text, signal_number, err) != STATUS_OK)
		return STATUS_FAILED;
	return status;
}

static enum status carry_out(struct options *options, const struct fix_plan *plan, const char *format,
			     int *signal_number, struct error *err)
{
	const struct string_list *paths = &options->input.paths;
	struct destination d;
	struct tree tree;
	enum status status;

	log_plan(plan, options);
	if (!plan->files_changed && !fix_plan_is_whole(plan))
		return STATUS_FINDINGS; /* a copy would be as wrong as the set */
	options->output.format = format;
	status = tree_gather(&tree, plan, paths, err);
	if (status == STATUS_OK)
		status = destination_open(&d, options->fix.out, &tree, paths, err);
	if (status == STATUS_OK) {
		status = make_result(options, plan, &tree, &d, signal_number, err);
		destination_close(&d);
	}
	tree_release(&tree);
	return status;
}

enum status fix_run(struct options *options, int *signal_number, struct error *err)
{
	const char *format = options->output.format;
	struct fix_set set;
	struct fix_plan plan;
	enum status status;

	if (options->fix.verify)
		return verify(options, options->fix.verify, signal_number, err);
	if (prepare(options, err) != STATUS_OK)
		return STATUS_FAILED;
	options->output.format = "none";
	if (fix_set_audit(&set, options, signal_number, err) != STATUS_OK)
		return STATUS_FAILED;
	fix_plan_make(&plan, &set);
	if ((set.boxes.clip || set.boxes.drop) && !set.has_boxes)
		status = error_set(err, "--clip and --drop are for boxes, and none of these files has any");
	else if (!set.complete)
		status = error_set(err, "something could not be read: the plan is not whole");
	else if (options->fix.out)
		status = carry_out(options, &plan, format, signal_number, err);
	else
		status = print_plan(&plan, format, options, signal_number, err);
	fix_plan_release(&plan);
	fix_set_release(&set);
	return status;
}
