#include "find/unpacker.h"

#include <assert.h>
#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/guard.h"
#include "base/gzip.h"
#include "base/mem.h"

/* The most that is given to a library at once: some count in 32 bits. */
enum { RUN_MAX = 1 << 30 };

/* Memory of liblzma with the largest window: 16 KiB more than that and 30 KiB of tables, in 5.4. */
static const uint64_t XZ_MEMORY = ((uint64_t)1 << UNPACKER_WINDOW_LOG) + (1 << 20);

/* All zero, it is nothing begun to each of the libraries. */
union unpacker_state {
	z_stream gzip;
	bz_stream bzip2;
	lzma_stream xz;
	ZSTD_DCtx *zstd;
};

/* What the library left of what it was given. */
static void move_on(struct unpacker *u, size_t in_left, size_t in_given, size_t out_left, size_t out_given)
{
	u->in += in_given - in_left;
	u->in_len -= in_given - in_left;
	u->out += out_given - out_left;
	u->out_len -= out_given - out_left;
}

static enum unpacker_result damaged(struct unpacker *u, const char *why)
{
	u->why = why ? why : "an invalid stream";
	return UNPACKER_DAMAGED;
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */

static bool gzip_begin(struct unpacker *u)
{
	/* a second stream needs no more than a reset, which fails before the first */
	return inflateReset(&u->state->gzip) == Z_OK || inflateInit2(&u->state->gzip, GZIP_WINDOW) == Z_OK;
}

static enum unpacker_result gzip_run(struct unpacker *u, size_t in, size_t out)
{
	z_stream *z = &u->state->gzip;

	z->next_in = (uint8_t *)(uintptr_t)u->in;
	z->avail_in = (uInt)in;
	z->next_out = u->out;
	z->avail_out = (uInt)out;
	int code = inflate(z, Z_NO_FLUSH);

	move_on(u, z->avail_in, in, z->avail_out, out);
	switch (code) {
	case Z_OK:
	case Z_BUF_ERROR:
		return UNPACKER_MORE;
	case Z_STREAM_END:
		return UNPACKER_END;
	case Z_MEM_ERROR:
		return UNPACKER_NO_MEMORY;
	default:
		return damaged(u, z->msg);
	}
}

static void gzip_end(struct unpacker *u)
{
	inflateEnd(&u->state->gzip);
}

/* ---- bzip2 ------------------------------------------------------------------------------------------------------- */

static bool bzip2_begin(struct unpacker *u)
{
	BZ2_bzDecompressEnd(&u->state->bzip2); /* of the stream before, if there is one */
	return BZ2_bzDecompressInit(&u->state->bzip2, 0, 0) == BZ_OK;
}

static enum unpacker_result bzip2_run(struct unpacker *u, size_t in, size_t out)
{
	bz_stream *b = &u->state->bzip2;

	b->next_in = (char *)(uintptr_t)u->in;
	b->avail_in = (unsigned)in;
	b->next_out = (char *)u->out;
	b->avail_out = (unsigned)out;
	int code = BZ2_bzDecompress(b);

	move_on(u, b->avail_in, in, b->avail_out, out);
	switch (code) {
	case BZ_OK:
		return UNPACKER_MORE;
	case BZ_STREAM_END:
		return UNPACKER_END;
	case BZ_MEM_ERROR:
		return UNPACKER_NO_MEMORY;
	case BZ_DATA_ERROR_MAGIC:
		return damaged(u, "no bzip2 header");
	default:
		return damaged(u, "an invalid block, or a wrong checksum");
	}
}

static void bzip2_end(struct unpacker *u)
{
	BZ2_bzDecompressEnd(&u->state->bzip2);
}

/* ---- xz ---------------------------------------------------------------------------------------------------------- */

static bool xz_begin(struct unpacker *u)
{
	/* uses the memory of the stream before again */
	return lzma_stream_decoder(&u->state->xz, PLANTED(window_of_xz, XZ_MEMORY, UINT64_MAX), 0) == LZMA_OK;
}

static enum unpacker_result xz_run(struct unpacker *u, size_t in, size_t out)
{
	lzma_stream *x = &u->state->xz;

	x->next_in = u->in;
	x->avail_in = in;
	x->next_out = u->out;
	x->avail_out = out;
	lzma_ret code = lzma_code(x, LZMA_RUN);

	move_on(u, x->avail_in, in, x->avail_out, out);
	switch (code) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return UNPACKER_MORE;
	case LZMA_STREAM_END:
		return UNPACKER_END;
	case LZMA_MEM_ERROR:
		return UNPACKER_NO_MEMORY;
	case LZMA_MEMLIMIT_ERROR:
		return UNPACKER_LIMIT;
	case LZMA_FORMAT_ERROR:
		return damaged(u, "no xz header");
	case LZMA_OPTIONS_ERROR:
		return damaged(u, "options that liblzma does not know");
	default:
		return damaged(u, "an invalid block, or a wrong checksum");
	}
}

static void xz_end(struct unpacker *u)
{
	lzma_end(&u->state->xz);
}

/* ---- zstd -------------------------------------------------------------------------------------------------------- */

/* A frame that ends leaves the context ready for the next one. */
static bool zstd_begin(struct unpacker *u)
{
	if (u->state->zstd)
		return true;
	u->state->zstd = ZSTD_createDCtx();
	return u->state->zstd &&
	       !ZSTD_isError(ZSTD_DCtx_setParameter(u->state->zstd, ZSTD_d_windowLogMax,
						    PLANTED(window_of_zstd, UNPACKER_WINDOW_LOG, 31)));
}

static enum unpacker_result zstd_run(struct unpacker *u, size_t in, size_t out)
{
	ZSTD_inBuffer from = { .src = u->in, .size = in };
	ZSTD_outBuffer to = { .dst = u->out, .size = out };
	size_t code = ZSTD_decompressStream(u->state->zstd, &to, &from);

	move_on(u, in - from.pos, in, out - to.pos, out);
	if (!ZSTD_isError(code))
		return code ? UNPACKER_MORE : UNPACKER_END;
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return UNPACKER_NO_MEMORY;
	case ZSTD_error_frameParameter_windowTooLarge:
		return UNPACKER_LIMIT;
	default:
		return damaged(u, ZSTD_getErrorName(code));
	}
}

static void zstd_end(struct unpacker *u)
{
	ZSTD_freeDCtx(u->state->zstd);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static const struct unpacker_library {
	const char *name;
	uint8_t magic_len;
	char magic[6];
	uint8_t padding;                  /* zeros behind a stream come in multiples of so many; 0: none */
	bool (*begin)(struct unpacker *); /* a stream; false: no memory */
	enum unpacker_result (*run)(struct unpacker *, size_t in, size_t out);
	void (*end)(struct unpacker *); /* whatever was begun */
} libraries[] = {
	/* zeros behind gzip and bzip2, as tapes have them, are no part of the format; behind xz they are */
	[PACKING_GZIP] = { "gzip", 2, { '\x1f', '\x8b' }, 1, gzip_begin, gzip_run, gzip_end },
	[PACKING_BZIP2] = { "bzip2", 3, { 'B', 'Z', 'h' }, 1, bzip2_begin, bzip2_run, bzip2_end },
	[PACKING_XZ] = { "xz", 6, { '\xfd', '7', 'z', 'X', 'Z', '\0' }, 4, xz_begin, xz_run, xz_end },
	[PACKING_ZSTD] = { "zstd", 4, { '\x28', '\xb5', '\x2f', '\xfd' }, 0, zstd_begin, zstd_run, zstd_end },
};

enum packing packing_of(const uint8_t *head, size_t n)
{
	for (size_t i = PACKING_GZIP; i < ARRAY_SIZE(libraries); i++)
		if (n >= libraries[i].magic_len && memcmp(head, libraries[i].magic, libraries[i].magic_len) == 0)
			return (enum packing)i;
	return PACKING_UNKNOWN;
}

void unpacker_init(struct unpacker *u, enum packing packing)
{
	assert(packing > PACKING_NONE && packing < PACKING_UNKNOWN);
	memset(u, 0, sizeof(*u));
	u->library = &libraries[packing];
	u->state = xcalloc(1, sizeof(*u->state));
}

void unpacker_release(struct unpacker *u)
{
	u->library->end(u);
	free(u->state);
}

bool unpacker_begin_stream(struct unpacker *u)
{
	return u->library->begin(u);
}

enum unpacker_result unpacker_run(struct unpacker *u)
{
	return u->library->run(u, MIN(u->in_len, (size_t)RUN_MAX), MIN(u->out_len, (size_t)RUN_MAX));
}

const char *unpacker_name(const struct unpacker *u)
{
	return u->library->name;
}

unsigned unpacker_padding(const struct unpacker *u)
{
	return u->library->padding;
}
