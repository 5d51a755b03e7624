/*
 * struct folder_totals: which class folders an ImageFolder has (layout/class_folders.h), and which of them hold images.
 *
 * Roots are bits: the numbers of struct class_folders. Facts, not sums: adding what is known changes nothing, so that
 * shards, each of which lists all folders but sees a part of the images, merge exactly. Bounded as the folders are.
 */
#ifndef JUDGE_FOLDER_TOTALS_H
#define JUDGE_FOLDER_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "layout/class_folders.h"

struct folder_total {
	char *name;      /* owned */
	uint32_t roots;  /* it is there: bits 1 << root */
	uint32_t filled; /* and holds an image */
};

struct folder_totals {
	char *roots[CLASS_ROOTS_MAX]; /* their paths; NULL: there is no such root; owned */
	struct folder_total *v;       /* sorted by name; owned */
	size_t count, cap;
};

void folder_totals_release(struct folder_totals *t);
void folder_totals_add(struct folder_totals *t, const char *name, uint32_t roots, uint32_t filled);
/* Adds all class folders, with images or without. */
void folder_totals_add_all(struct folder_totals *t, const struct class_folders *f);
/* Where it has no path yet. */
void folder_totals_name_root(struct folder_totals *t, unsigned root, const char *path);
/* into += from; from is left empty. */
void folder_totals_merge(struct folder_totals *into, struct folder_totals *from);

#endif
