#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "base/work_units.h"
#include "find/pool.h"
#include "judge/rule.h"

/* The limits of an audit unless the options set others. */
static const struct limits limits_usual = {
	.max_pixels = (uint64_t)1 << 30,
	.max_inflated = (uint64_t)1 << 31,
	.max_archive_ratio = 200,
	.pixel_budget = PIXEL_BUDGET_USUAL,
};

void options_init(struct options *o)
{
	memset(o, 0, sizeof(*o));
	class_set_init(&o->settings.classes);
	o->settings.fail_on = LEVEL_ERROR;
	o->settings.limits = limits_usual;
	o->settings.max_findings = 10000;
	o->settings.thresholds.min_share = MIN_SHARE_USUAL;
	o->settings.thresholds.max_ignored = MAX_IGNORED_USUAL;
	o->settings.rules.levels = xcalloc(rule_count, sizeof(*o->settings.rules.levels));
	o->settings.rules.unread_only = xcalloc(rule_count, sizeof(*o->settings.rules.unread_only));
	for (size_t i = 0; i < rule_count; i++)
		o->settings.rules.levels[i] = rule_table[i]->level;
	o->output.format = "auto";
	o->run.device.cuda_count = 1;
	o->run.io = IO_MAX_AUTO;
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->v[i].value);
	if (c->named)
		class_set_release(c->named);
	free(c->named);
	free(c->v);
	free(c->path);
	free(c->root);
	memset(c, 0, sizeof(*c));
}

void owned_list_release(struct owned_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->v[i]);
	free(list->v);
}

void options_release(struct options *o)
{
	struct string_list *lists[] = { &o->input.paths,  &o->input.include,     &o->input.exclude,
					&o->input.labels, &o->input.image_globs, &o->rules.select,
					&o->rules.skip,   &o->rules.severity,    &o->rules.per_path,
					&o->words,        &o->classes.ignored };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i]->v);
	for (size_t i = 0; i < o->output.files_count; i++)
		free(o->output.files[i].expanded);
	free(o->output.files);
	for (size_t i = 0; i < o->config.given_count; i++)
		free(o->config.given[i].values.v);
	free(o->config.given);
	config_release(&o->config.read);
	config_release(&o->classes.preset_config);
	for (size_t i = 0; i < o->settings.rules.per_paths_count; i++) {
		free(o->settings.rules.per_paths[i].glob);
		free(o->settings.rules.per_paths[i].off);
	}
	free(o->settings.rules.per_paths);
	group_pattern_free(o->settings.group);
	free(o->settings.rules.levels);
	free(o->settings.rules.unread_only);
	narrowings_release(&o->settings.narrowed);
	setting_values_release(&o->settings.options);
	class_set_release(&o->settings.classes);
	colour_table_release(&o->settings.colours);
	owned_list_release(&o->input.taken.paths);
	owned_list_release(&o->input.taken.read);
	free(o->input.taken.typed_paths.v);
	free(o->fix.declared.map);
	free(o->input.taken.from);
	free(o->input.taken.faults);
	free(o->input.taken.images);
	if (o->input.taken.classes)
		class_set_release(o->input.taken.classes);
	free(o->input.taken.classes);
	memset(o, 0, sizeof(*o));
}

/* Returns whether the locale is UTF-8, which the first of its variables that is set decides (setlocale(3)). */
static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* Returns whether a variable is set to something other than "" and "0". */
static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool options_colour(enum when when, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR"), *cli = getenv("CLICOLOR");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	if (no_color && *no_color)
		return false;
	if (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE"))
		return true;
	return is_terminal && !is_dumb() && !(cli && !strcmp(cli, "0"));
}

/* Narrower columns are no terminal's: a message of a word a line cannot be read. */
enum { COLUMNS_MIN = 20, COLUMNS_MAX = 10000 };

/* Returns the width at which lines are wrapped: COLUMNS, else the terminal's; 0: they are not. */
static size_t output_columns(bool is_terminal)
{
	const char *value = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns = 0;

	if (value && scan_uint64(&value, &columns) && !*value && columns && columns <= COLUMNS_MAX)
		return MAX((size_t)columns, (size_t)COLUMNS_MIN);
	if (!is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return 0;
	return MAX((size_t)size.ws_col, (size_t)COLUMNS_MIN);
}

void options_resolve_auto(struct options *o, bool stdout_is_terminal, bool stderr_is_terminal)
{
	o->output.format_is_auto = !strcmp(o->output.format, "auto");
	if (o->output.format_is_auto)
		o->output.format = stdout_is_terminal ? "text" : "json";
	o->output.unicode = locale_is_utf8();
	o->output.columns = output_columns(stdout_is_terminal);
	o->output.stdout_colour = options_colour(o->output.colour, stdout_is_terminal);
	o->output.stderr_colour = options_colour(o->output.colour, stderr_is_terminal);
	if (o->output.progress == PROGRESS_AUTO && o->output.verbosity < 0)
		o->output.progress = PROGRESS_NONE;
	if (o->output.progress == PROGRESS_AUTO)
		o->output.progress = stderr_is_terminal && !is_dumb() ? PROGRESS_BAR : PROGRESS_LINES;
}
