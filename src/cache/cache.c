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
#include "cache/cache_db.h"
#include "platform/platform.h"

struct cache {
	int folder_fd;
	char folder[32]; /* its path by folder_fd: the same folder even if its name leads to another one by now */
	struct timespec began;
	atomic_uint_fast64_t measured, taken;
	struct cache_db db;
	struct cache_spool spool;
};

/* Hashes all that decides what measuring finds, including the program itself. */
static void make_digest(const struct settings *s, char out[65])
{
	struct strbuf text = STRBUF_INIT;
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
	strbuf_release(&text);
}

struct cache *cache_open(const struct settings *settings, const char *folder)
{
	char *path = folder ? xstrdup(folder) : cache_usual_folder();
	const char *why = strerror(ENOENT);
	int fd = path ? cache_open_folder(path, &why) : -1;
	struct strbuf file = STRBUF_INIT;
	struct cache *c = NULL;
	char digest[65];

	if (fd < 0) {
		log_warning("--cache %s: %s; not used", path ? path : "(neither XDG_CACHE_HOME nor HOME)", why);
		goto out;
	}
	c = xcalloc(1, sizeof(*c));
	c->folder_fd = fd;
	snprintf(c->folder, sizeof(c->folder), "%s", platform_fd_path(fd).s);
	clock_gettime(CLOCK_REALTIME, &c->began);
	make_digest(settings, digest);
	strbuf_addf(&file, "labelaudit-%.32s.sqlite", digest);
	cache_db_open(&c->db, path, c->folder, file.s);
	cache_spool_init(&c->spool, &c->db, c->folder);
out:
	strbuf_release(&file);
	free(path);
	return c;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	cache_spool_finish(&c->spool);
	cache_db_release(&c->db);
	close(c->folder_fd);
	free(c);
}

void cache_reader_open(struct cache_reader *r, struct cache *c)
{
	static const char query[] = "SELECT record FROM files WHERE key = ?1";
	sqlite3 *db = NULL;
	sqlite3_stmt *lookup = NULL, *palette_lookup = NULL;
	int rc;

	memset(r, 0, sizeof(*r));
	r->cache = c;
	strbuf_init(&r->record);
	if (!c || !c->db.readable)
		return;
	rc = cache_db_connect(&c->db, false, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, query, -1, &lookup, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, query, -1, &palette_lookup, NULL);
	r->connection = db;
	r->lookup = lookup;
	r->palette_lookup = palette_lookup;
	if (rc == SQLITE_OK)
		return;
	cache_db_fail(&c->db, rc);
	cache_reader_close(r);
}

void cache_reader_close(struct cache_reader *r)
{
	sqlite3_finalize(r->lookup);
	sqlite3_finalize(r->palette_lookup);
	sqlite3_close(r->connection);
	strbuf_release(&r->record);
	r->connection = r->lookup = r->palette_lookup = NULL;
}

/*
 * Returns the key of a file: neighbours among inodes are neighbours in the database. Two files with one key displace
 * each other, and no more, because the record has both numbers.
 */
static int64_t key_of(const struct stat *st)
{
	return (int64_t)((uint64_t)st->st_ino + (uint64_t)st->st_dev * ((uint64_t)1 << 40 | 1));
}

/* Finds a palette for a record, most of which have that of the one before. */
static const uint8_t *find_palette(void *context, int64_t id)
{
	struct cache_reader *r = context;

	if (r->palette_id == id)
		return r->palette;
	sqlite3_bind_int64(r->palette_lookup, 1, id);
	if (sqlite3_step(r->palette_lookup) == SQLITE_ROW &&
	    sqlite3_column_bytes(r->palette_lookup, 0) == PALETTE_BYTES) {
		memcpy(r->palette, sqlite3_column_blob(r->palette_lookup, 0), PALETTE_BYTES);
		r->palette_id = cache_palette_id(r->palette); /* the id is a checksum */
	}
	sqlite3_reset(r->palette_lookup);
	return r->palette_id == id ? r->palette : NULL;
}

/* Decodes the file's record. Returns false if there is none of its state. */
static bool look_up(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item,
		    bool *damaged)
{
	struct cache *c = r->cache;
	const struct palette_store palettes = { find_palette, r };

	*damaged = false;
	if (!r->connection || atomic_load_explicit(&c->db.broken, memory_order_relaxed))
		return false;
	sqlite3_bind_int64(r->lookup, 1, key_of(st));
	const int rc = sqlite3_step(r->lookup);
	const uint8_t *bytes = rc == SQLITE_ROW ? sqlite3_column_blob(r->lookup, 0) : NULL;
	const bool found = bytes && cache_record_decode(bytes, (size_t)sqlite3_column_bytes(r->lookup, 0), st,
							&palettes, batch, item, damaged);

	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		cache_db_fail(&c->db, rc);
	sqlite3_reset(r->lookup);
	return found;
}

bool cache_has(struct cache_reader *r, const struct stat *st)
{
	struct batch batch;
	bool ignored;

	if (!r->connection)
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
		cache_db_give_up(&r->cache->db, "a damaged record; measured again");
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
		cache_spool_add(&c->spool, key_of(st), &r->record,
				sample->png.palette_entries ? (const uint8_t *)sample->png.palette : NULL);
}

void cache_summary(const struct cache *c, struct strbuf *out)
{
	strbuf_adds(out, "cache: ");
	strbuf_add_u64(out, atomic_load(&c->taken));
	strbuf_adds(out, " files unchanged, ");
	strbuf_add_u64(out, atomic_load(&c->measured));
	strbuf_adds(out, " measured; ");
	escape_terminal(out, c->db.file, strlen(c->db.file));
}
