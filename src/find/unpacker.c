#include "find/unpacker.h"

#include <assert.h>
#include <bzlib.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/work_units.h"

enum {
	RUN_MAX = 1 << 30, /* bytes given to a library at once: some count in 32 bits */
	/* for inflateInit2: 15 is the largest window, as a power of two; 16 more stands for a gzip header */
	ZLIB_WINDOW = 15,
	GZIP_WINDOW = ZLIB_WINDOW + 16,
};

/* liblzma's memory with the largest window: 16 KiB more than that and 30 KiB of tables, in 5.4. */
static const uint64_t XZ_MEMORY = ((uint64_t)1 << UNPACKER_WINDOW_LOG) + (1 << 20);

/* All zero, each library takes it for one that was never begun. */
union unpacker_state {
	z_stream gzip;
	bz_stream bzip2;
	lzma_stream xz;
	ZSTD_DCtx *zstd;
};

/* Advances in and out by what the library used of each. */
static void advance(struct unpacker *u, size_t in_left, size_t in_given, size_t out_left, size_t out_given)
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
	/* the reset suffices for a second stream; before the first it fails */
	return inflateReset(&u->state->gzip) == Z_OK || inflateInit2(&u->state->gzip, GZIP_WINDOW) == Z_OK;
}

static bool zlib_begin(struct unpacker *u)
{
	return inflateReset(&u->state->gzip) == Z_OK || inflateInit2(&u->state->gzip, ZLIB_WINDOW) == Z_OK;
}

static enum unpacker_result gzip_run(struct unpacker *u, size_t in, size_t out)
{
	z_stream *z = &u->state->gzip;

	z->next_in = (uint8_t *)(uintptr_t)u->in;
	z->avail_in = (uInt)in;
	z->next_out = u->out;
	z->avail_out = (uInt)out;
	int code = inflate(z, Z_NO_FLUSH);

	advance(u, z->avail_in, in, z->avail_out, out);
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
	BZ2_bzDecompressEnd(&u->state->bzip2); /* the previous stream, if any */
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

	advance(u, b->avail_in, in, b->avail_out, out);
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
	/* reuses the memory of the previous stream */
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

	advance(u, x->avail_in, in, x->avail_out, out);
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
		return damaged(u, "options that liblzma does not support");
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

	advance(u, in - from.pos, in, out - to.pos, out);
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
	uint8_t padding;                  /* zeros after a stream come in multiples of this; 0: none may */
	uint8_t units;                    /* of work for an unpacked byte, see UNPACK_UNITS_BZIP2 */
	bool (*begin)(struct unpacker *); /* a stream; false: no memory */
	enum unpacker_result (*run)(struct unpacker *, size_t in, size_t out);
	void (*end)(struct unpacker *); /* frees everything, begun or not */
} libraries[] = {
	/* zeros after gzip and bzip2, as tapes have them, are not part of the format; after xz they are */
	[PACKING_GZIP] = { "gzip", 2, { '\x1f', '\x8b' }, 1, 1, gzip_begin, gzip_run, gzip_end },
	[PACKING_BZIP2] = { "bzip2", 3, { 'B', 'Z', 'h' }, 1, UNPACK_UNITS_BZIP2, bzip2_begin, bzip2_run, bzip2_end },
	[PACKING_XZ] = { "xz", 6, { '\xfd', '7', 'z', 'X', 'Z', '\0' }, 4, UNPACK_UNITS_XZ, xz_begin, xz_run, xz_end },
	[PACKING_ZSTD] = { "zstd", 4, { '\x28', '\xb5', '\x2f', '\xfd' }, 0, 1, zstd_begin, zstd_run, zstd_end },
	[PACKING_ZLIB] = { "zlib", 0, "", 1, 1, zlib_begin, gzip_run, gzip_end },
};

static bool has_magic(const struct unpacker_library *l, const uint8_t *head, size_t n)
{
	return n >= l->magic_len && memcmp(head, l->magic, l->magic_len) == 0;
}

enum packing packing_of(const uint8_t *head, size_t n)
{
	for (size_t i = PACKING_GZIP; i < PACKING_ZLIB; i++)
		if (has_magic(&libraries[i], head, n))
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
	if (!u->library)
		return;
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

unsigned unpacker_byte_units(const struct unpacker *u)
{
	return u->library->units;
}

uint64_t unpacker_window_bytes(const struct unpacker *u)
{
	if (u->library == &libraries[PACKING_XZ])
		return lzma_memusage(&u->state->xz);
	return u->library == &libraries[PACKING_ZSTD] ? ZSTD_sizeof_DCtx(u->state->zstd) : 0;
}

int64_t unpack_head(const uint8_t *packed, size_t n, uint8_t *out, size_t capacity, struct fault *fault)
{
	enum packing packing = packing_of(packed, n);
	struct unpacker u;

	if (packing == PACKING_UNKNOWN)
		return 0;
	unpacker_init(&u, packing);
	u.in = packed;
	u.in_len = n;
	u.out = out;
	u.out_len = capacity;
	/* what came out before a failure counts, unless memory was missing */
	bool has_memory = unpacker_begin_stream(&u) && unpacker_run(&u) != UNPACKER_NO_MEMORY;

	unpacker_release(&u);
	if (has_memory)
		return (int64_t)(capacity - u.out_len);
	fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack %s data", u.library->name);
	return -1;
}

/* ---- files of several streams ------------------------------------------------------------------------------------ */

static bool begin_stream(struct packed_reader *r, struct fault *fault)
{
	r->between = false;
	return unpacker_begin_stream(&r->unpacker) ||
	       fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack %s data",
			       r->unpacker.library->name);
}

bool packed_reader_init(struct packed_reader *r, enum packing packing, struct packed_source source, struct fault *fault)
{
	memset(r, 0, offsetof(struct packed_reader, bytes));
	unpacker_init(&r->unpacker, packing);
	r->source = source;
	return begin_stream(r, fault);
}

void packed_reader_release(struct packed_reader *r)
{
	unpacker_release(&r->unpacker);
}

/* Returns the byte of the source that is unpacked next. */
static uint64_t position(const struct packed_reader *r)
{
	return r->drawn - r->unpacker.in_len;
}

/* Draws from the source until there are `want` bytes of input, or it ends. Returns false if *fault is set. */
static bool refill(struct packed_reader *r, size_t want, struct fault *fault)
{
	struct unpacker *u = &r->unpacker;

	while (u->in_len < want) {
		if (u->in_len)
			memmove(r->bytes, u->in, u->in_len);
		u->in = r->bytes;
		int64_t got = r->source.read(r->source.self, r->bytes + u->in_len, sizeof(r->bytes) - u->in_len, fault);

		if (got <= 0)
			return got == 0;
		u->in_len += (size_t)got;
		r->drawn += (uint64_t)got;
	}
	return true;
}

/* Skips zeros after a stream. Returns false if *fault is set. */
static bool skip_zeros(struct packed_reader *r, struct fault *fault)
{
	struct unpacker *u = &r->unpacker;

	while (refill(r, 1, fault)) {
		if (!u->in_len || *u->in)
			return true;
		u->in++;
		u->in_len--;
		r->zeros++;
	}
	return false;
}

static bool padding_is_whole(const struct packed_reader *r)
{
	unsigned unit = r->unpacker.library->padding;

	return unit ? r->zeros % unit == 0 : !r->zeros;
}

/* Begins another stream if anything but zeros follows: the library says whether it is one. */
static bool next_stream(struct packed_reader *r, struct fault *fault)
{
	const struct unpacker_library *l = r->unpacker.library;

	if (l->padding ? !skip_zeros(r, fault) : !refill(r, 1, fault))
		return false;
	r->ended = !r->unpacker.in_len;
	if (padding_is_whole(r))
		return r->ended || begin_stream(r, fault);
	return fault_set(fault, FAULT_CORRUPT, position(r),
			 "the %s data are damaged: %" PRIu64 " zeros after a stream, which is not a multiple of %u",
			 l->name, r->zeros, l->padding);
}

/* Runs the library once. */
static void run(struct packed_reader *r, struct fault *fault)
{
	struct unpacker *u = &r->unpacker;
	enum unpacker_result result = unpacker_run(u);
	const char *name = u->library->name;

	r->full = !u->out_len;
	switch (result) {
	case UNPACKER_MORE:
		break;
	case UNPACKER_END:
		r->between = true;
		r->zeros = 0;
		break;
	case UNPACKER_DAMAGED:
		fault_set(fault, FAULT_CORRUPT, position(r), "the %s data are damaged: %s", name, u->why);
		break;
	case UNPACKER_LIMIT:
		fault_set(fault, FAULT_LIMIT, position(r),
			  "the %s data need a window of more than %d MiB, which is the limit", name,
			  1 << (UNPACKER_WINDOW_LOG - 20));
		fault_advise(fault, "compress it again with a smaller window, like that of xz -9 or zstd --long");
		break;
	case UNPACKER_NO_MEMORY:
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack %s data", name);
		break;
	}
}

size_t packed_reader_read(struct packed_reader *r, void *out, size_t n, struct fault *fault)
{
	struct unpacker *u = &r->unpacker;

	u->out = out;
	u->out_len = n;
	while (u->out_len && !r->ended && fault->kind == FAULT_NONE) {
		if (r->between) {
			if (!next_stream(r, fault))
				break;
			continue;
		}
		if (!r->full && !refill(r, 1, fault))
			break;
		if (!r->full && !u->in_len)
			fault_set(fault, FAULT_TRUNCATED, r->drawn, "the %s data end early, after %" PRIu64 " bytes",
				  u->library->name, r->drawn);
		else
			run(r, fault);
	}
	return n - u->out_len;
}
