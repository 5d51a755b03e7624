#include "sort_out.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "find/archive.h"
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
	       content == CONTENT_WEBP;
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

enum claim sort_out_entry(const struct entry *entry, const struct sorting *sorting, struct fault *fault)
{
	uint8_t head[PEEK_BYTES];
	struct sample ignored;

	if (entry->named || entry->standard_input || (entry->member && archive_holds_arrays(entry->path)))
		return CLAIM_LABELS;
	if (sorting->folders)
		return sort_out_folder(entry, sorting, &ignored) ? CLAIM_LABELS : CLAIM_OTHER;
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

struct census {
	unsigned kinds; /* seen: bits 1 << enum kind */
	bool pictures;  /* seen */
	bool masks_among_images;
	bool cut; /* an archive was not seen to its end */
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

static bool is_below_images(const char *path)
{
	return strstr(path, "/images/") || !strncmp(path, "images/", 7);
}

static void look_into(struct census *c, const struct entry *entry)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored;

	if (is_known_well(c, entry->name))
		return;
	fault_clear(&ignored);
	int n = peek_entry(entry, head, &ignored);

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
		c->stray |= c->folders.too_many || class_folders_look_like_parts(&c->folders);
	}
	if (c->stray || !class_folders_find(&c->folders, entry->path, entry->below, &root, &id)) {
		c->stray = true;
		return;
	}
	c->several |= c->first_class != UINT32_MAX && c->first_class != id;
	c->first_class = id;
}

/* True: nothing that comes can change the outcome. */
static bool take_in(struct census *c, const struct entry *entry)
{
	if (entry->archive && entry->skipped)
		c->cut = true;
	if (entry->failed || entry->named || entry->standard_input || entry->archive || entry->skipped)
		return false;
	if (is_named_picture(entry->name))
		try_class_folder(c, entry);
	if (!is_named_png(entry->name))
		look_into(c, entry);
	else if (is_below_images(entry->member ? entry->member : entry->path)) /* YOLO and COCO keep their pictures
										  there, and some sets their masks */
		c->masks_among_images = true;
	else
		c->kinds |= BIT(KIND_MASK);
	return c->kinds & GRID_KINDS;
}

static unsigned family(const struct census *c)
{
	static const enum kind in_order[] = { KIND_YOLO, KIND_COCO };
	static const enum kind behind_masks[] = { KIND_IDX, KIND_LIST };

	if (c->kinds & GRID_KINDS)
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

	if (!c->pictures || c->kinds || c->masks_among_images || c->cut || c->stray || !c->several)
		return false;
	for (size_t i = 0; i < c->folders.count; i++)
		folders = MAX(folders, (uint64_t)c->folders.roots[i].count);
	return folders + 1 >= classes && folders <= classes + 1;
}

/* Takes the folders over. */
static void become_image_folder(struct sorting *out, struct class_folders *folders)
{
	*out = (struct sorting){ BIT(KIND_IMAGEFOLDER), BIT(KIND_IMAGEFOLDER), false, NULL };
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

enum status sort_out_census(const struct find_options *find, const struct settings *settings, struct sorting *out,
			    struct error *err)
{
	enum { DRAW = 256 };
	enum kind kind = settings->kind;
	struct census census = { .find = find };
	struct find_options whole = *find;
	struct source *source;
	struct unit unit;
	bool settled = false;
	enum status status;

	if (kind != KIND_AUTO) {
		*out = (struct sorting){ BIT(kind), BIT(kind), kind == KIND_MASK, NULL };
		return kind == KIND_IMAGEFOLDER ? open_image_folder(find, out, err) : STATUS_OK;
	}
	*out = (struct sorting){ ALL_KINDS, GRID_KINDS, false, NULL };
	if (find->files_from) /* listed files are named, and a list on standard input can be read only once */
		return STATUS_OK;
	whole.shard = (struct shard){ 0, 0 }; /* all parts of a set must come to the same answer */
	whole.heads_only = whole.keep_standard_input = true;
	whole.stop = stop_flag();
	status = source_open(&source, &whole, err);
	if (status != STATUS_OK)
		return status;
	unit_init(&unit);
	do {
		unit_clear(&unit);
		status = source_draw(source, &unit, DRAW, err);
		for (size_t i = 0; status == STATUS_OK && !settled && i < unit.count; i++)
			settled = take_in(&census, &unit.entries[i]);
	} while (status == STATUS_OK && unit.count && !settled);
	unit_release(&unit);
	source_close(source);
	out->kinds = family(&census);
	out->pictures_too = census.pictures && !census.kinds && !census.masks_among_images && !census.cut;
	if (status == STATUS_OK && !stop_signal() && is_image_folder(&census, settings))
		become_image_folder(out, &census.folders);
	class_folders_release(&census.folders);
	return status;
}
