/*
 * From an entry of the walk to an input whose format is known: classify it, look into the cache, open it, unpack it,
 * recognise its format.
 */
#include "audit/audit_state.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/work_units.h"
#include "png/raster_png.h"
#include "read/raster.h"
#include "read/unread_kind.h"

/* Standard input holds one label file; more than any limit on pixels could fill is refused while it is read. */
#define STANDARD_INPUT_MAX ((uint64_t)1 << 30)

/* For the files that audit_check_outputs() could not know: those of lists, and links to other places. */
static void check_replaced(struct worker *w, const struct stat *st)
{
	const struct target *target = w->audit->targets.count ? targets_find(&w->audit->targets, st) : NULL;

	if (GUARD(audited_file_replaced, target != NULL))
		w->replaced = target;
}

/* Takes the result of an unchanged file from the cache, without opening it. Returns false if there is none. */
static bool take_cached(struct worker *w, const struct entry *entry, const struct fetched *f, struct batch_item *item)
{
	struct stat st;

	if (f && !f->cached)
		return false;
	if (f)
		st = f->st;
	if ((!f && !fetch_state(&w->cache, entry, &st)) || !cache_take(&w->cache, &st, &w->batch, item))
		return false;
	check_replaced(w, &st);
	item->cached = true;
	item->cached_status = item->sample.status;
	item->sample.status = SAMPLE_SKIPPED; /* until it is judged */
	return true;
}

/* Compares an image that was met beside the label files, or in a class folder, with those of other splits. */
static void add_image(struct worker *w, const struct entry *entry, unsigned split)
{
	if (!entry->member && !entry->skip_reason && is_image_name(entry->name))
		worker_add_image(w, entry->dirfd, entry->name, entry->path, split);
}

/* Takes the bytes that were fetched, or opens the entry. Returns false if the sample's fault is set. */
static bool take_labels(struct worker *w, const struct entry *entry, struct fetched *f, struct batch_item *item,
			struct entry_probe *probe)
{
	if (!f || f->cached) /* its record is damaged */
		return fetch_open(entry, probe, &item->input, &item->sample.fault);
	if (f->opened)
		read_ahead_take(&w->audit->ahead, f, &item->input);
	return f->opened;
}

static struct classification classify(struct worker *w, const struct entry *entry, const struct fetched *f,
				      struct entry_probe *probe, struct fault *fault)
{
	if (!f)
		return fetch_class(&w->audit->fetching, entry, &w->folder, probe, fault);
	if (f->fault.kind != FAULT_NONE)
		*fault = f->fault;
	return f->class;
}

/*
 * Classifies a file or a member, and opens it if it is to be read; *format is its format if that is known. f: the same,
 * done before; or NULL. Returns false if there is nothing to read; then the sample says why, or the cache had it.
 */
static bool classify_and_open(struct worker *w, const struct entry *entry, struct fetched *f, struct batch_item *item,
			      const struct label_format **format, struct entry_probe *probe)
{
	const struct audit *a = w->audit;
	struct sample *sample = &item->sample;
	struct classification c = classify(w, entry, f, probe, &sample->fault);

	if (c.class == ENTRY_SKIP) {
		sample->status = SAMPLE_SKIPPED;
		sample->skip_reason = (uint8_t)c.reason;
		sample->looks_like_labels = c.looks_like_labels;
		sample->unread_kind = (uint8_t)c.unread;
		sample->lacks_label = f ? f->lacks_label : fetch_lacks_label(&a->fetching, entry);
		if (c.reason != SKIP_NAMED_IMAGE || !a->settings->pairing) /* else its label file adds it */
			add_image(w, entry, sample->split);
		return false;
	}
	if (c.class == ENTRY_LABELS && classify_by_folder(entry, layout_of(&a->layouts, entry), sample)) {
		add_image(w, entry, sample->split);
		return false;
	}
	if (c.class == ENTRY_LABELS && !entry->member && take_cached(w, entry, f, item))
		return false;
	*format = c.format;
	item->cacheable = !entry->member;
	if (c.class == ENTRY_LABELS && take_labels(w, entry, f, item, probe))
		return true;
	sample->status = SAMPLE_FAILED;
	return false;
}

/* Opens any entry, as classify_and_open() does. */
static bool open_entry(struct worker *w, const struct entry *entry, struct fetched *f, struct batch_item *item,
		       const struct label_format **format)
{
	struct sample *sample = &item->sample;
	struct entry_probe probe;

	*format = NULL;
	if (entry->archive && !entry->failed) {
		sample->status = SAMPLE_ARCHIVE;
		return false;
	}
	if (!entry->failed && !entry->standard_input) {
		probe_init(&probe);
		bool opened = classify_and_open(w, entry, f, item, format, &probe);

		probe_close(&probe);
		return opened;
	}
	if (!entry->failed && input_read_fd(&item->input, STDIN_FILENO, entry->bytes, entry->bytes_len,
					    STANDARD_INPUT_MAX, &sample->fault))
		return true;
	if (entry->failed)
		sample->fault = entry->fault;
	sample->status = SAMPLE_FAILED;
	return false;
}

/* Prepares to charge what the opened entry unpacks to. */
static void begin_charge(struct worker *w, const struct entry *entry, struct batch_item *item)
{
	uint64_t disk_bytes = entry->member ? entry->disk_bytes : MAX(item->input.size, (uint64_t)WORK_FILE_BYTES);

	w->charge.credit = size_mul_saturating(disk_bytes, WORK_UNITS_A_BYTE);
	item->input.meter = work_charge_meter(&w->charge);
}

/* Charges what a PNG declares, unless the decoder refuses it for that. Returns false if *fault is set. */
static bool charge_png(struct worker *w, struct batch_item *item, const uint8_t *head, size_t n, struct fault *fault)
{
	const struct limits *limits = &w->audit->settings->limits;
	uint64_t units = png_work_units(head, n), can_hold = size_mul_saturating(item->input.size, WORK_UNITS_A_BYTE);
	uint32_t width, height;

	if (units <= w->charge.credit || png_inflated_bytes(head, n) > can_hold)
		return true;
	png_header_parse_size(head + PNG_IHDR_AT, &width, &height);
	if (limits->max_pixels && limit_pixels(width, height) > limits->max_pixels)
		return true;
	item->cacheable = false; /* it is charged in each audit */
	if (GUARD(budget_of_pixels, !work_charge_png(&w->charge, head, n)))
		return fault_set(fault, FAULT_LIMIT, PNG_IHDR_AT,
				 "declares %" PRIu32 " x %" PRIu32 " pixels, more than %d for each of its bytes on "
				 "disk, and the audit's budget of %" PRIu64 " for such files is spent (--pixel-budget)",
				 width, height, WORK_UNITS_A_BYTE, w->audit->budget.total);
	return true;
}

/*
 * Makes the input of a BMP or a GIF that of the equal PNG, whose first bytes become *head. Returns the format of that,
 * or NULL if the sample's fault is set.
 */
static const struct label_format *open_raster(struct worker *w, struct batch_item *item,
					      const struct label_format *format, uint8_t room[PEEK_BYTES],
					      const uint8_t **head, int64_t *n)
{
	struct sample *sample = &item->sample;
	const struct limits *limits = &w->audit->settings->limits;
	bool bmp = format->format == FORMAT_BMP;
	struct raster raster = { 0 };

	item->cacheable = false;                             /* the cache knows PNGs alone */
	sample->unread_kind = bmp ? UNREAD_BMP : UNREAD_GIF; /* if that is its fault */
	if (!(bmp ? bmp_open : gif_open)(&raster, &item->input, &sample->fault) ||
	    !raster_as_png(&item->input, &raster, limits, &sample->fault))
		return NULL;
	sample->container = (uint8_t)format->format;
	*n = input_unpack(&item->input, room, head, limits, &sample->fault);
	return *n < 0 ? NULL : format_of_kind(KIND_MASK);
}

void load_entry(struct worker *w, const struct entry *entry, struct fetched *f, struct batch_item *item)
{
	const struct audit *a = w->audit;
	struct sample *sample = &item->sample;
	const struct label_format *format;

	if (f && f->left)
		f = NULL;
	w->charge = (struct work_charge){ .budget = &w->audit->budget, .number = w->unit.number };
	sample->path = entry->path;
	sample->rel_path = entry_rel_path(entry);
	sample->split = (uint8_t)source_split(a->source, entry);
	sample->is_explicit = entry->is_explicit || entry->standard_input;
	sample->member = entry->member;
	sample->typed_path = entry->typed_path;
	sample->member_repeated = entry->repeated;
	sample->member_name_cut = entry->name_cut;
	sample->archive = entry->archive;
	sample->yolo_image = (uint8_t)(f ? f->yolo_image : PARTNER_UNASKED);
	fault_clear(&sample->fault);
	fault_clear(&sample->warning);
	if (!open_entry(w, entry, f, item, &format))
		return;
	if (!entry->member)
		check_replaced(w, &item->input.st);
	sample->file_bytes = item->input.size;
	begin_charge(w, entry, item);

	uint8_t room[PEEK_BYTES];
	const uint8_t *head;
	int64_t n = input_unpack(&item->input, room, &head, &a->settings->limits, &sample->fault);

	if (n < 0) {
		sample->status = SAMPLE_FAILED;
		return;
	}
	if (!format)
		format = classify_format(entry, layout_of(&a->layouts, entry), head, (size_t)n, &sample->fault);
	if (!format && sample->fault.kind == FAULT_UNREAD)
		sample->unread_kind = (uint8_t)unread_kind_of(identify(head, (size_t)n), head, (size_t)n);
	if (format && (format->format == FORMAT_BMP || format->format == FORMAT_GIF))
		format = open_raster(w, item, format, room, &head, &n);
	if (format)
		sample->format = format->format;
	item->cacheable &= !w->charge.unpacked;
	if (!format || (format->format == FORMAT_PNG && !charge_png(w, item, head, (size_t)n, &sample->fault)))
		sample->status = SAMPLE_FAILED;
}
