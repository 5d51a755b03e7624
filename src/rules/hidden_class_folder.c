/*
 * Error message
 *   FileNotFoundError: Found no valid file for the classes .ipynb_checkpoints.
 *
 * What it finds
 *   In an ImageFolder (classes are the folders, numbered in the order of their names): hidden folders, __MACOSX and
 *   __pycache__ among the class folders; class folders without an image; a number of class folders other than the
 *   number of classes; splits whose class folders differ, or lie deeper in one; names that differ in capitals alone;
 *   if --classes gives names, folders with the name of one class at the position of another; images beside the class
 *   folders. One finding per dataset. It is an error if a class has one id in train and another in val, if a folder is
 *   hidden, empty, or lies deeper.
 *
 * Why it matters
 *   Any folder is a class: .ipynb_checkpoints, which notebooks create, comes first, becomes class 0, and shifts the
 *   id of every other class by one. If only one split has it, or lacks a class, the same id means different classes
 *   in training and validation, and the score is that of chance. ImageFolder refuses a class folder without an image
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
#include <strings.h>

#include "judge/check.h"
#include "layout/class_folders.h"
#include "layout/words.h"

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

/* Reports a folder whose place is not that of its name in the class list. */
static void check_name(struct clauses *c, unsigned root, const struct folder_total *folder, int64_t id)
{
	const char *declared = class_set_get_name(c->classes, id);

	if (declared && strcmp(declared, folder->name) != 0 &&
	    class_set_find_name(c->classes, folder->name) < c->classes->names_count && begin(c, folder->name))
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

/* Returns the last folder of a root's path, without the slash at its end; *n: its bytes. */
static const char *root_name(const char *path, size_t length, size_t *n)
{
	const size_t end = length && path[length - 1] == '/' ? length - 1 : length;
	size_t from = end;

	while (from && path[from - 1] != '/')
		from--;
	*n = end - from;
	return path + from;
}

static bool is_split_root(const char *path, size_t length)
{
	size_t n;
	const char *name = root_name(path, length, &n);

	return role_of_name(name, n) == ROLE_SPLIT;
}

/* Returns the next folder of a root from number `at` on; t->count: there is none. */
static size_t next_folder(const struct folder_totals *t, unsigned root, size_t at)
{
	while (at < t->count && !has_root(t->v[at].roots, root))
		at++;
	return at;
}

/* Returns the first root that is a split beside this one, or this one. */
static unsigned first_beside(const struct folder_totals *t, unsigned root)
{
	const char *path = t->roots[root];
	size_t n;
	const size_t above = (size_t)(root_name(path, strlen(path), &n) - path);

	for (unsigned i = 0; i < root; i++) {
		const char *other = t->roots[i];
		const size_t length = other ? strlen(other) : 0;

		if (other && is_split_root(other, length) && (size_t)(root_name(other, length, &n) - other) == above &&
		    !strncmp(path, other, above))
			return i;
	}
	return root;
}

/* Reports the first id that is another folder in a split than in the first one beside it. Returns whether there is one.
 */
static bool check_shift(struct clauses *c)
{
	const struct folder_totals *t = c->t;
	bool found = false;

	for (unsigned root = 0; root < CLASS_ROOTS_MAX; root++) {
		if (!t->roots[root] || !is_split_root(t->roots[root], strlen(t->roots[root])))
			continue;
		const unsigned first = first_beside(t, root);
		size_t a = next_folder(t, first, 0), b = next_folder(t, root, 0);
		uint64_t id = 0;

		for (; a == b && a < t->count; id++) {
			a = next_folder(t, first, a + 1);
			b = next_folder(t, root, b + 1);
		}
		if (a == t->count || b == t->count)
			continue;
		say_also(c->f, "class %" PRIu64 " is '%s' in %s, but '%s' in %s", id, t->v[a].name,
			 short_root(t, first), t->v[b].name, short_root(t, root));
		found = true;
	}
	return found;
}

/* Reports class folders one level deeper than those of another split: val/data/cat beside train/cat. */
static bool check_depth(struct clauses *c)
{
	char *const *roots = c->t->roots;
	bool found = false;

	for (unsigned root = 0; root < CLASS_ROOTS_MAX && !found; root++) {
		size_t n, above;
		const char *name = roots[root] ? root_name(roots[root], strlen(roots[root]), &n) : NULL;
		const size_t length = name ? (size_t)(name - roots[root]) : 0;

		if (!name || is_split_root(roots[root], strlen(roots[root])) || !is_split_root(roots[root], length))
			continue;
		const size_t outer = (size_t)(root_name(roots[root], length, &above) - roots[root]);

		for (unsigned i = 0; i < CLASS_ROOTS_MAX && !found; i++) {
			const size_t beside = roots[i] ? strlen(roots[i]) : 0;

			found = beside > outer && !strncmp(roots[i], roots[root], outer) &&
				!memchr(roots[i] + outer, '/', beside - outer - 1) && is_split_root(roots[i], beside);
			if (found)
				say_also(c->f,
					 "the class folders of %s lie one level deeper than those of %s: "
					 "a loader finds the one class '%.*s'",
					 short_root(c->t, root), short_root(c->t, i), (int)n, name);
		}
	}
	return found;
}

/* Reports folders of one root whose names differ in capitals alone; letters may be classes. */
static void check_capitals(struct clauses *c)
{
	enum { LETTERS_MAX = 2, COMPARED_MAX = 1000 };
	const struct folder_totals *t = c->t;

	for (size_t i = 0; i < MIN(t->count, (size_t)COMPARED_MAX); i++)
		for (size_t k = 0; k < i; k++)
			if (strlen(t->v[i].name) > LETTERS_MAX && !strcasecmp(t->v[i].name, t->v[k].name) &&
			    (t->v[i].roots & t->v[k].roots) && begin(c, t->v[i].name))
				say(c->f, "'%s' and '%s' are two classes", t->v[k].name, t->v[i].name);
	end(c, "such pairs");
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
			say(c->f, "'%s' is in %s but not in %s", t->v[i].name,
			    short_root(t, (unsigned)__builtin_ctz(t->v[i].roots)),
			    short_root(t, (unsigned)__builtin_ctz(lacking)));
	}
	end(c, "such differences");
}

/* Reports images that lie beside the class folders. The first one tells whether they do. */
static bool check_loose(struct clauses *c, const struct file_count *left_out)
{
	for (unsigned root = 0; left_out->files && root < CLASS_ROOTS_MAX; root++) {
		const size_t n = c->t->roots[root] ? strlen(c->t->roots[root]) : 0;

		if (!n || strncmp(left_out->example, c->t->roots[root], n) != 0 || strchr(left_out->example + n, '/'))
			continue;
		c->f->details.count += left_out->files;
		say_also(c->f, "%" PRIu64 " %s in no class folder (first: %s): torchvision leaves %s out",
			 left_out->files, plural(left_out->files, "image lies", "images lie"), left_out->example,
			 plural(left_out->files, "it", "them"));
		return true;
	}
	return false;
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	struct clauses c = { .t = &d->folders, .classes = &settings->classes, .f = f };
	const bool hidden = check_folders(&c, check_hidden), deeper = check_depth(&c), shifted = check_shift(&c);
	bool names;

	check_numbers(&c);
	check_alike(&c);
	check_capitals(&c);
	names = !hidden && check_folders(&c, check_name);
	const bool empty = check_folders(&c, check_empty), others = f->message.len;
	const bool loose = check_loose(&c, &d->coverage.left_out[SKIP_IMAGE]);

	if (!f->message.len)
		return false;
	if (hidden || deeper || shifted || empty)
		f->level = LEVEL_ERROR;
	return advise(f, hidden   ? "remove the folders that are no classes, and audit again: all ids after it change"
			 : deeper ? "move the class folders up, so that each split has them at the same level"
			 : names  ? "write the class list in the order of the folders, or map the folders by name"
			 : empty && !shifted
				 ? "torchvision stops at it (FileNotFoundError): put its images there, or remove the "
				   "folder from every root"
			 : loose && !others ? "move them into the folder of their class, or out of the set"
					    : "give every root one folder per class, and no others");
}

const struct rule rule_hidden_class_folder = {
	RULE("hidden-class-folder", "lists", LEVEL_WARNING,
	     "class folders of an ImageFolder that are hidden, empty, too many, or not the same in each split"),
	.check_dataset = check_dataset,
};
