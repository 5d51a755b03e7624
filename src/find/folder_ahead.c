#include "find/folder_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/late.h"
#include "base/mem.h"
#include "find/io_task.h"

struct folder_ahead {
	struct io_task task;
	struct dir_handle *parent; /* one reference */
	char *name;
	int flags;
	struct opened_folder found;
};

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

static void release_folder(struct io_task *task)
{
	struct folder_ahead *f = (struct folder_ahead *)task;

	if (f->found.fd >= 0)
		close(f->found.fd);
	free(f->found.records);
	dir_handle_put(f->parent);
	free(f->name);
	free(f);
}

static void list_folder(struct io_task *task)
{
	struct folder_ahead *f = (struct folder_ahead *)task;
	uint64_t since = clock_ns();

	late_begin();
	open_and_list(f->parent->fd, f->name, f->flags, &f->found);
	f->found.late = late_end(clock_ns() - since, FOLDER_LATE_NS);
}

struct folder_ahead *folder_ahead_begin(struct io *io, struct dir_handle *parent, const char *name, size_t len,
					int flags)
{
	struct folder_ahead *f = xcalloc(1, sizeof(*f));

	f->task.work = list_folder;
	f->task.release = release_folder;
	f->parent = dir_handle_get(parent);
	f->name = xmemdup0(name, len);
	f->flags = flags;
	f->found = (struct opened_folder){ .fd = -1, .errnum = ECANCELED };
	if (io_task_begin(io, &f->task))
		return f;
	release_folder(&f->task);
	return NULL;
}

bool folder_ahead_end(struct folder_ahead *f, const atomic_bool *stop, struct opened_folder *out)
{
	if (!io_task_wait(&f->task, stop))
		return false;
	*out = f->found;
	f->found.fd = -1;
	f->found.records = NULL;
	release_folder(&f->task);
	return true;
}

void folder_ahead_drop(struct folder_ahead *f)
{
	io_task_drop(&f->task);
}
