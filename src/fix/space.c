#include "fix/space.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/work_units.h"
#include "platform/platform.h"

/* Returns whether the folder's file system shares the blocks of this file with a copy. */
static bool shares_blocks(int folder, const char *path)
{
	int copy = platform_unnamed_file(folder, ".", 0600);
	int source = copy >= 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool shares = source >= 0 && platform_share_blocks(copy, source);

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
	struct platform_space space;
	bool asked = false, shares = false;

	if (!platform_space(folder, &space) || fstat(folder, &own) != 0)
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
	if (GUARD(result_without_room, bytes > space.bytes))
		return error_set(err,
				 "--output %s: the result takes %" PRIu64
				 " bytes or more, and its file system has %" PRIu64 " left",
				 path, bytes, space.bytes);
	if (space.counts_files && tree->count > space.files)
		return error_set(
			err, "--output %s: the result has %zu files and folders, and its file system room for %" PRIu64,
			path, tree->count, space.files);
	return STATUS_OK;
}
