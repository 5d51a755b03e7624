/* struct dataset_layout: what layout_detect() found out about a data set, for the classification of its entries. */
#ifndef LAYOUT_DATASET_LAYOUT_H
#define LAYOUT_DATASET_LAYOUT_H

#include <stdbool.h>

#include "find/member_folders.h"
#include "layout/class_folders.h"

/* With its NUL. A longer suffix is no convention. */
enum { LABEL_SUFFIX_MAX = 16 };

/* The kinds of files to audit, from layout_detect(). Read-only during the audit, any thread. */
struct dataset_layout {
	unsigned explicit_kinds;       /* of files that the user named: a KIND_BIT each */
	unsigned kinds;                /* of files found in folders */
	bool photos_as_masks;          /* photos are audited as masks, which they cannot be: a finding each */
	bool label_names_only;         /* only those photos that names call labels */
	struct class_folders *folders; /* of KIND_IMAGEFOLDER, else NULL; owned */
	struct member_folders *packed; /* folders in archives, if trainannot/ was seen, else NULL; owned */
	/* The kinds of names that labels have; files with the corresponding names of images are skipped. */
	bool folder_roles;                    /* masks/ */
	bool sample_roles;                    /* 1.seg.png, 1.cls: members */
	bool archive_pairs;                   /* 1.png beside 1_mask.png in an archive */
	bool prefix_roles;                    /* mask_1.png */
	bool array_roles;                     /* y_train.npy */
	char label_suffix[LABEL_SUFFIX_MAX];  /* _mask of 1_mask.png, or "" */
	char folder_suffix[LABEL_SUFFIX_MAX]; /* annot of trainannot/, or "" */
	bool some_tables_have_labels;         /* tables that do not seem to are skipped */
	const char *preset_files; /* where the preset's masks lie, if some do: other PNGs are skipped; or NULL */
};

void dataset_layout_release(struct dataset_layout *layout);

#endif
