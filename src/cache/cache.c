/* The database of a cache: which one it is, whether it is sound, and reading it. */
#include "cache/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/version.h"
#include "cache/cache_folder.h"
#include "cache/cache_parts.h"

/* Beyond this it is thrown away and made anew: files that are gone leave their records behind. */
#define DATABASE_BYTES_MAX ((int64_t)8 << 30)

/* How long somebody else's writing is waited for. */
enum { READ_WAIT_MS = 1000, WRITE_WAIT_MS = 5000 };

/* An eighth of a worker's 32 MiB. */
#define CONNECTION_PAGES "PRAGMA cache_size = -4096"

void cache_give_up(struct cache *c, const char *why)
{
	if (!atomic_exchange(&c->warned, true))
		log_warning("--cache %s: %s", c->file, why);
}

/* Of all that decides what measuring finds, the program among it. */
static void make_digest(const struct settings *s, char out[65])
{
	struct strbuf text = STRBUF_INIT;
	struct sha256 sha;
	struct stat exe = { 0 };

	if (stat("/proc/self/exe", &exe) < 0)
		memset(&exe, 0, sizeof(exe));
	strbuf_addf(&text, "record %d\nversion %s\nprogram %lld %lld %ld\nstructs %zu %zu %zu\nclasses ",
		    CACHE_RECORD_VERSION, LABELAUDIT_VERSION, (long long)exe.st_size, (long long)exe.st_mtim.tv_sec,
		    exe.st_mtim.tv_nsec, sizeof(struct label_stats), sizeof(struct id_stats),
		    sizeof(struct png_header));
	id_ranges_format(&s->classes.classes, &text);
	strbuf_adds(&text, "\nignored ");
	id_ranges_format(&s->classes.ignored, &text);
	strbuf_addf(&text, "\nview %s\nkind %d\nreduce_zero_label %d\nmax_pixels %llu\nmax_inflated %llu\n",
		    view_name(s->view), (int)s->kind, s->reduce_zero_label, (unsigned long long)s->limits.max_pixels,
		    (unsigned long long)s->limits.max_inflated);
	sha256_init(&sha);
	sha256_add(&sha, text.s, text.len);
	sha256_hex(&sha, out);
	strbuf_release(&text);
}

/* ---- palettes --------------------------------------------------------------------------------------------------- */

/* Palettes are only ever added, and counted after they are whole: reading needs no lock. */
const uint8_t *cache_find_palette(void *context, int64_t id)
{
	const struct cache *c = context;
	size_t count = atomic_load_explicit(&c->palettes_count, memory_order_acquire);

	for (size_t i = 0; i < count; i++)
		if (c->palettes[i].id == id)
			return c->palettes[i].rgb;
	return NULL;
}

/* ---- the database ----------------------------------------------------------------------------------------------- */

/* A warning for what SQLite returned; a database that is not sound is not used again. */
static void fail_database(struct cache *c, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		cache_give_up(c, "another process writes to it; passed over");
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
		atomic_store(&c->broken, true);
		cache_give_up(c, c->verify ? "damaged" : "damaged; made anew");
		break;
	default:
		cache_give_up(c, sqlite3_errstr(rc));
	}
}

/* The file may be anybody's work: nothing in its schema is run. */
int cache_connect(const struct cache *c, bool write, sqlite3 **out)
{
	int rc = sqlite3_open_v2(c->file, out,
				 SQLITE_OPEN_NOMUTEX |
					 (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY),
				 NULL);

	if (rc == SQLITE_OK) {
		sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_limit(*out, SQLITE_LIMIT_LENGTH, RECORD_MAX + 4096);
		sqlite3_busy_timeout(*out, write ? WRITE_WAIT_MS : READ_WAIT_MS);
		rc = sqlite3_exec(*out, CONNECTION_PAGES, NULL, NULL, NULL);
	}
	return rc;
}

/* One number of a statement without parameters. */
static int query_number(sqlite3 *db, const char *sql, int64_t *out)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		*out = sqlite3_column_int64(stmt, 0);
		rc = SQLITE_OK;
	} else if (rc == SQLITE_DONE) {
		rc = SQLITE_CORRUPT;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* Tables of our names that are tables: a view would run what it likes. */
int cache_check_schema(sqlite3 *db)
{
	int64_t id = 0, tables = 0;
	int rc = query_number(db, "PRAGMA application_id", &id);

	if (rc == SQLITE_OK)
		rc = query_number(db,
				  "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('files', "
				  "'palettes')",
				  &tables);
	return rc == SQLITE_OK && (id != APPLICATION_ID || tables != 2) ? SQLITE_CORRUPT : rc;
}

static int load_palettes(struct cache *c, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT id, rgb FROM palettes", -1, &stmt, NULL);
	size_t count = 0;

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(stmt);
		if (rc != SQLITE_ROW || count == PALETTES_MAX)
			break;
		const uint8_t *rgb = sqlite3_column_blob(stmt, 1);

		/* The id is a checksum. One that is wrong is as good as absent: its records are not taken. */
		if (!rgb || sqlite3_column_bytes(stmt, 1) != PALETTE_BYTES ||
		    cache_palette_id(rgb) != sqlite3_column_int64(stmt, 0))
			continue;
		c->palettes[count].id = sqlite3_column_int64(stmt, 0);
		memcpy(c->palettes[count++].rgb, rgb, PALETTE_BYTES);
	}
	sqlite3_finalize(stmt);
	atomic_store(&c->palettes_count, count);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static bool has_journal(const struct cache *c)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%s-journal", c->file);
	bool there = lstat(path.s, &st) == 0 && S_ISREG(st.st_mode);

	strbuf_release(&path);
	return there;
}

/* Opens it once, to see whether it is one. */
static void look_at_database(struct cache *c)
{
	struct stat st;
	sqlite3 *db = NULL;
	int rc;

	if (lstat(c->file, &st) < 0 || (S_ISREG(st.st_mode) && !st.st_size)) {
		if (c->verify)
			cache_give_up(c, "nothing was measured with these settings so far");
		return;
	}
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		cache_give_up(c, "not a file of this user; passed over");
		return;
	}
	if (st.st_size > DATABASE_BYTES_MAX) {
		atomic_store(&c->broken, true);
		return;
	}
	/* What a process that was killed left half written is rolled back by whoever may write. */
	rc = cache_connect(c, has_journal(c), &db);
	if (rc == SQLITE_OK)
		rc = cache_check_schema(db);
	if (rc == SQLITE_OK)
		rc = load_palettes(c, db);
	sqlite3_close(db);
	c->readable = rc == SQLITE_OK;
	if (rc != SQLITE_OK)
		fail_database(c, rc);
}

struct cache *cache_open(const struct settings *settings, const char *folder, bool verify)
{
	struct cache *c = xcalloc(1, sizeof(*c));
	struct strbuf name = STRBUF_INIT;
	char digest[65];
	int errnum;

	c->verify = verify;
	c->spool = -1;
	strbuf_init(&c->pending);
	pthread_mutex_init(&c->lock, NULL);
	c->palettes = xcalloc(PALETTES_MAX, sizeof(*c->palettes));
	clock_gettime(CLOCK_REALTIME, &c->began);
	c->folder = folder ? xstrdup(folder) : cache_usual_folder();
	make_digest(settings, digest);
	strbuf_addf(&name, "%s/labelaudit-%.32s.sqlite", c->folder ? c->folder : "", digest);
	c->file = xmemdup0(name.s, name.len);
	strbuf_release(&name);
	errnum = c->folder ? cache_make_folder(c->folder) : ENOENT;
	if (errnum) {
		log_warning("--cache %s: %s; passed over", c->folder ? c->folder : "(neither XDG_CACHE_HOME nor HOME)",
			    strerror(errnum));
		cache_close(c);
		return NULL;
	}
	look_at_database(c);
	return c;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

void cache_reader_open(struct cache_reader *r, struct cache *c)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *lookup = NULL;
	int rc;

	memset(r, 0, sizeof(*r));
	r->cache = c;
	strbuf_init(&r->record);
	if (!c || !c->readable)
		return;
	rc = cache_connect(c, false, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, "SELECT record FROM files WHERE key = ?1", -1, &lookup, NULL);
	if (rc != SQLITE_OK) {
		fail_database(c, rc);
		sqlite3_finalize(lookup);
		sqlite3_close(db);
		return;
	}
	r->connection = db;
	r->lookup = lookup;
}

void cache_reader_close(struct cache_reader *r)
{
	sqlite3_finalize(r->lookup);
	sqlite3_close(r->connection);
	strbuf_release(&r->record);
	r->connection = r->lookup = NULL;
}

/*
 * Neighbours among inodes are neighbours in the database. Two files of one key only displace each other: the record has
 * both numbers.
 */
static int64_t key_of(const struct stat *st)
{
	return (int64_t)((uint64_t)st->st_ino + (uint64_t)st->st_dev * ((uint64_t)1 << 40 | 1));
}

/* Leaves the lookup at the row: whoever calls resets it. */
static bool look_up(struct cache_reader *r, const struct stat *st, const uint8_t **bytes, size_t *n)
{
	int rc;

	if (!r->connection || atomic_load_explicit(&r->cache->broken, memory_order_relaxed))
		return false;
	sqlite3_bind_int64(r->lookup, 1, key_of(st));
	rc = sqlite3_step(r->lookup);
	if (rc == SQLITE_ROW) {
		*bytes = sqlite3_column_blob(r->lookup, 0);
		*n = (size_t)sqlite3_column_bytes(r->lookup, 0);
		return *bytes != NULL;
	}
	if (rc != SQLITE_DONE)
		fail_database(r->cache, rc);
	return false;
}

bool cache_take(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item)
{
	struct cache *c = r->cache;
	const uint8_t *bytes;
	size_t n;
	bool taken = false, damaged = false;

	if (!c)
		return false;
	if (c->verify || !r->connection)
		return false;
	if (look_up(r, st, &bytes, &n)) {
		const struct sample before = item->sample;
		const struct palette_store palettes = { cache_find_palette, c };

		taken = cache_record_decode(bytes, n, st, &palettes, batch, item, &damaged);
		if (!taken) {
			item->sample = before;
			memset(&item->stats, 0, sizeof(item->stats));
		}
	}
	sqlite3_reset(r->lookup);
	if (damaged) /* the others have checksums of their own, and this one is replaced */
		cache_give_up(c, "a damaged record; measured anew");
	if (taken)
		atomic_fetch_add_explicit(&c->taken, 1, memory_order_relaxed);
	return taken;
}

/* ---- what was measured ------------------------------------------------------------------------------------------ */

static bool is_racy(const struct cache *c, const struct timespec *changed)
{
	return changed->tv_sec > c->began.tv_sec - CACHE_RACY_SECONDS - 1;
}

static void compare_record(struct cache_reader *r, const struct stat *st, const struct sample *sample)
{
	struct cache *c = r->cache;
	const uint8_t *bytes;
	size_t n;

	if (look_up(r, st, &bytes, &n)) {
		struct batch batch;
		struct batch_item *item;
		const struct palette_store palettes = { cache_find_palette, c };
		bool damaged;

		/* A record of another state of the file is only old. */
		batch_init(&batch);
		item = batch_add(&batch);
		bool same_state = cache_record_decode(bytes, n, st, &palettes, &batch, item, &damaged);

		batch_release(&batch);
		if (same_state)
			atomic_fetch_add_explicit(&c->taken, 1, memory_order_relaxed);
		if (damaged || (same_state && (n != r->record.len || memcmp(bytes, r->record.s, n) != 0))) {
			atomic_fetch_add_explicit(&c->differing, 1, memory_order_relaxed);
			log_error("--cache verify: %s: the cache differs from what the file holds", sample->path);
		}
	}
	if (r->lookup)
		sqlite3_reset(r->lookup);
}

/* What depends on the file alone, and not on the memory of the day; as it is, not unpacked. */
static bool is_storable(const struct stat *st, const struct sample *sample)
{
	return sample->format == FORMAT_PNG && sample->file_bytes == (uint64_t)st->st_size &&
	       (sample->status == SAMPLE_READ || sample->fault.kind == FAULT_TRUNCATED ||
		sample->fault.kind == FAULT_CORRUPT);
}

void cache_put(struct cache_reader *r, const struct stat *st, const struct sample *sample,
	       const struct label_stats *stats, const struct id_stats *ids)
{
	struct cache *c = r->cache;

	if (!c || !is_storable(st, sample))
		return;
	atomic_fetch_add_explicit(&c->measured, 1, memory_order_relaxed);
	if (!c->verify && (is_racy(c, &st->st_mtim) || is_racy(c, &st->st_ctim)))
		return;
	strbuf_clear(&r->record);
	cache_record_encode(st, sample, stats, ids, &r->record);
	if (c->verify)
		compare_record(r, st, sample);
	else if (r->record.len <= RECORD_MAX &&
		 (!sample->png.palette_entries || cache_keep_palette(c, (const uint8_t *)sample->png.palette)))
		cache_spool(c, key_of(st), &r->record);
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	cache_finish(c);
	if (c->spool >= 0)
		close(c->spool);
	strbuf_release(&c->pending);
	pthread_mutex_destroy(&c->lock);
	free(c->palettes);
	free(c->folder);
	free(c->file);
	free(c);
}

/* ---- what came of it -------------------------------------------------------------------------------------------- */

enum status cache_verdict(const struct cache *c, struct error *err)
{
	uint64_t differing = atomic_load(&c->differing);

	if (!c->verify || (!differing && !atomic_load(&c->broken)))
		return STATUS_OK;
	if (!differing)
		return error_set(err, "--cache verify: %s is damaged; an audit with --cache makes it anew", c->file);
	return error_set(err, "--cache verify: %llu file%s, see above; remove %s", (unsigned long long)differing,
			 differing == 1 ? " differs" : "s differ", c->file);
}

void cache_summary(const struct cache *c, struct strbuf *out)
{
	strbuf_adds(out, "cache: ");
	strbuf_add_u64(out, atomic_load(&c->taken));
	strbuf_addf(out, " files %s, ", c->verify ? "compared" : "unchanged");
	strbuf_add_u64(out, atomic_load(&c->measured));
	strbuf_adds(out, " measured; ");
	escape_terminal(out, c->file, strlen(c->file));
}
