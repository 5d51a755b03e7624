#include "judge/coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "read/tokens.h"

static void release_folder(const struct folder_fact *f)
{
	char *const strings[] = { f->path, f->kind, f->content, f->role, f->pair, f->rule };

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		free(strings[i]);
}

void coverage_release(struct coverage *c)
{
	for (int i = 0; i < SKIP_REASONS; i++) {
		free(c->left_out[i].example);
		free(c->labels[i].example);
	}
	for (int i = 0; i < UNREAD_KINDS; i++)
		free(c->unread[i].example);
	for (size_t i = 0; i < c->paths_count; i++)
		free(c->paths[i].path);
	free(c->paths);
	for (size_t i = 0; i < c->folders_count; i++)
		release_folder(&c->folders[i]);
	free(c->folders);
	memset(c, 0, sizeof(*c));
}

static struct path_account *account(struct coverage *c, size_t index)
{
	if (index >= c->paths_count) {
		GROW(c->paths, c->paths_cap, index + 1);
		memset(c->paths + c->paths_count, 0, (index + 1 - c->paths_count) * sizeof(*c->paths));
		c->paths_count = index + 1;
	}
	return &c->paths[index];
}

/* Returns whether a folder that holds only such files is empty all the same. */
static bool is_nothing(const struct sample *sample)
{
	enum skip_reason reason = (enum skip_reason)sample->left_out.reason;

	return !sample->left_out.looks_like_labels &&
	       (reason == SKIP_HIDDEN || reason == SKIP_EXCLUDED || reason == SKIP_NOT_INCLUDED ||
		reason == SKIP_OWN_REPORT || reason == SKIP_CLUTTER || reason == SKIP_NO_LABELS ||
		reason == SKIP_UNREAD_DATA || reason == SKIP_LINK_REPEATED);
}

void coverage_add(struct coverage *c, const struct sample *sample)
{
	struct path_account *a = account(c, sample->typed_path);

	a->audited += sample->status == SAMPLE_READ;
	a->failed += sample->status == SAMPLE_FAILED;
	if (sample->status != SAMPLE_SKIPPED)
		return;
	a->left_out++;
	a->labels += sample->left_out.looks_like_labels;
	a->data += !is_nothing(sample);
	file_count_add(&c->left_out[sample->left_out.reason], sample);
	const enum unread_kind kind = (enum unread_kind)sample->left_out.unread_kind;
	const bool doubtful = unread_kind_is_doubtful(kind);

	if (kind != UNREAD_NONE && (doubtful || sample->left_out.looks_like_labels))
		file_count_add(&c->unread[kind], sample);
	if (GUARD(unaudited_labels_in_silence, sample->left_out.looks_like_labels) && (kind == UNREAD_NONE || doubtful))
		file_count_add(&c->labels[sample->left_out.reason], sample);
}

void coverage_merge(struct coverage *into, struct coverage *from)
{
	for (int i = 0; i < SKIP_REASONS; i++) {
		file_count_merge(&into->left_out[i], &from->left_out[i]);
		file_count_merge(&into->labels[i], &from->labels[i]);
	}
	for (int i = 0; i < UNREAD_KINDS; i++)
		file_count_merge(&into->unread[i], &from->unread[i]);
	for (size_t i = 0; i < from->paths_count; i++) {
		struct path_account *to = account(into, i), *more = &from->paths[i];

		to->audited += more->audited;
		to->failed += more->failed;
		to->left_out += more->left_out;
		to->labels += more->labels;
		to->data += more->data;
		if (!to->path && more->path)
			to->path = xstrdup(more->path);
	}
	/* all parts of a set have the same table */
	if (!into->folders_count) {
		into->folders = from->folders;
		into->folders_count = from->folders_count;
		into->folders_cap = from->folders_cap;
		from->folders = NULL;
		from->folders_count = 0;
	}
	coverage_release(from);
}

void coverage_add_folder(struct coverage *c, const struct folder_fact *f)
{
	if (c->folders_count == FOLDER_FACTS_MAX) {
		release_folder(f);
		return;
	}
	GROW(c->folders, c->folders_cap, c->folders_count + 1);
	c->folders[c->folders_count++] = *f;
}

void coverage_name_path(struct coverage *c, size_t index, const char *path)
{
	struct path_account *a = account(c, index);

	if (!a->path)
		a->path = xstrdup(path);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct path_account *)a)->path, ((const struct path_account *)b)->path);
}

void coverage_keep_named(struct coverage *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->paths_count; i++)
		if (c->paths[i].path)
			c->paths[kept++] = c->paths[i];
	c->paths_count = kept;
	if (kept)
		qsort(c->paths, kept, sizeof(*c->paths), compare_paths);
}

uint64_t coverage_labels_of(const struct coverage *c, enum skip_reason reason)
{
	uint64_t n = c->labels[reason].files;

	for (int i = 0; i < UNREAD_KINDS; i++)
		if (unread_kind_reason((enum unread_kind)i) == reason && !unread_kind_is_doubtful((enum unread_kind)i))
			n += c->unread[i].files;
	return n;
}

static uint64_t coverage_labels(const struct coverage *c)
{
	uint64_t n = 0;

	for (int i = 0; i < SKIP_REASONS; i++)
		n += coverage_labels_of(c, (enum skip_reason)i);
	return n;
}

bool coverage_has_unread(const struct coverage *c)
{
	for (int i = 0; i < UNREAD_KINDS; i++)
		if (c->unread[i].files)
			return true;
	return c->labels[SKIP_UNREAD_ANNOTATION].files || c->labels[SKIP_UNREAD_FORMAT].files ||
	       c->labels[SKIP_TABLE].files;
}

uint64_t coverage_weighty(const struct coverage *c)
{
	return coverage_labels(c) - c->labels[SKIP_IMAGE].files - coverage_labels_of(c, SKIP_UNREAD_ANNOTATION) -
	       c->labels[SKIP_NAMED_ASIDE].files - c->labels[SKIP_NOT_PRESET].files;
}

const char *coverage_example(const struct coverage *c, enum skip_reason reason)
{
	const char *first = c->labels[reason].files ? c->labels[reason].example : NULL;

	for (int i = 0; !c->labels[reason].files && i < UNREAD_KINDS; i++)
		if (c->unread[i].files && unread_kind_reason((enum unread_kind)i) == reason &&
		    (!first || strcmp(c->unread[i].example, first) < 0))
			first = c->unread[i].example;
	return first ? first : c->left_out[reason].example;
}

const char *coverage_first_path(const struct coverage *c)
{
	return c->paths_count && strcmp(c->paths[0].path, LISTED_PATHS) != 0 ? c->paths[0].path : NULL;
}

void coverage_list(const struct coverage *c, struct strbuf *out)
{
	const char *separator = "";

	for (int i = 0; i < SKIP_REASONS; i++) {
		if (!c->left_out[i].files)
			continue;
		strbuf_addf(out, "%s%s %" PRIu64, separator, skip_reason_name((enum skip_reason)i),
			    c->left_out[i].files);
		separator = ", ";
	}
}

void coverage_describe_labels(const struct coverage *c, struct strbuf *out)
{
	const char *separator = "";

	for (int i = 0; i < SKIP_REASONS; i++) {
		if (!c->labels[i].files)
			continue;
		strbuf_addf(out, "%s%" PRIu64 " %s", separator, c->labels[i].files,
			    skip_reason_text((enum skip_reason)i, c->labels[i].files));
		separator = ", ";
	}
}

static enum status fail_path(const struct coverage *c, const struct path_account *a, struct error *err)
{
	if (!a->left_out)
		return error_set(err, "%s: there is nothing to audit (pass --allow empty if this is intended)",
				 a->path);
	if (c->labels[SKIP_OTHER_KIND].files && c->paths_count == 1)
		return error_set(err,
				 "%s: no label file among the %" PRIu64 " file%s found, but %s, which seems to be a "
				 "stray (-v lists why; see --kind)",
				 a->path, a->left_out, a->left_out == 1 ? "" : "s", c->labels[SKIP_OTHER_KIND].example);
	const char *other = c->left_out[SKIP_NO_LABELS].example;

	return error_set(err, "%s: no label file among the %" PRIu64 " file%s found (-v lists why; see --kind%s)",
			 a->path, a->left_out, a->left_out == 1 ? "" : "s",
			 other && is_token_name(other) ? "; streams of token ids need --dtype" : "");
}

enum status coverage_check(const struct coverage *c, uint64_t audited, bool allow_empty, struct error *err)
{
	for (size_t i = 0; i < c->paths_count; i++) {
		const struct path_account *a = &c->paths[i];

		if (GUARD(path_that_gave_nothing, !a->audited && !a->failed) &&
		    (!allow_empty || GUARD(full_path_called_empty, a->data)))
			return fail_path(c, a, err);
	}
	/* files that were typed one by one have no account */
	if (!audited && !c->paths_count && !allow_empty)
		return c->labels[SKIP_OTHER_KIND].files
			       ? error_set(err,
					   "nothing to audit, but %s seems to hold labels: a stream is read once, so "
					   "name what it holds with --kind (list, coco, yolo ...)",
					   c->labels[SKIP_OTHER_KIND].example)
			       : error_set(err, "nothing to audit (pass --allow empty if this is intended)");
	return STATUS_OK;
}
