#include "layout/declared.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "find/glob.h"
#include "layout/probe.h"

struct declared_glob {
	struct glob itself, below; /* the pattern, and what lies in folders that match it */
	bool labels, takes_back;   /* it declares labels, else images; it begins with ! */
};

static enum status add_globs(struct declared *d, const char *const *patterns, size_t count, bool labels,
			     struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		struct declared_glob *g = &d->v[d->count];
		RELEASED struct strbuf text = STRBUF_INIT;
		const char *why;

		g->labels = labels;
		g->takes_back = patterns[i][0] == '!';
		const char *pattern = patterns[i] + g->takes_back;
		const size_t n = path_trimmed(pattern);

		strbuf_add(&text, pattern, n);
		if (!glob_compile(&g->itself, text.s, &why)) {
			status = error_set(err, "%s %s: %s", labels ? "labels" : "images", patterns[i], why);
		} else {
			strbuf_clear(&text);
			strbuf_addf(&text, "%s%.*s/**", g->itself.whole_path ? "" : "**/", (int)n, pattern);
			d->count += glob_compile(&g->below, text.s, &why);
		}
	}
	return status;
}

/* files: the end of names, with .png, or the beginning of a folder's name. */
static bool is_preset_file(const char *name, const char *files)
{
	if (file_name_ends_in(files, ".png"))
		return file_name_ends_in(name, files);
	for (const char *p = name; (p = strstr(p, files)); p++)
		if ((p == name || p[-1] == '/') && strchr(p, '/'))
			return true;
	return false;
}

enum status declared_open(struct declared *d, const struct find_options *find, const char *preset, struct error *err)
{
	*d = (struct declared){ .labels = find->labels_count > 0, .preset = find->labels_count ? NULL : preset };
	d->v = xcalloc(find->labels_count + find->images_count + 1, sizeof(*d->v));
	if (add_globs(d, find->images, find->images_count, false, err) != STATUS_OK)
		return STATUS_FAILED;
	return add_globs(d, find->labels, find->labels_count, true, err);
}

void declared_close(struct declared *d)
{
	if (!d || !d->v)
		return;
	for (size_t i = 0; i < d->count; i++) {
		glob_release(&d->v[i].itself);
		glob_release(&d->v[i].below);
	}
	free(d->v);
}

/* The ways to say where a file is: below its PATH or its archive, below the PATH with its archive, and as typed. */
struct places {
	const char *inner, *below, *typed;
};

static bool matches(const struct glob *g, const struct places *p)
{
	const char *name = file_name_of(p->inner);

	if (!g->whole_path)
		return glob_test(g, name, strlen(name));
	return glob_test(g, p->inner, strlen(p->inner)) || glob_test(g, p->below, strlen(p->below)) ||
	       glob_test(g, p->typed, strlen(p->typed));
}

enum role declared_role(const struct declared *d, const struct entry *entry)
{
	bool labels = false, images = false;
	RELEASED struct strbuf path = STRBUF_INIT;

	if (d && d->preset && is_preset_file(entry_inner_path(entry), d->preset) &&
	    file_kind_of(file_name_of(entry_inner_path(entry))) == FILE_PICTURE)
		return ROLE_LABELS;
	if (!d || !d->count)
		return ROLE_NONE;
	strbuf_adds(&path, entry->path);
	if (entry->member)
		strbuf_addf(&path, "/%s", entry->member);
	const size_t rel = entry->rel_offset ? entry->rel_offset : entry->member ? strlen(entry->path) + 1 : 0;
	struct places places = { entry_inner_path(entry), path.s + rel, path.s };

	while (places.typed[0] == '.' && places.typed[1] == '/')
		places.typed += 2;
	for (size_t i = 0; i < d->count; i++) {
		const struct declared_glob *g = &d->v[i];
		bool *is = g->labels ? &labels : &images;

		if (*is == g->takes_back && (matches(&g->itself, &places) || matches(&g->below, &places)))
			*is = !g->takes_back;
	}
	return labels ? ROLE_LABELS : images ? ROLE_IMAGES : ROLE_NONE;
}
