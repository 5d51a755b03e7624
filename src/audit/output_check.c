#include "audit/output_check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_parts.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "find/archive.h"
#include "find/walk_filter.h"

enum status audit_refuse_output(const struct target *target, const char *input, struct error *err)
{
	return error_set(err, "--output %s would replace %s, which this audit reads", target->path, input);
}

/* Fills `path` with a target's path as a walk of the folder `typed` would give it. Returns the length of the PATH in
 * it, 0 if the target is not below it. */
static size_t path_below(const struct target *target, const char *typed, struct strbuf *path)
{
	char *root = realpath(typed, NULL);
	size_t n = root ? path_trimmed(root) : 0;
	bool is_below = root && path_lies_in(target->real, root) && target->real[n];

	free(root);
	if (!is_below)
		return 0;
	strbuf_clear(path);
	strbuf_adds(path, typed);
	if (typed[strlen(typed) - 1] != '/')
		strbuf_addch(path, '/');
	size_t rel_offset = path->len;

	strbuf_adds(path, target->real + n + 1);
	return rel_offset;
}

/* Returns whether the walk would give the file, and the audit read it. */
static bool would_be_audited(const struct audit *a, struct walk_filter *filter, const struct strbuf *path,
			     size_t rel_offset, size_t typed_path)
{
	const struct entry entry = { .path = path->s,
				     .name = path->s,
				     .dirfd = AT_FDCWD,
				     .typed_path = (uint32_t)typed_path,
				     .rel_offset = rel_offset };

	if (walk_filter_path(filter, path->s, path->len, rel_offset, true) != SKIP_NONE)
		return false;
	if (is_archive_name(path->s))
		return true;
	return classify_alone(&entry, layout_of(&a->layouts, &entry)) != ENTRY_SKIP;
}

enum status audit_check_outputs(const struct audit *a, struct error *err)
{
	const struct options *o = a->options;
	struct walk_filter filter;
	struct strbuf path = STRBUF_INIT;
	enum status status = walk_filter_init(&filter, o->find.include, o->find.include_count, o->find.exclude,
					      o->find.exclude_count, err);

	filter.hidden = o->find.hidden;
	for (size_t i = 0; i < a->targets.count && status == STATUS_OK; i++) {
		const struct target *target = &a->targets.v[i];

		for (size_t k = 0; k < o->paths.count && status == STATUS_OK; k++) {
			size_t rel_offset = target->exists && target->real && S_ISREG(target->st.st_mode)
						    ? path_below(target, o->paths.v[k], &path)
						    : 0;

			if (GUARD(output_among_the_inputs,
				  rel_offset && would_be_audited(a, &filter, &path, rel_offset, k)))
				status = audit_refuse_output(target, path.s, err);
		}
	}
	strbuf_release(&path);
	walk_filter_release(&filter);
	return status;
}
