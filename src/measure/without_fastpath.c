/*
 * Stands in for png/fast_chunks.c, png/fast_inflate.c and png/fast_huffman.c in a build with FASTPATH=0, where libpng
 * decodes every PNG; and for kernel/ and cuda/, since the GPU's kernel inflates by itself. The engine measures the rows
 * that libpng gives. No file is taken by the fast path, so that what would go on with one is never called.
 */
#include "measure/backend.h"
#include "png/fast_chunks.h"
#include "png/fast_inflate.h"

void fast_chunks_release(struct fast_chunks *c)
{
	(void)c;
}

bool fast_chunks_open(struct fast_chunks *c, struct input *input, const struct limits *limits, struct png_header *png)
{
	(void)c;
	(void)input;
	(void)limits;
	(void)png;
	return false;
}

bool fast_chunks_take(struct fast_chunks *c, uint8_t *out, size_t size, size_t *n)
{
	(void)c;
	(void)out;
	(void)size;
	*n = 0;
	return false;
}

void inflate_begin(struct inflate *z, const uint8_t *in, size_t n, bool last_piece)
{
	inflate_go_on(z, in, n, last_piece);
}

enum inflate_result inflate_step(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit)
{
	(void)z;
	(void)first;
	(void)out;
	(void)limit;
	return INFLATE_BAD;
}

size_t inflate_left(const struct inflate *z, const uint8_t **rest)
{
	(void)z;
	*rest = NULL;
	return 0;
}

void inflate_go_on(struct inflate *z, const uint8_t *in, size_t n, bool last_piece)
{
	(void)z;
	(void)in;
	(void)n;
	(void)last_piece;
}

static bool is_there(void)
{
	return false;
}

static const char *built_for(void)
{
	return "";
}

static enum status probe(int device, char *text, size_t n, struct error *err)
{
	(void)device;
	(void)text;
	(void)n;
	return error_set(err, "built without the GPU's kernel (FASTPATH=0)");
}

static enum status open_none(void **self, const struct settings *settings, int device, struct error *err)
{
	(void)self;
	(void)settings;
	return probe(device, NULL, 0, err);
}

const struct backend backend_sim = { .name = "sim", .probe = probe, .open = open_none };
const struct backend backend_cuda = {
	.name = "cuda", .is_there = is_there, .built_for = built_for, .probe = probe, .open = open_none
};
