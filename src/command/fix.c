/* `labelaudit fix`: plans a corrected copy of a set (fix/plan.h), makes it (fix/apply.h), and verifies one
 * (fix/receipt.h). */
#include "command/commands.h"

#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/cpu.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "fix/apply.h"
#include "fix/lossy.h"
#include "fix/path_list.h"
#include "fix/plan.h"
#include "fix/plan_report.h"
#include "fix/saved_plan.h"
#include "report/output_file.h"

/* Refuses what cannot be fixed, and takes back the settings of labelaudit.yaml that are for audits alone. */
static enum status prepare(struct options *options, struct error *err)
{
	bool has_form = options->fix.out || !strcmp(options->format, "text") || !strcmp(options->format, "json");

	if (!has_form)
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

/* Where the plan as JSON goes: to a file, or else to standard output. */
struct plan_output {
	struct output_file *file;
	int *signal_number;
	struct error *err;
};

static bool write_piece(void *context, const struct strbuf *piece)
{
	const struct plan_output *o = context;

	if (o->file)
		return output_file_write(o->file, piece->s, piece->len, o->err) == STATUS_OK;
	return write_stdout(piece, o->signal_number, o->err) == STATUS_OK;
}

static enum status print_plan(const struct fix_plan *plan, const char *format, const struct options *options,
			      int *signal_number, struct error *err)
{
	struct plan_output output = { NULL, signal_number, err };
	struct strbuf text = STRBUF_INIT;
	bool written;

	if (!strcmp(format, "text")) {
		plan_text(plan, &text);
		written = write_piece(&output, &text);
		strbuf_release(&text);
	} else {
		written = plan_json(plan, options, write_piece, &output);
	}
	if (!written)
		return STATUS_FAILED;
	return fix_plan_is_whole(plan) ? STATUS_OK : STATUS_FINDINGS;
}

static void log_plan(const struct fix_plan *plan, const struct options *options)
{
	struct strbuf text = STRBUF_INIT;

	plan_text(plan, &text);
	if (options->verbosity >= 0)
		log_text(text.s);
	strbuf_release(&text);
}

/* Returns the path of a place in the result, which the caller frees. */
static char *path_in(const char *folder, const char *place)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_adds(&path, folder);
	if (*place)
		strbuf_addf(&path, "%s%s", folder[strlen(folder) - 1] == '/' ? "" : "/", place);
	char *copy = xstrdup(path.s);

	strbuf_release(&path);
	return copy;
}

/* Audits the result as the set was audited, but for what the plan carried out, and writes the report. */
static enum status audit_result(struct options *options, const struct fix_plan *plan, const struct tree *tree,
				int *signal_number, struct error *err)
{
	size_t count = options->paths.count, n = tree->roots_count;
	const char **typed = xcalloc(count + 1, sizeof(*typed));
	char **paths = xcalloc(n + 1, sizeof(*paths));
	const char *list = options->find.files_from;
	/* the receipt has the settings of the plan, wherever the result is */
	char *planned = list ? xstrdup(setting_values_find(&options->settings.options, "files-from")) : NULL;
	struct list_file file = { .fd = -1 };
	enum status status = STATUS_OK;

	for (size_t i = 0; i < n; i++)
		paths[i] = path_in(options->fix.out, tree->roots[i]);
	for (size_t i = 0; i < count; i++) {
		typed[i] = options->paths.v[i];
		options->paths.v[i] = paths[i];
	}
	if (list)
		status = list_file_open(&file, (const char *const *)(paths + count), n - count, err);
	if (list)
		options->find.files_from = file.path;
	fix_plan_settle(plan, &options->settings);
	if (status == STATUS_OK)
		status = audit_run(options, signal_number, err);

	options->find.files_from = list;
	if (list)
		setting_values_put(&options->settings.options, "files-from", planned);
	free(planned);
	list_file_close(&file);
	for (size_t i = 0; i < count; i++)
		options->paths.v[i] = typed[i];
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	free(typed);
	return status;
}

static enum status write_receipt(const struct receipt *receipt, struct error *err)
{
	struct strbuf path = STRBUF_INIT;
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
	strbuf_release(&path);
	return status;
}

/* Makes the result, audits it, and writes its receipt. Returns the exit status of that audit. */
static enum status make_result(struct options *options, const struct fix_plan *plan, const struct tree *tree,
			       struct destination *d, const uint64_t digest[2], int *signal_number, struct error *err)
{
	struct records records;
	struct progress progress;
	struct apply_sync sync;
	const struct apply apply = { .plan = plan,
				     .tree = tree,
				     .destination = d,
				     .jobs = options->jobs ? options->jobs : cpu_usable_cores(),
				     .link = options->fix.link,
				     .records = &records,
				     .progress = &progress };
	enum status status, result;

	if (records_open(&records, d->path, err) != STATUS_OK)
		return STATUS_FAILED;
	progress_init(&progress, options->progress == PROGRESS_BAR, options->progress == PROGRESS_LINES,
		      options->unicode);
	status = apply_run(&apply, signal_number, err);
	if (status != STATUS_OK)
		goto out;
	apply_sync_begin(&sync, d);
	status = result = audit_result(options, plan, tree, signal_number, err);
	if (apply_sync_end(&sync, err) != STATUS_OK)
		status = STATUS_FAILED;
	if (status == STATUS_FAILED)
		goto out;
	const struct receipt receipt = { plan, digest, options, tree, &records, (int)result };

	status = write_receipt(&receipt, err) == STATUS_OK ? result : STATUS_FAILED;
out:
	records_close(&records);
	return status;
}

/* Compares a result with its receipt, and prints how. */
static enum status verify(const struct options *options, const char *folder, int *signal_number, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status;

	if (options->fix.verify && options->paths.count)
		return error_set(err, "--verify %s takes no PATH, but there is %s", folder, options->paths.v[0]);
	if (options->fix.verify && options->find.files_from)
		return error_set(err, "--verify %s takes no --files-from", folder);
	status = receipt_verify(folder, &text, err);
	if (status != STATUS_FAILED && write_stdout(&text, signal_number, err) != STATUS_OK)
		status = STATUS_FAILED;
	strbuf_release(&text);
	return status;
}

static enum status carry_out(struct options *options, const struct fix_plan *plan, const char *format,
			     int *signal_number, struct error *err)
{
	struct destination d;
	struct tree tree;
	uint64_t digest[2];
	enum status status = STATUS_OK;

	plan_digest(plan, options, digest);
	log_plan(plan, options);
	if (!plan->files_changed && !fix_plan_is_whole(plan))
		return STATUS_FINDINGS; /* a copy would be as wrong as the set */
	options->format = format;
	if (tree_gather(&tree, plan, options->paths.v, options->paths.count, plan->set->listed, err) != STATUS_OK) {
		status = STATUS_FAILED;
	} else if (destination_open(&d, options->fix.out, &tree, options, plan->set->listed, digest, err) !=
		   STATUS_OK) {
		status = STATUS_FAILED;
	} else {
		if (d.is_finished) {
			tree_release(&tree); /* the result has one of that size */
			status = verify(options, options->fix.out, signal_number, err);
		} else {
			status = make_result(options, plan, &tree, &d, digest, signal_number, err);
		}
		destination_close(&d);
	}
	tree_release(&tree);
	return status;
}

/* Writes the plan to the file of --plan. */
static enum status write_plan(const struct options *options, const struct fix_plan *plan, struct error *err)
{
	struct output_file file;
	struct plan_output output = { &file, NULL, err };

	if (!options->fix.plan)
		return STATUS_OK;
	if (destination_check_apart("plan", options->fix.plan, options, plan->set->listed, err) != STATUS_OK)
		return STATUS_FAILED;
	if (output_file_open(&file, options->fix.plan, err) != STATUS_OK)
		return STATUS_FAILED;
	if (plan_json(plan, options, write_piece, &output))
		return output_file_commit(&file, err);
	output_file_abort(&file);
	return STATUS_FAILED;
}

/* Compares the files that the plan lists with those that were audited. */
static enum status check_unchanged(const struct saved_plan *edited, const struct fix_set *set, struct error *err)
{
	for (size_t i = 0; i < edited->files_count; i++) {
		const struct planned_file *planned = &edited->files[i];
		const struct fix_archive *archive = fix_set_archive(set, planned->path);
		const struct fix_file *file = fix_set_find(set, planned->path);
		const uint64_t *hash = archive ? archive->hash : file ? file->hash : NULL;

		if (!hash)
			return error_set(err, "%s: the plan lists it, but it is not there", planned->path);
		if (GUARD(file_changed_since_the_plan, (archive ? archive->bytes : file->bytes) != planned->bytes ||
							       hash[0] != planned->hash[0] ||
							       hash[1] != planned->hash[1]))
			return error_set(err, "%s: changed since the plan was made", planned->path);
	}
	return STATUS_OK;
}

/* Plans, and writes, prints or carries out the plan. edited: of --apply; or NULL. */
static enum status plan_listed(struct options *options, const struct path_list *listed, const struct saved_plan *edited,
			       int *signal_number, struct error *err)
{
	const char *format = options->format;
	struct fix_set set;
	struct fix_plan plan;
	enum status status;

	options->format = "none";
	if (fix_set_audit(&set, options, listed, signal_number, err) != STATUS_OK)
		return STATUS_FAILED;
	fix_plan_make(&plan, &set, options, edited);
	if (options->fix.lossy)
		fix_plan_add_lossy(&plan, options);
	if (!set.complete)
		status = error_set(err, "something could not be read: the plan is not whole");
	else if (edited && check_unchanged(edited, &set, err) != STATUS_OK)
		status = STATUS_FAILED;
	else if (write_plan(options, &plan, err) != STATUS_OK)
		status = STATUS_FAILED;
	else if (options->fix.out)
		status = carry_out(options, &plan, format, signal_number, err);
	else
		status = print_plan(&plan, format, options, signal_number, err);
	fix_plan_release(&plan);
	fix_set_release(&set);
	return status;
}

/* Reads the paths of --files-from once for all that needs them, or takes those of the plan; and does the same. */
static enum status plan_and_go_on(struct options *options, const struct saved_plan *edited, int *signal_number,
				  struct error *err)
{
	struct path_list read = { 0 };
	const struct path_list *listed = edited ? &edited->listed : &read;
	struct list_file file = { .fd = -1 };
	const struct find_options typed = options->find;
	enum status status = prepare(options, err);

	if (status == STATUS_OK && options->find.files_from && !edited)
		status = path_list_read(&read, options->find.files_from, options->find.nul_separated, err);
	if (status == STATUS_OK && options->find.files_from) {
		status = list_file_open(&file, (const char *const *)listed->v, listed->count, err);
		options->find.files_from = file.path;
		options->find.nul_separated = true;
	}
	if (status == STATUS_OK)
		status = plan_listed(options, listed, edited, signal_number, err);
	options->find.files_from = typed.files_from;
	options->find.nul_separated = typed.nul_separated;
	list_file_close(&file);
	path_list_release(&read);
	return status;
}

/* Carries out a plan that was written before: with its options and PATHs, and the form of report that was typed. */
static enum status apply_plan(const struct options *typed, int *signal_number, struct error *err)
{
	struct saved_plan edited;
	struct options options;

	if (typed->paths.count || typed->find.files_from || typed->classes || !typed->fix.out)
		return error_set(err, "--apply %s takes its PATHs and settings from the plan, and needs -o DIR",
				 typed->fix.apply);
	if (saved_plan_read(&edited, typed->fix.apply, err) != STATUS_OK)
		return STATUS_FAILED;
	options_init(&options);
	enum status status = options_parse(&options, (int)edited.words_count, edited.words, err);

	if (status == STATUS_OK) {
		options_resolve_auto(&options, false, false);
		options.format = typed->format;
		options.format_is_auto = typed->format_is_auto;
		options.stdout_colour = typed->stdout_colour;
		options.stderr_colour = typed->stderr_colour;
		options.columns = typed->columns;
		options.progress = typed->progress;
		options.verbosity = typed->verbosity;
		options.jobs = typed->jobs;
		options.fix.out = typed->fix.out;
		options.fix.link = typed->fix.link;
		status = plan_and_go_on(&options, &edited, signal_number, err);
	}
	options_release(&options);
	saved_plan_release(&edited);
	return status;
}

enum status fix_run(struct options *options, int *signal_number, struct error *err)
{
	if (options->fix.verify)
		return verify(options, options->fix.verify, signal_number, err);
	if (options->fix.apply)
		return apply_plan(options, signal_number, err);
	return plan_and_go_on(options, NULL, signal_number, err);
}
