#include "judge/path_rules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "judge/rule.h"

/* Compiles a glob; "old/" means everything below old, since only files are matched. */
static bool compile(struct glob *g, const char *glob, const char **why)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	size_t n = strlen(glob);

	strbuf_adds(&text, glob);
	if (n > 1 && glob[n - 1] == '/')
		strbuf_adds(&text, "**");
	return glob_compile(g, text.s, why);
}

enum status path_rules_check(const char *glob, struct error *err)
{
	struct glob g;
	const char *why;

	if (!compile(&g, glob, &why))
		return error_set(err, "--per-path %s: %s", glob, why);
	glob_release(&g);
	return STATUS_OK;
}

void path_rules_init(struct path_rules *p, const struct settings *settings)
{
	char cwd[PATH_MAX];
	const char *why;

	memset(p, 0, sizeof(*p));
	p->settings = settings;
	strbuf_init(&p->path);
	if (!settings->rules.per_paths_count)
		return;
	p->globs = xcalloc(settings->rules.per_paths_count, sizeof(*p->globs));
	p->off = xcalloc(rule_count, sizeof(*p->off));
	/* getcwd gets a buffer: if it allocated one, running out of memory would look like a deleted folder */
	p->cwd = getcwd(cwd, sizeof(cwd)) ? xstrdup(cwd) : NULL;
	for (size_t i = 0; i < settings->rules.per_paths_count; i++) {
		compile(&p->globs[i], settings->rules.per_paths[i].glob, &why); /* path_rules_check() has accepted it */
		p->whole_path |= p->globs[i].whole_path;
	}
}

void path_rules_release(struct path_rules *p)
{
	for (size_t i = 0; p->globs && i < p->settings->rules.per_paths_count; i++)
		glob_release(&p->globs[i]);
	free(p->globs);
	free(p->off);
	free(p->cwd);
	strbuf_release(&p->path);
}

/* Returns the part of the absolute path below root, or NULL if it is elsewhere. */
static const char *below(const struct strbuf *path, const char *root)
{
	size_t n = path_trimmed(root);

	return path->len > n && !strncmp(path->s, root, n) && path->s[n] == '/' ? path->s + n + 1 : NULL;
}

const bool *path_rules_off(struct path_rules *p, const char *path)
{
	const struct settings *settings = p->settings;
	const char *name = file_name_of(path);
	bool any = false;

	if (!settings->rules.per_paths_count)
		return NULL;
	strbuf_clear(&p->path);
	if (p->whole_path && path[0] != '/' && p->cwd)
		path_add_components(&p->path, p->cwd);
	if (p->whole_path)
		path_add_components(&p->path, path);
	for (size_t i = 0; i < settings->rules.per_paths_count; i++) {
		const struct per_path *rule = &settings->rules.per_paths[i];
		const char *text = name;

		if (p->globs[i].whole_path)
			text = p->cwd ? below(&p->path, rule->root ? rule->root : p->cwd) : NULL;
		if (!text || !glob_test(&p->globs[i], text, strlen(text)))
			continue;
		if (!any)
			memset(p->off, 0, rule_count * sizeof(*p->off));
		any = true;
		for (size_t k = 0; k < rule_count; k++)
			p->off[k] |= rule->off[k];
	}
	return any ? p->off : NULL;
}
