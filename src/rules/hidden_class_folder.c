/*
 * What it finds
 *   Of an ImageFolder (classes are the folders, numbered in the order of their names): hidden folders, __MACOSX and
 *   __pycache__ among the class folders; class folders without an image; another number of class folders than classes;
 *   splits whose class folders differ; folders that have the name of one class but the place of another, where
 *   --classes gives names. One finding per dataset.
 *
 * Why it matters
 *   Any folder is a class: .ipynb_checkpoints, which notebooks create, sorts first, becomes class 0 and shifts
 *   the id of every other class by one. Where only one split has it, or lacks a class, the same id means different
 *   classes in training and validation, and the score is that of chance. ImageFolder refuses a class folder without an
 *   image unless allow_empty is set; then nothing is ever learned about that class.
 *
 * Example
 *   (dataset): warning hidden-class-folder: the hidden folder train/.ipynb_checkpoints is class 0 and shifts the ids
 *   after it; there are 11 class folders in train/ for 10 classes
 *
 * What to do
 *   Remove what is not a class (rm -r train/.ipynb_checkpoints), give all splits the same folders, and audit again: the
 *   ids of the other findings were those of the shifted folders.
 */
#include <string.h>

#include "judge/check.h"
#include "layout/class_folders.h"

enum { SAID_MAX = 3 };

/* Begins a clause and counts it in `said`; returns false if there are enough of its kind. */
static bool begin(struct finding *f, uint64_t *said)
{
	if ((*said)++ >= SAID_MAX)
		return false;
	say(f, "%s", f->message.len ? "; " : "");
	return true;
}

static void end(struct finding *f, uint64_t said, const char *what)
{
	if (said > SAID_MAX)
		say(f, "; and %" PRIu64 " more %s", said - SAID_MAX, what);
}

static bool has_root(uint32_t roots, unsigned root)
{
	return roots >> root & 1;
}

/* Returns the path of a root without the folders that all roots share; "" for a single root. */
static const char *short_root(const struct folder_totals *t, unsigned root)
{
	const char *path = t->roots[root];
	bool others = false;
	size_t shared = 0;

	for (unsigned i = 0; i < CLASS_ROOTS_MAX; i++)
		others = others || (i != root && t->roots[i]);

	for (size_t n = 0; path[n]; n++) {
		for (unsigned i = 0; i < CLASS_ROOTS_MAX; i++)
			if (t->roots[i] && strncmp(t->roots[i], path, n + 1) != 0)
				return path + shared;
		if (path[n] == '/')
			shared = n + 1;
	}
	return others && !path[shared] ? path : path + shared; /* it may contain the others */
}

/* Reports hidden folders of one root, or those without an image. */
static void check_folders(const struct folder_totals *t, unsigned root, bool hidden, uint64_t *said, struct finding *f)
{
	uint64_t id = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct folder_total *folder = &t->v[i];

		if (!has_root(folder->roots, root))
			continue;
		if (hidden && class_folder_is_hidden(folder->name) && begin(f, said))
			say(f, "the hidden folder %s%s is class %" PRIu64 " and shifts the ids after it",
			    short_root(t, root), folder->name, id);
		if (!hidden && !class_folder_is_hidden(folder->name) && !has_root(folder->filled, root) &&
		    begin(f, said))
			say(f, "the class folder %s%s (id %" PRIu64 ") holds no image", short_root(t, root),
			    folder->name, id);
		id++;
	}
}

static void check_number(const struct folder_totals *t, unsigned root, uint64_t classes, uint64_t *said,
			 struct finding *f)
{
	uint64_t folders = 0;

	for (size_t i = 0; i < t->count; i++)
		folders += has_root(t->v[i].roots, root);
	if (!classes || folders == classes || !begin(f, said))
		return;
	say(f, "there %s %" PRIu64 " class %s%s%s for %" PRIu64 " %s", plural(folders, "is", "are"), folders,
	    plural(folders, "folder", "folders"), *short_root(t, root) ? " in " : "", short_root(t, root), classes,
	    plural(classes, "class", "classes"));
}

static bool is_class_name(const struct class_set *classes, const char *name)
{
	for (size_t i = 0; i < classes->names_count; i++)
		if (classes->names[i] && !strcmp(classes->names[i], name))
			return true;
	return false;
}

/* Reports folders whose order is not that of the class list. */
static void check_names(const struct folder_totals *t, unsigned root, const struct class_set *classes, uint64_t *said,
			struct finding *f)
{
	int64_t id = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!has_root(t->v[i].roots, root))
			continue;
		const char *folder = t->v[i].name, *declared = class_set_get_name(classes, id);

		if (declared && strcmp(declared, folder) != 0 && is_class_name(classes, folder) && begin(f, said))
			say(f, "the folder %s%s is class %" PRId64 ", which --classes calls %s", short_root(t, root),
			    folder, id, declared);
		id++;
	}
}

/* Reports folders that one root has and another lacks. */
static void check_alike(const struct folder_totals *t, uint32_t all, struct finding *f)
{
	uint64_t said = 0;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t lacking = all & ~t->v[i].roots;

		if (!lacking || !t->v[i].roots || class_folder_is_hidden(t->v[i].name) || !begin(f, &said))
			continue;
		say(f, "%s is in %s and not in %s", t->v[i].name, short_root(t, (unsigned)__builtin_ctz(t->v[i].roots)),
		    short_root(t, (unsigned)__builtin_ctz(lacking)));
	}
	end(f, said, "such differences");
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct folder_totals *t = &d->folders;
	uint64_t classes = id_ranges_size(&settings->classes.classes), hidden = 0, empty = 0, numbers = 0, names = 0;
	uint32_t all = 0;

	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++)
		all |= t->roots[root] ? UINT32_C(1) << root : 0;
	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++)
		if (has_root(all, root))
			check_folders(t, root, true, &hidden, f);
	end(f, hidden, "of them");
	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++)
		if (has_root(all, root))
			check_number(t, root, classes, &numbers, f);
	end(f, numbers, "of them");
	check_alike(t, all, f);
	for (unsigned root = 0; !hidden && root < CLASS_ROOTS_MAX; root++)
		if (has_root(all, root))
			check_names(t, root, &settings->classes, &names, f);
	end(f, names, "of them");
	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++)
		if (has_root(all, root))
			check_folders(t, root, false, &empty, f);
	end(f, empty, "of them");
	if (!f->message.len)
		return false;
	advise(f, hidden  ? "remove what is not a class and audit again: all ids after it change"
		  : names ? "write the class list in the order of the folders, or map them by name"
			  : "give every root one folder for each class, and no other");
	return true;
}

const struct rule rule_hidden_class_folder = {
	RULE("hidden-class-folder", "lists", LEVEL_WARNING,
	     "class folders of an ImageFolder that are hidden, empty, too many, or not the same in each split"),
	.check_dataset = check_dataset,
};
