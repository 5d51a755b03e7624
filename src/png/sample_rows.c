#include "png/sample_rows.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "png/decode.h"

void sample_rows_release(struct sample_rows *r)
{
	fast_stream_release(&r->stream);
	unfilter_release(&r->unfilter);
	free(r->row);
	memset(r, 0, sizeof(*r));
}

static void clear_sample(struct sample_rows *r)
{
	r->sample = (struct sample){ .format = FORMAT_PNG };
	fault_clear(&r->sample.fault);
	fault_clear(&r->sample.warning);
}

/* Makes space for a row of unpacked samples. */
static bool fit_row(struct sample_rows *r)
{
	const struct png_header *png = &r->sample.png;

	if (png->bit_depth == 8)
		return true;
	r->row = mem_try_fit(r->row, &r->row_cap, (size_t)png->width * png->channels * (png->bit_depth == 16 ? 2 : 1));
	return r->row;
}

static bool open_decoder(struct sample_rows *r, struct input *in, const struct limits *limits)
{
	clear_sample(r);
	r->judged = true;
	return png_decoder_open(&r->decoder, in, limits, &r->sample);
}

static bool open_rows(struct sample_rows *r, struct input *in, const struct limits *limits)
{
	clear_sample(r);
	r->decoder = NULL;
	r->judged = false;
	r->lines_left = 0;
	r->adler = 1;
	if (!fast_stream_open(&r->stream, in, limits, &r->sample.png))
		return input_rewind(in, &r->sample.fault) && open_decoder(r, in, limits);
	if (fit_row(r) && unfilter_begin(&r->unfilter, r->stream.row_bytes, r->stream.pixel_bytes) &&
	    fast_stream_min_rows(&r->stream, UNFILTER_ROWS))
		return true;
	return fault_no_memory(&r->sample.fault, FAULT_NO_OFFSET, "not enough memory to decode the mask");
}

/* Inflates the next lines. */
static bool load_lines(struct sample_rows *r)
{
	r->lines = fast_stream_rows(&r->stream, &r->lines_left);
	return r->lines;
}

/* Returns the next row as it is stored, unfiltered; or NULL. */
static const uint8_t *next_unfiltered(struct sample_rows *r)
{
	if (!r->lines_left) {
		if (!load_lines(r))
			return NULL;
		r->adler = libdeflate_adler32(r->adler, r->lines, r->lines_left * (r->stream.row_bytes + 1));
	}
	if (!unfilter_next(&r->unfilter, r->lines, r->lines_left))
		return NULL;
	r->lines += r->stream.row_bytes + 1;
	r->lines_left--;
	return r->unfilter.row;
}

static void unpack(uint8_t *out, const uint8_t *row, uint32_t width, unsigned depth)
{
	unsigned mask = (1u << depth) - 1;

	for (uint32_t x = 0; x < width; x++) {
		size_t bit = (size_t)x * depth;

		out[x] = (uint8_t)((unsigned)row[bit / 8] >> (8 - depth - bit % 8) & mask);
	}
}

const void *sample_rows_next(struct sample_rows *r)
{
	const struct png_header *png = &r->sample.png;

	if (r->decoder)
		return png_decoder_row(r->decoder);
	const uint8_t *row = next_unfiltered(r);

	if (!row || png->bit_depth == 8)
		return row;
	if (png->bit_depth < 8)
		unpack(r->row, row, png->width, png->bit_depth);
	else
		for (size_t i = 0; i < (size_t)png->width * png->channels; i++)
			((uint16_t *)r->row)[i] = be16(row + 2 * i);
	return r->row;
}

bool sample_rows_end(struct sample_rows *r)
{
	if (r->decoder)
		return png_decoder_finish(r->decoder);
	return !GUARD(fix_of_an_unsound_file, !fast_stream_end(&r->stream, r->adler));
}

static bool take_and_close(struct sample_rows *r, sample_rows_taker *take, void *context)
{
	bool taken = take(context, r);

	png_decoder_close(r->decoder);
	r->decoder = NULL;
	return taken;
}

bool sample_rows_read(struct sample_rows *r, struct input *in, const struct limits *limits, sample_rows_taker *take,
		      void *context)
{
	if (!open_rows(r, in, limits))
		return false;
	return take_and_close(r, take, context) || (!r->judged && input_rewind(in, &r->sample.fault) &&
						    open_decoder(r, in, limits) && take_and_close(r, take, context));
}

uint32_t sample_colour(const struct png_header *png, const void *row, uint32_t x)
{
	size_t at = (size_t)x * png->channels;
	const uint16_t *deep = (const uint16_t *)row + at;
	const uint8_t *p = (const uint8_t *)row + at;

	if (png->colour_type == PNG_PALETTE)
		return png_palette_colour(png, p[0]);
	if (png->bit_depth == 16)
		return (uint32_t)(deep[0] >> 8) << 16 | (uint32_t)(deep[1] & 0xff00) | deep[2] >> 8;
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}
