/*
 * struct pil_rows: whether Pillow gets the rows of an image from data that were not written for it.
 *
 * Pillow takes the image data for those of a frame if an fcTL, an fdAT or a text before them says so (loaders.c). This
 * inflates them as ZipDecode.c does and looks at the filter of each row, no more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "png/loader_inflate.h"

enum pil_rows_state {
	PIL_ROWS_OFF,
	PIL_ROWS_WANTED, /* more data */
	PIL_ROWS_READ,   /* all, or the zlib stream ended after a row */
	PIL_ROWS_BROKEN,
};

struct pil_rows {
	enum pil_rows_state state;
	uint32_t width, height; /* of the frame */
	unsigned bits;          /* of a pixel */
	bool interlaced;
	unsigned pass;
	uint32_t y;
	uint64_t row_bytes;               /* of the current row, its filter type included */
	uint64_t got;                     /* of them */
	struct loader_inflater *inflater; /* owned; NULL until it is needed */
};

void pil_rows_begin(struct pil_rows *r, uint32_t width, uint32_t height, unsigned bits, bool interlaced);
/* Takes data of the image, while the state is PIL_ROWS_WANTED. */
void pil_rows_add(struct pil_rows *r, const uint8_t *bytes, size_t n);
