/*
 * Adds labelaudit.yaml to the command line, and prints the result for --show-settings.
 *
 * An option that was typed replaces the file's value, of a list the whole list. A --preset that was typed replaces all
 * that the file says about classes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "judge/rule.h"

static bool is_typed(const struct options *o, const char *name)
{
	return option_given_of(o, name)->origin == ORIGIN_COMMAND_LINE;
}

/* Returns whether something of higher precedence than the file decides this option. */
static bool is_overridden(const struct options *o, const struct option_spec *spec)
{
	static const char *const of_preset[] = { "classes", "colors", "ignore", "reduce-zero-label" };
	const char *no_color = getenv("NO_COLOR");

	for (size_t i = 0; i < ARRAY_SIZE(of_preset); i++)
		if (!strcmp(spec->name, of_preset[i]) && is_typed(o, "preset"))
			return true;
	if (!strcmp(spec->name, "quiet") && is_typed(o, "verbose"))
		return true;
	if (!strcmp(spec->name, "verbose") && is_typed(o, "quiet"))
		return true;
	if (!strcmp(spec->name, "color") && no_color && *no_color)
		return true;
	return is_typed(o, spec->name);
}

/* Adds a PATH of the file. The first one notes its line. */
static void add_path(struct options *o, const struct config_value *v)
{
	if (!o->input.paths.count)
		o->input.paths_line = v->line;
	string_list_add(&o->input.paths, v->value);
}

static enum status apply_value(struct options *o, const struct config_value *v, struct error *err)
{
	const enum command command = o->command;
	struct error said = ERROR_INIT;
	enum status status = v->spec->set(v->spec, o, v->value, &said);

	if (status == STATUS_OK && o->command != command)
		status = error_set(&said, "%s: '%s' can only be given on the command line", v->spec->name, v->value);
	if (status != STATUS_OK)
		return error_set(err, "%s: line %zu: %s", o->config.read.path, v->line, said.text);
	option_note(o, v->spec, v->value, ORIGIN_CONFIG, v->line);
	return STATUS_OK;
}

static void note_settings(const char *file)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "labelaudit: note: the settings are those of ");
	escape_terminal(&text, file, strlen(file));
	strbuf_addch(&text, '\n');
	log_text(text.s);
}

/*
 * Looks beside the PATHs, where the file of a data set is kept, if the command line does not say what is legal. It is
 * trusted as any file that was found. Fails if the PATHs have different ones.
 */
static enum status find_beside_paths(struct options *o, char **found, char **misnamed, struct error *err)
{
	if (is_typed(o, "classes") || is_typed(o, "preset") || is_typed(o, "colors") || o->input.list ||
	    o->input.explain)
		return STATUS_OK;
	for (size_t i = 0; i < o->input.paths.count; i++) {
		char *beside = strcmp(o->input.paths.v[i], "-") != 0 ? config_find_beside(o->input.paths.v[i], misnamed)
								     : NULL;
		bool differs = i && (beside || *found) && (!beside || !*found || strcmp(beside, *found) != 0);

		if (differs)
			error_set(err, "%s has other settings than %s; pass --config FILE, or --no-config",
				  o->input.paths.v[i], o->input.paths.v[0]);
		if (i)
			free(beside);
		else
			*found = beside;
		if (differs)
			return STATUS_FAILED;
	}
	if (*found && o->output.verbosity >= 0)
		note_settings(*found);
	return STATUS_OK;
}

static enum status find_config(struct options *o, char **found, struct error *err)
{
	enum status status = STATUS_OK;
	FREED char *misnamed = NULL;

	*found = config_find(&misnamed);
	if (!*found)
		status = find_beside_paths(o, found, &misnamed, err);
	if (misnamed && o->output.verbosity >= 0)
		log_warning("%s is not read: the name of the settings file is " CONFIG_NAME, misnamed);
	o->config.read.found = *found != NULL;
	return status;
}

enum status options_load_config(struct options *o, struct error *err)
{
	FREED char *found = NULL;
	bool paths_typed = o->input.paths.count || o->input.find.files_from;
	enum status status = STATUS_OK;

	if (o->config.file && o->config.off)
		return error_set(err, "--config and --no-config contradict each other");
	if (o->config.off || o->command == COMMAND_INIT)
		return STATUS_OK;
	if (!o->config.file)
		status = find_config(o, &found, err);
	if (status != STATUS_OK || (!found && !o->config.file))
		return status;
	status = config_read(&o->config.read, found ? found : o->config.file, err);
	for (size_t i = 0; status == STATUS_OK && i < o->config.read.count; i++) {
		const struct config_value *v = &o->config.read.v[i];

		if (v->spec == &config_paths_key) {
			if (!paths_typed)
				add_path(o, v);
		} else if (!is_overridden(o, v->spec)) {
			status = apply_value(o, v, err);
		}
	}
	return status;
}

/* ---- --show-settings -------------------------------------------------------------------------------------------- */

/* A JSON string is a YAML one. */
void config_add_value(struct strbuf *out, const char *s)
{
	size_t n = strlen(s);

	if (n && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.+") == n) {
		strbuf_add(out, s, n);
		return;
	}
	escape_json_string(out, s, n);
}

static void add_values(struct strbuf *out, const struct option_spec *spec, const struct option_given *given)
{
	const struct string_list *values = &given->values;

	if (!spec->value) {
		strbuf_adds(out, given->origin == ORIGIN_DEFAULT ? "false" : "true");
	} else if (given->origin == ORIGIN_DEFAULT) {
		strbuf_adds(out, spec->otherwise ? spec->otherwise : spec->repeatable ? "[]" : "~");
	} else if (!spec->repeatable) {
		const char *last = values->v[values->count - 1]; /* the last one counts */

		config_add_value(out, *last ? last : "true");
	} else {
		strbuf_addch(out, '[');
		for (size_t i = 0; i < values->count; i++) {
			strbuf_adds(out, i ? ", " : "");
			config_add_value(out, values->v[i]);
		}
		strbuf_addch(out, ']');
	}
}

/* {"glob": [rules], ...} of --per-path. */
static void add_globs(struct strbuf *out, const struct option_given *given)
{
	const struct string_list *values = &given->values;

	strbuf_addch(out, '{');
	for (size_t i = 0; i < values->count; i++) {
		const char *equals = strrchr(values->v[i], '=');

		strbuf_adds(out, i ? ", " : "");
		escape_json_string(out, values->v[i], (size_t)(equals - values->v[i]));
		strbuf_adds(out, ": ");
		config_add_value(out, equals + 1);
	}
	strbuf_addch(out, '}');
}

static void add_origin(struct strbuf *out, const struct options *o, const struct option_given *given)
{
	if (given->origin != ORIGIN_CONFIG) {
		strbuf_adds(out, given->origin == ORIGIN_DEFAULT ? "  # default\n" : "  # command line\n");
		return;
	}
	strbuf_adds(out, "  # ");
	escape_terminal(out, o->config.read.path, strlen(o->config.read.path));
	strbuf_addf(out, ", line %zu\n", given->line);
}

void options_show(const struct options *o, struct strbuf *out)
{
	const struct class_set *classes = &o->settings.classes;

	strbuf_adds(out, "# configuration file: ");
	if (o->config.read.path)
		escape_terminal(out, o->config.read.path, strlen(o->config.read.path));
	else
		strbuf_adds(out, "none");
	strbuf_adds(out, "\n# valid ids: ");
	id_ranges_format(&classes->classes, out);
	strbuf_adds(out, "\n# ignored ids: ");
	id_ranges_format(&classes->ignored, out);
	strbuf_addch(out, '\n');
	const struct option_given paths = {
		.origin = o->input.paths_line    ? ORIGIN_CONFIG
			  : o->input.paths.count ? ORIGIN_COMMAND_LINE
						 : ORIGIN_DEFAULT,
		.line = o->input.paths_line,
		.values = o->input.paths,
	};

	strbuf_addf(out, "%s: ", config_paths_key.name);
	add_values(out, &config_paths_key, &paths);
	add_origin(out, o, &paths);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_spec *spec = &option_table[i];

		if (spec->command_line_only)
			continue;
		strbuf_addf(out, "%s: ", spec->name);
		if (spec->globs)
			add_globs(out, &o->config.given[i]);
		else
			add_values(out, spec, &o->config.given[i]);
		add_origin(out, o, &o->config.given[i]);
	}
}
