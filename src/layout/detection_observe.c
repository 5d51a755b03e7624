/*
 * Notes what a walk sees of each entry: its name, folder, extension and sample, and the first bytes of some files of
 * each extension.
 */
#include "layout/detection.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "find/names.h"
#include "layout/archive_pairs.h"
#include "layout/evidence.h"
#include "layout/folder_role.h"
#include "layout/image_folder.h"
#include "layout/jpeg_sample.h"
#include "layout/left_out.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/probe_ahead.h"
#include "layout/sampling.h"
#include "layout/text_probe.h"
#include "read/identify.h"
#include "read/text_shape.h"

enum {
	/*
	 * After this number of masks the walk ends, unless label files of another family were seen: by names alone,
	 * they cost some milliseconds. Fewer members, since those have to be unpacked; the parts of a sample follow
	 * each other.
	 */
	FILES_SINCE_MASK = 4096,
	MEMBERS_SINCE_MASK = 64,
	/* After this number of masks, and no photo, the PNGs in class folders are masks. */
	MASKS_FIRST = 4,
};

/*
 * Returns how many files of its extension an entry stands for, if it is to be probed; 0: it is not. The first ones are
 * all probed, and of n some log2(n) more, spread by a hash of their names.
 */
static uint64_t stands_for(struct extensions *e, const struct entry *entry)
{
	const char *extension = file_name_extension(entry->name);
	size_t at = 0;

	if (is_clutter_name(file_name_of(entry->name)))
		return 0;
	while (at < e->count && strncasecmp(e->v[at].text, extension, EXTENSION_BYTES - 1) != 0)
		at++;
	if (at == EXTENSIONS_MAX)
		return 0;
	if (at == e->count) {
		e->count++;
		strncpy(e->v[at].text, extension, EXTENSION_BYTES - 1);
	}
	e->v[at].unprobed++;
	if (sample_hash(entry) & sample_mask(e->v[at].seen++ / PROBES_PER_EXTENSION))
		return 0;
	uint64_t files = e->v[at].unprobed;

	e->v[at].unprobed = 0;
	return files;
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

/* Hashes an entry's path without its extension. */
static uint64_t hash_stem(const struct entry *entry)
{
	const char *path = entry_inner_path(entry);

	return hash_bytes(hash_seed(), path, strlen(path) - strlen(file_name_extension(path)));
}

/* Returns whether a text lies beside the PNG of its name, which was seen just before: names are sorted. */
static bool is_beside_png(const struct detection *d, const struct entry *entry)
{
	return d->png_stem == hash_stem(entry);
}

/* Returns whether it is an image that would be a mask if its place said so: a BMP or a GIF. */
static bool is_flat_image(const struct file_head *head)
{
	struct file_head placed = *head;

	placed.is_mask_place = true;
	return content_is_photo(head->content) && format_recognise(&placed, KIND_BIT(KIND_MASK));
}

/* Adds masks in BMP or GIF, which their names call so. */
static void add_named_masks(struct detection *d, uint64_t files)
{
	d->evidence.masks += files;
	d->evidence.named += files;
	d->out->folder_roles |= d->folder.role == ROLE_LABELS;
}

/* Returns the role of an entry's folders, that of the PATH included. */
static enum role role_of_place(const struct detection *d, const struct entry *entry)
{
	return !entry->member && d->folder.role == ROLE_UNKNOWN ? d->folder.walked_role : d->folder.role;
}

/* Adds a table that has the column of --column. */
static void add_table_with_column(struct dataset_layout *layout, const struct file_head *head)
{
	const unsigned width = table_width(head);

	layout->tables_width = layout->some_tables_have_column && layout->tables_width != width ? 0 : width;
	layout->some_tables_have_column = true;
}

/* Adds a table with a header that names a column of labels. */
static void add_table_of_labels(struct dataset_layout *layout, const struct file_head *head)
{
	const unsigned width = table_width(head);

	layout->labels_width = layout->some_tables_name_labels && layout->labels_width != width ? 0 : width;
	layout->some_tables_name_labels = true;
}

static void observe_head(struct detection *d, const struct entry *entry, struct entry_probe *probe, uint64_t files)
{
	const struct file_head *head = &probe->head;

	if (head->content == CONTENT_OWN_REPORT)
		return;
	probe->head.is_mask_place = is_mask_place(entry, &d->folder, false);
	const struct label_format *format = format_recognise(head, ALL_KINDS);
	bool coco = !format && has_coco_further_on(entry, probe);
	const enum unread_kind unread = unread_kind_of(head->content, head->head, head->n);
	const bool xml = left_out_is_xml(head);

	d->lfs_kinds |= lfs_pointer_kinds(head);
	if (unread_kind_reason(unread) == SKIP_UNREAD_ANNOTATION || unread_kind_is_dataset(unread) ||
	    (!format && unread != UNREAD_NONE && is_mask_place(entry, &d->folder, !unread_kind_is_image(unread))))
		evidence_add_unread(&d->evidence, entry, probe, unread, files);
	else if ((head->content == CONTENT_JSON || xml) && !format && !coco && !is_name_of_source(entry->name))
		evidence_add_unread(&d->evidence, entry, probe, unread, files);
	d->annotated |= unread_kind_reason(unread) == SKIP_UNREAD_ANNOTATION || xml ||
			(head->content == CONTENT_JSON && !format && !coco && describes_photos(entry));
	if (!format && !coco) {
		if (head->content == CONTENT_UNKNOWN && unread == UNREAD_NONE && role_of_place(d, entry) == ROLE_LABELS)
			evidence_add_unknown(&d->evidence, entry, files);
		if (head->content == CONTENT_TEXT && unread == UNREAD_NONE && !is_name_of_notes(head->name) &&
		    !is_name_of_source(head->name))
			evidence_add_words(&d->evidence, probe);
		d->photos |= content_is_photo(head->content);
		if (is_flat_place(entry, &d->folder) && is_flat_image(head))
			d->evidence.flat += files;
		return;
	}
	enum kind kind = coco ? KIND_COCO : format->kind;

	if (kind == KIND_LIST && d->out->settings->column && table_has_column(head, d->out->settings->column))
		add_table_with_column(d->out, head);
	if (kind == KIND_LIST && !table_has_labels(head, d->out->settings->column)) {
		d->tables |= !text_is_pairs(head->head, head->n);
		if (!text_is_pairs(head->head, head->n))
			evidence_add_table(&d->evidence, entry, probe);
		return;
	}
	if (kind == KIND_LIST && table_has_header(head) && table_has_label_word(head))
		add_table_of_labels(d->out, head);
	d->kinds |= KIND_BIT(kind);
	if (kind == KIND_ARRAY)
		evidence_add_array(&d->evidence, head,
				   d->folder.role == ROLE_LABELS || role_of_array(entry->name) == ROLE_LABELS, files);
	else if (kind == KIND_MASK)
		add_named_masks(d, files);
	else
		evidence_add_text(&d->evidence, entry, probe, kind, files);
	if (kind != KIND_ARRAY && kind != KIND_MASK && role_of_place(d, entry) == ROLE_LABELS)
		d->evidence.placed_texts += files;
	if (kind == KIND_YOLO && is_beside_png(d, entry))
		d->evidence.yolo_pairs += files;
	if (kind == KIND_COCO && entry->member)
		archive_pairs_add_coco(&d->pairs, entry);
}

/* Probes what is no PNG, unless its like was probed often enough. */
static void observe_content(struct detection *d, const struct entry *entry)
{
	struct fault ignored = FAULT_INIT;
	uint64_t files = stands_for(&d->extensions, entry);
	struct entry_probe *probe = files ? probe_ahead_begin(d->ahead, entry) : NULL;

	if (!probe)
		return;
	if (!probe_entry(probe, entry, &ignored))
		d->unread++;
	else if (probe->head.n)
		observe_head(d, entry, probe, files);
	probe_ahead_end(d->ahead);
}

/* Counts the sample that ended. */
void detection_end_sample(struct detection *d)
{
	d->samples_plain += d->sample_has_plain;
	d->samples_paired += d->sample_has_plain && d->sample_has_label;
	d->sample_has_plain = d->sample_has_label = d->sample_has_photo = d->sample_has_text = false;
}

/* If a WebDataset sample holds a plain PNG and a label, that PNG is an image, and so are those of other samples. */
static void observe_sample(struct detection *d, const struct entry *entry)
{
	const char *name = entry->member, *dot = strchr(file_name_of(name), '.');
	size_t n = dot ? (size_t)(dot - name) : 0;

	if (!n)
		return;
	const uint64_t sample = hash_bytes(hash_seed(), name, n);

	if (d->sample != sample)
		detection_end_sample(d);
	d->sample = sample;
	d->sample_has_photo |= is_image_name(name);
	d->sample_has_text |= file_name_ends_in(name, ".json") || file_name_ends_in(name, ".txt");
	d->annotated |= d->sample_has_photo && d->sample_has_text;
	d->sample_has_label |= role_of_sample(name) == ROLE_LABELS;
	d->sample_has_plain |= !strcasecmp(dot, ".png");
}

/* Keeps the first PNG of a folder, for a walk that does not probe PNGs. */
static void keep_candidate(struct detection *d, const struct entry *entry)
{
	if (!d->candidate_kept)
		photo_candidates_add(&d->candidates, entry);
	d->candidate_kept = true;
}

/* Returns what a PNG looks like. A walk that does not probe PNGs does so only with `probe`, and keeps a candidate. */
static enum png_look look_at(struct detection *d, const struct entry *entry, bool probe)
{
	keep_candidate(d, entry);
	return probe || d->probe_pngs ? photo_probe_png(&d->photo_probe, entry) : PNG_LOOK_MASK;
}

/* Counts the suffix of a mask's name: that of the most is the convention. */
static void count_suffix(struct detection *d, const char *suffix, size_t n)
{
	struct label_suffix *most = &d->suffixes[0];
	size_t i = 0;

	if (n >= LABEL_SUFFIX_MAX)
		return;
	while (i < SUFFIXES_MAX && d->suffixes[i].files &&
	       (strncmp(d->suffixes[i].text, suffix, n) != 0 || d->suffixes[i].text[n]))
		i++;
	if (i == SUFFIXES_MAX)
		return;
	if (!d->suffixes[i].files++)
		snprintf(d->suffixes[i].text, LABEL_SUFFIX_MAX, "%.*s", (int)n, suffix);
	for (i = 1; i < SUFFIXES_MAX; i++)
		most = d->suffixes[i].files > most->files ? &d->suffixes[i] : most;
	memcpy(d->out->label_suffix, most->text, sizeof(d->out->label_suffix));
}

/* A PNG that is not in images/ or its like. */
static void observe_mask(struct detection *d, const struct entry *entry)
{
	const char *name = entry->name;
	bool among_labels = d->folder.role == ROLE_LABELS;
	size_t stem, suffix = role_label_suffix(name, &stem), folder_suffix = d->folder.suffix_len;
	bool in_class_folder = !d->image_folder.stray && (entry->member || d->image_folder.listed) &&
			       (d->pngs_are_photos || d->evidence.masks + d->evidence.plain < MASKS_FIRST);
	const bool whole = entry->member && role_of_whole_name(name) == ROLE_LABELS;
	const bool number = d->folder.role == ROLE_ASIDE && role_is_number(entry_inner_path(entry));
	bool named = entry->member
			     ? among_labels || whole || suffix || folder_suffix || role_of_sample(name) == ROLE_LABELS
			     : suffix || d->folder.walked_role == ROLE_LABELS;

	d->out->prefix_roles |= role_of_prefix(name) == ROLE_LABELS;
	if (!named || d->probe_pngs) {
		enum png_look look = look_at(d, entry, in_class_folder && !named);

		if (!named && look == PNG_LOOK_PHOTO) {
			d->pngs_are_photos = true;
			evidence_add_image(&d->evidence, entry);
			return;
		}
		if (d->probe_pngs && look != PNG_LOOK_MASK && (!named || look == PNG_LOOK_NONE)) {
			d->evidence.colours++;
			evidence_sample_colour(&d->evidence, entry);
			return;
		}
		d->evidence.named_colours += d->probe_pngs && named && !suffix && look == PNG_LOOK_COLOUR;
		if (!named && entry->member) {
			d->plain_in_archive = true;
			d->evidence.plain++;
			d->evidence.numbers += number;
			evidence_sample_mask(&d->evidence, entry, false);
			return;
		}
	} else if (!suffix && d->annotated) {
		keep_candidate(d, entry); /* a plot among annotations/ */
	}
	d->kinds |= KIND_BIT(KIND_MASK);
	d->evidence.masks++;
	d->evidence.named += named;
	d->evidence.numbers += number;
	d->evidence.placed += among_labels || (!entry->member && d->folder.walked_role == ROLE_LABELS);
	if (named && !d->out->masks_beside)
		d->out->masks_beside = hash_above_labels(entry);
	evidence_sample_mask(&d->evidence, entry, named);
	d->out->folder_roles |= among_labels;
	d->out->member_suffixes |= entry->member && (suffix || whole);
	if (folder_suffix && folder_suffix < LABEL_SUFFIX_MAX && !d->out->folder_suffix[0])
		snprintf(d->out->folder_suffix, sizeof(d->out->folder_suffix), "%.*s", (int)folder_suffix,
			 d->folder.suffix);
	if (suffix && !entry->member)
		count_suffix(d, name + stem, suffix);
}

static void observe_png(struct detection *d, const struct entry *entry)
{
	d->png_stem = hash_stem(entry);
	if (d->folder.role == ROLE_ASIDE && role_is_distance(entry_inner_path(entry))) {
		d->evidence.distances++;
		return;
	}
	/* the mask of the JPEG of its name, also in images/ */
	if (d->folder.role != ROLE_IMAGES || d->photo_stem == d->png_stem) {
		observe_mask(d, entry);
		return;
	}
	/* YOLO and COCO keep their photos there, some data sets their masks */
	if (d->probe_pngs && look_at(d, entry, false) == PNG_LOOK_PHOTO) {
		d->pngs_are_photos = d->photos_in_images = true;
	} else {
		look_at(d, entry, false);
		d->masks_among_images = true;
		d->evidence.image_masks++;
	}
	if (d->probe_pngs)
		evidence_add_beginnings(&d->evidence, entry);
	evidence_add_image(&d->evidence, entry);
}

/* The same, and remembers for the folder how it was counted. */
static void observe_png_of_folder(struct detection *d, const struct entry *entry)
{
	const struct evidence *e = &d->evidence;
	const uint64_t masks = e->masks, plain = e->plain, colours = e->colours;

	observe_png(d, entry);
	folder_looks_count(&d->looks, e->masks - masks, e->plain - plain, e->colours - colours);
}

static void observe_array(struct detection *d, const struct entry *entry)
{
	d->out->folder_roles |= d->folder.role == ROLE_LABELS;
	d->out->array_roles |= d->folder.role != ROLE_IMAGES && role_of_array(entry->name) == ROLE_LABELS;
}

/* A file with the name of an image that is no PNG: somebody may have saved a mask so. */
static void observe_photo(struct detection *d, const struct entry *entry)
{
	d->photo_stem = hash_stem(entry);
	evidence_add_image(&d->evidence, entry);
	if (role_of_place(d, entry) != ROLE_LABELS)
		jpeg_sample_add(&d->jpegs, entry);
	d->loose_photos |= d->folder.role != ROLE_IMAGES;
	d->out->label_names_only |= has_label_name(entry, &d->folder);
	d->evidence.jpeg_masks += has_label_name(entry, &d->folder);
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

/* Returns whether a tree that begins with many masks holds nothing else that may be its labels. */
static bool is_plain(const struct detection *d, const struct entry *entry)
{
	enum { MEMBERS_TO_WALK = 1024 }; /* an archive is unpacked twice if all of it is walked */
	const struct evidence *e = &d->evidence;

	return !(d->kinds & ~GRID_KINDS) ||
	       (entry->member && e->masks + e->plain > MEMBERS_TO_WALK + 10 * (e->yolo + e->list + e->idx));
}

/* Returns whether nothing of an entry is observed but that it is there. */
static bool is_left_out(const struct entry *entry)
{
	/* a link's target is given by its own name, too */
	return entry->failed || entry->standard_input || entry->archive || entry->skip_reason || entry->link_target;
}

/* Names the unit's files from `first` on that will be probed, as far as that is known before they are observed. */
static void name_probes(struct detection *d, size_t first)
{
	struct photo_probe photo_probe = d->photo_probe;
	struct extensions extensions = d->extensions;

	for (size_t i = first; i < d->unit_count; i++) {
		const struct entry *e = &d->unit[i];

		if (e->member || e->is_explicit || is_left_out(e))
			continue;
		if (is_png_name(e->name) ? d->probe_pngs && photo_probe_takes(&photo_probe, e)
					 : stands_for(&extensions, e) > 0)
			probe_ahead_name(d->ahead, e->path);
	}
	d->probes_named = true;
}

void detection_begin_unit(void *self, const struct entry *entries, size_t count)
{
	struct detection *d = self;

	probe_ahead_forget(d->ahead);
	d->unit = entries;
	d->unit_count = count;
	d->probes_named = false;
}

/* Returns true once no further entry can change the outcome. */
static bool observe_entry(struct detection *d, const struct entry *entry)
{
	if (!d->probes_named && probe_ahead_is_due(d->ahead))
		name_probes(d, (size_t)(entry - d->unit));
	if (entry->archive_unfinished)
		d->archive_unfinished = true;
	d->unread += entry->failed && !entry->archive && !entry->member; /* a member cannot be readable the next time */
	if (is_left_out(entry))
		return false;
	bool png = is_png_name(entry->name);
	uint64_t masks_before = d->evidence.masks + d->evidence.plain;

	if (folder_role_enter(&d->folder, entry))
		d->folder_added = d->candidate_kept = d->panoptic_known = false;
	if (entry->is_explicit) { /* a member: of an .npz */
		if (entry->member)
			observe_array(d, entry);
		return false;
	}
	if (png || is_image_name(entry->name)) {
		image_folder_detection_add(&d->image_folder, entry, !d->folder_added);
		d->folder_added = true;
		folder_looks_add(&d->looks, entry, role_of_place(d, entry));
	}
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
		observe_png_of_folder(d, entry);
	if (entry->member && png)
		archive_pairs_add(&d->pairs, entry);
	uint64_t masks = d->evidence.masks + d->evidence.plain;

	if (masks == masks_before || (entry->member && seeks_partners(d)))
		return false;
	d->masks_since_mask += entry->member ? FILES_SINCE_MASK / MEMBERS_SINCE_MASK : 1;
	d->stopped_early = d->masks_since_mask > FILES_SINCE_MASK && is_plain(d, entry);
	return d->stopped_early;
}

bool detection_observe(void *self, const struct entry *entry)
{
	return !observe_entry(self, entry);
}
