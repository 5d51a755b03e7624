#include "find/folder_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/late.h"
#include "base/mem.h"
#include "base/stop.h"

struct folder_ahead {
	struct io_job job;
	struct dir_handle *parent; /* one reference */
	char *name;
	int flags;
	/* under the lock */
	bool done, dropped;
	struct opened_folder found; /* valid once done */
};

/* One for all walks, since a thread may come back from storage after its walk has ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_done = PTHREAD_COND_INITIALIZER;

/* Reads until the end, an error, or FOLDER_RECORDS. */
static void read_records(struct opened_folder *f)
{
	_Alignas(16) char records[FOLDER_RECORDS];
	long n = 1;

	/* a record of the longest name has 280 bytes */
	while (n > 0 && f->len + 512 <= sizeof(records)) {
		n = syscall(SYS_getdents64, f->fd, records + f->len, sizeof(records) - f->len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			f->len += (size_t)n;
	}
	f->ended = n == 0;
	f->read_errno = n < 0 ? errno : 0;
	f->records = xmemdup0(records, f->len);
}

static void open_and_list(int parent, const char *name, int flags, struct opened_folder *out)
{
	memset(out, 0, sizeof(*out));
	late_call_begin();
	do
		out->fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | flags);
	while (out->fd < 0 && errno == EINTR);
	late_call_end();
	out->opened = out->fd >= 0;
	if (!out->opened || fstat(out->fd, &out->st) < 0) {
		out->errnum = errno;
		if (out->opened)
			close(out->fd);
		out->fd = -1;
		return;
	}
	read_records(out);
}

static void free_folder(struct folder_ahead *f)
{
	dir_handle_put(f->parent);
	free(f->name);
	free(f);
}

static void close_found(struct opened_folder *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->records);
}

static void end_job(struct folder_ahead *f)
{
	pthread_mutex_lock(&lock);
	f->done = true;
	bool dropped = f->dropped;

	pthread_cond_broadcast(&some_done);
	pthread_mutex_unlock(&lock);
	if (!dropped)
		return;
	close_found(&f->found);
	free_folder(f);
}

static void list_job(struct io_job *job)
{
	struct folder_ahead *f = (struct folder_ahead *)job;
	uint64_t since = clock_ns();

	late_begin();
	open_and_list(f->parent->fd, f->name, f->flags, &f->found);
	f->found.late = late_end(clock_ns() - since, FOLDER_LATE_NS);
	end_job(f);
}

/* It was not begun, and will not be. */
static void drop_job(struct io_job *job)
{
	struct folder_ahead *f = (struct folder_ahead *)job;

	f->found = (struct opened_folder){ .fd = -1, .errnum = ECANCELED };
	end_job(f);
}

struct folder_ahead *folder_ahead_begin(struct io *io, struct dir_handle *parent, const char *name, size_t len,
					int flags)
{
	struct folder_ahead *f = xcalloc(1, sizeof(*f));

	f->job.run = list_job;
	f->job.drop = drop_job;
	f->parent = dir_handle_get(parent);
	f->name = xmemdup0(name, len);
	f->flags = flags;
	if (io_submit(io, &f->job, false))
		return f;
	free_folder(f);
	return NULL;
}

bool folder_ahead_end(struct folder_ahead *f, const atomic_bool *stop, struct opened_folder *out)
{
	pthread_mutex_lock(&lock);
	while (!f->done && !is_stopped(stop)) {
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&some_done, &lock, &until);
	}
	bool done = f->done;

	f->dropped = !done;
	pthread_mutex_unlock(&lock);
	if (!done)
		return false;
	*out = f->found;
	free_folder(f);
	return true;
}

void folder_ahead_drop(struct folder_ahead *f)
{
	pthread_mutex_lock(&lock);
	bool done = f->done;

	f->dropped = true;
	pthread_mutex_unlock(&lock);
	if (!done)
		return;
	close_found(&f->found);
	free_folder(f);
}
