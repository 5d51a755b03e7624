/*
 * TIFF images, if the program is built with libtiff, which reads the container and unpacks the pixels.
 *
 * Rows that a PNG can hold become those of that PNG: one page of unsigned samples of at most 16 bits. All else becomes
 * the rows of an array, in the shape that tifffile gives: wider, signed and floating-point samples, bands, pages,
 * channels that are stored apart.
 *
 * Sources: TIFF 6.0, BigTIFF; Pillow's TiffImagePlugin for white as 0; GDAL's GTiff driver for its tag of no data.
 */
#include "read/raster.h"

#ifdef HAVE_LIBTIFF

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "base/guard.h"
#include "base/mem.h"

enum {
	TAG_GDAL_NODATA = 42113, /* text: a number */
	PAGES_MAX = 4096,
	/* of all that unpacking takes: a strip, or a row of tiles with its tile; the part as it is stored, and the
	 * places of all parts */
	UNPACK_BYTES_MAX = 24 << 20,
	PLACE_BYTES = 16,
	/* Each byte is read once; and the directories twice. Parts that overlap are read again and again. */
	READS_MAX = 16,
	READS_FREE = 16 << 20,
	SMALL_REDUCED = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK, /* pages that belong to another one */
};

struct tiff {
	char message[TIFF_MESSAGE]; /* libtiff's last error; the first member of each of its clients */
	struct input in;            /* owned */
	TIFF *file;
	uint64_t at, reads; /* libtiff's place, and the bytes that it has read */
	struct fault fault; /* of the input */
	bool ended;         /* libtiff wanted more than the file has */
	/* of a page: all are equal */
	uint32_t width, height;
	uint16_t bits, samples, photometric, planes;
	size_t line_bytes; /* of a row of a plane */
	bool inverted;     /* white is 0, and is to be read as Pillow reads it */
	bool is_array;
	uint32_t pages;
	/* the next row */
	uint32_t page, y;
	uint16_t plane;
	/* the rows of a strip, or of a row of tiles, and the tile that is unpacked; owned; NULL: a row at a time */
	uint8_t *band, *tile;
	uint32_t band_rows, tile_width; /* 0: no tiles */
	uint64_t decoded;               /* bytes */
};

/* ---- libtiff's view of the input --------------------------------------------------------------------------------- */

static tmsize_t read_for_libtiff(thandle_t self, void *out, tmsize_t n)
{
	struct tiff *t = self;

	t->reads += (uint64_t)n;
	if (GUARD(tiff_read_again, t->reads > READS_MAX * t->in.size + READS_FREE)) {
		fault_set(&t->fault, FAULT_LIMIT, t->at,
			  "the parts of the TIFF overlap: it reads more than %d times what it has", READS_MAX);
		return -1;
	}
	int64_t got = input_seek(&t->in, t->at, &t->fault) ? input_read(&t->in, out, (size_t)n, &t->fault) : -1;

	if (got < 0)
		return -1;
	t->ended |= got < n;
	t->at += (uint64_t)got;
	return (tmsize_t)got;
}

static tmsize_t write_nothing(thandle_t self, void *bytes, tmsize_t n)
{
	(void)self;
	(void)bytes;
	(void)n;
	return -1;
}

static toff_t seek_for_libtiff(thandle_t self, toff_t to, int whence)
{
	struct tiff *t = self;

	/* a place after the end is one that has no bytes */
	t->at = whence == SEEK_SET ? to : (whence == SEEK_CUR ? t->at : t->in.size) + to;
	t->ended |= t->at > t->in.size;
	t->at = MIN(t->at, t->in.size);
	return t->at;
}

static int close_nothing(thandle_t self)
{
	(void)self;
	return 0;
}

static toff_t size_for_libtiff(thandle_t self)
{
	return ((struct tiff *)self)->in.size;
}

static void __attribute__((format(printf, 3, 0)))
keep_message(thandle_t self, const char *part, const char *fmt, va_list args)
{
	char *message = self;
	(void)part;

	if (message && !message[0])
		vsnprintf(message, TIFF_MESSAGE, fmt, args);
}

static void silence(void)
{
	TIFFSetErrorHandler(NULL);
	TIFFSetWarningHandler(NULL);
	TIFFSetErrorHandlerExt(keep_message);
	TIFFSetWarningHandlerExt(NULL);
}

/* Sets *fault by the error of the input or of libtiff. Returns false. */
static bool libtiff_failed(struct tiff *t, struct fault *fault)
{
	if (t->fault.kind != FAULT_NONE) {
		*fault = t->fault;
		return false;
	}
	if (t->ended)
		return fault_set(fault, FAULT_TRUNCATED, t->in.size,
				 "the TIFF is cut: parts of it would lie after byte %" PRIu64, t->in.size);
	return fault_set(fault, FAULT_CORRUPT, t->at, "the TIFF is damaged near byte %" PRIu64 "%s%s", t->at,
			 t->message[0] ? ": " : "", t->message);
}

/* ---- the room for a page ----------------------------------------------------------------------------------------- */

static uint16_t field(struct tiff *t, uint32_t tag)
{
	uint16_t value = 0;

	TIFFGetFieldDefaulted(t->file, tag, &value);
	return value;
}

static uint16_t planes_of(struct tiff *t)
{
	return field(t, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE ? t->samples : 1;
}

/*
 * Takes the room for the bands of a page: strips, or rows of tiles; the strips of most methods may also come row by
 * row. Returns false if *fault is set.
 */
static bool prepare_page(struct tiff *t, struct fault *fault)
{
	const bool tiled = TIFFIsTiled(t->file);
	const uint16_t method = field(t, TIFFTAG_COMPRESSION);
	const bool has_window = method == COMPRESSION_ZSTD || method == COMPRESSION_LZMA; /* holds what it gave */
	const uint32_t parts = tiled ? TIFFNumberOfTiles(t->file) : TIFFNumberOfStrips(t->file);
	const uint64_t tile = tiled ? TIFFTileSize64(t->file) : 0;
	uint64_t stored = 0;

	free(t->band);
	free(t->tile);
	t->band = t->tile = NULL;
	t->tile_width = 0;
	t->line_bytes = (size_t)TIFFScanlineSize64(t->file);
	TIFFGetFieldDefaulted(t->file, tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &t->band_rows);
	TIFFGetField(t->file, TIFFTAG_TILEWIDTH, &t->tile_width);
	t->band_rows = MIN(t->band_rows, t->height);
	if (!t->line_bytes || !t->band_rows || (tiled && (!t->tile_width || !tile)))
		return libtiff_failed(t, fault);
	for (uint32_t i = 0; i < parts && parts <= UNPACK_BYTES_MAX / PLACE_BYTES; i++) {
		stored = MAX(stored, TIFFGetStrileByteCount(t->file, i));
		/* GDAL leaves out parts that have no data; other loaders stop, or read the header as pixels */
		if (!TIFFGetStrileOffset(t->file, i))
			return fault_set(fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
					 "the file does not hold %s %" PRIu32 " of %" PRIu32, tiled ? "tile" : "strip",
					 i, parts);
	}
	const uint64_t band = t->band_rows * (uint64_t)t->line_bytes;
	const uint64_t rest = MIN(stored, UINT32_MAX) + (uint64_t)parts * PLACE_BYTES + MIN(tile, UINT32_MAX);

	if (rest + band * (1 + has_window) <= UNPACK_BYTES_MAX) {
		t->tile = tiled ? mem_try((size_t)tile, 1) : NULL;
		t->band = mem_try(t->line_bytes, t->band_rows);
		return (t->band && (t->tile || !tiled)) ||
		       fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack a part of the TIFF");
	}
	if (GUARD(tiff_of_large_parts, tiled || has_window || rest > UNPACK_BYTES_MAX)) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "declares %" PRIu32 " %s of up to %" PRIu64 " stored bytes, in bands of %" PRIu32
			  " rows of %zu bytes: more than %d bytes at a time",
			  parts, tiled ? "tiles" : "strips", stored, t->band_rows, t->line_bytes, UNPACK_BYTES_MAX);
		return fault_advise(fault, "write it in smaller parts: tifffile's tile=(256, 256), or gdal_translate "
					   "-co TILED=YES");
	}
	return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool read_tiles(struct tiff *t, struct fault *fault)
{
	const size_t tile_line = (size_t)TIFFTileRowSize(t->file);
	const uint32_t rows = MIN(t->band_rows, t->height - t->y);

	for (uint32_t x = 0, column = 0; x < t->width; x += t->tile_width, column++) {
		const size_t at = column * tile_line, n = MIN(tile_line, t->line_bytes - at);

		if (TIFFReadTile(t->file, t->tile, x, t->y, 0, t->plane) < 0)
			return libtiff_failed(t, fault);
		for (uint32_t row = 0; row < rows; row++)
			memcpy(t->band + row * t->line_bytes + at, t->tile + row * tile_line, n);
	}
	return true;
}

/* Whole strips: then libtiff unpacks by libdeflate, where it was built with it. */
static bool read_strip(struct tiff *t, struct fault *fault)
{
	const size_t bytes = MIN(t->band_rows, t->height - t->y) * t->line_bytes;

	return TIFFReadEncodedStrip(t->file, TIFFComputeStrip(t->file, t->y, t->plane), t->band, (tmsize_t)bytes) ==
		       (tmsize_t)bytes ||
	       libtiff_failed(t, fault);
}

/* Returns a row, in `out` or in the band; NULL if *fault is set. */
static const uint8_t *read_line(struct tiff *t, uint8_t *out, struct fault *fault)
{
	if (!t->band) {
		if (TIFFReadScanline(t->file, out, t->y, t->plane) >= 0)
			return out;
		libtiff_failed(t, fault);
		return NULL;
	}
	if (t->y % t->band_rows == 0 && !(t->tile_width ? read_tiles(t, fault) : read_strip(t, fault)))
		return NULL;
	return t->band + t->y % t->band_rows * t->line_bytes;
}

/* Goes to the next page that is one of its own. Returns false at the last one. */
static bool next_page(struct tiff *t)
{
	uint32_t kind;

	do {
		t->message[0] = '\0';
		if (!TIFFReadDirectory(t->file))
			return false;
		kind = 0;
		TIFFGetField(t->file, TIFFTAG_SUBFILETYPE, &kind);
	} while (kind & SMALL_REDUCED);
	return true;
}

/* Copies up to 8 bytes of a row as libtiff gives it, native byte order and white as it is stored, as a PNG has them. */
static inline void copy_as_png(const struct tiff *t, uint8_t *out, const uint8_t *row, size_t n)
{
	const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t v = 0;

	memcpy(&v, row, n);
	if (t->bits == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		v = (v & low) << 8 | (v >> 8 & low);
	if (t->inverted)
		v = ~v;
	memcpy(out, &v, n);
}

static bool tiff_row(void *self, uint8_t *out, struct fault *fault)
{
	struct tiff *t = self;

	if (t->y == t->height) {
		t->y = 0;
		if (++t->plane == t->planes) {
			t->plane = 0;
			t->page++;
			if (!next_page(t))
				return libtiff_failed(t, fault);
			if (!prepare_page(t, fault))
				return false;
		}
	}
	const uint8_t *const row = read_line(t, out, fault);
	size_t at = 0;

	if (!row)
		return false;
	t->y++;
	t->decoded += t->line_bytes;
	if (!t->is_array && (t->bits == 16 || t->inverted)) {
		for (; at + 8 <= t->line_bytes; at += 8)
			copy_as_png(t, out + at, row + at, 8);
		copy_as_png(t, out + at, row + at, t->line_bytes - at);
	} else if (row != out) {
		memcpy(out, row, t->line_bytes);
	}
	return !t->is_array || !t->in.meter.allow || t->in.meter.allow(t->in.meter.self, t->decoded, fault);
}

static void tiff_rewind(void *self)
{
	struct tiff *t = self;

	t->y = 0;
}

static bool tiff_finish(void *self, struct fault *fault)
{
	struct tiff *t = self;

	return input_unchanged(&t->in, fault);
}

static void tiff_close(void *self)
{
	struct tiff *t = self;

	if (t->file)
		TIFFClose(t->file);
	input_release(&t->in);
	free(t->band);
	free(t->tile);
	free(t);
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

/* fmt: what the TIFF is, with one number. Returns false. */
static bool __attribute__((format(printf, 2, 3))) unread(struct fault *fault, const char *fmt, ...)
{
	char what[96];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "a TIFF %s is not read", what);
}

/* Returns whether its pixels come out as they went in, by a method that libtiff was built with. */
static bool check_compression(struct tiff *t, struct fault *fault)
{
	const uint16_t method = field(t, TIFFTAG_COMPRESSION);

	switch (method) {
	case COMPRESSION_OJPEG:
	case COMPRESSION_JPEG:
		return fault_set(fault, FAULT_LOSSY, FAULT_NO_OFFSET, "a TIFF that is compressed as JPEG");
	case COMPRESSION_NONE:
	case COMPRESSION_CCITTRLE:
	case COMPRESSION_CCITTFAX3:
	case COMPRESSION_CCITTFAX4:
	case COMPRESSION_LZW:
	case COMPRESSION_ADOBE_DEFLATE:
	case COMPRESSION_DEFLATE:
	case COMPRESSION_PACKBITS:
	case COMPRESSION_LZMA:
	case COMPRESSION_ZSTD:
		if (TIFFIsCODECConfigured(method))
			return true;
	}
	return unread(fault, "of compression %u", method);
}

static const char *element(uint16_t bits, uint16_t format)
{
	static const struct {
		uint8_t bits, format;
		char name[3];
	} elements[] = {
		{ 8, SAMPLEFORMAT_UINT, "u1" },    { 16, SAMPLEFORMAT_UINT, "u2" },   { 32, SAMPLEFORMAT_UINT, "u4" },
		{ 64, SAMPLEFORMAT_UINT, "u8" },   { 8, SAMPLEFORMAT_INT, "i1" },     { 16, SAMPLEFORMAT_INT, "i2" },
		{ 32, SAMPLEFORMAT_INT, "i4" },    { 64, SAMPLEFORMAT_INT, "i8" },    { 16, SAMPLEFORMAT_IEEEFP, "f2" },
		{ 32, SAMPLEFORMAT_IEEEFP, "f4" }, { 64, SAMPLEFORMAT_IEEEFP, "f8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(elements); i++)
		if (elements[i].bits == bits && elements[i].format == format)
			return elements[i].name;
	return NULL;
}

static bool take_palette(struct tiff *t, struct png_header *h, struct fault *fault)
{
	uint16_t *colours[3];

	if (!TIFFGetField(t->file, TIFFTAG_COLORMAP, &colours[0], &colours[1], &colours[2]))
		return libtiff_failed(t, fault);
	h->palette_entries = (uint16_t)(1u << t->bits);
	for (unsigned i = 0; i < h->palette_entries; i++)
		for (unsigned c = 0; c < 3; c++)
			h->palette[i][c] = (uint8_t)(colours[c][i] >> 8);
	return true;
}

/* Fills *h if a PNG can hold the page. Returns false if none can, or *fault is set. */
static bool take_png_header(struct tiff *t, uint16_t format, enum view view, struct png_header *h, struct fault *fault)
{
	static const uint8_t types[] = { 0, PNG_GREY, PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA };
	const bool has_palette = t->photometric == PHOTOMETRIC_PALETTE;

	if (format != SAMPLEFORMAT_UINT || t->bits > (has_palette ? 8 : 16) || t->samples >= ARRAY_SIZE(types) ||
	    t->planes > 1 || t->pages > 1 || (t->samples > 1 && t->bits < 8) ||
	    (t->samples > 2) != (t->photometric == PHOTOMETRIC_RGB))
		return false;
	*h = (struct png_header){ .width = t->width,
				  .height = t->height,
				  .bit_depth = (uint8_t)t->bits,
				  .colour_type = has_palette ? (uint8_t)PNG_PALETTE : types[t->samples],
				  .channels = (uint8_t)t->samples };
	t->inverted = t->photometric == PHOTOMETRIC_MINISWHITE && t->bits <= 8 && view != VIEW_RAW;
	return !has_palette || take_palette(t, h, fault);
}

/* Writes the header of the array, as .npy has it. Returns false if *fault is set. */
static bool describe_array(struct tiff *t, uint16_t format, struct raster *out, struct fault *fault)
{
	const char *name = element(t->bits, format);
	char pages[16] = "", planes[16] = "", samples[16] = "";

	if (!name || t->photometric == PHOTOMETRIC_PALETTE)
		return unread(fault, "of pages or bands, of %u bits a sample,", t->bits);
	if (t->pages > 1)
		snprintf(pages, sizeof(pages), "%" PRIu32 ", ", t->pages);
	if (t->planes > 1)
		snprintf(planes, sizeof(planes), "%u, ", t->planes);
	else if (t->samples > 1)
		snprintf(samples, sizeof(samples), ", %u", t->samples);
	t->is_array = true;
	snprintf(out->array, sizeof(out->array),
		 "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s%s%" PRIu32 ", %" PRIu32 "%s), }\n",
		 __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<', name, pages, planes, t->height, t->width, samples);
	const uint64_t rows = (uint64_t)t->height * t->planes * t->pages;

	if (rows > PNG_LENGTH_MAX)
		return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET, "declares %" PRIu64 " rows", rows);
	out->header.width = t->width;
	out->header.height = (uint32_t)rows;
	return true;
}

/* Counts the pages, which must be alike. Returns false if *fault is set. */
static bool count_pages(struct tiff *t, uint16_t format, struct fault *fault)
{
	uint32_t width, height;

	for (t->pages = 1; next_page(t); t->pages++) {
		TIFFGetField(t->file, TIFFTAG_IMAGEWIDTH, &width);
		TIFFGetField(t->file, TIFFTAG_IMAGELENGTH, &height);
		if (width != t->width || height != t->height || field(t, TIFFTAG_BITSPERSAMPLE) != t->bits ||
		    field(t, TIFFTAG_SAMPLESPERPIXEL) != t->samples || field(t, TIFFTAG_SAMPLEFORMAT) != format ||
		    field(t, TIFFTAG_PHOTOMETRIC) != t->photometric || planes_of(t) != t->planes ||
		    !check_compression(t, fault))
			return unread(fault, "whose page %u is of another size or type than the first", t->pages + 1);
		if (t->pages == PAGES_MAX)
			return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET, "has more than %d pages", PAGES_MAX);
	}
	if (t->fault.kind != FAULT_NONE || t->ended || t->message[0])
		return libtiff_failed(t, fault);
	if (!TIFFLastDirectory(t->file))
		return fault_set(fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
				 "the TIFF's page %" PRIu32 " is followed by an earlier one", t->pages);
	return t->pages == 1 || TIFFSetDirectory(t->file, 0) || libtiff_failed(t, fault);
}

static void take_no_data(struct tiff *t, struct raster *out)
{
	uint32_t n = 0;
	char *text = NULL, *end;

	if (!TIFFGetField(t->file, TAG_GDAL_NODATA, &n, &text) || !n || !text || text[n - 1])
		return;
	double value = strtod(text, &end);

	if (end != text && value == (double)(int64_t)value)
		out->no_data = (struct no_data){ true, (int64_t)value };
}

static bool read_header(struct tiff *t, struct raster *out, enum view view, struct fault *fault)
{
	uint16_t format = field(t, TIFFTAG_SAMPLEFORMAT);

	if (format == SAMPLEFORMAT_VOID)
		format = SAMPLEFORMAT_UINT;
	TIFFGetField(t->file, TIFFTAG_IMAGEWIDTH, &t->width);
	TIFFGetField(t->file, TIFFTAG_IMAGELENGTH, &t->height);
	t->bits = field(t, TIFFTAG_BITSPERSAMPLE);
	t->samples = field(t, TIFFTAG_SAMPLESPERPIXEL);
	t->photometric = field(t, TIFFTAG_PHOTOMETRIC);
	t->planes = planes_of(t);
	if (!t->width || t->width > PNG_LENGTH_MAX || !t->height || t->height > PNG_LENGTH_MAX || !t->samples)
		return fault_set(fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
				 "declares %" PRIu32 " x %" PRIu32 " pixels of %u samples", t->width, t->height,
				 t->samples);
	if (!check_compression(t, fault))
		return false;
	if (t->photometric > PHOTOMETRIC_PALETTE)
		return unread(fault, "of photometric interpretation %u", t->photometric);
	if (field(t, TIFFTAG_ORIENTATION) != ORIENTATION_TOPLEFT)
		return unread(fault, "of orientation %u, which loaders turn or do not,", field(t, TIFFTAG_ORIENTATION));
	take_no_data(t, out);
	return count_pages(t, format, fault) && prepare_page(t, fault) &&
	       (take_png_header(t, format, view, &out->header, fault) ||
		(fault->kind == FAULT_NONE && describe_array(t, format, out, fault)));
}

/* m: not mapped; D: the places of strips are read when they are needed. */
static TIFF *open_by_libtiff(struct tiff *t)
{
#if TIFFLIB_VERSION >= 20221213
	TIFFOpenOptions *options = TIFFOpenOptionsAlloc();

	if (!options)
		return NULL;
	TIFFOpenOptionsSetMaxSingleMemAlloc(options, UNPACK_BYTES_MAX); /* of tags, too */
	TIFF *file = TIFFClientOpenExt("", "rmD", t, read_for_libtiff, write_nothing, seek_for_libtiff, close_nothing,
				       size_for_libtiff, NULL, NULL, options);

	TIFFOpenOptionsFree(options);
	return file;
#else
	return TIFFClientOpen("", "rmD", t, read_for_libtiff, write_nothing, seek_for_libtiff, close_nothing,
			      size_for_libtiff, NULL, NULL);
#endif
}

bool tiff_open(struct raster *out, struct input *in, enum view view, struct fault *fault)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct tiff *t = xcalloc(1, sizeof(*t));

	pthread_once(&once, silence);
	t->in = *in;
	input_init(in);
	fault_clear(&t->fault);
	*out = (struct raster){ .transparent = -1,
				.self = t,
				.row = tiff_row,
				.rewind = tiff_rewind,
				.finish = tiff_finish,
				.close = tiff_close };
	if (!input_can_rewind(&t->in)) {
		fault_set(
			fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			"a TIFF of more than %d bytes is read from a file, not from a stream or an archive: unpack it",
			INPUT_WHOLE_MAX);
		tiff_close(t);
		return false;
	}
	t->file = open_by_libtiff(t);
	if (!(t->file ? read_header(t, out, view, fault) : libtiff_failed(t, fault))) {
		tiff_close(t);
		return false;
	}
	out->row_bytes = t->line_bytes;
	return true;
}

void *tiff_file(const struct raster *raster)
{
	return ((const struct tiff *)raster->self)->file;
}

/* The library says "LIBTIFF, Version 4.5.0", and a line about its authors. */
const char *tiff_library_version(void)
{
	static char version[16];

	sscanf(TIFFGetVersion(), "LIBTIFF, Version %15[0-9.]", version);
	return version;
}

#endif
