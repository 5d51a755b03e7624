/*
 * Presets: the classes, ignored ids and class names of known datasets, for --preset NAME.
 *
 * Each is a settings file, presets/NAME.yaml, in the format of labelaudit.yaml (config.h), embedded in the program; a
 * user may copy one. With `preset: OTHER` it is based on another one and says what differs; where that is a number of
 * classes, they have the last names of the other one, in their order. Its first line is a comment for --preset list:
 * which files of the dataset are meant, and where the ids were read. Only ids that a source was seen to state are
 * there. With reduce-zero-label, ids are those after that step, and 255 is what the loss ignores.
 * "mmsegmentation 1.2.2" means mmseg/datasets and mmseg/utils/class_names.py of that release.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct config;

struct preset {
	const char *name;
	const char *yaml; /* NUL-terminated */
};

/* Sorted by name; made from the files by embed.S. */
extern const struct preset preset_table[];
extern const size_t preset_count;

/* Returns NULL if there is no such preset; then err is filled, with the nearest name if there is one. */
const struct preset *preset_find(const char *name, struct error *err);

/* Reads a preset into c, which is all 0, with what it is based on (preset_config.c). */
enum status preset_read(const struct preset *preset, struct config *c, struct error *err);

/*
 * Returns what distinguishes the preset's masks from other PNGs of the dataset: the end of their names, with .png, or
 * the beginning of their folder's name (VOC has SegmentationClassAug, too). NULL: nothing.
 */
const char *preset_masks(const struct preset *preset);
