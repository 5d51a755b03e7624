#include "audit/image_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file_name.h"
#include "base/late.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/io_task.h"

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
		p->sized = photo_read_size(s->pairs->images_fd, s->path.s + s->name_at, s->path.s, &p->size, &p->fault);
	return p;
}

/* ---- images without a label file --------------------------------------------------------------------------------- */

enum {
	MASK_LATE_NS = 50000, /* to search for a label file; memory takes 10 us */
	MASKS_LATE = 2,       /* more late ones than others: then they are searched for side by side */
};

/* An image whose label file is searched for, together with those of all images of a unit. */
struct mask_query {
	struct io_task task;
	const struct pairs *pairs;
	char *image; /* below the images' folder; owned */
	bool found;
};

static void find_mask(struct io_task *task)
{
	struct mask_query *q = (struct mask_query *)task;

	q->found = pairs_has_mask(q->pairs, q->image);
}

static void release_query(struct io_task *task)
{
	struct mask_query *q = (struct mask_query *)task;

	free(q->image);
	free(q);
}

/* Images come sorted by path: those of one stem are adjacent, except for longer names that begin with it. */
struct image_walk {
	const struct pairs *pairs;
	bool seek_masks;
	struct shard shard; /* an image of another shard is noted, but its label file is not searched for */
	struct strbuf last; /* path of the previous image */
	struct io *io;      /* or NULL */
	unsigned late;      /* searches, more than others */
	struct mask_query **queries;
	size_t next, count, cap; /* in the order of the images; those before next are answered */
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
	return w->seek_masks && !entry->failed && !entry->skip_reason && is_image_name(entry->name) &&
	       shard_has(&w->shard, entry->path + entry->rel_offset, strlen(entry->path + entry->rel_offset));
}

static void drop_queries(struct image_walk *w)
{
	while (w->next < w->count)
		io_task_drop(&w->queries[w->next++]->task);
	w->next = w->count = 0;
}

/* Begins to search for the label files of a unit's images, if storage is late. */
static void begin_queries(void *self, const struct entry *entries, size_t count)
{
	struct image_walk *w = self;

	drop_queries(w);
	for (size_t i = 0; i < count && w->io && w->late >= MASKS_LATE; i++) {
		if (!is_searched_for(w, &entries[i]))
			continue;
		struct mask_query *q = xcalloc(1, sizeof(*q));

		q->task.work = find_mask;
		q->task.release = release_query;
		q->pairs = w->pairs;
		q->image = xstrdup(entries[i].path + entries[i].rel_offset);
		if (!io_task_begin(w->io, &q->task)) {
			release_query(&q->task);
			return; /* there is no thread */
		}
		GROW(w->queries, w->cap, w->count + 1);
		w->queries[w->count++] = q;
	}
}

/* Returns the query about an image, or NULL if nothing was begun for it. */
static struct mask_query *take_query(struct image_walk *w, const char *image)
{
	while (w->next < w->count) {
		struct mask_query *q = w->queries[w->next++];

		if (!strcmp(q->image, image))
			return q;
		io_task_drop(&q->task);
	}
	return NULL;
}

static bool has_mask(struct image_walk *w, const struct entry *entry)
{
	const char *image = entry->path + entry->rel_offset;
	struct mask_query *q = take_query(w, image);
	uint64_t since = clock_ns();

	if (q) {
		if (!io_task_wait(&q->task, stop_flag()))
			return true; /* nothing is reported any more */
		bool answered = !q->task.cancelled, found = q->found;

		release_query(&q->task);
		if (answered)
			return found;
	}
	late_begin();
	bool found = pairs_has_mask(w->pairs, image);

	if (late_end(clock_ns() - since, MASK_LATE_NS))
		w->late++;
	else if (w->late)
		w->late--;
	return found;
}

static void take_image(struct image_walk *w, const struct entry *entry)
{
	struct pairing p = { .state = PAIR_AMBIGUOUS, .partner = w->last.s };

	fault_clear(&p.fault);
	if (!shard_has(&w->shard, entry->path + entry->rel_offset, strlen(entry->path + entry->rel_offset))) {
		/* all images of a stem are in one shard, which reports them */
	} else if (w->last.len && same_stem(w->last.s, entry->path)) {
		w->take(w->self, entry->path, &p);
	} else if (w->seek_masks && !has_mask(w, entry)) {
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
					     .io = find->io,
					     .stop = stop_flag(),
					     .drawn = begin_queries,
					     .progress = progress };
	struct image_walk walk = { .pairs = pairs,
				   .seek_masks = seek_masks,
				   .shard = find->shard,
				   .last = STRBUF_INIT,
				   .io = find->io,
				   .take = take,
				   .self = self };
	enum status status = source_each(&images, take_entry, &walk, err);

	drop_queries(&walk);
	free(walk.queries);
	strbuf_release(&walk.last);
	return status;
}
