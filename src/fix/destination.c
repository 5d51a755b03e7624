#include "fix/destination.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "fix/receipt.h"
#include "fix/space.h"

/* Returns the absolute path without links of a folder, which may not exist yet below one that does; or NULL. */
static char *resolve(const char *path)
{
	char *trimmed = xmemdup0(path, MAX(path_trimmed(path), (size_t)1));
	char *real = realpath(trimmed, NULL), *folder = path_folder(trimmed);
	char *parent = real ? NULL : realpath(folder, NULL);

	if (parent) {
		struct strbuf whole = STRBUF_INIT;

		strbuf_addf(&whole, "%s/%s", strcmp(parent, "/") != 0 ? parent : "", file_name_of(trimmed));
		real = xstrdup(whole.s);
		strbuf_release(&whole);
	}
	free(parent);
	free(folder);
	free(trimmed);
	return real;
}

/* Fails if the set would be changed, or the result be audited with it. real: path, resolved. */
static enum status check_source(const char *option, const char *path, const char *real, const char *typed,
				struct error *err)
{
	char *source = realpath(typed, NULL);
	enum status status = STATUS_OK;

	if (source && GUARD(result_in_the_set, path_lies_in(real, source)))
		status = error_set(err, "--%s %s lies in %s, which is only read", option, path, typed);
	else if (source && GUARD(set_in_the_result, path_lies_in(source, real)))
		status = error_set(err, "--%s %s: %s lies in it, which is only read", option, path, typed);
	free(source);
	return status;
}

enum status destination_check_apart(const char *option, const char *path, const struct options *options,
				    const struct path_list *listed, struct error *err)
{
	char *real = resolve(path);
	enum status status = STATUS_OK;

	if (!real)
		return error_set_errno(err, errno, "--%s %s: the folder that it is in cannot be read", option, path);
	for (size_t i = 0; i < options->paths.count && status == STATUS_OK; i++)
		status = check_source(option, path, real, options->paths.v[i], err);
	for (size_t i = 0; i < listed->count && status == STATUS_OK; i++)
		status = check_source(option, path, real, listed->v[i], err);
	free(real);
	return status;
}

/* The same for the folders that links lead to. */
static enum status check_beyond(const char *path, const struct tree *tree, struct error *err)
{
	char *real = resolve(path);
	enum status status = STATUS_OK;

	for (size_t i = 0; i < tree->count && status == STATUS_OK; i++)
		if (tree->v[i].is_beyond)
			status = check_source("output", path, real, tree->v[i].source, err);
	free(real);
	return status;
}

/* Returns whether a folder holds no other name. name: NULL for none at all. */
static bool holds_only(int fd, const char *name)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *child;
	size_t others = 0;

	while (folder && (child = readdir(folder)))
		others += strcmp(child->d_name, ".") != 0 && strcmp(child->d_name, "..") != 0 &&
			  (!name || strcmp(child->d_name, name) != 0);
	if (folder)
		closedir(folder);
	else if (copy >= 0)
		close(copy);
	return folder && !others;
}

/* Removes the receipt if it is but the start of the one that this plan's run writes first: that run was killed then. */
static void remove_begun_receipt(int folder, const uint64_t digest[2])
{
	int fd = openat(folder, RECEIPT_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct strbuf text = STRBUF_INIT;
	char have[512];

	receipt_json_unfinished(digest, &text);
	ssize_t n = fd >= 0 ? read(fd, have, sizeof(have)) : -1;

	if (n >= 0 && (size_t)n < text.len && memcmp(have, text.s, (size_t)n) == 0)
		unlinkat(folder, RECEIPT_NAME, 0);
	if (fd >= 0)
		close(fd);
	strbuf_release(&text);
}

/* Removes temporaries, which have random names, of receipts whose run was killed just before their names were changed.
 */
static void remove_temporaries(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *child;

	while (d && (child = readdir(d)))
		if (!strncmp(child->d_name, ".labelaudit-", strlen(".labelaudit-")) &&
		    file_name_ends_in(child->d_name, ".tmp"))
			unlinkat(folder, child->d_name, 0);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

/* Opens the folder, and makes it if it is not there. */
static enum status open_folder(struct destination *d, struct error *err)
{
	char *trimmed = xmemdup0(d->path, MAX(path_trimmed(d->path), (size_t)1));
	enum status status = STATUS_OK;
	struct stat st;

	if (lstat(trimmed, &st) != 0) {
		d->is_new = errno == ENOENT && mkdir(trimmed, 0777) == 0;
		if (!d->is_new)
			status = error_set_errno(err, errno, "cannot make the folder %s", d->path);
	} else if (GUARD(result_through_a_link, S_ISLNK(st.st_mode))) {
		status = error_set(err, "--output %s is a symbolic link: name the folder itself", d->path);
	} else if (!S_ISDIR(st.st_mode)) {
		status = error_set(err, "--output %s is no folder", d->path);
	}
	if (status == STATUS_OK)
		d->fd = open(trimmed, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (status == STATUS_OK && d->fd < 0)
		status = error_set_errno(err, errno, "cannot read the folder %s", d->path);
	free(trimmed);
	return status;
}

static enum status write_unfinished(const struct destination *d, const uint64_t digest[2], struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int fd = openat(d->fd, RECEIPT_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	receipt_json_unfinished(digest, &text);
	bool ok = fd >= 0 && write_all(fd, text.s, text.len) && fsync(fd) == 0;
	int errnum = errno;

	strbuf_release(&text);
	if (fd >= 0)
		close(fd);
	if (!ok && fd >= 0)
		unlinkat(d->fd, RECEIPT_NAME, 0);
	return ok ? STATUS_OK : error_set_errno(err, errnum, "cannot write to the folder %s", d->path);
}

static int compare_without_case(const void *a, const void *b)
{
	return strcasecmp((*(const struct tree_entry *const *)a)->place, (*(const struct tree_entry *const *)b)->place);
}

/* Refuses names that differ in case alone if the file system takes them for one. */
static enum status check_case(const struct destination *d, const struct tree *tree, struct error *err)
{
	char upper[] = RECEIPT_NAME;
	enum status status = STATUS_OK;

	for (char *c = upper; *c; c++)
		*c = ascii_isalpha(*c) ? (char)(*c & ~0x20) : *c;
	if (faccessat(d->fd, upper, F_OK, 0) != 0)
		return STATUS_OK;
	const struct tree_entry **sorted = xcalloc(tree->count + 1, sizeof(*sorted));

	for (size_t i = 0; i < tree->count; i++)
		sorted[i] = &tree->v[i];
	qsort(sorted, tree->count, sizeof(*sorted), compare_without_case);
	for (size_t i = 1; i < tree->count && status == STATUS_OK; i++)
		if (GUARD(names_that_differ_in_case, !strcasecmp(sorted[i - 1]->place, sorted[i]->place)))
			status = error_set(err, "%s and %s differ in case alone, and are one name in %s",
					   sorted[i - 1]->source, sorted[i]->source, d->path);
	free(sorted);
	return status;
}

enum status destination_open(struct destination *d, const char *path, const struct tree *tree,
			     const struct options *options, const struct path_list *listed, const uint64_t digest[2],
			     struct error *err)
{
	*d = (struct destination){ .path = path, .fd = -1 };
	enum status status = tree_check_places(tree, RECEIPT_NAME, err);

	if (status == STATUS_OK)
		status = destination_check_apart("output", path, options, listed, err);
	if (status == STATUS_OK)
		status = check_beyond(path, tree, err);

	if (status == STATUS_OK)
		status = open_folder(d, err);
	if (status != STATUS_OK)
		goto out;
	enum receipt_state state = receipt_state(d->fd, digest);

	d->goes_on = state == RECEIPT_UNFINISHED;
	d->is_finished = state == RECEIPT_FINISHED;
	if (d->is_finished)
		return STATUS_OK;
	if (d->goes_on)
		remove_temporaries(d->fd);
	if (!d->goes_on && holds_only(d->fd, RECEIPT_NAME))
		remove_begun_receipt(d->fd, digest);
	if (space_check(d->fd, path, tree, options->fix.link, err) != STATUS_OK)
		status = STATUS_FAILED;
	else if (!d->goes_on && GUARD(result_over_other_files, !holds_only(d->fd, NULL)))
		status = error_set(err, "--output %s is not empty, and no unfinished result of this plan", path);
	else if (!d->goes_on)
		status = write_unfinished(d, digest, err);
	if (status == STATUS_OK && check_case(d, tree, err) != STATUS_OK) {
		if (!d->goes_on)
			unlinkat(d->fd, RECEIPT_NAME, 0);
		status = STATUS_FAILED;
	}
out:
	if (status != STATUS_OK)
		destination_close(d);
	return status;
}

void destination_close(struct destination *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	if (d->is_new)
		rmdir(d->path); /* fails if there is anything in it */
}
