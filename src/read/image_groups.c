#include "read/image_groups.h"

#include <stdlib.h>

#include "base/content_hash.h"
#include "base/mem.h"

void image_groups_add(struct image_groups *g, const struct group_pattern *pattern, const char *s, size_t n)
{
	const size_t at = g->names.len;
	const char *group;
	uint64_t key[2];
	size_t len = n;

	if (g->count == IMAGE_GROUPS_MAX)
		return;
	strbuf_add(&g->names, s, n);
	strbuf_addch(&g->names, '\0');
	group = g->names.s + at;
	if (!pattern || group_pattern_find(pattern, group, &group, &len)) {
		content_hash_bytes(group, len, key);
		if (hash_set_add(&g->seen, key[0] ^ key[1])) {
			GROW(g->v, g->cap, g->count + 1);
			g->v[g->count++] = (struct image_group){ { key[0], key[1] }, at };
			return;
		}
	}
	strbuf_cut(&g->names, at);
}

void image_groups_free(struct image_groups *g)
{
	free(g->v);
	hash_set_release(&g->seen);
	strbuf_release(&g->names);
	free(g);
}
