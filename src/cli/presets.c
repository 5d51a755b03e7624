#include "cli/presets.h"

#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/other_names.h"

const struct preset *preset_find(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < preset_count; i++) {
		if (!strcmp(preset_table[i].name, name))
			return &preset_table[i];
		nearest_try(&nearest, preset_table[i].name);
	}
	nearest_try(&nearest, "list");
	if (option_other_name("preset", name))
		nearest.name = option_other_name("preset", name);
	if (nearest.name)
		error_set(err, "--preset: there is no preset '%s'; did you mean %s?", name, nearest.name);
	else
		error_set(err, "--preset: there is no preset '%.200s'; --preset list prints them", name);
	return NULL;
}

const char *preset_masks(const struct preset *preset)
{
	static const struct {
		const char *name, *masks;
	} known[] = {
		{ "cityscapes", "_labelTrainIds.png" },
		{ "cityscapes-labelids", "_labelIds.png" },
		{ "coco-stuff", "_labelTrainIds.png" },
		{ "voc", "SegmentationClass" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(preset->name, known[i].name))
			return known[i].masks;
	return NULL;
}
