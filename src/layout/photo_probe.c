#include "layout/photo_probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "layout/sampling.h"

enum {
	PROBES_PER_FOLDER = 4, /* all of the first ones */
	PROBES_MAX = 1024,     /* a tree may have a folder for each photo */
};

bool photo_probe_look(const struct entry *entry, struct entry_probe *opened, bool with_ids, struct png_sight *out)
{
	struct fault ignored = FAULT_INIT;

	*out = (struct png_sight){ .look = PNG_LOOK_NONE };
	if (!probe_entry(opened, entry, &ignored))
		return false;
	if (!opened->is_packed)
		png_look(opened->head.head, opened->head.n,
			 entry->member ? entry->size : (uint64_t)opened->file.st.st_size,
			 entry->member ? -1 : opened->file.fd, with_ids, out);
	return true;
}

/* Returns whether a file holds labels of that kind. */
static bool is_label_file(int dirfd, const char *name, enum kind kind)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;

	int n = input_read_head(dirfd, name, head, &ignored);

	if (n <= 0)
		return false;
	struct file_head p = {
		.path = name, .name = name, .content = identify(head, (size_t)n), .head = head, .n = (size_t)n
	};

	return format_recognise(&p, KIND_BIT(kind)) != NULL;
}

/* Looks for folder.json beside folder/1.png, but not above the folder that was walked. */
bool photo_probe_is_panoptic(const struct entry *entry)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];

	if (entry->lacks_json || !slash || slash < entry->path + entry->rel_offset)
		return false;
	int n = snprintf(name, sizeof(name), "%.*s.json", (int)(slash - entry->path), entry->path);

	return n < (int)sizeof(name) && is_label_file(AT_FDCWD, name, KIND_COCO);
}

static uint64_t hash_folder(const struct entry *entry)
{
	const char *path = entry->member ? entry->member : entry->path, *slash = strrchr(path, '/');

	return hash_bytes(hash_bytes(hash_seed(), entry->path, entry->member ? strlen(entry->path) : 0), path,
			  slash ? (size_t)(slash - path) : 0);
}

/* Returns whether a folder's PNG is looked at: the first ones all, and of n some log2(n) more, by a hash. */
static bool is_sampled(const struct photo_probe *probe, const struct entry *entry)
{
	return !(sample_hash(entry) & sample_mask(probe->seen / PROBES_PER_FOLDER));
}

bool photo_probe_takes(struct photo_probe *probe, const struct entry *entry)
{
	uint64_t folder = hash_folder(entry);

	if (!probe->seen || folder != probe->folder)
		probe->seen = 0;
	probe->folder = folder;
	if (probe->all >= PROBES_MAX || (probe->seen++ && !is_sampled(probe, entry)))
		return false;
	probe->all++;
	return true;
}

enum png_look photo_probe_png(struct photo_probe *probe, const struct entry *entry)
{
	struct png_sight sight = { .look = PNG_LOOK_NONE };

	if (!photo_probe_takes(probe, entry))
		return probe->look;
	struct entry_probe *opened = probe_ahead_begin(probe->ahead, entry);

	probe->unread += !opened || !photo_probe_look(entry, opened, false, &sight);
	if (opened)
		probe_ahead_end(probe->ahead);
	probe->look = !entry->member && photo_probe_is_panoptic(entry) ? PNG_LOOK_PHOTO
		      : sight.look == PNG_LOOK_COLOUR && sight.alpha   ? PNG_LOOK_NONE
								       : sight.look;
	return probe->look;
}

bool photo_probe_has_alpha(const struct entry *entry, struct entry_probe *opened)
{
	struct png_sight s;

	return photo_probe_look(entry, opened, false, &s) && s.alpha && s.channels > 2;
}

bool photo_probe_is_photo(const struct entry *entry, struct entry_probe *opened)
{
	struct png_sight s;

	if (!photo_probe_look(entry, opened, false, &s) || s.small)
		return false;
	/* photographs take 8 bits and more, colours of masks may take 1.5 where they are small, noisy masks 2 */
	return s.look == PNG_LOOK_PHOTO && (s.channels > 2 ? s.bits >= 4 * s.pixels : 2 * s.bits >= 5 * s.pixels);
}

bool sight_is_of_photo(const struct png_sight *sight)
{
	/* in smaller images the bits of a pixel prove nothing */
	enum { PIXELS_MIN = 256, MASK_LEVELS = 16 };

	return sight->pixels >= PIXELS_MIN &&
	       (sight->look == PNG_LOOK_PHOTO || (sight->varied && sight->levels > MASK_LEVELS));
}

/* ---- candidates ------------------------------------------------------------------------------------------------- */

void photo_candidates_init(struct photo_candidates *c)
{
	memset(c, 0, sizeof(*c));
	strbuf_init(&c->paths);
}

void photo_candidates_release(struct photo_candidates *c)
{
	strbuf_release(&c->paths);
	photo_candidates_init(c);
}

/* Returns whether a member, whose first bytes are at hand, looks like a mask. */
static bool is_mask_member(const struct entry *entry)
{
	struct entry_probe probe;
	struct png_sight sight = { .look = PNG_LOOK_NONE };

	probe_init(&probe);
	photo_probe_look(entry, &probe, false, &sight);
	probe_close(&probe);
	return sight.look == PNG_LOOK_MASK;
}

void photo_candidates_add(struct photo_candidates *c, const struct entry *entry)
{
	size_t len = strlen(entry->path);

	if (entry->member) {
		c->more |= c->members++ == PROBES_MAX || (!c->more && !is_mask_member(entry));
		return;
	}
	if (c->count == PHOTO_CANDIDATES_MAX || len >= PATH_MAX) {
		c->more = true;
		return;
	}
	c->v[c->count].at = c->paths.len;
	c->v[c->count].lacks_json = entry->lacks_json;
	c->v[c->count++].rel_offset = entry->rel_offset;
	strbuf_add(&c->paths, entry->path, len + 1);
}

static void name_candidates(const struct photo_candidates *c, struct probe_ahead *ahead)
{
	probe_ahead_forget(ahead);
	for (size_t i = 0; i < c->count; i++)
		probe_ahead_name(ahead, c->paths.s + c->v[i].at);
}

bool photo_candidates_may_be_no_masks(const struct photo_candidates *c, struct probe_ahead *ahead)
{
	struct photo_probe probe = { .ahead = ahead };
	bool found = c->more;

	name_candidates(c, ahead);
	for (size_t i = 0; i < c->count && !found; i++) {
		const char *path = c->paths.s + c->v[i].at;
		const struct entry entry = {
			.path = path,
			.name = path,
			.dirfd = AT_FDCWD,
			.rel_offset = c->v[i].rel_offset,
			.lacks_json = c->v[i].lacks_json,
		};

		found = photo_probe_png(&probe, &entry) != PNG_LOOK_MASK || probe.unread;
	}
	probe_ahead_forget(ahead);
	return found;
}

bool photo_candidates_differ(const struct photo_candidates *c, struct probe_ahead *ahead)
{
	enum { FOLDERS = 32 };
	bool photos = false, masks = false;

	name_candidates(c, ahead);
	for (size_t i = 0; c->count > 1 && i < MIN(c->count, (size_t)FOLDERS) && !(photos && masks); i++) {
		const char *path = c->paths.s + c->v[i].at;
		const struct entry entry = { .path = path, .name = path, .dirfd = AT_FDCWD };
		struct entry_probe *opened = probe_ahead_begin(ahead, &entry);
		struct png_sight sight;

		if (!opened)
			break;
		photo_probe_look(&entry, opened, false, &sight);
		photos |= sight.look == PNG_LOOK_PHOTO;
		masks |= sight.look == PNG_LOOK_MASK;
		probe_ahead_end(ahead);
	}
	probe_ahead_forget(ahead);
	return photos && masks;
}
