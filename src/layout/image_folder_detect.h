/*
 * struct class_folder_census: the part of the census (detect.h) that looks whether a set is an ImageFolder: whether all
 * of its pictures lie in class folders (layout/class_folders.h), and in how many. The walk gives it each picture, or
 * one of each folder. Owner: the census; one thread.
 */
#ifndef LAYOUT_IMAGE_FOLDER_DETECT_H
#define LAYOUT_IMAGE_FOLDER_DETECT_H

#include <stdbool.h>
#include <stdint.h>

#include "find/member_folders.h"
#include "find/source.h"
#include "layout/class_folders.h"

struct class_folder_census {
	const struct find_options *find; /* the PATHs; borrowed */
	struct class_folders folders;    /* owned; empty until they are listed */
	struct member_folders packed;    /* in archives: the walk fills it; owned */
	bool listed;
	bool stray;          /* a picture lies in no class folder, or the folders are those of no ImageFolder */
	bool several;        /* pictures lie in several class folders */
	uint32_t last_class; /* of the picture before; UINT32_MAX: none yet */
	unsigned unread;     /* times that the folders could not be read */
};

void class_folder_census_init(struct class_folder_census *c, const struct find_options *find);
void class_folder_census_release(struct class_folder_census *c);
/* Takes in a picture, by its place alone. */
void class_folder_census_add(struct class_folder_census *c, const struct entry *entry);
/* When all members were seen: takes in the pictures in archives, whose folders are known now. */
void class_folder_census_end(struct class_folder_census *c);
/*
 * Whether the folders are as many as the classes; one more or less is a mistake that the audit is to find. Pictures of
 * one folder alone prove nothing.
 */
bool class_folder_census_fits(const struct class_folder_census *c, uint64_t classes);

#endif
