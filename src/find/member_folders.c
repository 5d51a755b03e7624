#include "find/member_folders.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* set/data/images/flowers/train/rose: as deep as class_folders_open looks, in the folder that was packed. */
enum { DEPTH_MAX = 6 };

void member_folders_release(struct member_folders *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->v[i].name);
	free(m->v);
	table_release(&m->table);
	memset(m, 0, sizeof(*m));
}

const char *member_name_plain(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2 + strspn(name + 2, "/");
	return name;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static uint64_t hash_folder(uint32_t parent, const char *name, size_t n)
{
	return hash_bytes(hash_word(hash_seed(), parent), name, n);
}

static uint32_t find(const struct member_folders *m, uint32_t parent, const char *name, size_t n)
{
	uint64_t hash = hash_folder(parent, name, n);
	uint32_t i;

	for (size_t at = table_start(&m->table, hash); (i = table_next(&m->table, hash, &at)) != TABLE_NONE;)
		if (m->v[i].parent == parent && !strncmp(m->v[i].name, name, n) && !m->v[i].name[n])
			return i;
	return NO_FOLDER;
}

static uint32_t find_or_add(struct member_folders *m, uint32_t parent, const char *name, size_t n)
{
	uint32_t found = find(m, parent, name, n);

	if (found != NO_FOLDER)
		return found;
	m->bytes += n;
	m->archives += parent == NO_FOLDER;
	if (m->count == CLASS_FOLDERS_ALL || m->bytes > CLASS_FOLDERS_BYTES || m->archives > CLASS_ROOTS_MAX) {
		m->too_many = true;
		return NO_FOLDER;
	}
	GROW(m->v, m->cap, m->count + 1);
	m->v[m->count] = (struct member_folder){ .name = xmemdup0(name, n), .parent = parent };
	table_add(&m->table, hash_folder(parent, name, n), m->count);
	return (uint32_t)m->count++;
}

/* ---- use -------------------------------------------------------------------------------------------------------- */

void member_folders_add(struct member_folders *m, const char *archive, const char *name)
{
	const char *slash;
	unsigned depth = 0;

	if (m->too_many)
		return;
	uint32_t at = find_or_add(m, NO_FOLDER, archive, strlen(archive));

	for (name = member_name_plain(name); at != NO_FOLDER && (slash = strchr(name, '/')); name = slash + 1) {
		if (depth++ == DEPTH_MAX)
			return;
		if (slash != name)
			at = find_or_add(m, at, name, (size_t)(slash - name));
	}
}

uint32_t member_folders_find(const struct member_folders *m, const char *path, size_t n)
{
	for (uint32_t i = 0; i < m->count; i++) {
		size_t len = strlen(m->v[i].name);
		uint32_t at = i;

		if (m->v[i].parent != NO_FOLDER || len > n || memcmp(path, m->v[i].name, len) != 0 ||
		    (len < n && path[len] != '/'))
			continue;
		while (at != NO_FOLDER && len < n) {
			const char *name = path + len + 1, *slash = memchr(name, '/', n - len - 1);
			size_t part = slash ? (size_t)(slash - name) : n - len - 1;

			at = find(m, at, name, part);
			len += 1 + part;
		}
		return at;
	}
	return NO_FOLDER;
}
