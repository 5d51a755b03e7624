#include "cli/other_names.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

const char *option_other_name(const char *option, const char *value)
{
	static const struct {
		const char *option, *value, *meant;
	} table[] = {
		{ "device", "gpu", "cuda" },       { "device", "nvidia", "cuda" },   { "preset", "pascal", "voc" },
		{ "preset", "pascal-voc", "voc" }, { "preset", "pascalvoc", "voc" }, { "format", "md", "markdown" },
		{ "format", "plain", "text" },     { "format", "human", "text" },    { "kind", "png", "mask" },
		{ "kind", "npy", "array" },        { "view", "opencv", "cv2" },      { "view", "pillow", "pil" },
		{ "format", "metrics", "json" }, /* it was removed */
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].option, option) && !strcasecmp(table[i].value, value))
			return table[i].meant;
	return NULL;
}
