#include "base/wait.h"

#include <poll.h>

bool wait_readable(int fd, const atomic_bool *stop)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (!is_stopped(stop))
		if (poll(&p, 1, WAIT_MS) > 0)
			return true;
	return false;
}
