/*
 * struct image_groups: the groups (--group) of the images that a COCO file or a list names, each once, with the first
 * image of it. Without --group each name is a group. Bounded: of those after the first IMAGE_GROUPS_MAX none is kept.
 * Owner: the label_measurer, until the sample is judged; one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/group_pattern.h"
#include "base/strbuf.h"
#include "base/table.h"

enum { IMAGE_GROUPS_MAX = 1 << 17 };

struct image_group {
	uint64_t key[2];
	size_t name; /* where its first image's name begins in `names` */
};

struct image_groups {
	struct image_groups *next;
	struct image_group *v; /* owned */
	size_t count, cap;
	struct hash_set seen;
	struct strbuf names; /* NUL-terminated each */
};

/* Adds the group of the image s[0..n) if it has one. pattern: NULL without --group. */
void image_groups_add(struct image_groups *g, const struct group_pattern *pattern, const char *s, size_t n);
void image_groups_free(struct image_groups *g);
