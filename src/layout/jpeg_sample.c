#include "layout/jpeg_sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/write_all.h"
#include "layout/sampling.h"

void jpeg_sample_release(struct jpeg_sample *s)
{
	for (unsigned i = 0; i < s->count; i++)
		free(s->v[i].path);
	s->count = 0;
}

void jpeg_sample_add(struct jpeg_sample *s, const struct entry *entry)
{
	char *last = s->count == JPEG_SAMPLE ? s->v[JPEG_SAMPLE - 1].path : NULL;

	if (entry->member)
		return;
	const unsigned at = sample_insert(s->v, sizeof(s->v[0]), &s->count, JPEG_SAMPLE, sample_hash(entry));

	if (at == JPEG_SAMPLE)
		return;
	free(last);
	s->v[at].path = xstrdup(entry->path);
}

bool jpeg_look_at(const struct entry *entry, const struct entry_probe *probe, struct jpeg_sight *out)
{
	*out = (struct jpeg_sight){ .flat = false };
	if (entry->member)
		return jpeg_look(entry->bytes, entry->bytes_len, out);
	if (probe->file.fd < 0)
		return false;
	uint8_t *bytes = xmalloc(JPEG_LOOK_BYTES);
	int64_t n = pread_all(probe->file.fd, bytes, JPEG_LOOK_BYTES, 0);
	bool found = n > 0 && jpeg_look(bytes, (size_t)n, out);

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
		struct jpeg_sight sight;

		probe_init(&probe);
		if (probe_entry(&probe, &entry, &ignored) && jpeg_look_at(&entry, &probe, &sight)) {
			busy += sight.busy;
			large += sight.busy && sight.large;
		}
		probe_close(&probe);
	}
	/* small masks may be as busy, but seldom most of a set */
	return busy && (4 * large >= s->count || (s->count >= FEW && 4 * busy >= 3 * s->count));
}
