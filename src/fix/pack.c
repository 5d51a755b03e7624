#include "fix/pack.h"

#include <bzlib.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"

/* The levels that the tools use by themselves. */
enum { GZIP_LEVEL = 6, BZIP2_LEVEL = 9, XZ_LEVEL = 6, ZSTD_LEVEL = 3, BZIP2_SPARE = 600 };

/* Each packs n bytes into room bytes. Returns how many it took; 0: it failed. */
static size_t pack_gzip(const void *bytes, size_t n, void *out, size_t room)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(GZIP_LEVEL);
	size_t size = c ? libdeflate_gzip_compress(c, bytes, n, out, room) : 0;

	libdeflate_free_compressor(c);
	return size;
}

static size_t pack_bzip2(const void *bytes, size_t n, void *out, size_t room)
{
	unsigned size = (unsigned)room;

	/* it does not write to its source, which it takes as char * */
	return BZ2_bzBuffToBuffCompress(out, &size, (char *)(uintptr_t)bytes, (unsigned)n, BZIP2_LEVEL, 0, 0) == BZ_OK
		       ? size
		       : 0;
}

static size_t pack_xz(const void *bytes, size_t n, void *out, size_t room)
{
	size_t size = 0;

	return lzma_easy_buffer_encode(XZ_LEVEL, LZMA_CHECK_CRC64, NULL, bytes, n, out, &size, room) == LZMA_OK ? size
														: 0;
}

static size_t pack_zstd(const void *bytes, size_t n, void *out, size_t room)
{
	size_t size = 0;
	ZSTD_CCtx *c = ZSTD_createCCtx();

	if (c && !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)))
		size = ZSTD_compress2(c, out, room, bytes, n);
	ZSTD_freeCCtx(c);
	return ZSTD_isError(size) ? 0 : size;
}

/* Returns a bound of the packed size that holds for all four. */
static size_t room_for(size_t n)
{
	return n + n / 64 + MAX(lzma_stream_buffer_bound(n) - n, (size_t)BZIP2_SPARE);
}

bool pack_bytes(enum packing packing, struct strbuf *out, struct fault *fault)
{
	static size_t (*const packers[])(const void *bytes, size_t n, void *out, size_t room) = {
		[PACKING_GZIP] = pack_gzip,
		[PACKING_BZIP2] = pack_bzip2,
		[PACKING_XZ] = pack_xz,
		[PACKING_ZSTD] = pack_zstd,
	};
	size_t room = room_for(out->len), size = 0;
	uint8_t *packed = (size_t)packing < ARRAY_SIZE(packers) && packers[packing] ? mem_try(room, 1) : NULL;

	if (packed)
		size = packers[packing](out->s, out->len, packed, room);
	if (size)
		strbuf_set(out, packed, size);
	free(packed);
	return size || fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be packed again");
}
