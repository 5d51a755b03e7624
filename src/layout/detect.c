#include "layout/detect.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/listings.h"
#include "layout/archive_pairs.h"
#include "layout/folder_role.h"
#include "layout/image_folder.h"
#include "layout/image_folder_detect.h"
#include "layout/photo_candidates.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/text_probe.h"
#include "read/identify.h"

#define GRID_KINDS (KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)) /* both hold masks, and folders hold both */
#define ALL_KINDS  (~0u)

/* A tree of a million files has few different extensions; some of each tell what they hold. */
enum { EXTENSIONS_MAX = 64, LOOKS_PER_EXTENSION = 32, EXTENSION_BYTES = 16 };

enum {
	/*
	 * Entries behind the first mask that are looked at for the other part of the set: names alone, some
	 * milliseconds. Members of an archive have to be read past, so fewer: the parts of a sample follow each other.
	 */
	FILES_BEHIND = 4096,
	MEMBERS_BEHIND = 64,
	SAMPLE_NAME_MAX = 128,
};

struct census {
	const struct find_options *find;
	const char *files;   /* that the preset means; NULL: any */
	struct sorting *out; /* what the walk fills of it: the parts of a set that were seen */

	/* What was seen. */
	unsigned kinds;          /* a KIND_BIT each */
	bool pictures;           /* that cannot be masks */
	bool loose_pictures;     /* some by their names, in no folder for images */
	unsigned pointers;       /* kinds that git-lfs pointers stand for */
	bool tables;             /* without labels, by their beginning */
	bool annotated;          /* pictures that have labels of a kind that is not read */
	bool weigh;              /* PNGs are looked at */
	bool pngs_are_pictures;  /* some are, by their weight or by what lies beside them */
	bool masks_among_images; /* PNGs in images/ and its like */
	bool plain_in_archive;   /* PNGs without a word in front of .png */
	bool cut;                /* an archive was not seen to its end */
	uint64_t unread;         /* times that something could not be read */
	unsigned behind;         /* entries since the first mask; a member counts as FILES_BEHIND / MEMBERS_BEHIND */

	struct picture_looks looks;
	struct unweighed unweighed; /* unless weigh */
	/* Of the entry that was taken last. What follows is of that folder, too, and asked once for all of its files.
	 */
	struct entry_folder folder;
	bool class_taken;    /* by `classes` */
	bool unweighed_kept; /* one of its PNGs */
	bool panoptic_asked, panoptic;
	struct member_pairs pairs;

	/* The sample of a WebDataset in hand: members that follow each other with the same name up to the first dot. */
	char sample[SAMPLE_NAME_MAX];
	bool sample_has_plain, sample_has_label, sample_has_picture, sample_has_text;

	struct class_folder_census classes;

	struct {
		char text[EXTENSION_BYTES];
		unsigned looks;
	} extensions[EXTENSIONS_MAX];
	size_t extensions_count;
};

/* Whether the files of this extension were looked into often enough. Of too many extensions, those that came first. */
static bool is_known_well(struct census *c, const char *name)
{
	const char *extension = file_name_extension(name);
	size_t at = 0;

	while (at < c->extensions_count && strncasecmp(c->extensions[at].text, extension, EXTENSION_BYTES - 1) != 0)
		at++;
	if (at == EXTENSIONS_MAX)
		return true;
	if (at == c->extensions_count) {
		c->extensions_count++;
		strncpy(c->extensions[at].text, extension, EXTENSION_BYTES - 1);
	}
	return c->extensions[at].looks++ >= LOOKS_PER_EXTENSION;
}

/* A JSON of labelme and its like beside the picture that it belongs to; metadata.jsonl. */
static bool speaks_of_pictures(const struct entry *entry)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".JPG" };
	char name[PATH_MAX];
	struct stat st;

	if (file_name_ends_in(entry->name, ".jsonl"))
		return true;
	for (size_t i = 0; !entry->member && i < ARRAY_SIZE(extensions); i++) {
		int stem = (int)(strlen(entry->name) - strlen(file_name_extension(entry->name)));
		int n = snprintf(name, sizeof(name), "%.*s%s", stem, entry->name, extensions[i]);

		if (n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0)
			return true;
	}
	return false;
}

static void look_into(struct census *c, const struct entry *entry)
{
	uint8_t head[PEEK_BYTES];
	struct file_head p;
	struct fault ignored;

	if (is_cache_name(entry->name) || is_known_well(c, entry->name))
		return;
	fault_clear(&ignored);
	if (!entry_look(entry, head, &p, &ignored)) {
		c->unread++;
		return;
	}
	if (!p.n)
		return;
	const struct format *reader = format_recognise(&p, ALL_KINDS);

	c->pointers |= text_kind_of_pointer(&p);
	c->annotated |= p.content == CONTENT_XML || (p.content == CONTENT_JSON && !reader && speaks_of_pictures(entry));
	if (!reader)
		c->pictures |= content_is_picture(p.content);
	else if (reader->kind == KIND_LIST && !text_shows_labels(&p))
		c->tables = true;
	else
		c->kinds |= KIND_BIT(reader->kind);
	if (reader && reader->kind == KIND_COCO && entry->member)
		member_pairs_add_coco(&c->pairs, entry);
}

/* A plain PNG and a label in one sample of a WebDataset: that PNG is an image, and so are its like. */
static void take_sample_in(struct census *c, const struct entry *entry)
{
	const char *name = entry->member, *dot = strchr(file_name_of(name), '.');
	size_t n = dot ? (size_t)(dot - name) : 0;

	if (!n || n >= SAMPLE_NAME_MAX)
		return;
	if (strncmp(c->sample, name, n) != 0 || c->sample[n]) {
		snprintf(c->sample, sizeof(c->sample), "%.*s", (int)n, name);
		c->sample_has_plain = c->sample_has_label = c->sample_has_picture = c->sample_has_text = false;
	}
	c->sample_has_picture |= is_picture_name(name);
	c->sample_has_text |= file_name_ends_in(name, ".json") || file_name_ends_in(name, ".txt");
	c->annotated |= c->sample_has_picture && c->sample_has_text;
	c->sample_has_label |= part_of_sample(name) == PART_LABELS;
	c->sample_has_plain |= !strcasecmp(dot, ".png");
	c->out->sample_parts |= c->sample_has_plain && c->sample_has_label;
}

/* One that would be looked at if PNGs were weighed. look: it is, whether they are or not. */
static bool is_picture(struct census *c, const struct entry *entry, bool look)
{
	if (!c->weigh && !c->unweighed_kept)
		unweighed_add(&c->unweighed, entry);
	c->unweighed_kept = true;
	return (look || c->weigh) && png_is_picture(&c->looks, entry);
}

/* A PNG that lies in no folder for images. */
static void take_mask_in(struct census *c, const struct entry *entry)
{
	const char *name = entry->name;
	bool among_labels = c->folder.part == PART_LABELS;
	size_t stem, suffix = part_label_suffix(name, &stem), folder_suffix = c->folder.suffix_len;
	bool in_class_folder = !c->classes.stray && (entry->member || c->classes.listed) &&
			       (c->pngs_are_pictures || !(c->kinds & KIND_BIT(KIND_MASK)));

	c->out->prefix_parts |= part_of_prefix(name) == PART_LABELS;
	if (entry->member ? !among_labels && !suffix && !folder_suffix && part_of_sample(name) != PART_LABELS
			  : !suffix && c->folder.walked_part != PART_LABELS) {
		if (is_picture(c, entry, in_class_folder)) {
			c->pngs_are_pictures = true;
			return;
		}
		if (entry->member) {
			c->plain_in_archive = true;
			return;
		}
	}
	c->kinds |= KIND_BIT(KIND_MASK);
	c->out->folder_parts |= among_labels;
	if (folder_suffix && folder_suffix < LABEL_SUFFIX_MAX && !c->out->folder_suffix[0])
		snprintf(c->out->folder_suffix, sizeof(c->out->folder_suffix), "%.*s", (int)folder_suffix,
			 c->folder.suffix);
	if (suffix && suffix < LABEL_SUFFIX_MAX && !c->out->label_suffix[0] && !entry->member)
		snprintf(c->out->label_suffix, sizeof(c->out->label_suffix), "%.*s", (int)suffix, name + stem);
}

static void take_png_in(struct census *c, const struct entry *entry)
{
	if (c->folder.part != PART_IMAGES)
		take_mask_in(c, entry);
	/* YOLO and COCO keep their pictures there, some sets their masks */
	else if (is_picture(c, entry, false))
		c->pngs_are_pictures = true;
	else
		c->masks_among_images = true;
}

static void take_array_in(struct census *c, const struct entry *entry)
{
	c->out->folder_parts |= c->folder.part == PART_LABELS;
	c->out->array_parts |= c->folder.part != PART_IMAGES && part_of_array(entry->name) == PART_LABELS;
}

/* By its name: whether a picture that is no PNG may have been meant as a mask. */
static void take_picture_in(struct census *c, const struct entry *entry)
{
	c->loose_pictures |= c->folder.part != PART_IMAGES;
	c->out->called_labels_only |= sort_out_called_labels(entry, &c->folder);
}

/* Whether it lies in the folder of COCO panoptic annotations. */
static bool is_panoptic(struct census *c, const struct entry *entry)
{
	if (entry->member)
		return member_pairs_are_panoptic(&c->pairs, entry);
	if (!c->panoptic_asked)
		c->panoptic = png_is_panoptic(entry);
	c->panoptic_asked = true;
	return c->panoptic;
}

/*
 * Masks were seen in an archive that may be called as the masks of images are, and other PNGs: which belong together is
 * known when both of a pair were seen, or all folders.
 */
static bool seeks_partners(const struct census *c)
{
	return c->pairs.images && (c->out->folder_suffix[0] || (c->pairs.masks && !c->pairs.pairs));
}

/* True: nothing that comes can change the outcome. */
static bool take_in(struct census *c, const struct entry *entry)
{
	if (entry->archive && entry->skipped)
		c->cut = true;
	c->unread += entry->failed && !entry->archive && !entry->member; /* what an archive holds does not change */
	if (entry->failed || entry->standard_input || entry->archive || entry->skipped)
		return false;
	bool png = is_png_name(entry->name);

	if (entry_folder_enter(&c->folder, entry))
		c->class_taken = c->unweighed_kept = c->panoptic_asked = false;
	if (entry->is_explicit) { /* of members only those of an .npz */
		if (entry->member)
			take_array_in(c, entry);
		return false;
	}
	if (png || is_picture_name(entry->name))
		if (!c->class_taken)
			class_folder_census_add(&c->classes, entry);
	c->class_taken = !entry->member;
	if (!png && is_picture_name(entry->name))
		take_picture_in(c, entry);
	if (is_array_name(entry->name))
		take_array_in(c, entry);
	if (c->files && png && is_preset_file(entry_found_as(entry), c->files))
		c->out->files = c->files;
	if (entry->member)
		take_sample_in(c, entry);
	if (!png)
		look_into(c, entry);
	else if (is_panoptic(c, entry))
		c->pngs_are_pictures = true;
	else
		take_png_in(c, entry);
	if (entry->member && png)
		member_pairs_add(&c->pairs, entry);
	if ((c->kinds & GRID_KINDS || c->plain_in_archive) && !(entry->member && seeks_partners(c)))
		c->behind += entry->member ? FILES_BEHIND / MEMBERS_BEHIND : 1;
	return c->behind > FILES_BEHIND;
}

/* The kinds that are audited together: the first family, in the order that classify.h tells, of which a file was seen.
 */
static unsigned family(const struct census *c)
{
	static const enum kind before_images[] = { KIND_YOLO, KIND_COCO };
	static const enum kind behind_masks[] = { KIND_IDX, KIND_LIST };

	if (c->kinds & GRID_KINDS || (c->plain_in_archive && !c->out->sample_parts))
		return GRID_KINDS;
	for (size_t i = 0; i < ARRAY_SIZE(before_images); i++)
		if (c->kinds & KIND_BIT(before_images[i]))
			return KIND_BIT(before_images[i]);
	for (size_t i = 0; i < ARRAY_SIZE(behind_masks) && !c->masks_among_images; i++)
		if (c->kinds & KIND_BIT(behind_masks[i]))
			return KIND_BIT(behind_masks[i]);
	return GRID_KINDS;
}

static bool is_image_folder(const struct census *c, const struct settings *settings)
{
	if (!(c->pictures || c->pngs_are_pictures) || c->kinds || c->plain_in_archive || c->masks_among_images ||
	    c->cut)
		return false;
	return class_folder_census_fits(&c->classes, id_ranges_size(&settings->classes.classes));
}

/* Owns the folders from here on. */
static void become_image_folder(struct sorting *out, struct class_folders *folders)
{
	*out = (struct sorting){ .named_kinds = KIND_BIT(KIND_IMAGEFOLDER), .kinds = KIND_BIT(KIND_IMAGEFOLDER) };
	out->folders = xmalloc(sizeof(*out->folders));
	*out->folders = *folders;
	memset(folders, 0, sizeof(*folders));
}

static bool take_until_settled(void *self, const struct entry *entry)
{
	return !take_in(self, entry);
}

static enum status open_image_folder(const struct find_options *find, struct sorting *out, struct error *err)
{
	struct class_folders folders;

	if (image_folder_open(&folders, find, err) != STATUS_OK)
		return STATUS_FAILED;
	become_image_folder(out, &folders);
	return STATUS_OK;
}

static void census_init(struct census *c, const struct find_options *find, const struct settings *settings, bool weigh,
			struct sorting *out)
{
	*out = (struct sorting){ .named_kinds = ALL_KINDS, .kinds = GRID_KINDS };
	*c = (struct census){ .find = find, .files = settings->files, .weigh = weigh, .out = out };
	unweighed_init(&c->unweighed);
	class_folder_census_init(&c->classes, find);
	entry_folder_init(&c->folder);
}

static void census_release(struct census *c)
{
	class_folder_census_release(&c->classes);
	unweighed_release(&c->unweighed);
}

static uint64_t times_unread(const struct census *c)
{
	return c->unread + c->looks.unread + c->classes.unread;
}

/*
 * The audit takes the listings of the last walk alone: where that could not read what one before it could, the audit
 * has to see for itself.
 */
static enum status walk_once(struct census *c, const struct find_options *find, struct error *err)
{
	if (find->leave_listings)
		listings_release(find->leave_listings);
	return source_each(find, take_until_settled, c, err);
}

/*
 * Walks a second time if something could not be read. Where it can be read in the audit, chance would decide what the
 * census made of the set; so the walk that could read more counts.
 */
static enum status count_files(struct census *c, const struct settings *settings, struct error *err)
{
	struct find_options whole = *c->find;
	struct sorting second_out;
	struct census second;

	whole.shard = (struct shard){ 0, 0 }; /* all parts of a set must come to the same answer */
	whole.heads_only = whole.keep_standard_input = true;
	whole.stop = stop_flag();
	whole.member_folders = &c->classes.packed;
	enum status status = walk_once(c, &whole, err);

	if (status != STATUS_OK || !times_unread(c))
		return status;
	census_init(&second, c->find, settings, c->weigh, &second_out);
	whole.member_folders = &second.classes.packed;
	status = walk_once(&second, &whole, err);
	if (times_unread(&second) < times_unread(c)) {
		census_release(c);
		*c->out = second_out;
		second.out = c->out;
		*c = second;
	} else {
		census_release(&second);
	}
	return status;
}

/*
 * Whether the PNGs that were taken for masks may be the pictures of texts, which may also come behind what was seen.
 * Where none of them is a picture, a walk that weighs them comes to the same.
 */
static bool needs_weighing(const struct census *c)
{
	bool texts = (c->kinds & ~GRID_KINDS) || c->pointers || c->tables || c->behind > FILES_BEHIND;

	return texts && ((c->kinds & KIND_BIT(KIND_MASK)) || c->plain_in_archive || c->masks_among_images) &&
	       (c->pngs_are_pictures || c->pairs.panoptic_count || unweighed_may_be_pictures(&c->unweighed));
}

enum status census_take(const struct find_options *find, const struct settings *settings, struct sorting *out,
			struct error *err)
{
	enum kind kind = settings->kind;
	struct census c;

	if (kind != KIND_AUTO) {
		*out = (struct sorting){ .named_kinds = KIND_BIT(kind),
					 .kinds = KIND_BIT(kind),
					 .pictures_too = kind == KIND_MASK };
		return kind == KIND_IMAGEFOLDER ? open_image_folder(find, out, err) : STATUS_OK;
	}
	census_init(&c, find, settings, false, out);
	if (find->files_from) /* listed files are named, and a list on standard input can be read only once */
		return STATUS_OK;
	enum status status = count_files(&c, settings, err);

	if (status == STATUS_OK && !stop_signal() && needs_weighing(&c)) {
		struct member_pairs seen = c.pairs; /* their folders: the JSON may come behind them */

		census_release(&c);
		census_init(&c, find, settings, true, out);
		memcpy(c.pairs.panoptic, seen.panoptic, sizeof(seen.panoptic));
		c.pairs.panoptic_count = seen.panoptic_count;
		status = count_files(&c, settings, err);
	}
	if (!c.kinds)
		c.kinds = c.pointers;
	class_folder_census_end(&c.classes);
	bool image_folder = status == STATUS_OK && !stop_signal() && is_image_folder(&c, settings);

	out->tables_show_labels = c.kinds & KIND_BIT(KIND_LIST);
	if (!c.kinds && c.tables)
		c.kinds = KIND_BIT(KIND_LIST);
	out->kinds = family(&c);
	bool meant = out->called_labels_only || (c.loose_pictures && !c.annotated);

	out->pictures_too = c.pictures && meant && !c.kinds && !c.plain_in_archive && !c.pngs_are_pictures &&
			    !c.masks_among_images && !c.cut;
	out->member_pairs = c.pairs.pairs;
	if (out->folder_suffix[0] && c.classes.packed.count && !c.classes.packed.too_many) {
		out->packed = xmalloc(sizeof(*out->packed));
		*out->packed = c.classes.packed;
		memset(&c.classes.packed, 0, sizeof(c.classes.packed));
	}
	if (image_folder)
		become_image_folder(out, &c.classes.folders);
	census_release(&c);
	return status;
}
