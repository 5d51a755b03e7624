#include "fix/members.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write_all.h"
#include "find/archive.h"

bool members_open(struct members *m, int dirfd, const char *name, const struct limits *limits, struct fault *fault)
{
	uint8_t head[BYTE_STREAM_HEAD];
	struct stat st;

	memset(m, 0, sizeof(*m));
	fault_clear(&m->fault);
	tar_init(&m->tar, &m->stream, limits, &m->facts, &m->fault);
	m->fd = input_open_regular(dirfd, name, NULL, &st, fault);
	if (m->fd < 0)
		return false;
	m->file_size = (uint64_t)st.st_size;
	int64_t n = pread_all(m->fd, head, sizeof(head), 0);

	if (n < 0)
		return fault_set(fault, FAULT_UNREADABLE, 0, "cannot read: %s", strerror(errno));
	m->is_zip = archive_is_zip(name, head, (size_t)n);
	if (m->is_zip) {
		if (!zip_init(&m->zip, m->fd, m->file_size, limits, &m->facts, &m->fault))
			*fault = m->fault;
		return fault->kind == FAULT_NONE;
	}
	m->packing = packing_of(head, (size_t)n);
	if (m->packing == PACKING_UNKNOWN)
		m->packing = PACKING_NONE;
	return byte_stream_open(&m->stream, m->fd, head, 0, m->packing, limits, NULL, NULL, fault);
}

static void end_member(struct members *m)
{
	zip_stream_close(m->zip_stream);
	m->zip_stream = NULL;
}

void members_close(struct members *m)
{
	end_member(m);
	if (m->is_zip)
		zip_release(&m->zip);
	tar_release(&m->tar);
	if (m->stream.file)
		byte_stream_close(&m->stream); /* closes fd */
	else if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

bool members_next(struct members *m, struct fault *fault)
{
	end_member(m);
	if (m->is_zip ? zip_next(&m->zip, &m->member, &m->data) : tar_next(&m->tar, &m->member))
		return true;
	if (m->fault.kind != FAULT_NONE && fault->kind == FAULT_NONE)
		*fault = m->fault;
	return false;
}

/* Reads on in the current member, unpacked: as input_read(). self: a struct members. */
static int64_t members_read(void *self, void *out, size_t n, struct fault *fault)
{
	struct members *m = self;
	enum fault_kind before = fault->kind;

	if (m->is_zip && !m->zip_stream)
		m->zip_stream = zip_stream_open(&m->zip, &m->data);
	size_t got = m->is_zip ? zip_stream_read(m->zip_stream, out, n, fault) : tar_read(&m->tar, out, n, fault);

	return fault->kind != before ? -1 : (int64_t)got;
}

bool members_open_input(struct members *m, struct input *in, struct fault *fault)
{
	const struct input_stream stream = { .self = m, .read = members_read };

	return input_from_stream(in, &stream, fault);
}
