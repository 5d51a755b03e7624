#include "find/byte_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

enum {
	PACKED_BUFFER = 64 << 10, /* bytes read from the file at once where they are unpacked */
	POLL_MS = 100,            /* how soon a wait for a pipe sees that it is to end */
};

struct byte_unpacker {
	struct byte_stream *stream;
	uint8_t packed[PACKED_BUFFER];
	/* gzip */
	z_stream z;
	bool z_ready;
	bool between; /* at the end of a gzip member: another may follow */
	/* the others; NULL with gzip */
	struct archive *filter;
};

enum packing packing_of(const uint8_t *head, size_t n)
{
	static const struct {
		enum packing packing;
		uint8_t length;
		char magic[6];
	} known[] = {
		{ PACKING_GZIP, 2, { '\x1f', '\x8b' } },
		{ PACKING_BZIP2, 3, { 'B', 'Z', 'h' } },
		{ PACKING_XZ, 6, { '\xfd', '7', 'z', 'X', 'Z', '\0' } },
		{ PACKING_ZSTD, 4, { '\x28', '\xb5', '\x2f', '\xfd' } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (n >= known[i].length && memcmp(head, known[i].magic, known[i].length) == 0)
			return known[i].packing;
	return PACKING_UNKNOWN;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

bool byte_stream_wait(int fd, const atomic_bool *stop)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (!stop || !atomic_load_explicit(stop, memory_order_relaxed))
		if (poll(&p, 1, POLL_MS) > 0)
			return true;
	return false;
}

/* What one read(2) gives, or what is left of the head: 0 at the end. -1: fault. */
static int64_t read_some(struct byte_stream *s, void *out, size_t n)
{
	if (s->head_at < s->head_len) {
		n = MIN(n, s->head_len - s->head_at);
		memcpy(out, s->head + s->head_at, n);
		s->head_at += n;
		s->file_bytes += n;
		return (int64_t)n;
	}
	for (;;) {
		/* a file, too: one of a terabyte, sparse perhaps, is not read to its end after a signal */
		bool stopped = s->file_size == UINT64_MAX
				       ? !byte_stream_wait(s->fd, s->stop)
				       : s->stop && atomic_load_explicit(s->stop, memory_order_relaxed);

		if (stopped) {
			fault_set(&s->fault, FAULT_UNREADABLE, s->file_bytes, "interrupted");
			return -1;
		}
		ssize_t got = read(s->fd, out, MIN(n, (size_t)1 << 30));

		if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			continue;
		if (got < 0) {
			fault_set(&s->fault, FAULT_UNREADABLE, s->file_bytes, "cannot read: %s", strerror(errno));
			return -1;
		}
		s->file_bytes += (uint64_t)got;
		return got;
	}
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static void fail_gzip(struct byte_stream *s, int code)
{
	const char *why = s->unpacker->z.msg;

	if (code == Z_MEM_ERROR)
		fault_no_memory(&s->fault, FAULT_NO_OFFSET, "no memory to unpack gzip data");
	else
		fault_set(&s->fault, FAULT_CORRUPT, s->file_bytes - s->unpacker->z.avail_in,
			  "the gzip data are damaged: %s", why ? why : "an invalid stream");
}

/* Behind a gzip member: another one, or the end. Zeros may pad the file, as on tapes. */
static bool next_gzip_member(struct byte_stream *s)
{
	struct byte_unpacker *u = s->unpacker;

	while (u->z.avail_in && !*u->z.next_in) {
		u->z.next_in++;
		u->z.avail_in--;
	}
	if (!u->z.avail_in)
		return false;
	if (inflateReset(&u->z) != Z_OK)
		return false;
	u->between = false;
	return true;
}

/* Like unpack: what came out before something went wrong is given, the fault tells the rest. */
static size_t unpack_gzip(struct byte_stream *s, uint8_t *out, size_t n)
{
	struct byte_unpacker *u = s->unpacker;

	u->z.next_out = out;
	u->z.avail_out = (uInt)n;
	while (u->z.avail_out) {
		if (!u->z.avail_in) {
			int64_t got = read_some(s, u->packed, sizeof(u->packed));

			if (got == 0 && !u->between)
				fault_set(&s->fault, FAULT_TRUNCATED, s->file_bytes,
					  "the gzip data end early, after %llu bytes",
					  (unsigned long long)s->file_bytes);
			if (got <= 0)
				break;
			u->z.next_in = u->packed;
			u->z.avail_in = (uInt)got;
		}
		if (u->between && !next_gzip_member(s))
			continue;
		int code = inflate(&u->z, Z_NO_FLUSH);

		if (code == Z_STREAM_END) {
			u->between = true;
		} else if (code != Z_OK && code != Z_BUF_ERROR) {
			fail_gzip(s, code);
			break;
		}
	}
	return n - u->z.avail_out;
}

static la_ssize_t on_filter_read(struct archive *filter, void *self, const void **out)
{
	struct byte_unpacker *u = self;
	int64_t n = read_some(u->stream, u->packed, sizeof(u->packed));

	*out = u->packed;
	if (n < 0)
		archive_set_error(filter, EIO, "read");
	return (la_ssize_t)n;
}

static size_t unpack_filter(struct byte_stream *s, uint8_t *out, size_t n)
{
	size_t got = 0;

	while (got < n) {
		la_ssize_t r = archive_read_data(s->unpacker->filter, out + got, n - got);

		if (r == ARCHIVE_RETRY)
			continue;
		if (r < 0) {
			const char *why = archive_error_string(s->unpacker->filter);

			if (archive_errno(s->unpacker->filter) == ENOMEM)
				fault_no_memory(&s->fault, s->file_bytes, "no memory to unpack the data");
			/* libarchive's word for it has a capital in some places */
			fault_set(&s->fault, why && strstr(why, "runcated") ? FAULT_TRUNCATED : FAULT_CORRUPT,
				  s->file_bytes, "the packed data cannot be unpacked: %s", why ? why : "unknown error");
			break;
		}
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return got;
}

/* Only what is linked in: libarchive would run a program for the others. */
static bool add_filter(struct archive *filter, enum packing packing)
{
	switch (packing) {
	case PACKING_BZIP2:
		return archive_bzlib_version() && archive_read_support_filter_bzip2(filter) == ARCHIVE_OK;
	case PACKING_XZ:
		return archive_liblzma_version() && archive_read_support_filter_xz(filter) == ARCHIVE_OK;
	case PACKING_ZSTD:
		return archive_libzstd_version() && archive_read_support_filter_zstd(filter) == ARCHIVE_OK;
	default:
		return false;
	}
}

static bool open_filter(struct byte_stream *s, enum packing packing, struct fault *fault)
{
	struct byte_unpacker *u = s->unpacker;
	struct archive_entry *entry;

	u->filter = archive_read_new();
	if (!u->filter || !add_filter(u->filter, packing) || archive_read_support_format_raw(u->filter) != ARCHIVE_OK) {
		fault_set(fault, FAULT_UNSUPPORTED, 0, "packed in a way that this build's libarchive cannot unpack");
		return false;
	}
	if (archive_read_open(u->filter, u, NULL, on_filter_read, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(u->filter, &entry) != ARCHIVE_OK) {
		const char *why = archive_error_string(u->filter);

		*fault = s->fault;
		if (archive_errno(u->filter) == ENOMEM)
			fault_no_memory(fault, 0, "no memory to unpack the data");
		fault_set(fault, FAULT_CORRUPT, 0, "the packed data cannot be unpacked: %s",
			  why ? why : "they are empty");
		return false;
	}
	return true;
}

static bool open_unpacker(struct byte_stream *s, enum packing packing, struct fault *fault)
{
	struct byte_unpacker *u = xcalloc(1, sizeof(*u));

	u->stream = s;
	s->unpacker = u;
	if (packing != PACKING_GZIP)
		return open_filter(s, packing, fault);
	/* 15: the largest window; 16: with a gzip header and trailer */
	if (inflateInit2(&u->z, 15 + 16) != Z_OK) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "no memory to unpack gzip data");
		return false;
	}
	u->z_ready = true;
	return true;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, const atomic_bool *stop, struct fault *fault)
{
	struct stat st;

	assert(n <= BYTE_STREAM_HEAD);
	memset(s, 0, sizeof(*s));
	fault_clear(&s->fault);
	s->fd = fd;
	s->stop = stop;
	s->max_ratio = limits->max_archive_ratio;
	s->file_size = UINT64_MAX;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		s->file_size = (uint64_t)st.st_size;
		s->seekable = packing == PACKING_NONE;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a disk then reads further ahead */
	}
	s->block = BYTE_STREAM_BUFFER;
	s->buffer = xmalloc(BYTE_STREAM_BUFFER);
	memcpy(s->head, head, n);
	s->head_len = n;
	return packing == PACKING_NONE || open_unpacker(s, packing, fault);
}

void byte_stream_close(struct byte_stream *s)
{
	if (s->unpacker) {
		if (s->unpacker->z_ready)
			inflateEnd(&s->unpacker->z);
		if (s->unpacker->filter)
			archive_read_free(s->unpacker->filter);
		free(s->unpacker);
	}
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	free(s->buffer);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

/* Nothing more comes once there is far more than the packed bytes should hold. */
static size_t within_ratio(struct byte_stream *s, size_t got)
{
	s->unpacked += got;
	if (!s->max_ratio || s->unpacked < BYTE_STREAM_RATIO_FLOOR || s->unpacked / s->max_ratio <= s->file_bytes)
		return got;
	fault_set(&s->fault, FAULT_LIMIT, s->file_bytes,
		  "%llu packed bytes gave %llu so far; the limit is %llu to 1 (--max-archive-ratio)",
		  (unsigned long long)s->file_bytes, (unsigned long long)s->unpacked, (unsigned long long)s->max_ratio);
	return 0;
}

/* Up to n unpacked bytes, fewer only at the end or with a fault. */
static size_t produce(struct byte_stream *s, uint8_t *out, size_t n)
{
	size_t got = 0;

	if (s->ended)
		return 0;
	if (s->unpacker) {
		got = s->unpacker->filter ? unpack_filter(s, out, n) : unpack_gzip(s, out, n);
		got = within_ratio(s, got);
	} else {
		while (got < n) {
			int64_t r = read_some(s, out + got, n - got);

			if (r <= 0)
				break;
			got += (size_t)r;
		}
	}
	s->ended = got < n;
	return got;
}

const uint8_t *byte_stream_peek(struct byte_stream *s, size_t n, size_t *have)
{
	assert(n <= BYTE_STREAM_PEEK);
	if (s->len < n) {
		memmove(s->buffer, s->buffer + s->at, s->len);
		s->at = 0;
		s->len += produce(s, s->buffer + s->len, s->block - s->len);
	}
	*have = MIN(n, s->len);
	return s->buffer + s->at;
}

static size_t take(struct byte_stream *s, void *out, size_t n)
{
	n = MIN(n, s->len);
	if (out)
		memcpy(out, s->buffer + s->at, n);
	s->at += n;
	s->len -= n;
	s->offset += n;
	return n;
}

size_t byte_stream_read(struct byte_stream *s, void *out, size_t n)
{
	uint8_t *to = out;
	size_t got = take(s, to, n);

	while (got < n) {
		size_t left = n - got, have;

		if (left >= BYTE_STREAM_BUFFER) { /* not through the buffer */
			have = produce(s, to + got, left);
			s->offset += have;
			got += have;
			break;
		}
		byte_stream_peek(s, 1, &have);
		if (!have)
			break;
		got += take(s, to + got, left);
	}
	return got;
}

/* The rest by seeking, which is worth it only past the buffer. */
static bool seek_over(struct byte_stream *s, uint64_t n)
{
	if (!s->seekable || s->head_at < s->head_len || n < s->block || s->offset > s->file_size ||
	    n > s->file_size - s->offset)
		return false;
	if (lseek(s->fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	s->offset += n;
	return true;
}

uint64_t byte_stream_skip_hole(struct byte_stream *s, uint64_t block)
{
	if (!s->seekable || s->ended || s->head_at < s->head_len || s->len >= block || s->offset >= s->file_size)
		return 0;
	off_t data = lseek(s->fd, (off_t)s->offset, SEEK_DATA); /* that byte itself where no holes are kept */
	uint64_t end = data >= 0 ? (uint64_t)data : errno == ENXIO ? s->file_size : s->offset;
	uint64_t n = end > s->offset ? (MIN(end, s->file_size) - s->offset) / block * block : 0;

	if (n) { /* what is buffered of it is zeros, too */
		s->at = s->len = 0;
		s->offset += n;
	}
	if (lseek(s->fd, (off_t)(s->offset + s->len), SEEK_SET) < 0) {
		fault_set(&s->fault, FAULT_UNREADABLE, s->offset, "cannot seek: %s", strerror(errno));
		s->ended = true;
	}
	return n;
}

bool byte_stream_skip(struct byte_stream *s, uint64_t n)
{
	while (n) {
		n -= take(s, NULL, (size_t)MIN(n, (uint64_t)SIZE_MAX));
		if (!n || seek_over(s, n))
			return true;
		size_t have;

		byte_stream_peek(s, 1, &have);
		if (!have)
			return false;
	}
	return true;
}
