/* --explain: the table of folders by which was decided what is audited. Nothing is audited. */
#include <string.h>
#include <unistd.h>

#include "audit/audit_parts.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/write_all.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "report/json_writer.h"
#include "report/layout.h"
#include "report/output_file.h"
#include "report/report_json.h"

/* Returns whether a file that is found may name it: what is not below its folder it may not. */
static bool may_be_named(const char *path)
{
	return *path && *path != '/' && strncmp(path, "..", 2) != 0 && !strstr(path, "/..");
}

/* Appends a setting with the values that were typed. */
static void add_setting(const char *name, const struct string_list *values, struct strbuf *out)
{
	strbuf_addf(out, "%s: [", name);
	for (size_t i = 0; i < values->count; i++) {
		strbuf_adds(out, i ? ", " : "");
		escape_json_string(out, values->v[i], strlen(values->v[i]));
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

		if (given->origin != ORIGIN_COMMAND_LINE || (!flag && !may_be_named(value)))
			continue;
		if (list) {
			add_setting(names[i], &given->values, out);
			continue;
		}
		strbuf_addf(out, "%s: ", names[i]);
		if (flag)
			strbuf_adds(out, "true");
		else
			escape_json_string(out, value, strlen(value));
		strbuf_addch(out, '\n');
	}
}

/* Writes the decisions into labelaudit.yaml of the current folder. */
static enum status write_config(const struct audit *a, struct error *err)
{
	const struct options *o = a->options;
	struct strbuf out = STRBUF_INIT;
	struct output_file file;
	bool named = o->input.paths.count > 0;

	if (!(o->allowed & ALLOW_OVERWRITE) && access(CONFIG_NAME, F_OK) == 0)
		return error_set(err, CONFIG_NAME " exists; --allow overwrite replaces it");
	strbuf_adds(&out, "# What labelaudit --explain --write-config decided. labelaudit --explain shows what these "
			  "settings do.\n");
	for (size_t i = 0; i < o->input.paths.count; i++)
		named &= may_be_named(o->input.paths.v[i]);
	if (named)
		add_setting(config_paths_key.name, &o->input.paths, &out);
	add_typed_settings(o, &out);
	enum status status = layout_config(&a->layouts, &out, err);

	output_file_init(&file);
	if (status == STATUS_OK)
		status = output_file_open(&file, CONFIG_NAME, err);
	if (status == STATUS_OK)
		status = output_file_write(&file, out.s, out.len, err);
	if (status == STATUS_OK)
		status = output_file_commit(&file, err);
	output_file_abort(&file);
	strbuf_release(&out);
	if (status == STATUS_OK && o->output.verbosity >= 0)
		log_text("labelaudit: note: the decisions are in " CONFIG_NAME "\n");
	return status;
}

enum status audit_explain(const struct audit *a, int *signal_number, struct error *err)
{
	struct strbuf out = STRBUF_INIT;

	if (!a->options->output.format_is_auto && !strcmp(a->options->output.format, "json")) {
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

	strbuf_release(&out);
	if (status == STATUS_OK)
		status = layouts_ask(&a->layouts, a->find, err);
	return status == STATUS_OK && a->options->input.write_config ? write_config(a, err) : status;
}
