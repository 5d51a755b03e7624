/*
 * The boxes of the current record of a list, and the size of its image. The first three functions hand a box to the
 * listener of the list, or judge it by its own row; a coordinate that is no number is a fault of the row. One thread.
 */
#pragma once

#include "read/list.h"

/* Reads the box of a row with a column for each side, or, of a quadrilateral, the box around its corners. */
void list_read_sides(struct list *l, struct list_row *row);
/* Reads the box of the item, four numbers in brackets. Fewer boxes than labels are a fault of the lists. */
void list_read_listed_box(struct list *l, struct list_row *row);
/* Reads the box of a field: box_group_class() is not 0 for it. */
void list_read_group_box(struct list *l, struct list_row *row, const struct text_field *box);

/* Returns what tells the image of the current record from others: by its path, its frame; 0: it says neither. */
uint64_t list_image_key(const struct list *l);
/* Reads the size of the image, where columns have it. */
void list_read_image_size(struct list *l);
/* The size of the frames that MOTChallenge's gt/gt.txt, at a path, is about: by ../seqinfo.ini, if that says it. */
void list_read_frame_size(struct list *l, const char *path);
