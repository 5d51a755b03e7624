#include "fix/patch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fix/boxes.h"
#include "read/text_lines.h"

/* The longest id: a line of a text, or a number in JSON. Half a window holds it. */
enum { WINDOW = 2 * TEXT_LINE_MAX };

void patch_begin(struct patch *p, const struct input *in, struct sink *out)
{
	*p = (struct patch){ .in = in, .out = out };
	if (in->bytes) {
		p->window = (char *)in->bytes;
		p->window_size = (size_t)in->size;
	} else {
		p->window = xmalloc(WINDOW);
	}
}

/* Fills the window from `at` on, with n bytes or more. Returns false if *fault is set. */
static bool fill(struct patch *p, uint64_t at, size_t n, struct fault *fault)
{
	size_t size = 0;

	while (size < n) {
		ssize_t got = pread(p->in->fd, p->window + size, WINDOW - size, (off_t)(at + size));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fault_set(fault, FAULT_UNREADABLE, at, "cannot be read: %s",
					 got ? strerror(errno) : "it became shorter");
		size += (size_t)got;
	}
	p->window_at = at;
	p->window_size = size;
	return true;
}

/* Returns the n bytes at `at`, at most half a window, or NULL if *fault is set. */
static const char *bytes_at(struct patch *p, uint64_t at, size_t n, struct fault *fault)
{
	bool there = at >= p->window_at && at - p->window_at <= p->window_size &&
		     n <= p->window_size - (size_t)(at - p->window_at);

	if (!there && (p->in->bytes || n > WINDOW / 2)) {
		fault_set(fault, FAULT_LIMIT, at, "an id of %zu bytes", n);
		return NULL;
	}
	return there || fill(p, at, n, fault) ? p->window + (at - p->window_at) : NULL;
}

static bool copy_to(struct patch *p, uint64_t end, struct fault *fault)
{
	while (p->at < end) {
		size_t n = (size_t)MIN(end - p->at, p->in->bytes ? p->in->size : WINDOW / 2);
		const char *bytes = bytes_at(p, p->at, n, fault);

		if (!bytes)
			return false;
		strbuf_add(&p->out->text, bytes, n);
		if (!sink_flush(p->out, fault))
			return false;
		p->at += n;
	}
	return true;
}

bool patch_bytes(struct patch *p, uint64_t at, size_t n, const char *text, size_t len, struct fault *fault)
{
	if (!copy_to(p, at, fault))
		return false;
	strbuf_add(&p->out->text, text, len);
	p->at = at + n;
	return true;
}

bool patch_id(struct patch *p, uint64_t at, size_t n, int64_t to, struct fault *fault)
{
	if (!n || at < p->at)
		return fault_set(fault, FAULT_LABELS, at, "an id is not written in one piece");
	char id[24];
	int len = snprintf(id, sizeof(id), "%" PRId64, to);

	return patch_bytes(p, at, n, id, (size_t)len, fault);
}

const char *patch_line(struct patch *p, uint64_t at, size_t *n, struct fault *fault)
{
	size_t most = (size_t)MIN(p->in->size - at, p->in->bytes ? p->in->size : WINDOW / 2);
	const char *s = bytes_at(p, at, most, fault);

	*n = s ? text_line_length(s, most) : 0;
	return s;
}

bool patch_end(struct patch *p, bool ok, struct fault *fault)
{
	ok = ok && copy_to(p, p->in->size, fault);
	if (!p->in->bytes)
		free(p->window);
	return ok;
}
