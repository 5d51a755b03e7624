#include "fix/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/write_all.h"

enum { READ_AHEAD = 1 << 10 }; /* records */

static enum status fail(struct error *err)
{
	return error_set_errno(err, errno, "cannot keep the records of the receipt");
}

enum status records_open(struct records *r, const char *folder, struct error *err)
{
	*r = (struct records){ .fd = open_unnamed(folder) };
	if (r->fd < 0)
		return fail(err);
	pthread_mutex_init(&r->lock, NULL);
	r->read = xcalloc(READ_AHEAD, sizeof(*r->read));
	return STATUS_OK;
}

void records_close(struct records *r)
{
	for (size_t i = 0; i < r->members_count; i++)
		free(r->members[i]);
	free(r->members);
	free(r->read);
	pthread_mutex_destroy(&r->lock);
	close(r->fd);
}

enum status records_put(struct records *r, size_t entry, const struct fix_record *record, struct error *err)
{
	if (record->members) {
		pthread_mutex_lock(&r->lock);
		GROW(r->members, r->members_cap, r->members_count + 1);
		r->members[r->members_count++] = record->members;
		pthread_mutex_unlock(&r->lock);
	}
	return pwrite_all(r->fd, record, sizeof(*record), (uint64_t)entry * sizeof(*record)) ? STATUS_OK : fail(err);
}

const struct fix_record *records_get(struct records *r, size_t entry, struct error *err)
{
	if (entry >= r->read_first && entry - r->read_first < r->read_count)
		return &r->read[entry - r->read_first];
	int64_t n = pread_all(r->fd, r->read, READ_AHEAD * sizeof(*r->read), (uint64_t)entry * sizeof(*r->read));

	r->read_first = entry;
	r->read_count = n > 0 ? (size_t)n / sizeof(*r->read) : 0;
	if (r->read_count)
		return r->read;
	errno = n < 0 ? errno : EIO;
	fail(err);
	return NULL;
}
