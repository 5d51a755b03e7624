/*
 * struct tiff_writer: writes a mask of one channel as TIFF, by libtiff, into memory: in strips, packed as the TIFF that
 * it corrects, whose tags of place, resolution and description it keeps. All else of that file is lost: tiles, the
 * predictor, overviews, EXIF. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/png_header.h"
#include "base/strbuf.h"
#include "read/raster.h"

struct tiff_writer {
	char message[TIFF_MESSAGE]; /* libtiff's last error; the first member: read/tiff.c */
	struct strbuf *out;         /* borrowed */
	size_t start, at;           /* where the file begins there, and libtiff's place after that */
	void *file;                 /* TIFF; NULL: not open */
	uint8_t *row;               /* owned */
	uint32_t width, y;
	bool deep;
};

/*
 * Opens a file, which is appended to out, with the tags of an open TIFF. no_data: the id that the result declares to
 * mean nothing. Returns false if *fault is set. tiff_writer_end() must follow in any case.
 */
bool tiff_writer_open(struct tiff_writer *w, const struct raster *source, struct no_data no_data, struct strbuf *out,
		      struct fault *fault);
/* Begins its image, once: in grey or with a palette, of 8 or 16 bits. Returns false if *fault is set. */
bool tiff_writer_begin(struct tiff_writer *w, const struct png_header *header, struct fault *fault);
/* Writes the next row, which is in w->row: samples of 8 bits, or of 16 in big-endian order. */
bool tiff_writer_row(struct tiff_writer *w, struct fault *fault);
/* Ends the file, if ok. Returns false if !ok, or if *fault is set. */
bool tiff_writer_end(struct tiff_writer *w, bool ok, struct fault *fault);
