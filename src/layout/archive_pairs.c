#include "layout/archive_pairs.h"

#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "layout/role_names.h"

/* Of the first n bytes of a member's name, in its archive. */
static uint64_t hash_stem(const struct entry *entry, size_t n)
{
	return hash_bytes(hash_bytes(hash_seed(), entry->path, strlen(entry->path)), entry->member, n);
}

enum { IMAGE = 1, MASK = 2, BOTH = 3 };

static void note(struct member_pairs *p, uint64_t hash, unsigned which)
{
	uint64_t *place = &p->places[(hash >> 2) % MEMBER_PAIR_PLACES];

	if ((*place | BOTH) != (hash | BOTH))
		*place = hash & ~(uint64_t)BOTH;
	*place |= which;
	p->pairs |= (*place & BOTH) == BOTH;
}

void member_pairs_add(struct member_pairs *p, const struct entry *entry)
{
	size_t whole = strlen(entry->member) - strlen(file_name_extension(entry->member)), stem;

	if (part_label_suffix(entry->member, &stem)) {
		p->masks = true;
		note(p, hash_stem(entry, stem), MASK);
		return;
	}
	p->images = true;
	note(p, hash_stem(entry, whole), IMAGE);
	if (part_other_suffix(entry->member, &stem))
		note(p, hash_stem(entry, stem), IMAGE);
}

void member_pairs_add_coco(struct member_pairs *p, const struct entry *entry)
{
	if (p->panoptic_count < MEMBER_PANOPTIC_MAX)
		p->panoptic[p->panoptic_count++] =
			hash_stem(entry, strlen(entry->member) - strlen(file_name_extension(entry->member)));
}

bool member_pairs_are_panoptic(const struct member_pairs *p, const struct entry *entry)
{
	const char *slash = strrchr(entry->member, '/');
	uint64_t hash = slash ? hash_stem(entry, (size_t)(slash - entry->member)) : 0;

	for (size_t i = 0; slash && i < p->panoptic_count; i++)
		if (p->panoptic[i] == hash)
			return true;
	return false;
}
