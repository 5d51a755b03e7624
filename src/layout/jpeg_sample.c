#include "layout/jpeg_sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/write_all.h"
#include "layout/jpeg_look.h"
#include "layout/sampling.h"

void jpeg_sample_release(struct jpeg_sample *s)
{
	for (unsigned i = 0; i < s->count; i++)
		free(s->v[i].path);
	s->count = 0;
}

void jpeg_sample_add(struct jpeg_sample *s, const struct entry *entry)
{
	const uint64_t hash = sample_hash(entry);
	unsigned at = s->count, i;

	if (entry->member || (at == JPEG_SAMPLE && hash >= s->v[at - 1].hash))
		return;
	if (at == JPEG_SAMPLE)
		free(s->v[--at].path); /* they are sorted, and the largest one goes */
	for (i = at; i && s->v[i - 1].hash > hash; i--)
		s->v[i] = s->v[i - 1];
	s->v[i].hash = hash;
	s->v[i].path = xstrdup(entry->path);
	s->count = at + 1;
}

bool jpeg_look_at(const struct entry *entry, const struct entry_probe *probe, bool (*is)(const uint8_t *, size_t))
{
	if (entry->member)
		return is(entry->bytes, entry->bytes_len);
	if (probe->file.fd < 0)
		return false;
	uint8_t *bytes = xmalloc(JPEG_LOOK_BYTES);
	int64_t n = pread_all(probe->file.fd, bytes, JPEG_LOOK_BYTES, 0);
	bool found = n > 0 && is(bytes, (size_t)n);

	free(bytes);
	return found;
}

bool jpeg_sample_has_photos(const struct jpeg_sample *s)
{
	enum { FEW = 4 };
	unsigned busy = 0, large = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct entry entry = { .path = s->v[i].path, .name = s->v[i].path, .dirfd = AT_FDCWD };
		struct fault ignored = FAULT_INIT;
		struct entry_probe probe;

		probe_init(&probe);
		if (probe_entry(&probe, &entry, &ignored) && jpeg_look_at(&entry, &probe, jpeg_is_busy)) {
			busy++;
			large += jpeg_look_at(&entry, &probe, jpeg_is_busy_and_large);
		}
		probe_close(&probe);
	}
	/* small masks may be as busy, but seldom most of a set */
	return busy && (4 * large >= s->count || (s->count >= FEW && 4 * busy >= 3 * s->count));
}
