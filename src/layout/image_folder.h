/*
 * ImageFolders, before the audit and after: decides whether a data set is one, lists its class folders, and names its
 * classes after them. layout/class_folders.h defines an ImageFolder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "layout/class_folders.h"

/*
 * Decides whether all photos of a data set lie in class folders, and in how many. The detection's walk adds each photo,
 * or one of each folder. Owner: the detection; one thread.
 */
struct image_folder_detection {
	const struct find_options *find; /* the PATHs; borrowed */
	struct class_folders folders;    /* owned; empty until they are listed */
	struct member_folders packed;    /* in archives, filled by the walk; owned */
	bool listed;
	bool stray; /* the folders are not an ImageFolder's */
	bool last_inside,
		last_bare;        /* the folder of the last photo is, or lies in, a class folder; or a split without */
	uint64_t inside, outside; /* photos in class folders; elsewhere */
	bool several;             /* photos lie in several class folders */
	bool direct;              /* some lie in no folder below theirs */
	uint32_t last_class;      /* of the last photo; UINT32_MAX: none yet */
	unsigned unread;          /* times that the folders could not be read */
};

void image_folder_detection_init(struct image_folder_detection *d, const struct find_options *find);
void image_folder_detection_release(struct image_folder_detection *d);
/* Adds a photo by its path alone. new_folder: it lies in another folder than the one before. */
void image_folder_detection_add(struct image_folder_detection *d, const struct entry *entry, bool new_folder);
/* Adds the photos in archives, after the walk, when all their folders are known. */
void image_folder_detection_end(struct image_folder_detection *d);
/*
 * Returns whether there are as many folders as classes; one more or less is a mistake that the audit shall find. Photos
 * in one folder only prove nothing. Photos elsewhere, and the `others` that may be label files, must be few.
 */
bool image_folder_detection_fits(const struct image_folder_detection *d, uint64_t classes, uint64_t others);

/*
 * Lists the class folders of all PATHs, for --kind imagefolder. Returns STATUS_FAILED if there are none or too many, or
 * if a folder could not be read; then there is nothing to release.
 */
enum status image_folder_open(struct class_folders *out, const struct find_options *find, struct error *err);
/*
 * Names the classes after their folders if the user gave only a number of classes; but not a class that has different
 * folders below different roots.
 */
void image_folder_name_classes(const struct class_folders *f, struct settings *settings);
