#include "fix/patch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
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

const char *patch_look(struct patch *p, uint64_t at, size_t n, struct fault *fault)
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
		const char *bytes = patch_look(p, p->at, n, fault);

		if (!bytes)
			return false;
		strbuf_add(&p->out->text, bytes, n);
		if (!sink_flush(p->out, fault))
			return false;
		p->at += n;
	}
	return true;
}

/* ---- edits ------------------------------------------------------------------------------------------------------- */

static void add_edit(struct edits *e, const struct edit *one)
{
	GROW(e->v, e->cap, e->count + 1);
	e->v[e->count++] = *one;
}

void edits_add_id(struct edits *e, uint64_t at, uint64_t n, int64_t to)
{
	add_edit(e, &(struct edit){ at, n, to, false });
}

void edits_add_text(struct edits *e, uint64_t at, uint64_t n, const char *text)
{
	add_edit(e, &(struct edit){ at, n, (int64_t)e->texts.len, true });
	strbuf_add(&e->texts, text, strlen(text) + 1);
}

void edits_release(struct edits *e)
{
	free(e->v);
	strbuf_release(&e->texts);
}

static int compare_edits(const void *pa, const void *pb)
{
	const struct edit *a = pa, *b = pb;

	return a->at < b->at ? -1 : a->at > b->at;
}

bool patch_edits(struct patch *p, struct edits *e, struct fault *fault)
{
	if (e->count > 1)
		qsort(e->v, e->count, sizeof(*e->v), compare_edits);
	for (size_t i = 0; i < e->count; i++) {
		const struct edit *one = &e->v[i];

		if (!one->n || one->at < p->at)
			return fault_set(fault, FAULT_LABELS, one->at, "what changes is not written in one piece");
		if (!copy_to(p, one->at, fault))
			return false;
		if (one->is_text)
			strbuf_adds(&p->out->text, e->texts.s + one->to);
		else
			strbuf_addf(&p->out->text, "%" PRId64, one->to);
		p->at = one->at + one->n;
	}
	e->count = 0;
	strbuf_clear(&e->texts);
	return true;
}

static size_t line_length(const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && s[len] != '\n' && s[len] != '\r')
		len++;
	return len;
}

const char *patch_line(struct patch *p, uint64_t at, size_t *n, struct fault *fault)
{
	size_t most = (size_t)MIN(p->in->size - at, p->in->bytes ? p->in->size : WINDOW / 2);
	const char *s = patch_look(p, at, most, fault);

	*n = s ? line_length(s, most) : 0;
	return s;
}

bool patch_end(struct patch *p, bool ok, struct fault *fault)
{
	ok = ok && copy_to(p, p->in->size, fault);
	if (!p->in->bytes)
		free(p->window);
	return ok;
}
