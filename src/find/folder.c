#include "find/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "platform/platform.h"

/* Reads until the end, an error, or FOLDER_RECORDS. */
static void read_records(struct opened_folder *f)
{
	_Alignas(16) char records[FOLDER_RECORDS];
	int64_t n = 1;

	while (n > 0 && f->len + FOLDER_RECORD_MAX <= sizeof(records)) {
		n = platform_read_folder(f->fd, records + f->len, sizeof(records) - f->len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			f->len += (size_t)n;
	}
	f->ended = n == 0;
	f->read_errno = n < 0 && errno != EMFILE ? errno : 0; /* the walk, which can close others, reads on */
	f->records = xmemdup0(records, f->len);
}

static void open_and_list(struct task *task, bool ahead)
{
	struct folder_task *f = (struct folder_task *)task;
	struct opened_folder *out = &f->found;

	do
		out->fd = openat(f->parent->fd, f->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | f->flags);
	while (out->fd < 0 && errno == EINTR);
	out->opened = out->fd >= 0;
	if (!out->opened || fstat(out->fd, &out->st) < 0) {
		out->errnum = errno;
		if (out->opened)
			close(out->fd);
		out->fd = -1;
	} else if (ahead) {
		read_records(out);
	}
}

struct folder_task *folder_begin(struct pool *pool, struct dir_handle *parent, const char *name, size_t len, int flags)
{
	struct folder_task *f = xcalloc(1, sizeof(*f));

	f->task.run = open_and_list;
	f->parent = dir_handle_get(parent);
	f->name = xmemdup0(name, len);
	f->flags = flags;
	f->found.fd = -1;
	pool_begin(pool, &f->task);
	return f;
}

static void free_task(struct folder_task *f)
{
	dir_handle_put(f->parent);
	free(f->name);
	free(f);
}

struct opened_folder folder_finish(struct pool *pool, struct folder_task *f)
{
	pool_finish(pool, &f->task);
	struct opened_folder found = f->found;

	free_task(f);
	return found;
}

void folder_drop(struct pool *pool, struct folder_task *f)
{
	pool_cancel(pool, &f->task);
	if (f->found.fd >= 0)
		close(f->found.fd);
	free(f->found.records);
	free_task(f);
}
