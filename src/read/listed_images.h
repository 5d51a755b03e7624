/*
 * struct listed_images: what is wrong with the images that a label file of many images names: a COCO file, a list, rows
 * of boxes. They are looked for in one folder: --images or --root, or else the first of the usual places that has most
 * of a sample of the names; if none has, the images are elsewhere, and nothing is reported. The header and the
 * end of each are read (read/photo.h), unless its name is no image's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key_set.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "find/pool.h"
#include "read/photo.h"

enum image_trouble {
	IMAGE_MISSING,
	IMAGE_BROKEN,  /* cannot be read, or ends early */
	IMAGE_SIZE,    /* another width or height than is declared */
	IMAGE_TURNED,  /* the size that is declared, but EXIF swaps width and height */
	IMAGE_UPRIGHT, /* the size that is declared only where EXIF swaps them */
	IMAGE_UNNAMED, /* in the folder, and not named */
	IMAGE_TROUBLES,
};

struct image_tally {
	uint64_t images;
	/* of the first: where it is named, and what is wrong with it */
	uint64_t line, column;
	char text[320];
	struct key_set keys; /* of all, by name; owned */
};

/* The facts, for the rules. Owner: the label_measurer, until the sample is judged. */
struct listed_images {
	struct listed_images *next;
	bool declared;        /* the folder was: an image that is missing is an error */
	bool unread;          /* an image could not be opened or read, whatever it holds */
	uint64_t judged;      /* images that were looked for */
	struct strbuf folder; /* where, with a slash at its end; "": nowhere */
	struct image_tally tallies[IMAGE_TROUBLES];
	uint64_t photos, traits[PHOTO_TRAITS]; /* of those that are sound */
};

void listed_images_free(struct listed_images *l);

/* An image as it is named. */
struct listed_image {
	const char *name;
	size_t n;
	uint32_t width, height; /* as declared; 0: they are not */
	uint64_t line, column;
	uint32_t number; /* for `sized` */
};

/* While a label file is read; one thread. */
struct image_checker {
	struct listed_images *out;
	struct pool *pool;
	const struct member_images *members; /* of all archives; NULL: of none. Set after image_checker_open() */
	char *label_path;                    /* of a member the archive's, '/' and its name; owned */
	bool is_list;                        /* whose names may be absolute, and lack the extension */
	bool decided;                        /* the folder is */
	bool nested;                         /* some names have folders */
	unsigned alike;                      /* files beside it that may name images, too, and itself */
	bool has_folder;                     /* out->folder is that of the images */
	bool has_near;                       /* it has one that nearly has the name of a missing one */
	struct image_query *queries;         /* that wait; owned */
	size_t count;
	struct strbuf names; /* theirs, NUL-terminated each */
	struct hash_set seen;
	char *frames; /* image_checker_frames(); owned */
	/* Called with the size of each image that has one; NULL: of none. Set after image_checker_open(). */
	void (*sized)(void *context, uint32_t number, const struct photo_size *size);
	void *context;
};

/* folder: where the images are declared to be; or NULL. */
void image_checker_open(struct image_checker *c, struct listed_images *out, const char *label_path, const char *folder,
			struct pool *pool);
/*
 * Says that the images are frames of a video, before the first is added: they lie at `frames` from the folder of the
 * label file on, "../img1/"; or, of a declared folder, in that or in VIDEO/img1/ below it.
 */
void image_checker_frames(struct image_checker *c, const char *frames);
/* Looks at an image: now, or with others. One that was named before is left out. */
void image_checker_add(struct image_checker *c, const struct listed_image *image);
/* Looks at those that wait, and ends. */
void image_checker_close(struct image_checker *c);
