#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/version.h"
#include "cache_record.h"

/* "labc"; told from other databases by file(1), too. */
enum { APPLICATION_ID = 0x6c616263 };

/* A record is a few hundred bytes; a mask of 65536 ids takes 2 MiB. Palettes: a set has a handful. */
enum { RECORD_MAX = 8 << 20, PALETTES_MAX = 1024, SPOOL_BUFFER = 256 << 10 };

/* Beyond this it is thrown away and made anew: files that are gone leave their records behind. */
#define DATABASE_BYTES_MAX ((int64_t)8 << 30)

/* How long somebody else's writing is waited for. */
enum { READ_WAIT_MS = 1000, WRITE_WAIT_MS = 5000 };

/* An eighth of a worker's 32 MiB. */
#define CONNECTION_PAGES "PRAGMA cache_size = -4096"

struct palette {
	int64_t id;
	uint8_t rgb[PALETTE_BYTES];
};

struct cache {
	char *folder, *file; /* owned */
	bool verify;
	bool readable; /* the database was there and looked sound when it was opened */
	struct timespec began;
	atomic_bool broken, warned;
	atomic_uint_fast64_t measured, taken, differing;

	pthread_mutex_t lock;
	/* under the lock */
	struct palette *palettes; /* PALETTES_MAX; only ever added to; owned */
	size_t palettes_stored;   /* those are in the database */
	int spool;                /* -1: none */
	bool spool_failed;
	struct strbuf pending; /* not in the spool so far */
	uint64_t spooled;      /* records */

	atomic_size_t palettes_count;
};

/* One warning for all that can go wrong: a cache is a help, not a result. */
static void give_up(struct cache *c, const char *why)
{
	if (!atomic_exchange(&c->warned, true))
		log_warning("--cache %s: %s", c->file, why);
}

/* ---- where it is ------------------------------------------------------------------------------------------------ */

static bool has_tag(const char *folder)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%s/CACHEDIR.TAG", folder);
	bool there = stat(path.s, &st) == 0;

	strbuf_release(&path);
	return there;
}

bool cache_is_folder(const char *word)
{
	struct stat st;
	const struct dirent *e;
	bool empty = true;

	if (stat(word, &st) < 0)
		return errno == ENOENT;
	if (!S_ISDIR(st.st_mode))
		return false;
	if (has_tag(word))
		return true;
	DIR *dir = opendir(word);

	while (dir && empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return dir && empty;
}

/* XDG Base Directory Specification: relative paths there are to be ignored. */
static char *usual_folder(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct strbuf out = STRBUF_INIT;
	char *folder = NULL;

	if (xdg && xdg[0] == '/')
		strbuf_addf(&out, "%s/labelaudit", xdg);
	else if (home && home[0] == '/')
		strbuf_addf(&out, "%s/.cache/labelaudit", home);
	if (out.len)
		folder = xmemdup0(out.s, out.len);
	strbuf_release(&out);
	return folder;
}

/* With those above it. 0 or errno. */
static int make_folder(const char *folder)
{
	char *path = xstrdup(folder);
	int errnum = 0;

	for (char *p = path + 1; !errnum && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			errnum = errno;
		*p = '/';
	}
	if (!errnum && mkdir(path, 0700) < 0 && errno != EEXIST)
		errnum = errno;
	free(path);
	return errnum;
}

/* https://bford.info/cachedir/: backups leave such folders out. */
static void write_tag(const char *folder)
{
	static const char text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
				   "# Results of labelaudit --cache. May be deleted at any time.\n";
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/CACHEDIR.TAG", folder);
	int fd = open(path.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	strbuf_release(&path);
	if (fd < 0)
		return;
	/* without it, nothing is lost but the hint */
	ssize_t n = write(fd, text, sizeof(text) - 1);

	(void)n;
	close(fd);
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
static const uint8_t *find_palette(void *context, int64_t id)
{
	const struct cache *c = context;
	size_t count = atomic_load_explicit(&c->palettes_count, memory_order_acquire);

	for (size_t i = 0; i < count; i++)
		if (c->palettes[i].id == id)
			return c->palettes[i].rgb;
	return NULL;
}

/* False: there are too many. */
static bool keep_palette(struct cache *c, const uint8_t *rgb)
{
	int64_t id = cache_palette_id(rgb);
	size_t count;
	bool kept;

	if (find_palette(c, id))
		return true;
	pthread_mutex_lock(&c->lock);
	count = atomic_load(&c->palettes_count);
	kept = find_palette(c, id) || count < PALETTES_MAX;
	if (kept && !find_palette(c, id)) {
		c->palettes[count].id = id;
		memcpy(c->palettes[count].rgb, rgb, PALETTE_BYTES);
		atomic_store_explicit(&c->palettes_count, count + 1, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return kept;
}

/* ---- the database ----------------------------------------------------------------------------------------------- */

static void fail_database(struct cache *c, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		give_up(c, "another process writes to it; passed over");
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
		atomic_store(&c->broken, true);
		give_up(c, c->verify ? "damaged" : "damaged; made anew");
		break;
	default:
		give_up(c, sqlite3_errstr(rc));
	}
}

/* The file may be anybody's work: nothing in its schema is run. */
static int open_database(const struct cache *c, bool write, sqlite3 **out)
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
static int check_schema(sqlite3 *db)
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
	c->palettes_stored = count;
	atomic_store(&c->palettes_count, count);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* Opens it once, to see whether it is one. */
static void look_at_database(struct cache *c)
{
	struct stat st;
	sqlite3 *db = NULL;
	int rc;

	if (lstat(c->file, &st) < 0 || (S_ISREG(st.st_mode) && !st.st_size)) {
		if (c->verify)
			give_up(c, "nothing was measured with these settings so far");
		return;
	}
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		give_up(c, "not a file of this user; passed over");
		return;
	}
	if (st.st_size > DATABASE_BYTES_MAX) {
		atomic_store(&c->broken, true);
		return;
	}
	rc = open_database(c, false, &db);
	if (rc == SQLITE_OK)
		rc = check_schema(db);
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
	c->folder = folder ? xstrdup(folder) : usual_folder();
	make_digest(settings, digest);
	strbuf_addf(&name, "%s/labelaudit-%.32s.sqlite", c->folder ? c->folder : "", digest);
	c->file = xmemdup0(name.s, name.len);
	strbuf_release(&name);
	errnum = c->folder ? make_folder(c->folder) : ENOENT;
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
	rc = open_database(c, false, &db);
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
		const struct palette_store palettes = { find_palette, c };

		taken = cache_record_decode(bytes, n, st, &palettes, batch, item, &damaged);
		if (!taken) {
			item->sample = before;
			memset(&item->stats, 0, sizeof(item->stats));
		}
	}
	sqlite3_reset(r->lookup);
	if (damaged) /* the others have checksums of their own, and this one is replaced */
		give_up(c, "a damaged record; measured anew");
	if (taken)
		atomic_fetch_add_explicit(&c->taken, 1, memory_order_relaxed);
	return taken;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static bool is_racy(const struct cache *c, const struct timespec *changed)
{
	return changed->tv_sec > c->began.tv_sec - CACHE_RACY_SECONDS - 1;
}

/* Nameless: gone with the process, however that ends. */
static int open_spool(const char *folder)
{
	struct strbuf name = STRBUF_INIT;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) { /* a file system that has none */
		strbuf_addf(&name, "%s/.labelaudit-spool-XXXXXX", folder);
		fd = mkostemp(name.s, O_CLOEXEC);
		if (fd >= 0)
			unlink(name.s);
		strbuf_release(&name);
	}
	return fd;
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* Under the lock. After a failure nothing more is spooled, and nothing will be written. */
static void flush_pending(struct cache *c)
{
	if (c->spool < 0)
		c->spool = open_spool(c->folder);
	if (c->spool < 0 || !write_all(c->spool, c->pending.s, c->pending.len)) {
		give_up(c, strerror(errno));
		c->spooled = 0;
		c->spool_failed = true;
	}
	strbuf_clear(&c->pending);
}

static void spool(struct cache *c, int64_t key, const struct strbuf *record)
{
	uint32_t n = (uint32_t)record->len;

	pthread_mutex_lock(&c->lock);
	if (!c->spool_failed) {
		strbuf_add(&c->pending, &key, sizeof(key));
		strbuf_add(&c->pending, &n, sizeof(n));
		strbuf_add(&c->pending, record->s, record->len);
		c->spooled++;
		if (c->pending.len >= SPOOL_BUFFER)
			flush_pending(c);
	}
	pthread_mutex_unlock(&c->lock);
}

static void compare_record(struct cache_reader *r, const struct stat *st, const struct sample *sample)
{
	struct cache *c = r->cache;
	const uint8_t *bytes;
	size_t n;

	if (look_up(r, st, &bytes, &n)) {
		struct batch batch;
		struct batch_item *item;
		const struct palette_store palettes = { find_palette, c };
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
		 (!sample->png.palette_entries || keep_palette(c, (const uint8_t *)sample->png.palette)))
		spool(c, key_of(st), &r->record);
}

static int insert_palettes(struct cache *c, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO palettes VALUES (?1, ?2)", -1, &stmt, NULL);
	size_t count = atomic_load(&c->palettes_count);

	for (size_t i = 0; rc == SQLITE_OK && i < count; i++) {
		sqlite3_bind_int64(stmt, 1, c->palettes[i].id);
		sqlite3_bind_blob(stmt, 2, c->palettes[i].rgb, PALETTE_BYTES, SQLITE_STATIC);
		sqlite3_step(stmt);
		rc = sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	return rc;
}

static int insert_records(struct cache *c, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO files VALUES (?1, ?2)", -1, &stmt, NULL);
	FILE *in = fdopen(c->spool, "rb");
	uint8_t *record = xmalloc(RECORD_MAX);

	if (in) {
		c->spool = -1;
		rewind(in);
	} else {
		rc = SQLITE_IOERR;
	}
	for (uint64_t i = 0; rc == SQLITE_OK && i < c->spooled; i++) {
		int64_t key;
		uint32_t n;

		if (fread(&key, sizeof(key), 1, in) != 1 || fread(&n, sizeof(n), 1, in) != 1 || n > RECORD_MAX ||
		    fread(record, 1, n, in) != n) {
			rc = SQLITE_IOERR;
			break;
		}
		sqlite3_bind_int64(stmt, 1, key);
		sqlite3_bind_blob(stmt, 2, record, (int)n, SQLITE_STATIC);
		sqlite3_step(stmt);
		rc = sqlite3_reset(stmt);
	}
	free(record);
	if (in)
		fclose(in);
	sqlite3_finalize(stmt);
	return rc;
}

static int write_database(struct cache *c)
{
	static const char schema[] = "BEGIN IMMEDIATE;"
				     "PRAGMA application_id = 1818321507;" /* APPLICATION_ID */
				     "CREATE TABLE IF NOT EXISTS files (key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
				     "CREATE TABLE IF NOT EXISTS palettes (id INTEGER PRIMARY KEY, rgb BLOB NOT NULL);";
	sqlite3 *db = NULL;
	int rc = open_database(c, true, &db);

	_Static_assert(APPLICATION_ID == 1818321507, "as in the schema");
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, schema, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = check_schema(db);
	if (rc == SQLITE_OK)
		rc = insert_palettes(c, db);
	if (rc == SQLITE_OK)
		rc = insert_records(c, db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	return rc;
}

static void remove_database(const char *file)
{
	struct strbuf journal = STRBUF_INIT;

	strbuf_addf(&journal, "%s-journal", file);
	unlink(journal.s);
	unlink(file);
	strbuf_release(&journal);
}

static bool is_database(const char *name)
{
	static const char prefix[] = "labelaudit-", suffix[] = ".sqlite";
	size_t n = strlen(name);

	return n == sizeof(prefix) - 1 + 32 + sizeof(suffix) - 1 && !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       !strcmp(name + n - (sizeof(suffix) - 1), suffix);
}

/* Removes the database that was not used for the longest time, if there are too many. */
static void prune(const struct cache *c)
{
	DIR *dir = opendir(c->folder);
	const struct dirent *e;
	struct strbuf oldest = STRBUF_INIT, path = STRBUF_INIT;
	struct timespec when = { 0, 0 };
	size_t count = 0;

	while (dir && (e = readdir(dir))) {
		struct stat st;

		if (!is_database(e->d_name))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", c->folder, e->d_name);
		if (lstat(path.s, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (!count++ || st.st_mtim.tv_sec < when.tv_sec ||
		    (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec < when.tv_nsec)) {
			when = st.st_mtim;
			strbuf_clear(&oldest);
			strbuf_add(&oldest, path.s, path.len);
		}
	}
	if (dir)
		closedir(dir);
	if (count > CACHE_FILES_MAX)
		remove_database(oldest.s);
	strbuf_release(&oldest);
	strbuf_release(&path);
}

/* An own file, readable by nobody else, before SQLite makes one by the umask. */
static bool prepare_file(struct cache *c)
{
	int fd;

	if (atomic_load(&c->broken))
		remove_database(c->file);
	fd = open(c->file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0) {
		give_up(c, strerror(errno));
		return false;
	}
	close(fd);
	write_tag(c->folder);
	return true;
}

static void finish(struct cache *c)
{
	int rc;

	if (c->pending.len)
		flush_pending(c);
	if (c->verify || (!c->spooled && !atomic_load(&c->broken))) {
		if (c->readable)
			utimensat(AT_FDCWD, c->file, NULL, 0); /* used now */
		return;
	}
	if (!c->spooled) {
		remove_database(c->file);
		return;
	}
	if (!prepare_file(c))
		return;
	rc = write_database(c);
	if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
		remove_database(c->file);
	if (rc != SQLITE_OK)
		give_up(c, sqlite3_errstr(rc));
	prune(c);
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	finish(c);
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
