/*
 * struct patch: copies a file with some of its bytes replaced, so that all others stay as they are. Another reader may
 * read the same input meanwhile: one that is streamed is read here by pread(). Owner: a writer of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "fix/sink.h"
#include "read/input.h"

struct patch {
	const struct input *in;
	struct sink *out;
	uint64_t at; /* what comes before it was copied */
	/* the bytes of the file from window_at on; of a file in memory all of it, else owned */
	char *window;
	uint64_t window_at;
	size_t window_size;
};

/* Begins a copy that is appended to out. */
void patch_begin(struct patch *p, const struct input *in, struct sink *out);
/* Copies up to an id, the n bytes at `at`, and appends `to` in its form. Returns false if *fault is set. */
bool patch_id(struct patch *p, uint64_t at, size_t n, int64_t to, struct fault *fault);
/* Returns the bytes from `at` on, up to the end of the line, *n of them; NULL if *fault is set. */
const char *patch_line(struct patch *p, uint64_t at, size_t *n, struct fault *fault);
/* Copies up to `at`, and appends the text instead of the n bytes there. Returns false if *fault is set. */
bool patch_bytes(struct patch *p, uint64_t at, size_t n, const char *text, size_t len, struct fault *fault);
/* Copies the rest, if ok, and frees memory. Returns false if !ok, or if *fault is set. */
bool patch_end(struct patch *p, bool ok, struct fault *fault);
