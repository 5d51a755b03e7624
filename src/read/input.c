#include "read/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_state.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stale.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "find/unpacker.h"
#include "platform/platform.h"
#include "read/identify.h"

enum {
	FIRST_READ = 64 << 10, /* of a descriptor of unknown length; then doubled */
	/*
	 * The largest window for streamed packed data, since each worker may hold one: that of xz -6 and zstd -19.
	 * Data that unpack to at most INPUT_WHOLE_MAX bytes may declare any, since they touch no more of it.
	 */
	STREAM_WINDOW_MAX = 8 << 20,
	AHEAD_BYTES = 16 << 20,  /* of one file that the kernel is asked to read ahead */
	READ_LATE_NS = 50000,    /* and a nanosecond a byte; memory takes a fifth of that */
	WINDOW_TABLES = 2 << 20, /* a bound on the libraries' memory besides the window */
};

void input_init(struct input *in)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
}

/* Returns whether the input owns its memory: a view of the caller's has no capacity. */
static bool owns_bytes(const struct input *in)
{
	return in->cap > 0;
}

static void close_source(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	if (in->stream.close)
		in->stream.close(in->stream.self);
	memset(&in->stream, 0, sizeof(in->stream));
}

void input_release(struct input *in)
{
	close_source(in);
	if (owns_bytes(in))
		free(in->head ? in->head : in->bytes);
	input_init(in);
}

void input_reset(struct input *in)
{
	uint8_t *bytes = !owns_bytes(in) ? NULL : in->head ? in->head : in->bytes;
	size_t cap = in->cap;

	close_source(in);
	input_init(in);
	in->bytes = bytes;
	in->cap = cap;
}

static const char *file_type(mode_t mode)
{
	return S_ISDIR(mode)    ? "a folder, which is to be a PATH of its own"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISCHR(mode)  ? "a character device"
	       : S_ISBLK(mode)  ? "a block device"
				: "of another type";
}

int input_open_regular(int dirfd, const char *name, const char *path, struct stat *st, struct fault *fault)
{
	const int flags = O_RDONLY | PLANTED(fifo_waited_for, O_NONBLOCK, 0) | O_NOCTTY | O_CLOEXEC;

	int fd = open_or_again(dirfd, name, path, flags);

	if (fd < 0) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errno));
		return -1;
	}
	if (fstat(fd, st) < 0)
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat: %s", strerror(errno));
	else if (PLANTED(device_read, !S_ISREG(st->st_mode), S_ISFIFO(st->st_mode)))
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "not a regular file but %s",
			  file_type(st->st_mode));
	else
		return fd;
	close(fd);
	return -1;
}

/*
 * Calls read(2) until it has n bytes or the file ends. Returns how many bytes, or -1 with errno. A read that ends at
 * byte `end`, the expected end, is the last: it saves one call per file.
 */
static int64_t read_fully(int fd, uint8_t *out, size_t n, uint64_t end)
{
	size_t got = 0;

	while (got < n && (got == 0 || got != end)) {
		/* ssize_t may be 32 bits; Linux reads at most 2^31 - 4096 bytes per call anyway */
		ssize_t r = read(fd, out + got, MIN(n - got, (size_t)1 << 30));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (int64_t)got;
}

static bool changed(const struct input *in, uint64_t now, struct fault *fault)
{
	if (now == in->size)
		return fault_set(
			fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
			"changed while it was read: its modification time, or that of its status, is different");
	return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET,
			 "changed while it was read: %" PRIu64 " bytes before, %" PRIu64 " after", in->size, now);
}

/* Compares fd with its state when it was opened. */
static bool check_unchanged(const struct input *in, int fd, struct fault *fault)
{
	struct stat now;

	if (fstat(fd, &now) < 0)
		return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat: %s", strerror(errno));
	if (GUARD(file_that_changes, !file_state_same(&in->st, &now)))
		return changed(in, (uint64_t)now.st_size, fault);
	return true;
}

/*
 * Reads a whole file of in->size bytes. head: its first n bytes, already read. Requests one byte more than expected to
 * detect growth.
 */
static bool read_whole(struct input *in, int fd, const uint8_t *head, size_t n, struct fault *fault)
{
	size_t size = (size_t)in->size;
	int64_t got = (int64_t)n;

	GROW(in->bytes, in->cap, MAX(size, n) + INPUT_PADDING);
	if (n)
		memcpy(in->bytes, head, n);
	if (n < size || n == PEEK_BYTES || !n) { /* else the end was read */
		got = read_fully(fd, in->bytes + n, MAX(size, n) + 1 - n, in->size - MIN(size, n));
		got = got < 0 ? got : got + (int64_t)n;
	}
	if (got < 0)
		return fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
	if ((uint64_t)got != in->size)
		return changed(in, (uint64_t)got, fault);
	memset(in->bytes + size, 0, INPUT_PADDING);
	return check_unchanged(in, fd, fault);
}

/* Takes over a regular file. in->st is filled. head: its first n bytes, already read. */
static bool open_fd(struct input *in, int fd, const uint8_t *head, size_t n, struct fault *fault)
{
	in->size = (uint64_t)in->st.st_size;
	if (PLANTED(file_held_whole, in->size <= INPUT_WHOLE_MAX, true)) {
		bool ok = read_whole(in, fd, head, n, fault);

		close(fd);
		return ok;
	}
	/* bytes == NULL: it is streamed */
	free(in->bytes);
	in->bytes = NULL;
	in->cap = 0;
	in->fd = fd; /* read at places, so that its offset does not matter */
	return true;
}

bool input_open(struct input *in, int dirfd, const char *name, struct fault *fault)
{
	input_reset(in);

	int fd = input_open_regular(dirfd, name, NULL, &in->st, fault);

	return fd >= 0 && open_fd(in, fd, NULL, 0, fault);
}

bool input_open_peeked(struct input *in, struct file_peek *peek, struct fault *fault)
{
	int fd = peek->fd;

	input_reset(in);
	in->st = peek->st;
	peek->fd = -1;
	return open_fd(in, fd, peek->head, peek->n, fault);
}

/* Grows the buffer to at least `want` bytes, doubling it. Returns false without memory: the input chose the size. */
static bool ensure_capacity(struct input *in, size_t want)
{
	if (in->cap >= want)
		return true;

	size_t cap = MAX(in->cap * 2, MAX(want, (size_t)FIRST_READ));
	uint8_t *bytes = mem_try(cap, 1);

	if (!bytes)
		return false;
	if (in->size)
		memcpy(bytes, in->bytes, (size_t)in->size);
	free(in->bytes);
	in->bytes = bytes;
	in->cap = cap;
	return true;
}

bool input_read_fd(struct input *in, int fd, const void *head, size_t head_len, uint64_t limit, struct fault *fault)
{
	input_reset(in);
	if (fstat(fd, &in->st) < 0)
		return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat: %s", strerror(errno));
	if (head_len) {
		if (!ensure_capacity(in, head_len + INPUT_PADDING))
			return fault_no_memory(fault, 0, "not enough memory for %zu bytes", head_len);
		memcpy(in->bytes, head, head_len);
		in->size = head_len;
	}
	for (;;) {
		if (!ensure_capacity(in, (size_t)in->size + 1 + INPUT_PADDING))
			return fault_no_memory(fault, in->size, "not enough memory for more than %" PRIu64 " bytes",
					       in->size);
		size_t free_bytes = in->cap - INPUT_PADDING - (size_t)in->size;

		/* one byte over the limit shows that there are more */
		if (limit && limit - in->size < free_bytes)
			free_bytes = (size_t)(limit - in->size) + 1;

		ssize_t n = read_or_stop(fd, in->bytes + in->size, free_bytes, NULL);

		if (n < 0)
			return fault_set(fault, FAULT_UNREADABLE, in->size, "cannot read: %s", strerror(errno));
		if (n == 0)
			break;
		in->size += (uint64_t)n;
		if (limit && in->size > limit)
			return fault_set(fault, FAULT_LIMIT, limit,
					 "longer than %" PRIu64 " bytes, the most that is read at once", limit);
	}
	memset(in->bytes + in->size, 0, INPUT_PADDING);
	return true;
}

bool input_open_fd(struct input *in, int fd, const void *head, size_t head_len, uint64_t limit, struct fault *fault)
{
	input_reset(in);
	bool regular = fstat(fd, &in->st) == 0 && S_ISREG(in->st.st_mode) && head_len <= PEEK_BYTES &&
		       lseek(fd, 0, SEEK_CUR) == (off_t)head_len;
	int own = regular ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;

	return own >= 0 ? open_fd(in, own, head, head_len, fault) : input_read_fd(in, fd, head, head_len, limit, fault);
}

/* Reads a stream into memory until it ends or fills INPUT_WHOLE_MAX bytes. *ended: which of them. */
static bool read_head(struct input *in, bool *ended, struct fault *fault)
{
	*ended = false;
	while (in->size < INPUT_WHOLE_MAX) {
		size_t at = (size_t)in->size, want = at + 1 + INPUT_PADDING;

		/* grow as bytes are read, since a declared length is not trusted; the last step is exact */
		if (want > INPUT_WHOLE_MAX / 2)
			want = INPUT_WHOLE_MAX + INPUT_PADDING;
		if (!ensure_capacity(in, want))
			return fault_no_memory(fault, in->size, "not enough memory for more than %" PRIu64 " bytes",
					       in->size);
		size_t free_bytes = MIN(in->cap - INPUT_PADDING, (size_t)INPUT_WHOLE_MAX) - at;
		int64_t n = in->stream.read(in->stream.self, in->bytes + at, free_bytes, fault);

		if (n < 0)
			return false;
		in->size += (uint64_t)n;
		if ((size_t)n < free_bytes) {
			*ended = true;
			break;
		}
	}
	memset(in->bytes + in->size, 0, INPUT_PADDING);
	return true;
}

bool input_from_stream(struct input *in, const struct input_stream *stream, struct fault *fault)
{
	bool ended;

	input_reset(in);
	in->stream = *stream;
	if (!read_head(in, &ended, fault)) {
		close_source(in);
		return false;
	}
	if (ended) {
		close_source(in);
		return true;
	}
	in->head = in->bytes;
	in->head_size = (size_t)in->size;
	in->bytes = NULL;
	in->size = INPUT_SIZE_UNKNOWN;
	return true;
}

void input_from_memory(struct input *in, const void *bytes, size_t n)
{
	input_release(in);
	/* cap stays 0: not owned. bytes is not const because input_open fills it; a view is never written to. */
	in->bytes = (uint8_t *)(uintptr_t)bytes;
	in->size = n;
}

/* Reads first from the rest of the head, then from the source. */
static int64_t read_stream(struct input *in, uint8_t *out, size_t n, struct fault *fault)
{
	size_t held = in->at < in->head_size ? MIN(n, in->head_size - (size_t)in->at) : 0;

	if (held)
		memcpy(out, in->head + in->at, held);
	in->at += held;
	if (held == n)
		return (int64_t)n;

	int64_t got = in->stream.read(in->stream.self, out + held, n - held, fault);

	if (got < 0)
		return -1;
	in->at += (uint64_t)got;
	if ((size_t)got < n - held)
		in->size = in->at;
	return (int64_t)held + got;
}

/* Reads from the file, and notes whether storage is late. */
static int64_t read_piece(struct input *in, void *out, size_t n)
{
	uint64_t since = clock_ns(), until = MIN(in->at + AHEAD_BYTES, in->size);

	if (in->late && until > MAX(in->at, in->asked)) {
		platform_will_read(in->fd, MAX(in->at, in->asked), until - MAX(in->at, in->asked));
		in->asked = until;
	}
	int64_t got = pread_all(in->fd, out, n, in->at);

	in->late |= clock_ns() - since > READ_LATE_NS + n;
	return got;
}

int64_t input_read(struct input *in, void *out, size_t n, struct fault *fault)
{
	uint64_t left = in->size - in->at;

	assert(in->at <= in->size);
	/* stop at the size when it was opened; input_unchanged detects growth */
	n = (size_t)MIN((uint64_t)n, left);
	if (n == 0)
		return 0;
	if (in->bytes) {
		memcpy(out, in->bytes + in->at, n);
		in->at += n;
		return (int64_t)n;
	}
	if (in->stream.read)
		return read_stream(in, out, n, fault);
	assert(in->fd >= 0);

	int64_t got = read_piece(in, out, n);

	if (got < 0) {
		fault_set(fault, FAULT_UNREADABLE, in->at, "cannot read at byte %" PRIu64 ": %s", in->at,
			  strerror(errno));
		return -1;
	}
	in->at += (uint64_t)got;
	return got;
}

/* Reads up to byte `at`, or to the end. */
static bool skip_to(struct input *in, uint64_t at, struct fault *fault)
{
	uint8_t unused[PEEK_BYTES];

	while (in->at < at) {
		int64_t n = input_read(in, unused, (size_t)MIN(at - in->at, (uint64_t)sizeof(unused)), fault);

		if (n <= 0)
			return n == 0;
	}
	return true;
}

bool input_seek(struct input *in, uint64_t at, struct fault *fault)
{
	if (in->stream.read && at < in->at && in->at > in->head_size)
		return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
				 "must be read backwards, and is longer than the %d bytes that are held of a packed "
				 "file or a member; unpack it",
				 INPUT_WHOLE_MAX);
	if (in->stream.read && at > in->at)
		return skip_to(in, at, fault);
	in->at = MIN(at, in->size);
	return true;
}

bool input_rewind(struct input *in, struct fault *fault)
{
	if (in->at > in->head_size && in->stream.rewind) {
		in->stream.rewind(in->stream.self);
		in->head_size = 0; /* the stream gives these bytes again */
	} else if (in->at > in->head_size && in->stream.read) {
		return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
				 "cannot be read twice: unpacked, it is longer than %d bytes", INPUT_WHOLE_MAX);
	}
	in->at = 0;
	return true;
}

/* Bytes in memory were checked when they were read. */
bool input_unchanged(const struct input *in, struct fault *fault)
{
	return in->fd < 0 || check_unchanged(in, in->fd, fault);
}

/* ---- packed files ------------------------------------------------------------------------------------------------ */

struct packed_input {
	struct input packed; /* the input as it was */
	struct packed_reader reader;
	uint64_t given; /* unpacked bytes */
	uint64_t limit; /* of them; 0: none */
	struct input_meter meter;
};

static int64_t read_packed(void *self, void *out, size_t n, struct fault *fault)
{
	struct input *packed = self;
	int64_t got = input_read(packed, out, n, fault);

	return got == 0 && !input_unchanged(packed, fault) ? -1 : got;
}

/* Sets *fault if too much was unpacked. */
static void check_limits(const struct packed_input *p, struct fault *fault)
{
	const char *name = unpacker_name(&p->reader.unpacker);

	if (GUARD(bomb_of_gzip, p->limit && p->given > p->limit)) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "the %s data unpack to more than %" PRIu64 " bytes, the limit (--max-inflated)", name,
			  p->limit);
	} else if (p->given > INPUT_WHOLE_MAX &&
		   unpacker_window_bytes(&p->reader.unpacker) > STREAM_WINDOW_MAX + WINDOW_TABLES) {
		fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "the %s data need a window of more than %d MiB, which is the limit for a label file that "
			  "unpacks to more than %d MiB",
			  name, STREAM_WINDOW_MAX >> 20, INPUT_WHOLE_MAX >> 20);
		fault_advise(fault, "compress it again with a smaller window, like that of xz -6 or zstd -19");
	}
}

static int64_t read_unpacked(void *self, void *out, size_t n, struct fault *fault)
{
	struct packed_input *p = self;
	uint64_t left = p->limit ? p->limit - p->given : UINT64_MAX;
	struct fault damage = FAULT_INIT, over = FAULT_INIT;

	/* one byte over the limit shows that there are more */
	size_t got = packed_reader_read(&p->reader, out, n > left ? (size_t)left + 1 : n, &damage);

	p->given += got;
	check_limits(p, &over);
	if (over.kind == FAULT_NONE && p->meter.allow)
		p->meter.allow(p->meter.self, size_mul_saturating(p->given, unpacker_byte_units(&p->reader.unpacker)),
			       &over);
	if (over.kind == FAULT_NONE && damage.kind == FAULT_NONE)
		return (int64_t)got;
	if (fault->kind == FAULT_NONE)
		*fault = over.kind != FAULT_NONE ? over : damage;
	return -1;
}

static void close_packed(void *self)
{
	struct packed_input *p = self;

	packed_reader_release(&p->reader);
	input_release(&p->packed);
	free(p);
}

bool input_unpack_rest(struct input *in, enum packing packing, const struct limits *limits, struct fault *fault)
{
	struct packed_input *p = xmalloc(sizeof(*p));
	struct input_stream stream = { .self = p, .read = read_unpacked, .close = close_packed };

	p->packed = *in;
	p->meter = in->meter;
	input_init(in);
	p->given = 0;
	p->limit = limits->max_inflated;
	if (!packed_reader_init(&p->reader, packing, (struct packed_source){ &p->packed, read_packed }, fault)) {
		close_packed(p);
		return false;
	}
	return input_from_stream(in, &stream, fault);
}

/* ---- the first bytes --------------------------------------------------------------------------------------------- */

static int64_t head_of(struct input *in, uint8_t buffer[PEEK_BYTES], const uint8_t **head, struct fault *fault)
{
	*head = buffer;
	if (in->bytes) {
		*head = in->bytes;
		return (int64_t)MIN(in->size, (uint64_t)PEEK_BYTES);
	}
	int64_t n = input_read(in, buffer, PEEK_BYTES, fault);

	return n < 0 || !input_rewind(in, fault) ? -1 : n;
}

int64_t input_unpack(struct input *in, uint8_t buffer[PEEK_BYTES], const uint8_t **head, const struct limits *limits,
		     struct fault *fault)
{
	int64_t n = head_of(in, buffer, head, fault);
	enum packing packing = n < 0 ? PACKING_NONE : content_packing(identify(*head, (size_t)n));

	if (packing == PACKING_NONE)
		return n;
	return input_unpack_rest(in, packing, limits, fault) ? head_of(in, buffer, head, fault) : -1;
}

bool peek_open(struct file_peek *peek, int dirfd, const char *name, const char *path, struct fault *fault)
{
	peek->fd = input_open_regular(dirfd, name, path, &peek->st, fault);
	if (peek->fd < 0)
		return false;
	int64_t n = read_fully(peek->fd, peek->head, PEEK_BYTES, (uint64_t)peek->st.st_size);

	peek->n = n < 0 ? 0 : (size_t)n;
	if (n >= 0)
		return true;
	fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
	peek_close(peek);
	return false;
}

void peek_close(struct file_peek *peek)
{
	if (peek->fd >= 0)
		close(peek->fd);
	peek->fd = -1;
}

/* The bytes of a peeked file: those in memory, then those after them. The offset of the descriptor stays as it is. */
struct peek_source {
	const struct file_peek *peek;
	size_t at;
};

static int64_t read_peeked(void *self, void *out, size_t n, struct fault *fault)
{
	struct peek_source *s = self;
	int64_t got;

	if (s->at < s->peek->n) {
		got = (int64_t)MIN(n, s->peek->n - s->at);
		memcpy(out, s->peek->head + s->at, (size_t)got);
	} else {
		got = pread_all(s->peek->fd, out, n, s->at);
	}
	if (got < 0) {
		fault_set(fault, FAULT_UNREADABLE, s->at, "cannot read at byte %zu: %s", s->at, strerror(errno));
		return -1;
	}
	s->at += (size_t)got;
	return got;
}

int64_t peek_unpack(const struct file_peek *peek, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	struct packed_reader *r = xmalloc(sizeof(*r));
	struct peek_source source = { peek, 0 };
	struct fault damage = FAULT_INIT;
	size_t n = 0;

	if (packed_reader_init(r, packing_of(peek->head, peek->n), (struct packed_source){ &source, read_peeked },
			       &damage))
		n = packed_reader_read(r, head, PEEK_BYTES, &damage);
	packed_reader_release(r);
	free(r);
	if (damage.kind != FAULT_UNREADABLE)
		return (int64_t)n;
	*fault = damage;
	return -1;
}

int input_read_head(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	struct file_peek peek;

	if (!peek_open(&peek, dirfd, name, NULL, fault))
		return -1;
	int64_t n = (int64_t)peek.n;

	if (content_packing(identify(peek.head, peek.n)) != PACKING_NONE)
		n = peek_unpack(&peek, head, fault);
	else
		memcpy(head, peek.head, peek.n);
	peek_close(&peek);
	return (int)n;
}
