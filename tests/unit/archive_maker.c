#include "archive_maker.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "check_main.h"

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* bits: as of deflateInit2: 31 is gzip, -15 raw deflate. */
static size_t pack_deflate(int bits, const void *bytes, size_t n, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)bytes, .avail_in = (uInt)n };

	z.next_out = out;
	z.avail_out = (uInt)room;
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_int_eq(deflateEnd(&z), Z_OK);
	return room - z.avail_out;
}

static size_t pack_bzip2(const void *bytes, size_t n, uint8_t *out, size_t room)
{
	unsigned size = (unsigned)room;

	/* work factor 1: bytes that repeat, which tests have, are soon left to the sort that does not mind them */
	ck_assert_int_eq(BZ2_bzBuffToBuffCompress((char *)out, &size, (char *)(uintptr_t)bytes, (unsigned)n, 9, 0, 1),
			 BZ_OK);
	return size;
}

static size_t pack_xz(const void *bytes, size_t n, uint8_t *out, size_t room)
{
	size_t size = 0;

	ck_assert_int_eq(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, bytes, n, out, &size, room), LZMA_OK);
	return size;
}

/* With a checksum, as the program makes them. */
static size_t pack_zstd(const void *bytes, size_t n, uint8_t *out, size_t room)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	size_t size = ZSTD_compress2(c, out, room, bytes, n);

	ck_assert(!ZSTD_isError(size));
	ZSTD_freeCCtx(c);
	return size;
}

uint8_t *maker_pack(const char *packing, const void *bytes, size_t n, size_t *size)
{
	size_t room = n + n / 8 + 4096;
	uint8_t *out = xmalloc(room);

	if (!strcmp(packing, "gzip"))
		*size = pack_deflate(15 + 16, bytes, n, out, room);
	else if (!strcmp(packing, "bzip2"))
		*size = pack_bzip2(bytes, n, out, room);
	else if (!strcmp(packing, "xz"))
		*size = pack_xz(bytes, n, out, room);
	else if (!strcmp(packing, "zstd"))
		*size = pack_zstd(bytes, n, out, room);
	else
		ck_abort_msg("no packing is called %s", packing);
	return out;
}

static void add_zeros(struct strbuf *sb, size_t n)
{
	while (n--)
		strbuf_addch(sb, '\0');
}

/* ---- tar --------------------------------------------------------------------------------------------------------- */

enum { BLOCK = 512, NAME = 100, PREFIX = 345 };

static void add_block(struct maker *m, const char *name, const char *prefix, size_t n)
{
	char block[BLOCK + 1] = "";
	unsigned sum = 0;

	ck_assert_uint_le(strlen(name), NAME);
	snprintf(block, NAME + 1, "%s", name);
	snprintf(block + 100, 8, "%07o", 0644);
	snprintf(block + 108, 8, "%07o", 1000);
	snprintf(block + 116, 8, "%07o", 1000);
	snprintf(block + 124, 12, "%011zo", n);
	snprintf(block + 136, 12, "%011o", 1000000000);
	memset(block + 148, ' ', 8);
	block[156] = '0';
	snprintf(block + 257, 9, "ustar%c00", '\0');
	snprintf(block + PREFIX, 156, "%s", prefix);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (uint8_t)block[i];
	snprintf(block + 148, 8, "%06o", sum);
	strbuf_add(&m->members, block, BLOCK);
}

static void add_data(struct maker *m, const void *bytes, size_t n)
{
	if (n)
		strbuf_add(&m->members, bytes, n);
	add_zeros(&m->members, -n % BLOCK);
}

/* Where a long name is cut in two for ustar: at a '/', which goes. */
static const char *split_name(const char *name)
{
	const char *cut = strlen(name) > NAME ? strchr(name + strlen(name) - NAME - 1, '/') : NULL;

	return cut && cut - name <= 155 ? cut : NULL;
}

static void add_tar_member(struct maker *m, const char *name, const void *bytes, size_t n)
{
	char prefix[156] = "", first[NAME + 1];

	if (split_name(name)) {
		snprintf(prefix, sizeof(prefix), "%.*s", (int)(split_name(name) - name), name);
		name = split_name(name) + 1;
	}
	snprintf(first, sizeof(first), "%.100s", name);
	add_block(m, first, prefix, n);
	add_data(m, bytes, n);
}

static void end_tar(struct maker *m)
{
	add_zeros(&m->members, 2 * BLOCK);
	add_zeros(&m->members, -m->members.len % (20 * BLOCK));
	if (!strcmp(m->packing, "none")) {
		m->size = m->members.len;
		m->bytes = xmalloc(m->size);
		memcpy(m->bytes, m->members.s, m->size);
	} else {
		m->bytes = maker_pack(m->packing, m->members.s, m->members.len, &m->size);
	}
}

/* ---- zip --------------------------------------------------------------------------------------------------------- */

static void add_number(struct strbuf *sb, unsigned bytes, uint64_t v)
{
	for (; bytes; bytes--, v >>= 8)
		strbuf_addch(sb, (char)(v & 0xff));
}

enum { DATA_DESCRIPTOR = 8, DEFLATED = 8 };

struct zip_member {
	unsigned flags, method;
	uint32_t crc;
	size_t packed, size;
};

/* From the version that is needed to the length of the extra field, as both headers have it. */
static void add_zip_fields(struct strbuf *sb, const struct zip_member *z, size_t name_len)
{
	add_number(sb, 2, 20);
	add_number(sb, 2, z->flags);
	add_number(sb, 2, z->method);
	add_number(sb, 4, 33 << 16); /* the first of January 1980 */
	add_number(sb, 4, z->crc);
	add_number(sb, 4, z->packed);
	add_number(sb, 4, z->size);
	add_number(sb, 2, name_len);
	add_number(sb, 2, 0);
}

static void add_zip_local(struct maker *m, const char *name, const struct zip_member *of)
{
	struct zip_member z = *of;

	if (z.flags & DATA_DESCRIPTOR) {
		z.crc = 0;
		z.packed = z.size = 0;
	}
	add_number(&m->members, 4, 0x04034b50);
	add_zip_fields(&m->members, &z, strlen(name));
	strbuf_adds(&m->members, name);
}

static void add_zip_member(struct maker *m, const char *name, const void *bytes, size_t n)
{
	struct zip_member z = { .size = n, .packed = n };
	size_t room = n + n / 8 + 4096, offset = m->members.len;
	uint8_t *packed = NULL;

	z.crc = (uint32_t)crc32(0, bytes, (uInt)n);
	if (!strcmp(m->packing, "deflate")) {
		packed = xmalloc(room);
		z.method = DEFLATED;
		z.flags = DATA_DESCRIPTOR;
		z.packed = pack_deflate(-15, bytes, n, packed, room);
	}
	add_zip_local(m, name, &z);
	if (z.packed)
		strbuf_add(&m->members, packed ? packed : bytes, z.packed);
	if (z.flags & DATA_DESCRIPTOR) {
		add_number(&m->members, 4, 0x08074b50);
		add_number(&m->members, 4, z.crc);
		add_number(&m->members, 4, z.packed);
		add_number(&m->members, 4, z.size);
	}
	free(packed);

	add_number(&m->directory, 4, 0x02014b50);
	add_number(&m->directory, 2, 3 << 8 | 20); /* made on Unix */
	add_zip_fields(&m->directory, &z, strlen(name));
	add_number(&m->directory, 6, 0); /* comment, disk, internal attributes */
	add_number(&m->directory, 4, (uint64_t)(S_IFREG | 0644) << 16);
	add_number(&m->directory, 4, offset);
	strbuf_adds(&m->directory, name);
	m->count++;
}

static void end_zip(struct maker *m)
{
	struct strbuf *sb = &m->members;
	size_t at = sb->len, size = m->directory.len;

	strbuf_add(sb, m->directory.s, size);
	add_number(sb, 4, 0x06054b50);
	add_number(sb, 4, 0); /* disks */
	add_number(sb, 2, m->count);
	add_number(sb, 2, m->count);
	add_number(sb, 4, size);
	add_number(sb, 4, at);
	add_number(sb, 2, 0);
	m->size = sb->len;
	m->bytes = xmalloc(m->size);
	memcpy(m->bytes, sb->s, m->size);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool is_zip(const struct maker *m)
{
	return !strcmp(m->format, "zip");
}

void maker_begin(struct maker *m, const char *format, const char *packing)
{
	memset(m, 0, sizeof(*m));
	m->format = format;
	m->packing = packing;
	strbuf_init(&m->members);
	strbuf_init(&m->directory);
}

void maker_add(struct maker *m, const char *name, const void *bytes, size_t n)
{
	if (is_zip(m))
		add_zip_member(m, name, bytes, n);
	else
		add_tar_member(m, name, bytes, n);
}

void maker_end(struct maker *m)
{
	if (is_zip(m))
		end_zip(m);
	else
		end_tar(m);
	strbuf_release(&m->members);
	strbuf_release(&m->directory);
}

void maker_release(struct maker *m)
{
	free(m->bytes);
	m->bytes = NULL;
}
