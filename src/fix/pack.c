#include "fix/pack.h"

#include <bzlib.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
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

/* ---- piece by piece ---------------------------------------------------------------------------------------------- */

/*
 * XZ_STREAM_LEVEL: 32 MiB instead of 94, since several archives are packed at once; masks are packed already and do not
 * get smaller.
 */
enum { PACKER_PIECE = 64 << 10, XZ_STREAM_LEVEL = 3, ZLIB_GZIP = 15 + 16, ZLIB_MEMORY = 8 };

struct packer {
	enum packing packing;
	union {
		z_stream gzip;
		bz_stream bzip2;
		lzma_stream xz;
		ZSTD_CCtx *zstd;
	};
	uint8_t out[PACKER_PIECE];
};

static bool start(struct packer *p)
{
	switch (p->packing) {
	case PACKING_GZIP:
		return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, ZLIB_GZIP, ZLIB_MEMORY, Z_DEFAULT_STRATEGY) ==
		       Z_OK;
	case PACKING_BZIP2:
		return BZ2_bzCompressInit(&p->bzip2, BZIP2_LEVEL, 0, 0) == BZ_OK;
	case PACKING_XZ:
		p->xz = (lzma_stream)LZMA_STREAM_INIT;
		return lzma_easy_encoder(&p->xz, XZ_STREAM_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
	case PACKING_ZSTD:
		p->zstd = ZSTD_createCCtx();
		return p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
		       !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
	default:
		return false;
	}
}

struct packer *packer_new(enum packing packing, struct fault *fault)
{
	struct packer *p = xcalloc(1, sizeof(*p));

	p->packing = packing;
	if (start(p))
		return p;
	packer_free(p);
	fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to pack the archive");
	return NULL;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	if (p->packing == PACKING_GZIP)
		deflateEnd(&p->gzip);
	else if (p->packing == PACKING_BZIP2)
		BZ2_bzCompressEnd(&p->bzip2);
	else if (p->packing == PACKING_XZ)
		lzma_end(&p->xz);
	else if (p->packing == PACKING_ZSTD)
		ZSTD_freeCCtx(p->zstd);
	free(p);
}

/* Packs up to *n bytes, and takes what was packed off both. end: nothing follows. *made: bytes in p->out. Returns
 * whether there is more to do: -1 after an error. */
static int pack_gzip_some(struct packer *p, const uint8_t **bytes, size_t *n, bool end, size_t *made)
{
	size_t piece = MIN(*n, (size_t)1 << 30);

	/* it does not write to its source, which it takes without const */
	p->gzip.next_in = (Bytef *)(uintptr_t)*bytes;
	p->gzip.avail_in = (uInt)piece;
	p->gzip.next_out = p->out;
	p->gzip.avail_out = sizeof(p->out);
	int code = deflate(&p->gzip, end && piece == *n ? Z_FINISH : Z_NO_FLUSH);

	*made = sizeof(p->out) - p->gzip.avail_out;
	*bytes += piece - p->gzip.avail_in;
	*n -= piece - p->gzip.avail_in;
	return code == Z_STREAM_ERROR ? -1 : end ? code != Z_STREAM_END : *n || !p->gzip.avail_out;
}

static int pack_bzip2_some(struct packer *p, const uint8_t **bytes, size_t *n, bool end, size_t *made)
{
	size_t piece = MIN(*n, (size_t)1 << 30);

	p->bzip2.next_in = (char *)(uintptr_t)*bytes;
	p->bzip2.avail_in = (unsigned)piece;
	p->bzip2.next_out = (char *)p->out;
	p->bzip2.avail_out = sizeof(p->out);
	int code = BZ2_bzCompress(&p->bzip2, end && piece == *n ? BZ_FINISH : BZ_RUN);

	*made = sizeof(p->out) - p->bzip2.avail_out;
	*bytes += piece - p->bzip2.avail_in;
	*n -= piece - p->bzip2.avail_in;
	return code < 0 ? -1 : end ? code != BZ_STREAM_END : *n || !p->bzip2.avail_out;
}

static int pack_xz_some(struct packer *p, const uint8_t **bytes, size_t *n, bool end, size_t *made)
{
	p->xz.next_in = *bytes;
	p->xz.avail_in = *n;
	p->xz.next_out = p->out;
	p->xz.avail_out = sizeof(p->out);
	lzma_ret code = lzma_code(&p->xz, end ? LZMA_FINISH : LZMA_RUN);

	*made = sizeof(p->out) - p->xz.avail_out;
	*bytes += *n - p->xz.avail_in;
	*n = p->xz.avail_in;
	return code != LZMA_OK && code != LZMA_STREAM_END ? -1 : end ? code != LZMA_STREAM_END : *n || !p->xz.avail_out;
}

static int pack_zstd_some(struct packer *p, const uint8_t **bytes, size_t *n, bool end, size_t *made)
{
	ZSTD_inBuffer in = { *bytes, *n, 0 };
	ZSTD_outBuffer out = { p->out, sizeof(p->out), 0 };
	size_t left = ZSTD_compressStream2(p->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);

	*made = out.pos;
	*bytes += in.pos;
	*n -= in.pos;
	return ZSTD_isError(left) ? -1 : end ? left != 0 : *n || out.pos == out.size;
}

static bool pack_all(struct packer *p, const uint8_t *bytes, size_t n, bool end, struct strbuf *out,
		     struct fault *fault)
{
	static int (*const some[])(struct packer * p, const uint8_t **bytes, size_t *n, bool end, size_t *made) = {
		[PACKING_GZIP] = pack_gzip_some,
		[PACKING_BZIP2] = pack_bzip2_some,
		[PACKING_XZ] = pack_xz_some,
		[PACKING_ZSTD] = pack_zstd_some,
	};
	int more = n || end;

	while (more > 0) {
		size_t made;

		more = some[p->packing](p, &bytes, &n, end, &made);
		strbuf_add(out, p->out, made);
	}
	return more == 0 || fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be packed again");
}

bool packer_add(struct packer *p, const void *bytes, size_t n, struct strbuf *out, struct fault *fault)
{
	return pack_all(p, bytes, n, false, out, fault);
}

bool packer_end(struct packer *p, struct strbuf *out, struct fault *fault)
{
	return pack_all(p, NULL, 0, true, out, fault);
}
