#include "judge/path_rules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "judge/rule.h"

/* "old/" means all below it: globs of files have no folders. */
static bool compile(struct glob *g, const char *glob, const char **why)
{
	struct strbuf text = STRBUF_INIT;
	size_t n = strlen(glob);

	strbuf_adds(&text, glob);
	if (n > 1 && glob[n - 1] == '/')
		strbuf_adds(&text, "**");
	bool ok = glob_compile(g, text.s, why);

	strbuf_release(&text);
	return ok;
}

enum status per_path_check(const char *glob, struct error *err)
{
	struct glob g;
	const char *why;

	if (!compile(&g, glob, &why))
		return error_set(err, "--per-path %s: %s", glob, why);
	glob_release(&g);
	return STATUS_OK;
}

void per_path_init(struct per_path_matcher *m, const struct settings *settings)
{
	char cwd[PATH_MAX];
	const char *why;

	memset(m, 0, sizeof(*m));
	m->settings = settings;
	strbuf_init(&m->path);
	if (!settings->per_paths_count)
		return;
	m->globs = xcalloc(settings->per_paths_count, sizeof(*m->globs));
	m->off = xcalloc(rule_count, sizeof(*m->off));
	/* not in memory that getcwd finds: without any it would seem that there is no folder, as when it is deleted */
	m->cwd = getcwd(cwd, sizeof(cwd)) ? xstrdup(cwd) : NULL;
	for (size_t i = 0; i < settings->per_paths_count; i++) {
		compile(&m->globs[i], settings->per_paths[i].glob, &why); /* it was checked */
		m->whole_path |= m->globs[i].whole_path;
	}
}

void per_path_release(struct per_path_matcher *m)
{
	for (size_t i = 0; m->globs && i < m->settings->per_paths_count; i++)
		glob_release(&m->globs[i]);
	free(m->globs);
	free(m->off);
	free(m->cwd);
	strbuf_release(&m->path);
}

/* Appends the components of path to an absolute one: no ".", no "..", no doubled slashes. */
static void add_path(struct strbuf *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (out->len && out->s[--out->len] != '/')
				;
			if (out->cap)
				out->s[out->len] = '\0';
		} else if (n && !(n == 1 && path[0] == '.')) {
			strbuf_addch(out, '/');
			strbuf_add(out, path, n);
		}
		path += n + (path[n] == '/');
	}
}

/* What of the absolute path is below root; NULL: it lies elsewhere. */
static const char *below(const struct strbuf *path, const char *root)
{
	size_t n = strlen(root);

	while (n && root[n - 1] == '/')
		n--;
	return path->len > n && !strncmp(path->s, root, n) && path->s[n] == '/' ? path->s + n + 1 : NULL;
}

const bool *per_path_off(struct per_path_matcher *m, const char *path)
{
	const struct settings *settings = m->settings;
	const char *name = file_name_of(path);
	bool any = false;

	if (!settings->per_paths_count)
		return NULL;
	strbuf_clear(&m->path);
	if (m->whole_path && path[0] != '/' && m->cwd)
		add_path(&m->path, m->cwd);
	if (m->whole_path)
		add_path(&m->path, path);
	for (size_t i = 0; i < settings->per_paths_count; i++) {
		const struct per_path *p = &settings->per_paths[i];
		const char *text = name;

		if (m->globs[i].whole_path)
			text = m->cwd ? below(&m->path, p->root ? p->root : m->cwd) : NULL;
		if (!text || !glob_test(&m->globs[i], text, strlen(text)))
			continue;
		if (!any)
			memset(m->off, 0, rule_count * sizeof(*m->off));
		any = true;
		for (size_t rule = 0; rule < rule_count; rule++)
			m->off[rule] |= p->off[rule];
	}
	return any ? m->off : NULL;
}
