#include "find/file_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/key_set.h"
#include "base/mem.h"
#include "base/stop.h"

/* Holds the longest path and its end. One byte more is allocated for a NUL at the end of the file. */
enum { BUFFER = 2 * FILE_LIST_PATH_MAX };

void file_list_init(struct file_list *list)
{
	memset(list, 0, sizeof(*list));
	list->fd = -1;
}

void file_list_release(struct file_list *list)
{
	if (list->fd > STDIN_FILENO)
		close(list->fd);
	free(list->buffer);
	file_list_init(list);
}

enum status file_list_open(struct file_list *list, const char *path, bool nul_separated, struct error *err)
{
	file_list_init(list);
	list->path = strcmp(path, "-") ? path : "standard input";
	list->nul_separated = nul_separated;
	list->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (list->fd < 0)
		return error_set_errno(err, errno, "cannot open the list %s", path);
	struct stat st;

	list->size = fstat(list->fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	list->buffer = xmalloc(BUFFER + 1);
	return STATUS_OK;
}

/* Moves what is left to the front of the buffer and reads on. */
static enum status fill(struct file_list *list, const atomic_bool *stop, struct error *err)
{
	memmove(list->buffer, list->buffer + list->at, list->len - list->at);
	list->len -= list->at;
	list->at = 0;
	ssize_t n = read_or_stop(list->fd, list->buffer + list->len, BUFFER - list->len, stop);

	if (n < 0 && errno != ECANCELED)
		return error_set_errno(err, errno, "cannot read the list %s", list->path);
	list->ended = n <= 0;
	list->len = n < 0 ? 0 : list->len + (size_t)n; /* stopped: what is left may be half a path */
	return STATUS_OK;
}

/*
 * Reads the next path without its end, or the beginning of one that is too long; that stays in the buffer until the
 * next call, which skips the rest.
 */
static enum status next_raw(struct file_list *list, const atomic_bool *stop, struct listed_path *out, struct error *err)
{
	char end = list->nul_separated ? '\0' : '\n';

	for (;;) {
		char *start = list->buffer + list->at;
		size_t left = list->len - list->at;
		char *found = left ? memchr(start, end, left) : NULL;
		size_t len = found ? (size_t)(found - start) : left;

		if (list->skipping && left) {
			list->at += len + (found != NULL);
			list->skipping = !found;
		} else if (found || (list->ended && left) || left > FILE_LIST_PATH_MAX) {
			list->at += len + (found != NULL);
			list->line++;
			list->skipping = !found && !list->ended;
			if (found && !list->nul_separated && len && start[len - 1] == '\r')
				len--;
			out->path = start;
			out->cut = len > FILE_LIST_PATH_MAX;
			out->len = MIN(len, (size_t)FILE_LIST_PATH_MAX);
			start[out->len] = '\0'; /* replaces the end, or the byte after the buffer */
			return STATUS_OK;
		} else if (list->ended) {
			*out = (struct listed_path){ NULL, 0, false };
			return STATUS_OK;
		} else if (fill(list, stop, err) != STATUS_OK) {
			return STATUS_FAILED;
		}
	}
}

enum status file_list_next(struct file_list *list, const atomic_bool *stop, struct listed_path *out, struct error *err)
{
	do {
		if (next_raw(list, stop, out, err) != STATUS_OK)
			return STATUS_FAILED;
	} while (out->path && !out->len);
	if (out->path && !list->nul_separated && strlen(out->path) != out->len)
		return error_set(
			err, "the list %s holds a NUL byte in line %" PRIu64 ": if it is NUL-separated, pass --null",
			list->path, list->line);
	if (out->path) {
		atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&list->bytes, out->len + 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&list->sum, key_of_bytes(out->path, out->len), memory_order_relaxed);
	}
	return STATUS_OK;
}
