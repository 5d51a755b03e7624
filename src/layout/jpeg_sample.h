/*
 * struct jpeg_sample: some of a PATH's JPEGs, to tell photos from masks that somebody saved so, where nothing else is
 * there. Filled by the detection's walk; one thread. Members of archives are not sampled.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/source.h"
#include "layout/jpeg_look.h"
#include "layout/probe.h"

enum { JPEG_SAMPLE = 8 };

/* The files with the smallest sample_hash(). */
struct jpeg_sample {
	struct {
		uint64_t hash;
		char *path; /* owned */
	} v[JPEG_SAMPLE];
	unsigned count;
};

void jpeg_sample_release(struct jpeg_sample *s);
void jpeg_sample_add(struct jpeg_sample *s, const struct entry *entry);
/* Returns whether some are photos beyond doubt, as no mask is. Opens files. */
bool jpeg_sample_has_photos(const struct jpeg_sample *s);
/* Looks at a JPEG, as jpeg_look() does. Returns false, too, if it is not open. */
bool jpeg_look_at(const struct entry *entry, const struct entry_probe *probe, struct jpeg_sight *out);
