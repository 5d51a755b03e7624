/*
 * struct byte_map: what a mask of a byte a pixel becomes, if its ids fit into bytes: for each byte the new one. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/adler.h"
#include "png/changed_rows.h"

enum {
	BYTE_CHANGES = 1, /* it gets another id */
	BYTE_UNKNOWN = 2, /* the plan does not know it, or its id does not fit */
};

struct byte_map {
	uint8_t to[256], flags[256];
};

/* A row of ids. Its line begins with a 0. */
struct mapped_row {
	uint8_t *ids;
	struct line_sums sums;
	uint64_t changes; /* pixels of it that got another id */
};

/*
 * Maps the pixels of a row that differ from those above. row: the one above, and then this one. Returns false if
 * one is unknown; then the row is undefined.
 */
bool byte_map_changes(const struct byte_map *map, const struct changed_rows *rows, struct mapped_row *row);
