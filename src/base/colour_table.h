/*
 * struct colour_table: the colours that masks encode their classes as, from a class file, --colors or a preset. Built
 * once by cli/; read-only afterwards, from any thread.
 *
 * A colour is 0xRRGGBB. One that is in no table has no class, but it must be counted and named: its id is
 * COLOUR_ID(colour), which no integer of a file can be (base/label_id.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/label_id.h"

enum {
	NO_COLOUR_CLASS = -1,
	/* Entries: as many as the distinct colours of an image that are counted. ADE20K's full set has 3,000 classes.
	 */
	COLOUR_TABLE_MAX = 4096,
	/* The largest id with a colour. In an image, ids from here on stand for colours that are in no table. */
	COLOUR_CLASS_MAX = (1 << 15) - 1,
};

struct colour_entry {
	uint32_t colour;
	int32_t id; /* in files: a class or ignored; 0..COLOUR_CLASS_MAX */
};

struct colour_table {
	struct colour_entry *v; /* sorted by colour, each once; owned */
	size_t count, cap;
	/* From a preset: nobody said that palettes hold these colours, so only one that holds no others is read by
	 * them. */
	bool presumed;
};

void colour_table_release(struct colour_table *t);
/* Adds a colour. Returns false if the table has it for another id, or is full; then *other is that id or -1. */
bool colour_table_add(struct colour_table *t, uint32_t colour, int32_t id, int32_t *other);
/* Removes a colour, if it is there. */
void colour_table_remove(struct colour_table *t, uint32_t colour);
/* Returns the id of a colour, or NO_COLOUR_CLASS. */
int32_t colour_table_find(const struct colour_table *t, uint32_t colour);
/* Returns the square of the distance in RGB. */
uint32_t colour_distance(uint32_t a, uint32_t b);
/* Returns the entry with the least distance in RGB, the smallest colour of several; NULL if the table is empty. */
const struct colour_entry *colour_table_nearest(const struct colour_table *t, uint32_t colour);
/* Appends "0=#000000,1=#800000", in the order of colours, as --colors takes it. */
void colour_table_format(const struct colour_table *t, struct strbuf *out);
