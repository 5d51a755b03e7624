#include "find/dir_handle.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

struct dir_handle *dir_handle_new(int fd)
{
	struct dir_handle *dir = xmalloc(sizeof(*dir));

	dir->fd = fd;
	atomic_init(&dir->references, 1);
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
}
