#include "layout/decide_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "find/archive.h"
#include "find/find_options.h"

/* ---- words --------------------------------------------------------------------------------------------------------
 */

/* Returns the role of the last part of a PATH as it is on the disk. */
static enum role role_of_typed_path(const char *typed)
{
	FREED char *whole = realpath(typed, NULL);
	const char *name = file_name_of(whole ? whole : typed);
	size_t n = strlen(name) - (is_archive_name(name) ? strlen(file_name_extension(name)) : 0);
	enum role role = role_of_name(name, n);

	return role;
}

/* Returns whether a folder in an archive has the name of that. */
static bool is_name_of_path(const char *typed, const char *name, size_t n)
{
	const char *last = file_name_of(typed);

	return is_archive_name(typed) && !strncmp(last, name, n) && last[n] == '.';
}

/* Sets what the words of a row's suffix and folders say: the suffix decides, else the nearest folder that says
 * something. */
static void set_word(const struct set *s, struct folder_row *r)
{
	const char *path = set_path(s, r);
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
		near &= role == ROLE_SPLIT || path[end - 1] == '*';
	}
	const enum role own = s->own[s->t->folders[r->folder].typed_path];

	if (r->word == ROLE_NONE && own == ROLE_LABELS) {
		r->word = ROLE_LABELS;
		r->word_is_inner = near;
	}
	enum role suffix = !file_is_document(r->kind) ? role_of_name(r->suffix, strlen(r->suffix)) : ROLE_NONE;

	if (r->kind == FILE_LABEL_DOC)
		suffix = ROLE_LABELS;
	if (r->is_prefix && suffix != ROLE_LABELS) /* IMG_1.png may be a mask, and test_1.png anything */
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
		for (unsigned k = 0; k < r->items[i]->look.names_count; k++) {
			all++;
			there += folder_table_has_image(s->t, r->items[i]->look.names[k]);
		}
	return all ? (double)there / all : 0;
}

/* Hashes what a row has in common with those of other splits: train/, val/. */
static uint64_t hash_without_split(const struct set *s, const struct folder_row *r)
{
	uint64_t hash = hash_bytes(r->kind, r->suffix, strlen(r->suffix));
	bool split = false;

	for (const char *path = set_path(s, r), *end; *path; path = end + (*end == '/')) {
		end = path + strcspn(path, "/");
		bool is_split = role_of_name(path, (size_t)(end - path)) == ROLE_SPLIT;

		split |= is_split;
		hash = is_split ? hash_word(hash, 1) : hash_bytes(hash, path, (size_t)(end - path));
	}
	return split ? hash : 0;
}

bool set_has_masks_in_split(const struct set *s, const struct folder_row *r)
{
	uint64_t hash = is_picture(r) && r->word == ROLE_NONE ? hash_without_split(s, r) : 0;

	return hash && hash_set_has(&s->masks, hash);
}

void set_pair_row(struct set *s, uint32_t row)
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

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

/* Returns whether labels may belong to a row. */
static bool is_image(const struct set *s, const struct folder_row *r)
{
	if (r->declared != ROLE_NONE)
		return r->declared == ROLE_IMAGES;
	if (r->content == LOOK_PHOTO && set_has_masks_in_split(s, r))
		return false;
	return (r->content == LOOK_PHOTO && r->word < ROLE_CLUTTER && r->word != ROLE_LABELS) ||
	       (r->kind == FILE_PHOTO && r->word != ROLE_LABELS) ||
	       (r->word == ROLE_IMAGES && (is_picture(r) || r->kind == FILE_JPEG));
}

void set_open(struct set *s)
{
	struct folder_table *t = s->t;
	uint32_t *images = xcalloc(t->rows_count + 1, sizeof(*images)),
		 *pictures = xcalloc(t->rows_count + 1, sizeof(*pictures));
	size_t images_count = 0, pictures_count = 0;

	s->rows = xcalloc(t->rows_count + 1, sizeof(*s->rows));
	s->photos = xcalloc(t->rows_count + 1, sizeof(*s->photos));
	s->own = xcalloc(t->find->paths_count + 1, sizeof(*s->own));
	for (size_t i = 0; i < t->find->paths_count; i++)
		s->own[i] = role_of_typed_path(t->find->paths[i]);
	for (uint32_t i = 0; i < t->rows_count; i++) {
		struct folder_row *r = &t->rows[i];

		set_word(s, r);
		if (is_picture(r) && r->content == LOOK_MASK && hash_without_split(s, r))
			hash_set_add(&s->masks, hash_without_split(s, r));
	}
	for (uint32_t i = 0; i < t->rows_count; i++) {
		const struct folder_row *r = &t->rows[i];

		s->photos[i] = row_is_live(r) && is_image(s, r);
		s->has_photos |= s->photos[i];
		if (s->photos[i])
			images[images_count++] = i;
		if (is_picture(r) || r->kind == FILE_JPEG)
			pictures[pictures_count++] = i;
	}
	s->with_images = pairing_new(t, images, images_count);
	s->with_pictures = pairing_new(t, pictures, pictures_count);
	free(images);
	free(pictures);
}

void set_take_path(struct set *s, uint32_t path)
{
	s->count = 0;
	s->images = 0;
	for (uint32_t i = 0; i < s->t->rows_count; i++) {
		const struct folder_row *r = &s->t->rows[i];

		if (!row_is_live(r) || s->t->folders[r->folder].typed_path != path)
			continue;
		s->rows[s->count++] = i;
		s->images += r->content == LOOK_PHOTO && r->kind < FILE_ARRAY ? r->files : 0;
	}
}

void set_close(struct set *s)
{
	pairing_free(s->with_images);
	pairing_free(s->with_pictures);
	hash_set_release(&s->masks);
	free(s->rows);
	free(s->photos);
	free(s->own);
}
