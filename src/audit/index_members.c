#include "audit/index_members.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/archive.h"
#include "find/source.h"
#include "layout/classify.h"

enum {
	HELD_BYTES = 64 << 20, /* of a packed image; of larger ones nothing is known but that they are there */
};

struct indexer {
	struct member_images *out;
	char *path; /* of the archive that is open; owned */
	int fd;
};

/* Chooses the images that are no labels: a member_options' classify(). */
static enum skip_reason choose_image(const void *layouts, struct entry *member)
{
	struct sample unused;
	const bool in_class = classify_by_folder(member, layout_of(layouts, member), &unused);

	return is_image_name(file_name_of(member->name)) && (in_class || classify_member(layouts, member) != SKIP_NONE)
		       ? SKIP_NONE
		       : SKIP_NO_LABELS;
}

/* Reads an image that lies in the archive as it is. */
static bool read_stored(struct indexer *x, const struct entry *e, struct photo_size *size, struct fault *fault)
{
	struct photo_bytes bytes = { .start = e->in_zip.data.at, .size = e->size };

	if (!x->path || strcmp(x->path, e->path) != 0) {
		free(x->path);
		if (x->fd >= 0)
			close(x->fd);
		x->path = xstrdup(e->path);
		x->fd = open(e->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	bytes.fd = x->fd;
	return x->fd >= 0 && photo_read(&bytes, e->name, size, fault);
}

/* Reads an image that was unpacked, to the unit's memory or, if it is large, into its own. */
static bool read_unpacked(const struct entry *e, struct photo_size *size, struct fault *fault)
{
	struct photo_bytes bytes = { .memory = e->bytes, .size = e->bytes_len };
	FREED uint8_t *all = e->stream && e->size <= HELD_BYTES ? xmalloc((size_t)e->size) : NULL;
	bool read = !e->stream || all;

	for (uint64_t n = 0, got = 1; all && got && n < e->size; n += got) {
		const int64_t more = archive_stream_read(e->stream, all + n, (size_t)(e->size - n), fault);

		got = (uint64_t)MAX(more, INT64_C(0));
		read = got;
	}
	if (all)
		bytes = (struct photo_bytes){ .memory = all, .size = e->size };
	return read && photo_read(&bytes, e->name, size, fault);
}

static bool index_entry(void *self, const struct entry *e)
{
	struct indexer *x = self;
	struct fault fault = FAULT_INIT;
	struct photo_size size;
	bool sized = false;

	if (e->member && e->failed)
		fault = e->fault;
	else if (e->member && !e->skip_reason)
		sized = e->in_zip.known ? read_stored(x, e, &size, &fault) : read_unpacked(e, &size, &fault);
	if (e->member)
		member_images_add(x->out, e->path, e->member, sized ? &size : NULL, &fault);
	return !stop_signal();
}

/* Returns whether an archive holds images beside labels, or in class folders. */
static bool has_images(const struct find_options *find, const struct dataset_layouts *layouts)
{
	const struct folder_table *t = layouts->table;

	for (size_t i = 0; layouts_folders(layouts, false) && i < find->paths_count; i++)
		if (is_archive_name(find->paths[i]))
			return true;
	for (size_t i = 0; t && t->has_members && i < t->rows_count; i++)
		if (t->rows[i].kind < FILE_ARRAY && t->rows[i].files && !layouts_audit_row(layouts, &t->rows[i]))
			return true;
	return false;
}

enum status index_members(const struct find_options *find, const struct dataset_layouts *layouts,
			  struct member_images *out, struct error *err)
{
	struct find_options all = *find;
	struct indexer x = { .out = out, .fd = -1 };

	if (!has_images(find, layouts))
		return STATUS_OK;
	all.include_count = all.exclude_count = 0;
	all.shard = (struct shard){ 0, 0 };
	all.keep_standard_input = true;
	all.stop = stop_flag();
	all.members = (struct member_options){ .classify = choose_image, .chooser = layouts, .in_place = true };
	enum status status = source_each(&all, index_entry, &x, NULL, err);

	free(x.path);
	if (x.fd >= 0)
		close(x.fd);
	member_images_end(out);
	if (out->full)
		log_warning("more than %d members in archives: their images were not looked at", MEMBERS_MAX);
	return status;
}
