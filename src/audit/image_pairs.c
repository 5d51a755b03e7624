#include "audit/image_pairs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "base/stop.h"
#include "find/pool.h"
#include "layout/probe.h"
#include "read/volume.h"

void pair_seeker_init(struct pair_seeker *s, const struct pairs *pairs)
{
	memset(s, 0, sizeof(*s));
	s->pairs = pairs;
	strbuf_init(&s->path);
	strbuf_init(&s->other);
}

void pair_seeker_release(struct pair_seeker *s)
{
	strbuf_release(&s->path);
	strbuf_release(&s->other);
}

/* Returns whether two volumes have the same voxels in the same place, as far as nnU-Net compares channels. */
static bool lie_alike(const struct array_header *a, const struct array_header *b)
{
	return a->rank == b->rank && !memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) &&
	       volume_affines_agree(a->volume.affine, b->volume.affine, VOLUME_TOLERANCE);
}

/*
 * Reads the header of a volume. If limits are given, its voxels are read, too, and *fault is set as well if some are
 * NaN.
 */
static bool read_volume(const struct limits *limits, int dirfd, const char *name, struct array_header *out,
			struct fault *fault)
{
	if (!volume_read_file(dirfd, name, out, fault))
		return false;
	if (limits)
		volume_check_numbers(dirfd, name, limits, fault);
	return true;
}

/* Returns how many channels nnU-Net finds in an image; of formats that it may read as a stack of slices 0. */
static unsigned channels_in(const struct array_header *volume, const struct photo_size *size, const char *name)
{
	if (volume)
		return volume->rank > 3 ? (unsigned)MIN(volume->shape[3], (uint64_t)UINT16_MAX) : 1;
	return !file_name_ends_in(name, ".png") ? 0
	       : size->traits & 1 << PHOTO_GREY ? 1 + !!(size->traits & 1 << PHOTO_ALPHA)
						: 3 + !!(size->traits & 1 << PHOTO_ALPHA);
}

/* Seeks nnU-Net's further channels, counts them, and compares them with the first. */
static void seek_channels(struct pair_seeker *s, const char *rel_path)
{
	struct pairing *p = &s->pairing;
	unsigned count =
		p->is_volume || p->sized ? channels_in(p->is_volume ? &p->volume : NULL, &p->size, s->path.s) : 0;
	const bool known = count;
	struct photo_size size;
	size_t name_at;
	bool flat;

	for (unsigned i = 1; i < s->pairs->names.channels && !p->channels_differ; i++) {
		if (!pairs_find_image(s->pairs, rel_path, i, &s->other, &name_at, &flat)) {
			/* one file may have all channels: red, green and blue, or a fourth axis */
			const bool grey = p->sized && (p->size.traits & 1u << PHOTO_GREY);

			if (i == 1 && (p->is_volume ? p->volume.rank > 3 : !grey))
				break;
			p->state = PAIR_NO_IMAGE;
			p->channel = i;
			p->partner = s->other.s;
			return;
		}
		if (!strcmp(s->other.s, s->path.s)) /* it has all channels */
			break;
		const bool was_right = p->fault.kind == FAULT_NONE;
		const char *name = s->other.s + name_at;

		if (p->is_volume && read_volume(s->pairs->limits, s->pairs->images_fd, name, &p->other, &p->fault)) {
			p->channels_differ = !lie_alike(&p->volume, &p->other);
			count += channels_in(&p->other, NULL, name);
		} else if (!p->is_volume && photo_read_size(s->pairs->images_fd, name, s->other.s, &size, &p->fault)) {
			count += channels_in(NULL, &size, name);
		}
		if (was_right && p->fault.kind != FAULT_NONE)
			p->partner = s->other.s;
		p->other_partner = s->other.s;
	}
	p->channels = known && p->fault.kind == FAULT_NONE ? count : 0;
	p->declared = s->pairs->names.channels;
}

static struct pairing *begin(struct pair_seeker *s, enum pair_state state, const char *partner)
{
	s->pairing = (struct pairing){ .state = state, .partner = partner };
	fault_clear(&s->pairing.fault);
	return &s->pairing;
}

/* limits: as in read_volume(). members: as in image_read_size(). */
static void judge(struct pairing *p, const struct limits *limits, const struct member_images *members, int dirfd,
		  const char *name)
{
	if (is_volume_name(name))
		p->is_volume = read_volume(limits, dirfd, name, &p->volume, &p->fault);
	else
		p->sized = image_read_size(members, dirfd, name, p->partner, &p->size, &p->fault);
}

void pair_seek_image(struct pair_seeker *s, const char *rel_path)
{
	/* of a label file that was typed with more than its name: images/../masks/1.png is the mask itself */
	if (!relative_path_is_inside(rel_path))
		rel_path = file_name_of(rel_path);
	bool flat, found = pairs_find_image(s->pairs, rel_path, 0, &s->path, &s->name_at, &flat);
	struct pairing *p = begin(s, found ? PAIR_FOUND : PAIR_NO_IMAGE, s->path.s);

	p->of_channel = s->pairs->names.channels > 0;
	s->flat |= flat;
	if (found)
		judge(p, s->pairs->limits, NULL, s->pairs->images_fd, s->path.s + s->name_at);
	if (found && p->of_channel)
		seek_channels(s, rel_path);
}

void pair_take_image(struct pair_seeker *s, const struct member_images *members)
{
	judge(begin(s, PAIR_FOUND, s->path.s), NULL, members, AT_FDCWD, s->path.s);
}

void pair_take_self(struct pair_seeker *s, const struct dataset_layouts *layouts, const struct entry *entry)
{
	const char *place = entry_place(entry, &s->path);

	judge(begin(s, PAIR_SELF, place), NULL, layout_of(layouts, entry)->members, entry->dirfd, entry->name);
}

void pair_take_none(struct pair_seeker *s)
{
	begin(s, PAIR_ALONE, NULL);
}

/* ---- images without a label file --------------------------------------------------------------------------------- */

/* A search for the label file of an image of a unit. */
struct mask_query {
	struct task task;
	const struct pairs *pairs;
	const char *image; /* below the images' folder; NULL: it is none, or not searched for */
	bool found;
};

static void find_mask(struct task *task, bool ahead)
{
	struct mask_query *q = (struct mask_query *)task;

	(void)ahead;
	q->found = q->image && pairs_has_mask(q->pairs, q->image);
}

/* Images come sorted by path: those of one stem are adjacent, except for longer names that begin with it. */
struct image_walk {
	const struct pairs *pairs;
	bool seek_masks;
	struct shard shard; /* an image of another shard is noted, but its label file is not searched for */
	struct strbuf last; /* path of the previous image */
	struct pool *pool;  /* or NULL */
	const struct entry *unit;
	struct mask_query *queries; /* of each entry of the unit */
	size_t cap;
	void (*take)(void *self, const char *path, const struct pairing *pairing);
	void *self;
};

static bool same_stem(const char *a, const char *b)
{
	size_t n = pairs_stem(a);

	return n == pairs_stem(b) && !memcmp(a, b, n);
}

static bool is_searched_for(const struct image_walk *w, const struct entry *entry)
{
	return w->seek_masks && !entry->failed && !entry->skip_reason && pairs_is_image_name(entry->name) &&
	       shard_has(&w->shard, entry->path + entry->rel_offset, strlen(entry->path + entry->rel_offset));
}

/* Searches for the label files of a unit's images. */
static void find_masks(void *self, const struct entry *entries, size_t count)
{
	struct image_walk *w = self;

	w->unit = entries;
	GROW(w->queries, w->cap, count);
	for (size_t i = 0; i < count; i++) {
		const char *image = is_searched_for(w, &entries[i]) ? entries[i].path + entries[i].rel_offset : NULL;

		w->queries[i] = (struct mask_query){ .task.run = find_mask, .pairs = w->pairs, .image = image };
	}
	pool_do_all(w->pool, w->queries, count, sizeof(*w->queries));
}

static void take_image(struct image_walk *w, const struct entry *entry)
{
	struct pairing p = { .state = PAIR_AMBIGUOUS, .partner = w->last.s };

	fault_clear(&p.fault);
	if (!shard_has(&w->shard, entry->path + entry->rel_offset, strlen(entry->path + entry->rel_offset))) {
		/* all images of a stem are in one shard, which reports them */
	} else if (w->last.len && same_stem(w->last.s, entry->path)) {
		w->take(w->self, entry->path, &p);
	} else if (w->seek_masks && !w->queries[entry - w->unit].found) {
		p.state = PAIR_NO_MASK;
		p.partner = NULL;
		w->take(w->self, entry->path, &p);
	}
	strbuf_clear(&w->last);
	strbuf_adds(&w->last, entry->path);
}

/* Takes an entry of the images' folder. Returns false if the audit is to end. */
static bool take_entry(void *self, const struct entry *entry)
{
	struct image_walk *w = self;

	if (entry->failed) {
		const struct pairing p = { .state = PAIR_UNREADABLE, .fault = entry->fault };

		w->take(w->self, entry->path, &p);
	} else if (!entry->skip_reason && pairs_is_image_name(entry->name)) {
		take_image(w, entry);
	}
	return !stop_signal();
}

enum status pair_walk_images(const struct pairs *pairs, const struct find_options *find, bool seek_masks,
			     struct progress *progress,
			     void (*take)(void *self, const char *path, const struct pairing *pairing), void *self,
			     struct error *err)
{
	const char *const paths[] = { pairs->images };
	const struct find_options images = { .paths = paths,
					     .paths_count = 1,
					     .hidden = find->hidden,
					     .follow = find->follow,
					     .no_archives = true,
					     .pool = find->pool,
					     .stop = stop_flag(),
					     .drawn = find_masks,
					     .progress = progress };
	struct image_walk walk = { .pairs = pairs,
				   .seek_masks = seek_masks,
				   .shard = find->shard,
				   .last = STRBUF_INIT,
				   .pool = find->pool,
				   .take = take,
				   .self = self };
	enum status status = source_each(&images, take_entry, &walk, NULL, err);

	free(walk.queries);
	strbuf_release(&walk.last);
	return status;
}
