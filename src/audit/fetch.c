#include "audit/fetch.h"

#include <fcntl.h>
#include <string.h>

#include "base/late.h"
#include "find/archive.h"
#include "layout/probe.h"

/* Returns whether the entry is one of the images of --images, in a folder that also holds the masks. */
static bool lies_below_images(const struct fetch_options *o, const struct entry *entry)
{
	return o->settings->pairing && !entry->is_explicit && pairs_is_image(o->pairs, entry->path, entry->rel_offset);
}

bool is_audited_elsewhere(const struct fetch_options *o, const struct entry *entry)
{
	if (!entry->link_target)
		return false;
	struct entry target = *entry;

	target.path = target.name = entry->link_target;
	target.rel_offset = entry->link_rel_offset;
	target.dirfd = AT_FDCWD;
	return !lies_below_images(o, &target) && classify_alone(&target, layout_of(o->layouts, entry)) != ENTRY_SKIP;
}

bool fetch_state(const struct cache_reader *cache, const struct entry *entry, struct stat *st)
{
	if (!cache->connection)
		return false;
	return late_fstatat(entry->dirfd, entry->name, st, 0) == 0 && S_ISREG(st->st_mode);
}

static struct classification left_out_by_walk(const struct fetch_options *o, const struct entry *entry,
					      struct folder_role *folder)
{
	return (struct classification){
		.class = ENTRY_SKIP,
		.reason = (enum skip_reason)entry->skip_reason,
		.looks_like_labels = classify_left_out(entry, folder, layout_of(o->layouts, entry)),
		.unread = (enum unread_kind)entry->unread_kind,
	};
}

struct classification fetch_class(const struct fetch_options *o, const struct entry *entry, struct folder_role *folder,
				  struct entry_probe *probe, struct fault *fault)
{
	folder_role_enter(folder, entry);
	if (entry->skip_reason != SKIP_NONE)
		return left_out_by_walk(o, entry, folder);
	if (is_audited_elsewhere(o, entry))
		return (struct classification){ .class = ENTRY_SKIP, .reason = SKIP_LINK_REPEATED };
	if (lies_below_images(o, entry))
		return (struct classification){ .class = ENTRY_SKIP, .reason = SKIP_NAMED_IMAGE };
	return classify_entry(entry, folder, layout_of(o->layouts, entry), probe, fault);
}

bool fetch_lacks_label(const struct fetch_options *o, const struct entry *entry)
{
	return !o->settings->pairing && !entry->member && !entry->skip_reason &&
	       classify_lacks_label(entry, layout_of(o->layouts, entry));
}

/* Opens a member of an archive: in the unit's memory, or a stream, whose length the archive declares. */
static bool open_member(const struct entry *entry, struct input *input, struct fault *fault)
{
	const struct input_stream stream = { .self = entry->stream, .read = archive_stream_read };

	_Static_assert((uint64_t)INPUT_WHOLE_MAX == (uint64_t)UNIT_MEMBER_MAX, "what is streamed is so for both");
	if (!entry->stream) {
		input_from_memory(input, entry->bytes, entry->bytes_len);
		return true;
	}
	if (!input_from_stream(input, &stream, fault))
		return false;
	if (!input->bytes)
		input->size = entry->size;
	return true;
}

bool fetch_open_file(const struct entry *entry, struct file_peek *file, struct fault *fault)
{
	if (file->fd >= 0)
		return true;
	file->n = 0;
	file->fd = input_open_regular(entry->dirfd, entry->name, entry->path, &file->st, fault);
	return file->fd >= 0;
}

bool fetch_open(const struct entry *entry, struct entry_probe *probe, struct input *input, struct fault *fault)
{
	if (entry->member)
		return open_member(entry, input, fault);
	return fetch_open_file(entry, &probe->file, fault) && input_open_peeked(input, &probe->file, fault);
}
