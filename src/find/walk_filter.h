/*
 * Which names a walk leaves out: hidden ones, and what --include and --exclude say. Members of archives are filtered as
 * the files of a folder are. One thread: a path is put together in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/glob.h"
#include "find/skip_reason.h"

/* Owner: the source. While a walk runs, it alone may use it. */
struct walk_filter {
	struct globs {
		struct glob *v;
		size_t count;
	} include, exclude;
	bool hidden;
	bool follow;
	struct strbuf whole; /* scratch: a path from the root that was typed */
};

/* Compiles the globs. Returns STATUS_FAILED if one is invalid; then release it, too. */
enum status walk_filter_init(struct walk_filter *f, const char *const *include, size_t include_count,
			     const char *const *exclude, size_t exclude_count, struct error *err);
void walk_filter_release(struct walk_filter *f);
/* Returns why name[0..len) in `folder` is left out. The first root_len bytes of the folder are the PATH typed. */
enum skip_reason walk_filter_name(struct walk_filter *f, const struct strbuf *folder, size_t root_len, const char *name,
				  size_t len, bool is_folder);
/*
 * The same for the file path[0..len) and its folders below path[0..root_len). include: apply --include to it, too.
 */
enum skip_reason walk_filter_path(struct walk_filter *f, const char *path, size_t len, size_t root_len, bool include);
