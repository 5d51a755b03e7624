#include "base/exit_now.h"

#include <stdatomic.h>

static atomic_bool set;

void exit_now_set(void)
{
	atomic_store(&set, true);
}

bool exit_now(void)
{
	return atomic_load(&set);
}
