/* struct dataset_layout: what layout_detect() found out about a data set, for the classification of its entries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/settings.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "layout/class_folders.h"
#include "layout/folder_looks.h"
#include "layout/listed_names.h"

/* With its NUL. A longer suffix is no convention. */
enum { LABEL_SUFFIX_MAX = 16 };

/* The kinds of files to audit, from layout_detect(). Read-only during the audit, any thread. */
struct dataset_layout {
	const struct settings *settings; /* borrowed; not NULL */
	unsigned explicit_kinds;         /* of files that the user named: a KIND_BIT each */
	unsigned kinds;                  /* of files found in folders */
	bool no_family;            /* no label files were seen: then any file of labels that are not read counts */
	struct name_filter images; /* all of the PATH, if JSON or tables without labels are about them; owned */
	struct name_filter
		annotated; /* all images, if YOLO texts are the labels: a text of such a name is one of these; owned */
	bool flat_masks;   /* BMPs and GIFs are masks, whatever they are called: nothing else can be one */
	bool photos_as_masks;          /* photos are audited as masks, which they cannot be: a finding each */
	bool label_names_only;         /* only those photos that names call labels */
	struct class_folders *folders; /* of KIND_IMAGEFOLDER, else NULL; owned */
	struct member_folders *packed; /* folders in archives, if trainannot/ was seen, else NULL; owned */
	/* The kinds of names that labels have; files with the corresponding names of images are skipped. */
	bool folder_roles;         /* masks/ */
	bool numbers_alone;        /* the only masks are those in instances/ and its like: they are audited */
	bool masks_are_named;      /* nearly all: others in docs/, or beside masks/, are plots */
	struct name_filter masked; /* if nearly all masks have the names of images: these; owned */
	struct name_filter
		image_masks;   /* if masks lie in images/ alone, and photos there: beginnings of their names; owned */
	uint64_t masks_beside; /* hash_above_labels() of the first one */
	bool sample_roles;     /* 1.seg.png, 1.cls: members */
	bool archive_pairs;    /* 1.png beside 1_mask.png in an archive */
	bool member_suffixes;  /* 1_mask.png in an archive */
	bool prefix_roles;     /* mask_1.png */
	bool array_roles;      /* y_train.npy */
	unsigned array_axes;   /* the most of an array that is called labels */
	char label_suffix[LABEL_SUFFIX_MAX];  /* _mask of 1_mask.png, or "" */
	char folder_suffix[LABEL_SUFFIX_MAX]; /* annot of trainannot/, or "" */
	bool some_tables_have_labels;         /* tables that do not seem to are skipped */
	bool some_tables_have_column;         /* that of --column: those of a test split without it are skipped */
	unsigned tables_width;        /* so are other tables, of another width; 0: widths differ among those with it */
	bool some_tables_name_labels; /* in their headers: those of a test split that lack that word are skipped */
	unsigned labels_width;        /* the width of these, or 0 if it differs */
	bool lists_are_bound;         /* they name images that are here */
	bool photos_by_content;       /* folders of unknown names hold photos here and masks there */
	struct name_filter listed;    /* images that COCO files or lists name; owned */
	bool listed_cut;              /* and others */
	bool images_in_doubt;         /* images/ holds more that look like masks than there are YOLO texts */
	struct folder_looks looks;    /* what the folders hold; owned */
	uint64_t look_mask;           /* PNGs left out whose sample_hash() has none of these bits are looked at */
	bool borrows;                 /* what it owns belongs to another layout */
	const char *preset_files;     /* where the preset's masks lie, if some do: other PNGs are skipped; or NULL */
};

void dataset_layout_release(struct dataset_layout *layout);

/* The layouts of all PATHs, by their index, and of --files-from. Read-only during the audit, any thread. */
struct dataset_layouts {
	struct dataset_layout *v; /* owned */
	size_t count;             /* at least 1 */
};

void dataset_layouts_release(struct dataset_layouts *layouts);
/* Returns the layout of an entry's PATH. */
static inline const struct dataset_layout *layout_of(const struct dataset_layouts *layouts, const struct entry *entry)
{
	size_t path = MIN(entry->typed_path, layouts->count - 1);

	return &layouts->v[PLANTED(layout_of_a_path, path, 0)];
}
/* Returns whether masks may be measured. */
bool layouts_have_masks(const struct dataset_layouts *layouts);
/* Returns the class folders, if some PATH is an ImageFolder, else NULL. all: only if every PATH is one. */
const struct class_folders *layouts_folders(const struct dataset_layouts *layouts, bool all);
