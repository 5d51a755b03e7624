#include "judge/text_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/write_all.h"

enum {
	PENDING = 1 << 20, /* bytes; fewer calls gain nothing */
	ALIGNMENT = 8,
};
/* Addresses cost nothing; fewer are tried where `ulimit -v` forbids these. */
#define RESERVED_MAX ((size_t)1 << 38)
#define RESERVED_MIN ((size_t)64 << 20)

void text_spool_init(struct text_spool *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->error = (struct error)ERROR_INIT;
}

void text_spool_release(struct text_spool *s)
{
	if (s->map)
		munmap(s->map, s->reserved);
	if (s->fd >= 0)
		close(s->fd);
	free(s->pending);
	text_spool_init(s);
}

static bool open_file(struct text_spool *s)
{
	const char *folder = getenv("TMPDIR");

	if (!folder || !*folder)
		folder = "/tmp";
	s->fd = open_unnamed(folder);
	if (s->fd < 0) {
		error_set_errno(&s->error, errno, "cannot make a temporary file in %s (TMPDIR) for the findings",
				folder);
		return false;
	}
	for (s->reserved = RESERVED_MAX; s->reserved >= RESERVED_MIN; s->reserved /= 2) {
		s->map = mmap(NULL, s->reserved, PROT_READ, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
		if (s->map != MAP_FAILED)
			break;
	}
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		error_set_errno(&s->error, errno, "cannot map the temporary file of the findings");
		return false;
	}
	s->pending = xmalloc(PENDING);
	return true;
}

void text_spool_flush(struct text_spool *s)
{
	if (!s->pending_len || s->error.text[0])
		return;
	if (GUARD(errors_of_the_spool, !write_all(s->fd, s->pending, s->pending_len)))
		error_set_errno(&s->error, errno, "cannot write findings to a temporary file (TMPDIR)");
	s->pending_len = 0;
}

/* Appends at most PENDING bytes. */
static void add(struct text_spool *s, const char *bytes, size_t n)
{
	while (n) {
		size_t now = MIN(n, PENDING - s->pending_len);

		memcpy(s->pending + s->pending_len, bytes, now);
		s->pending_len += now;
		s->size += now;
		bytes += now;
		n -= now;
		if (s->pending_len == PENDING)
			text_spool_flush(s);
	}
}

void *text_spool_add(struct text_spool *s, const void *bytes, size_t n)
{
	static const char padding[ALIGNMENT];

	if (s->error.text[0] || (!s->map && !open_file(s)))
		return NULL;
	add(s, padding, (ALIGNMENT - s->size % ALIGNMENT) % ALIGNMENT);
	if (n > s->reserved - s->size) {
		error_set(&s->error, "more than %zu MiB of findings; --max-findings bounds them", s->reserved >> 20);
		return NULL;
	}
	char *at = s->map + s->size;

	add(s, bytes, n);
	return s->error.text[0] ? NULL : at;
}

void text_spool_relax(const struct text_spool *s)
{
	if (s->map && s->size)
		madvise(s->map, s->size, MADV_DONTNEED);
}
