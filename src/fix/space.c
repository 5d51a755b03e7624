#include "fix/space.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/work_units.h"

/* Returns whether the file system takes the bytes that are written to it, and says how many it has left. */
static bool tells_space(const struct statfs *fs)
{
	static const uint64_t plain[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, MSDOS_SUPER_MAGIC,
					  EXFAT_SUPER_MAGIC };

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if ((uint64_t)fs->f_type == plain[i])
			return true;
	return false;
}

/* Returns whether the folder's file system shares the blocks of this file with a copy. */
static bool shares_blocks(int folder, const char *path)
{
	int copy = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	int source = copy >= 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool shares = source >= 0 && ioctl(copy, FICLONE, source) == 0;

	if (source >= 0)
		close(source);
	if (copy >= 0)
		close(copy);
	return shares;
}

enum status space_check(int folder, const char *path, const struct tree *tree, struct error *err)
{
	uint64_t bytes = 0;
	struct stat own, st;
	struct statfs fs;
	bool asked = false, shares = false;

	if (fstatfs(folder, &fs) != 0 || fstat(folder, &own) != 0 || !tells_space(&fs))
		return STATUS_OK;
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *e = &tree->v[i];

		if ((e->kind != TREE_FILE && e->kind != TREE_ARCHIVE) || stat(e->source, &st) != 0)
			continue; /* the copy will say so */
		if (e->kind == TREE_FILE && !e->changes && !asked && st.st_size) {
			shares = shares_blocks(folder, e->source);
			asked = true;
		}
		if (e->changes || e->kind == TREE_ARCHIVE)
			bytes += (uint64_t)st.st_size / DEFLATE_RATIO_MAX;
		else if (!shares || st.st_dev != own.st_dev)
			bytes += (uint64_t)st.st_size;
	}
	uint64_t free_bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;

	if (GUARD(result_without_room, bytes > free_bytes))
		return error_set(err,
				 "--output %s: the result takes %" PRIu64
				 " bytes or more, and its file system has %" PRIu64 " left",
				 path, bytes, free_bytes);
	if (fs.f_files && tree->count > (uint64_t)fs.f_ffree)
		return error_set(
			err, "--output %s: the result has %zu files and folders, and its file system room for %" PRIu64,
			path, tree->count, (uint64_t)fs.f_ffree);
	return STATUS_OK;
}
