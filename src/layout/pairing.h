/*
 * Finds which rows have the stems of which: a mask has the name of its image, less an affix. Names are compared as they
 * are, less words for labels and images, and less what all names of the row end with, and begin with. One thread.
 */
#pragma once

#include "layout/folder_table.h"

struct pairing;

/* Prepares to compare with these rows. */
struct pairing *pairing_new(const struct folder_table *t, const uint32_t *images, size_t count);
void pairing_free(struct pairing *p);
/* Returns the largest share of a row's stems that one of the rows has which `among` is true for (NULL: any); *pair is
 * that row, or TABLE_NONE. */
double pairing_share(struct pairing *p, uint32_t row, const bool *among, uint32_t *pair);
