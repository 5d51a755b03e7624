#include "layout/detect.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/archive.h"
#include "find/names.h"
#include "find/path_state.h"
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

#define GRID_KINDS (KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)) /* both hold masks, and may lie in one folder */
#define ALL_KINDS  (~0u)

/* A tree of a million files has few extensions, and some files of each show what they hold. */
enum { EXTENSIONS_MAX = 64, PROBES_PER_EXTENSION = 32, EXTENSION_BYTES = 16, SUFFIXES_MAX = 8 };

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

/* The result of a walk. */
struct detected {
	struct dataset_layout layout;
	bool walked;
	enum family family; /* FAMILY_NONE: no label files */
	uint64_t weight;    /* of that family */
	bool photos, image_folder;
};

/* The extensions of files that are no PNGs. */
struct extensions {
	struct {
		char text[EXTENSION_BYTES];
		uint64_t seen, unprobed; /* files; since the last one that was probed */
	} v[EXTENSIONS_MAX];
	size_t count;
};

/* The end of masks' names, without the extension. */
struct label_suffix {
	char text[LABEL_SUFFIX_MAX];
	uint64_t files;
};

/* The state of a detection walk. One thread. */
struct detection {
	const struct find_options *find;
	const char *preset_files;   /* as in struct settings; or NULL */
	struct dataset_layout *out; /* the walk fills the kinds of names that were seen */
	bool probe_pngs;            /* decide of PNGs whether they are photos */

	unsigned kinds;            /* seen: a KIND_BIT each */
	struct evidence evidence;  /* how much of each */
	unsigned lfs_kinds;        /* that git-lfs pointers replace */
	bool photos;               /* images that cannot be masks, by their content */
	bool loose_photos;         /* the same by their names, not in images/ and its like */
	bool tables;               /* that do not seem to hold labels */
	bool annotated;            /* photos with annotations of a kind that is not read */
	bool pngs_are_photos;      /* some are */
	bool masks_among_images;   /* PNGs in images/ and its like */
	bool photos_in_images;     /* the same, with probe_pngs, by their looks */
	bool plain_in_archive;     /* PNGs without a word before .png */
	bool images_have_masks;    /* images/ and masks/ have the same names in them */
	bool archive_unfinished;   /* an archive was not read to its end */
	uint64_t unread;           /* times that something could not be read */
	unsigned masks_since_mask; /* a member counts as FILES_SINCE_MASK / MEMBERS_SINCE_MASK */
	bool stopped_early;
	bool walks_again; /* the PATH was walked before */

	struct probe_ahead *ahead; /* reads what is probed; borrowed */
	struct photo_probe photo_probe;
	struct photo_candidates candidates; /* unless probe_pngs */
	struct jpeg_sample jpegs;
	struct archive_pairs pairs;
	struct image_folder_detection image_folder;
	struct folder_looks looks;

	/* The entries of the unit that is observed; of source_each(). */
	const struct entry *unit;
	size_t unit_count;
	bool probes_named; /* what is to be probed of it */

	/* The last entry's folder, and what was done for its first files, once for all of them. */
	struct folder_role folder;
	bool folder_added;   /* to image_folder */
	bool candidate_kept; /* one of its PNGs */
	bool panoptic_known, panoptic;

	/* The current WebDataset sample: consecutive members with the same name up to the first dot. */
	uint64_t sample; /* a hash of that name */
	bool sample_has_plain, sample_has_label, sample_has_photo, sample_has_text;
	uint64_t samples_plain, samples_paired; /* with a plain PNG; of them, with a label */

	uint64_t png_stem;   /* a hash of the name of the last PNG, without its extension */
	uint64_t photo_stem; /* the same of the last image that is no PNG */

	struct extensions extensions;
	struct label_suffix suffixes[SUFFIXES_MAX];
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

	if (left_out_is_receipt(file_name_of(entry->name), head))
		return; /* it names the images of a corrected copy, and describes none */
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
static void end_sample(struct detection *d)
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
		end_sample(d);
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

/* Begins the next unit. */
static void begin_unit(void *self, const struct entry *entries, size_t count)
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

/* Returns whether the names of folders are the labels: what else may be labels is a stray among the photos. */
static bool is_image_folder(const struct detection *d, const struct settings *settings)
{
	const struct evidence *e = &d->evidence;
	uint64_t others = evidence_among_folders(e, d->image_folder.inside) + e->colours;

	if (!(d->photos || d->pngs_are_photos) || d->archive_unfinished || e->distances || d->images_have_masks ||
	    (d->masks_among_images && !evidence_is_lone(e, FAMILY_GRID)))
		return false;
	/* masks in BMP beside photos, in folders of their own for each image */
	if (evidence_is_flat(e) && e->flat < e->photos && !d->image_folder.direct)
		return false;
	/* a PNG that is no photo may lie outside the class folders, too */
	others -= MIN(e->masks + e->colours, d->image_folder.outside + e->clutter);
	return image_folder_detection_fits(&d->image_folder, id_ranges_size(&settings->classes.classes), others);
}

/* Moves the folders to *out. */
static void become_image_folder(struct dataset_layout *out, struct class_folders *folders)
{
	*out = (struct dataset_layout){ .settings = out->settings,
					.look_mask = out->look_mask,
					.explicit_kinds = KIND_BIT(KIND_IMAGEFOLDER),
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
			   bool probe_pngs, struct dataset_layout *out, struct probe_ahead *ahead)
{
	*out = (struct dataset_layout){ .settings = settings, .explicit_kinds = ALL_KINDS, .kinds = GRID_KINDS };
	*d = (struct detection){ .find = find,
				 .preset_files = settings->files,
				 .probe_pngs = probe_pngs,
				 .out = out,
				 .ahead = ahead,
				 .photo_probe.ahead = ahead };
	photo_candidates_init(&d->candidates);
	image_folder_detection_init(&d->image_folder, find);
	folder_looks_init(&d->looks);
	folder_role_init(&d->folder);
}

static void detection_release(struct detection *d)
{
	image_folder_detection_release(&d->image_folder);
	photo_candidates_release(&d->candidates);
	evidence_release(&d->evidence);
	jpeg_sample_release(&d->jpegs);
	folder_looks_release(&d->looks);
}

static uint64_t times_unread(const struct detection *d)
{
	return d->unread + d->photo_probe.unread + d->image_folder.unread;
}

/* Walks. The listings of earlier walks of the PATH go: the audit reads again what the last walk could not. */
static enum status walk_once(struct detection *d, const struct find_options *find, struct error *err)
{
	if (find->leave_listings && d->walks_again)
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
	whole.drawn = begin_unit;
	whole.member_folders = &d->image_folder.packed;
	enum status status = walk_once(d, &whole, err);

	if (status != STATUS_OK || !times_unread(d))
		return status;
	detection_init(&second, d->find, settings, d->probe_pngs, &second_out, d->ahead);
	second.walks_again = true;
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
 * Returns whether the PNGs taken for masks may be photos, be it of texts that were not reached. If all candidates look
 * like masks, a walk that probes PNGs has the same result.
 */
static bool needs_photo_probe(const struct detection *d, bool several_paths)
{
	bool texts = (d->kinds & ~GRID_KINDS) || d->evidence.unread || d->lfs_kinds || d->tables || d->annotated ||
		     evidence_is_described(&d->evidence) || evidence_has_table_of_images(&d->evidence) ||
		     d->stopped_early || several_paths;
	bool nameless = d->masks_among_images && !d->out->folder_roles && (d->kinds & KIND_BIT(KIND_MASK));
	/* photos and their masks may lie in one folder, images/ */
	bool mixed = d->masks_among_images && !d->evidence.masks && evidence_family(&d->evidence) == FAMILY_GRID;

	return (texts || nameless || mixed) &&
	       ((d->kinds & KIND_BIT(KIND_MASK)) || d->plain_in_archive || d->masks_among_images) &&
	       (d->pngs_are_photos || d->pairs.panoptic_count ||
		photo_candidates_may_be_no_masks(&d->candidates, d->ahead));
}

/* Returns the family of a tree in which nothing but git-lfs pointers, or tables without labels, was seen. */
static enum family family_of_claims(const struct detection *d)
{
	for (int i = FAMILY_YOLO; i < FAMILIES; i++)
		if (d->lfs_kinds & family_kinds((enum family)i))
			return (enum family)i;
	return d->tables && !d->masks_among_images && !d->images_have_masks ? FAMILY_LIST : FAMILY_NONE;
}

static void take_back(uint64_t *from, uint64_t n)
{
	*from -= MIN(*from, n);
}

/* Returns whether there are labels of any family outside of folders of plots. */
static bool has_labels_elsewhere(const struct detection *d)
{
	const struct evidence *e = &d->evidence;
	uint64_t masks = e->masks + e->plain + e->image_masks, plots = 0;

	for (size_t i = 0; i < d->looks.count; i++)
		if (d->looks.v[i].content == FOLDER_PLOTS)
			plots += d->looks.v[i].as_masks + d->looks.v[i].as_plain;
	return masks > plots || d->looks.paired || e->arrays || e->measured || e->yolo || e->coco || e->idx ||
	       e->list || d->out->label_names_only;
}

/* Corrects the evidence by what the folders hold, and moves that to the layout. */
static void conclude_folders(struct detection *d)
{
	struct evidence *e = &d->evidence;
	bool of_use = false;

	e->clutter = d->looks.clutter;
	d->images_have_masks = folder_looks_have_named_pair(&d->looks);
	if (!has_labels_elsewhere(d))
		folder_looks_forget_plots(&d->looks);
	for (size_t i = 0; i < d->looks.count; i++) {
		const struct folder_look *f = &d->looks.v[i];

		if (f->content != FOLDER_PHOTOS && f->content != FOLDER_PLOTS)
			continue;
		of_use = true;
		d->out->folder_roles |= f->role == ROLE_IMAGES && f->content == FOLDER_PHOTOS;
		take_back(&e->masks, f->as_masks);
		take_back(&e->plain, f->as_plain);
		take_back(&e->colours, f->as_colours);
		if (f->is_clutter)
			take_back(&e->clutter, f->as_masks + f->as_plain + f->as_colours);
		e->named = MIN(e->named, e->masks);
		e->photos += f->content == FOLDER_PHOTOS ? f->as_masks + f->as_plain : 0;
	}
	if (!e->masks && of_use)
		d->kinds &= ~KIND_BIT(KIND_MASK);
	d->plain_in_archive &= !of_use || e->plain;
	if (of_use) {
		d->out->looks = d->looks;
		folder_looks_init(&d->looks);
	}
}

/* Returns whether PNGs hold distances, beside the photos that they were measured with. */
static bool are_distances(const struct evidence *e)
{
	return e->distances && e->photos;
}

/* Tells by which names, places and folders masks differ from images. */
static void conclude_conventions(struct detection *d)
{
	struct dataset_layout *layout = d->out;
	struct evidence *e = &d->evidence;

	end_sample(d);
	folder_looks_end(&d->looks, d->ahead);
	if (!layout->settings->colours.count)
		folder_looks_find_renderings(&d->looks);
	conclude_folders(d);
	layout->sample_roles =
		PLANTED(convention_of_few, 2 * d->samples_paired > d->samples_plain, d->samples_paired > 0);
	layout->archive_pairs = archive_pairs_hold(&d->pairs);
	layout->folder_roles |=
		(d->photos_in_images && (d->kinds & KIND_BIT(KIND_MASK)) && !evidence_images_hold_masks(e)) ||
		are_distances(e);
	if (!layout->sample_roles)
		e->masks += e->plain;
}

/* Returns the family of most labels that were seen. *tags: it is that of a table of tags beside photos. */
static enum family family_of_most(const struct detection *d, bool *tags)
{
	const struct evidence *e = &d->evidence;
	const bool claimed = !(d->kinds || e->masks || e->colours || e->image_masks);
	enum family family = claimed ? family_of_claims(d) : evidence_family(e);

	if (family == FAMILY_LIST && evidence_list_is_stray(e))
		family = FAMILY_NONE;
	*tags = claimed && family == FAMILY_LIST && evidence_has_table_of_images(e);
	return family;
}

/* Returns whether a family's labels are strays or no labels, by what lies beside them. tags: family_of_most()'s. */
static bool has_no_labels(const struct detection *d, enum family family, bool tags)
{
	const struct evidence *e = &d->evidence;
	const bool grids = family == FAMILY_GRID || family == FAMILY_NONE;
	const uint64_t masks = e->masks + e->image_masks + e->arrays;
	/* plots among annotations of a kind that is not read are no masks */
	const bool plots = (d->annotated || e->unread) && !masks && !evidence_colours_are_masks(e);

	return (family != FAMILY_NONE && !evidence_outweighs_unread(e, family)) ||
	       ((grids || tags) && (plots || evidence_is_unread(e))) ||
	       (grids && are_distances(e) && !(masks + e->measured)) || evidence_is_lone(e, family);
}

/*
 * Returns whether photos are audited as masks that were saved so. meant: nothing but the photos could be labels, or
 * they are called so; outweigh: they do the family's labels.
 */
static bool photos_are_masks(const struct detection *d, bool meant, bool outweigh)
{
	const bool alone = !d->kinds && !d->plain_in_archive && !d->pngs_are_photos && !d->masks_among_images &&
			   !d->archive_unfinished && !d->evidence.colours;

	return d->photos && meant && !d->out->flat_masks && (outweigh || alone) &&
	       (d->out->label_names_only || !jpeg_sample_has_photos(&d->jpegs));
}

/* Moves the names that classify.c is to look for to the layout. */
static void conclude_names(struct detection *d, enum family family)
{
	struct dataset_layout *layout = d->out;
	struct evidence *e = &d->evidence;
	const bool coloured = layout->settings->colours.count;

	/* with a table of colours, what looks like a plot may be a mask whose image is elsewhere */
	if (family == FAMILY_GRID && !coloured && evidence_masks_have_image_names(e)) {
		layout->masked = e->image_names;
		e->image_names.bits = NULL;
	}
	if (family == FAMILY_GRID && d->photos_in_images && evidence_images_hold_masks(e)) {
		layout->image_masks = e->beginnings;
		e->beginnings.bits = NULL;
	}
	if (layout->no_family && (evidence_is_described(e) || evidence_has_table_of_images(e))) {
		layout->images = e->image_names;
		e->image_names.bits = NULL;
	}
	if (family == FAMILY_YOLO) {
		layout->annotated = e->image_names;
		e->image_names.bits = NULL;
	}
	if (layout->kinds & (KIND_BIT(KIND_COCO) | KIND_BIT(KIND_LIST))) {
		struct listed_names *names = layout->kinds & KIND_BIT(KIND_COCO) ? &e->coco_names : &e->list_names;

		layout->listed_cut = names->cut;
		if (e->masks + e->image_masks + e->colours) { /* else there is no PNG to look for */
			layout->listed = names->names;
			names->names.bits = NULL;
		}
	}
	if (layout->folder_suffix[0] && d->image_folder.packed.count && !d->image_folder.packed.too_many) {
		layout->packed = xmalloc(sizeof(*layout->packed));
		*layout->packed = d->image_folder.packed;
		memset(&d->image_folder.packed, 0, sizeof(d->image_folder.packed));
	}
}

/* Draws the conclusions from a walk. */
static void conclude(struct detection *d, struct detected *out)
{
	struct dataset_layout *layout = &out->layout;
	struct evidence *e = &d->evidence;
	bool tags;

	d->annotated |= evidence_is_described(e) || evidence_has_table_of_images(e);
	const bool meant_as_masks =
		layout->label_names_only || (d->loose_photos && !d->annotated && !e->unread && !e->distances);

	conclude_conventions(d);
	enum family family = family_of_most(d, &tags);
	const bool nothing = has_no_labels(d, family, tags);
	const bool jpegs = !nothing && d->photos && evidence_is_jpeg_masks(e, family);

	family = nothing || jpegs ? FAMILY_NONE : family;
	out->weight = family == FAMILY_NONE ? 0 : evidence_weight(e, family);
	out->photos = d->photos || d->pngs_are_photos;
	layout->some_tables_have_labels = d->kinds & KIND_BIT(KIND_LIST);
	layout->kinds = nothing ? 0 : family_kinds(family);
	if (family == FAMILY_NONE && evidence_is_flat(e)) {
		family = FAMILY_GRID;
		out->weight = e->flat;
		layout->kinds = family_kinds(FAMILY_GRID);
		layout->flat_masks = true;
	}
	out->family = family;
	if (family == FAMILY_GRID && !layout->flat_masks)
		layout->kinds &= ~evidence_stray_grids(e);
	layout->array_axes = e->named_axes;
	layout->masks_are_named = family == FAMILY_GRID && evidence_has_named_masks(e);
	layout->numbers_alone = family == FAMILY_GRID && evidence_is_of_numbers(e);
	layout->no_family = family == FAMILY_NONE;
	layout->photos_as_masks = photos_are_masks(d, meant_as_masks, jpegs);
	layout->lists_are_bound = family == FAMILY_LIST && evidence_lists_are_bound(e);
	layout->look_mask = look_mask(e->masks + e->image_masks + e->plain + e->colours + e->photos,
				      !d->stopped_early && !d->archive_unfinished);
	layout->images_in_doubt = e->image_masks > 2 * e->yolo;
	layout->photos_by_content = photo_candidates_differ(&d->candidates, d->ahead);
	out->image_folder = is_image_folder(d, layout->settings);
	conclude_names(d, family);
}

/*
 * Detects the kind of what lies below find->paths, taken as one set. several_paths: there are others, to whose labels
 * photos may belong. ahead: reads what is probed.
 */
static enum status detect_set(const struct find_options *find, const struct settings *settings, bool several_paths,
			      struct probe_ahead *ahead, struct detected *out, struct error *err)
{
	struct dataset_layout *layout = &out->layout;
	struct detection d;

	detection_init(&d, find, settings, false, layout, ahead);
	enum status status = walk_files(&d, settings, err);

	if (status == STATUS_OK && !stop_signal() && needs_photo_probe(&d, several_paths)) {
		struct archive_pairs seen = d.pairs; /* the JSON may come after its folder */

		detection_release(&d);
		detection_init(&d, find, settings, true, layout, ahead);
		d.walks_again = true;
		memcpy(d.pairs.panoptic, seen.panoptic, sizeof(seen.panoptic));
		d.pairs.panoptic_count = seen.panoptic_count;
		status = walk_files(&d, settings, err);
	}
	image_folder_detection_end(&d.image_folder);
	conclude(&d, out);
	out->image_folder &= status == STATUS_OK && !stop_signal();
	if (out->image_folder) {
		dataset_layout_release(layout);
		become_image_folder(layout, &d.image_folder.folders);
	}
	detection_release(&d);
	return status;
}

/* ---- PATHs ------------------------------------------------------------------------------------------------------- */

/* Returns whether a PATH is walked. Any other PATH is a label file, whatever lies in the others. */
static bool is_walked(const struct find_options *find, size_t index)
{
	const char *path = find->paths[index];

	return is_archive_name(path) || is_npz_name(path) || path_is_folder(find, index);
}

/*
 * Lets the PATHs without label files of their own, which has_labels does not mark, follow the others: photos/ beside
 * labels/. If none has label files, they are detected as one set: the splits of an ImageFolder.
 */
static enum status detect_rest(const struct find_options *find, const struct settings *settings,
			       struct probe_ahead *ahead, struct detected *v, struct error *err)
{
	const char **paths = xcalloc(find->paths_count, sizeof(*paths));
	struct path_state *states = xcalloc(find->paths_count, sizeof(*states));
	struct find_options rest = *find;
	struct detected joint = { .family = FAMILY_NONE };
	const struct detected *heaviest = NULL;
	enum status status = STATUS_OK;
	size_t first = 0;

	rest.paths = paths;
	rest.states = states;
	rest.paths_count = 0;
	for (size_t i = 0; i < find->paths_count; i++) {
		if (v[i].walked && v[i].family != FAMILY_NONE && !v[i].image_folder) {
			heaviest = !heaviest || v[i].weight > heaviest->weight ? &v[i] : heaviest;
		} else if (v[i].walked) {
			first = rest.paths_count ? first : i;
			states[rest.paths_count] = path_state_of(find, i);
			paths[rest.paths_count++] = find->paths[i];
		}
	}
	if (rest.paths_count && !(rest.paths_count == 1 && !heaviest)) {
		status = detect_set(&rest, settings, heaviest, ahead, &joint, err);
		const struct detected *from = joint.image_folder || !heaviest ? &joint : heaviest;

		for (size_t i = 0; i < find->paths_count; i++) {
			if (!v[i].walked || (v[i].family != FAMILY_NONE && !v[i].image_folder))
				continue;
			dataset_layout_release(&v[i].layout);
			v[i].layout = from->layout;
			v[i].layout.borrows = from != &joint || i != first;
		}
		if (from != &joint)
			dataset_layout_release(&joint.layout);
	}
	free(states);
	free(paths);
	return status;
}

/* Returns the layout of files of which nothing is known but the settings. */
static struct dataset_layout plain_layout(const struct settings *settings)
{
	const enum kind kind = settings->kind;

	return (struct dataset_layout){ .settings = settings,
					.explicit_kinds = kind == KIND_AUTO ? ALL_KINDS : KIND_BIT(kind),
					.kinds = kind == KIND_AUTO ? GRID_KINDS : KIND_BIT(kind),
					.photos_as_masks = kind == KIND_MASK };
}

void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out)
{
	*out = (struct dataset_layouts){ .count = 1 };
	out->v = xcalloc(1, sizeof(*out->v));
	out->v[0] = plain_layout(settings);
}

enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err)
{
	const enum kind kind = settings->kind;
	const size_t paths = find->paths_count;
	struct dataset_layout plain = plain_layout(settings);
	enum status status = STATUS_OK;

	*out = (struct dataset_layouts){ .count = 1 };
	if (kind == KIND_IMAGEFOLDER)
		status = open_image_folder(find, &plain, err);
	/* listed files are explicit, and a list on standard input can be read only once */
	if (kind == KIND_AUTO && !find->files_from)
		out->count = paths + 1;
	struct detected *v = xcalloc(out->count, sizeof(*v));
	struct find_options one = *find;
	struct probe_ahead ahead;

	probe_ahead_init(&ahead, find->io, stop_flag());
	v[out->count - 1].layout = plain;
	one.paths_count = 1;
	if (find->leave_listings)
		listings_release(find->leave_listings);
	for (size_t i = 0; i + 1 < out->count && status == STATUS_OK; i++) {
		v[i].layout = plain;
		v[i].family = FAMILY_NONE;
		v[i].walked = is_walked(find, i);
		one.paths = find->paths + i;
		one.states = find->states ? find->states + i : NULL;
		if (v[i].walked)
			status = detect_set(&one, settings, out->count > 2, &ahead, &v[i], err);
	}
	if (out->count > 2 && status == STATUS_OK && !stop_signal())
		status = detect_rest(find, settings, &ahead, v, err);
	probe_ahead_release(&ahead);
	out->v = xcalloc(out->count, sizeof(*out->v));
	for (size_t i = 0; i < out->count; i++)
		out->v[i] = v[i].layout;
	free(v);
	if (status != STATUS_OK)
		dataset_layouts_release(out);
	return status;
}
