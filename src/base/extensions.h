/*
 * Lists of the extensions of images and label files; extensions.c has the source of each list. Pure, any thread.
 *
 * Functions compare names with a list and ignore the case of ASCII letters. Arrays are for trying which files exist, in
 * this order: NULL-terminated, each extension with its dot, in both cases where file systems distinguish them.
 */
#ifndef BASE_EXTENSIONS_H
#define BASE_EXTENSIONS_H

#include <stdbool.h>

/* Returns whether a name is that of an image in a common format: one of image_extensions after at least a character. */
bool is_image_name(const char *name);
/* Returns whether torchvision's ImageFolder takes a file for an image, by its IMG_EXTENSIONS. */
bool has_torchvision_extension(const char *name);
/* Returns whether a name claims a format that the readers of label files and photos recognise, and no archive. */
bool is_never_archive_name(const char *name);

extern const char *const image_extensions[];           /* common formats, which file managers show as pictures */
extern const char *const ultralytics_extensions[];     /* images of YOLO data sets */
extern const char *const annotated_photo_extensions[]; /* photos with a JSON file beside them */
extern const char *const listed_image_extensions[];    /* images that tables list without an extension */

#endif
