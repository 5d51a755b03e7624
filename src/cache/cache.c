#include "cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/version.h"
#include "platform/platform.h"

struct cache {
	int folder_fd;
	struct timespec began;
	atomic_uint_fast64_t measured, taken;
	struct cache_file file;
};

/* Hashes all that decides what measuring finds, including the program itself. */
static void make_digest(const struct settings *s, char out[65])
{
	RELEASED struct strbuf text = STRBUF_INIT;
	struct sha256 sha;
	struct stat exe = { 0 };

	if (!platform_program(&exe))
		memset(&exe, 0, sizeof(exe));
	strbuf_addf(&text, "record %d\nversion %s\nprogram %lld %lld %ld\nstructs %zu %zu %zu\nclasses ",
		    CACHE_RECORD_VERSION, LABELAUDIT_VERSION, (long long)exe.st_size, (long long)exe.st_mtim.tv_sec,
		    exe.st_mtim.tv_nsec, sizeof(struct label_stats), sizeof(struct id_stats),
		    sizeof(struct png_header));
	id_ranges_format(&s->classes.classes, &text);
	strbuf_adds(&text, "\nignored ");
	id_ranges_format(&s->classes.ignored, &text);
	strbuf_addf(&text, "\ncoco_ids %d", (int)s->coco_ids);
	strbuf_addf(&text,
		    "\nview %s\nkind %d %u\nreduce_zero_label %d\nmax_pixels %llu\nmax_inflated %llu\ntask %d %u %u\n",
		    view_name(s->view), (int)s->kind, s->list.box_form, s->reduce_zero_label,
		    (unsigned long long)s->limits.max_pixels, (unsigned long long)s->limits.max_inflated,
		    (int)s->yolo.task, s->yolo.keypoints, s->yolo.numbers);
	strbuf_addf(&text, "max_length %llu dtype %u\n", (unsigned long long)s->list.max_length, s->list.dtype);
	strbuf_addf(&text, "colours %d ", s->colours.presumed);
	colour_table_format(&s->colours, &text);
	sha256_init(&sha);
	sha256_add(&sha, text.s, text.len);
	sha256_hex(&sha, out);
}

struct cache *cache_open(const struct settings *settings, const char *folder)
{
	FREED char *path = folder ? xstrdup(folder) : cache_usual_folder();
	const char *why = strerror(ENOENT);
	int fd = path ? cache_open_folder(path, &why) : -1;
	RELEASED struct strbuf file = STRBUF_INIT;
	char digest[65];

	if (fd < 0) {
		log_warning("--cache %s: %s; not used", path ? path : "(neither XDG_CACHE_HOME nor HOME)", why);
		return NULL;
	}
	struct cache *c = xcalloc(1, sizeof(*c));

	c->folder_fd = fd;
	clock_gettime(CLOCK_REALTIME, &c->began);
	make_digest(settings, digest);
	strbuf_addf(&file, "labelaudit-%.32s.cache", digest);
	cache_file_open(&c->file, fd, path, file.s);
	return c;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	cache_file_close(&c->file);
	close(c->folder_fd);
	free(c);
}

void cache_reader_open(struct cache_reader *r, struct cache *c)
{
	memset(r, 0, sizeof(*r));
	r->cache = c;
	strbuf_init(&r->record);
}

void cache_reader_close(struct cache_reader *r)
{
	free(r->block.record);
	strbuf_release(&r->record);
	memset(&r->block, 0, sizeof(r->block));
}

/*
 * Returns the key of a file: neighbours among inodes are neighbours in the file. Two files with one key displace
 * each other, and no more, because the record has both numbers.
 */
static int64_t key_of(const struct stat *st)
{
	return (int64_t)((uint64_t)st->st_ino + (uint64_t)st->st_dev * ((uint64_t)1 << 40 | 1));
}

/* Decodes the file's record. Returns false if there is none of its state. */
static bool look_up(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item,
		    bool *damaged)
{
	*damaged = false;
	return r->cache && cache_file_find(&r->cache->file, &r->block, key_of(st)) &&
	       cache_record_decode(r->block.record, r->block.record_n, st, batch, item, damaged);
}

bool cache_has_any(const struct cache_reader *r)
{
	return r->cache && r->cache->file.count;
}

bool cache_has(struct cache_reader *r, const struct stat *st)
{
	struct batch batch;
	bool ignored;

	if (!r->cache)
		return false;
	batch_init(&batch);
	bool has = look_up(r, st, &batch, batch_add(&batch), &ignored);

	batch_release(&batch);
	return has;
}

bool cache_take(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item)
{
	const struct sample before = item->sample;
	bool damaged;

	if (look_up(r, st, batch, item, &damaged)) {
		atomic_fetch_add_explicit(&r->cache->taken, 1, memory_order_relaxed);
		return true;
	}
	item->sample = before;
	memset(&item->stats, 0, sizeof(item->stats));
	if (damaged) /* this record is replaced; the others have their own checksums */
		cache_file_give_up(&r->cache->file, "a damaged record; measured again");
	return false;
}

static bool is_racy(const struct cache *c, const struct timespec *changed)
{
	return changed->tv_sec > c->began.tv_sec - CACHE_RACY_SECONDS - 1;
}

/* Returns whether the result can be stored, and the file is not packed. */
static bool is_storable(const struct stat *st, const struct sample *sample)
{
	return sample->format == FORMAT_PNG && sample->file_bytes == (uint64_t)st->st_size &&
	       cache_record_is_storable(sample);
}

void cache_put(struct cache_reader *r, const struct stat *st, const struct sample *sample,
	       const struct label_stats *stats, const struct id_stats *ids)
{
	struct cache *c = r->cache;

	if (!c || !is_storable(st, sample))
		return;
	atomic_fetch_add_explicit(&c->measured, 1, memory_order_relaxed);
	if (GUARD(file_that_may_still_change, is_racy(c, &st->st_mtim) || is_racy(c, &st->st_ctim)))
		return;
	strbuf_clear(&r->record);
	cache_record_encode(st, sample, stats, ids, &r->record);
	if (r->record.len <= RECORD_MAX)
		cache_file_add(&c->file, key_of(st), &r->record);
}

void cache_summary(const struct cache *c, struct strbuf *out)
{
	strbuf_adds(out, "cache: ");
	strbuf_add_u64(out, atomic_load(&c->taken));
	strbuf_adds(out, " files unchanged, ");
	strbuf_add_u64(out, atomic_load(&c->measured));
	strbuf_adds(out, " measured; ");
	escape_terminal(out, c->file.shown, strlen(c->file.shown));
}
