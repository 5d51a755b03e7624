#include "find/file_window.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "find/dir_handle.h"
#include "find/io_task.h"

enum {
	LONG_READ = FILE_WINDOW_MOST / 4, /* is not copied */
	GAP = 16 << 10, /* bytes from the end of a window to the next read, at most, for these to follow each other */
	ASK_STEP = 128 << 10, /* see find/block_reader.c */
	ASK_AHEAD = 1 << 20,
	LATE_NS = 100000, /* memory takes 10 us, and 50 for the longest */
	READS_LATE = 2,
};

/* ---- reads ahead ------------------------------------------------------------------------------------------------- */

struct read_task {
	struct io_task task;
	struct dir_handle *file; /* one reference: the owner of the window may close its own descriptor */
	uint64_t at;
	int64_t got;
	uint8_t bytes[FILE_WINDOW_LEAST];
};

static void read_in_thread(struct io_task *task)
{
	struct read_task *t = (struct read_task *)task;

	t->got = pread_all(t->file->fd, t->bytes, sizeof(t->bytes), t->at);
}

static void release_task(struct io_task *task)
{
	dir_handle_put(((struct read_task *)task)->file);
	free(task);
}

static struct read_task *take_first(struct file_window *w)
{
	w->count--;
	return w->ahead[w->first++ % FILE_WINDOW_READS];
}

/* Returns the read that has n bytes from byte `at` on, if it was expected; those before it are dropped. */
static struct read_task *find_task(struct file_window *w, uint64_t at, size_t n)
{
	unsigned skipped = 0;

	for (; skipped < w->count; skipped++) {
		const struct read_task *t = w->ahead[(w->first + skipped) % FILE_WINDOW_READS];

		if (at >= t->at && at - t->at <= FILE_WINDOW_LEAST && n <= FILE_WINDOW_LEAST - (at - t->at))
			break;
	}
	if (skipped == w->count)
		return NULL;
	while (skipped--)
		io_task_drop(&take_first(w)->task);
	return take_first(w);
}

/* Moves the window to what was read ahead for `at`. Returns false if there is nothing. */
static bool take_ahead(struct file_window *w, uint64_t at, size_t n)
{
	struct read_task *t = find_task(w, at, n);

	if (!t || !io_task_wait(&t->task, w->stop))
		return false;
	bool read = !t->task.cancelled && t->got > 0;

	if (read) {
		memcpy(w->bytes, t->bytes, (size_t)t->got);
		w->at = t->at;
		w->len = (size_t)t->got;
		w->step = FILE_WINDOW_LEAST;
		w->used = 0;
	}
	release_task(&t->task);
	return read;
}

bool file_window_expects(const struct file_window *w)
{
	return w->io && w->late >= READS_LATE && w->count < FILE_WINDOW_READS;
}

/* Makes a descriptor for the tasks. Returns false if there can be none. */
static bool share(struct file_window *w, int fd)
{
	int own = w->file ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (own >= 0)
		w->file = dir_handle_new(own);
	return w->file;
}

void file_window_expect(struct file_window *w, int fd, uint64_t at)
{
	if (!share(w, fd)) {
		w->io = NULL;
		return;
	}
	struct read_task *t = xmalloc(sizeof(*t));

	memset(&t->task, 0, sizeof(t->task));
	t->task.work = read_in_thread;
	t->task.release = release_task;
	t->file = dir_handle_get(w->file);
	t->at = at;
	if (io_task_begin(w->io, &t->task)) {
		w->ahead[(w->first + w->count++) % FILE_WINDOW_READS] = t;
		return;
	}
	release_task(&t->task);
	w->io = NULL; /* there is no thread */
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

void file_window_release(struct file_window *w)
{
	while (w->count)
		io_task_drop(&take_first(w)->task);
	dir_handle_put(w->file);
	free(w->bytes);
	memset(w, 0, sizeof(*w));
}

static bool has(const struct file_window *w, uint64_t at, size_t n)
{
	return at >= w->at && at - w->at <= w->len && n <= w->len - (at - w->at);
}

/* Counts reads that this thread waited for. Once storage is late, it stays so: what is read ahead is not. */
static void note_time(struct file_window *w, uint64_t ns)
{
	if (w->late >= READS_LATE)
		return;
	if (ns > LATE_NS)
		w->late++;
	else if (w->late)
		w->late--;
}

/* Moves the window to `at`. It may then be empty, or too short. */
static void move_to(struct file_window *w, int fd, uint64_t at, size_t n)
{
	bool follows = at >= w->at && at - w->at <= w->len + GAP && w->used >= w->step / 2 && w->step;

	if (!w->bytes)
		w->bytes = xmalloc(FILE_WINDOW_MOST);
	if (take_ahead(w, at, n))
		return;
	w->used = 0;
	w->step = follows ? MIN(2 * w->step, (size_t)FILE_WINDOW_MOST) : FILE_WINDOW_LEAST;
	uint64_t since = clock_ns();
	int64_t got = pread_all(fd, w->bytes, w->step, at);

	note_time(w, clock_ns() - since);
	w->at = at;
	w->len = (size_t)MAX(got, INT64_C(0));
	for (size_t ahead = 0; w->len == FILE_WINDOW_MOST && ahead < ASK_AHEAD; ahead += ASK_STEP)
		posix_fadvise(fd, (off_t)(at + w->len + ahead), ASK_STEP, POSIX_FADV_WILLNEED);
}

int64_t file_window_read(struct file_window *w, int fd, void *out, size_t n, uint64_t at)
{
	if (n < LONG_READ && (!w->bytes || !has(w, at, n)))
		move_to(w, fd, at, n);
	if (n >= LONG_READ || !has(w, at, n)) /* too long, the end of the file, or an error */
		return pread_all(fd, out, n, at);
	w->used += n;
	memcpy(out, w->bytes + (at - w->at), n);
	return (int64_t)n;
}
