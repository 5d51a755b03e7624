#include "member_pairs.h"

#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "find/part_names.h"

/* Of the first n bytes of a member's name, in its archive. */
static uint64_t hash_stem(const struct entry *entry, size_t n)
{
	return hash_bytes(hash_bytes(hash_seed(), entry->path, strlen(entry->path)), entry->member, n);
}

void member_pairs_add(struct member_pairs *p, const struct entry *entry)
{
	enum { IMAGE = 1, MASK = 2, BOTH = 3 };
	size_t stem = strlen(entry->member) - strlen(file_name_extension(entry->member));
	unsigned which = part_label_suffix(entry->member, &stem) ? MASK : IMAGE;
	uint64_t hash = hash_stem(entry, stem), *place = &p->places[(hash >> 2) % MEMBER_PAIR_PLACES];

	if ((*place | BOTH) != (hash | BOTH))
		*place = hash & ~(uint64_t)BOTH;
	*place |= which;
	p->masks |= which == MASK;
	p->images |= which == IMAGE;
	p->pairs |= (*place & BOTH) == BOTH;
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
