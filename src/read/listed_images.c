#include "read/listed_images.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "read/member_images.h"

enum {
	BATCH = 1024,
	SAMPLE = 32,
	NEAR_MAX = 8,       /* missing images whose names are compared with those of the folder */
	SEEN_MAX = 1 << 19, /* names that are known, 8 MiB */
};

struct image_query {
	struct task task;
	const struct image_checker *by;
	size_t name_at; /* in the checker's names */
	uint32_t width, height, number;
	uint64_t line, column;
	bool there, sized;
	struct photo_size size;
	struct fault fault;
};

void listed_images_free(struct listed_images *l)
{
	for (size_t i = 0; i < IMAGE_TROUBLES; i++)
		key_set_release(&l->tallies[i].keys);
	strbuf_release(&l->folder);
	free(l);
}

static const char *name_of(const struct image_query *q)
{
	return q->by->names.s + q->name_at;
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

/* Makes *path that of a name, which may be absolute in a list, in a folder. */
static void set_path(const char *folder, const char *name, struct strbuf *path)
{
	strbuf_clear(path);
	strbuf_addf(path, "%s%s", name[0] == '/' ? "" : folder, name);
}

/* Returns whether the path of a name exists; a list may have it without its extension, which *path gets then. */
static bool find_path(const struct image_checker *c, const char *name, struct strbuf *path)
{
	const size_t n = path->len;
	bool there = path_exists(c->members, path->s);

	for (const char *const *e = listed_image_extensions; !there && c->is_list && !strchr(name, '.') && *e; e++) {
		strbuf_cut(path, n);
		strbuf_adds(path, *e);
		there = path_exists(c->members, path->s);
	}
	return there;
}

/* Returns how many of the waiting names a folder has, of a sample; *of is the size of that. */
static size_t count_there(const struct image_checker *c, const char *folder, size_t *of)
{
	const size_t step = (c->count + SAMPLE - 1) / SAMPLE;
	RELEASED struct strbuf path = STRBUF_INIT;
	size_t there = 0;

	*of = 0;
	for (size_t i = 0; i < c->count; i += step, ++*of) {
		set_path(folder, name_of(&c->queries[i]), &path);
		there += find_path(c, name_of(&c->queries[i]), &path);
	}
	return there;
}

/*
 * Finds the folder of the images by the usual places, from the folder of the label file on. `instances_val2017.json`
 * and `val.json` belong to a folder `val2017` or `val`.
 */
static void find_folder(struct image_checker *c)
{
	static const char *const usual[] = { "", "images/", "../", "../images/", "data/" };
	const char *const frames = c->frames, *const *places = frames ? &frames : usual;
	const size_t count = c->frames ? 1 : 2 * ARRAY_SIZE(usual);
	FREED char *own = path_folder(c->label_path);
	const char *name = file_name_of(c->label_path), *split = name;
	const char *end = name + strlen(name) - strlen(file_name_extension(name));
	RELEASED struct strbuf path = STRBUF_INIT;
	size_t most = 0, of = 1;

	for (const char *s = name; s < end; s++)
		split = *s == '_' && s + 1 < end ? s + 1 : split;
	for (size_t i = 0; i < count; i++) {
		strbuf_set(&path, own, path_trimmed(own));
		strbuf_addf(&path, "/%s%.*s%s", places[i / 2], i % 2 ? (int)(end - split) : 0, split, i % 2 ? "/" : "");
		const size_t there = path_exists(c->members, path.s) ? count_there(c, path.s, &of) : 0;

		if (there <= most || 2 * there <= of)
			continue;
		most = there;
		c->has_folder = true;
		strbuf_set(&c->out->folder, path.s, path.len);
	}
}

/* ---- one image --------------------------------------------------------------------------------------------------- */

/* Returns whether the last path that could not be found may exist all the same. */
static bool may_be_there(void)
{
	return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG && errno != ELOOP;
}

static void look(struct task *task, bool ahead)
{
	struct image_query *q = (struct image_query *)task;
	const struct image_checker *c = q->by;
	const char *name = name_of(q);
	RELEASED struct strbuf path = STRBUF_INIT;
	/* a file that data name is opened only if it lies in the folder */
	const bool inside = relative_path_is_inside(name);

	(void)ahead;
	set_path(c->out->folder.s, name, &path);
	q->there = (inside && is_image_name(name)) || find_path(c, name, &path) || may_be_there();
	if (q->there && inside && is_image_name(path.s)) {
		q->sized = image_read_size(c->members, AT_FDCWD, path.s, path.s, &q->size, &q->fault);
		q->there = q->fault.kind != FAULT_UNREADABLE || path_exists(c->members, path.s) || may_be_there();
	}
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static struct image_tally *tally(struct image_checker *c, enum image_trouble trouble, const struct image_query *q)
{
	struct image_tally *t = &c->out->tallies[trouble];

	key_set_add(&t->keys, key_of_bytes(name_of(q), strlen(name_of(q))), KEY_SET_MAX);
	if (t->images++)
		return NULL;
	t->line = q->line;
	t->column = q->column;
	return t;
}

/* Calls each(self) for each file of a folder. */
static void each_name(struct image_checker *c, const char *folder, void (*each)(void *self, const char *name),
		      void *self)
{
	DIR *dir = opendir(folder);

	for (const struct dirent *e; dir && (e = readdir(dir));)
		each(self, e->d_name);
	if (dir)
		closedir(dir);
	else
		member_images_each(c->members, folder, each, self);
}

/* Skips a letter with an accent: one character at a, a letter and a combining mark (U+0300 to U+036F) at b. */
static bool skip_accented(const char **a, const char **b)
{
	if ((uint8_t) * *a < 0xc3 || !ascii_isalpha(**b) || ((*b)[1] != '\xcc' && (*b)[1] != '\xcd') || !(*b)[2])
		return false;
	do
		++*a;
	while ((uint8_t) * *a >> 6 == 2);
	*b += 3;
	return true;
}

/* Skips a character at a that is written as %20 at b, as a URL has it. */
static bool skip_coded(const char **a, const char **b)
{
	if (**b != '%' || ascii_xdigit_value((*b)[1]) < 0 || ascii_xdigit_value((*b)[2]) < 0 ||
	    16 * ascii_xdigit_value((*b)[1]) + ascii_xdigit_value((*b)[2]) != (uint8_t) * *a)
		return false;
	++*a;
	*b += 3;
	return true;
}

/* Returns in what a name differs from another that some systems take for the same one; or NULL. */
static const char *difference_of(const char *a, const char *b)
{
	const size_t stem = strlen(a) - strlen(file_name_extension(a));
	const char *how = "in case";

	if (!strcmp(a, b)) /* a link that leads nowhere */
		return NULL;
	if (strlen(b) - strlen(file_name_extension(b)) == stem && !memcmp(a, b, stem))
		return strcasecmp(a, b) == 0 ? "in case" : "in its extension";
	while (*a && *b) {
		if (ascii_tolower(*a) == ascii_tolower(*b)) {
			a++;
			b++;
		} else if (skip_accented(&a, &b) || skip_accented(&b, &a)) {
			how = "in its Unicode form";
		} else if (skip_coded(&a, &b) || skip_coded(&b, &a)) {
			how = "by codes of URLs such as %20";
		} else {
			return NULL;
		}
	}
	return *a || *b ? NULL : how;
}

/* The image that is missing, and the first of its folder that nearly has its name. */
struct near_name {
	const char *wanted, *how;
	char name[120];
};

static void compare_name(void *self, const char *name)
{
	struct near_name *n = self;
	const char *how = is_image_name(name) ? difference_of(n->wanted, name) : NULL;

	if (!how || (n->how && strcmp(n->name, name) < 0))
		return;
	n->how = how;
	snprintf(n->name, sizeof(n->name), "%s", name);
}

/* Adds to *text what the folder has in place of a missing image. Returns false if it has nothing. */
static bool add_near(struct image_checker *c, const char *name, struct strbuf *text)
{
	struct near_name near = { .wanted = file_name_of(name) };
	RELEASED struct strbuf path = STRBUF_INIT;

	for (const char *s = near.wanted; *s; s++)
		near.wanted = *s == '\\' && s[1] ? s + 1 : near.wanted;
	set_path(c->out->folder.s, name, &path);
	strbuf_cut(&path, (size_t)(file_name_of(path.s) - path.s));
	if (relative_path_is_inside(name))
		each_name(c, path.s, compare_name, &near);
	if (near.how) {
		strbuf_addf(text, "%.150s, but there is %s, which differs %s", name, near.name, near.how);
		return true;
	}
	strbuf_clear(&path);
	set_path(c->out->folder.s, near.wanted, &path);
	if (near.wanted == name || !path_exists(c->members, path.s))
		return false;
	strbuf_addf(text, "%.150s, but there is %.120s without a folder before it", name, near.wanted);
	return true;
}

static void take_missing(struct image_checker *c, const struct image_query *q)
{
	const bool first = tally(c, IMAGE_MISSING, q);
	struct image_tally *t = &c->out->tallies[IMAGE_MISSING];
	RELEASED struct strbuf text = STRBUF_INIT;

	if (c->has_near || t->images > NEAR_MAX)
		return;
	if (!first)
		strbuf_addf(&text, "%.150s; later ", t->text);
	c->has_near = add_near(c, name_of(q), &text);
	if (first && !c->has_near)
		strbuf_addf(&text, "%.150s", name_of(q));
	if (first || c->has_near)
		snprintf(t->text, sizeof(t->text), "%s", text.s);
}

static void take(struct image_checker *c, const struct image_query *q)
{
	const struct photo_size *s = &q->size;
	struct image_tally *t;

	c->out->judged++;
	if (!q->there) {
		take_missing(c, q);
		return;
	}
	c->out->unread |= q->fault.kind == FAULT_UNREADABLE;
	if (q->fault.kind != FAULT_NONE && (t = tally(c, IMAGE_BROKEN, q)))
		snprintf(t->text, sizeof(t->text), "%.150s: %.160s", name_of(q), q->fault.text);
	if (!q->sized)
		return;
	c->out->photos++;
	if (c->sized)
		c->sized(c->context, q->number, s);
	for (unsigned i = 0; i < PHOTO_TRAITS; i++)
		c->out->traits[i] += s->traits >> i & 1;
	if (!q->width || !q->height)
		return;
	const bool same = q->width == s->width && q->height == s->height, turned = s->orientation >= 5,
		   swapped = q->width == s->height && q->height == s->width;

	if (turned && same != swapped && (t = tally(c, same ? IMAGE_TURNED : IMAGE_UPRIGHT, q)))
		snprintf(t->text, sizeof(t->text), "%.150s, orientation %u", name_of(q), s->orientation);
	if (!same && !(swapped && turned) && (t = tally(c, IMAGE_SIZE, q)))
		snprintf(t->text, sizeof(t->text),
			 "%.150s: %" PRIu32 " x %" PRIu32 " declared, the file has %" PRIu32 " x %" PRIu32 "%s",
			 name_of(q), q->width, q->height, s->width, s->height,
			 swapped ? ": width and height are swapped" : "");
}

static void flush(struct image_checker *c)
{
	if (!c->decided && c->count)
		find_folder(c);
	c->decided |= c->count > 0;
	for (size_t i = 0; i < c->count; i++)
		c->queries[i].by = c;
	if (c->has_folder) {
		pool_do_all(c->pool, c->queries, c->count, sizeof(*c->queries));
		for (size_t i = 0; i < c->count; i++)
			take(c, &c->queries[i]);
	}
	c->count = 0;
	strbuf_clear(&c->names);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

void image_checker_open(struct image_checker *c, struct listed_images *out, const char *label_path, const char *folder,
			struct pool *pool)
{
	*c = (struct image_checker){ .out = out, .pool = pool, .label_path = xstrdup(label_path) };
	strbuf_init(&c->names);
	strbuf_init(&out->folder);
	if (!folder)
		return;
	c->decided = out->declared = true;
	c->has_folder = path_exists(NULL, folder);
	strbuf_set(&out->folder, folder, path_trimmed(folder));
	strbuf_addch(&out->folder, '/');
}

void image_checker_frames(struct image_checker *c, const char *frames)
{
	FREED char *own = path_folder(c->label_path);
	RELEASED struct strbuf path = STRBUF_INIT, video = STRBUF_INIT;
	const char *name = file_name_of(c->label_path), *star = strchr(frames, '*');
	const int stem = (int)(strlen(name) - strlen(file_name_extension(name)));

	if (star)
		strbuf_addf(&path, "%.*s%.*s%s", (int)(star - frames), frames, stem, name, star + 1);
	else
		strbuf_adds(&path, frames);
	c->frames = xmemdup0(path.s, path.len);
	strbuf_clear(&path);
	strbuf_addf(&path, "%s/..", own);
	path_add_components(&video, path.s);
	strbuf_clear(&path);
	if (star)
		strbuf_addf(&path, "%s%.*s/", c->out->folder.s, stem, name);
	else
		strbuf_addf(&path, "%s%s/%s", c->out->folder.s, file_name_of(video.s), frames + strlen("../"));
	if (c->out->declared && path_exists(c->members, path.s))
		strbuf_set(&c->out->folder, path.s, path.len);
}

void image_checker_add(struct image_checker *c, const struct listed_image *image)
{
	const uint64_t hash = hash_bytes(hash_seed(), image->name, image->n);
	const size_t at = c->names.len;

	if ((c->decided && !c->has_folder) || memchr(image->name, '\0', image->n) ||
	    !hash_set_add_bounded(&c->seen, hash, SEEN_MAX))
		return;
	strbuf_add(&c->names, image->name, image->n);
	strbuf_addch(&c->names, '\0');
	c->nested |= strpbrk(c->names.s + at, "/\\") != NULL;
	if (!c->is_list &&
	    GUARD(image_named_outside, !relative_path_is_inside(c->names.s + at))) { /* unsafe-image-name */
		strbuf_cut(&c->names, at);
		return;
	}
	if (!c->queries)
		c->queries = xcalloc(BATCH, sizeof(*c->queries));
	struct image_query *q = &c->queries[c->count++];

	*q = (struct image_query){ .task.run = look,
				   .by = c,
				   .name_at = at,
				   .width = image->width,
				   .height = image->height,
				   .number = image->number,
				   .line = image->line,
				   .column = image->column };
	fault_clear(&q->fault);
	if (c->count == BATCH)
		flush(c);
}

/* Counts a label file that may name images of the folder: one with the extension of this one. */
static void count_alike(void *self, const char *name)
{
	struct image_checker *c = self;

	c->alike += file_name_ends_in(name, file_name_extension(c->label_path));
}

/* Returns whether such a file lies beside this one. */
static bool is_shared(struct image_checker *c)
{
	FREED char *own = path_folder(c->label_path);

	if (!c->frames)
		each_name(c, own, count_alike, c);
	return !c->frames && c->alike != 1;
}

/* Counts a file of the folder if it is an image that is not named. */
static void count_unnamed_one(void *self, const char *name)
{
	struct image_checker *c = self;
	struct image_tally *t = &c->out->tallies[IMAGE_UNNAMED];
	const size_t n = strlen(name), stem = n - strlen(file_name_extension(name));

	if (name[0] != '.' && is_image_name(name) && !hash_set_has(&c->seen, hash_bytes(hash_seed(), name, n)) &&
	    !(c->is_list && hash_set_has(&c->seen, hash_bytes(hash_seed(), name, stem))) &&
	    (!t->images++ || strcmp(name, t->text) < 0))
		snprintf(t->text, sizeof(t->text), "%s", name);
}

/* Counts the images in the folder that are not named, where all names are of it alone. */
static void count_unnamed(struct image_checker *c)
{
	if (!c->has_folder || c->nested || c->out->judged <= c->out->tallies[IMAGE_MISSING].images ||
	    c->seen.count >= SEEN_MAX || is_shared(c))
		return;
	each_name(c, c->out->folder.s, count_unnamed_one, c);
}

void image_checker_close(struct image_checker *c)
{
	flush(c);
	count_unnamed(c);
	free(c->queries);
	free(c->frames);
	free(c->label_path);
	strbuf_release(&c->names);
	hash_set_release(&c->seen);
}
