/*
 * Presets: what --preset NAME stands for, a known dataset's classes, ignored ids and class names.
 *
 * One row a dataset, constant. Only ids that a source was seen to state are here; where the files of a dataset exist in
 * several forms, the note says which one is meant.
 */
#ifndef BASE_PRESETS_H
#define BASE_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/class_set.h"
#include "base/strbuf.h"

struct preset {
	const char *name;
	const char *classes;      /* as in --classes */
	const char *ignore;       /* as in --ignore, or NULL */
	bool reduce_zero_label;   /* then both speak of the ids after that step */
	const char *const *names; /* one a declared id, in rising order of the ids */
	const char *note;         /* which files, and where the ids were read */
	/* How the masks differ from others that lie beside them: the end of their names, with .png; or how the name
	   of their folder begins (VOC's has versions: SegmentationClassAug). NULL: not at all. */
	const char *files;
};

extern const struct preset preset_table[];
extern const size_t preset_count;

/* NULL with err filled, and the nearest name in it, where there is none. */
const struct preset *preset_find(const char *name, struct error *err);

/* Declares the preset's classes with their names, where classes is true, and adds its ignored ids. */
enum status preset_apply(const struct preset *preset, struct class_set *s, bool classes, struct error *err);

/* For a person: name, classes, ignored ids, note. */
void presets_list(struct strbuf *out);

#endif
