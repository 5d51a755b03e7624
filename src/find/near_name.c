#include "find/near_name.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"

enum { NAMES_MAX = 1 << 17 };

/* Returns the length in bytes of the UTF-8 character at s, and whether it changes the letter before it. */
static size_t character(const char *s, bool *combines)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t n = 1;

	while ((p[n] & 0xc0) == 0x80)
		n++;
	const unsigned first = (unsigned)p[0] << 8 | (n > 1 ? p[1] : 0);

	/* U+0300 to U+036F, U+3099 and U+309A, and the later letters of Korean syllables, U+1160 to U+11FF */
	*combines = (first >= 0xcc80 && first <= 0xcdaf) ||
		    (n == 3 && first == 0xe382 && (p[2] == 0x99 || p[2] == 0x9a)) || first == 0xe185 ||
		    first == 0xe186 || first == 0xe187;
	return n;
}

/* Hashes a stem: letters of ASCII in one case, all others, composed or with a mark, as one sign each. */
static uint64_t folded_hash(const char *name, size_t length)
{
	uint64_t hash = hash_seed();
	bool combines;
	unsigned last = 0;

	for (const char *s = name; s < name + length;) {
		size_t n = character(s, &combines);

		if (last && !combines)
			hash = hash_word(hash, last);
		last = (uint8_t)*s < 0x80 ? (uint8_t)ascii_tolower(*s) : 0x80;
		s += n;
	}
	return hash_word(hash, last);
}

static uint64_t own_hash(const char *name)
{
	return folded_hash(name, strlen(name) - strlen(file_name_extension(name)));
}

void near_names_release(struct near_names *n)
{
	free(n->folder);
	free(n->at);
	strbuf_release(&n->names);
	table_release(&n->table);
	*n = (struct near_names){ 0 };
}

static void list_folder(struct near_names *n, const char *folder)
{
	DIR *dir = opendir(folder);

	near_names_release(n);
	n->folder = xmemdup0(folder, strlen(folder));
	strbuf_init(&n->names);
	for (const struct dirent *e; dir && n->count < NAMES_MAX && (e = readdir(dir));) {
		GROW(n->at, n->cap, n->count + 1);
		n->at[n->count] = n->names.len;
		strbuf_add(&n->names, e->d_name, strlen(e->d_name) + 1);
		table_add(&n->table, own_hash(e->d_name), n->count++);
	}
	if (dir)
		closedir(dir);
}

const char *near_names_find(struct near_names *names, const char *folder, const char *name, size_t n)
{
	const uint64_t hash = folded_hash(name, n);
	const char *found = NULL;
	uint32_t i;

	if (!names->folder || strcmp(names->folder, folder) != 0)
		list_folder(names, folder);
	for (size_t at = table_start(&names->table, hash); (i = table_next(&names->table, hash, &at)) != TABLE_NONE;) {
		const char *one = names->names.s + names->at[i];

		if (own_hash(one) == hash && is_image_name(one) && strcmp(one, name) != 0 &&
		    (!found || strcmp(one, found) < 0))
			found = one;
	}
	return found;
}
