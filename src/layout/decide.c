#include "layout/decide.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "find/archive.h"
#include "find/find_options.h"
#include "layout/class_folders.h"
#include "layout/pairing.h"

#define PAIRED .5

enum {
	STRAY_FILES = 4, /* fewer without a word and an image are a stray beside STRAY_PHOTOS */
	STRAY_PHOTOS = 5,
	TIMES = 10, /* a family outweighs another that describes a tenth */
};

/* The rows of one set, while it is decided. */
struct set {
	struct folder_table *t;
	const bool *taken; /* PATHs */
	enum family only;  /* --kind, or FAMILY_NONE */
	enum role *own;    /* of each PATH, by its last part */
	uint32_t *rows;    /* those of the set */
	size_t count;
	bool *photos; /* by row: the images that labels may belong to */
	struct pairing *with_images, *with_pictures;
	struct hash_set masks; /* hashes of rows of masks without the names of splits */
	bool has_photos;
	uint64_t images; /* files that are images by their content */
};

const char *family_name(enum family family)
{
	static const char *const names[] = {
		"", "masks", "YOLO texts", "COCO files", "IDX files", "lists", "files that are not read"
	};

	return names[family];
}

const char *family_kind_name(enum family family)
{
	static const char *const names[] = { "", "mask", "yolo", "coco", "idx", "list", "" };

	return names[family];
}

bool row_is_live(const struct folder_row *r)
{
	return r->is_part || r->kind < FILE_ARRAY;
}

static const char *path_of(const struct set *s, const struct folder_row *r)
{
	return s->t->folders[r->folder].path;
}

static bool is_picture(const struct folder_row *r)
{
	return r->kind == FILE_PICTURE;
}

static bool is_paired(const struct folder_row *r)
{
	return r->paired >= PAIRED;
}

/* ---- words --------------------------------------------------------------------------------------------------------
 */

/* Returns the role of the last part of a PATH as it is on the disk. */
static enum role role_of_typed_path(const char *typed)
{
	char *whole = realpath(typed, NULL);
	const char *name = file_name_of(whole ? whole : typed);
	size_t n = strlen(name) - (is_archive_name(name) ? strlen(file_name_extension(name)) : 0);
	enum role role = role_of_name(name, n);

	free(whole);
	return role;
}

/* Returns whether a folder in an archive has the name of that. */
static bool is_name_of_path(const char *typed, const char *name, size_t n)
{
	const char *last = file_name_of(typed);

	return is_archive_name(typed) && !strncmp(last, name, n) && last[n] == '.';
}

/* Returns whether pictures of the same folder are called labels by their own names. */
static bool has_labels_beside(const struct set *s, const struct folder_row *r)
{
	for (size_t i = 0; i < s->t->rows_count; i++) {
		const struct folder_row *q = &s->t->rows[i];

		if (q->folder == r->folder && is_picture(q) &&
		    role_of_suffix(q->suffix, strlen(q->suffix)) == ROLE_LABELS)
			return true;
	}
	return false;
}

/* Sets what the words of a row's suffix and folders say: the suffix decides, else the nearest folder that says
 * something. */
static void set_word(const struct set *s, struct folder_row *r)
{
	const char *path = path_of(s, r);
	bool aside = false, near = true;

	r->word = ROLE_NONE;
	r->word_is_inner = false;
	for (size_t end = strlen(path), begin; end; end = begin ? begin - 1 : 0) {
		for (begin = end; begin && path[begin - 1] != '/';)
			begin--;
		enum role role = role_of_name(path + begin, end - begin);

		if (!begin && is_name_of_path(s->t->find->paths[s->t->folders[r->folder].typed_path], path, end))
			continue; /* runs/ in runs.tar: the user named it */
		aside |= role >= ROLE_CLUTTER;
		if (role >= ROLE_CLUTTER &&
		    (r->word == ROLE_NONE || (role == ROLE_CLUTTER && r->word != ROLE_LABELS))) {
			r->word = role;
			r->word_is_inner = false;
			break;
		}
		if (role >= ROLE_CLUTTER)
			break;
		if (role > ROLE_SPLIT && r->word == ROLE_NONE) {
			r->word = role;
			r->word_is_inner = near;
		}
		near &= role == ROLE_SPLIT || (end - begin == 1 && path[begin] == '*');
	}
	const enum role own = s->own[s->t->folders[r->folder].typed_path];

	if (r->word == ROLE_NONE && own == ROLE_LABELS) {
		r->word = ROLE_LABELS;
		r->word_is_inner = near;
	}
	enum role suffix = !file_is_document(r->kind) ? role_of_suffix(r->suffix, strlen(r->suffix)) : ROLE_NONE;

	if (r->kind == FILE_LABEL_DOC)
		suffix = ROLE_LABELS;
	/* IMG_1.png may be a mask, and test_1.png anything, unless mask_1.png lies beside it */
	if (r->is_prefix && suffix != ROLE_LABELS && (suffix == ROLE_CLUTTER || !has_labels_beside(s, r)))
		suffix = ROLE_NONE;
	if (suffix > ROLE_SPLIT) {
		r->word = suffix == ROLE_LABELS && aside ? ROLE_ASIDE : suffix;
		r->word_is_inner = true;
	}
}

/* ---- pairs --------------------------------------------------------------------------------------------------------
 */

/* Returns the share of the images that the texts of a row name and that are there. */
static double share_of_names(const struct set *s, const struct folder_row *r)
{
	unsigned all = 0, there = 0;

	for (size_t i = 0; i < r->items_count; i++)
		for (unsigned k = 0; k < r->items[i].look.names_count; k++) {
			all++;
			there += folder_table_has_image(s->t, r->items[i].look.names[k]);
		}
	return all ? (double)there / all : 0;
}

/* Hashes what a row has in common with those of other splits: train/, val/. */
static uint64_t hash_without_split(const struct set *s, const struct folder_row *r)
{
	uint64_t hash = hash_bytes(r->kind, r->suffix, strlen(r->suffix));
	bool split = false;

	for (const char *path = path_of(s, r), *end; *path; path = end + (*end == '/')) {
		end = path + strcspn(path, "/");
		bool is_split = role_of_name(path, (size_t)(end - path)) == ROLE_SPLIT;

		split |= is_split;
		hash = is_split ? hash_word(hash, 1) : hash_bytes(hash, path, (size_t)(end - path));
	}
	return split ? hash : 0;
}

/* Returns whether pictures without a word, which look like photos, are masks in another split. */
static bool has_masks_in_split(const struct set *s, const struct folder_row *r)
{
	uint64_t hash = is_picture(r) && r->word == ROLE_NONE ? hash_without_split(s, r) : 0;

	return hash && hash_set_has(&s->masks, hash);
}

static void set_pair(struct set *s, uint32_t row)
{
	struct folder_row *r = &s->t->rows[row];

	r->paired = pairing_share(s->with_images, row, s->photos, &r->pair);
	/* numbers have the name of anything */
	if (r->files < STRAY_FILES && r->word != ROLE_LABELS && (is_picture(r) || r->files < 2))
		r->paired = 0;
	double named = s->has_photos ? share_of_names(s, r) : 0; /* else it names the masks */

	if (named > r->paired)
		r->paired = named;
	if (!is_paired(r))
		r->pair = TABLE_NONE;
}

/* ---- roles --------------------------------------------------------------------------------------------------------
 */

static void give(struct folder_row *r, enum role role, enum family family, const char *rule)
{
	r->role = role;
	r->family = family;
	r->rule = rule;
}

/* Returns whether a row of pictures lies among photos of its names in the same folder. */
static bool lies_among_its_photos(const struct set *s, uint32_t row)
{
	const struct folder_row *r = &s->t->rows[row];
	bool *among = xcalloc(s->t->rows_count, sizeof(*among));
	uint32_t pair;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *other = &s->t->rows[s->rows[i]];

		among[s->rows[i]] = other->folder == r->folder && other->content == LOOK_PHOTO && s->photos[s->rows[i]];
	}
	double share = pairing_share(s->with_images, row, among, &pair);

	free(among);
	return share >= PAIRED;
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
	else if (c == LOOK_PHOTO && r->word == ROLE_LABELS && r->word_is_inner && (is_paired(r) || !any_photos))
		give(r, ROLE_LABELS, FAMILY_MASK, "photos where its name says labels");
	else if (c == LOOK_PHOTO && has_masks_in_split(s, r))
		give(r, ROLE_LABELS, FAMILY_MASK, "another split of it holds masks");
	else if (c == LOOK_PHOTO)
		give(r, ROLE_IMAGES, FAMILY_NONE, "photos");
	else if (c == LOOK_COLOURS && !is_paired(r) && r->word != ROLE_LABELS)
		give(r, ROLE_ASIDE, FAMILY_NONE, "colours of no image");
	else if (c == LOOK_VALUES && r->word != ROLE_LABELS)
		give(r, ROLE_ASIDE, FAMILY_NONE, "values, not ids");
	else
		give(r, ROLE_LABELS, FAMILY_MASK, "");
}

/* Returns whether arrays of integers that no word calls labels lie in the same folder: then one of floats is as these.
 */
static bool has_arrays_beside(const struct set *s, const struct folder_row *r)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];

		if (q->folder == r->folder && q->content == LOOK_ARRAY && q->word == ROLE_NONE)
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
	switch (r->content) {
	case LOOK_YOLO:
		return FAMILY_YOLO;
	case LOOK_COCO:
		return FAMILY_COCO;
	case LOOK_IDX:
		return FAMILY_IDX;
	case LOOK_LIST:
		return FAMILY_LIST;
	case LOOK_UNREAD:
		return FAMILY_UNREAD;
	case LOOK_BYTES:
		if (r->kind == FILE_ARRAY && r->word < ROLE_CLUTTER && r->word != ROLE_IMAGES)
			return FAMILY_MASK;
		return r->word == ROLE_LABELS && r->word_is_inner ? FAMILY_UNREAD : FAMILY_NONE;
	case LOOK_ARRAY:
		return r->word < ROLE_CLUTTER && r->word != ROLE_IMAGES ? FAMILY_MASK : FAMILY_NONE;
	case LOOK_FLOATS:
	case LOOK_VOLUME:
		return r->word == ROLE_LABELS || (r->word == ROLE_NONE && has_arrays_beside(s, r)) ? FAMILY_MASK
												   : FAMILY_NONE;
	case LOOK_UNREADABLE:
	case LOOK_EMPTY:
	case LOOK_TEXT:
		return r->kind == FILE_ARRAY && r->word < ROLE_CLUTTER && r->word != ROLE_IMAGES ? FAMILY_MASK
												 : FAMILY_NONE;
	case LOOK_POINTER:
		if (r->kind == FILE_ARRAY)
			return r->word == ROLE_IMAGES || r->word >= ROLE_CLUTTER ? FAMILY_NONE : FAMILY_MASK;
		return r->word == ROLE_LABELS ? family_of_pointer(r) : FAMILY_NONE;
	default:
		return FAMILY_NONE;
	}
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

static void decide_photos(struct set *s, uint32_t row)
{
	struct folder_row *r = &s->t->rows[row];
	uint32_t pair;

	give(r, ROLE_IMAGES, FAMILY_NONE, "photos");
	if (r->word != ROLE_LABELS || !r->word_is_inner)
		return;
	if (r->kind == FILE_JPEG && role_of_path(path_of(s, r), strlen(path_of(s, r))) == ROLE_NONE &&
	    s->own[s->t->folders[r->folder].typed_path] == ROLE_LABELS) {
		give(r, ROLE_LABELS, FAMILY_MASK, "the PATH's name says labels");
		return;
	}
	if (r->kind == FILE_PHOTO) {
		give(r, ROLE_LABELS, FAMILY_UNREAD, "its name says labels");
		return;
	}
	bool *among = xcalloc(s->t->rows_count, sizeof(*among));

	for (size_t i = 0; i < s->count; i++)
		among[s->rows[i]] = s->t->rows[s->rows[i]].word != ROLE_LABELS;
	if (pairing_share(s->with_pictures, row, among, &pair) >= PAIRED) {
		r->pair = pair;
		r->paired = 1;
		give(r, ROLE_LABELS, FAMILY_MASK, "JPEG where its name says labels");
	}
	free(among);
}

/* Returns whether few files are a stray, which belongs to none of the images, whatever it is called. */
static bool is_stray(const struct set *s, uint64_t files)
{
	return files < STRAY_FILES && s->images >= STRAY_PHOTOS;
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

static bool is_candidate(const struct folder_row *r)
{
	return r->role == ROLE_LABELS;
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
	const char *x = table_item_stem(&r->items[0], &n), *y = table_item_stem(&q->items[0], &m);

	return table_shape(x, n) == table_shape(y, m);
}

/*
 * JPEGs beside masks that are half as many are masks saved so if they have no names of these but such, or are called
 * labels; or if images elsewhere have the names of both.
 */
static void take_jpegs_beside_masks(struct set *s)
{
	bool *elsewhere = xcalloc(s->t->rows_count, sizeof(*elsewhere));
	bool *among = xcalloc(s->t->rows_count, sizeof(*among));

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		bool beside = false, alike = false;
		uint32_t pair;

		if (r->kind != FILE_JPEG || r->role != ROLE_IMAGES || r->word == ROLE_IMAGES)
			continue;
		for (size_t k = 0; k < s->count; k++) {
			const struct folder_row *q = &s->t->rows[s->rows[k]];

			elsewhere[s->rows[k]] = s->photos[s->rows[k]] && q->folder != r->folder;
			if (q->folder != r->folder || !is_picture(q) || !is_candidate(q) || 2 * q->files < r->files)
				continue;
			among[s->rows[k]] = true;
			const double share = pairing_share(s->with_pictures, s->rows[i], among, &pair);

			among[s->rows[k]] = false;
			alike |= share < PAIRED && ((r->word == ROLE_LABELS && r->word_is_inner) ||
						    (share == 0 && are_named_alike(r, q)));
			beside |= is_sure_picture(q) && is_paired(q);
		}
		if (alike) {
			give(r, ROLE_LABELS, FAMILY_MASK, "JPEG beside masks of other names");
		} else if (beside && pairing_share(s->with_images, s->rows[i], elsewhere, &pair) >= .9) {
			r->pair = pair;
			r->paired = 1;
			give(r, ROLE_LABELS, FAMILY_MASK, "JPEG beside masks of its images");
		}
	}
	free(among);
	free(elsewhere);
}

/* Returns whether arrays or masks that nothing is known of lie in the same folder. */
static bool has_masks_beside(const struct set *s, const struct folder_row *r)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *q = &s->t->rows[s->rows[i]];

		if (q->folder == r->folder && is_candidate(q) && q->family == FAMILY_MASK)
			return true;
	}
	return false;
}

/* Rows of pictures called aside, or in colours, are the masks only if nothing else can be. */
static void take_what_is_aside(struct set *s)
{
	uint64_t candidates = 0, called = 0, others = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->count; i++) {
			struct folder_row *r = &s->t->rows[s->rows[i]];
			const char *path = path_of(s, r);

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
			if (pass &&
			    (TIMES * candidates <= others || (r->word == ROLE_NONE && has_masks_beside(s, r))) &&
			    (!called || is_stray(s, called)) &&
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

/* Beside rows that are sure, those that no word and no pair says go: masks if they are few or no plain ones, lists if
 * they lie in the same folder. */
static void drop_unsure(struct set *s)
{
	const uint64_t masks = files_where(s, is_sure_mask);

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (is_beside_labels(s, r))
			give(r, ROLE_ASIDE, FAMILY_NONE, "beside lists that are called labels");
		else if (masks && is_candidate(r) && r->family == FAMILY_MASK && !is_sure(r) &&
			 (4 * r->files <= masks || r->content == LOOK_MIXED || r->content == LOOK_COLOURS ||
			  r->content == LOOK_VALUES))
			give(r, ROLE_ASIDE, FAMILY_NONE, "of no image; labels lie elsewhere");
	}
}

static bool is_jpeg(const struct folder_row *r)
{
	return r->kind == FILE_JPEG || r->kind == FILE_PHOTO;
}

/*
 * Takes what does not seem to hold labels, to be audited if nothing else can be them, so that a finding says what it
 * is: pictures that look like photos, arrays of floats, tables whose column the user may name.
 */
static void take_the_rest(struct set *s)
{
	const bool photos = files_where(s, is_jpeg);

	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		const char *path = path_of(s, r);
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

/* A text among YOLO's that looks like a list, or a pointer of any name, is a broken one of these. */
static void take_texts_among_yolo(struct set *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		for (size_t k = 0; k < s->count && r->family == FAMILY_LIST; k++) {
			const struct folder_row *q = &s->t->rows[s->rows[k]];

			if (q->family == FAMILY_YOLO && q->folder == r->folder && q->kind == r->kind &&
			    (r->content == LOOK_POINTER || !strcmp(q->suffix, r->suffix)) && q->files > r->files)
				give(r, ROLE_LABELS, FAMILY_YOLO, "among YOLO texts");
		}
	}
}

static void give_roles(struct set *s)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		any |= s->photos[s->rows[i]];
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		set_pair(s, s->rows[i]);
		if (is_picture(r))
			decide_picture(s, s->rows[i], any);
		else if (r->kind == FILE_JPEG || r->kind == FILE_PHOTO)
			decide_photos(s, s->rows[i]);
		else
			decide_document(s, r);
	}
	drop_photos_beside_masks(s);
	take_jpegs_beside_masks(s);
	take_what_is_aside(s);
	drop_unsure(s);
	take_texts_among_yolo(s);
}

/* ---- families -----------------------------------------------------------------------------------------------------
 */

/* Returns whether some text of a row names images. */
static bool names_images(const struct folder_row *r)
{
	for (size_t i = 0; i < r->items_count; i++)
		if (r->items[i].look.names_count)
			return true;
	return false;
}

/* Returns whether --kind declares another kind; masks and arrays are one family. */
static bool is_another_kind(const struct set *s, const struct folder_row *r)
{
	const enum kind kind = s->t->settings->kind;

	return s->only != FAMILY_NONE && (r->family != s->only || (kind == KIND_MASK && r->kind == FILE_ARRAY) ||
					  (kind == KIND_ARRAY && r->kind != FILE_ARRAY));
}

/* Sums what may be audited. Returns the families that have files, and are no stray. */
static unsigned sum_candidates(const struct set *s, struct decision *d)
{
	unsigned all = 0;

	for (enum family f = 0; f < FAMILIES; f++)
		d->candidates[f] = (struct candidate){ .first = TABLE_NONE };
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];
		struct candidate *c = &d->candidates[r->family];

		if (!is_candidate(r) || (s->t->declared->labels && r->declared != ROLE_LABELS))
			continue;
		if (is_another_kind(s, r)) {
			give(r, ROLE_NONE, FAMILY_NONE, "another kind is declared");
			continue;
		}
		c->amount += MAX(r->amount, r->files);
		c->files += r->files;
		c->first = c->first == TABLE_NONE ? s->rows[i] : c->first;
		c->belongs |= is_paired(r);
		c->names_none |= r->family == FAMILY_COCO && !names_images(r);
		if (r->word == ROLE_LABELS && r->content != LOOK_PHOTO)
			c->called += r->files;
	}
	for (enum family f = FAMILY_MASK; f < FAMILIES; f++) {
		struct candidate *c = &d->candidates[f];

		c->sure =
			c->belongs || (f == FAMILY_MASK && c->called >= STRAY_FILES) || (f == FAMILY_IDX && c->called);
		if (c->files && (c->belongs || c->names_none || s->only != FAMILY_NONE || s->t->declared->labels ||
				 f == FAMILY_IDX || f == FAMILY_UNREAD || !is_stray(s, c->amount)))
			all |= 1u << f;
	}
	return all;
}

/* Ends with a family. */
static void end_with(struct set *s, struct decision *d, enum family family, const char *rule)
{
	for (size_t i = 0; i < s->count; i++) {
		struct folder_row *r = &s->t->rows[s->rows[i]];

		if (is_candidate(r) && r->family == family && !*r->rule)
			r->rule = is_paired(r) ? "paired" : r->word == ROLE_LABELS ? "its name says labels" : rule;
	}
	d->family = family;
	d->rule = rule;
	d->outcome = family == FAMILY_UNREAD ? OUTCOME_UNREAD : OUTCOME_LABELS;
}

/* Returns the family with the most of those in the set `of`. */
static enum family largest(const struct decision *d, unsigned of)
{
	enum family best = FAMILY_NONE;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		if (of >> f & 1 && (best == FAMILY_NONE || d->candidates[f].amount > d->candidates[best].amount))
			best = f;
	return best;
}

static void choose_family(struct set *s, struct decision *d, unsigned all)
{
	unsigned sure = 0, belongs = 0;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++) {
		sure |= d->candidates[f].sure ? all & 1u << f : 0;
		belongs |= d->candidates[f].belongs ? all & 1u << f : 0;
	}
	const unsigned unread = 1u << FAMILY_UNREAD, may = sure & ~unread ? sure & ~unread : all & ~unread;
	const enum family most = largest(d, all), big = largest(d, may);
	const uint64_t amount = d->candidates[big].amount;
	bool outweighs = big != FAMILY_NONE;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		if (all >> f & 1 && f != big)
			outweighs &= may >> f & 1 ? amount >= TIMES * d->candidates[f].amount
						  : d->candidates[f].amount < TIMES * amount;
	if (!(all & (all - 1)))
		end_with(s, d, most, "the only label files");
	/* a name alone does not outweigh what has the names of images */
	else if (belongs == unread && 2 * d->candidates[FAMILY_UNREAD].amount >= amount)
		end_with(s, d, FAMILY_UNREAD, "the only ones that belong to images");
	else if (may == (sure & ~unread) && !(may & (may - 1)) && TIMES * amount > d->candidates[most].amount)
		end_with(s, d, big, "the only ones that belong to images");
	else if (TIMES * amount <= d->candidates[FAMILY_UNREAD].amount)
		end_with(s, d, FAMILY_UNREAD, "ten times as many");
	else if (outweighs)
		end_with(s, d, big, "ten times as many");
	else {
		d->outcome = OUTCOME_AMBIGUOUS;
		d->rule = "ask";
	}
}

/* Returns whether the class folders of all parents are numbered from 0 on, as those of digits are. */
static bool are_numbered(const struct folder_table *t, const uint32_t *parents, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool has_zero = false, numbers = true;

		for (size_t k = 0; k < t->folders_count; k++) {
			const char *name = file_name_of(t->folders[k].path);

			if (t->folders[k].parent != parents[i])
				continue;
			has_zero |= name[strspn(name, "0")] == '\0';
			numbers &= name[strspn(name, "0123456789")] == '\0';
		}
		if (!has_zero || !numbers)
			return false;
	}
	return count > 0;
}

static void decide_families(struct set *s, struct decision *d)
{
	uint64_t files, candidates = 0;
	size_t parents_count;
	uint32_t *parents = find_class_parents(s->t, s->taken, &parents_count, &files);
	unsigned all = sum_candidates(s, d);
	bool paired = false, drawn = true;

	for (size_t i = 0; i < s->count; i++) {
		const struct folder_row *r = &s->t->rows[s->rows[i]];

		if (!is_candidate(r))
			continue;
		candidates += r->family == FAMILY_UNREAD ? 0 : r->files;
		paired |= is_paired(r) && r->family != FAMILY_LIST;
		drawn &= is_picture(r) && r->word != ROLE_LABELS && r->content != LOOK_PHOTO;
	}
	const bool whole = files >= TIMES * candidates && 5 * files >= 4 * s->images;

	drawn = drawn && candidates && files >= candidates && are_numbered(s->t, parents, parents_count);
	free(parents);
	if (files && s->only == FAMILY_NONE && !s->t->declared->labels && (!all || (!paired && (whole || drawn)))) {
		d->outcome = OUTCOME_CLASS_FOLDERS;
		d->rule = "class folders";
		return;
	}
	unsigned strays = 0;

	for (enum family f = FAMILY_MASK; f < FAMILIES; f++)
		strays |= !all && d->candidates[f].files ? 1u << f : 0;
	if (!all && !strays && !files && !s->t->declared->labels) {
		take_the_rest(s);
		all = sum_candidates(s, d);
	}
	if (all)
		choose_family(s, d, all);
	else if (strays & (strays - 1))
		choose_family(s, d, strays);
	else if (strays)
		d->rule = "a stray among images";
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

static void open_set(struct set *s)
{
	struct folder_table *t = s->t;
	uint32_t *photos = xcalloc(t->rows_count + 1, sizeof(*photos)),
		 *pictures = xcalloc(t->rows_count + 1, sizeof(*photos));
	size_t photos_count = 0, pictures_count = 0;

	s->rows = xcalloc(t->rows_count + 1, sizeof(*s->rows));
	s->photos = xcalloc(t->rows_count + 1, sizeof(*s->photos));
	s->own = xcalloc(t->find->paths_count + 1, sizeof(*s->own));
	for (size_t i = 0; i < t->find->paths_count; i++)
		s->own[i] = role_of_typed_path(t->find->paths[i]);
	for (uint32_t i = 0; i < t->rows_count; i++) {
		if (!row_is_live(&t->rows[i]))
			continue;
		set_word(s, &t->rows[i]);
		if (is_picture(&t->rows[i]) && t->rows[i].content == LOOK_MASK && hash_without_split(s, &t->rows[i]))
			hash_set_add(&s->masks, hash_without_split(s, &t->rows[i]));
	}
	for (uint32_t i = 0; i < t->rows_count; i++) {
		struct folder_row *r = &t->rows[i];
		bool image;

		if (!row_is_live(r))
			continue;
		image = r->declared == ROLE_IMAGES ||
			(r->content == LOOK_PHOTO && r->word < ROLE_CLUTTER && r->word != ROLE_LABELS) ||
			(r->kind == FILE_PHOTO && r->word != ROLE_LABELS) ||
			(r->word == ROLE_IMAGES && (is_picture(r) || r->kind == FILE_JPEG));
		image = image && r->declared != ROLE_LABELS &&
			(r->declared == ROLE_IMAGES || !(r->content == LOOK_PHOTO && has_masks_in_split(s, r)));
		s->photos[i] = image; /* photos of another PATH may be those of this one's masks */
		s->has_photos |= image;
		if (image)
			photos[photos_count++] = i;
		if (is_picture(r) || r->kind == FILE_JPEG)
			pictures[pictures_count++] = i;
		if (!s->taken[t->folders[r->folder].typed_path])
			continue;
		s->rows[s->count++] = i;
		if (r->content == LOOK_PHOTO && r->kind < FILE_ARRAY)
			s->images += r->files;
	}
	s->with_images = pairing_new(t, photos, photos_count);
	s->with_pictures = pairing_new(t, pictures, pictures_count);
	free(photos);
	free(pictures);
}

static void close_set(struct set *s)
{
	pairing_free(s->with_images);
	pairing_free(s->with_pictures);
	hash_set_release(&s->masks);
	free(s->rows);
	free(s->photos);
	free(s->own);
}

/* ---- what is declared ---------------------------------------------------------------------------------------------
 */

static void take_declared(struct set *s)
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

void decide(struct folder_table *t, const bool *taken, enum family only, struct decision *out)
{
	struct set s = { .t = t, .taken = taken, .only = only };

	*out = (struct decision){ .outcome = OUTCOME_NOTHING, .rule = "no label files" };
	open_set(&s);
	give_roles(&s);
	if (t->declared->count)
		take_declared(&s);
	decide_families(&s, out);
	if (t->declared->labels)
		out->rule = out->outcome == OUTCOME_LABELS    ? "declared"
			    : out->outcome == OUTCOME_NOTHING ? "labels matches no file"
							      : out->rule;
	close_set(&s);
}
