/* Hashes what an input holds, and writes it elsewhere on the way. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/receipt.h"
#include "read/input.h"

/* Reads the input to its end, and writes it to fd unless that is -1. Returns false if *fault is set. */
bool digest_input(struct input *in, int fd, struct digest *out, struct fault *fault);
void digest_bytes(const void *bytes, size_t n, struct digest *out);
