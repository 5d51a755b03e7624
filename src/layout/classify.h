/*
 * Which of the files that the walk finds are label files, and of what kind. Content decides; a name is only a claim.
 *
 * - What the user names must be a label file.
 * - Of a folder, one family of kinds is audited, the first of these that occurs: masks (PNG) and arrays (.npy), YOLO
 *   texts, COCO JSON, IDX arrays, lists. (Notes and lists lie beside masks, but no masks beside lists.) The census
 *   (detect.h) finds out which; --kind overrides it.
 * - A file named *.png claims to be a mask and must be one, *.npy an array. Any other file in a folder is looked into,
 *   and left out if it is not of the family.
 * - Pictures (JPEG, GIF ...) beside masks are the images that the masks belong to. A tree with pictures and no label
 *   file at all has its pictures audited as masks, since somebody saved the masks that way: those called so (masks/,
 *   1_mask.jpg) if there are such, else all but those in images/; unless it is an ImageFolder, or annotations of a kind
 *   that is not read lie beside them. A grey JPEG in a folder that is called like masks, without a PNG of its name
 *   there, is a mask, too.
 * - In an ImageFolder (layout/class_folders.h) the names of folders are the labels. A tree is taken for one if all of
 * its pictures lie below class folders, these are as many as the classes, or one more or less, and none is named like a
 *   part of another data set. PNGs there count as pictures by their weight (photo_probe.h). Where texts may speak of
 *   such PNGs they are no masks, unless they are called masks.
 * - A PNG may be an image and not a mask, an array the features. Where the census saw both parts of a set, which their
 *   names tell (layout/role_names.h), the images are left out: images/ beside masks/, train/ beside trainannot/, 1.png
 *   beside 1_mask.png, 1.png beside 1.seg.png or 1.cls in an archive, x_train.npy beside y_train.npy; so is what goes
 *   with masks and is none: instances/, colormaps/ and depth/ beside masks/, 1_color.png beside 1_mask.png; and what
 *   else lies beside the masks that a --preset means. --kind takes all of them for labels.
 * - Members of archives are sorted out like the files of a folder; class folders in archives are roots of their own.
 */
#ifndef LAYOUT_CLASSIFY_H
#define LAYOUT_CLASSIFY_H

#include <stdbool.h>

#include "base/settings.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "layout/class_folders.h"
#include "layout/folder_role.h"
#include "read/format.h"

/* With its NUL. A longer suffix is no convention. */
enum { LABEL_SUFFIX_MAX = 16 };

/* What is audited, by the census; the same for the whole audit. */
struct sorting {
	unsigned named_kinds;          /* of files that the user named: a KIND_BIT each */
	unsigned kinds;                /* of files found in folders */
	bool pictures_too;             /* pictures are audited as masks, which they cannot be: a finding each */
	bool called_labels_only;       /* of pictures, those in masks/ and its like, or called 1_mask.jpg */
	struct class_folders *folders; /* of KIND_IMAGEFOLDER, else NULL; owned */
	struct member_folders *packed; /* where trainannot/ was seen, the folders in archives, else NULL; owned */
	/* Names of labels that were seen; where they were, files with the names of images are images. */
	bool folder_parts;                    /* masks/ and its like */
	bool sample_parts;                    /* 1.seg.png, 1.cls: members */
	bool member_pairs;                    /* 1.png beside 1_mask.png in an archive */
	bool prefix_parts;                    /* mask_1.png */
	bool array_parts;                     /* y_train.npy */
	char label_suffix[LABEL_SUFFIX_MAX];  /* _mask of 1_mask.png; "": none */
	char folder_suffix[LABEL_SUFFIX_MAX]; /* annot of trainannot/; "": none */
	bool tables_show_labels;              /* some lists do: those that do not are left out */
	const char *files; /* of the preset, if some were seen: other PNGs beside them are left out; else NULL */
};

enum claim {
	CLAIM_LABELS, /* read it whole; what is wrong with it is a finding */
	CLAIM_OTHER,  /* skipped */
	CLAIM_FAILED, /* could not be opened: fault is filled */
};

/* Whether the names of folders, or the end of its own, call a file a mask: masks/1.png, 1_mask.png. */
bool sort_out_called_labels(const struct entry *entry, const struct entry_folder *folder);

/* Before it is opened. folder: has been entered for the entry. */
enum claim sort_out_entry(const struct entry *entry, struct entry_folder *folder, const struct sorting *sorting,
			  struct fault *fault);

/* Whether a file that is skipped is a picture of a YOLO data set that has no label file. */
bool sort_out_lacks_label(const struct entry *entry, const struct sorting *sorting);

/* Fills where in an ImageFolder the file lies. False: none is audited, or the user named the file. */
bool sort_out_folder(const struct entry *entry, const struct sorting *sorting, struct sample *sample);

/* The same as sort_out_entry for a member of an archive that is not handed out yet; as struct find_options'
 * wants_member. */
bool sort_out_wants(const void *sorting, const char *archive, const char *name, const uint8_t *head, size_t n);

/* The reader of a file that claims to hold labels, by its first bytes. NULL: fault says what it is instead. */
const struct format *sort_out_reader(const struct entry *entry, const struct sorting *sorting, const uint8_t *head,
				     size_t n, struct fault *fault);

void sorting_release(struct sorting *sorting);

#endif
