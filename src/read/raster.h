/*
 * struct raster: the rows of an image in BMP, GIF or TIFF, as the equal PNG stores them: the same size, bit depth,
 * palette and samples. png/raster_png.h makes that PNG, so that every way of measuring one measures these formats. The
 * rows of a TIFF that no PNG can hold are those of the equal .npy.
 *
 * Sources: [MS-WMF] 2.2.2 and Pillow's BmpImagePlugin for BMP; GIF89a and giflib for GIF. An image that Pillow gives in
 * mode L, since its palette is grey in the order of the indices, equals a grey PNG; any other palette is kept.
 *
 * Owner: the caller, who closes what was opened; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/png_header.h"
#include "base/settings.h"
#include "read/identify.h"
#include "read/input.h"
#include "read/sample.h"

struct raster {
	struct png_header header; /* of an array, only width and the number of all rows as the height */
	char array[128];          /* the dict literal of the .npy header; "": an image that a PNG can hold */
	struct no_data no_data;
	int transparent;  /* the palette's index that is transparent, or -1 */
	size_t row_bytes; /* of a row, packed as PNG does */
	void *self;
	/* Reads the next row, top to bottom. Returns false if *fault is set. */
	bool (*row)(void *self, uint8_t *out, struct fault *fault);
	/* Goes back to the first row; of an image that a PNG can hold. NULL: it cannot. */
	void (*rewind)(void *self);
	/* After the last row: reads the rest. Returns false if *fault is set. */
	bool (*finish)(void *self, struct fault *fault);
	void (*close)(void *self);
};

/*
 * Opens an image, and takes over the input, which is left closed, also if that fails. Returns false if *fault is set:
 * FAULT_UNREAD for what a mask does not need (run-length encoded BMPs, several frames), and for BMPs that the loader of
 * the view misreads.
 */
bool bmp_open(struct raster *out, struct input *in, enum view view, struct fault *fault);
bool gif_open(struct raster *out, struct input *in, struct fault *fault);
/* The same; white that is 0 is inverted as the view's loader does. FAULT_LOSSY: compressed as JPEG. */
bool tiff_open(struct raster *out, struct input *in, enum view view, struct fault *fault);
/* Opens the BMP, the GIF or the TIFF that the first bytes show. */
bool raster_open(struct raster *out, enum content content, struct input *in, enum view view, struct fault *fault);
/* Returns whether it is one of those three. */
bool format_is_raster(enum sample_format format);

/* Returns libtiff's handle (TIFF *) of a TIFF that tiff_open() opened, at its first page. */
void *tiff_file(const struct raster *raster);
enum { TIFF_MESSAGE = 160 };

/* They say whether the program was built with the libraries; without them there is no gif_open(), no tiff_open(). */
#ifdef HAVE_GIFLIB
#define GIF_IS_BUILT_IN true
#else
#define GIF_IS_BUILT_IN false
#endif
#ifdef HAVE_LIBTIFF
#define TIFF_IS_BUILT_IN true
#else
#define TIFF_IS_BUILT_IN false
#endif
/* "5.2.1"; or, for people, that it was not built in. */
const char *gif_library_version(void);
const char *tiff_library_version(void);

/* Returns whether a palette's entry i is the grey of value i * step, for all of them. */
bool palette_is_grey(const struct png_header *header, unsigned step);
