#include "find/byte_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"

/*
 * A stream of heads ends after HEADS_UNITS_MAX, some three seconds: unpacking is all that it costs. It ends after fewer
 * if its packed bytes do not pay for them; members that are packed themselves take about one unit a byte.
 */
#define HEADS_UNITS_MAX ((uint64_t)1 << 30)
enum { HEADS_UNITS_A_BYTE = 64 };

bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, uint64_t *units_free, const atomic_bool *stop, struct fault *fault)
{
	struct stat st;
	bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	memset(s, 0, sizeof(*s));
	fault_clear(&s->fault);
	s->stop = stop;
	s->max_ratio = limits->max_archive_ratio;
	s->units_free = units_free;
	s->file_size = UINT64_MAX;
	s->packed = packing != PACKING_NONE;
	if (regular) {
		s->file_size = (uint64_t)st.st_size;
		s->seekable = !s->packed;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a disk then reads further ahead */
	}
	s->block = s->block_least = BYTE_STREAM_BUFFER;
	s->next = s->memory = xmalloc(BYTE_STREAM_PEEK + BYTE_STREAM_BUFFER);
	s->reader = xmalloc(sizeof(*s->reader));
	bool opened = block_reader_open(s->reader, fd, regular, head, n, packing, stop, fault);

	if (s->packed)
		s->byte_units = unpacker_byte_units(&s->reader->packed->unpacker);
	return opened;
}

void byte_stream_heads_only(struct byte_stream *s, uint64_t *units)
{
	s->block = s->block_least = BYTE_STREAM_PEEK;
	s->heads_only = true;
	s->units_free = units;
}

void byte_stream_close(struct byte_stream *s)
{
	block_reader_close(s->reader);
	free(s->reader);
	free(s->memory);
	memset(s, 0, sizeof(*s));
}

static uint64_t units_of(const struct byte_stream *s, uint64_t bytes)
{
	return size_mul_saturating(bytes, s->byte_units);
}

/*
 * Takes units, for what was unpacked beyond a bound, from those that all streams share. Returns false if too few are
 * left.
 */
static bool take_units(struct byte_stream *s, uint64_t units)
{
	uint64_t more = units - MIN(units, s->units_taken);

	if (!s->units_free || !more)
		return true;
	if (GUARD(ratio_of_all_archives, more > *s->units_free)) {
		*s->units_free = 0;
		return false;
	}
	*s->units_free -= more;
	s->units_taken = units;
	return true;
}

/* Returns whether more heads are to be read. */
static bool heads_go_on(struct byte_stream *s)
{
	uint64_t units = units_of(s, s->unpacked), paid = size_mul_saturating(s->file_bytes, HEADS_UNITS_A_BYTE);

	return units <= HEADS_UNITS_MAX && take_units(s, units - MIN(units, paid));
}

/* Nothing more comes once there is far more than the packed bytes should hold. */
static size_t within_ratio(struct byte_stream *s, size_t got)
{
	const char *whose = "";
	uint64_t excess;

	s->unpacked += got;
	if (s->heads_only) {
		s->heads_ended = !heads_go_on(s);
		return s->heads_ended ? 0 : got;
	}
	if (PLANTED(bomb_ratio_of_archives, !s->max_ratio, true) || s->unpacked / s->max_ratio <= s->file_bytes)
		return got;
	excess = s->unpacked - s->file_bytes * s->max_ratio;
	if (s->unpacked < BYTE_STREAM_RATIO_FLOOR) {
		if (take_units(s, units_of(s, excess)))
			return got;
		whose = ", and what all archives may unpack to beyond that is spent";
	}
	fault_set(&s->fault, FAULT_LIMIT, s->file_bytes,
		  "%llu packed bytes unpacked to %llu already; the limit is %llu to 1%s (--max-archive-ratio)",
		  (unsigned long long)s->file_bytes, (unsigned long long)s->unpacked, (unsigned long long)s->max_ratio,
		  whose);
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Reads up to n bytes to `to`, as block_reader_read() does. Returns how many. */
static size_t read_directly(struct byte_stream *s, uint8_t *to, size_t n)
{
	struct block_reader *r = s->reader;
	size_t got = block_reader_read(r, to, n);

	s->file_bytes = r->file_bytes;
	s->fault = r->fault;
	s->ended = r->ended;
	return got;
}

/* Adds the next block to the unread bytes, which are less than the largest peek. */
static void add_block(struct byte_stream *s)
{
	memmove(s->memory, s->next, s->len);
	s->next = s->memory;
	size_t got = read_directly(s, s->memory + s->len, s->block);

	if (s->seekable) /* nothing was skipped since the last one */
		s->block = MIN(2 * s->block, (size_t)BYTE_STREAM_BUFFER);
	if (s->packed && within_ratio(s, got) < got) {
		s->ended = true;
		got = 0;
	}
	s->len += got;
}

const uint8_t *byte_stream_peek(struct byte_stream *s, size_t n, size_t *have)
{
	assert(n <= BYTE_STREAM_PEEK);
	while (s->len < n && !s->ended)
		add_block(s);
	*have = MIN(n, s->len);
	return s->next;
}

static size_t take(struct byte_stream *s, void *out, size_t n)
{
	n = MIN(n, s->len);
	if (out)
		memcpy(out, s->next, n);
	s->next += n;
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

		if (left >= BYTE_STREAM_BUFFER && !s->packed && !s->ended) { /* not through the buffer */
			have = read_directly(s, to + got, left);
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
	if (!s->seekable || s->reader->head_at < s->reader->head_len || n < s->block_least ||
	    s->offset > s->file_size || n > s->file_size - s->offset)
		return false;
	if (block_reader_seek(s->reader, (off_t)n, SEEK_CUR) < 0)
		return false;
	s->offset += n;
	s->block = s->block_least;
	return true;
}

uint64_t byte_stream_skip_hole(struct byte_stream *s, uint64_t block)
{
	if (!s->seekable || s->ended || s->reader->head_at < s->reader->head_len || s->len >= block ||
	    s->offset >= s->file_size)
		return 0;
	off_t data = PLANTED(holes_of_a_tar, block_reader_seek(s->reader, (off_t)s->offset, SEEK_DATA),
			     (off_t)s->offset); /* that byte itself where no holes are kept */
	uint64_t end = data >= 0 ? (uint64_t)data : errno == ENXIO ? s->file_size : s->offset;
	uint64_t n = end > s->offset ? (MIN(end, s->file_size) - s->offset) / block * block : 0;

	if (n) { /* what is buffered of it is zeros, too */
		s->len = 0;
		s->offset += n;
	}
	if (block_reader_seek(s->reader, (off_t)(s->offset + s->len), SEEK_SET) < 0) {
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
