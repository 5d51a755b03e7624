/* Opening archives, and their members one after the other. What goes into a unit: archive_fill.c. */
#include "find/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file_name.h"
#include "base/gzip.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wait.h"
#include "find/archive_reader.h"

_Static_assert((int)ARCHIVE_HEAD == (int)BYTE_STREAM_HEAD, "what was read to tell an archive is handed to its stream");

/* ---- what it is -------------------------------------------------------------------------------------------------- */

bool archive_claimed(const char *name)
{
	static const char *const extensions[] = { ".tar", ".tar.gz", ".tgz", ".taz",     ".tar.bz2", ".tbz", ".tbz2",
						  ".tb2", ".tar.xz", ".txz", ".tar.zst", ".tzst",    ".zip", ".npz" };
	static const char last[] = "rz2tp";
	size_t n = strlen(name);

	/* every file that is found is asked, twice: the last character tells of most */
	return n && strchr(last, ascii_tolower(name[n - 1])) &&
	       file_name_ends_in_any(name, extensions, ARRAY_SIZE(extensions));
}

bool archive_holds_arrays(const char *name)
{
	return file_name_ends_in(name, ".npz");
}

/* They are looked at by their own readers and need no look here. */
static bool is_never_archive(const char *name)
{
	static const char *const extensions[] = { ".png",  ".npy", ".txt",  ".csv",  ".tsv",
						  ".json", ".jpg", ".jpeg", ".yaml", ".xml" };

	return file_name_ends_in_any(name, extensions, ARRAY_SIZE(extensions));
}

static bool is_zip(const uint8_t *head, size_t n)
{
	return n >= 4 && (!memcmp(head, "PK\3\4", 4) || !memcmp(head, "PK\5\6", 4));
}

static bool is_tar(const uint8_t *head, size_t n)
{
	return n >= TAR_BLOCK && (tar_is_header(head) || tar_has_magic(head));
}

/* A tar without members is all zeros, and only its name says what it is. */
static bool is_empty_tar(const uint8_t *head, size_t n)
{
	return n >= TAR_BLOCK && tar_all_zero(head, n);
}

/* Whether gzip data unpack to a tar header. Their first 4 KiB give at least a block. */
static bool gzip_holds_tar(const uint8_t *head, size_t n)
{
	uint8_t block[TAR_BLOCK];

	return is_tar(block, gzip_head(head, n, block, sizeof(block)));
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static struct archive_reader *new_reader(int fd, const char *path, const struct archive_wishes *wishes)
{
	struct archive_reader *a = xcalloc(1, sizeof(*a));

	a->fd = fd;
	a->path = xstrdup(path);
	a->wishes = wishes;
	a->regular = fstat(fd, &a->st) == 0 && S_ISREG(a->st.st_mode);
	fault_clear(&a->fault);
	archive_facts_init(&a->facts);
	strbuf_init(&a->first_special);
	strbuf_init(&a->first_unsafe);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->idle, NULL);
	return a;
}

static enum archive_opened open_tar(struct archive_reader *a, const uint8_t *head, size_t n, enum packing packing,
				    struct fault *fault)
{
	a->is_tar = true;
	if (!byte_stream_open(&a->stream, a->fd, head, n, packing, a->wishes->limits, a->wishes->stop, fault)) {
		byte_stream_close(&a->stream);
		a->fd = -1;
		a->is_tar = false;
		return ARCHIVE_FAILED;
	}
	if (a->wishes->heads_only)
		a->stream.block = BYTE_STREAM_PEEK;
	tar_init(&a->tar, &a->stream, a->wishes->limits, &a->facts, &a->fault);
	a->tar.heads_only = a->wishes->heads_only;
	if (packing == PACKING_NONE)
		return ARCHIVE_OPENED;
	size_t have;
	const uint8_t *block = byte_stream_peek(&a->stream, TAR_BLOCK, &have);

	if (a->stream.fault.kind != FAULT_NONE && have < TAR_BLOCK)
		*fault = a->stream.fault;
	else if (!is_tar(block, have) && !is_empty_tar(block, have))
		fault_set(fault, FAULT_NOT_A_LABEL, 0, "what it unpacks to is no tar archive");
	return fault->kind == FAULT_NONE ? ARCHIVE_OPENED : ARCHIVE_FAILED;
}

static enum archive_opened open_zip(struct archive_reader *a, struct fault *fault)
{
	if (!a->regular) {
		fault_set(fault, FAULT_UNSUPPORTED, FAULT_NO_OFFSET,
			  "a zip archive is read from its end, which a pipe does not give");
		snprintf(fault->advice, sizeof(fault->advice), "name the file instead, or send a tar");
		return ARCHIVE_FAILED;
	}
	a->is_zip = true;
	a->arrays = archive_holds_arrays(a->path);
	zip_init(&a->zip, a->fd, (uint64_t)a->st.st_size, a->wishes->limits, &a->facts, &a->fault);
	return ARCHIVE_OPENED;
}

/* Tells by the first bytes what it is. The reader's fd is behind them. */
static enum archive_opened open_by_content(struct archive_reader *a, const uint8_t *head, size_t n, bool claimed,
					   struct fault *fault)
{
	enum packing packing = packing_of(head, n);

	if (is_zip(head, n))
		return open_zip(a, fault);
	if (is_tar(head, n))
		return open_tar(a, head, n, PACKING_NONE, fault);
	if (packing == PACKING_GZIP)
		return claimed || gzip_holds_tar(head, n) ? open_tar(a, head, n, packing, fault) : ARCHIVE_NONE;
	if (packing != PACKING_UNKNOWN)
		return open_tar(a, head, n, packing, fault);
	if (!claimed || !n || !memcmp(head, "version ", MIN(n, (size_t)8)) || head[0] == '<')
		return ARCHIVE_NONE; /* a git-lfs pointer and an HTML page are told better elsewhere */
	if (file_name_ends_in(a->path, ".zip") || archive_holds_arrays(a->path))
		return open_zip(a, fault); /* behind other data, or cut off */
	if (file_name_ends_in(a->path, ".tar") && n < TAR_BLOCK) {
		fault_set(fault, FAULT_TRUNCATED, n, "the archive ends within its first header, %zu of %d bytes", n,
			  TAR_BLOCK);
		return ARCHIVE_FAILED;
	}
	return is_empty_tar(head, n) ? open_tar(a, head, n, PACKING_NONE, fault) : ARCHIVE_NONE;
}

/* Fills head as far as the file goes. */
static bool read_head(int fd, uint8_t *head, size_t *n, const atomic_bool *stop, struct fault *fault)
{
	*n = 0;
	while (*n < ARCHIVE_HEAD) {
		ssize_t got;

		if (stop && !wait_readable(fd, stop))
			break;
		got = read(fd, head + *n, ARCHIVE_HEAD - *n);
		if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			continue;
		if (got < 0) {
			fault_set(fault, FAULT_UNREADABLE, *n, "cannot read: %s", strerror(errno));
			return false;
		}
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	return true;
}

enum archive_opened archive_open(struct archive_reader **out, int dirfd, const char *name, const char *path,
				 bool claimed, const struct archive_wishes *wishes, struct fault *fault)
{
	uint8_t head[ARCHIVE_HEAD];
	enum archive_opened result;
	struct stat st;
	size_t n;
	int fd;

	*out = NULL;
	/* what is not there, or is no regular file, is no archive: who reads it as a file says why */
	if ((!claimed && is_never_archive(name)) || fstatat(dirfd, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return ARCHIVE_NONE;
	fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		/* not left to who reads files: a second try may succeed, and an archive is no label file */
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errno));
		return ARCHIVE_FAILED;
	}
	if (!read_head(fd, head, &n, NULL, fault)) {
		close(fd);
		return ARCHIVE_FAILED;
	}
	*out = new_reader(fd, path, wishes);
	if ((*out)->regular) {
		result = open_by_content(*out, head, n, claimed, fault);
	} else { /* it was, a moment ago */
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat, or replaced while it was opened");
		result = ARCHIVE_FAILED;
	}
	if (result != ARCHIVE_OPENED) {
		archive_close(*out);
		*out = NULL;
	}
	return result;
}

enum archive_opened archive_open_standard_input(struct archive_reader **out, const struct archive_wishes *wishes,
						uint8_t *head, size_t *n, struct fault *fault)
{
	enum archive_opened result;

	*out = NULL;
	*n = 0;
	if (!read_head(STDIN_FILENO, head, n, wishes->stop, fault))
		return ARCHIVE_FAILED;
	*out = new_reader(STDIN_FILENO, "-", wishes);
	result = open_by_content(*out, head, *n, false, fault);
	if (result != ARCHIVE_OPENED) {
		archive_close(*out);
		*out = NULL;
	}
	return result;
}

void archive_close(struct archive_reader *a)
{
	if (!a)
		return;
	zip_stream_close(a->zip_stream);
	if (a->is_tar) {
		tar_release(&a->tar);
		byte_stream_close(&a->stream); /* closes fd */
	} else if (a->fd > STDERR_FILENO) {
		close(a->fd);
	}
	if (a->is_zip)
		zip_release(&a->zip);
	free(a->path);
	hash_set_release(&a->names);
	strbuf_release(&a->first_special);
	strbuf_release(&a->first_unsafe);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->idle);
	free(a);
}

const char *archive_path(const struct archive_reader *a)
{
	return a->path;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

bool archive_next(struct archive_reader *a, struct member *m)
{
	if (a->is_zip)
		return zip_next(&a->zip, m, &a->zip_data);
	return tar_next(&a->tar, m);
}

bool archive_name_is_new(struct archive_reader *a, const char *name, size_t len)
{
	if (a->names.count < ARCHIVE_NAMES_MAX)
		return hash_set_add(&a->names, hash_bytes(hash_seed(), name, len));
	if (!a->names_full)
		archive_flaw(&a->facts, "more than %d members: names that come twice are not told from there on",
			     ARCHIVE_NAMES_MAX);
	a->names_full = true;
	return true;
}

/* What can be told of the file itself only at its end. */
void archive_check_end(struct archive_reader *a)
{
	struct stat now;

	if (a->regular && (fstat(a->fd, &now) < 0 || now.st_size != a->st.st_size ||
			   now.st_mtim.tv_sec != a->st.st_mtim.tv_sec || now.st_mtim.tv_nsec != a->st.st_mtim.tv_nsec))
		fault_set(&a->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "the archive changed while it was read");
	if (!a->facts.members)
		fault_set(&a->fault, FAULT_EMPTY, FAULT_NO_OFFSET, "the archive has no members");
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

int64_t archive_stream_read(void *self, void *out, size_t n, struct fault *fault)
{
	struct archive_reader *a = self;
	enum fault_kind before = fault->kind;
	size_t got = a->is_zip ? zip_stream_read(a->zip_stream, out, n, fault) : tar_read(&a->tar, out, n, fault);

	return fault->kind != before ? -1 : (int64_t)got;
}

void archive_stream_begin(struct archive_reader *a)
{
	pthread_mutex_lock(&a->lock);
	a->lent = true;
	pthread_mutex_unlock(&a->lock);
}

void archive_stream_end(struct archive_reader *a)
{
	pthread_mutex_lock(&a->lock);
	zip_stream_close(a->zip_stream);
	a->zip_stream = NULL;
	a->lent = false;
	pthread_cond_broadcast(&a->idle);
	pthread_mutex_unlock(&a->lock);
}

bool archive_wait_idle(struct archive_reader *a)
{
	bool idle;

	pthread_mutex_lock(&a->lock);
	while (a->lent && !is_stopped(a->wishes->stop)) {
		/* not by a signal alone: whoever stops the source cannot take this lock */
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&a->idle, &a->lock, &until);
	}
	idle = !a->lent;
	pthread_mutex_unlock(&a->lock);
	return idle;
}
