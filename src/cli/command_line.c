#include "cli/command_line.h"

#include <string.h>

#include "base/escape.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "cli/options_table.h"

/* Appends a word, in single quotes if a shell would take it apart. */
static void add_word(const char *word, struct strbuf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	RELEASED struct strbuf quoted = STRBUF_INIT;

	if (*word && word[strspn(word, plain)] == '\0') {
		strbuf_adds(out, word);
		return;
	}
	strbuf_addch(&quoted, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			strbuf_adds(&quoted, "'\\''");
		else
			strbuf_addch(&quoted, *p);
	}
	strbuf_addch(&quoted, '\'');
	escape_terminal(out, quoted.s, quoted.len);
}

int command_line_begin(const struct options *o)
{
	struct nearest nearest;

	return o->argc > 1 && command_find(o->argv[1], &nearest) ? 2 : 1;
}

void command_line_add(const struct options *o, const char *added, const char *from, const char *to, struct strbuf *out)
{
	strbuf_addf(out, "labelaudit%s", added ? added : "");
	for (int i = command_line_begin(o); i < o->argc; i++) {
		strbuf_addch(out, ' ');
		add_word(from && !strcmp(o->argv[i], from) ? to : o->argv[i], out);
	}
}

static const char *const data_options[] = {
	"classes", "ignore", "preset",   "colors",     "reduce-zero-label", "view",     "kind",         "task",
	"column",  "select", "skip",     "include",    "exclude",           "labels",   "hidden",       "follow",
	"palette", "strict", "per-path", "max-pixels", "max-inflated",      "severity", "pixel-budget",
};

/* Returns whether an option decides which files are audited, as what, and what becomes of them. */
static bool command_line_is_of_data(const char *option, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(data_options); i++)
		if (strlen(data_options[i]) == n && !memcmp(data_options[i], option, n))
			return true;
	return false;
}

/* Appends "masks-fixed/" for "data/masks/"; "fixed/" for a PATH without a name, beside it. */
static void add_folder(const struct string_list *paths, struct strbuf *out)
{
	const char *first = paths->v[0];
	FREED char *path = xmemdup0(first, MAX(path_trimmed(first), (size_t)(*first != '\0')));
	const char *name = file_name_of(path);
	RELEASED struct strbuf folder = STRBUF_INIT;

	if (paths->count != 1 || !*name)
		strbuf_adds(&folder, "fixed/");
	else if (!strcmp(path, "."))
		strbuf_adds(&folder, "../fixed/");
	else if (!strcmp(name, ".") || !strcmp(name, ".."))
		strbuf_addf(&folder, "%s/../fixed/", path);
	else
		strbuf_addf(&folder, "%s-fixed/", name);
	add_word(folder.s, out);
}

void command_line_add_option(const char *name, const char *value, struct strbuf *out)
{
	RELEASED struct strbuf word = STRBUF_INIT;
	bool one_word = value && (*value == '-' || !*value);

	strbuf_addf(&word, "--%s", name);
	if (one_word)
		strbuf_addf(&word, "=%s", value);
	strbuf_addch(out, ' ');
	add_word(word.s, out);
	if (value && !one_word) {
		strbuf_addch(out, ' ');
		add_word(value, out);
	}
}

bool command_line_add_fix(const struct options *o, struct strbuf *out)
{
	const struct string_list *paths =
		o->input.taken.typed_paths.count ? &o->input.taken.typed_paths : &o->input.paths;

	for (size_t i = 0; i < paths->count; i++)
		if (!strcmp(paths->v[i], "-"))
			return false;
	if (o->input.find.files_from || !paths->count)
		return false;
	for (size_t i = 0; i < option_count; i++) {
		const struct option_given *given = &o->config.given[i];
		const char *name = option_table[i].name;

		bool of_run = !strcmp(name, "config") || !strcmp(name, "no-config");

		if (given->origin != ORIGIN_COMMAND_LINE || (!of_run && !command_line_is_of_data(name, strlen(name))))
			continue;
		for (size_t k = 0; k < MAX(given->values.count, (size_t)1); k++) {
			/* of an option that is not repeatable, the last one counts */
			if (!option_table[i].repeatable && k + 1 < given->values.count)
				continue;
			command_line_add_option(name, given->values.count ? given->values.v[k] : NULL, out);
		}
	}
	for (size_t i = 0; i < paths->count; i++) {
		strbuf_addch(out, ' ');
		add_word(paths->v[i], out);
	}
	strbuf_adds(out, " -o ");
	add_folder(paths, out);
	return true;
}
