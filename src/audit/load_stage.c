#include "audit/load_stage.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/work_units.h"
#include "find/archive.h"
#include "find/member_folders.h"
#include "measure/image_content.h"
#include "png/raster_png.h"
#include "read/raster.h"
#include "read/unread_kind.h"

/* Standard input holds one label file; more than any limit on pixels could fill is refused while it is read. */
#define STANDARD_INPUT_MAX ((uint64_t)1 << 30)

/* Takes the result of an unchanged file from the cache, without opening it. Returns false if there is none. */
static bool take_cached(struct load_stage *l, const struct fetched *f, struct batch_item *item)
{
	if (!f->cached || !cache_take(&l->cache, &f->st, l->batch, item))
		return false;
	item->cached = true;
	item->cached_status = item->sample.status;
	item->sample.status = SAMPLE_SKIPPED; /* until it is judged */
	return true;
}

/* With --check-images, reads an image of a split, which is then compared with those of other splits. */
static void read_image(const struct load_stage *l, struct fetched *f, int dirfd, const char *name, const char *path,
		       unsigned split)
{
	if (l->settings->images.compared && split &&
	    image_content_read(dirfd, name, &l->settings->limits, f->image_content))
		f->image = path;
}

/* Reads an image that was met beside the label files, or in a class folder. */
static void read_own_image(const struct load_stage *l, struct fetched *f, unsigned split)
{
	const struct entry *entry = f->entry;

	if (!entry->member && !entry->skip_reason && is_image_name(entry->name))
		read_image(l, f, entry->dirfd, entry->name, entry->path, split);
}

/* Takes the bytes that were fetched, or reads the entry. Returns false if the sample's fault is set. */
static bool take_labels(struct fetched *f, struct batch_item *item)
{
	if (f->input.bytes)
		fetched_take(f, &item->input);
	else if (!f->read && f->fault.kind == FAULT_NONE)
		f->read = fetched_read(f, &item->input);
	if (!f->read)
		item->sample.fault = f->fault;
	return f->read;
}

/*
 * Opens a file or a member if it is to be read; *format is its format if that is known. Returns false if there is
 * nothing to read; then the sample says why, or the cache had it.
 */
static bool open_found(struct load_stage *l, struct fetched *f, struct batch_item *item,
		       const struct label_format **format)
{
	const struct entry *entry = f->entry;
	const struct classification *c = &f->class;
	struct sample *sample = &item->sample;

	if (f->fault.kind != FAULT_NONE)
		sample->fault = f->fault;
	if (c->class == ENTRY_SKIP) {
		sample->status = SAMPLE_SKIPPED;
		sample->left_out.reason = (uint8_t)c->reason;
		sample->left_out.looks_like_labels = c->looks_like_labels;
		sample->left_out.unread_kind = (uint8_t)c->unread;
		sample->left_out.lacks_label = f->lacks_label;
		if (c->reason != SKIP_NAMED_IMAGE || !l->settings->images.folder) /* else its label file adds it */
			read_own_image(l, f, sample->split);
		return false;
	}
	if (c->class == ENTRY_LABELS && classify_by_folder(entry, layout_of(l->layouts, entry), sample)) {
		read_own_image(l, f, sample->split);
		return false;
	}
	if (c->class == ENTRY_LABELS && take_cached(l, f, item))
		return false;
	*format = c->format;
	item->cacheable = !entry->member;
	if (c->class == ENTRY_LABELS && take_labels(f, item))
		return true;
	sample->status = SAMPLE_FAILED;
	return false;
}

/* Opens any entry, as open_found() does. */
static bool open_entry(struct load_stage *l, struct fetched *f, struct batch_item *item,
		       const struct label_format **format)
{
	const struct entry *entry = f->entry;
	struct sample *sample = &item->sample;

	*format = NULL;
	if (entry->archive && !entry->failed) {
		sample->status = SAMPLE_ARCHIVE;
		return false;
	}
	if (!entry->failed && !entry->standard_input)
		return open_found(l, f, item, format);
	if (!entry->failed && input_open_fd(&item->input, STDIN_FILENO, entry->bytes, entry->bytes_len,
					    STANDARD_INPUT_MAX, &sample->fault))
		return true;
	if (entry->failed)
		sample->fault = entry->fault;
	sample->status = SAMPLE_FAILED;
	return false;
}

/* Prepares to charge what the opened entry unpacks to. */
static void begin_charge(struct load_stage *l, const struct entry *entry, struct batch_item *item)
{
	uint64_t disk_bytes = entry->member ? entry->disk_bytes : MAX(item->input.size, (uint64_t)WORK_FILE_BYTES);

	l->charge.credit = size_mul_saturating(disk_bytes, WORK_UNITS_A_BYTE);
	item->input.meter = work_charge_meter(&l->charge);
}

/* Charges what a PNG declares, unless the decoder refuses it for that. Returns false if *fault is set. */
static bool charge_png(struct load_stage *l, struct batch_item *item, const uint8_t *head, size_t n,
		       struct fault *fault)
{
	const struct limits *limits = &l->settings->limits;
	uint64_t units = png_work_units(head, n), can_hold = size_mul_saturating(item->input.size, WORK_UNITS_A_BYTE);
	uint32_t width, height;

	if (units <= l->charge.credit || png_inflated_bytes(head, n) > can_hold)
		return true;
	png_header_parse_size(head + PNG_IHDR_AT, &width, &height);
	if (limits->max_pixels && limit_pixels(width, height) > limits->max_pixels)
		return true;
	item->cacheable = false; /* it is charged in each audit */
	if (GUARD(budget_of_pixels, !work_charge_png(&l->charge, head, n)))
		return fault_set(fault, FAULT_LIMIT, PNG_IHDR_AT,
				 "declares %" PRIu32 " x %" PRIu32 " pixels, more than %d for each of its bytes on "
				 "disk, and the audit's budget of %" PRIu64 " for such files is spent (--pixel-budget)",
				 width, height, WORK_UNITS_A_BYTE, l->budget->total);
	return true;
}

/*
 * Makes the input of a BMP, GIF or TIFF that of the equal PNG or .npy, whose first bytes become *head. Returns the
 * format of that, or NULL if the sample's fault is set.
 */
static const struct label_format *open_raster(struct load_stage *l, struct batch_item *item,
					      const struct label_format *format, uint8_t room[PEEK_BYTES],
					      const uint8_t **head, int64_t *n)
{
	struct sample *sample = &item->sample;
	const struct limits *limits = &l->settings->limits;
	const enum content content = identify(*head, (size_t)*n);
	struct raster raster = { 0 };
	bool is_array;

	item->cacheable = false; /* the cache knows PNGs alone */
	sample->left_out.unread_kind = (uint8_t)unread_kind_of(content, *head, (size_t)*n); /* if that is its fault */
	if (!raster_open(&raster, content, &item->input, l->settings->view, &sample->fault))
		return NULL;
	is_array = raster.array[0];
	sample->no_data = raster.no_data;
	if (!raster_as_png(&item->input, &raster, limits, &sample->fault))
		return NULL;
	sample->container = (uint8_t)format->format;
	*n = input_unpack(&item->input, room, head, limits, &sample->fault);
	return *n < 0 ? NULL : format_get(is_array ? FORMAT_NPY : FORMAT_PNG);
}

/*
 * Takes the image of a label file; with --images, finds it. Arrays in an .npz have no images beside them; COCO files
 * and lists of many images name these themselves; the files of an ImageFolder are the images.
 */
static void find_partner(const struct load_stage *l, struct fetched *f, const struct batch_item *item)
{
	const struct sample *sample = &item->sample;

	if ((sample->status == SAMPLE_SKIPPED && !item->cached) || (sample->member && is_npz_name(sample->path)) ||
	    sample->archive)
		return;
	if (!l->settings->images.folder || sample->format == FORMAT_FOLDER) {
		f->pairing = f->has_partner ? &f->partner.pairing : NULL;
		f->names_images |= sample->format == FORMAT_FOLDER;
		return;
	}
	if (!pairs_covers(l->pairs, sample->path))
		return;
	if (sample->format == FORMAT_COCO || (sample->format == FORMAT_LIST && !f->has_partner)) {
		f->names_images = true;
		return;
	}
	if (!f->has_partner)
		pair_seek_image(&f->partner, sample->member ? member_name_plain(sample->member) : sample->rel_path);
	f->has_partner = true;
	f->pairing = &f->partner.pairing;
	if (f->pairing->state == PAIR_FOUND)
		read_image(l, f, l->pairs->images_fd, f->pairing->partner + f->partner.name_at, f->pairing->partner,
			   sample->split);
}

/* Unpacks an open entry, recognises its format, and charges it. Returns false if *fault is set. */
static bool recognise(struct load_stage *l, const struct entry *entry, const struct label_format *format,
		      struct batch_item *item)
{
	struct sample *sample = &item->sample;
	uint8_t room[PEEK_BYTES];
	const uint8_t *head;
	int64_t n = input_unpack(&item->input, room, &head, &l->settings->limits, &sample->fault);

	if (n < 0)
		return false;
	if (!format)
		format = classify_format(entry, layout_of(l->layouts, entry), head, (size_t)n, &sample->fault);
	if (!format && sample->fault.kind == FAULT_UNREAD)
		sample->left_out.unread_kind = (uint8_t)unread_kind_of(identify(head, (size_t)n), head, (size_t)n);
	if (format && format_is_raster(format->format))
		format = open_raster(l, item, format, room, &head, &n);
	if (format)
		sample->format = format->format;
	item->cacheable &= !l->charge.unpacked;
	return format && (format->format != FORMAT_PNG || charge_png(l, item, head, (size_t)n, &sample->fault));
}

void load_entry(struct load_stage *l, struct fetched *f, uint64_t unit, struct batch_item *item)
{
	const struct entry *entry = f->entry;
	struct sample *sample = &item->sample;
	const struct label_format *format;

	l->charge = (struct work_charge){ .budget = l->budget, .number = unit };
	sample->path = entry->path;
	sample->rel_path = entry_rel_path(entry);
	sample->split = (uint8_t)source_split(l->source, entry);
	sample->is_explicit = entry->is_explicit || entry->standard_input;
	sample->member = entry->member;
	sample->typed_path = entry->typed_path;
	sample->member_flaws.repeated = entry->repeated;
	sample->member_flaws.name_cut = entry->name_cut;
	sample->archive = entry->archive;
	sample->yolo_image = (uint8_t)f->yolo_image;
	fault_clear(&sample->fault);
	fault_clear(&sample->warning);
	if (open_entry(l, f, item, &format)) {
		sample->file_bytes = item->input.size;
		begin_charge(l, entry, item);
		if (!recognise(l, entry, format, item))
			sample->status = SAMPLE_FAILED;
	}
	find_partner(l, f, item);
	if (f->has_partner && f->partner.pairing.sized)
		item->image = f->partner.pairing.size;
}
