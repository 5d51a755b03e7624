/* What an audit knows of an ImageFolder before and behind its walk: the names of the classes, and which folders are. */
#ifndef IMAGE_FOLDER_H
#define IMAGE_FOLDER_H

#include "base/settings.h"
#include "find/class_folders.h"
#include "judge/folder_totals.h"

/*
 * Where the user gave a number of classes and no names, the folders' are the classes'; but not of an id that is called
 * otherwise below another root.
 */
void image_folder_name_classes(const struct class_folders *f, struct settings *settings);
/* All class folders, with images or without. */
void image_folder_add(const struct class_folders *f, struct folder_totals *totals);

#endif
