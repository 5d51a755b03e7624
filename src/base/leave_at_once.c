#include "base/leave_at_once.h"

#include <stdatomic.h>

static atomic_bool set;

void leave_at_once_set(void)
{
	atomic_store(&set, true);
}

bool leave_at_once(void)
{
	return atomic_load(&set);
}
