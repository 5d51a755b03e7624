#include "audit/fetch.h"

#include <fcntl.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "find/archive.h"
#include "find/member_folders.h"
#include "layout/probe.h"
#include "platform/platform.h"

enum {
	AHEAD_BYTES = 96 << 20,      /* of files that readers hold */
	ASKED_AHEAD_MIN = 256 << 10, /* a file for which the kernel is asked to read ahead */
	ASKED_AHEAD_MAX = 16 << 20,
};

void fetcher_init(struct fetcher *f, const struct settings *settings, const struct pairs *pairs,
		  const struct dataset_layouts *layouts, struct cache *cache)
{
	memset(f, 0, sizeof(*f));
	f->settings = settings;
	f->pairs = pairs;
	f->layouts = layouts;
	pthread_mutex_init(&f->lock, NULL);
	cache_reader_open(&f->cache, cache);
}

void fetcher_release(struct fetcher *f)
{
	cache_reader_close(&f->cache);
	pthread_mutex_destroy(&f->lock);
}

/* ---- what it is -------------------------------------------------------------------------------------------------- */

/* Returns whether the entry is one of the images of --images, in a folder that also holds the masks. */
static bool lies_below_images(const struct fetcher *f, const struct entry *entry)
{
	return f->settings->images.folder && !entry->is_explicit &&
	       pairs_is_image(f->pairs, entry->path, entry->rel_offset);
}

/* Returns whether the target of a symbolic link is a label file by its own name, too, which is audited as such. */
static bool is_audited_elsewhere(const struct fetcher *f, const struct entry *entry)
{
	if (!entry->link.target)
		return false;
	struct entry target = *entry;

	target.path = target.name = entry->link.target;
	target.rel_offset = entry->link.rel_offset;
	target.dirfd = AT_FDCWD;
	return !lies_below_images(f, &target) && classify_alone(&target, layout_of(f->layouts, entry)) != ENTRY_SKIP;
}

static struct classification left_out_by_walk(const struct fetcher *f, const struct entry *entry)
{
	return (struct classification){
		.class = ENTRY_SKIP,
		.reason = (enum skip_reason)entry->skip_reason,
		.looks_like_labels = classify_left_out(entry, layout_of(f->layouts, entry)),
		.unread = (enum unread_kind)entry->unread_kind,
	};
}

/* Classifies an entry that was found: what is left out, what is read. */
static struct classification classify(const struct fetcher *f, const struct entry *entry, struct entry_probe *probe,
				      struct fault *fault)
{
	if (entry->skip_reason != SKIP_NONE)
		return left_out_by_walk(f, entry);
	if (is_audited_elsewhere(f, entry))
		return (struct classification){ .class = ENTRY_SKIP, .reason = SKIP_LINK_REPEATED };
	if (lies_below_images(f, entry))
		return (struct classification){ .class = ENTRY_SKIP, .reason = SKIP_NAMED_IMAGE };
	return classify_entry(entry, layout_of(f->layouts, entry), probe, fault);
}

/* Returns whether an entry of class ENTRY_SKIP is an image whose label file should lie beside it, and does not. */
static bool lacks_label(const struct fetcher *f, const struct entry *entry)
{
	const enum skip_reason reason =
		(enum skip_reason)entry->skip_reason; /* of members, images are left out early */

	return !f->settings->images.folder &&
	       (reason == SKIP_NONE || reason == SKIP_IMAGE || reason == SKIP_NAMED_IMAGE) &&
	       classify_lacks_label(entry, layout_of(f->layouts, entry));
}

/* ---- its bytes --------------------------------------------------------------------------------------------------- */

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

/* Finds the state of a regular file, for the cache. Returns false if there is none, or nothing is cached. */
static bool find_state(const struct fetcher *f, const struct entry *entry, struct stat *st)
{
	return cache_has_any(&f->cache) && !entry->member && fstatat(entry->dirfd, entry->name, st, 0) == 0 &&
	       S_ISREG(st->st_mode);
}

static bool has_record(struct fetcher *f, const struct stat *st)
{
	pthread_mutex_lock(&f->lock);
	bool has = cache_has(&f->cache, st);

	pthread_mutex_unlock(&f->lock);
	return has;
}

/* Takes memory for what a reader reads. Returns false if there is none, or it is too long to be held. */
static bool reserve(struct fetched *f, uint64_t size)
{
	atomic_uint_fast64_t *all = &f->fetcher->bytes;
	uint64_t bytes = size + INPUT_PADDING;

	if (size > INPUT_WHOLE_MAX)
		return false;
	if (atomic_fetch_add(all, bytes) + bytes > AHEAD_BYTES) {
		atomic_fetch_sub(all, bytes);
		return false;
	}
	f->bytes = bytes;
	return true;
}

static void give_back(struct fetched *f)
{
	atomic_fetch_sub(&f->fetcher->bytes, f->bytes);
	f->bytes = 0;
}

/* Opens the file, unless the probe has it open, and reads it; but a reader reads no more than there is memory for. */
static bool read_file(struct fetched *f, struct entry_probe *probe, struct input *input, bool ahead)
{
	const struct entry *entry = f->entry;
	struct file_peek *file = &probe->file;

	if (file->fd < 0) {
		file->n = 0;
		file->fd = input_open_regular(entry->dirfd, entry->name, entry->path, &file->st, &f->fault);
		if (file->fd < 0)
			return false;
	}
	uint64_t size = (uint64_t)file->st.st_size;

	if (ahead && size >= ASKED_AHEAD_MIN)
		platform_will_read(file->fd, 0, MIN(size, (uint64_t)ASKED_AHEAD_MAX));
	if (ahead && !reserve(f, size))
		return false;
	f->task.bytes = MIN(size, (uint64_t)INPUT_WHOLE_MAX);
	return input_open_peeked(input, file, &f->fault);
}

bool fetched_read(struct fetched *f, struct input *input)
{
	struct entry_probe probe;

	if (f->entry->member)
		return open_member(f->entry, input, &f->fault);
	probe_init(&probe);
	bool read = read_file(f, &probe, input, false);

	probe_close(&probe);
	return read;
}

void fetched_take(struct fetched *f, struct input *input)
{
	struct input before = *input;

	give_back(f);
	*input = f->input;
	f->input = before;
	input_release(&f->input);
}

/* ---- the task ---------------------------------------------------------------------------------------------------- */

/* Label files of many images name them themselves, and need no partner. */
static bool may_have_partner(const struct fetcher *f, const struct entry *entry)
{
	return f->settings->images.folder && !file_name_ends_in(entry->name, ".json") &&
	       !file_name_ends_in(entry->name, ".csv") && pairs_covers(f->pairs, entry->path);
}

/* Returns whether the image of a YOLO text lies in another folder, below one named images, for which trainers look for
 * the text in labels/ in the place of that, and do not find it. */
static bool is_out_of_place(const struct entry *entry, const struct dataset_layout *layout, const char *place,
			    struct strbuf *image)
{
	const size_t folder = (size_t)(file_name_of(place) - place);

	return classify_find_image(entry, layout, image) == PARTNER_THERE && path_find_folder(image->s, "images") &&
	       strncmp(image->s, place, folder) != 0 && yolo_find_label(layout->members, image->s) != PARTNER_THERE;
}

/* Finds the image of a label file: by --images, or where YOLO or the layout of the set has it. */
static void find_image(struct fetched *f)
{
	const struct fetcher *by = f->fetcher;
	const struct entry *entry = f->entry;
	const struct dataset_layout *layout = layout_of(by->layouts, entry);
	const bool is_yolo = (layout->kinds & KIND_BIT(KIND_YOLO)) && file_name_ends_in(entry->name, ".txt");
	RELEASED struct strbuf room = STRBUF_INIT;
	const char *place = entry_place(entry, &room);

	if (is_yolo)
		f->yolo_image = yolo_find_image(layout->members, place, &f->partner.path);
	if (f->yolo_image == PARTNER_UNKNOWN && is_out_of_place(entry, layout, place, &f->partner.path))
		f->yolo_image = PARTNER_ELSEWHERE;
	if (may_have_partner(by, entry)) {
		pair_seek_image(&f->partner, entry->member ? member_name_plain(entry->member) : entry_rel_path(entry));
		f->has_partner = true;
	} else if (by->settings->images.judged && !by->settings->images.folder) {
		const enum yolo_partner found =
			is_yolo ? f->yolo_image : classify_find_image(entry, layout, &f->partner.path);

		if (found == PARTNER_THERE)
			pair_take_image(&f->partner, layout->members);
		else if (found == PARTNER_MISSING && !is_yolo)
			pair_take_none(&f->partner);
		f->has_partner = found == PARTNER_THERE || (found == PARTNER_MISSING && !is_yolo);
	}
}

static void fetch_labels(struct fetched *f, struct entry_probe *probe, bool ahead)
{
	const struct entry *entry = f->entry;
	struct fetcher *by = f->fetcher;
	struct sample unused;

	if (classify_by_folder(entry, layout_of(by->layouts, entry), &unused)) {
		f->has_partner = by->settings->images.judged && is_image_name(entry->name);
		if (f->has_partner)
			pair_take_self(&f->partner, by->layouts, entry);
		return;
	}
	f->cached = find_state(by, entry, &f->st) && (!ahead || has_record(by, &f->st));
	if (!f->cached)
		f->read = entry->member ? open_member(entry, f->into, &f->fault)
					: read_file(f, probe, ahead ? &f->input : f->into, ahead);
	/* a file that there is no memory for yet is read later, but its image is found here */
	if (f->fault.kind == FAULT_NONE && !(entry->member && is_npz_name(entry->path)))
		find_image(f);
}

static void fetch(struct task *task, bool ahead)
{
	struct fetched *f = (struct fetched *)task;
	const struct entry *entry = f->entry;
	struct entry_probe probe;

	if (entry->archive || (!f->fetcher->classes_only && (entry->failed || entry->standard_input)))
		return;
	probe_init(&probe);
	f->class = classify(f->fetcher, entry, &probe, &f->fault);
	if (!f->fetcher->classes_only) {
		if (f->class.class == ENTRY_SKIP)
			f->lacks_label = lacks_label(f->fetcher, entry);
		if (f->class.class == ENTRY_LABELS)
			fetch_labels(f, &probe, ahead);
	}
	probe_close(&probe);
	if (ahead)
		atomic_fetch_add_explicit(&f->fetcher->fetched, 1, memory_order_relaxed);
}

void fetched_init(struct fetched *f, struct fetcher *fetcher)
{
	memset(f, 0, sizeof(*f));
	f->task.run = fetch;
	f->fetcher = fetcher;
	input_init(&f->input);
	pair_seeker_init(&f->partner, fetcher->pairs);
}

void fetched_release(struct fetched *f)
{
	give_back(f);
	input_release(&f->input);
	pair_seeker_release(&f->partner);
}

void fetched_reset(struct fetched *f, const struct entry *entry)
{
	give_back(f);
	input_release(&f->input);
	f->entry = entry;
	f->read = f->cached = f->lacks_label = f->has_partner = f->names_images = false;
	f->pairing = NULL;
	f->image = NULL;
	f->yolo_image = PARTNER_UNASKED;
	f->partner.flat = false;
	fault_clear(&f->fault);
}

bool fetched_needs_storage(const struct fetched *f)
{
	const struct entry *e = f->entry;

	return !e->failed && !e->standard_input && !e->member && !e->archive;
}
