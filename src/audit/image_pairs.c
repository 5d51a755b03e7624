#include "audit/image_pairs.h"

#include <string.h>

#include "base/file_name.h"
#include "base/stop.h"

void pair_seeker_init(struct pair_seeker *s, const struct pairs *pairs)
{
	memset(s, 0, sizeof(*s));
	s->pairs = pairs;
	strbuf_init(&s->path);
}

void pair_seeker_release(struct pair_seeker *s)
{
	strbuf_release(&s->path);
}

const struct pairing *pair_seek_image(struct pair_seeker *s, const char *rel_path)
{
	struct pairing *p = &s->pairing;
	bool flat, found = pairs_find_image(s->pairs, rel_path, &s->path, &s->name_at, &flat);

	*p = (struct pairing){ .state = found ? PAIR_FOUND : PAIR_NO_IMAGE, .partner = s->path.s };
	fault_clear(&p->fault);
	s->flat |= flat;
	if (found)
		p->sized = photo_read_size(s->pairs->images_fd, s->path.s + s->name_at, &p->size, &p->fault);
	return p;
}

/* Images come sorted by path: those of one stem are adjacent, except for longer names that begin with it. */
struct image_walk {
	const struct pairs *pairs;
	bool seek_masks;
	struct shard shard; /* an image of another shard is noted, but its label file is not searched for */
	struct strbuf last; /* path of the previous image */
	void (*take)(void *self, const char *path, const struct pairing *pairing);
	void *self;
};

static bool same_stem(const char *a, const char *b)
{
	size_t n = pairs_stem(a);

	return n == pairs_stem(b) && !memcmp(a, b, n);
}

static void take_image(struct image_walk *w, const struct entry *entry)
{
	struct pairing p = { .state = PAIR_AMBIGUOUS, .partner = w->last.s };

	fault_clear(&p.fault);
	if (!shard_has(&w->shard, entry->path + entry->rel_offset, strlen(entry->path + entry->rel_offset))) {
		/* all images of a stem are in one shard, which reports them */
	} else if (w->last.len && same_stem(w->last.s, entry->path)) {
		w->take(w->self, entry->path, &p);
	} else if (w->seek_masks && !pairs_has_mask(w->pairs, entry->path + entry->rel_offset)) {
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
	} else if (!entry->skip_reason && is_image_name(entry->name)) {
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
					     .progress = progress };
	struct image_walk walk = { .pairs = pairs,
				   .seek_masks = seek_masks,
				   .shard = find->shard,
				   .last = STRBUF_INIT,
				   .take = take,
				   .self = self };
	enum status status = source_each(&images, take_entry, &walk, err);

	strbuf_release(&walk.last);
	return status;
}
