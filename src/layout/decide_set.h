/*
 * struct set: the rows of a table, while decide.c decides about those of one PATH after the other. decide_set.c fills
 * in the words and the pairs of rows, decide_roles.c gives each a role, decide.c chooses the family that is audited.
 * For these three alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "layout/folder_table.h"
#include "layout/pairing.h"

#define PAIRED .5

enum {
	TIMES = 10, /* a family outweighs another that describes a tenth */
};

struct set {
	struct folder_table *t;
	enum role *own; /* of each PATH, by its last part */
	bool *photos;   /* by row: the images that labels may belong to */
	bool has_photos;
	struct pairing *with_images, *with_pictures;
	struct hash_set masks; /* hashes of rows of masks without the names of splits */
	/* of one PATH: */
	enum family only; /* --kind, or FAMILY_NONE */
	uint32_t *rows;
	size_t count;
	uint64_t images; /* files that are images by their content */
};

/* Fills in the words of s->t's rows, and the images that labels may belong to: photos of one PATH may be those of
 * another's masks. */
void set_open(struct set *s);
/* Fills in the rows of a PATH. */
void set_take_path(struct set *s, uint32_t path);
void set_close(struct set *s);
/* Sets which images a row belongs to. */
void set_pair_row(struct set *s, uint32_t row);
/* Returns whether pictures without a word, which look like photos, are masks in another split. */
bool set_has_masks_in_split(const struct set *s, const struct folder_row *r);

/* Gives each row the role that its words, its content and its pair say. */
void set_give_roles(struct set *s);
/* Gives the rows that were declared their roles; where labels are, no other row is labels. */
void set_take_declared(struct set *s);
/*
 * Takes what does not seem to hold labels, to be audited if nothing else can be them, so that a finding says what it
 * is: pictures that look like photos, arrays of floats, tables whose column the user may name.
 */
void set_take_the_rest(struct set *s);

static inline const char *set_path(const struct set *s, const struct folder_row *r)
{
	return s->t->folders[r->folder].path;
}

/* Returns whether few files are a stray, which belongs to none of the images, whatever it is called. */
static inline bool set_is_stray(const struct set *s, uint64_t files)
{
	return files < STRAY_FILES && s->images >= STRAY_PHOTOS;
}

static inline bool is_picture(const struct folder_row *r)
{
	return r->kind == FILE_PICTURE;
}

static inline bool is_paired(const struct folder_row *r)
{
	return r->paired >= PAIRED;
}

static inline bool is_candidate(const struct folder_row *r)
{
	return r->role == ROLE_LABELS;
}

static inline void give(struct folder_row *r, enum role role, enum family family, const char *rule)
{
	r->role = role;
	r->family = family;
	r->rule = rule;
}
