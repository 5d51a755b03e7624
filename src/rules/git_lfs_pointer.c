/*
 * Error message
 *   PIL.UnidentifiedImageError: cannot identify image file 'masks/0001.png'
 *
 * What it finds
 *   Files that begin with `version https://git-lfs.github.com/spec/v1`: the repository was cloned without git-lfs, so
 *   each large file is a text of about 130 bytes that names the real one.
 *
 * Why it matters
 *   Every such mask is missing. Loaders only report that they cannot identify the image.
 *
 * Example
 *   masks/0001.png: error git-lfs-pointer: the file is a git-lfs pointer; its data were not fetched
 *
 * What to do
 *   Install git-lfs and run `git lfs pull` in the repository.
 */
#include "judge/rule.h"

const struct rule rule_git_lfs_pointer = {
	RULE("git-lfs-pointer", "file", LEVEL_ERROR, "a git-lfs pointer where the file should be"),
	.fault = FAULT_LFS_POINTER,
	.tells_unread = true,
	.advice = "run: git lfs install && git lfs pull",
};
