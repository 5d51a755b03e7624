#include "layout/decide_set.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

static bool is_jpeg(const struct folder_row *r)
{
	return r->kind == FILE_JPEG || r->kind == FILE_PHOTO;
}

/* Returns whether a row of pictures lies among photos of its names in the same folder. */
static bool lies_among_its_photos(const struct set *s, uint32_t row)
{
	const struct folder_row *r = &s->t->rows[row];
	FREED bool *among = xcalloc(s->t->rows_count, sizeof(*among));
	uint32_t pair;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *other = &s->t->rows[s->rows[i]];

		among[s->rows[i]] = other->folder == r->folder && other->content == LOOK_PHOTO && s->photos[s->rows[i]];
	}
	return pairing_share(s->with_images, row, among, &pair) >= PAIRED;
}

/*
 * Returns whether a row has the names of folders beside its own that no word calls anything, and these have each
 * other's: numbers that begin anew in each class folder, of which one may be called gt.
 */
static bool has_names_of_all(const struct set *s, uint32_t row)
{
	const struct folder_row *r = &s->t->rows[row];
	const uint32_t above = s->t->folders[r->folder].parent;
	FREED bool *among = xcalloc(s->t->rows_count, sizeof(*among));
	uint32_t pair, other;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];

		among[s->rows[i]] = (is_picture(q) || q->kind == FILE_JPEG) && q->word == ROLE_NONE &&
				    q->folder != r->folder && s->t->folders[q->folder].parent == above;
	}
	bool all = pairing_share(s->with_pictures, row, among, &pair) >= PAIRED;

	for (size_t i = 0; i < s->count && all; i++)
		among[s->rows[i]] &= s->t->rows[s->rows[i]].folder != s->t->rows[pair].folder;
	return all && pairing_share(s->with_pictures, pair, among, &other) >= PAIRED;
}

static void decide_picture(struct set *s, uint32_t row, bool any_photos)
{
	struct folder_row *r = &s->t->rows[row];
	const enum content_look c = r->content;
	const bool flat = c == LOOK_MASK || c == LOOK_COLOURS;

	if (r->word >= ROLE_CLUTTER)
		give(r, ROLE_ASIDE, FAMILY_NONE,
		     r->word == ROLE_ASIDE ? "its name says what accompanies labels"
					   : "its name says what projects keep");
	else if (r->word == ROLE_IMAGES && flat && lies_among_its_photos(s, row)) {
		r->paired = 1;
		give(r, ROLE_LABELS, FAMILY_MASK, "beside photos of its names");
	} else if (r->word == ROLE_IMAGES && flat && !r->word_is_inner && is_paired(r))
		give(r, ROLE_LABELS, FAMILY_MASK, "masks of photos that lie elsewhere");
	else if (r->word == ROLE_IMAGES)
		give(r, ROLE_IMAGES, FAMILY_NONE, "its name says images");
	else if (c == LOOK_PHOTO && r->word == ROLE_LABELS && r->word_is_inner && (is_paired(r) || !any_photos) &&
		 !has_names_of_all(s, row))
		give(r, ROLE_LABELS, FAMILY_MASK, "photos where its name says labels");
	else if (c == LOOK_PHOTO && set_has_masks_in_split(s, r))
		give(r, ROLE_LABELS, FAMILY_MASK, "another split of it holds masks");
	else if (c == LOOK_PHOTO)
		give(r, ROLE_IMAGES, FAMILY_NONE, "photos");
	else if (c == LOOK_COLOURS && !is_paired(r) && r->word != ROLE_LABELS)
		give(r, ROLE_ASIDE, FAMILY_NONE, "colours of no image");
	else
		give(r, ROLE_LABELS, FAMILY_MASK, "");
}

/* Returns whether masks or arrays that no word calls otherwise lie in the same folder: then an array of four axes, or
 * colours, may be as these. */
static bool has_masks_beside(const struct set *s, const struct folder_row *r)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];

		if (q->folder == r->folder && q->word == ROLE_NONE &&
		    (q->content == LOOK_ARRAY || (is_picture(r) && q->content == LOOK_MASK)))
			return true;
	}
	return false;
}

/* Returns the family of a git-lfs pointer by the name of the file. */
static enum family family_of_pointer(const struct folder_row *r)
{
	return r->kind == FILE_ARRAY || is_picture(r) ? FAMILY_MASK
	       : !strcasecmp(r->suffix, ".json")      ? FAMILY_COCO
	       : !strcasecmp(r->suffix, ".txt")       ? FAMILY_YOLO
						      : FAMILY_LIST;
}

/* Returns the family of documents by what they hold. */
static enum family family_of_content(const struct set *s, const struct folder_row *r)
{
	static const enum family of_texts[LOOKS] = {
		[LOOK_YOLO] = FAMILY_YOLO, [LOOK_COCO] = FAMILY_COCO,     [LOOK_IDX] = FAMILY_IDX,
		[LOOK_LIST] = FAMILY_LIST, [LOOK_UNREAD] = FAMILY_UNREAD,
	};
	const bool array = r->content >= LOOK_ARRAY && r->content <= LOOK_VOLUME;

	if (of_texts[r->content] != FAMILY_NONE)
		return of_texts[r->content];
	if (r->content == LOOK_POINTER && r->kind != FILE_ARRAY)
		return r->word == ROLE_LABELS ? family_of_pointer(r) : FAMILY_NONE;
	/* arrays, and what is called so and cannot be read; those of floats may be ids, those of four axes are images
	 */
	if ((!array && r->kind != FILE_ARRAY) || r->word == ROLE_IMAGES || r->word >= ROLE_CLUTTER)
		return FAMILY_NONE;
	return r->content == LOOK_VOLUME && r->word != ROLE_LABELS && !has_masks_beside(s, r) ? FAMILY_NONE
											      : FAMILY_MASK;
}

static void decide_document(const struct set *s, struct folder_row *r)
{
	enum family family = family_of_content(s, r);

	if (family != FAMILY_NONE && (r->word == ROLE_CLUTTER || (r->word == ROLE_ASIDE && family != FAMILY_COCO)))
		give(r, ROLE_ASIDE, FAMILY_NONE, "its name says what projects keep");
	else if (family != FAMILY_NONE)
		give(r, ROLE_LABELS, family, "");
	else if (r->kind == FILE_ARRAY && r->word == ROLE_IMAGES)
		give(r, ROLE_IMAGES, FAMILY_NONE, "its name says images");
	else
		give(r, ROLE_NONE, FAMILY_NONE, "holds no labels");
}

/* Returns whether the PATH's name alone calls a row labels, and no other row is called so by its own or read as such.
 */
static bool path_says_labels(const struct set *s, const struct folder_row *r)
{
	if (role_of_path(set_path(s, r), strlen(set_path(s, r))) != ROLE_NONE ||
	    s->own[s->t->folders[r->folder].typed_path] != ROLE_LABELS)
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];
		const char *path = set_path(s, q);

		if (is_jpeg(q) || q->word >= ROLE_CLUTTER)
			continue;
		if (is_picture(q) ? role_of_path(path, strlen(path)) == ROLE_LABELS
				  : family_of_content(s, q) != FAMILY_NONE)
			return false;
	}
	return true;
}

static void decide_photos(struct set *s, uint32_t row)
{
	struct folder_row *r = &s->t->rows[row];
	uint32_t pair;

	give(r, ROLE_IMAGES, FAMILY_NONE, "photos");
	if (r->word != ROLE_LABELS || !r->word_is_inner)
		return;
	if (r->kind == FILE_JPEG && path_says_labels(s, r)) {
		give(r, ROLE_LABELS, FAMILY_MASK, "the PATH's name says labels");
		return;
	}
	if (r->kind == FILE_PHOTO) {
		give(r, ROLE_LABELS, FAMILY_UNREAD, "its name says labels");
		return;
	}
	if (has_names_of_all(s, row))
		return;
	FREED bool *among = xcalloc(s->t->rows_count, sizeof(*among));

	for (size_t i = 0; i < s->count; i++)
		among[s->rows[i]] = s->t->rows[s->rows[i]].word != ROLE_LABELS;
	if (pairing_share(s->with_pictures, row, among, &pair) >= PAIRED) {
		r->pair = pair;
		r->paired = 1;
		give(r, ROLE_LABELS, FAMILY_MASK, "JPEG where its name says labels");
	}
}

/* Returns whether a row is sure to be labels: paired, or called so. */
static bool is_sure(const struct folder_row *r)
{
	return r->role == ROLE_LABELS && (is_paired(r) || r->word == ROLE_LABELS);
}

static uint64_t files_where(const struct set *s, bool (*is)(const struct folder_row *r))
{
	uint64_t files = 0;

	for (size_t i = 0; i < s->count; i++)
		files += is(&s->t->rows[s->rows[i]]) ? s->t->rows[s->rows[i]].files : 0;
	return files;
}

static bool is_sure_picture(const struct folder_row *r)
{
	return is_sure(r) && is_picture(r) && r->content != LOOK_PHOTO;
}

static bool is_sure_mask(const struct folder_row *r)
{
	return is_sure(r) && r->family == FAMILY_MASK;
}

/* Photos in a folder that is called as labels are: only if no masks are there. */
static void drop_photos_beside_masks(struct set *s)
{
	const uint64_t masks = files_where(s, is_sure_picture);

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (is_picture(r) && is_candidate(r) && r->content == LOOK_PHOTO && 2 * masks >= r->files)
			give(r, ROLE_IMAGES, FAMILY_NONE, "photos; masks lie elsewhere");
	}
}

/* Returns whether the names of two rows have one shape: m007.jpg beside m006.png. */
static bool are_named_alike(const struct folder_row *r, const struct folder_row *q)
{
	size_t n, m;

	if (!r->items_count || !q->items_count)
		return false;
	const char *x = table_item_stem(r->items[0], &n), *y = table_item_stem(q->items[0], &m);

	return table_shape(x, n) == table_shape(y, m);
}

/* JPEGs beside masks that are half as many are masks saved so if they have not the names of these but such, or are
 * called labels. */
static void take_jpegs_beside_masks(struct set *s)
{
	FREED bool *among = xcalloc(s->t->rows_count, sizeof(*among));
	uint32_t pair;

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (r->kind != FILE_JPEG || r->role != ROLE_IMAGES || r->word == ROLE_IMAGES)
			continue;
		for (size_t k = 0; k < s->count; k++) {
			const struct folder_row *q = &s->t->rows[s->rows[k]];

			if (q->folder != r->folder || !is_picture(q) || !is_candidate(q) || 2 * q->files < r->files)
				continue;
			among[s->rows[k]] = true;
			const double share = pairing_share(s->with_pictures, s->rows[i], among, &pair);

			among[s->rows[k]] = false;
			if (share < PAIRED &&
			    ((r->word == ROLE_LABELS && r->word_is_inner) || (share == 0 && are_named_alike(r, q))))
				give(r, ROLE_LABELS, FAMILY_MASK, "JPEG beside masks of other names");
		}
	}
}

/* Rows of pictures whose names say that they accompany labels, or in colours, are the masks only if nothing else can
 * be. */
static void take_what_is_aside(struct set *s)
{
	uint64_t candidates = 0, called = 0, others = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->count; i++) {
			struct folder_row *r = &s->t->rows[s->rows[i]];
			const char *path = set_path(s, r);

			if (!pass && is_candidate(r)) {
				candidates += r->files;
				called += r->word == ROLE_LABELS ? r->files : 0;
				if (is_paired(r))
					return;
			}
			if (!is_picture(r) || r->role != ROLE_ASIDE || r->word == ROLE_CLUTTER ||
			    r->content == LOOK_PHOTO)
				continue;
			others += pass ? 0 : r->files;
			if (pass && called < STRAY_FILES &&
			    (TIMES * candidates <= others || (r->word == ROLE_NONE && has_masks_beside(s, r))) &&
			    (r->content != LOOK_VALUES || r->word == ROLE_NONE ||
			     name_says_instances(path, strlen(path)) ||
			     name_says_instances(r->suffix, strlen(r->suffix))))
				give(r, ROLE_LABELS, FAMILY_MASK, "nothing else can be the labels");
		}
}

/* Returns whether a list lies beside one that is called labels: subject_train.txt beside y_train.txt. */
static bool is_beside_labels(const struct set *s, const struct folder_row *r)
{
	for (size_t i = 0; r->family == FAMILY_LIST && r->kind == FILE_DOC && i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];

		if (q->kind == FILE_LABEL_DOC && q->family == FAMILY_LIST && q->folder == r->folder &&
		    !strcmp(q->suffix, r->suffix))
			return true;
	}
	return false;
}

static bool is_unsure_mask(const struct folder_row *r)
{
	return is_candidate(r) && r->family == FAMILY_MASK && !is_sure(r);
}

/* Returns whether most volumes of a row that were looked at have more values than labels. */
static bool is_measured(const struct folder_row *r)
{
	size_t looked = 0, measured = 0;

	for (size_t i = 0; i < r->items_count; i++) {
		looked += r->items[i]->look.content != LOOK_NONE;
		measured += r->items[i]->look.measured;
	}
	return 2 * measured > looked;
}

/* Beside rows that are sure, those that no word and no pair says go: masks if all are few or they are no plain ones,
 * lists if they lie in the same folder. */
static void drop_unsure(struct set *s)
{
	const uint64_t masks = files_where(s, is_sure_mask), unsure = files_where(s, is_unsure_mask);

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (is_beside_labels(s, r))
			give(r, ROLE_ASIDE, FAMILY_NONE, "beside lists that are called labels");
		else if (masks && is_unsure_mask(r) && is_measured(r))
			give(r, ROLE_IMAGES, FAMILY_NONE, "measured values; labels lie elsewhere");
		else if (masks && is_unsure_mask(r) &&
			 (4 * unsure <= masks || r->content == LOOK_MIXED || r->content == LOOK_COLOURS ||
			  r->content == LOOK_VALUES))
			give(r, ROLE_ASIDE, FAMILY_NONE, "of no image; labels lie elsewhere");
	}
}

void set_take_the_rest(struct set *s)
{
	const bool photos = files_where(s, is_jpeg);

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		const char *path = set_path(s, r);
		const enum family family = r->content == LOOK_POINTER ? family_of_pointer(r)
					   : photos                   ? FAMILY_NONE
					   : is_picture(r) || r->content == LOOK_FLOATS || r->content == LOOK_VOLUME
						   ? FAMILY_MASK
					   : r->content == LOOK_TABLE ? FAMILY_LIST
								      : FAMILY_NONE;

		if (!is_candidate(r) && family != FAMILY_NONE && r->word < ROLE_CLUTTER &&
		    role_of_path(path, strlen(path)) != ROLE_IMAGES)
			give(r, ROLE_LABELS, family, "nothing else can be the labels");
	}
}

/* A text among others of images is one of these, whatever it holds, if its own name is that of an image; a list or a
 * pointer among YOLO's is a broken one. */
static void take_texts_of_images(struct set *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		for (size_t k = 0; k < s->count && file_is_document(r->kind); k++) {
			const struct folder_row *q = &s->t->rows[s->rows[k]];
			const bool texts =
				q->family == FAMILY_YOLO || (q->family == FAMILY_LIST && q->pair != TABLE_NONE);
			const bool among = r->family == FAMILY_LIST
						   ? q->family == FAMILY_YOLO
						   : !is_candidate(r) && r->pair != TABLE_NONE && r->word == q->word;

			if (texts && among && q->folder == r->folder && q->kind == r->kind && q->files > r->files &&
			    (r->content == LOOK_POINTER || !strcmp(q->suffix, r->suffix)))
				give(r, ROLE_LABELS, q->family, "among texts of images");
		}
	}
}

void set_give_roles(struct set *s)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		any |= s->photos[s->rows[i]];
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		set_pair_row(s, s->rows[i]);
		if (is_picture(r))
			decide_picture(s, s->rows[i], any);
		else if (is_jpeg(r))
			decide_photos(s, s->rows[i]);
		else
			decide_document(s, r);
	}
	drop_photos_beside_masks(s);
	take_jpegs_beside_masks(s);
	take_what_is_aside(s);
	drop_unsure(s);
	take_texts_of_images(s);
}

/* ---- what is declared ---------------------------------------------------------------------------------------------
 */

void set_take_declared(struct set *s)
{
	uint64_t files[FAMILIES] = { 0 };
	enum family most = FAMILY_NONE;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *r = &s->t->rows[s->rows[i]];
		const enum family f = r->kind < FILE_ARRAY ? FAMILY_MASK : family_of_content(s, r);

		files[f] += r->declared == ROLE_LABELS ? r->files : 0;
		most = f != FAMILY_NONE && files[f] > files[most] ? f : most;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		const enum family f = r->kind < FILE_ARRAY ? FAMILY_MASK : family_of_content(s, r);

		if (r->declared == ROLE_IMAGES)
			give(r, ROLE_IMAGES, FAMILY_NONE, "declared: images");
		else if (r->declared == ROLE_LABELS)
			give(r, ROLE_LABELS,
			     f != FAMILY_NONE      ? f
			     : most != FAMILY_NONE ? most
						   : family_of_pointer(r),
			     "declared: labels");
		else if (s->t->declared->labels && is_candidate(r) && r->family != FAMILY_UNREAD)
			give(r, ROLE_ASIDE, FAMILY_NONE, "others are declared");
		r->word = r->declared != ROLE_NONE ? r->declared : r->word;
	}
}
