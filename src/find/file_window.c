#include "find/file_window.h"

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

void file_window_release(struct file_window *w)
{
	free(w->bytes);
	memset(w, 0, sizeof(*w));
}

static bool has(const struct file_window *w, uint64_t at, size_t n)
{
	return at >= w->at && at - w->at <= w->len && n <= w->len - (at - w->at);
}

/* Moves the window to `at`. It may then be empty, or too short. */
static void move_to(struct file_window *w, int fd, uint64_t at)
{
	bool follows = at >= w->at && at - w->at <= w->len + GAP && w->used >= w->step / 2 && w->step;

	if (!w->bytes)
		w->bytes = xmalloc(FILE_WINDOW_MOST);
	w->used = 0;
	w->step = follows ? MIN(2 * w->step, (size_t)FILE_WINDOW_MOST) : FILE_WINDOW_LEAST;
	const int64_t got = pread_all(fd, w->bytes, w->step, at);

	w->at = at;
	w->len = (size_t)MAX(got, INT64_C(0));
	if (w->len == FILE_WINDOW_MOST)
		platform_will_read(fd, at + w->len, ASK_AHEAD);
}

int64_t file_window_read(struct file_window *w, int fd, void *out, size_t n, uint64_t at)
{
	if (n < LONG_READ && (!w->bytes || !has(w, at, n)))
		move_to(w, fd, at);
	if (n >= LONG_READ || !has(w, at, n)) /* too long, the end of the file, or an error */
		return pread_all(fd, out, n, at);
	w->used += n;
	memcpy(out, w->bytes + (at - w->at), n);
	return (int64_t)n;
}
