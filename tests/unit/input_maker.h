/* Inputs of bytes, for tests of readers. */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include "check_main.h"
#include "read/input.h"

/* In memory, or streamed from a file as large ones are. */
static inline void make_input(struct input *in, const char *bytes, size_t n, bool streamed)
{
	char name[] = "/tmp/input_maker.XXXXXX";

	input_init(in);
	if (!streamed) {
		input_from_memory(in, bytes, n);
		return;
	}
	in->fd = mkstemp(name);
	ck_assert_int_ge(in->fd, 0);
	unlink(name);
	ck_assert_int_eq(write(in->fd, bytes, n), (ssize_t)n);
	in->size = n;
}
