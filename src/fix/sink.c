#include "fix/sink.h"

#include <errno.h>
#include <string.h>

#include "base/write_all.h"

enum { FLUSH_BYTES = 1 << 20 };

void sink_init(struct sink *s)
{
	*s = (struct sink){ .fd = -1 };
	strbuf_init(&s->text);
}

void sink_release(struct sink *s)
{
	strbuf_release(&s->text);
}

void sink_begin(struct sink *s, int fd)
{
	strbuf_clear(&s->text);
	s->fd = fd;
	digester_begin(&s->digester);
}

static bool write_text(struct sink *s, struct fault *fault)
{
	digester_add(&s->digester, s->text.s, s->text.len);
	if (s->fd < 0)
		return true;
	if (!write_all(s->fd, s->text.s, s->text.len))
		return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
	strbuf_clear(&s->text);
	return true;
}

bool sink_flush(struct sink *s, struct fault *fault)
{
	return s->fd < 0 || s->text.len < FLUSH_BYTES || write_text(s, fault);
}

bool sink_end(struct sink *s, bool ok, struct digest *out, struct fault *fault)
{
	ok = ok && write_text(s, fault);
	digester_finish(&s->digester, out);
	return ok;
}
