#include "cache/cache_db.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"

/* 0x6c616263, "labc": file(1) can distinguish it from other databases, too. */
#define APPLICATION_ID "1818321507"

/*
 * A larger database is not opened, but made anew; nor does this program make it larger: seven million masks. Files that
 * are gone leave their records in it.
 */
#define DATABASE_BYTES_MAX ((int64_t)2 << 30)
/* Records, without what SQLite adds to each. */
#define RECORD_BYTES_MAX (DATABASE_BYTES_MAX / 4 * 3)

enum { SPOOL_BUFFER = 256 << 10 };

/* How long to wait while another process writes. */
enum { READ_WAIT_MS = 1000, WRITE_WAIT_MS = 5000 };

/* 4 MiB, an eighth of a worker's 32 MiB. */
#define CONNECTION_PAGES "PRAGMA cache_size = -4096"

void cache_db_give_up(struct cache_db *db, const char *why)
{
	if (!atomic_exchange(&db->warned, true))
		log_warning("--cache %s: %s", db->file, why);
}

void cache_db_fail(struct cache_db *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		cache_db_give_up(db, "another process is writing to it; not used");
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
		atomic_store(&db->broken, true);
		cache_db_give_up(db, "damaged; rebuilt");
		break;
	default:
		cache_db_give_up(db, sqlite3_errstr(rc));
	}
}

/* ---- SQLite's files ---------------------------------------------------------------------------------------------- */

static sqlite3_vfs vfs;

/* The default resolves all links, which would lose the descriptor in /proc/self/fd/N. */
static int keep_path(sqlite3_vfs *self, const char *path, int size, char *out)
{
	size_t n = strlen(path) + 1;

	(void)self;
	if (n > (size_t)size)
		return SQLITE_CANTOPEN;
	memcpy(out, path, n);
	return SQLITE_OK;
}

/* Without memory SQLite has no default, and `vfs` stays as it is. */
static void register_vfs(void)
{
	const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	if (!usual)
		return;
	vfs = *usual;
	vfs.pNext = NULL;
	vfs.zName = "labelaudit";
	vfs.xFullPathname = keep_path;
	sqlite3_vfs_register(&vfs, 0);
}

/* ---- connections and schema ------------------------------------------------------------------------------------- */

int cache_db_connect(const struct cache_db *db, bool write, sqlite3 **out)
{
	int mode = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	int rc = vfs.zName ? sqlite3_open_v2(db->path, out, SQLITE_OPEN_NOMUTEX | mode, vfs.zName) : SQLITE_NOMEM;

	if (rc == SQLITE_OK) {
		sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_limit(*out, SQLITE_LIMIT_LENGTH, RECORD_MAX + 4096);
		sqlite3_busy_timeout(*out, write ? WRITE_WAIT_MS : READ_WAIT_MS);
		rc = sqlite3_exec(*out, CONNECTION_PAGES, NULL, NULL, NULL);
	}
	return rc;
}

/*
 * Returns SQLITE_CORRUPT if it is another kind of database. Our names must be real tables: a view in a planted database
 * could run arbitrary SQL.
 */
static int check_schema(sqlite3 *connection)
{
	static const char tables[] =
		"SELECT count(*) FROM pragma_application_id, sqlite_master WHERE application_id = " APPLICATION_ID
		" AND type = 'table' AND name = 'files'";
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(connection, tables, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		rc = sqlite3_column_int(stmt, 0) == 1 ? SQLITE_OK : SQLITE_CORRUPT;
	sqlite3_finalize(stmt);
	return rc;
}

/* Creates what is missing, in a transaction that the caller commits. */
static int begin_write(sqlite3 *connection)
{
	static const char schema[] =
		"BEGIN IMMEDIATE;"
		"PRAGMA application_id = " APPLICATION_ID ";"
		"CREATE TABLE IF NOT EXISTS files (key INTEGER PRIMARY KEY, record BLOB NOT NULL);";
	int rc = sqlite3_exec(connection, schema, NULL, NULL, NULL);

	return rc == SQLITE_OK ? check_schema(connection) : rc;
}

/* Runs a statement whose parameters are a key and a blob. */
static int insert(sqlite3_stmt *stmt, int64_t key, const void *blob, size_t n)
{
	sqlite3_bind_int64(stmt, 1, key);
	sqlite3_bind_blob(stmt, 2, blob, (int)n, SQLITE_STATIC);
	sqlite3_step(stmt);
	return sqlite3_reset(stmt);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static bool has_journal(const struct cache_db *db)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%s-journal", db->path);
	bool there = lstat(path.s, &st) == 0 && S_ISREG(st.st_mode);

	strbuf_release(&path);
	return there;
}

/* Returns why the file must not be used; NULL: it may be, or is absent. */
static const char *refusal(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return "not a file of this user; not used";
	if (GUARD(cache_file_for_all, st.st_mode & (S_IWGRP | S_IWOTH)))
		return "others can write to it; not used";
	return NULL;
}

/*
 * Returns whether the file and its journals are absent or ours alone. If not, warns and refuses the database. In a
 * folder that only this user and root can write to, nobody can make this untrue between the check and the use.
 */
static bool is_ours(struct cache_db *db)
{
	/* The suffixes of files that SQLite opens besides the database; -wal and -shm if its header says so. */
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };
	struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && !db->refused; i++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s%s", db->path, suffixes[i]);
		const char *why = refusal(path.s);

		if (!why)
			continue;
		db->refused = true;
		if (!atomic_exchange(&db->warned, true))
			log_warning("--cache %s%s: %s", db->file, suffixes[i], why);
	}
	strbuf_release(&path);
	return !db->refused;
}

static void probe(struct cache_db *db)
{
	struct stat st;
	sqlite3 *connection = NULL;
	int rc;

	if (!is_ours(db))
		return;
	if (lstat(db->path, &st) < 0 || !st.st_size)
		return;
	if (GUARD(database_too_large, st.st_size > DATABASE_BYTES_MAX)) {
		atomic_store(&db->broken, true);
		return;
	}
	/* A journal is of a process that was killed while it wrote; only a writer can roll it back. */
	rc = cache_db_connect(db, has_journal(db), &connection);
	if (rc == SQLITE_OK)
		rc = check_schema(connection);
	sqlite3_close(connection);
	db->readable = rc == SQLITE_OK;
	if (rc != SQLITE_OK)
		cache_db_fail(db, rc);
}

void cache_db_open(struct cache_db *db, const char *shown, const char *folder, const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct strbuf path = STRBUF_INIT;

	pthread_once(&once, register_vfs);
	memset(db, 0, sizeof(*db));
	strbuf_addf(&path, "%s/%s", shown, name);
	db->file = xmemdup0(path.s, path.len);
	strbuf_clear(&path);
	strbuf_addf(&path, "%s/%s", folder, name);
	db->path = xmemdup0(path.s, path.len);
	strbuf_release(&path);
	probe(db);
}

void cache_db_release(struct cache_db *db)
{
	free(db->file);
	free(db->path);
}

/* ---- the spool -------------------------------------------------------------------------------------------------- */

/* Under the lock. */
static void flush_pending(struct cache_spool *s)
{
	if (s->fd < 0)
		s->fd = open_unnamed(s->folder);
	if (s->fd < 0 || !write_all(s->fd, s->pending.s, s->pending.len)) {
		cache_db_give_up(s->db, strerror(errno));
		s->records = 0;
		s->failed = true;
	}
	strbuf_clear(&s->pending);
}

void cache_spool_init(struct cache_spool *s, struct cache_db *db, const char *folder)
{
	*s = (struct cache_spool){ .db = db, .folder = folder, .fd = -1 };
	strbuf_init(&s->pending);
	pthread_mutex_init(&s->lock, NULL);
}

/* Under the lock. */
static void add(struct cache_spool *s, int64_t key, const void *record, size_t n)
{
	const uint32_t length = (uint32_t)n;

	strbuf_add(&s->pending, &key, sizeof(key));
	strbuf_add(&s->pending, &length, sizeof(length));
	strbuf_add(&s->pending, record, n);
	s->records++;
	if (s->pending.len >= SPOOL_BUFFER)
		flush_pending(s);
}

void cache_spool_add(struct cache_spool *s, int64_t key, const struct strbuf *record, const uint8_t *palette)
{
	const int64_t id = palette ? cache_palette_id(palette) : 0;

	pthread_mutex_lock(&s->lock);
	if (!s->failed && palette && id != s->palette) {
		add(s, id, palette, PALETTE_BYTES);
		s->palette = id;
	}
	if (!s->failed)
		add(s, key, record->s, record->len);
	pthread_mutex_unlock(&s->lock);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int insert_records(struct cache_spool *s, sqlite3 *connection)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(connection, "INSERT OR REPLACE INTO files VALUES (?1, ?2)", -1, &stmt, NULL);
	FILE *in = fdopen(s->fd, "rb");
	uint8_t *record = xmalloc(RECORD_MAX);

	if (in) {
		s->fd = -1;
		rewind(in);
	} else {
		rc = SQLITE_IOERR;
	}
	for (uint64_t i = 0, bytes = 0; rc == SQLITE_OK && i < s->records && bytes < RECORD_BYTES_MAX; i++) {
		int64_t key;
		uint32_t n;

		if (fread(&key, sizeof(key), 1, in) != 1 || fread(&n, sizeof(n), 1, in) != 1 || n > RECORD_MAX ||
		    fread(record, 1, n, in) != n) {
			rc = SQLITE_IOERR;
			break;
		}
		rc = insert(stmt, key, record, n);
		bytes += n + sizeof(key);
	}
	free(record);
	if (in)
		fclose(in);
	sqlite3_finalize(stmt);
	return rc;
}

static int write_database(struct cache_spool *s)
{
	sqlite3 *connection = NULL;
	int rc = cache_db_connect(s->db, true, &connection);

	if (rc == SQLITE_OK)
		rc = begin_write(connection);
	if (rc == SQLITE_OK)
		rc = insert_records(s, connection);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(connection);
	return rc;
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

/* Writes CACHEDIR.TAG, by which backups leave the folder out (https://bford.info/cachedir/). */
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
	/* If this fails, only the hint is lost. */
	(void)write_all(fd, text, sizeof(text) - 1);
	close(fd);
}

static bool is_database(const char *name)
{
	static const char prefix[] = "labelaudit-", suffix[] = ".sqlite";
	size_t n = strlen(name);

	return n == sizeof(prefix) - 1 + 32 + sizeof(suffix) - 1 && !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       !strcmp(name + n - (sizeof(suffix) - 1), suffix);
}

/* Removes the database and its journal. */
static void remove_database(const char *path)
{
	struct strbuf journal = STRBUF_INIT;

	strbuf_addf(&journal, "%s-journal", path);
	unlink(journal.s);
	unlink(path);
	strbuf_release(&journal);
}

/* Removes the least recently used database if there are too many. */
static void prune(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	struct strbuf oldest = STRBUF_INIT, path = STRBUF_INIT;
	struct timespec when = { 0, 0 };
	size_t count = 0;

	while (dir && (e = readdir(dir))) {
		struct stat st;

		if (!is_database(e->d_name))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", folder, e->d_name);
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

/* Creates the file, readable by nobody else, before SQLite creates it by the umask. */
static bool prepare_file(struct cache_spool *s)
{
	int fd;

	if (atomic_load(&s->db->broken))
		remove_database(s->db->path);
	fd = open(s->db->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0) {
		cache_db_give_up(s->db, strerror(errno));
		return false;
	}
	close(fd);
	write_tag(s->folder);
	return true;
}

/* Returns whether the new records would make the database larger than it may be. */
static bool would_be_too_large(const struct cache_spool *s)
{
	struct stat database, spool;

	return lstat(s->db->path, &database) == 0 && fstat(s->fd, &spool) == 0 &&
	       database.st_size + spool.st_size > RECORD_BYTES_MAX;
}

static void write_all_records(struct cache_spool *s)
{
	struct cache_db *db = s->db;
	int rc;

	if (!is_ours(db))
		return;
	if (s->pending.len)
		flush_pending(s);
	if (!s->records && !atomic_load(&db->broken)) {
		if (db->readable)
			utimensat(AT_FDCWD, db->path, NULL, 0); /* used now */
		return;
	}
	if (!s->records) {
		remove_database(db->path);
		return;
	}
	if (would_be_too_large(s))
		remove_database(db->path);
	if (!prepare_file(s))
		return;
	rc = write_database(s);
	if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
		remove_database(db->path);
	if (rc != SQLITE_OK)
		cache_db_give_up(db, sqlite3_errstr(rc));
	prune(s->folder);
}

void cache_spool_finish(struct cache_spool *s)
{
	write_all_records(s);
	if (s->fd >= 0)
		close(s->fd);
	strbuf_release(&s->pending);
	pthread_mutex_destroy(&s->lock);
}
