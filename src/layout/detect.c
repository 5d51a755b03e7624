#include "layout/detect.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/listings.h"
#include "layout/archive_pairs.h"
#include "layout/folder_role.h"
#include "layout/image_folder.h"
#include "layout/left_out.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/text_probe.h"
#include "read/identify.h"

#define GRID_KINDS (KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)) /* both hold masks, and may lie in one folder */
#define ALL_KINDS  (~0u)

/* A tree of a million files has few extensions, and some files of each show what they hold. */
enum { EXTENSIONS_MAX = 64, PROBES_PER_EXTENSION = 32, EXTENSION_BYTES = 16 };

enum {
	/*
	 * Entries after the first mask in which the images are looked for: by names alone, some milliseconds. Fewer
	 * members, since those have to be unpacked; the parts of a sample follow each other.
	 */
	FILES_SINCE_MASK = 4096,
	MEMBERS_SINCE_MASK = 64,
	SAMPLE_NAME_MAX = 128,
};

/* The state of a detection walk. One thread. */
struct detection {
	const struct find_options *find;
	const char *preset_files;   /* as in struct settings; or NULL */
	struct dataset_layout *out; /* the walk fills the kinds of names that were seen */
	bool probe_pngs;            /* decide of PNGs whether they are photos */

	unsigned kinds;              /* a KIND_BIT each */
	unsigned lfs_kinds;          /* that git-lfs pointers replace */
	bool photos;                 /* images that cannot be masks, by their content */
	bool loose_photos;           /* the same by their names, not in images/ and its like */
	bool tables;                 /* that do not seem to hold labels */
	bool annotated;              /* photos with annotations of a kind that is not read */
	bool pngs_are_photos;        /* some are */
	bool masks_among_images;     /* PNGs in images/ and its like */
	bool plain_in_archive;       /* PNGs without a word before .png */
	bool archive_unfinished;     /* an archive was not read to its end */
	uint64_t unread;             /* times that something could not be read */
	unsigned entries_since_mask; /* a member counts as FILES_SINCE_MASK / MEMBERS_SINCE_MASK */

	struct photo_probe photo_probe;
	struct photo_candidates candidates; /* unless probe_pngs */
	struct archive_pairs pairs;
	struct image_folder_detection image_folder;

	/* The last entry's folder, and what was done for its first files, once for all of them. */
	struct folder_role folder;
	bool photo_added;    /* to image_folder */
	bool candidate_kept; /* one of its PNGs */
	bool panoptic_known, panoptic;

	/* The current WebDataset sample: consecutive members with the same name up to the first dot. */
	char sample[SAMPLE_NAME_MAX];
	bool sample_has_plain, sample_has_label, sample_has_photo, sample_has_text;

	struct {
		char text[EXTENSION_BYTES];
		unsigned probes;
	} extensions[EXTENSIONS_MAX];
	size_t extensions_count;
};

/* Returns whether enough files of this extension were probed, or too many extensions came before it. */
static bool is_probed_enough(struct detection *d, const char *name)
{
	const char *extension = file_name_extension(name);
	size_t at = 0;

	while (at < d->extensions_count && strncasecmp(d->extensions[at].text, extension, EXTENSION_BYTES - 1) != 0)
		at++;
	if (at == EXTENSIONS_MAX)
		return true;
	if (at == d->extensions_count) {
		d->extensions_count++;
		strncpy(d->extensions[at].text, extension, EXTENSION_BYTES - 1);
	}
	return d->extensions[at].probes++ >= PROBES_PER_EXTENSION;
}

/* Returns whether a JSON file annotates photos: beside its photo, as those of labelme, or metadata.jsonl. */
static bool describes_photos(const struct entry *entry)
{
	char name[PATH_MAX];
	struct stat st;

	if (file_name_ends_in(entry->name, ".jsonl"))
		return true;
	for (const char *const *extension = annotated_photo_extensions; !entry->member && *extension; extension++) {
		int stem = (int)(strlen(entry->name) - strlen(file_name_extension(entry->name)));
		int n = snprintf(name, sizeof(name), "%.*s%s", stem, entry->name, *extension);

		if (n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0)
			return true;
	}
	return false;
}

static void observe_head(struct detection *d, const struct entry *entry, const struct file_head *head)
{
	const struct label_format *format = format_recognise(head, ALL_KINDS);

	d->lfs_kinds |= lfs_pointer_kinds(head);
	d->annotated |=
		head->content == CONTENT_XML || (head->content == CONTENT_JSON && !format && describes_photos(entry));
	if (!format)
		d->photos |= content_is_photo(head->content);
	else if (format->kind == KIND_LIST && !table_has_labels(head))
		d->tables = true;
	else
		d->kinds |= KIND_BIT(format->kind);
	if (format && format->kind == KIND_COCO && entry->member)
		archive_pairs_add_coco(&d->pairs, entry);
}

/* Probes what is no PNG, unless its like was probed often enough. */
static void observe_content(struct detection *d, const struct entry *entry)
{
	struct fault ignored;
	struct entry_probe probe;

	if (is_clutter_name(file_name_of(entry->name)) || is_probed_enough(d, entry->name))
		return;
	fault_clear(&ignored);
	probe_init(&probe);
	if (!probe_entry(&probe, entry, &ignored))
		d->unread++;
	else if (probe.head.n)
		observe_head(d, entry, &probe.head);
	probe_close(&probe);
}

/* If a WebDataset sample holds a plain PNG and a label, that PNG is an image, and so are those of other samples. */
static void observe_sample(struct detection *d, const struct entry *entry)
{
	const char *name = entry->member, *dot = strchr(file_name_of(name), '.');
	size_t n = dot ? (size_t)(dot - name) : 0;

	if (!n || n >= SAMPLE_NAME_MAX)
		return;
	if (strncmp(d->sample, name, n) != 0 || d->sample[n]) {
		snprintf(d->sample, sizeof(d->sample), "%.*s", (int)n, name);
		d->sample_has_plain = d->sample_has_label = d->sample_has_photo = d->sample_has_text = false;
	}
	d->sample_has_photo |= is_image_name(name);
	d->sample_has_text |= file_name_ends_in(name, ".json") || file_name_ends_in(name, ".txt");
	d->annotated |= d->sample_has_photo && d->sample_has_text;
	d->sample_has_label |= role_of_sample(name) == ROLE_LABELS;
	d->sample_has_plain |= !strcasecmp(dot, ".png");
	d->out->sample_roles |= d->sample_has_plain && d->sample_has_label;
}

/* Returns whether a PNG is a photo. A walk that does not probe PNGs does so only with `probe`, and keeps a candidate.
 */
static bool is_photo(struct detection *d, const struct entry *entry, bool probe)
{
	if (!d->probe_pngs && !d->candidate_kept)
		photo_candidates_add(&d->candidates, entry);
	d->candidate_kept = true;
	return (probe || d->probe_pngs) && photo_probe_png(&d->photo_probe, entry);
}

/* A PNG that is not in images/ or its like. */
static void observe_mask(struct detection *d, const struct entry *entry)
{
	const char *name = entry->name;
	bool among_labels = d->folder.role == ROLE_LABELS;
	size_t stem, suffix = role_label_suffix(name, &stem), folder_suffix = d->folder.suffix_len;
	bool in_class_folder = !d->image_folder.stray && (entry->member || d->image_folder.listed) &&
			       (d->pngs_are_photos || !(d->kinds & KIND_BIT(KIND_MASK)));

	d->out->prefix_roles |= role_of_prefix(name) == ROLE_LABELS;
	if (entry->member ? !among_labels && !suffix && !folder_suffix && role_of_sample(name) != ROLE_LABELS
			  : !suffix && d->folder.walked_role != ROLE_LABELS) {
		if (is_photo(d, entry, in_class_folder)) {
			d->pngs_are_photos = true;
			return;
		}
		if (entry->member) {
			d->plain_in_archive = true;
			return;
		}
	}
	d->kinds |= KIND_BIT(KIND_MASK);
	d->out->folder_roles |= among_labels;
	if (folder_suffix && folder_suffix < LABEL_SUFFIX_MAX && !d->out->folder_suffix[0])
		snprintf(d->out->folder_suffix, sizeof(d->out->folder_suffix), "%.*s", (int)folder_suffix,
			 d->folder.suffix);
	if (suffix && suffix < LABEL_SUFFIX_MAX && !d->out->label_suffix[0] && !entry->member)
		snprintf(d->out->label_suffix, sizeof(d->out->label_suffix), "%.*s", (int)suffix, name + stem);
}

static void observe_png(struct detection *d, const struct entry *entry)
{
	if (d->folder.role != ROLE_IMAGES)
		observe_mask(d, entry);
	/* YOLO and COCO keep their photos there, some data sets their masks */
	else if (is_photo(d, entry, false))
		d->pngs_are_photos = true;
	else
		d->masks_among_images = true;
}

static void observe_array(struct detection *d, const struct entry *entry)
{
	d->out->folder_roles |= d->folder.role == ROLE_LABELS;
	d->out->array_roles |= d->folder.role != ROLE_IMAGES && role_of_array(entry->name) == ROLE_LABELS;
}

/* A file with the name of an image that is no PNG: somebody may have saved a mask so. */
static void observe_photo(struct detection *d, const struct entry *entry)
{
	d->loose_photos |= d->folder.role != ROLE_IMAGES;
	d->out->label_names_only |= has_label_name(entry, &d->folder);
}

/* Returns whether a PNG belongs to COCO panoptic annotations. */
static bool is_panoptic(struct detection *d, const struct entry *entry)
{
	if (entry->member)
		return archive_pairs_are_panoptic(&d->pairs, entry);
	if (!d->panoptic_known)
		d->panoptic = photo_probe_is_panoptic(entry);
	d->panoptic_known = true;
	return d->panoptic;
}

/*
 * Returns whether an archive holds PNGs with names of masks, and others, and it is not known yet whether these are
 * their images: that takes one pair, or else all folders.
 */
static bool seeks_partners(const struct detection *d)
{
	return d->pairs.images && (d->out->folder_suffix[0] || (d->pairs.masks && !d->pairs.pairs));
}

/* Returns true once no further entry can change the outcome. */
static bool observe_entry(struct detection *d, const struct entry *entry)
{
	if (entry->archive_unfinished)
		d->archive_unfinished = true;
	d->unread += entry->failed && !entry->archive && !entry->member; /* a member cannot be readable the next time */
	if (entry->failed || entry->standard_input || entry->archive || entry->skip_reason)
		return false;
	bool png = is_png_name(entry->name);

	if (folder_role_enter(&d->folder, entry))
		d->photo_added = d->candidate_kept = d->panoptic_known = false;
	if (entry->is_explicit) { /* a member: of an .npz */
		if (entry->member)
			observe_array(d, entry);
		return false;
	}
	if (png || is_image_name(entry->name))
		if (!d->photo_added)
			image_folder_detection_add(&d->image_folder, entry);
	d->photo_added = !entry->member;
	if (!png && is_image_name(entry->name))
		observe_photo(d, entry);
	if (is_array_name(entry->name))
		observe_array(d, entry);
	if (d->preset_files && png && is_preset_file(entry_inner_path(entry), d->preset_files))
		d->out->preset_files = d->preset_files;
	if (entry->member)
		observe_sample(d, entry);
	if (!png)
		observe_content(d, entry);
	else if (is_panoptic(d, entry))
		d->pngs_are_photos = true;
	else
		observe_png(d, entry);
	if (entry->member && png)
		archive_pairs_add(&d->pairs, entry);
	if ((d->kinds & GRID_KINDS || d->plain_in_archive) && !(entry->member && seeks_partners(d)))
		d->entries_since_mask += entry->member ? FILES_SINCE_MASK / MEMBERS_SINCE_MASK : 1;
	return d->entries_since_mask > FILES_SINCE_MASK;
}

/* Returns the first group of kinds, in the order of classify.h, of which a file was seen. */
static unsigned audited_kinds(const struct detection *d)
{
	static const enum kind before_images[] = { KIND_YOLO, KIND_COCO };
	static const enum kind after_masks[] = { KIND_IDX, KIND_LIST };

	if (d->kinds & GRID_KINDS || (d->plain_in_archive && !d->out->sample_roles))
		return GRID_KINDS;
	for (size_t i = 0; i < ARRAY_SIZE(before_images); i++)
		if (d->kinds & KIND_BIT(before_images[i]))
			return KIND_BIT(before_images[i]);
	for (size_t i = 0; i < ARRAY_SIZE(after_masks) && !d->masks_among_images; i++)
		if (d->kinds & KIND_BIT(after_masks[i]))
			return KIND_BIT(after_masks[i]);
	return GRID_KINDS;
}

static bool is_image_folder(const struct detection *d, const struct settings *settings)
{
	if (!(d->photos || d->pngs_are_photos) || d->kinds || d->plain_in_archive || d->masks_among_images ||
	    d->archive_unfinished)
		return false;
	return image_folder_detection_fits(&d->image_folder, id_ranges_size(&settings->classes.classes));
}

/* Moves the folders to *out. */
static void become_image_folder(struct dataset_layout *out, struct class_folders *folders)
{
	*out = (struct dataset_layout){ .explicit_kinds = KIND_BIT(KIND_IMAGEFOLDER),
					.kinds = KIND_BIT(KIND_IMAGEFOLDER) };
	out->folders = xmalloc(sizeof(*out->folders));
	*out->folders = *folders;
	memset(folders, 0, sizeof(*folders));
}

static bool observe_until_certain(void *self, const struct entry *entry)
{
	return !observe_entry(self, entry);
}

static enum status open_image_folder(const struct find_options *find, struct dataset_layout *out, struct error *err)
{
	struct class_folders folders;

	if (image_folder_open(&folders, find, err) != STATUS_OK)
		return STATUS_FAILED;
	become_image_folder(out, &folders);
	return STATUS_OK;
}

static void detection_init(struct detection *d, const struct find_options *find, const struct settings *settings,
			   bool probe_pngs, struct dataset_layout *out)
{
	*out = (struct dataset_layout){ .explicit_kinds = ALL_KINDS, .kinds = GRID_KINDS };
	*d = (struct detection){ .find = find, .preset_files = settings->files, .probe_pngs = probe_pngs, .out = out };
	photo_candidates_init(&d->candidates);
	image_folder_detection_init(&d->image_folder, find);
	folder_role_init(&d->folder);
}

static void detection_release(struct detection *d)
{
	image_folder_detection_release(&d->image_folder);
	photo_candidates_release(&d->candidates);
}

static uint64_t times_unread(const struct detection *d)
{
	return d->unread + d->photo_probe.unread + d->image_folder.unread;
}

/* Walks, and keeps the listings of this walk alone: the audit reads again what the last walk could not. */
static enum status walk_once(struct detection *d, const struct find_options *find, struct error *err)
{
	if (find->leave_listings)
		listings_release(find->leave_listings);
	return source_each(find, observe_until_certain, d, err);
}

/*
 * Walks a second time if something could not be read, and takes the result of the walk that read more. If the audit can
 * read it, a passing error must not decide what the data set is.
 */
static enum status walk_files(struct detection *d, const struct settings *settings, struct error *err)
{
	struct find_options whole = *d->find;
	struct dataset_layout second_out;
	struct detection second;

	whole.shard = (struct shard){ 0, 0 }; /* all parts of a data set must get the same answer */
	whole.heads_only = whole.keep_standard_input = true;
	whole.stop = PLANTED(detection_deaf_to_signals, stop_flag(), NULL);
	whole.member_folders = &d->image_folder.packed;
	enum status status = walk_once(d, &whole, err);

	if (status != STATUS_OK || !times_unread(d))
		return status;
	detection_init(&second, d->find, settings, d->probe_pngs, &second_out);
	whole.member_folders = &second.image_folder.packed;
	status = walk_once(&second, &whole, err);
	if (times_unread(&second) < times_unread(d)) {
		detection_release(d);
		*d->out = second_out;
		second.out = d->out;
		*d = second;
	} else {
		detection_release(&second);
	}
	return status;
}

/*
 * Returns whether the PNGs taken for masks may be photos that texts annotate, be it texts that were not reached. If no
 * candidate is a photo, a walk that probes PNGs has the same result.
 */
static bool needs_photo_probe(const struct detection *d)
{
	bool texts = (d->kinds & ~GRID_KINDS) || d->lfs_kinds || d->tables || d->entries_since_mask > FILES_SINCE_MASK;

	return texts && ((d->kinds & KIND_BIT(KIND_MASK)) || d->plain_in_archive || d->masks_among_images) &&
	       (d->pngs_are_photos || d->pairs.panoptic_count || photo_candidates_may_be_photos(&d->candidates));
}

enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layout *out,
			  struct error *err)
{
	enum kind kind = settings->kind;
	struct detection d;

	if (kind != KIND_AUTO) {
		*out = (struct dataset_layout){ .explicit_kinds = KIND_BIT(kind),
						.kinds = KIND_BIT(kind),
						.photos_as_masks = kind == KIND_MASK };
		return kind == KIND_IMAGEFOLDER ? open_image_folder(find, out, err) : STATUS_OK;
	}
	detection_init(&d, find, settings, false, out);
	if (find->files_from) /* listed files are explicit, and a list on standard input can be read only once */
		return STATUS_OK;
	enum status status = walk_files(&d, settings, err);

	if (status == STATUS_OK && !stop_signal() && needs_photo_probe(&d)) {
		struct archive_pairs seen = d.pairs; /* the JSON may come after its folder */

		detection_release(&d);
		detection_init(&d, find, settings, true, out);
		memcpy(d.pairs.panoptic, seen.panoptic, sizeof(seen.panoptic));
		d.pairs.panoptic_count = seen.panoptic_count;
		status = walk_files(&d, settings, err);
	}
	if (!d.kinds)
		d.kinds = d.lfs_kinds;
	image_folder_detection_end(&d.image_folder);
	bool image_folder = status == STATUS_OK && !stop_signal() && is_image_folder(&d, settings);

	out->some_tables_have_labels = d.kinds & KIND_BIT(KIND_LIST);
	if (!d.kinds && d.tables)
		d.kinds = KIND_BIT(KIND_LIST);
	out->kinds = audited_kinds(&d);
	bool meant_as_masks = out->label_names_only || (d.loose_photos && !d.annotated);

	out->photos_as_masks = d.photos && meant_as_masks && !d.kinds && !d.plain_in_archive && !d.pngs_are_photos &&
			       !d.masks_among_images && !d.archive_unfinished;
	out->archive_pairs = d.pairs.pairs;
	if (out->folder_suffix[0] && d.image_folder.packed.count && !d.image_folder.packed.too_many) {
		out->packed = xmalloc(sizeof(*out->packed));
		*out->packed = d.image_folder.packed;
		memset(&d.image_folder.packed, 0, sizeof(d.image_folder.packed));
	}
	if (image_folder)
		become_image_folder(out, &d.image_folder.folders);
	detection_release(&d);
	return status;
}
