/*
 * struct evidence: how much of each family of label files a PATH holds, and which family it is made of. A stray file
 * must not decide for a thousand others.
 *
 * Masks, arrays and YOLO texts weigh as files. COCO files, lists and IDX arrays are few, and weigh by what they
 * describe: images of the PATH, rows, items. Filled by the detection's walk; one thread.
 */
#pragma once

#include <stdint.h>

#include "find/source.h"
#include "layout/listed_names.h"
#include "layout/probe.h"
#include "read/unread_kind.h"

/* In the order in which they are preferred. */
enum family {
	FAMILY_GRID, /* masks and arrays */
	FAMILY_YOLO,
	FAMILY_COCO,
	FAMILY_IDX,
	FAMILY_LIST,
	FAMILIES,
	FAMILY_NONE = FAMILIES,
};

enum { MASK_SAMPLE = 32 };

/* The files with the smallest sample_hash(). */
struct name_sample {
	struct {
		uint64_t hash;
		char name[64];
	} v[MASK_SAMPLE];
	unsigned count;
};

struct evidence {
	uint64_t masks;         /* PNGs that are not images */
	uint64_t named;         /* of them, those that their names call masks */
	uint64_t placed;        /* of these, those in masks/ and its like */
	uint64_t named_colours; /* of these, flat colours that the name of a folder alone calls masks */
	uint64_t numbers;       /* of the masks: those in instances/ and its like */
	uint64_t clutter;       /* of all PNGs that are no photos: those in docs/, runs/ and their like */
	uint64_t image_masks;   /* in images/ and its like, and no photos */
	uint64_t plain;         /* in archives, without a word before .png: masks, or the images of a WebDataset */
	uint64_t colours;       /* flat colours: renderings, plots */
	uint64_t arrays;        /* label arrays; one with one axis weighs as many as it has elements */
	uint64_t measured;      /* arrays of fractions that no name calls labels: of no weight beside other families */
	uint64_t array_files;   /* both, as files */
	uint64_t named_arrays;  /* of them, those that names call labels */
	unsigned named_axes;    /* the most that one of these has */
	uint64_t photos;
	uint64_t distances;       /* PNGs in depth/ and its like, which are no masks beside photos */
	uint64_t yolo;            /* texts, estimated from those probed */
	uint64_t yolo_pairs;      /* texts beside a PNG of the same name */
	uint64_t coco, idx, list; /* what they describe */
	uint64_t lists, coco_files, idx_files;
	uint64_t placed_texts;          /* of all these, and YOLO's texts: those in labels/ and its like */
	uint64_t jpeg_masks;            /* JPEGs that their names call masks */
	uint64_t flat;                  /* BMPs and GIFs that no name calls masks or images */
	uint64_t unread;                /* annotations in formats that are not read: images that they describe, about */
	uint64_t unread_files;          /* of these, masks and containers, which are no annotations */
	uint64_t described;             /* the same by JSON of an unknown kind, if it is about images of the PATH */
	struct name_sample mask_sample; /* masks without a mask's name: whether COCO lists them */
	struct name_sample named_sample;  /* the others, without the word for masks: whether images have their names */
	struct name_sample colour_sample; /* flat colours: the same */
	struct name_sample image_sample;  /* images, with their folders: whether a table is about groups of them */
	struct listed_names coco_names, list_names; /* images that they list */
	struct listed_names yolo_names, list_files; /* texts: KITTI's have the names of their images, too */
	struct listed_names list_words;             /* the first ones of rows: images without an extension, or others */
	struct listed_names unread_names;           /* annotations that are not read, and images that they name */
	struct listed_names table_names;            /* first words of tables without labels */
	struct listed_names unread_keys;            /* keys of JSON, which may be images without an extension */
	struct name_filter image_names;             /* images of the PATH, but no masks */
	struct name_filter beginnings;              /* of names in images/ */
};

void evidence_release(struct evidence *e);
/* Adds a recognised file, which represents `files` files of its extension. */
void evidence_add_text(struct evidence *e, const struct entry *entry, const struct entry_probe *probe, enum kind kind,
		       uint64_t files);
/* Adds a mask to a sample. named: it has a mask's name. */
void evidence_sample_mask(struct evidence *e, const struct entry *entry, bool named);
/* Adds a PNG in flat colours to a sample. */
void evidence_sample_colour(struct evidence *e, const struct entry *entry);
/* Adds a PNG in images/, by what the name of a mask may have of a photo's: P0000 of P0000_instance_color_RGB.png. */
void evidence_add_beginnings(struct evidence *e, const struct entry *entry);
/* Returns whether images/ holds masks beside their photos, by the names, and more than there are elsewhere. */
bool evidence_images_hold_masks(const struct evidence *e);
/* Adds an image, which lists may name. */
void evidence_add_image(struct evidence *e, const struct entry *entry);
/* Adds an array, by its header. named: a name calls it labels. */
void evidence_add_array(struct evidence *e, const struct file_head *head, bool named, uint64_t files);
/*
 * Returns which of masks and arrays, KIND_BITs, are strays among the other: plots beside y_train.npy, features beside
 * masks/.
 */
unsigned evidence_stray_grids(const struct evidence *e);
/* Returns whether four masks of five have the names of images, and no word calls them masks. */
bool evidence_masks_have_image_names(const struct evidence *e);
/* Returns whether nearly all masks are instance numbers by the name of their folder, and no folder has others. */
bool evidence_is_of_numbers(const struct evidence *e);
/* Returns whether nearly all masks are so by their names: others may be plots where projects keep these. */
bool evidence_has_named_masks(const struct evidence *e);
/* Adds a file of annotations that are not read; UNREAD_NONE: JSON that may be some. */
void evidence_add_unread(struct evidence *e, const struct entry *entry, const struct entry_probe *probe,
			 enum unread_kind kind, uint64_t files);
/* Adds a file in labels/ and its like, of no known kind. */
void evidence_add_unknown(struct evidence *e, const struct entry *entry, uint64_t files);
/* Adds a text of any other kind, the lines of which may begin with the names of images. */
void evidence_add_words(struct evidence *e, const struct entry_probe *probe);
/* Adds a table that does not seem to hold labels. */
void evidence_add_table(struct evidence *e, const struct entry *entry, const struct entry_probe *probe);
/* Returns whether PNGs in flat colours have the names of images, and annotations that are not read are strays. */
bool evidence_colours_are_masks(const struct evidence *e);
/* Returns whether tables without labels are about images of the PATH: then these are no masks. */
bool evidence_has_table_of_images(const struct evidence *e);
/* Returns whether JSON of an unknown kind describes images of the PATH. */
bool evidence_is_described(const struct evidence *e);
/*
 * Returns whether the PATH is made of annotations that are not read, and the PNGs that may be masks are strays, such as
 * plots.
 */
bool evidence_is_unread(const struct evidence *e);
/* Returns the weight of all label files in a PATH with that number of photos in class folders, where they would be
 * strays. */
uint64_t evidence_among_folders(const struct evidence *e, uint64_t photos);
/*
 * Returns whether label files of a family are no strays among annotations that are not read: strays are fewer, and not
 * about images of the PATH.
 */
bool evidence_outweighs_unread(const struct evidence *e, enum family family);
/*
 * Returns whether the only label file is a stray: it is about none of the images of the PATH, nor of as many, and these
 * have no labels; or label files of a kind that is not read are more.
 */
bool evidence_is_lone(const struct evidence *e, enum family family);
/* Returns whether BMPs and GIFs are half of the images, as masks beside their photos are, and few annotations are not
 * read.
 */
bool evidence_is_flat(const struct evidence *e);
/* Returns whether label files of a family are strays among masks that were saved as JPEG. */
bool evidence_is_jpeg_masks(const struct evidence *e, enum family family);
/* Returns whether lists name images of the PATH, or have their names: then one of numbers alone is a stray. */
bool evidence_lists_are_bound(const struct evidence *e);
/* Returns whether label files that are not read outweigh a list that names no image of the PATH. */
bool evidence_list_is_stray(const struct evidence *e);
/* Returns the weight of a family against masks. */
uint64_t evidence_weight(const struct evidence *e, enum family family);
/* Returns the family that the PATH is made of, FAMILY_NONE if there is none. */
enum family evidence_family(const struct evidence *e);
/* Returns the kinds of a family, KIND_BITs. */
unsigned family_kinds(enum family family);
