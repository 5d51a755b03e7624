#include "read/photo.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/write_all.h"
#include "read/identify.h"
#include "read/input.h"

enum {
	PAGE = 4096,
	SEGMENTS_MAX = 4096,     /* in a JPEG before its frame; usually tens; an ICC profile of 16 MiB takes 255 */
	ENTRIES_MAX = 4096,      /* in a TIFF directory */
	CHUNKS_MAX = 65536,      /* of a PNG that does not end in IEND; of 8 KiB each they are 512 MiB */
	SEARCHED_MAX = 64 << 20, /* bytes from the end of a JPEG in which its end is searched for */
};

#define TRAIT(trait) (1u << (trait))

/* An image in an open file or in memory, and the last page read of it. */
struct reader {
	const struct photo_bytes *bytes;
	uint64_t size; /* of the image */
	uint64_t at;   /* offset of buffer[0] */
	size_t n;
	struct fault *fault;
	uint8_t buffer[PAGE];
};

/* Returns n bytes at offset, n <= 64. Returns NULL past the end, or if a read fails; then *r->fault is set. */
static const uint8_t *bytes_at(struct reader *r, uint64_t offset, size_t n)
{
	if (offset >= r->at && offset - r->at <= r->n && r->n - (size_t)(offset - r->at) >= n)
		return r->buffer + (offset - r->at);
	if (offset > INT64_MAX - PAGE)
		return NULL;
	const struct photo_bytes *b = r->bytes;
	const size_t most = (size_t)MIN((uint64_t)PAGE, r->size - MIN(offset, r->size));
	int64_t got = (int64_t)most;

	r->at = offset;
	if (b->memory && most)
		memcpy(r->buffer, b->memory + offset, most);
	else if (!b->memory)
		got = pread_all(b->fd, r->buffer, most, b->start + offset);
	if (got < 0)
		fault_set(r->fault, FAULT_UNREADABLE, offset, "cannot read: %s", strerror(errno));
	r->n = (size_t)MAX(got, INT64_C(0));
	return r->n >= n ? r->buffer : NULL;
}

/* Says that the file should have `least` bytes or more. Returns false. */
static bool fault_cut(struct reader *r, const char *format, uint64_t least)
{
	return fault_set(r->fault, FAULT_TRUNCATED, r->size,
			 "its %s data end early: it has %" PRIu64 " bytes, and should have %" PRIu64, format, r->size,
			 least);
}

/* ---- TIFF, and the TIFF within EXIF ----------------------------------------------------------------------------- */

enum {
	TAG_WIDTH = 256,
	TAG_HEIGHT = 257,
	TAG_BITS = 258,
	TAG_PHOTOMETRIC = 262,
	TAG_STRIPS = 273, /* offsets; the numbers of bytes are TAG_STRIP_BYTES */
	TAG_ORIENTATION = 274,
	TAG_SAMPLES = 277,
	TAG_STRIP_BYTES = 279,
	TAG_TILES = 324,
	TAG_TILE_BYTES = 325,
	TYPE_SHORT = 3,
	TYPE_LONG = 4,
	TYPE_LONG8 = 16,
};

struct tiff {
	struct reader *r;
	uint64_t start; /* of its header in the file */
	bool big_endian;
	bool big;              /* BigTIFF: 64-bit offsets */
	uint64_t data, length; /* of its last strip or tile; 0: unknown */
};

static uint64_t tiff_number(const struct tiff *t, const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * (t->big_endian ? bytes - 1 - i : i);
	return v;
}

static bool tiff_open(struct tiff *t, uint64_t *directory)
{
	const uint8_t *p = bytes_at(t->r, t->start, 8);

	if (!p || (memcmp(p, "II", 2) != 0 && memcmp(p, "MM", 2) != 0))
		return false;
	t->big_endian = p[0] == 'M';
	t->big = tiff_number(t, p + 2, 2) == 43;
	if (!t->big) {
		*directory = tiff_number(t, p + 4, 4);
		return tiff_number(t, p + 2, 2) == 42;
	}
	p = bytes_at(t->r, t->start, 16);
	if (p)
		*directory = tiff_number(t, p + 8, 8);
	return p;
}

/* Returns the last of the values of a tag, whose entry is at `entry` and holds them or their offset; or 0. */
static uint64_t tiff_last(const struct tiff *t, uint64_t entry, uint64_t count, unsigned bytes)
{
	const unsigned field = t->big ? 8 : 4;
	uint64_t at = entry + (t->big ? 12 : 8);
	const uint8_t *p = bytes_at(t->r, at, field);

	if (!p || !count || count > UINT32_MAX)
		return 0;
	at = count * bytes > field ? t->start + tiff_number(t, p, field) : at;
	p = at > INT64_MAX / 2 ? NULL : bytes_at(t->r, at + (count - 1) * bytes, bytes);
	return p ? tiff_number(t, p, bytes) : 0;
}

/* Reads the tags of the first directory; values without a tag stay as they are. */
static bool tiff_read(struct tiff *t, struct photo_size *out)
{
	unsigned count_bytes, entry_bytes, value_at;
	uint64_t directory = 0, count;
	const uint8_t *p;

	if (!tiff_open(t, &directory) || directory > INT64_MAX / 2)
		return false;
	count_bytes = t->big ? 8 : 2;
	entry_bytes = t->big ? 20 : 12;
	value_at = t->big ? 12 : 8;
	p = bytes_at(t->r, t->start + directory, count_bytes);
	if (!p)
		return false;
	count = tiff_number(t, p, count_bytes);
	for (uint64_t i = 0; i < MIN(count, (uint64_t)ENTRIES_MAX); i++) {
		p = bytes_at(t->r, t->start + directory + count_bytes + i * entry_bytes, entry_bytes);
		if (!p)
			return false;
		uint64_t tag = tiff_number(t, p, 2), type = tiff_number(t, p + 2, 2);
		unsigned bytes = type == TYPE_SHORT ? 2 : type == TYPE_LONG ? 4 : type == TYPE_LONG8 && t->big ? 8 : 0;
		uint64_t values = tiff_number(t, p + 4, t->big ? 8 : 4), value = tiff_number(t, p + value_at, bytes);

		if (!bytes)
			continue;
		if (tag == TAG_STRIPS || tag == TAG_TILES || tag == TAG_STRIP_BYTES || tag == TAG_TILE_BYTES ||
		    tag == TAG_BITS)
			value = tiff_last(t, t->start + directory + count_bytes + i * entry_bytes, values, bytes);
		if (tag == TAG_STRIPS || tag == TAG_TILES)
			t->data = value;
		else if (tag == TAG_STRIP_BYTES || tag == TAG_TILE_BYTES)
			t->length = value;
		else if (tag == TAG_BITS && value > 8)
			out->traits |= TRAIT(PHOTO_DEEP);
		else if (tag == TAG_PHOTOMETRIC && value == 5)
			out->traits |= TRAIT(PHOTO_CMYK);
		else if (tag == TAG_PHOTOMETRIC && value < 2)
			out->traits |= TRAIT(PHOTO_GREY);
		if (value > UINT32_MAX)
			continue;
		if (tag == TAG_WIDTH)
			out->width = (uint32_t)value;
		else if (tag == TAG_HEIGHT)
			out->height = (uint32_t)value;
		else if (tag == TAG_ORIENTATION && value >= 1 && value <= 8)
			out->orientation = (uint8_t)value;
	}
	return true;
}

/* ---- one function per format: p is its header; they leave the width 0 if it is broken --------------------------- */

static void read_tiff(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	struct tiff t = { .r = r };

	(void)p;
	if (!tiff_read(&t, out))
		out->width = 0;
	else if (t.length && t.data < INT64_MAX && t.length < INT64_MAX && t.data + t.length > r->size)
		fault_cut(r, "TIFF", t.data + t.length);
}

/*
 * Checks that there is an IEND: at the end of the file, or after the chunks before it. Loaders do not read on after it.
 */
static void find_png_end(struct reader *r)
{
	static const uint8_t end[] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
	const uint8_t *p = r->size > sizeof(end) ? bytes_at(r, r->size - sizeof(end), sizeof(end)) : NULL;
	uint64_t at = PNG_SIGNATURE_BYTES;

	if (p && !memcmp(p, end, sizeof(end)))
		return;
	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		p = bytes_at(r, at, 8);
		if (!p) {
			fault_cut(r, "PNG", at + sizeof(end));
			return;
		}
		if (!memcmp(p + 4, "IEND", 4))
			return;
		if (be32(p) > INT32_MAX || !ascii_isalpha((char)p[4])) {
			fault_set(r->fault, FAULT_CORRUPT, at,
				  "its PNG data are damaged: no chunk begins at byte %" PRIu64, at);
			return;
		}
		at += 12 + (uint64_t)be32(p);
	}
}

static void read_png(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	if (memcmp(p + PNG_IHDR_AT - 4, "IHDR", 4) != 0)
		return;
	png_header_parse_size(p + PNG_IHDR_AT, &out->width, &out->height);
	if (r->size >= PNG_IHDR_AT + 10 && (p = bytes_at(r, PNG_IHDR_AT + 8, 2))) {
		out->traits |= (p[0] > 8 ? TRAIT(PHOTO_DEEP) : 0) | (p[1] & 4 ? TRAIT(PHOTO_ALPHA) : 0) |
			       (p[1] == PNG_GREY ? TRAIT(PHOTO_GREY) : 0);
	}
	if (out->width && out->height)
		find_png_end(r);
}

/* Returns whether a marker starts a frame: C0 to CF, except the tables C4 and CC and the reserved C8. */
static bool is_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/*
 * Searches for the marker EOI from the end of the file to `from`, where the frame begins: before it there may be one of
 * a thumbnail. In the data of a scan a byte FF is followed by 00 or another marker, so nothing else looks like it.
 */
static void find_jpeg_end(struct reader *r, uint64_t from)
{
	uint64_t to = r->size;

	while (to > from + 1 && r->size - to < SEARCHED_MAX) {
		const uint64_t at = to - from > PAGE ? to - PAGE : from, n = to - at;

		r->n = 0; /* what bytes_at() holds may end in the middle */
		if (!bytes_at(r, at, 1) || r->n < n)
			return;
		for (uint64_t i = n - 1; i-- > 0;)
			if (r->buffer[i] == 0xff && r->buffer[i + 1] == 0xd9)
				return;
		to = at + 1;
		if (at == from)
			break;
	}
	if (r->size - to < SEARCHED_MAX)
		fault_set(r->fault, FAULT_TRUNCATED, r->size,
			  "its JPEG data end early: its %" PRIu64 " bytes have no end-of-image marker", r->size);
}

static void read_frame(struct reader *r, uint64_t at, struct photo_size *out)
{
	const uint8_t *p = bytes_at(r, at, 9);

	out->height = p ? be16(p + 5) : 0;
	out->width = p ? be16(p + 7) : 0;
	out->traits |= p && p[4] > 8 ? TRAIT(PHOTO_DEEP) : 0;
	p = bytes_at(r, at, 10);
	out->traits |= p && p[9] == 1 ? TRAIT(PHOTO_GREY) : p && p[9] == 4 ? TRAIT(PHOTO_CMYK) : 0;
	if (out->width && out->height)
		find_jpeg_end(r, at);
}

static void read_jpeg(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	uint64_t at = 2;

	for (unsigned i = 0; i < SEGMENTS_MAX; i++) {
		p = bytes_at(r, at, 4);
		if (!p || p[0] != 0xff)
			return;
		unsigned marker = p[1];

		if (marker == 0xff || marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) { /* fill, or no length */
			at += marker == 0xff ? 1 : 2;
			continue;
		}
		unsigned length = be16(p + 2);

		if (length < 2 || marker == 0xd9 || marker == 0xda)
			return;
		if (is_frame(marker)) {
			read_frame(r, at, out);
			return;
		}
		if (marker == 0xe1 && length >= 16 && (p = bytes_at(r, at, 10)) && !memcmp(p + 4, "Exif\0", 6)) {
			struct tiff t = { .r = r, .start = at + 10 };
			struct photo_size exif = { .orientation = out->orientation };

			tiff_read(&t, &exif);
			out->orientation = exif.orientation;
		}
		at += 2 + length;
	}
}

static void read_webp(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	const uint64_t least = 8 + (uint64_t)le32(p + 4);

	if (!memcmp(p + 12, "VP8X", 4)) {
		out->width = 1 + (le32(p + 24) & 0xffffff);
		out->height = 1 + (le32(p + 26) >> 8);
		out->traits |= p[20] & 0x10 ? TRAIT(PHOTO_ALPHA) : 0;
	} else if (!memcmp(p + 12, "VP8L", 4) && p[20] == 0x2f) {
		uint32_t bits = le32(p + 21);

		out->width = 1 + (bits & 0x3fff);
		out->height = 1 + (bits >> 14 & 0x3fff);
		out->traits |= bits >> 28 & 1 ? TRAIT(PHOTO_ALPHA) : 0;
	} else if (!memcmp(p + 12, "VP8 ", 4) && !memcmp(p + 23, "\x9d\x01\x2a", 3)) {
		out->width = le16(p + 26) & 0x3fff;
		out->height = le16(p + 28) & 0x3fff;
	}
	if (out->width && out->height && least > r->size)
		fault_cut(r, "WebP", least);
}

static void read_bmp(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	const bool old = le32(p + 14) == 12;
	unsigned bits = old ? le16(p + 24) : 0;

	out->width = old ? le16(p + 18) : le32(p + 18);
	out->height = old ? le16(p + 20) : le32(p + 22);
	if (out->height >> 31) /* rows from the top */
		out->height = 0 - out->height;
	const uint64_t data = le32(p + 10);

	if (!old) {
		p = bytes_at(r, 0, 34);
		/* the rows of a packed one have any length */
		bits = p && (le32(p + 30) == 0 || le32(p + 30) == 3) ? le16(p + 28) : 0;
	}
	const uint64_t row = bits <= 32 ? ((uint64_t)out->width * bits + 31) / 32 * 4 : 0;

	if (out->width && out->height < INT32_MAX && data + row * out->height > r->size)
		fault_cut(r, "BMP", data + row * out->height);
}

/* Checks that the file ends with a trailer, or else that the first image is whole; `at` is where its blocks begin. */
static void find_gif_end(struct reader *r, uint64_t at)
{
	const uint8_t *p = bytes_at(r, r->size - 1, 1);

	if (p && p[0] == ';')
		return;
	for (bool image = false; !image && (p = bytes_at(r, at, 1)) && (*p == ',' || *p == '!');) {
		image = *p == ',';
		p = image ? bytes_at(r, at + 9, 1) : p; /* its table of colours */
		at += image ? 11 + (p && p[0] & 0x80 ? 3u << ((p[0] & 7) + 1) : 0) : 2;
		while ((p = bytes_at(r, at, 1)) && *p) /* data in pieces of up to 255 bytes */
			at += 1 + (uint64_t)*p;
		at++;
	}
	if (!p)
		fault_cut(r, "GIF", at + 1);
}

static void read_gif(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	out->width = le16(p + 6);
	out->height = le16(p + 8);
	p = bytes_at(r, 10, 1);
	if (out->width && out->height)
		find_gif_end(r, 13 + (p && p[0] & 0x80 ? 3u << ((p[0] & 7) + 1) : 0));
}

static const struct {
	const char *name;
	const char *magic;
	size_t at, n;  /* of the magic */
	size_t header; /* bytes that `read` needs at p */
	void (*read)(struct reader *r, const uint8_t *p, struct photo_size *out);
	const char *const extensions[5]; /* NULL-terminated */
} formats[] = {
	{ "JPEG", "\xff\xd8\xff", 0, 3, 3, read_jpeg, { ".jpg", ".jpeg", ".jfif", ".mpo" } },
	{ "PNG", PNG_SIGNATURE, 0, PNG_SIGNATURE_BYTES, PNG_IHDR_AT + 8, read_png, { ".png", ".apng" } },
	{ "WebP", "WEBP", 8, 4, 30, read_webp, { ".webp" } },
	{ "BMP", "BM", 0, 2, 26, read_bmp, { ".bmp", ".dib" } },
	{ "TIFF", "II*\0", 0, 4, 4, read_tiff, { ".tif", ".tiff", ".dng" } },
	{ "TIFF", "MM\0*", 0, 4, 4, read_tiff, { ".tif", ".tiff", ".dng" } },
	{ "TIFF", "II+\0", 0, 4, 4, read_tiff, { ".tif", ".tiff" } },
	{ "TIFF", "MM\0+", 0, 4, 4, read_tiff, { ".tif", ".tiff" } },
	{ "GIF", "GIF8", 0, 4, 10, read_gif, { ".gif" } },
};

/* Says why a file is no image that is read. Returns false. */
static bool fault_other(struct reader *r)
{
	const uint8_t *p = bytes_at(r, 0, 1);
	const size_t n = p ? r->n : 0;
	const enum content c = identify(p, n);

	if (r->fault->kind != FAULT_NONE)
		return false;
	if (c == CONTENT_EMPTY || c == CONTENT_LFS_POINTER || c == CONTENT_HTML || c == CONTENT_PNG_MANGLED)
		return identify_fault(c, p, n, "an image", r->fault);
	if (n >= 4 && !memcmp(p, "\0\5\x16\7", 4)) /* AppleDouble, RFC 1740 */
		return fault_set(r->fault, FAULT_NOT_A_LABEL, 0, "not an image but what macOS keeps beside one (._)");
	return fault_set(r->fault, FAULT_NOT_A_LABEL, 0, "not a PNG, JPEG, WebP, BMP, TIFF or GIF image%s%s",
			 c == CONTENT_UNKNOWN ? "" : " but ", c == CONTENT_UNKNOWN ? "" : content_name(c));
}

bool photo_read(const struct photo_bytes *bytes, const char *name, struct photo_size *out, struct fault *fault)
{
	struct reader reader = { .bytes = bytes, .size = bytes->size, .fault = fault }, *r = &reader;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const uint8_t *p = bytes_at(r, formats[i].at, formats[i].n);

		if (!p || memcmp(p, formats[i].magic, formats[i].n) != 0)
			continue;
		*out = (struct photo_size){ .orientation = 1 };
		p = bytes_at(r, 0, formats[i].header);
		if (p)
			formats[i].read(r, p, out);
		out->traits |= (out->orientation > 1 ? TRAIT(PHOTO_TURNED) : 0) |
			       (file_name_ends_in_any(name, formats[i].extensions) ? 0 : TRAIT(PHOTO_RENAMED));
		if (out->width && out->height)
			return fault->kind == FAULT_NONE;
		return fault_set(fault, FAULT_NOT_A_LABEL, 0, "its %s header is damaged", formats[i].name);
	}
	return fault_other(r);
}

bool photo_read_size(int dirfd, const char *name, const char *path, struct photo_size *out, struct fault *fault)
{
	struct photo_bytes bytes = { 0 };
	struct stat st;

	bytes.fd = input_open_regular(dirfd, name, path, &st, fault);
	if (bytes.fd < 0)
		return false;
	bytes.size = (uint64_t)st.st_size;

	bool ok = photo_read(&bytes, name, out, fault);

	close(bytes.fd);
	return ok;
}

struct image_extent photo_extent(const struct photo_size *size)
{
	const uint32_t side = size->orientation >= 5 ? MAX(size->width, size->height) : 0;

	return (struct image_extent){ MAX(size->width, side), MAX(size->height, side) };
}
