#include "sort_out.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "find/archive.h"
#include "find/part_names.h"
#include "read/gunzip.h"
#include "read/identify.h"
#include "read/peek.h"
#include "read/yolo_layout.h"
#include "stop.h"

#define BIT(kind)  (1u << (kind))
#define GRID_KINDS (BIT(KIND_MASK) | BIT(KIND_ARRAY)) /* both hold masks, and folders hold both */
#define ALL_KINDS  (~0u)

static bool is_named_png(const char *name)
{
	return file_name_ends_in(name, ".png");
}

static bool is_named_array(const char *name)
{
	return file_name_ends_in(name, ".npy");
}

static bool is_named_picture(const char *name)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp" };

	return file_name_ends_in_any(name, extensions, ARRAY_SIZE(extensions));
}

static bool is_picture(enum content content)
{
	return content == CONTENT_JPEG || content == CONTENT_GIF || content == CONTENT_BMP || content == CONTENT_TIFF ||
	       content == CONTENT_WEBP || content == CONTENT_WEBP_LOSSY || content == CONTENT_HEIF;
}

/* Of a gzip file, the beginning of what is in it. */
static int look_through_gzip(uint8_t head[PEEK_BYTES], int n)
{
	uint8_t unpacked[PEEK_BYTES];

	if (n <= 0 || identify(head, (size_t)n) != CONTENT_GZIP)
		return n;
	n = (int)gunzip_head(head, (size_t)n, unpacked, sizeof(unpacked));
	memcpy(head, unpacked, (size_t)n);
	return n;
}

static struct peeked describe(const struct entry *entry, const uint8_t *head, size_t n)
{
	const char *name = entry->member ? entry->member : entry->path;

	return (struct peeked){ entry->path,
				file_name_of(name),
				identify(head, n),
				head,
				n,
				entry->named || entry->standard_input,
				is_named_picture(entry->name) };
}

/* The beginning of an entry: of a member it is in memory. Returns how much there is, -1: fault. */
static int peek_entry(const struct entry *entry, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	if (!entry->member)
		return peek_file(entry->dirfd, entry->name, head, fault);
	size_t n = MIN(entry->bytes_len, (size_t)PEEK_BYTES);

	if (n)
		memcpy(head, entry->bytes, n);
	return (int)n;
}

/* ---- images beside labels --------------------------------------------------------------------------------------- */

/* Of a member its name in the archive, of a file what was found below the folder. */
static const char *found_as(const struct entry *entry)
{
	return entry->member ? entry->member : entry->path + entry->below;
}

/* Whether 1_mask.png lies beside 1.png. */
static bool has_mask_beside(const struct entry *entry, const char *suffix)
{
	const char *dot = strrchr(entry->name, '.');
	char name[PATH_MAX];
	struct stat st;

	if (entry->member || !*suffix || !dot)
		return false;
	int n = snprintf(name, sizeof(name), "%.*s%s%s", (int)(dot - entry->name), entry->name, suffix, dot);

	return n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0;
}

/* Whether a file lies in train/ where there is trainannot/. */
static bool has_label_folder_beside(const struct entry *entry, const char *suffix)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];
	struct stat st;

	if (entry->member || !*suffix || !slash || slash == entry->path || slash[-1] == '/')
		return false;
	int n = snprintf(name, sizeof(name), "%.*s%s", (int)(slash - entry->path), entry->path, suffix);

	return n < (int)sizeof(name) && stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* files: as in struct preset. */
static bool is_of_preset(const char *name, const char *files)
{
	if (file_name_ends_in(files, ".png"))
		return file_name_ends_in(name, files);
	for (const char *p = name; (p = strstr(p, files)); p++)
		if ((p == name || p[-1] == '/') && strchr(p, '/'))
			return true;
	return false;
}

static bool is_image_of_a_set(const struct entry *entry, const struct sorting *sorting)
{
	const char *name = found_as(entry);
	bool array = is_named_array(name);
	enum part folders = part_of_folders(name);

	if (sorting->files && is_named_png(name))
		return !is_of_preset(name, sorting->files);
	if (sorting->folder_parts && folders == PART_IMAGES)
		return is_named_png(name) || array;
	if (folders == PART_LABELS)
		return false;
	if (array)
		return sorting->array_parts && part_of_array(name) == PART_IMAGES;
	if (!is_named_png(name))
		return false;
	if (sorting->sample_parts && entry->member &&
	    !strcasecmp(file_name_of(name) + strcspn(file_name_of(name), "."), ".png"))
		return true;
	return has_mask_beside(entry, sorting->label_suffix) || has_label_folder_beside(entry, sorting->folder_suffix);
}

enum claim sort_out_entry(const struct entry *entry, const struct sorting *sorting, struct fault *fault)
{
	uint8_t head[PEEK_BYTES];
	struct sample ignored;

	if ((entry->named && !entry->member) || entry->standard_input)
		return CLAIM_LABELS;
	if (sorting->folders)
		return sort_out_folder(entry, sorting, &ignored) ? CLAIM_LABELS : CLAIM_OTHER;
	if (is_image_of_a_set(entry, sorting))
		return CLAIM_OTHER;
	if (entry->named || (entry->member && archive_holds_arrays(entry->path)))
		return CLAIM_LABELS;
	if (is_named_png(entry->name) && (sorting->kinds & BIT(KIND_MASK)))
		return CLAIM_LABELS;
	if (is_named_array(entry->name) && (sorting->kinds & BIT(KIND_ARRAY)))
		return CLAIM_LABELS;
	if (is_named_picture(entry->name) && !(sorting->kinds & BIT(KIND_MASK)))
		return CLAIM_OTHER;
	int n = peek_entry(entry, head, fault);

	if (n < 0)
		return CLAIM_FAILED;
	n = look_through_gzip(head, n);
	struct peeked p = describe(entry, head, (size_t)n);

	if (sorting->pictures_too && is_picture(p.content))
		return CLAIM_LABELS;
	return label_reader_for(&p, sorting->kinds) ? CLAIM_LABELS : CLAIM_OTHER;
}

bool sort_out_lacks_label(const struct entry *entry, const struct sorting *sorting)
{
	return sorting->kinds == BIT(KIND_YOLO) && is_named_picture(entry->name) &&
	       yolo_find_label(entry->path) == PARTNER_MISSING;
}

bool sort_out_folder(const struct entry *entry, const struct sorting *sorting, struct sample *sample)
{
	const struct class_folders *folders = sorting->folders;
	unsigned root;

	if (!folders || entry->named || entry->standard_input || entry->member ||
	    !class_folders_is_image(entry->name) ||
	    !class_folders_find(folders, entry->path, entry->below, &root, &sample->folder_id))
		return false;
	sample->format = FORMAT_FOLDER;
	sample->folder = folders->roots[root].names[sample->folder_id];
	sample->folder_root = (uint8_t)root;
	return true;
}

bool sort_out_wants(const void *sorting, const char *name, const uint8_t *head, size_t n)
{
	const struct entry member = { .path = name, .name = name, .member = name, .bytes = head, .bytes_len = n };
	struct fault ignored;

	fault_clear(&ignored);
	return sort_out_entry(&member, sorting, &ignored) == CLAIM_LABELS;
}

const struct label_reader *sort_out_reader(const struct entry *entry, const struct sorting *sorting,
					   const uint8_t *head, size_t n, struct fault *fault)
{
	bool named = entry->named || entry->standard_input;
	struct peeked p = describe(entry, head, n);
	const struct label_reader *reader = label_reader_for(&p, named ? sorting->named_kinds : sorting->kinds);

	if (!reader)
		identify_fault(p.content, head, n,
			       is_named_png(entry->name)     ? "a PNG"
			       : is_named_array(entry->name) ? "a NumPy array"
							     : "a label file",
			       fault);
	return reader;
}

/* ---- the census ------------------------------------------------------------------------------------------------- */

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
	unsigned kinds; /* seen: bits 1 << enum kind */
	bool pictures;  /* seen */
	bool masks_among_images;
	bool cut;              /* an archive was not seen to its end */
	bool plain_in_archive; /* PNGs without a word in front of .png */
	/* Of the members seen last, with one name up to the first dot. */
	char sample[SAMPLE_NAME_MAX];
	bool sample_has_plain, sample_has_label;
	uint64_t unread;        /* times that something could not be read */
	bool pngs_are_pictures; /* in class folders, by their weight */
	unsigned behind;        /* entries since the first mask, a member for FILES_BEHIND / MEMBERS_BEHIND of them */
	const char *files;      /* that the preset means; NULL: any */
	struct sorting *out;    /* its parts are told here */
	/* Whether it is an ImageFolder. */
	const struct find_options *find;
	struct class_folders folders;
	bool folders_listed;
	bool stray;           /* a picture that lies in no class folder */
	bool several;         /* pictures lie in several class folders */
	uint32_t first_class; /* id of the first picture; UINT32_MAX: none so far */
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

/*
 * Whether a PNG is a picture, by its weight: 1.5 bits a pixel and more. Masks have less than 0.5, but for small ones,
 * whose chunks weigh something themselves.
 */
static bool is_heavy(struct census *c, const struct entry *entry)
{
	enum { IHDR_END = 33, FRAME_BYTES = 57 /* signature, IHDR, the frames of IDAT and IEND */ };
	uint8_t head[PEEK_BYTES];
	struct fault ignored;
	struct stat st;

	fault_clear(&ignored);
	int n = peek_entry(entry, head, &ignored), rc = fstatat(entry->dirfd, entry->name, &st, 0);

	c->unread += n < 0 || rc < 0;
	if (n < IHDR_END || identify(head, IHDR_END) != CONTENT_PNG || rc < 0)
		return false;
	uint64_t pixels = (uint64_t)be32(head + 16) * be32(head + 20);
	uint64_t bits = 8 * (uint64_t)MAX(st.st_size - FRAME_BYTES, 0);
	bool direct = head[25] != 3 && head[24] == 8; /* no palette, 8 bits a sample */

	return direct && 2 * bits >= 3 * pixels;
}

static void look_into(struct census *c, const struct entry *entry)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored;

	if (is_known_well(c, entry->name))
		return;
	fault_clear(&ignored);
	int n = peek_entry(entry, head, &ignored);

	c->unread += n < 0;
	n = look_through_gzip(head, n);
	if (n <= 0)
		return;
	struct peeked p = describe(entry, head, (size_t)n);
	const struct label_reader *reader = label_reader_for(&p, ALL_KINDS);

	if (reader)
		c->kinds |= BIT(reader->kind);
	else
		c->pictures |= is_picture(p.content);
}

/*
 * Takes a picture for one of an ImageFolder. The folders are listed when the first picture comes that lies in one: most
 * sets have none, and a folder of ten million masks is not to be read twice.
 */
static void try_class_folder(struct census *c, const struct entry *entry)
{
	struct error ignored = ERROR_INIT;
	unsigned root;
	uint32_t id;

	if (c->stray)
		return;
	c->stray = entry->member || !strchr(entry->path + entry->below, '/');
	if (c->stray)
		return;
	if (!c->folders_listed) {
		c->folders_listed = true;
		c->first_class = UINT32_MAX;
		c->stray = class_folders_open(&c->folders, c->find->paths, c->find->paths_count, &ignored) != STATUS_OK;
		c->unread += c->stray;
		c->stray |= c->folders.too_many || class_folders_look_like_parts(&c->folders);
	}
	if (c->stray || !class_folders_find(&c->folders, entry->path, entry->below, &root, &id)) {
		c->stray = true;
		return;
	}
	c->several |= c->first_class != UINT32_MAX && c->first_class != id;
	c->first_class = id;
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
		c->sample_has_plain = c->sample_has_label = false;
	}
	c->sample_has_label |= part_of_sample(name) == PART_LABELS;
	c->sample_has_plain |= !strcasecmp(dot, ".png");
	c->out->sample_parts |= c->sample_has_plain && c->sample_has_label;
}

/* A PNG that lies in no folder for images. */
static void take_mask_in(struct census *c, const struct entry *entry)
{
	const char *name = found_as(entry);
	size_t stem, suffix = part_label_suffix(name, &stem);
	bool among_labels = part_of_folders(name) == PART_LABELS;
	const char *end;
	size_t folder_suffix = part_folder_suffix(name, &end);

	if (entry->member && !among_labels && part_of_sample(name) != PART_LABELS) {
		c->plain_in_archive = true;
		return;
	}
	if (!entry->member && !c->stray && c->folders_listed &&
	    (c->pngs_are_pictures || !(c->kinds & BIT(KIND_MASK)))) {
		bool heavy = is_known_well(c, entry->name) ? c->pngs_are_pictures : is_heavy(c, entry);

		if (heavy) {
			c->pngs_are_pictures = true;
			return;
		}
	}
	c->kinds |= BIT(KIND_MASK);
	c->out->folder_parts |= among_labels;
	if (folder_suffix && folder_suffix < LABEL_SUFFIX_MAX && !c->out->folder_suffix[0] && !entry->member)
		snprintf(c->out->folder_suffix, sizeof(c->out->folder_suffix), "%.*s", (int)folder_suffix, end);
	if (suffix && suffix < LABEL_SUFFIX_MAX && !c->out->label_suffix[0] && !entry->member)
		snprintf(c->out->label_suffix, sizeof(c->out->label_suffix), "%.*s", (int)suffix, name + stem);
}

static void take_array_in(struct census *c, const struct entry *entry)
{
	const char *name = found_as(entry);
	enum part folders = part_of_folders(name);

	c->out->folder_parts |= folders == PART_LABELS;
	c->out->array_parts |= folders != PART_IMAGES && part_of_array(name) == PART_LABELS;
}

/* True: nothing that comes can change the outcome. */
static bool take_in(struct census *c, const struct entry *entry)
{
	if (entry->archive && entry->skipped)
		c->cut = true;
	c->unread += entry->failed && !entry->archive && !entry->member; /* what an archive holds does not change */
	if (entry->failed || entry->standard_input || entry->archive || entry->skipped)
		return false;
	if (entry->named) { /* of members only those of an .npz */
		if (entry->member)
			take_array_in(c, entry);
		return false;
	}
	if (is_named_picture(entry->name))
		try_class_folder(c, entry);
	if (is_named_array(entry->name))
		take_array_in(c, entry);
	if (c->files && is_named_png(entry->name) && is_of_preset(found_as(entry), c->files))
		c->out->files = c->files;
	if (entry->member)
		take_sample_in(c, entry);
	if (!is_named_png(entry->name)) {
		look_into(c, entry);
	} else if (part_of_folders(found_as(entry)) == PART_IMAGES) { /* YOLO and COCO keep their pictures there, and
									  some sets their masks */
		c->masks_among_images = true;
	} else {
		take_mask_in(c, entry);
	}
	if (c->kinds & GRID_KINDS || c->plain_in_archive)
		c->behind += entry->member ? FILES_BEHIND / MEMBERS_BEHIND : 1;
	return c->behind > FILES_BEHIND;
}

static unsigned family(const struct census *c)
{
	static const enum kind in_order[] = { KIND_YOLO, KIND_COCO };
	static const enum kind behind_masks[] = { KIND_IDX, KIND_LIST };

	if (c->kinds & GRID_KINDS || (c->plain_in_archive && !c->out->sample_parts) || c->pngs_are_pictures)
		return GRID_KINDS;
	for (size_t i = 0; i < ARRAY_SIZE(in_order); i++)
		if (c->kinds & BIT(in_order[i]))
			return BIT(in_order[i]);
	for (size_t i = 0; i < ARRAY_SIZE(behind_masks) && !c->masks_among_images; i++)
		if (c->kinds & BIT(behind_masks[i]))
			return BIT(behind_masks[i]);
	return GRID_KINDS;
}

/* As many class folders as classes; one more or less is a mistake that the audit is to find. */
static bool is_image_folder(const struct census *c, const struct settings *settings)
{
	uint64_t classes = id_ranges_size(&settings->classes.classes), folders = 0;

	if (!(c->pictures || c->pngs_are_pictures) || c->kinds || c->plain_in_archive || c->masks_among_images ||
	    c->cut || c->stray || !c->several)
		return false;
	for (size_t i = 0; i < c->folders.count; i++)
		folders = MAX(folders, (uint64_t)c->folders.roots[i].count);
	return folders + 1 >= classes && folders <= classes + 1;
}

/* Takes the folders over. */
static void become_image_folder(struct sorting *out, struct class_folders *folders)
{
	*out = (struct sorting){ .named_kinds = BIT(KIND_IMAGEFOLDER), .kinds = BIT(KIND_IMAGEFOLDER) };
	out->folders = xmalloc(sizeof(*out->folders));
	*out->folders = *folders;
	memset(folders, 0, sizeof(*folders));
}

static enum status open_image_folder(const struct find_options *find, struct sorting *out, struct error *err)
{
	struct class_folders folders;

	if (find->files_from)
		return error_set(err, "--kind imagefolder: --files-from names no folder whose folders are the classes");
	if (class_folders_open(&folders, find->paths, find->paths_count, err) != STATUS_OK)
		return STATUS_FAILED;
	if (folders.too_many || !folders.count) {
		bool too_many = folders.too_many;

		class_folders_release(&folders);
		if (!too_many)
			return error_set(err, "--kind imagefolder: no PATH is a folder that can be opened");
		return error_set(
			err,
			"--kind imagefolder: more than %d class folders in a folder, %d in all, or %d PATHs and splits",
			CLASS_FOLDERS_MAX, CLASS_FOLDERS_ALL, CLASS_ROOTS_MAX);
	}
	become_image_folder(out, &folders);
	return STATUS_OK;
}

void sorting_release(struct sorting *sorting)
{
	if (sorting->folders)
		class_folders_release(sorting->folders);
	free(sorting->folders);
	sorting->folders = NULL;
}

/* Walks once, as far as need be. */
static enum status walk_through(const struct find_options *find, struct census *census, struct error *err)
{
	enum { DRAW = 256 };
	struct source *source;
	struct unit unit;
	bool settled = false;
	enum status status = source_open(&source, find, err);

	if (status != STATUS_OK)
		return status;
	unit_init(&unit);
	do {
		unit_clear(&unit);
		status = source_draw(source, &unit, DRAW, err);
		for (size_t i = 0; status == STATUS_OK && !settled && i < unit.count; i++)
			settled = take_in(census, &unit.entries[i]);
	} while (status == STATUS_OK && unit.count && !settled);
	unit_release(&unit);
	source_close(source);
	return status;
}

enum status sort_out_census(const struct find_options *find, const struct settings *settings, struct sorting *out,
			    struct error *err)
{
	enum kind kind = settings->kind;
	struct find_options whole = *find;
	struct census census = { .find = find, .files = settings->files, .out = out };
	enum status status;

	if (kind != KIND_AUTO) {
		*out = (struct sorting){ .named_kinds = BIT(kind),
					 .kinds = BIT(kind),
					 .pictures_too = kind == KIND_MASK };
		return kind == KIND_IMAGEFOLDER ? open_image_folder(find, out, err) : STATUS_OK;
	}
	*out = (struct sorting){ .named_kinds = ALL_KINDS, .kinds = GRID_KINDS };
	if (find->files_from) /* listed files are named, and a list on standard input can be read only once */
		return STATUS_OK;
	whole.shard = (struct shard){ 0, 0 }; /* all parts of a set must come to the same answer */
	whole.heads_only = whole.keep_standard_input = true;
	whole.stop = stop_flag();
	status = walk_through(&whole, &census, err);
	/*
	 * What cannot be read now and can in the audit would be sorted out by chance: so it is tried again, and the
	 * walk counts that has seen more.
	 */
	if (status == STATUS_OK && census.unread) {
		struct sorting second_out = { .named_kinds = ALL_KINDS, .kinds = GRID_KINDS };
		struct census second = { .find = find, .files = settings->files, .out = &second_out };

		status = walk_through(&whole, &second, err);
		if (second.unread < census.unread) {
			*out = second_out;
			class_folders_release(&census.folders);
			census = second;
		} else {
			class_folders_release(&second.folders);
		}
	}
	out->kinds = family(&census);
	out->pictures_too = census.pictures && !census.kinds && !census.plain_in_archive && !census.pngs_are_pictures &&
			    !census.masks_among_images && !census.cut;
	if (status == STATUS_OK && !stop_signal() && is_image_folder(&census, settings))
		become_image_folder(out, &census.folders);
	class_folders_release(&census.folders);
	return status;
}
