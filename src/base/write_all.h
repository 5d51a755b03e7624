/*
 * Writes all bytes, after short writes and interruptions too. Returns false with errno set; an unknown part may have
 * been written then. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

bool write_all(int fd, const void *bytes, size_t n);
/* Reads n bytes from byte `at` on, as write_all writes. Returns how many, fewer only at the end; -1 with errno. */
int64_t pread_all(int fd, void *out, size_t n, uint64_t at);
/* Opens a new file without a name, which is gone when the process ends, however that happens. Returns -1 with errno. */
int open_unnamed(const char *folder);

/* Writes text to standard output. A reader that went away sets *signal_number to SIGPIPE and leaves err alone. */
enum status write_stdout(const struct strbuf *text, int *signal_number, struct error *err);
