#include "layout/dataset_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/strbuf.h"
#include "find/archive.h"
#include "find/path_state.h"
#include "layout/probe.h"
#include "layout/row_content.h"
#include "read/format.h"

#define ALL_KINDS (~0u)

static unsigned kinds_of(enum family family)
{
	static const unsigned kinds[FAMILIES] = {
		[FAMILY_MASK] = KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY),
		[FAMILY_YOLO] = KIND_BIT(KIND_YOLO),
		[FAMILY_COCO] = KIND_BIT(KIND_COCO),
		[FAMILY_IDX] = KIND_BIT(KIND_IDX),
		[FAMILY_LIST] = KIND_BIT(KIND_LIST),
	};

	return kinds[family] ? kinds[family] : kinds[FAMILY_MASK];
}

static enum family family_of_kind(enum kind kind)
{
	static const enum family families[] = {
		[KIND_AUTO] = FAMILY_NONE, [KIND_MASK] = FAMILY_MASK, [KIND_ARRAY] = FAMILY_MASK,
		[KIND_LIST] = FAMILY_LIST, [KIND_YOLO] = FAMILY_YOLO, [KIND_COCO] = FAMILY_COCO,
		[KIND_IDX] = FAMILY_IDX,
	};

	return (size_t)kind < ARRAY_SIZE(families) ? families[kind] : FAMILY_NONE;
}

/* Returns the layout of files of which nothing is known but the settings. */
static struct dataset_layout plain_layout(const struct settings *settings)
{
	const enum kind kind = settings->kind;

	return (struct dataset_layout){ .settings = settings,
					.explicit_kinds = kind == KIND_AUTO ? ALL_KINDS : KIND_BIT(kind),
					.kinds = kind == KIND_AUTO ? kinds_of(FAMILY_MASK) : KIND_BIT(kind),
					.photos_as_masks = kind == KIND_MASK };
}

void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out)
{
	*out = (struct dataset_layouts){ .count = 1 };
	out->v = xcalloc(1, sizeof(*out->v));
	out->v[0] = plain_layout(settings);
}

static void become_image_folder(struct dataset_layout *l, const struct class_folders *folders)
{
	l->explicit_kinds = l->kinds = KIND_BIT(KIND_IMAGEFOLDER);
	l->folders = xmalloc(sizeof(*l->folders));
	*l->folders = *folders;
}

/* Returns whether some pictures of the PATHs lie where the preset has its masks. */
static bool has_preset_files(const struct folder_table *t, const bool *taken)
{
	for (size_t i = 0; t->settings->files && i < t->rows_count; i++)
		for (size_t k = 0; k < t->rows[i].items_count && t->rows[i].kind == FILE_PICTURE; k++)
			if (taken[t->folders[t->rows[i].folder].typed_path] &&
			    is_preset_file(t->rows[i].items[k].path + t->rows[i].items[k].rel, t->settings->files))
				return true;
	return false;
}

/* Sets what was decided about a PATH. */
static void conclude(struct dataset_layout *l, struct folder_table *t, const struct decision *d)
{
	l->table = t;
	l->decision = *d;
	if (t->settings->kind != KIND_AUTO)
		return;
	if (d->outcome == OUTCOME_LABELS)
		l->kinds = kinds_of(d->family);
}

/* Decides about some PATHs as one set. */
static enum status decide_set(struct folder_table *t, const bool *taken, struct dataset_layout *v, struct error *err)
{
	const struct find_options *find = t->find;
	const enum family only = family_of_kind(t->settings->kind);
	struct class_folders folders = { .count = 0 };
	struct decision d;
	bool first = true;

	decide(t, taken, only, &d);
	const bool preset = has_preset_files(t, taken);

	if (preset) {
		d.outcome = OUTCOME_LABELS;
		d.family = FAMILY_MASK;
		d.rule = "where the preset has its masks";
	}
	if (d.outcome == OUTCOME_CLASS_FOLDERS) {
		if (class_folders_open(&folders, t, taken, err) != STATUS_OK)
			return STATUS_FAILED;
		if (folders.too_many || !folders.count) {
			class_folders_release(&folders);
			d.outcome = OUTCOME_NOTHING;
		}
	}
	for (size_t i = 0; i < find->paths_count; i++) {
		if (!taken[i])
			continue;
		if (v[i].folders && !v[i].borrows) {
			class_folders_release(v[i].folders);
			free(v[i].folders);
		}
		v[i] = plain_layout(t->settings);
		conclude(&v[i], t, &d);
		v[i].preset = preset;
		if (d.outcome == OUTCOME_NOTHING && only != FAMILY_NONE && !t->declared->labels)
			v[i].table = NULL; /* all that is called so is of the declared kind */
		if (d.outcome != OUTCOME_CLASS_FOLDERS)
			continue;
		become_image_folder(&v[i], &folders);
		v[i].borrows = !first;
		first = false;
	}
	return STATUS_OK;
}

/* Returns whether a PATH is walked. Any other PATH is a label file, whatever lies in the others. */
static bool is_walked(const struct find_options *find, size_t index)
{
	const char *path = find->paths[index];

	return is_archive_name(path) || is_npz_name(path) || path_is_folder(find, index);
}

static bool has_labels(const struct dataset_layout *l)
{
	return l->table && (l->decision.outcome == OUTCOME_LABELS || l->decision.outcome == OUTCOME_UNREAD ||
			    l->decision.outcome == OUTCOME_AMBIGUOUS);
}

/* Lets the PATHs without labels of their own be one set: the splits of an ImageFolder; or follow the largest. */
static enum status decide_rest(struct folder_table *t, struct dataset_layout *v, const bool *walked, struct error *err)
{
	const size_t paths = t->find->paths_count;
	bool *rest = xcalloc(paths + 1, sizeof(*rest));
	const struct dataset_layout *largest = NULL;
	size_t count = 0;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < paths; i++) {
		const struct decision *d = &v[i].decision;

		rest[i] = walked[i] && !has_labels(&v[i]);
		count += rest[i];
		if (walked[i] && d->outcome == OUTCOME_LABELS &&
		    (!largest ||
		     d->candidates[d->family].amount > largest->decision.candidates[largest->decision.family].amount))
			largest = &v[i];
	}
	if (count > 1 || (count && largest)) {
		status = decide_set(t, rest, v, err);
		for (size_t i = 0; i < paths && status == STATUS_OK && largest; i++)
			if (rest[i] && v[i].table && v[i].decision.outcome == OUTCOME_NOTHING) {
				v[i].kinds = largest->kinds;
				v[i].decision.family = largest->decision.family;
			}
	}
	free(rest);
	return status;
}

static enum status detect_paths(const struct find_options *find, const struct settings *settings,
				struct dataset_layouts *out, struct error *err)
{
	const size_t paths = find->paths_count;
	bool *walked = xcalloc(paths + 1, sizeof(*walked)), *taken = xcalloc(paths + 1, sizeof(*taken));
	size_t count = 0;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < paths; i++)
		count += walked[i] = is_walked(find, i);
	out->table = xcalloc(1, sizeof(*out->table));
	if (count)
		status = folder_table_fill(out->table, find, settings, err);
	if (count && status == STATUS_OK)
		folder_table_conclude(out->table);
	for (size_t i = 0; i < paths && count && status == STATUS_OK && !stop_signal(); i++) {
		taken[i] = true;
		if (walked[i])
			status = decide_set(out->table, taken, out->v, err);
		taken[i] = false;
	}
	if (count > 1 && status == STATUS_OK && !stop_signal())
		status = decide_rest(out->table, out->v, walked, err);
	free(taken);
	free(walked);
	return status;
}

enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err)
{
	const bool is_auto = !find->files_from && settings->kind != KIND_IMAGEFOLDER;
	struct class_folders folders;
	enum status status = STATUS_OK;

	*out = (struct dataset_layouts){ .count = is_auto ? find->paths_count + 1 : 1 };
	out->v = xcalloc(out->count, sizeof(*out->v));
	for (size_t i = 0; i < out->count; i++)
		out->v[i] = plain_layout(settings);
	if (settings->kind == KIND_IMAGEFOLDER) {
		status = class_folders_open_declared(&folders, find, err);
		if (status == STATUS_OK)
			become_image_folder(&out->v[0], &folders);
	} else if (is_auto) {
		/* listed files are explicit, and a list on standard input can be read only once */
		status = detect_paths(find, settings, out, err);
	}
	if (status != STATUS_OK)
		dataset_layouts_release(out);
	return status;
}

void dataset_layouts_release(struct dataset_layouts *layouts)
{
	for (size_t i = 0; i < layouts->count; i++)
		if (layouts->v[i].folders && !layouts->v[i].borrows) {
			class_folders_release(layouts->v[i].folders);
			free(layouts->v[i].folders);
		}
	free(layouts->v);
	if (layouts->table)
		folder_table_release(layouts->table);
	free(layouts->table);
	*layouts = (struct dataset_layouts){ NULL, 0, NULL };
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
		struct strbuf what = STRBUF_INIT, how = STRBUF_INIT;

		if (!l->table || l->decision.outcome != OUTCOME_AMBIGUOUS)
			continue;
		for (enum family f = FAMILY_MASK; f < FAMILY_UNREAD; f++) {
			if (!l->decision.candidates[f].files)
				continue;
			add_candidate(l, f, &what);
			const bool array = l->table->rows[l->decision.candidates[f].first].kind == FILE_ARRAY;

			strbuf_addf(&how, "%s--kind %s", how.len ? " or " : "", array ? "array" : family_kind_name(f));
		}
		error_set(err, "ambiguous-set: %s: %s: say %s (--explain shows why)", find->paths[i], what.s, how.s);
		strbuf_release(&what);
		strbuf_release(&how);
		return STATUS_FAILED;
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
	const struct class_folders *found = NULL;
	size_t paths = layouts->count > 1 ? layouts->count - 1 : 1; /* the last is that of --files-from */

	for (size_t i = 0; i < paths; i++) {
		if (layouts->v[i].folders)
			found = layouts->v[i].folders;
		else if (all)
			return NULL;
	}
	return found;
}
