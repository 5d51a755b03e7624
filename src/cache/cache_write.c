/*
 * Writing the cache: records are spooled while workers measure, and inserted in one transaction when all are done; then
 * the folder is tidied.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/write_all.h"
#include "cache/cache_parts.h"

enum { SPOOL_BUFFER = 256 << 10 };

bool cache_keep_palette(struct cache *c, const uint8_t *rgb)
{
	int64_t id = cache_palette_id(rgb);
	size_t count;
	bool kept;

	if (cache_find_palette(c, id))
		return true;
	pthread_mutex_lock(&c->lock);
	count = atomic_load(&c->palettes_count);
	kept = cache_find_palette(c, id) || count < PALETTES_MAX;
	if (kept && !cache_find_palette(c, id)) {
		c->palettes[count].id = id;
		memcpy(c->palettes[count].rgb, rgb, PALETTE_BYTES);
		atomic_store_explicit(&c->palettes_count, count + 1, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return kept;
}

/* ---- the spool -------------------------------------------------------------------------------------------------- */

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

/* Under the lock. After a failure nothing more is spooled, and nothing will be written. */
static void flush_pending(struct cache *c)
{
	if (c->spool < 0)
		c->spool = open_spool(c->folder);
	if (c->spool < 0 || !write_all(c->spool, c->pending.s, c->pending.len)) {
		cache_give_up(c, strerror(errno));
		c->spooled = 0;
		c->spool_failed = true;
	}
	strbuf_clear(&c->pending);
}

void cache_spool(struct cache *c, int64_t key, const struct strbuf *record)
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

/* ---- the database ----------------------------------------------------------------------------------------------- */

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
	int rc = cache_connect(c, true, &db);

	_Static_assert(APPLICATION_ID == 1818321507, "as in the schema");
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, schema, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = cache_check_schema(db);
	if (rc == SQLITE_OK)
		rc = insert_palettes(c, db);
	if (rc == SQLITE_OK)
		rc = insert_records(c, db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	return rc;
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

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
	(void)write_all(fd, text, sizeof(text) - 1);
	close(fd);
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
		cache_give_up(c, strerror(errno));
		return false;
	}
	close(fd);
	write_tag(c->folder);
	return true;
}

void cache_finish(struct cache *c)
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
		cache_give_up(c, sqlite3_errstr(rc));
	prune(c);
}
