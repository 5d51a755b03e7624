/* The data of zip members (zip.h): whole by libdeflate, streamed by zlib. */
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "find/zip_end.h"

enum { STREAM_PACKED = 64 << 10 };

struct zip_stream {
	const struct zip *zip;
	struct zip_data data;
	uint64_t packed_read, given;
	uint32_t crc;
	bool failed, inflating;
	z_stream z;
	uint8_t packed[STREAM_PACKED];
};

bool zip_read_packed(const struct zip *z, const struct zip_data *data, uint64_t offset, void *out, size_t n,
		     struct fault *fault)
{
	uint64_t at = data->at + offset;
	int64_t got = zip_read_at(z->fd, at, out, n, fault);

	if (got >= 0 && (size_t)got < n)
		fault_set(fault, FAULT_UNREADABLE, at + (uint64_t)got,
			  "cannot read: the file became shorter while it was read");
	return got == (int64_t)n;
}

static bool crc_fits(const struct zip_data *data, uint32_t crc, struct fault *fault)
{
	if (crc == data->crc)
		return true;
	fault_set(fault, FAULT_CORRUPT, data->at,
		  "the CRC-32 of the member is %08" PRIx32 ", and %08" PRIx32 " by the directory", crc, data->crc);
	return false;
}

static void wrong_size(const struct zip_data *data, const char *how, struct fault *fault)
{
	fault_set(fault, FAULT_CORRUPT, data->at,
		  "the member unpacks to %s bytes than the %" PRIu64 " that the directory declares", how, data->size);
}

void zip_inflater_free(struct libdeflate_decompressor *inflater)
{
	libdeflate_free_decompressor(inflater);
}

bool zip_unpack(const struct zip_data *data, const uint8_t *packed, uint8_t *out,
		struct libdeflate_decompressor **inflater, struct fault *fault)
{
	size_t used, made;

	if (data->method == ZIP_STORED) {
		memcpy(out, packed, (size_t)data->size);
		return crc_fits(data, libdeflate_crc32(0, out, (size_t)data->size), fault);
	}
	if (!*inflater)
		*inflater = libdeflate_alloc_decompressor();
	if (!*inflater) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "no memory to unpack the member");
		return false;
	}
	switch (libdeflate_deflate_decompress_ex(*inflater, packed, (size_t)data->packed, out, (size_t)data->size,
						 &used, &made)) {
	case LIBDEFLATE_SUCCESS:
		if (made != data->size) {
			wrong_size(data, "fewer", fault);
			return false;
		}
		return crc_fits(data, libdeflate_crc32(0, out, made), fault);
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		wrong_size(data, "more", fault);
		return false;
	default:
		fault_set(fault, FAULT_CORRUPT, data->at, "the deflated data of the member are damaged");
		return false;
	}
}

struct zip_stream *zip_stream_open(const struct zip *z, const struct zip_data *data, struct fault *fault)
{
	struct zip_stream *s = xcalloc(1, sizeof(*s));

	s->zip = z;
	s->data = *data;
	if (data->method == ZIP_STORED)
		return s;
	if (inflateInit2(&s->z, -15) == Z_OK) { /* raw deflate, the largest window */
		s->inflating = true;
		return s;
	}
	fault_no_memory(fault, FAULT_NO_OFFSET, "no memory to unpack the member");
	free(s);
	return NULL;
}

void zip_stream_close(struct zip_stream *s)
{
	if (!s)
		return;
	if (s->inflating)
		inflateEnd(&s->z);
	free(s);
}

/* Up to n bytes; *ended once the deflate stream is. */
static size_t inflate_some(struct zip_stream *s, uint8_t *out, size_t n, bool *ended, struct fault *fault)
{
	s->z.next_out = out;
	s->z.avail_out = (uInt)n;
	*ended = false;
	while (s->z.avail_out && !*ended) {
		if (!s->z.avail_in) {
			size_t more = (size_t)MIN(s->data.packed - s->packed_read, (uint64_t)STREAM_PACKED);

			if (!more) {
				wrong_size(&s->data, "fewer", fault);
				break;
			}
			if (!zip_read_packed(s->zip, &s->data, s->packed_read, s->packed, more, fault))
				break;
			s->packed_read += more;
			s->z.next_in = s->packed;
			s->z.avail_in = (uInt)more;
		}
		int code = inflate(&s->z, Z_NO_FLUSH);

		*ended = code == Z_STREAM_END;
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
			fault_set(fault, FAULT_CORRUPT, s->data.at, "the deflated data of the member are damaged: %s",
				  s->z.msg ? s->z.msg : "an invalid stream");
			break;
		}
	}
	return n - s->z.avail_out;
}

size_t zip_stream_read(struct zip_stream *s, void *out, size_t n, struct fault *fault)
{
	size_t want = (size_t)MIN(MIN((uint64_t)n, s->data.size - s->given), (uint64_t)1 << 30), got;
	bool ended = false;

	if (!want || s->failed)
		return 0;
	if (s->data.method == ZIP_STORED)
		got = zip_read_packed(s->zip, &s->data, s->given, out, want, fault) ? want : 0;
	else
		got = inflate_some(s, out, want, &ended, fault);
	s->crc = libdeflate_crc32(s->crc, out, got);
	s->given += got;
	s->failed = got < want;
	if (s->failed)
		wrong_size(&s->data, "fewer", fault);
	if (s->failed || s->given < s->data.size)
		return got;
	/* the last bytes are given only with a right CRC, and only if none would follow */
	uint8_t beyond;

	if (s->inflating && !ended && (inflate_some(s, &beyond, 1, &ended, fault) || !ended))
		wrong_size(&s->data, "more", fault);
	else if (crc_fits(&s->data, s->crc, fault))
		return got;
	s->failed = true;
	return 0;
}
