#include "layout/archive_pairs.h"

#include <string.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "layout/role_names.h"

/* Hashes the first n bytes of a member's name together with its archive's path. */
static uint64_t hash_stem(const struct entry *entry, size_t n)
{
	return hash_bytes(hash_bytes(hash_seed(), entry->path, strlen(entry->path)), entry->member, n);
}

enum { IMAGE = 1, MASK = 2, BOTH = 3 };

static void note(struct archive_pairs *p, uint64_t hash, unsigned which)
{
	uint64_t *slot = &p->slots[(hash >> 2) % ARCHIVE_PAIRS_SLOTS];

	if ((*slot | BOTH) != (hash | BOTH))
		*slot = hash & ~(uint64_t)BOTH;
	*slot |= which;
	p->pairs |= (*slot & BOTH) == BOTH;
}

void archive_pairs_add(struct archive_pairs *p, const struct entry *entry)
{
	size_t whole = strlen(entry->member) - strlen(file_name_extension(entry->member)), stem;

	if (role_label_suffix(entry->member, &stem)) {
		p->masks = true;
		note(p, hash_stem(entry, stem), MASK);
		return;
	}
	p->images = true;
	note(p, hash_stem(entry, whole), IMAGE);
	if (role_other_suffix(entry->member, &stem))
		note(p, hash_stem(entry, stem), IMAGE);
}

bool archive_pairs_hold(const struct archive_pairs *p)
{
	size_t both = 0, images = 0;

	for (size_t i = 0; i < ARCHIVE_PAIRS_SLOTS; i++) {
		images += p->slots[i] & IMAGE;
		both += (p->slots[i] & BOTH) == BOTH;
	}
	return p->pairs && 2 * both > images;
}

void archive_pairs_add_coco(struct archive_pairs *p, const struct entry *entry)
{
	if (p->panoptic_count < ARCHIVE_PANOPTIC_MAX)
		p->panoptic[p->panoptic_count++] =
			hash_stem(entry, strlen(entry->member) - strlen(file_name_extension(entry->member)));
}

bool archive_pairs_are_panoptic(const struct archive_pairs *p, const struct entry *entry)
{
	const char *slash = strrchr(entry->member, '/');
	uint64_t hash = slash ? hash_stem(entry, (size_t)(slash - entry->member)) : 0;

	for (size_t i = 0; slash && i < p->panoptic_count; i++)
		if (p->panoptic[i] == hash)
			return true;
	return false;
}
