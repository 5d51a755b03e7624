#include "layout/photo_candidates.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "layout/photo_probe.h"

void unweighed_init(struct unweighed *u)
{
	u->count = 0;
	u->more = false;
	strbuf_init(&u->text);
}

void unweighed_release(struct unweighed *u)
{
	strbuf_release(&u->text);
	unweighed_init(u);
}

void unweighed_add(struct unweighed *u, const struct entry *entry)
{
	size_t len = strlen(entry->path);

	if (entry->member || u->count == UNWEIGHED_MAX || len >= PATH_MAX) {
		u->more = true;
		return;
	}
	u->v[u->count].at = u->text.len;
	u->v[u->count++].rel_offset = entry->rel_offset;
	strbuf_add(&u->text, entry->path, len + 1);
}

bool unweighed_may_be_pictures(const struct unweighed *u)
{
	struct picture_looks looks = { 0 };
	bool found = u->more;

	for (size_t i = 0; i < u->count && !found; i++) {
		const char *path = u->text.s + u->v[i].at;
		const struct entry entry = {
			.path = path, .name = path, .dirfd = AT_FDCWD, .rel_offset = u->v[i].rel_offset
		};

		found = png_is_picture(&looks, &entry) || looks.unread;
	}
	return found;
}
