#include "find/walk_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static enum status compile_globs(struct globs *out, const char *const *patterns, size_t count, const char *option,
				 struct error *err)
{
	const char *why;

	out->v = xcalloc(count, sizeof(*out->v));
	for (; out->count < count; out->count++)
		if (!glob_compile(&out->v[out->count], patterns[out->count], &why))
			return error_set(err, "%s %s: %s", option, patterns[out->count], why);
	return STATUS_OK;
}

static void release_globs(struct globs *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		glob_release(&globs->v[i]);
	free(globs->v);
}

enum status walk_filter_init(struct walk_filter *f, const char *const *include, size_t include_count,
			     const char *const *exclude, size_t exclude_count, struct error *err)
{
	memset(f, 0, sizeof(*f));
	strbuf_init(&f->whole);
	if (compile_globs(&f->include, include, include_count, "--include", err) != STATUS_OK)
		return STATUS_FAILED;
	return compile_globs(&f->exclude, exclude, exclude_count, "--exclude", err);
}

void walk_filter_release(struct walk_filter *f)
{
	release_globs(&f->include);
	release_globs(&f->exclude);
	strbuf_release(&f->whole);
}

/* Tests a path as it would be typed, without "./" before it. */
static bool test_typed(const struct glob *g, const char *path, size_t len)
{
	while (len > 2 && path[0] == '.' && path[1] == '/') {
		path += 2;
		len -= 2;
	}
	return glob_test(g, path, len);
}

/* A path folder[0..folder_len), name[0..len); both together are made only for a glob that needs them. */
struct candidate {
	const char *folder, *name;
	size_t folder_len, root_len, len;
	bool is_folder, joined;
};

static bool any_glob(struct walk_filter *f, const struct globs *globs, struct candidate *c)
{
	for (size_t i = 0; i < globs->count; i++) {
		const struct glob *g = &globs->v[i];

		if (g->folders_only && !c->is_folder)
			continue;
		if (g->whole_path && !c->joined) {
			strbuf_set(&f->whole, c->folder, c->folder_len);
			strbuf_add(&f->whole, c->name, c->len);
			c->joined = true;
		}
		if (!g->whole_path ? glob_test(g, c->name, c->len)
				   : glob_test(g, f->whole.s + c->root_len, f->whole.len - c->root_len) ||
					     test_typed(g, f->whole.s, f->whole.len))
			return true;
	}
	return false;
}

static enum skip_reason filter(struct walk_filter *f, struct candidate *c, bool include)
{
	bool dots = c->name[0] == '.' && (c->len == 1 || (c->len == 2 && c->name[1] == '.'));

	/* in the folder of an array of Zarr, it is all that says what the other files are */
	const bool zarr = c->len == 7 && !memcmp(c->name, ".zarray", 7);

	if (c->name[0] == '.' && !dots && !zarr && !f->hidden)
		return SKIP_HIDDEN;
	if (any_glob(f, &f->exclude, c))
		return SKIP_EXCLUDED;
	if (include && !c->is_folder && f->include.count && !any_glob(f, &f->include, c))
		return SKIP_NOT_INCLUDED;
	return SKIP_NONE;
}

enum skip_reason walk_filter_name(struct walk_filter *f, const struct strbuf *folder, size_t root_len, const char *name,
				  size_t len, bool is_folder)
{
	struct candidate c = { folder->s, name, folder->len, root_len, len, is_folder, false };

	return filter(f, &c, true);
}

enum skip_reason walk_filter_path(struct walk_filter *f, const char *path, size_t len, size_t root_len, bool include)
{
	enum skip_reason reason = SKIP_NONE;

	for (size_t from = root_len; from < len && reason == SKIP_NONE;) {
		const char *slash = memchr(path + from, '/', len - from);
		size_t end = slash ? (size_t)(slash - path) : len;
		struct candidate c = { path, path + from, from, root_len, end - from, slash != NULL, false };

		if (end > from)
			reason = filter(f, &c, include);
		from = end + 1;
	}
	return reason;
}
