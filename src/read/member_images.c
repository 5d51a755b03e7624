#include "read/member_images.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/relative_path.h"

void member_images_release(struct member_images *m)
{
	free(m->v);
	strbuf_release(&m->texts);
	*m = (struct member_images){ .texts = STRBUF_INIT };
}

static const char *path_at(const struct member_images *m, size_t i)
{
	return m->texts.s + m->v[i].path;
}

void member_images_add(struct member_images *m, const char *archive, const char *member, const struct photo_size *size,
		       const struct fault *fault)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	struct member_image image = { .path = m->texts.len, .kind = (uint8_t)fault->kind, .sized = size };

	m->full |= m->count == MEMBERS_MAX || m->texts.len > MEMBER_TEXTS_BYTES;
	if (m->full || !relative_path_is_inside(member)) /* no path leads to it */
		return;
	path_add_components(&path, archive);
	path_add_components(&path, member);
	strbuf_add(&m->texts, path.s, path.len + 1);
	image.size = size ? *size : image.size;
	image.fault = fault->kind == FAULT_NONE ? 0 : m->texts.len;
	if (image.fault)
		strbuf_add(&m->texts, fault->text, strlen(fault->text) + 1);
	GROW(m->v, m->cap, m->count + 1);
	m->v[m->count++] = image;
}

static _Thread_local const char *sorted_texts;

static int by_path(const void *a, const void *b)
{
	const struct member_image *x = a, *y = b;

	return strcmp(sorted_texts + x->path, sorted_texts + y->path);
}

void member_images_end(struct member_images *m)
{
	const bool full = m->full;

	if (full)
		member_images_release(m);
	m->full = full;
	sorted_texts = m->texts.s;
	if (m->count)
		qsort(m->v, m->count, sizeof(*m->v), by_path);
}

/* Returns the index of the first member whose path is not before this one, which *plain becomes, as from the root. */
static size_t find(const struct member_images *m, const char *path, bool folder, struct strbuf *plain)
{
	size_t lo = 0, hi = m ? m->count : 0;

	if (hi)
		path_add_components(plain, path);
	if (hi && folder)
		strbuf_addch(plain, '/');
	while (lo < hi) {
		const size_t mid = (lo + hi) / 2;

		if (strcmp(path_at(m, mid), plain->s) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Returns the index of a member; SIZE_MAX: there is none of that path. */
static size_t find_member(const struct member_images *m, const char *path)
{
	RELEASED struct strbuf plain = STRBUF_INIT;
	const size_t at = find(m, path, false, &plain);

	return m && at < m->count && !strcmp(path_at(m, at), plain.s) ? at : SIZE_MAX;
}

static bool member_exists(const struct member_images *m, const char *path)
{
	RELEASED struct strbuf plain = STRBUF_INIT;

	if (find_member(m, path) != SIZE_MAX)
		return true;
	const size_t at = find(m, path, true, &plain);

	return m && at < m->count && !strncmp(path_at(m, at), plain.s, plain.len);
}

bool path_exists(const struct member_images *m, const char *path)
{
	return member_exists(m, path) || access(path, F_OK) == 0;
}

bool image_read_size(const struct member_images *m, int dirfd, const char *name, const char *path,
		     struct photo_size *out, struct fault *fault)
{
	const size_t at = find_member(m, path);

	if (at == SIZE_MAX)
		return photo_read_size(dirfd, name, path, out, fault);
	*out = m->v[at].size;
	if (m->v[at].fault)
		fault_set(fault, (enum fault_kind)m->v[at].kind, FAULT_NO_OFFSET, "%s", m->texts.s + m->v[at].fault);
	return m->v[at].sized;
}

void member_images_each(const struct member_images *m, const char *folder, void (*take)(void *self, const char *name),
			void *self)
{
	RELEASED struct strbuf plain = STRBUF_INIT;

	for (size_t i = find(m, folder, true, &plain); m && i < m->count; i++) {
		if (strncmp(path_at(m, i), plain.s, plain.len) != 0)
			break;
		if (!strchr(path_at(m, i) + plain.len, '/'))
			take(self, path_at(m, i) + plain.len);
	}
}
