#include "find/dir_handle.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* A global, because descriptors are the process's: two sources share one limit, and a unit may outlive its source. */
static atomic_size_t open_now;

struct dir_handle *dir_handle_new(int fd)
{
	struct dir_handle *dir = xmalloc(sizeof(*dir));

	dir->fd = fd;
	atomic_init(&dir->references, 1);
	atomic_fetch_add_explicit(&open_now, 1, memory_order_relaxed);
	return dir;
}

struct dir_handle *dir_handle_get(struct dir_handle *dir)
{
	atomic_fetch_add_explicit(&dir->references, 1, memory_order_relaxed);
	return dir;
}

void dir_handle_put(struct dir_handle *dir)
{
	if (!dir || atomic_fetch_sub_explicit(&dir->references, 1, memory_order_acq_rel) != 1)
		return;
	close(dir->fd); /* was only read: nothing can be lost by an error here */
	free(dir);
	atomic_fetch_sub_explicit(&open_now, 1, memory_order_relaxed);
}

size_t dir_handles_open(void)
{
	return atomic_load_explicit(&open_now, memory_order_relaxed);
}
