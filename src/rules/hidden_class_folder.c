/*
 * Error message
 *   FileNotFoundError: Found no valid file for the classes .ipynb_checkpoints.
 *
 * What it finds
 *   In an ImageFolder (classes are the folders, numbered in the order of their names): hidden folders, __MACOSX and
 *   __pycache__ among the class folders; class folders without an image; a number of class folders other than the
 *   number of classes; splits whose class folders differ; if --classes gives names, folders with the name of one class
 *   at the position of another. One finding per dataset.
 *
 * Why it matters
 *   Any folder is a class: .ipynb_checkpoints, which notebooks create, comes first, becomes class 0, and shifts the id
 *   of every other class by one. If only one split has it, or lacks a class, the same id means different classes in
 *   training and validation, and the score is that of chance. ImageFolder refuses a class folder without an image
 *   unless allow_empty is set; then the class is never learned.
 *
 * Example
 *   (dataset): warning hidden-class-folder: the hidden folder train/.ipynb_checkpoints is class 0 and shifts the ids
 *   after it; there are 11 class folders in train/ for 10 classes
 *
 * What to do
 *   Remove folders that are no classes (rm -r train/.ipynb_checkpoints), give all splits the same folders, and audit
 *   again: the ids in the other findings were those of the shifted folders.
 */
#include <string.h>

#include "judge/check.h"
#include "layout/class_folders.h"

enum { SAID_MAX = 3 };

/* The class folders, and the clauses written about them: at most SAID_MAX of a kind, then a count. */
struct clauses {
	const struct folder_totals *t;
	const struct class_set *classes;
	struct finding *f;
	uint64_t said;
};

/* Begins a clause about a folder; returns false if there are enough of its kind. */
static bool begin(struct clauses *c, const char *folder)
{
	c->f->details.count++;
	finding_add_key(c->f, key_of_bytes(folder, strlen(folder)));
	if (c->said++ >= SAID_MAX)
		return false;
	say(c->f, "%s", c->f->message.len ? "; " : "");
	return true;
}

/* Ends the clauses of a kind; returns whether there were any. */
static bool end(struct clauses *c, const char *what)
{
	uint64_t said = c->said;

	if (said > SAID_MAX)
		say(c->f, "; and %" PRIu64 " more %s", said - SAID_MAX, what);
	c->said = 0;
	return said;
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

/* Checks one folder of one root, whose class is `id`. */
typedef void folder_check(struct clauses *c, unsigned root, const struct folder_total *folder, int64_t id);

static void check_hidden(struct clauses *c, unsigned root, const struct folder_total *folder, int64_t id)
{
	if (class_folder_is_hidden(folder->name) && begin(c, folder->name))
		say(c->f, "the hidden folder %s%s is class %" PRId64 " and shifts the ids after it",
		    short_root(c->t, root), folder->name, id);
}

static void check_empty(struct clauses *c, unsigned root, const struct folder_total *folder, int64_t id)
{
	if (!class_folder_is_hidden(folder->name) && !has_root(folder->filled, root) && begin(c, folder->name))
		say(c->f, "the class folder %s%s (id %" PRId64 ") holds no image", short_root(c->t, root), folder->name,
		    id);
}

static bool is_class_name(const struct class_set *classes, const char *name)
{
	for (size_t i = 0; i < classes->names_count; i++)
		if (classes->names[i] && !strcmp(classes->names[i], name))
			return true;
	return false;
}

/* Reports a folder whose place is not that of its name in the class list. */
static void check_name(struct clauses *c, unsigned root, const struct folder_total *folder, int64_t id)
{
	const char *declared = class_set_get_name(c->classes, id);

	if (declared && strcmp(declared, folder->name) != 0 && is_class_name(c->classes, folder->name) &&
	    begin(c, folder->name))
		say(c->f, "the folder %s%s is class %" PRId64 ", which --classes calls %s", short_root(c->t, root),
		    folder->name, id, declared);
}

/* Returns whether the check found something. */
static bool check_folders(struct clauses *c, folder_check *check)
{
	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++) {
		int64_t id = 0;

		for (size_t i = 0; c->t->roots[root] && i < c->t->count; i++)
			if (has_root(c->t->v[i].roots, root))
				check(c, root, &c->t->v[i], id++);
	}
	return end(c, "of them");
}

/* Reports roots with another number of folders than there are classes. */
static void check_numbers(struct clauses *c)
{
	uint64_t classes = id_ranges_size(&c->classes->classes);

	for (unsigned root = 0; classes && root < CLASS_ROOTS_MAX; root++) {
		uint64_t folders = 0;

		for (size_t i = 0; i < c->t->count; i++)
			folders += has_root(c->t->v[i].roots, root);
		if (!c->t->roots[root] || folders == classes || !begin(c, c->t->roots[root]))
			continue;
		say(c->f, "there %s %" PRIu64 " class %s%s%s for %" PRIu64 " %s", plural(folders, "is", "are"), folders,
		    plural(folders, "folder", "folders"), *short_root(c->t, root) ? " in " : "", short_root(c->t, root),
		    classes, plural(classes, "class", "classes"));
	}
	end(c, "of them");
}

/* Reports folders that one root has and another lacks. */
static void check_alike(struct clauses *c)
{
	const struct folder_totals *t = c->t;
	uint32_t all = 0;

	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++)
		all |= t->roots[root] ? UINT32_C(1) << root : 0;
	for (size_t i = 0; i < t->count; i++) {
		uint32_t lacking = all & ~t->v[i].roots;

		if (lacking && t->v[i].roots && !class_folder_is_hidden(t->v[i].name) && begin(c, t->v[i].name))
			say(c->f, "%s is in %s but not in %s", t->v[i].name,
			    short_root(t, (unsigned)__builtin_ctz(t->v[i].roots)),
			    short_root(t, (unsigned)__builtin_ctz(lacking)));
	}
	end(c, "such differences");
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	struct clauses c = { .t = &d->folders, .classes = &settings->classes, .f = f };
	bool hidden = check_folders(&c, check_hidden), names;

	check_numbers(&c);
	check_alike(&c);
	names = !hidden && check_folders(&c, check_name);
	check_folders(&c, check_empty);
	if (!f->message.len)
		return false;
	return advise(f, hidden  ? "remove the folders that are no classes, and audit again: all ids after it change"
			 : names ? "write the class list in the order of the folders, or map the folders by name"
				 : "give every root one folder per class, and no others");
}

const struct rule rule_hidden_class_folder = {
	RULE("hidden-class-folder", "lists", LEVEL_WARNING,
	     "class folders of an ImageFolder that are hidden, empty, too many, or not the same in each split"),
	.check_dataset = check_dataset,
};
