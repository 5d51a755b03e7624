#include "read/photo.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/write_all.h"
#include "read/input.h"

enum {
	PAGE = 4096,
	SEGMENTS_MAX = 4096, /* in a JPEG before its frame; usually tens; an ICC profile of 16 MiB takes 255 */
	ENTRIES_MAX = 4096,  /* in a TIFF directory */
};

/* An open file and the last page read of it. */
struct reader {
	int fd;
	uint64_t at; /* offset of buffer[0] */
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
	r->at = offset;
	int64_t got = pread_all(r->fd, r->buffer, PAGE, offset);

	if (got < 0)
		fault_set(r->fault, FAULT_UNREADABLE, offset, "cannot read: %s", strerror(errno));
	r->n = (size_t)MAX(got, INT64_C(0));
	return r->n >= n ? r->buffer : NULL;
}

/* ---- TIFF, and the TIFF within EXIF ----------------------------------------------------------------------------- */

enum { TAG_WIDTH = 256, TAG_HEIGHT = 257, TAG_ORIENTATION = 274, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_LONG8 = 16 };

struct tiff {
	struct reader *r;
	uint64_t start; /* of its header in the file */
	bool big_endian;
	bool big; /* BigTIFF: 64-bit offsets */
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
		uint64_t value = tiff_number(t, p + value_at, bytes);

		if (!bytes || value > UINT32_MAX)
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
}

static void read_png(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	(void)r;
	if (!memcmp(p + PNG_IHDR_AT - 4, "IHDR", 4))
		png_header_parse_size(p + PNG_IHDR_AT, &out->width, &out->height);
}

/* Returns whether a marker starts a frame: C0 to CF, except the tables C4 and CC and the reserved C8. */
static bool is_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
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
			p = bytes_at(r, at, 9);
			out->height = p ? be16(p + 5) : 0;
			out->width = p ? be16(p + 7) : 0;
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
	(void)r;
	if (!memcmp(p + 12, "VP8X", 4)) {
		out->width = 1 + (le32(p + 24) & 0xffffff);
		out->height = 1 + (le32(p + 26) >> 8);
	} else if (!memcmp(p + 12, "VP8L", 4) && p[20] == 0x2f) {
		uint32_t bits = le32(p + 21);

		out->width = 1 + (bits & 0x3fff);
		out->height = 1 + (bits >> 14 & 0x3fff);
	} else if (!memcmp(p + 12, "VP8 ", 4) && !memcmp(p + 23, "\x9d\x01\x2a", 3)) {
		out->width = le16(p + 26) & 0x3fff;
		out->height = le16(p + 28) & 0x3fff;
	}
}

static void read_bmp(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	bool old = le32(p + 14) == 12;

	(void)r;
	out->width = old ? le16(p + 18) : le32(p + 18);
	out->height = old ? le16(p + 20) : le32(p + 22);
	if (out->height >> 31) /* rows from the top */
		out->height = 0 - out->height;
}

static void read_gif(struct reader *r, const uint8_t *p, struct photo_size *out)
{
	(void)r;
	out->width = le16(p + 6);
	out->height = le16(p + 8);
}

static const struct {
	const char *name;
	const char *magic;
	size_t at, n;  /* of the magic */
	size_t header; /* bytes that `read` needs at p */
	void (*read)(struct reader *r, const uint8_t *p, struct photo_size *out);
} formats[] = {
	{ "PNG", PNG_SIGNATURE, 0, PNG_SIGNATURE_BYTES, PNG_IHDR_AT + PNG_IHDR_SIZE_BYTES, read_png },
	{ "JPEG", "\xff\xd8\xff", 0, 3, 3, read_jpeg },
	{ "WebP", "WEBP", 8, 4, 30, read_webp },
	{ "BMP", "BM", 0, 2, 26, read_bmp },
	{ "TIFF", "II*\0", 0, 4, 4, read_tiff },
	{ "TIFF", "MM\0*", 0, 4, 4, read_tiff },
	{ "TIFF", "II+\0", 0, 4, 4, read_tiff },
	{ "TIFF", "MM\0+", 0, 4, 4, read_tiff },
	{ "GIF", "GIF8", 0, 4, 10, read_gif },
};

static bool read_size(struct reader *r, struct photo_size *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const uint8_t *p = bytes_at(r, formats[i].at, formats[i].n);

		if (!p || memcmp(p, formats[i].magic, formats[i].n) != 0)
			continue;
		*out = (struct photo_size){ .orientation = 1 };
		p = bytes_at(r, 0, formats[i].header);
		if (p)
			formats[i].read(r, p, out);
		if (out->width && out->height)
			return true;
		return fault_set(r->fault, FAULT_NOT_A_LABEL, 0, "its %s header is damaged", formats[i].name);
	}
	return fault_set(r->fault, FAULT_NOT_A_LABEL, 0, "it is not a PNG, JPEG, WebP, BMP, TIFF or GIF image");
}

bool photo_read_size(int dirfd, const char *name, const char *path, struct photo_size *out, struct fault *fault)
{
	struct reader r;
	struct stat st;

	r.fd = input_open_regular(dirfd, name, path, &st, fault);
	r.at = r.n = 0;
	r.fault = fault;
	if (r.fd < 0)
		return false;

	bool ok = read_size(&r, out);

	close(r.fd);
	return ok;
}
