/* Follows Pillow's decoder of image data (ZipDecode.c) from row to row. */
#include "png/pil_rows.h"

#include "base/mem.h"
#include "png/passes.h"

enum { FILTER_MAX = 4 };

/* Sets the length of the current row; goes on to the next pass that has rows. */
static void begin_row(struct pil_rows *r)
{
	uint64_t pixels = r->width;

	while (r->interlaced && r->pass < ADAM7_PASSES) {
		const struct adam7_pass *p = &adam7[r->pass];

		pixels = r->width > p->x0 ? (r->width - p->x0 + p->dx - 1) / p->dx : 0;
		if (pixels && r->y < r->height)
			break;
		r->pass++;
		if (r->pass < ADAM7_PASSES)
			r->y = adam7[r->pass].y0;
	}
	if (r->interlaced ? r->pass == ADAM7_PASSES : r->y == r->height)
		r->state = PIL_ROWS_READ;
	r->row_bytes = 1 + (pixels * r->bits + 7) / 8;
	r->got = 0;
}

void pil_rows_begin(struct pil_rows *r, uint32_t width, uint32_t height, unsigned bits, bool interlaced)
{
	*r = (struct pil_rows){
		.state = PIL_ROWS_WANTED,
		.width = width,
		.height = height,
		.bits = bits,
		.interlaced = interlaced,
		.inflater = r->inflater,
	};
	loader_inflate_begin(&r->inflater);
	begin_row(r);
}

void pil_rows_add(struct pil_rows *r, const uint8_t *bytes, size_t n)
{
	struct loader_inflater *i = r->inflater;

	i->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
	i->z.avail_in = (uInt)n;
	while (r->state == PIL_ROWS_WANTED && i->z.avail_in) {
		size_t space = (size_t)MIN(r->row_bytes - r->got, (uint64_t)sizeof(i->out)), made;

		i->z.next_out = i->out;
		i->z.avail_out = (uInt)space;
		int result = inflate(&i->z, Z_NO_FLUSH);

		made = space - i->z.avail_out;
		if (result < 0 || (!r->got && made && i->out[0] > FILTER_MAX)) {
			r->state = PIL_ROWS_BROKEN;
			return;
		}
		r->got += made;
		if (r->got < r->row_bytes) {
			/* after its end a stream gives no more, and Pillow wants more until the data end */
			if (result == Z_STREAM_END || result == Z_NEED_DICT)
				return;
			continue;
		}
		r->y += r->interlaced ? adam7[r->pass].dy : 1;
		begin_row(r);
		if (result == Z_STREAM_END)
			r->state = PIL_ROWS_READ;
	}
}
