/* Random damage of short texts with labels, for tests that compare two readers of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TEXT_MAX = 1024 };

/* Makes one change in text[n], which has room for TEXT_MAX bytes. Returns how long it is then. */
size_t damage_text(char *text, size_t n, uint64_t *state);
