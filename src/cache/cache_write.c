#include "cache/cache_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/write_all.h"

enum { SPOOL_BUFFER = 256 << 10 };

/* ---- the spool -------------------------------------------------------------------------------------------------- */

/* Opens a file without a name, which is gone when the process ends, however that happens. */
static int open_spool(const char *folder)
{
	struct strbuf name = STRBUF_INIT;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) { /* a file system without O_TMPFILE */
		strbuf_addf(&name, "%s/.labelaudit-spool-XXXXXX", folder);
		fd = mkostemp(name.s, O_CLOEXEC);
		if (fd >= 0)
			unlink(name.s);
		strbuf_release(&name);
	}
	return fd;
}

/* Under the lock. */
static void flush_pending(struct cache_spool *s)
{
	if (s->fd < 0)
		s->fd = open_spool(s->folder);
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

void cache_spool_add(struct cache_spool *s, int64_t key, const struct strbuf *record)
{
	uint32_t n = (uint32_t)record->len;

	pthread_mutex_lock(&s->lock);
	if (!s->failed) {
		strbuf_add(&s->pending, &key, sizeof(key));
		strbuf_add(&s->pending, &n, sizeof(n));
		strbuf_add(&s->pending, record->s, record->len);
		s->records++;
		if (s->pending.len >= SPOOL_BUFFER)
			flush_pending(s);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- the database ----------------------------------------------------------------------------------------------- */

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
	for (uint64_t i = 0; rc == SQLITE_OK && i < s->records; i++) {
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

static int write_database(struct cache_spool *s)
{
	sqlite3 *connection = NULL;
	int rc = cache_db_connect(s->db, true, &connection);

	if (rc == SQLITE_OK)
		rc = cache_db_begin_write(connection);
	if (rc == SQLITE_OK)
		rc = cache_db_store_palettes(s->db, connection);
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
		cache_db_remove(oldest.s);
	strbuf_release(&oldest);
	strbuf_release(&path);
}

/* Creates the file, readable by nobody else, before SQLite creates it by the umask. */
static bool prepare_file(struct cache_spool *s)
{
	int fd;

	if (atomic_load(&s->db->broken))
		cache_db_remove(s->db->path);
	fd = open(s->db->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0) {
		cache_db_give_up(s->db, strerror(errno));
		return false;
	}
	close(fd);
	write_tag(s->folder);
	return true;
}

static void write_all_records(struct cache_spool *s)
{
	struct cache_db *db = s->db;
	int rc;

	if (!cache_db_is_ours(db))
		return;
	if (s->pending.len)
		flush_pending(s);
	if (db->verify || (!s->records && !atomic_load(&db->broken))) {
		if (db->readable)
			utimensat(AT_FDCWD, db->path, NULL, 0); /* used now */
		return;
	}
	if (!s->records) {
		cache_db_remove(db->path);
		return;
	}
	if (!prepare_file(s))
		return;
	rc = write_database(s);
	if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
		cache_db_remove(db->path);
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
