#include "find/member_folders.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* set/data/images/flowers/train/rose: as deep as class_folders_open looks, in the folder that was packed. */
enum { DEPTH_MAX = 6 };

void member_folders_init(struct member_folders *m)
{
	*m = (struct member_folders){ .paths = STRBUF_INIT, .path = STRBUF_INIT };
}

void member_folders_release(struct member_folders *m)
{
	strbuf_release(&m->paths);
	strbuf_release(&m->path);
	hash_set_release(&m->seen);
	member_folders_init(m);
}

const char *member_name_plain(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2 + strspn(name + 2, "/");
	return name;
}

/* Notes m->path. Returns whether it is new. */
static bool note_path(struct member_folders *m)
{
	if (!hash_set_add(&m->seen, hash_bytes(hash_seed(), m->path.s, m->path.len)))
		return false;
	strbuf_add(&m->paths, m->path.s, m->path.len + 1);
	m->too_many |= m->seen.count > CLASS_FOLDERS_ALL || m->paths.len > MEMBER_FOLDERS_BYTES;
	return true;
}

void member_folders_add(struct member_folders *m, const char *archive, const char *name)
{
	const char *slash;

	if (m->too_many)
		return;
	strbuf_set(&m->path, archive, strlen(archive));
	m->archives += note_path(m);
	m->too_many |= m->archives > CLASS_ROOTS_MAX;
	name = member_name_plain(name);
	for (unsigned depth = 0; depth < DEPTH_MAX && (slash = strchr(name, '/')); depth++, name = slash + 1) {
		if (slash == name)
			continue;
		strbuf_addch(&m->path, '/');
		strbuf_add(&m->path, name, (size_t)(slash - name));
		note_path(m);
	}
}

bool member_folders_has(const struct member_folders *m, const char *path, size_t n)
{
	return hash_set_has(&m->seen, hash_bytes(hash_seed(), path, n));
}
