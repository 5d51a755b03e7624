/*
 * struct sink: takes the bytes of a corrected file, hashes them, and writes them to a file from time to time, so that a
 * large one is never held as a whole. Owner: a thread that carries a plan out, which reuses its memory.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "fix/file_digest.h"

struct sink {
	struct strbuf text; /* to append to; bytes that were not written yet */
	int fd;             /* -1: all stay in text */
	struct digester digester;
};

void sink_init(struct sink *s);
void sink_release(struct sink *s);
/* Begins a file; fd is borrowed. sink_end() must follow. */
void sink_begin(struct sink *s, int fd);
/* Writes what is in text if there is much of it. Returns false if *fault is set. */
bool sink_flush(struct sink *s, struct fault *fault);
/* Writes the rest, if ok. Returns false if !ok, or if *fault is set. */
bool sink_end(struct sink *s, bool ok, struct digest *out, struct fault *fault);
