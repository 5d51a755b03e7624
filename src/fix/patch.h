/*
 * struct patch: copies a file with some of its bytes replaced, so that all others stay as they are. Another reader may
 * read the same input meanwhile: one that is streamed is read here by pread(). Owner: a writer of one file; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"
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

/* Bytes that change. */
struct edit {
	uint64_t at, n;
	int64_t to;   /* the id that they become, or the place of their text */
	bool is_text; /* they become a text */
};

struct edits {
	struct edit *v; /* owned; in any order; they do not overlap */
	size_t count, cap;
	struct strbuf texts; /* each with a NUL */
};
#define EDITS_INIT                    \
	{                             \
		.texts = STRBUF_INIT, \
	}

void edits_add_id(struct edits *e, uint64_t at, uint64_t n, int64_t to);
/* text: "" to leave the bytes out. */
void edits_add_text(struct edits *e, uint64_t at, uint64_t n, const char *text);
void edits_release(struct edits *e);

/* Begins a copy that is appended to out. */
void patch_begin(struct patch *p, const struct input *in, struct sink *out);
/* Returns the n bytes at `at`, at most half a window, or NULL if *fault is set. */
const char *patch_look(struct patch *p, uint64_t at, size_t n, struct fault *fault);
/* Returns the bytes from `at` on, up to the end of the line, *n of them; NULL if *fault is set. */
const char *patch_line(struct patch *p, uint64_t at, size_t *n, struct fault *fault);
/*
 * Copies up to the last of the edits, with what they change; empties them. None may be before what was copied. Returns
 * false if *fault is set.
 */
bool patch_edits(struct patch *p, struct edits *e, struct fault *fault);
/* Copies the rest, if ok, and frees memory. Returns false if !ok, or if *fault is set. */
bool patch_end(struct patch *p, bool ok, struct fault *fault);
