#include "base/extensions.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

bool has_torchvision_extension(const char *name)
{
	/* torchvision's IMG_EXTENSIONS */
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
						  ".pgm", ".tif",  ".tiff", ".webp" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++) {
		size_t e = strlen(extensions[i]);

		if (n >= e && !strcasecmp(name + n - e, extensions[i]))
			return true;
	}
	return false;
}
