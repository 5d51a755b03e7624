#include "layout/dataset_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/strbuf.h"
#include "find/archive.h"
#include "find/path_state.h"
#include "layout/decide_set.h"
#include "layout/row_content.h"
#include "read/format.h"

#define ALL_KINDS (~0u)

static enum family family_of_kind(enum kind kind)
{
	static const enum family families[] = {
		[KIND_AUTO] = FAMILY_NONE, [KIND_MASK] = FAMILY_MASK, [KIND_ARRAY] = FAMILY_MASK,
		[KIND_LIST] = FAMILY_LIST, [KIND_YOLO] = FAMILY_YOLO, [KIND_COCO] = FAMILY_COCO,
		[KIND_IDX] = FAMILY_IDX,
	};

	return (size_t)kind < ARRAY_SIZE(families) ? families[kind] : FAMILY_NONE;
}

static unsigned kinds_of(enum family family)
{
	unsigned kinds = 0;

	for (enum kind k = KIND_AUTO; k < KIND_IMAGEFOLDER; k++)
		kinds |= family_of_kind(k) == family ? KIND_BIT(k) : 0;
	return kinds;
}

/* Returns the layout of files of which nothing is known but the settings. */
static struct dataset_layout plain_layout(const struct settings *settings)
{
	const enum kind kind = settings->kind;

	return (struct dataset_layout){
		.settings = settings,
		.explicit_kinds = kind == KIND_AUTO ? ALL_KINDS : KIND_BIT(kind),
		.kinds = kind == KIND_AUTO ? kinds_of(FAMILY_MASK) : KIND_BIT(kind),
		.decision.family = kind == KIND_AUTO ? FAMILY_MASK : family_of_kind(kind),
	};
}

void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out)
{
	*out = (struct dataset_layouts){ .count = 1 };
	out->v = xcalloc(1, sizeof(*out->v));
	out->v[0] = plain_layout(settings);
}

/* Decides about a PATH. */
static enum status decide_path(struct folder_table *t, struct set *s, uint32_t path, struct dataset_layouts *out,
			       struct error *err)
{
	struct dataset_layout *l = &out->v[path];
	const enum family only = family_of_kind(t->settings->kind);
	const size_t roots = out->folders.count;
	enum status status = STATUS_OK;

	decide(s, path, only, &l->decision);
	l->table = t;
	if (l->decision.outcome == OUTCOME_CLASS_FOLDERS) {
		status = class_folders_open(&out->folders, t, path, err);
		if (out->folders.too_many || out->folders.count == roots) {
			l->decision.outcome = OUTCOME_NOTHING;
		} else {
			l->folders = &out->folders;
			l->explicit_kinds = l->kinds = KIND_BIT(KIND_IMAGEFOLDER);
		}
	} else if (l->decision.outcome == OUTCOME_LABELS && t->settings->kind == KIND_AUTO) {
		l->kinds = kinds_of(l->decision.family);
	} else if (l->decision.outcome == OUTCOME_NOTHING && only != FAMILY_NONE && !t->declared->labels) {
		l->table = NULL; /* all that is called so is of the declared kind */
		l->decision.family = only;
	}
	return status;
}

/* Returns whether a PATH is walked. Any other PATH is a label file, whatever lies in the others. */
static bool is_walked(const struct find_options *find, size_t index)
{
	const char *path = find->paths[index];

	return is_archive_name(path) || is_npz_name(path) || path_is_folder(find, index);
}

static enum status decide_paths(struct folder_table *t, const struct find_options *find, struct dataset_layouts *out,
				struct error *err)
{
	struct set s = { .t = t };
	enum status status = STATUS_OK;

	folder_table_conclude(t);
	set_open(&s);
	for (uint32_t i = 0; i < find->paths_count && status == STATUS_OK && !stop_signal(); i++)
		if (is_walked(find, i))
			status = decide_path(t, &s, i, out, err);
	set_close(&s);
	return status;
}

enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err)
{
	const bool folders = settings->kind == KIND_IMAGEFOLDER;
	bool walked = folders;
	enum status status = STATUS_OK;

	*out = (struct dataset_layouts){ .count = find->paths_count + 1 };
	out->v = xcalloc(out->count, sizeof(*out->v));
	out->table = find->files_from ? NULL : xcalloc(1, sizeof(*out->table));
	for (size_t i = 0; i < out->count; i++) {
		out->v[i] = plain_layout(settings);
		out->v[i].folders = folders ? &out->folders : NULL;
	}
	for (size_t i = 0; i < find->paths_count; i++)
		walked |= is_walked(find, i);
	/* listed files are explicit, and a list on standard input can be read only once */
	if (find->files_from && folders)
		status = error_set(err, "--kind imagefolder: --files-from names no folder with class folders");
	else if (!find->files_from && walked)
		status = folder_table_fill(out->table, find, settings, err);
	if (status == STATUS_OK && folders) {
		status = class_folders_open_declared(&out->folders, out->table, err);
		folder_table_release(out->table);
		free(out->table);
		out->table = NULL;
	} else if (status == STATUS_OK && out->table && walked) {
		status = decide_paths(out->table, find, out, err);
	}
	if (status != STATUS_OK)
		dataset_layouts_release(out);
	return status;
}

void dataset_layouts_release(struct dataset_layouts *layouts)
{
	class_folders_release(&layouts->folders);
	free(layouts->v);
	if (layouts->table)
		folder_table_release(layouts->table);
	free(layouts->table);
	memset(layouts, 0, sizeof(*layouts));
}

void layouts_set_members(struct dataset_layouts *layouts, const struct member_images *members)
{
	for (size_t i = 0; i < layouts->count; i++)
		layouts->v[i].members = members;
}

/* ---- questions ----------------------------------------------------------------------------------------------------
 */

/* Appends "masks in masks/ (120 files)". */
static void add_candidate(const struct dataset_layout *l, enum family family, struct strbuf *out)
{
	const struct candidate *c = &l->decision.candidates[family];
	const struct folder_row *r = &l->table->rows[c->first];
	const char *path = l->table->folders[r->folder].path;

	strbuf_addf(out, "%s%s in %s%s (", out->len ? ", " : "", r->kind == FILE_ARRAY ? "arrays" : family_name(family),
		    *path ? path : ".", *path ? "/" : "");
	strbuf_add_count(out, c->amount, family == FAMILY_COCO ? "image" : family == FAMILY_LIST ? "row" : "file");
	strbuf_addch(out, ')');
}

enum status layouts_ask(const struct dataset_layouts *layouts, const struct find_options *find, struct error *err)
{
	for (size_t i = 0; i < layouts->count; i++) {
		const struct dataset_layout *l = &layouts->v[i];
		RELEASED struct strbuf what = STRBUF_INIT, how = STRBUF_INIT;

		if (!l->table || l->decision.outcome != OUTCOME_AMBIGUOUS)
			continue;
		for (enum family f = FAMILY_MASK; f < FAMILY_UNREAD; f++) {
			if (!l->decision.candidates[f].files)
				continue;
			add_candidate(l, f, &what);
			const bool array = l->table->rows[l->decision.candidates[f].first].kind == FILE_ARRAY;

			strbuf_addf(&how, "%s--kind %s", how.len ? " or " : "", array ? "array" : family_kind_name(f));
		}
		return error_set(err, "ambiguous-set: %s: %s: say %s (--explain shows why)", find->paths[i], what.s,
				 how.s);
	}
	return STATUS_OK;
}

bool layouts_audit_row(const struct dataset_layouts *layouts, const struct folder_row *r)
{
	const struct decision *d = &layouts->v[layouts->table->folders[r->folder].typed_path].decision;

	return r->role == ROLE_LABELS && d->outcome == OUTCOME_LABELS && r->family == d->family;
}

bool layouts_have_masks(const struct dataset_layouts *layouts)
{
	for (size_t i = 0; i < layouts->count; i++)
		if ((layouts->v[i].kinds & KIND_BIT(KIND_MASK)) && !layouts->v[i].folders)
			return true;
	return false;
}

const struct class_folders *layouts_folders(const struct dataset_layouts *layouts, bool all)
{
	size_t paths = layouts->count > 1 ? layouts->count - 1 : 1; /* the last is that of --files-from */

	for (size_t i = 0; i < paths && all; i++)
		if (!layouts->v[i].folders)
			return NULL;
	return layouts->folders.count ? &layouts->folders : NULL;
}
