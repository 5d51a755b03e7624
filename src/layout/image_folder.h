/* What an audit knows of an ImageFolder before and behind its walk: which folders are classes, and their names. */
#ifndef LAYOUT_IMAGE_FOLDER_H
#define LAYOUT_IMAGE_FOLDER_H

#include "base/error.h"
#include "base/settings.h"
#include "find/source.h"
#include "layout/class_folders.h"

/*
 * For --kind imagefolder: the class folders of all PATHs. STATUS_FAILED: there are none, or too many, or a folder could
 * not be read; then there is nothing to release.
 */
enum status image_folder_open(struct class_folders *out, const struct find_options *find, struct error *err);
/*
 * Where the user gave a number of classes and no names, the folders' are the classes'; but not of an id that is called
 * otherwise below another root.
 */
void image_folder_name_classes(const struct class_folders *f, struct settings *settings);

#endif
