#include "base/relative_path.h"

#include <stdbool.h>
#include <string.h>

void path_add_components(struct strbuf *out, const char *path)
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

/* Returns the length of the components that both absolute paths begin with. */
static size_t shared_length(const char *a, const char *b)
{
	size_t shared = 0;

	for (size_t i = 0;; i++) {
		bool end_a = !a[i] || a[i] == '/', end_b = !b[i] || b[i] == '/';

		if (end_a && end_b)
			shared = i;
		if (!a[i] || !b[i] || a[i] != b[i])
			return shared;
	}
}

void relative_path(struct strbuf *out, const char *folder, const char *current, const char *path)
{
	RELEASED struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;
	size_t start = out->len;

	path_add_components(&from, folder);
	if (path[0] != '/')
		path_add_components(&to, current);
	path_add_components(&to, path);
	size_t shared = shared_length(from.s, to.s);

	for (const char *p = from.s + shared; *p; p++)
		if (*p == '/')
			strbuf_adds(out, out->len > start ? "/.." : "..");
	if (to.s[shared])
		strbuf_adds(out, to.s + shared + (out->len == start));
	if (out->len == start)
		strbuf_addch(out, '.');
}

bool relative_path_leads_out(const char *path)
{
	return !strcmp(path, "..") || !strncmp(path, "../", 3);
}

bool relative_path_is_inside(const char *path)
{
	if (!path[0] || path[0] == '/')
		return false;
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2]))
			return false;
	}
	return true;
}
