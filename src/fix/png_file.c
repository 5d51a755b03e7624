#include "fix/png_file.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "fix/mask_deflate.h"

enum {
	WHOLE_MAX = 16 << 20, /* bytes of rows that are compressed at once; zlib takes larger masks, a row at a time */
	PIECE = 1 << 20,      /* of zlib's output; an IDAT */
	DENSE = 16,           /* bytes to a symbol; with fewer, a search may find more */
	NOISE = 4,            /* with fewer it is no mask of regions, and a search finds more */
	LEVEL = 9,            /* libdeflate's, for these */
	BANDS = 8,            /* bands of rows, which are searched first */
	BANDS_PART = 8,       /* of these rows one is in a band */
	BAND_MIN = 4,         /* rows of a band; a lower mask is searched as a whole */
	ALIGNED = 64,         /* rows begin so, since loads that cross a cache line take twice the time */
};

struct png_file {
	struct mask_deflate *deflate;
	struct libdeflate_compressor *search; /* NULL until it is needed */
	struct strbuf *out;
	size_t pixel;    /* bytes */
	size_t line;     /* bytes of a row with its filter byte, which is 0 (None) */
	uint8_t *memory; /* owned */
	size_t memory_cap;
	uint8_t *rows;           /* in `memory`: all of them, or one */
	size_t at;               /* in rows, of the next one */
	struct line_adler adler; /* of the rows before it */
	bool streamed, z_is_open;
	z_stream z; /* if streamed */
	uint8_t *piece;
};

struct png_file *png_file_new(void)
{
	struct png_file *p = xcalloc(1, sizeof(*p));

	p->deflate = mask_deflate_new();
	return p;
}

static void close_stream(struct png_file *p)
{
	if (p->z_is_open)
		deflateEnd(&p->z);
	p->z_is_open = false;
}

void png_file_free(struct png_file *p)
{
	if (!p)
		return;
	close_stream(p);
	libdeflate_free_compressor(p->search);
	mask_deflate_free(p->deflate);
	free(p->memory);
	free(p->piece);
	free(p);
}

static void add_be32(struct strbuf *out, uint32_t v)
{
	const char bytes[] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };

	strbuf_add(out, bytes, sizeof(bytes));
}

/* Begins a chunk. Returns where it begins, for end_chunk(). */
static size_t begin_chunk(struct strbuf *out, const char type[5])
{
	size_t start = out->len;

	add_be32(out, 0);
	strbuf_add(out, type, 4);
	return start;
}

/* Fills the chunk's length, and appends its CRC. */
static void end_chunk(struct strbuf *out, size_t start)
{
	uint32_t n = (uint32_t)(out->len - start - 8);

	for (int i = 0; i < 4; i++)
		out->s[start + (size_t)i] = (char)(n >> (24 - 8 * i));
	add_be32(out, libdeflate_crc32(0, out->s + start + 4, n + 4));
}

static void add_chunk(struct strbuf *out, const char type[5], const void *data, size_t n)
{
	size_t start = begin_chunk(out, type);

	strbuf_add(out, data, n);
	end_chunk(out, start);
}

static void add_head(const struct png_header *h, struct strbuf *out)
{
	uint8_t ihdr[PNG_IHDR_BYTES] = { 0 };

	for (int i = 0; i < 4; i++) {
		ihdr[i] = (uint8_t)(h->width >> (24 - 8 * i));
		ihdr[4 + i] = (uint8_t)(h->height >> (24 - 8 * i));
	}
	ihdr[8] = h->bit_depth;
	ihdr[9] = h->colour_type;
	strbuf_add(out, PNG_SIGNATURE, PNG_SIGNATURE_BYTES);
	add_chunk(out, "IHDR", ihdr, sizeof(ihdr));
	if (h->colour_type == PNG_PALETTE)
		add_chunk(out, "PLTE", h->palette, 3 * (size_t)h->palette_entries);
}

/* Begins the stream of a large mask. Returns false: not enough memory. */
static bool open_stream(struct png_file *p)
{
	close_stream(p);
	if (!p->piece)
		p->piece = mem_try(PIECE, 1);
	memset(&p->z, 0, sizeof(p->z));
	p->z.next_out = p->piece;
	p->z.avail_out = PIECE;
	p->z_is_open = p->piece && deflateInit(&p->z, Z_BEST_COMPRESSION) == Z_OK;
	return p->z_is_open;
}

bool png_file_begin(struct png_file *p, const struct png_header *header, struct strbuf *out, struct fault *fault)
{
	p->out = out;
	p->pixel = header->bit_depth / 8;
	p->line = 1 + header->width * p->pixel;
	p->at = 0;
	p->adler = (struct line_adler){ 1, 0 };
	p->streamed = p->line * header->height > WHOLE_MAX;
	size_t bytes =
		ALIGNED + MASK_DEFLATE_BEFORE + p->line * (p->streamed ? 1 : header->height) + MASK_DEFLATE_AFTER;

	p->memory = mem_try_fit(p->memory, &p->memory_cap, bytes);
	if (!p->memory || (p->streamed && !open_stream(p)))
		return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to write the mask");
	p->rows = p->memory + MASK_DEFLATE_BEFORE + (-(uintptr_t)p->memory) % ALIGNED;
	add_head(header, out);
	return true;
}

uint8_t *png_file_next_row(struct png_file *p)
{
	p->rows[p->at] = 0; /* None */
	return p->rows + p->at + 1;
}

/* Gives zlib what is in `rows`, and writes each full piece. */
static bool compress_row(struct png_file *p, int flush, struct fault *fault)
{
	int result = Z_OK;

	while (result == Z_OK && (p->z.avail_in || flush == Z_FINISH)) {
		result = deflate(&p->z, flush);
		if (!p->z.avail_out || result == Z_STREAM_END) {
			add_chunk(p->out, "IDAT", p->piece, PIECE - p->z.avail_out);
			p->z.next_out = p->piece;
			p->z.avail_out = PIECE;
		}
	}
	if (result == Z_OK || result == Z_STREAM_END)
		return true;
	return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "zlib cannot compress the mask");
}

bool png_file_row(struct png_file *p, const struct line_sums *sums, struct fault *fault)
{
	if (!p->streamed) {
		if (sums)
			line_adler_add(&p->adler, sums, p->line);
		else
			line_adler_add_whole(&p->adler, libdeflate_adler32(0, p->rows + p->at, p->line), p->line);
		p->at += p->line;
		return true;
	}
	p->z.next_in = p->rows;
	p->z.avail_in = (uInt)p->line;
	return compress_row(p, Z_NO_FLUSH, fault);
}

static struct libdeflate_compressor *search_of(struct png_file *p)
{
	if (!p->search)
		p->search = libdeflate_alloc_compressor(LEVEL);
	return p->search;
}

/*
 * Returns whether a search saves a sixteenth of the bytes of bands that are spread over the mask. In masks with much
 * detail it seldom does, and takes more time than all the rest.
 */
static bool search_pays(struct png_file *p)
{
	const size_t height = p->at / p->line, band = height / (BANDS * BANDS_PART);
	const size_t bytes = BANDS * band * p->line;

	if (band < BAND_MIN)
		return true;
	uint8_t *memory = mem_try(MASK_DEFLATE_BEFORE + bytes + MASK_DEFLATE_AFTER, 1), *v = memory, *packed = NULL;
	struct strbuf ours = STRBUF_INIT;
	struct mask_symbols symbols;
	bool pays = true;

	if (memory && search_of(p)) {
		memset(memory, 0, MASK_DEFLATE_BEFORE);
		v += MASK_DEFLATE_BEFORE;
		for (size_t i = 0; i < BANDS; i++)
			memcpy(v + i * band * p->line, p->rows + height * i / BANDS * p->line, band * p->line);
		memset(v + bytes, 0, MASK_DEFLATE_AFTER);
		mask_deflate(p->deflate, &(struct mask_rows){ v, p->pixel, p->line, bytes, 0 }, &ours, &symbols);
		packed = mem_try(ours.len, 1);
	}
	if (packed) /* 0: it does not fit */
		pays = libdeflate_zlib_compress(p->search, v, bytes, packed, ours.len - ours.len / 16) != 0;
	strbuf_release(&ours);
	free(packed);
	free(memory);
	return pays;
}

/* Replaces what follows `start` by what a search makes of the rows, if that is shorter. */
static bool search_matches(struct png_file *p, size_t start)
{
	size_t most = p->out->len - start;
	uint8_t *packed = mem_try(most, 1);

	if (packed && search_of(p)) {
		size_t n = libdeflate_zlib_compress(p->search, p->rows, p->at, packed, most);

		if (n) {
			strbuf_cut(p->out, start);
			strbuf_add(p->out, packed, n);
		}
	}
	free(packed);
	return packed && p->search;
}

/* Compresses all rows into one IDAT. */
static bool compress_rows(struct png_file *p, struct fault *fault)
{
	size_t chunk = begin_chunk(p->out, "IDAT"), start = p->out->len;
	struct mask_symbols symbols;
	const struct mask_rows rows = { p->rows, p->pixel, p->line, p->at, line_adler_end(&p->adler) };

	mask_deflate(p->deflate, &rows, p->out, &symbols);
	const bool searches =
		symbols.repeat || p->at / NOISE < symbols.count || (p->at / DENSE < symbols.count && search_pays(p));

	if (searches && !search_matches(p, start))
		return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to write the mask");
	end_chunk(p->out, chunk);
	return true;
}

bool png_file_end(struct png_file *p, struct fault *fault)
{
	bool ok = p->streamed ? compress_row(p, Z_FINISH, fault) : compress_rows(p, fault);

	add_chunk(p->out, "IEND", "", 0);
	return ok;
}
