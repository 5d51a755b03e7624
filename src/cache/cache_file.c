#include "cache/cache_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "platform/platform.h"

enum {
	BUFFER = 256 << 10,
	HEADER_BYTES = 16,
	LEFT_SECONDS = 3600, /* a file that was to be renamed is left by a process that was killed */
};

static const char magic[8] = { 'l', 'a', 'b', 'c', 'a', 'c', 'h', 'e' };

void cache_file_give_up(struct cache_file *f, const char *why)
{
	if (!atomic_exchange(&f->warned, true))
		log_warning("--cache %s: %s", f->shown, why);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the keys from the i-th on, with where the last one ends. Returns false if these cannot be. */
static bool read_block(const struct cache_file *f, uint64_t first, struct cache_block *out)
{
	out->first = first;
	out->n = (size_t)MIN(f->count - first, (uint64_t)CACHE_BLOCK);
	const size_t bytes = (out->n + 1) * sizeof(out->v[0]);
	bool right = pread_all(f->fd, out->v, bytes, HEADER_BYTES + first * sizeof(out->v[0])) == (int64_t)bytes &&
		     out->v[out->n].at <= f->end;

	for (size_t i = 0; i < out->n && right; i++)
		right = out->v[i].at <= out->v[i + 1].at && out->v[i + 1].at - out->v[i].at <= RECORD_MAX;
	out->n = right ? out->n : 0;
	return right;
}

/* Returns why the file must not be used; NULL: it may be. */
static const char *refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid())
		return "not a file of this user; not used";
	if (GUARD(cache_file_for_all, st->st_mode & (S_IWGRP | S_IWOTH)))
		return "others can write to it; not used";
	return NULL;
}

/* Reads the header of an open file. Returns false if it is none of ours, or damaged. */
static bool read_header(struct cache_file *f, uint64_t size)
{
	uint8_t header[HEADER_BYTES];
	struct cache_key last;

	f->end = size;
	if (GUARD(database_too_large, size > CACHE_FILE_BYTES_MAX) ||
	    pread_all(f->fd, header, sizeof(header), 0) != (int64_t)sizeof(header) ||
	    memcmp(header, magic, sizeof(magic)) != 0)
		return false;
	memcpy(&f->count, header + sizeof(magic), sizeof(f->count));
	return f->count <= CACHE_RECORDS_MAX &&
	       pread_all(f->fd, &last, sizeof(last), HEADER_BYTES + f->count * sizeof(last)) == (int64_t)sizeof(last) &&
	       last.key == INT64_MAX && last.at == size;
}

static void close_file(struct cache_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->count = 0;
}

/* Opens the file, if there is one that may be used. */
static void open_file(struct cache_file *f)
{
	struct stat st;

	if (fstatat(f->folder_fd, f->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	const char *why = refusal(&st);

	f->refused = why;
	if (why)
		cache_file_give_up(f, why);
	else if (st.st_size)
		f->fd = openat(f->folder_fd, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0 || (fstat(f->fd, &st) == 0 && read_header(f, (uint64_t)st.st_size)))
		return;
	close_file(f);
	cache_file_give_up(f, "damaged; rebuilt");
}

void cache_file_open(struct cache_file *f, int folder_fd, const char *shown, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	*f = (struct cache_file){ .folder_fd = folder_fd, .fd = -1, .spool_fd = -1, .pending = STRBUF_INIT };
	strbuf_addf(&path, "%s/%s", shown, name);
	f->shown = strbuf_detach(&path);
	f->name = f->shown + strlen(shown) + 1;
	pthread_mutex_init(&f->lock, NULL);
	open_file(f);
}

/* Moves the block to where a key would be. Returns false if that cannot be read. */
static bool find_block(const struct cache_file *f, struct cache_block *b, int64_t key)
{
	uint64_t lo = 0, hi = f->count;

	if (b->n && key >= b->v[0].key && key <= b->v[b->n - 1].key)
		return true;
	while (hi - lo > CACHE_BLOCK) {
		const uint64_t middle = lo + (hi - lo) / 2;
		struct cache_key one;

		if (pread_all(f->fd, &one, sizeof(one), HEADER_BYTES + middle * sizeof(one)) != (int64_t)sizeof(one))
			return false;
		*(one.key <= key ? &lo : &hi) = middle;
	}
	return read_block(f, lo, b);
}

bool cache_file_find(struct cache_file *f, struct cache_block *b, int64_t key)
{
	size_t lo = 0;

	if (f->fd < 0 || !f->count)
		return false;
	if (!find_block(f, b, key)) {
		cache_file_give_up(f, "damaged; rebuilt");
		return false;
	}
	for (size_t hi = b->n; lo < hi;) {
		const size_t middle = lo + (hi - lo) / 2;

		if (b->v[middle].key < key)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo == b->n || b->v[lo].key != key)
		return false;
	b->record_n = (size_t)(b->v[lo + 1].at - b->v[lo].at);
	GROW(b->record, b->record_cap, b->record_n);
	return pread_all(f->fd, b->record, b->record_n, b->v[lo].at) == (int64_t)b->record_n;
}

/* ---- new records ------------------------------------------------------------------------------------------------- */

/* Under the lock. */
static void flush_pending(struct cache_file *f)
{
	if (f->spool_fd < 0)
		f->spool_fd = open_unnamed(platform_fd_path(f->folder_fd).s);
	if (f->spool_fd < 0 || !write_all(f->spool_fd, f->pending.s, f->pending.len)) {
		cache_file_give_up(f, strerror(errno));
		f->failed = true;
	}
	strbuf_clear(&f->pending);
}

void cache_file_add(struct cache_file *f, int64_t key, const struct strbuf *record)
{
	pthread_mutex_lock(&f->lock);
	if (!f->failed && !f->refused && f->v_count < CACHE_RECORDS_NEW &&
	    f->spooled_bytes < CACHE_FILE_BYTES_MAX / 2) {
		GROW(f->v, f->v_cap, f->v_count + 1);
		f->v[f->v_count] =
			(struct cache_spooled){ key, f->spooled_bytes, (uint32_t)record->len, (uint32_t)f->v_count };
		f->v_count++;
		f->spooled_bytes += record->len;
		strbuf_add(&f->pending, record->s, record->len);
		if (f->pending.len >= BUFFER)
			flush_pending(f);
	}
	pthread_mutex_unlock(&f->lock);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int compare_spooled(const void *pa, const void *pb)
{
	const struct cache_spooled *a = pa, *b = pb;

	return a->key != b->key ? (a->key < b->key ? -1 : 1) : a->number < b->number ? -1 : a->number > b->number;
}

/* A file on its way: its three parts are gone through one after the other. */
struct writing {
	struct cache_file *f;
	FILE *out;
	uint64_t count, at; /* records; the end of them */
	uint8_t *bytes;     /* RECORD_MAX */
	bool good;
};

static void count_record(struct writing *w, int64_t key, int fd, uint64_t at, size_t n)
{
	(void)key, (void)fd, (void)at;
	w->count++;
	w->at += n;
}

static void write_key(struct writing *w, int64_t key, int fd, uint64_t at, size_t n)
{
	const struct cache_key one = { key, w->at };

	(void)fd, (void)at;
	fwrite(&one, sizeof(one), 1, w->out);
	w->at += n;
}

static void copy_record(struct writing *w, int64_t key, int fd, uint64_t at, size_t n)
{
	(void)key;
	w->good &= pread_all(fd, w->bytes, n, at) == (int64_t)n;
	fwrite(w->bytes, 1, n, w->out);
}

/* Gives all records in the order of their keys, a new one in place of an old one. */
static void each_record(struct writing *w, void (*act)(struct writing *w, int64_t key, int fd, uint64_t at, size_t n))
{
	struct cache_file *f = w->f;
	FREED struct cache_block *b = xcalloc(1, sizeof(*b));
	size_t next = 0;

	for (uint64_t i = 0; w->good && (i < f->count || next < f->v_count);) {
		if (i < f->count && (i == 0 || i == b->first + b->n) && !read_block(f, i, b)) {
			w->good = false;
			break;
		}
		const struct cache_key *old = i < f->count ? &b->v[i - b->first] : NULL;

		if (old && (next == f->v_count || old->key < f->v[next].key)) {
			act(w, old->key, f->fd, old->at, (size_t)(old[1].at - old->at));
			i++;
			continue;
		}
		const struct cache_spooled *new = &f->v[next];

		if (++next == f->v_count || f->v[next].key != new->key) /* the last of those with one key */
			act(w, new->key, f->spool_fd, new->at, new->n);
		i += old && old->key == new->key && (next == f->v_count || f->v[next].key != new->key);
	}
}

static bool write_parts(struct writing *w)
{
	each_record(w, count_record);
	if (w->good && (w->count > CACHE_RECORDS_MAX ||
			w->at + (w->count + 2) * sizeof(struct cache_key) > CACHE_FILE_BYTES_MAX)) {
		close_file(w->f);
		w->count = w->at = 0;
		each_record(w, count_record);
	}
	w->at = HEADER_BYTES + (w->count + 1) * sizeof(struct cache_key);
	fwrite(magic, sizeof(magic), 1, w->out);
	fwrite(&w->count, sizeof(w->count), 1, w->out);
	each_record(w, write_key);
	write_key(w, INT64_MAX, -1, 0, 0);
	each_record(w, copy_record);
	return w->good && !ferror(w->out);
}

/* Writes CACHEDIR.TAG, by which backups leave the folder out (https://bford.info/cachedir/). */
static void write_tag(int folder_fd)
{
	static const char text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
				   "# Results of labelaudit --cache. May be deleted at any time.\n";
	int fd = openat(folder_fd, "CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	/* If this fails, only the hint is lost. */
	(void)write_all(fd, text, sizeof(text) - 1);
	close(fd);
}

/* Writes the new file beside the old one, and renames it. */
static bool write_file(struct cache_file *f)
{
	struct writing w = { .f = f, .good = true };
	RELEASED struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s.%ld", f->name, (long)getpid());
	int fd = openat(f->folder_fd, name.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	w.out = fd < 0 ? NULL : fdopen(fd, "wb");
	bool written = false;

	if (fd >= 0 && !w.out)
		close(fd);
	if (w.out) {
		write_tag(f->folder_fd);
		w.bytes = xmalloc(RECORD_MAX);
		written = write_parts(&w);
		free(w.bytes);
		written = fclose(w.out) == 0 && written && renameat(f->folder_fd, name.s, f->folder_fd, f->name) == 0;
	}
	if (fd >= 0 && !written)
		unlinkat(f->folder_fd, name.s, 0);
	return written;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

/* Returns what follows the digest in the name of one of our files, or NULL. */
static const char *after_digest(const char *name)
{
	static const char prefix[] = "labelaudit-";
	const size_t n = sizeof(prefix) - 1 + 32;

	return strlen(name) > n && !strncmp(name, prefix, sizeof(prefix) - 1) && name[n] == '.' ? name + n : NULL;
}

/* Removes what killed processes left, and the least recently used file if there are too many. */
static void prune(int folder_fd)
{
	DIR *dir = fdopendir(openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;
	RELEASED struct strbuf oldest = STRBUF_INIT;
	struct timespec when = { 0, 0 };
	size_t count = 0;

	while (dir && (e = readdir(dir))) {
		const char *extension = after_digest(e->d_name);
		struct stat st;

		if (!extension || fstatat(folder_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (strchr(extension + 1, '.')) {
			if (st.st_mtim.tv_sec < time(NULL) - LEFT_SECONDS)
				unlinkat(folder_fd, e->d_name, 0);
			continue;
		}
		if (count++ && (st.st_mtim.tv_sec > when.tv_sec ||
				(st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec >= when.tv_nsec)))
			continue;
		when = st.st_mtim;
		strbuf_set(&oldest, e->d_name, strlen(e->d_name));
	}
	if (dir)
		closedir(dir);
	if (count > CACHE_FILES_MAX)
		unlinkat(folder_fd, oldest.s, 0);
}

void cache_file_close(struct cache_file *f)
{
	if (f->pending.len && !f->failed)
		flush_pending(f);
	if (f->v_count && !f->failed) {
		qsort(f->v, f->v_count, sizeof(*f->v), compare_spooled);
		close_file(f); /* others may have written meanwhile: theirs stay */
		open_file(f);
		if (!f->refused && !write_file(f))
			cache_file_give_up(f, strerror(errno));
		prune(f->folder_fd);
	} else if (f->fd >= 0) {
		utimensat(f->folder_fd, f->name, NULL, 0); /* used now */
	}
	close_file(f);
	if (f->spool_fd >= 0)
		close(f->spool_fd);
	strbuf_release(&f->pending);
	pthread_mutex_destroy(&f->lock);
	free(f->v);
	free(f->shown);
}
