/* Extensions of image files, as others define them. Pure, any thread. */
#ifndef BASE_EXTENSIONS_H
#define BASE_EXTENSIONS_H

#include <stdbool.h>

/* Returns whether torchvision's ImageFolder takes a file for an image, by its IMG_EXTENSIONS. */
bool has_torchvision_extension(const char *name);

#endif
