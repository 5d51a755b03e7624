#include "fix/destination.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "fix/receipt.h"
#include "fix/space.h"

/* Fails if the set would be changed, or the result be audited with it. real: path, resolved. */
static enum status check_source(const char *path, const char *real, const char *typed, struct error *err)
{
	FREED char *source = realpath(typed, NULL);

	if (source && GUARD(result_in_the_set, path_lies_in(real, source)))
		return error_set(err, "--output %s lies in %s, which is only read", path, typed);
	if (source && GUARD(set_in_the_result, path_lies_in(source, real)))
		return error_set(err, "--output %s: %s lies in it, which is only read", path, typed);
	return STATUS_OK;
}

/* Fails if the result lies in a path, or in a folder that a link leads to; or one of these in it. */
static enum status check_apart(const char *path, const struct tree *tree, const struct string_list *paths,
			       struct error *err)
{
	FREED char *real = path_resolve(path);
	enum status status = STATUS_OK;

	if (!real)
		return error_set_errno(err, errno, "--output %s: the folder that it is in cannot be read", path);
	for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
		status = check_source(path, real, paths->v[i], err);
	for (size_t i = 0; i < tree->count && status == STATUS_OK; i++)
		if (tree->v[i].is_beyond)
			status = check_source(path, real, tree->v[i].source, err);
	return status;
}

/* Returns whether there is nothing in a folder. */
static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *child;
	size_t others = 0;

	errno = 0;
	while (folder && (child = readdir(folder)))
		others += strcmp(child->d_name, ".") != 0 && strcmp(child->d_name, "..") != 0;
	const bool read = folder && !errno;

	if (folder)
		closedir(folder);
	else if (copy >= 0)
		close(copy);
	return read && !others;
}

/* Opens the folder, and makes it if it is not there. */
static enum status open_folder(struct destination *d, struct error *err)
{
	FREED char *trimmed = xmemdup0(d->path, MAX(path_trimmed(d->path), (size_t)1));
	struct stat st;

	if (lstat(trimmed, &st) != 0) {
		d->is_new = errno == ENOENT && mkdir(trimmed, 0777) == 0;
		if (!d->is_new)
			return error_set_errno(err, errno, "cannot make the folder %s", d->path);
	} else if (GUARD(result_through_a_link, S_ISLNK(st.st_mode))) {
		return error_set(err, "--output %s is a symbolic link: name the folder itself", d->path);
	} else if (!S_ISDIR(st.st_mode)) {
		return error_set(err, "--output %s is no folder", d->path);
	}
	d->fd = open(trimmed, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return d->fd < 0 ? error_set_errno(err, errno, "cannot read the folder %s", d->path) : STATUS_OK;
}

enum status destination_open(struct destination *d, const char *path, const struct tree *tree,
			     const struct string_list *paths, struct error *err)
{
	*d = (struct destination){ .path = path, .fd = -1 };
	enum status status = tree_check_places(tree, RECEIPT_NAME, err);

	if (status == STATUS_OK)
		status = check_apart(path, tree, paths, err);
	if (status == STATUS_OK)
		status = open_folder(d, err);
	if (status == STATUS_OK && GUARD(result_over_other_files, !is_empty(d->fd)))
		status = error_set(err,
				   "--output %s is not empty: name a new folder (what a run leaves that was killed may "
				   "be removed)",
				   path);
	if (status == STATUS_OK && faccessat(d->fd, ".", W_OK, AT_EACCESS) != 0)
		status = error_set_errno(err, errno, "cannot write to the folder %s", path);
	if (status == STATUS_OK)
		status = space_check(d->fd, path, tree, err);
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
