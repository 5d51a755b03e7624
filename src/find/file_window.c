#include "find/file_window.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/write_all.h"
#include "platform/platform.h"

enum {
	LONG_READ = FILE_WINDOW_MOST / 4, /* is not copied */
	GAP = 16 << 10, /* bytes from the end of a window to the next read, at most, for these to follow each other */
	ASK_AHEAD = 1 << 20,
};

/* ---- reads ahead ------------------------------------------------------------------------------------------------- */

/* As a task of the pool, which so learns whether storage is late. */
struct read_task {
	struct task task;
	int fd;
	uint64_t at;
	uint8_t *out;
	size_t n;
	int64_t got;
};

struct read_ahead {
	struct read_task read;
	uint8_t bytes[FILE_WINDOW_LEAST];
};

static void read_at(struct task *task, bool ahead)
{
	struct read_task *t = (struct read_task *)task;

	(void)ahead;
	t->got = pread_all(t->fd, t->out, t->n, t->at);
	t->task.bytes = t->n;
}

static struct read_task *first_of(struct file_window *w)
{
	return &w->ahead[w->first % FILE_WINDOW_READS].read;
}

static void drop_first(struct file_window *w)
{
	pool_cancel(w->pool, &first_of(w)->task);
	w->first++;
	w->count--;
}

static bool holds(const struct read_task *t, uint64_t at, size_t n)
{
	return at >= t->at && at - t->at <= FILE_WINDOW_LEAST && n <= FILE_WINDOW_LEAST - (at - t->at);
}

/* Moves the window to what was read ahead for `at`; reads before it are dropped. Returns false if there is nothing. */
static bool take_ahead(struct file_window *w, uint64_t at, size_t n)
{
	unsigned skipped = 0;

	while (skipped < w->count && !holds(&w->ahead[(w->first + skipped) % FILE_WINDOW_READS].read, at, n))
		skipped++;
	if (skipped == w->count)
		return false;
	while (skipped--)
		drop_first(w);
	struct read_task *t = first_of(w);

	pool_finish(w->pool, &t->task);
	w->len = (size_t)MAX(t->got, INT64_C(0));
	memcpy(w->bytes, t->out, w->len);
	w->at = t->at;
	w->step = FILE_WINDOW_LEAST;
	w->used = 0;
	drop_first(w);
	return w->len;
}

bool file_window_expects(const struct file_window *w)
{
	return pool_is_active(w->pool) && w->count < FILE_WINDOW_READS;
}

void file_window_expect(struct file_window *w, int fd, uint64_t at)
{
	if (!w->ahead)
		w->ahead = xcalloc(FILE_WINDOW_READS, sizeof(*w->ahead));
	struct read_ahead *a = &w->ahead[(w->first + w->count++) % FILE_WINDOW_READS];

	a->read = (struct read_task){ .task.run = read_at, .fd = fd, .at = at, .out = a->bytes, .n = sizeof(a->bytes) };
	pool_begin(w->pool, &a->read.task);
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

void file_window_release(struct file_window *w)
{
	while (w->count)
		drop_first(w);
	free(w->ahead);
	free(w->bytes);
	memset(w, 0, sizeof(*w));
}

static bool has(const struct file_window *w, uint64_t at, size_t n)
{
	return at >= w->at && at - w->at <= w->len && n <= w->len - (at - w->at);
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
	struct read_task t = { .task.run = read_at, .fd = fd, .at = at, .out = w->bytes, .n = w->step };

	pool_finish(w->pool, &t.task);
	w->at = at;
	w->len = (size_t)MAX(t.got, INT64_C(0));
	if (w->len == FILE_WINDOW_MOST)
		platform_will_read(fd, at + w->len, ASK_AHEAD);
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
