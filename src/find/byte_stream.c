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
#include "platform/platform.h"

/*
 * A stream of heads ends after HEADS_UNITS_MAX, some three seconds: unpacking is all that it costs. It ends after fewer
 * if its packed bytes do not pay for them; members that are packed themselves take about one unit a byte.
 */
#define HEADS_UNITS_MAX ((uint64_t)1 << 30)
enum { HEADS_UNITS_A_BYTE = 64 };

/* ---- the file -------------------------------------------------------------------------------------------------------
 */

enum {
	ASK_LEAST = 128 << 10,
	ASK_MOST = 2 << 20, /* 128 MB/s where an answer takes 16 ms */
};

/* Asks the kernel for what follows. */
static void ask_for_next(struct archive_file *f)
{
	if (f->start < 0)
		return;
	f->ahead = MIN(MAX(2 * f->ahead, (off_t)ASK_LEAST / 2), (off_t)ASK_MOST);
	if (f->ahead < ASK_LEAST) /* the first read after a seek: another one may follow */
		return;
	f->asked = MAX(f->asked, f->at);
	if (f->asked < f->at + f->ahead)
		platform_will_read(f->fd, (uint64_t)f->asked, (uint64_t)(f->at + f->ahead - f->asked));
	f->asked = MAX(f->asked, f->at + f->ahead);
}

/* Returns what one read(2) gives: 0 at the end, or -1 with *fault set. */
static int64_t read_file(struct archive_file *f, void *out, size_t n, struct fault *fault)
{
	ask_for_next(f);
	ssize_t got = read_or_stop(f->fd, out, MIN(n, (size_t)1 << 30), f->stop);

	if (got >= 0)
		f->at += got;
	else if (errno == ECANCELED)
		fault_set(fault, FAULT_UNREADABLE, f->bytes, "interrupted");
	else
		fault_set(fault, FAULT_UNREADABLE, f->bytes, "cannot read: %s", strerror(errno));
	return got;
}

/* Returns some of the next bytes: 0 at the end, or -1 with *fault set. */
static int64_t read_once(struct archive_file *f, void *out, size_t n, struct fault *fault)
{
	const size_t head = MIN(n, f->head_len - f->head_at);
	int64_t got = (int64_t)head;

	memcpy(out, f->head + f->head_at, head);
	f->head_at += head;
	if (!head)
		got = read_file(f, out, n, fault);
	f->bytes += (uint64_t)MAX(got, INT64_C(0));
	return got;
}

/*
 * Returns n bytes, but for the end and the head. A pipe gives as many as its writer wrote at once, and file_bytes is to
 * depend on the data alone.
 */
static int64_t read_some(void *self, void *out, size_t n, struct fault *fault)
{
	size_t got = 0;

	while (got < n) {
		int64_t more = read_once(self, (uint8_t *)out + got, n - got, fault);

		if (more < 0)
			return more;
		if (!more)
			break;
		got += (size_t)more;
	}
	return (int64_t)got;
}

/* Opens a file of which the first n bytes were read. */
static struct archive_file *file_open(int fd, bool regular, const void *head, size_t n, const atomic_bool *stop)
{
	struct archive_file *f = xmalloc(sizeof(*f));

	assert(n <= BYTE_STREAM_HEAD);
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->stop = stop;
	memcpy(f->head, head, n);
	f->head_len = n;
	f->at = regular ? lseek(fd, 0, SEEK_CUR) : -1;
	f->start = f->at - (off_t)n;
	return f;
}

static void file_close(struct archive_file *f)
{
	if (f->fd > STDERR_FILENO)
		close(f->fd);
	free(f);
}

/* ---- the stream -----------------------------------------------------------------------------------------------------
 */

bool byte_stream_open(struct byte_stream *s, int fd, const void *head, size_t n, enum packing packing,
		      const struct limits *limits, uint64_t *units_free, const atomic_bool *stop, struct fault *fault)
{
	struct stat st;
	bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	memset(s, 0, sizeof(*s));
	fault_clear(&s->fault);
	s->max_ratio = limits->max_archive_ratio;
	s->units_free = units_free;
	s->file_size = UINT64_MAX;
	if (regular) {
		s->file_size = (uint64_t)st.st_size;
		s->seekable = packing == PACKING_NONE;
		platform_will_read_through(fd); /* a disk then reads further ahead */
	}
	s->block = s->block_least = BYTE_STREAM_BUFFER;
	s->next = s->memory = xmalloc(BYTE_STREAM_PEEK + BYTE_STREAM_BUFFER);
	s->file = file_open(fd, regular, head, n, stop);
	if (packing == PACKING_NONE)
		return true;
	s->packed = xmalloc(sizeof(*s->packed));
	bool opened = packed_reader_init(s->packed, packing, (struct packed_source){ s->file, read_some }, fault);

	s->byte_units = unpacker_byte_units(&s->packed->unpacker);
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
	if (s->packed)
		packed_reader_release(s->packed);
	free(s->packed);
	file_close(s->file);
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
	uint64_t units = units_of(s, s->unpacked), paid = size_mul_saturating(s->file->bytes, HEADS_UNITS_A_BYTE);

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
	if (PLANTED(bomb_ratio_of_archives, !s->max_ratio, true) || s->unpacked / s->max_ratio <= s->file->bytes)
		return got;
	excess = s->unpacked - s->file->bytes * s->max_ratio;
	if (s->unpacked < BYTE_STREAM_RATIO_FLOOR) {
		if (take_units(s, units_of(s, excess)))
			return got;
		whose = ", and what all archives may unpack to beyond that is spent";
	}
	fault_set(&s->fault, FAULT_LIMIT, s->file->bytes,
		  "%llu packed bytes unpacked to %llu already; the limit is %llu to 1%s (--max-archive-ratio)",
		  (unsigned long long)s->file->bytes, (unsigned long long)s->unpacked, (unsigned long long)s->max_ratio,
		  whose);
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Reads up to n bytes: fewer at the end, or with s->fault set. Returns how many. */
static size_t read_directly(struct byte_stream *s, uint8_t *to, size_t n)
{
	if (s->ended)
		return 0;
	int64_t got = s->packed ? (int64_t)packed_reader_read(s->packed, to, n, &s->fault)
				: read_some(s->file, to, n, &s->fault);

	got = MAX(got, INT64_C(0));
	s->ended = (size_t)got < n;
	return (size_t)got;
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
	if (!s->seekable || s->file->head_at < s->file->head_len || n < s->block_least || s->offset > s->file_size ||
	    n > s->file_size - s->offset)
		return false;
	off_t at = lseek(s->file->fd, (off_t)n, SEEK_CUR);

	if (at < 0)
		return false;
	s->file->at = at;
	s->file->ahead = 0;
	s->offset += n;
	s->block = s->block_least;
	return true;
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
