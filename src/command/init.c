/*
 * labelaudit.yaml as a start: `labelaudit init PATH`, and --explain --write-config. It has what was typed, which
 * classes the labels seem to have if that was not said, and which files are audited.
 */
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/relative_path.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "command/commands.h"
#include "command/propose.h"
#include "report/output_file.h"

/* Appends a setting with the values that were typed. */
static void add_setting(const char *name, const struct string_list *values, struct strbuf *out)
{
	strbuf_addf(out, "%s: [", name);
	for (size_t i = 0; i < values->count; i++) {
		strbuf_adds(out, i ? ", " : "");
		config_add_value(out, values->v[i]);
	}
	strbuf_adds(out, "]\n");
}

static void add_typed_settings(const struct options *o, struct strbuf *out)
{
	static const char *const names[] = { "preset", "classes", "ignore", "colors", "reduce-zero-label",
					     "kind",   "column" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct option_given *given = option_given_of(o, names[i]);
		const char *value = given->values.count ? given->values.v[given->values.count - 1] : "";
		const bool flag = !strcmp(names[i], "reduce-zero-label"), list = !strcmp(names[i], "ignore");

		if (given->origin != ORIGIN_COMMAND_LINE || (!flag && !relative_path_is_inside(value)))
			continue;
		if (list) {
			add_setting(names[i], &given->values, out);
			continue;
		}
		strbuf_addf(out, "%s: ", names[i]);
		if (flag)
			strbuf_adds(out, "true");
		else
			config_add_value(out, value);
		strbuf_addch(out, '\n');
	}
}

/* Appends an answer; one of several that were not chosen as a comment. */
static void add_answer(const struct answer *a, bool chosen, struct strbuf *out)
{
	if (a->what.len) {
		strbuf_adds(out, chosen ? "# " : "# or: ");
		escape_terminal(out, a->what.s, a->what.len);
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < a->count; i++) {
		strbuf_addf(out, "%s%s: ", chosen ? "" : "#   ", a->settings[i].name);
		config_add_value(out, a->settings[i].value);
		strbuf_addch(out, '\n');
	}
}

/* Appends which classes the labels seem to have. */
static enum status add_proposal(struct options *o, struct strbuf *out, struct error *err)
{
	struct proposal p;
	const enum status status = proposal_make(&p, o, err);

	if (status == STATUS_OK) {
		strbuf_addf(out, "# %s. labelaudit proposes%s:\n", p.found.s,
			    p.count > 1 ? ", and nobody was asked" : "");
		for (size_t i = 0; i < p.count; i++)
			add_answer(&p.v[i], i == 0, out);
		if (!p.count)
			strbuf_adds(out, p.tokens
						 ? "# nothing: give the vocab_size of the model, classes: config.json\n"
						 : "# nothing: say how many classes your model has, classes: 21\n");
		if (p.refused.len)
			strbuf_addf(out, "# no answer: %s\n", p.refused.s);
	}
	proposal_release(&p);
	return status;
}

static enum status write_file(const struct strbuf *text, struct error *err)
{
	struct output_file file;

	output_file_init(&file);
	enum status status = output_file_open(&file, CONFIG_NAME, err);

	if (status == STATUS_OK)
		status = output_file_write(&file, text->s, text->len, err);
	if (status == STATUS_OK)
		status = output_file_commit(&file, err);
	output_file_abort(&file);
	return status;
}

enum status init_run(struct options *o, int *signal_number, struct error *err)
{
	RELEASED struct strbuf out = STRBUF_INIT, layout = STRBUF_INIT;
	const bool quiet = o->output.verbosity < 0;
	bool named = o->input.paths.count > 0;

	enum status status = audit_decide(o, &layout, signal_number, err);

	if (status == STATUS_OK && !(o->allowed & ALLOW_OVERWRITE) && access(CONFIG_NAME, F_OK) == 0)
		status = error_set(err, CONFIG_NAME " exists; --allow overwrite replaces it");
	for (size_t i = 0; i < o->input.paths.count; i++)
		named &= relative_path_is_inside(o->input.paths.v[i]);
	strbuf_addf(
		&out,
		"# Written by labelaudit. Here, labelaudit%s audits by it, and labelaudit --explain%s shows what it "
		"does.\n",
		named ? "" : " PATH", named ? "" : " PATH");
	if (named)
		add_setting(config_paths_key.name, &o->input.paths, &out);
	add_typed_settings(o, &out);
	if (status == STATUS_OK && o->classes.missing)
		status = add_proposal(o, &out, err);
	strbuf_add(&out, layout.s, layout.len);
	if (status == STATUS_OK)
		status = write_file(&out, err);
	if (status == STATUS_OK && !quiet)
		log_text("labelaudit: note: the decisions are in " CONFIG_NAME "\n");
	return status;
}
