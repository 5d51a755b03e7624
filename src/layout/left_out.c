#include "layout/left_out.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "find/archive.h"
#include "layout/photo_probe.h"
#include "layout/sampling.h"
#include "layout/text_probe.h"
#include "read/identify.h"
#include "read/text_shape.h"
#include "read/yolo_layout.h"

#define ALL_KINDS (~0u)

enum { LISTED_MASK_LEVELS = 16 };

/* Returns whether a name is in the NULL-terminated list, whatever the case of ASCII letters. */
static bool is_any_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (ascii_tolower(name[0]) == ascii_tolower((*list)[0]) && !strcasecmp(name, *list))
			return true;
	return false;
}

/*
 * Returns whether an editor, a merge or a download left it beside a text: labels.json.bak, #labels.json#. A mask or an
 * array is audited whatever its name adds: nothing edits these.
 */
static bool is_backup_of_text(const char *name)
{
	static const char *const backups[] = { ".bak", ".orig", ".old", ".tmp", ".lock", ".part", NULL };
	static const char *const texts[] = { ".json", ".csv", ".tsv", ".txt", ".xml", ".yaml", ".yml", NULL };
	const bool autosaved = name[0] == '#' && file_name_ends_in(name, "#");
	const size_t added = autosaved ? 1 : strlen(file_name_extension(name)), n = strlen(name) - added;
	char text[256];

	if (!(autosaved || file_name_ends_in_any(name, backups)) || n >= sizeof(text))
		return false;
	memcpy(text, name, n);
	text[n] = '\0';
	return file_name_ends_in_any(text, texts);
}

bool is_clutter_name(const char *name)
{
	/* Windows' and macOS' folder files; Vim's swap files, Emacs' and editors' backups; Ultralytics' labels.cache */
	static const char *const names[] = { "Thumbs.db", "ehthumbs.db", "desktop.ini", ".DS_Store", "Icon\r", NULL };
	static const char *const extensions[] = { "swp", "swo", "crdownload", "cache", NULL };
	const char *extension = file_name_extension(name);

	if (is_any_of(name, names) || (*extension && is_any_of(extension + 1, extensions)) ||
	    file_name_ends_in(name, "~") || is_backup_of_text(name))
		return true;
	/* Office's and LibreOffice's locks, macOS' resource forks on other file systems, Emacs' locks */
	return !strncmp(name, "~$", 2) || !strncmp(name, ".~lock.", 7) || !strncmp(name, "._", 2) ||
	       !strncmp(name, ".#", 2);
}

/* Returns whether the head is that of a zip whose first member has the name of a label file or an image. */
static bool is_zip_of_labels(const struct file_head *f)
{
	enum { NAME_LENGTH_AT = 26, NAME_AT = 30 }; /* of a local header: APPNOTE 4.3.7 */
	static const char *const ends[] = { ".png", ".npy", ".txt", ".json", ".csv", ".xml", NULL };
	char name[256];

	if (f->content != CONTENT_ZIP || f->n < NAME_AT)
		return false;
	size_t length = f->head[NAME_LENGTH_AT] | (size_t)f->head[NAME_LENGTH_AT + 1] << 8;

	length = MIN(MIN(length, f->n - NAME_AT), sizeof(name) - 1);
	memcpy(name, f->head + NAME_AT, length);
	name[length] = '\0';
	return file_name_ends_in_any(name, ends) && strcmp(name, "[Content_Types].xml") != 0;
}

/* Returns whether the file is an archive of a format that is not read. */
static bool is_foreign_archive(const struct file_head *f)
{
	return (f->n >= 6 && !memcmp(f->head, "7z\xbc\xaf\x27\x1c", 6)) ||
	       (f->n >= 6 && !memcmp(f->head, "Rar!\x1a\x07", 6));
}

/* Returns whether a JSON text has a key of a known kind of annotations that is not read, or of COCO's. */
static bool has_annotation_key(const struct file_head *f)
{
	static const char *const keys[] = {
		"\"shapes\"",
		"\"annotations\"",
		"\"category_id\"",
		"\"regions\"",
		"\"objects\"",
		"\"segmentation\"",
		"\"label\"",
		"\"labels\"",
		"\"class\"",
		"\"category\"",
		"\"bbox\"",
		"\"rectanglelabels\"",
		"\"FeatureCollection\"",
	};

	/* nnU-Net's dataset.json names the classes of others */
	if (memmem(f->head, f->n, "\"file_ending\"", 13) || memmem(f->head, f->n, "\"numTraining\"", 13))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (memmem(f->head, f->n, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* Returns whether a JSON text has the name of an image of the PATH, or such names in it. */
static bool describes_images(const char *name, const struct dataset_layout *layout, const struct file_head *f)
{
	struct listed_names names = { .count = 0 };
	bool found = false;

	if (layout->images.bits) {
		listed_names_add_file(&names, name);
		listed_names_add_quoted(&names, (const char *)f->head, f->n);
		found = listed_names_are_in(&names, &layout->images);
		listed_names_release(&names);
	}
	return found;
}

/* Returns whether the rows of a table begin with images of the PATH. */
static bool is_table_of_images(const struct dataset_layout *layout, const struct file_head *f)
{
	enum { ROWS = 16 };
	struct listed_names names = { .count = 0 };
	bool found = false;

	if (layout->images.bits) {
		listed_names_add_first(&names, (const char *)f->head, f->n, ROWS);
		found = listed_names_are_in(&names, &layout->images);
		listed_names_release(&names);
	}
	return found;
}

/* Returns whether a JSON text is a training's configuration, of nnU-Net or Hugging Face: it names classes, no labels.
 */
static bool is_training_config(const char *name, const struct file_head *f)
{
	static const struct {
		const char *name, *key;
	} known[] = {
		{ "dataset.json", "\"file_ending\"" },
		{ "dataset.json", "\"channel_names\"" },
		{ "dataset.json", "\"numTraining\"" },
		{ "dataset_info.json", "\"features\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(name, known[i].name) && memmem(f->head, f->n, known[i].key, strlen(known[i].key)))
			return true;
	return false;
}

bool left_out_is_xml(const struct file_head *f)
{
	return f->content == CONTENT_XML ||
	       (f->content == CONTENT_TEXT && f->n && f->head[0] == '<' && file_name_ends_in(f->name, ".xml"));
}

/* Returns whether a text lies where YOLO's label files do: in labels/, with nothing else beside it. */
static bool is_in_labels(const struct entry *entry)
{
	const char *path = entry_inner_path(entry);

	return file_name_ends_in(path, ".txt") && path_find_folder(path, "labels");
}

/* Returns whether most lines are the name of an image and one word, which may be its class. */
static bool lists_words_of_images(const struct file_head *f)
{
	const char *p = (const char *)f->head, *end = p + f->n;
	unsigned lines = 0, pairs = 0;

	for (const char *next; p < end; p = next + 1, lines++) {
		char line[256], image[256], word[256], more[2];

		next = memchr(p, '\n', (size_t)(end - p));
		if (!next)
			break;
		snprintf(line, sizeof(line), "%.*s", (int)MIN((size_t)(next - p), sizeof(line) - 1), p);
		pairs += sscanf(line, "%255[^ ,;\t\r]%*[,; \t]%255[^ ,;\t\r]%1s", image, word, more) == 2 &&
			 is_image_name(image) && !is_image_name(word) && ascii_isalpha(word[0]);
	}
	return lines && 2 * pairs > lines;
}

/* Returns whether a name begins with that of a split: train.txt, val_list.txt. */
static bool is_name_of_split(const char *name)
{
	static const char *const splits[] = { "train", "val", "test", "all", "split" };

	for (size_t i = 0; i < ARRAY_SIZE(splits); i++)
		if (!strncasecmp(name, splits[i], strlen(splits[i])))
			return true;
	return false;
}

/* Returns the result for a file of no known format. */
static struct left_out left_out(enum skip_reason reason, bool looks_like_labels)
{
	return (struct left_out){ reason, looks_like_labels, UNREAD_NONE };
}

struct left_out left_out_by_head(const struct entry *entry, const struct folder_role *folder,
				 const struct dataset_layout *layout, const struct file_head *head)
{
	const struct label_format *format = format_recognise(head, ALL_KINDS);
	const bool in_labels = has_label_name(entry, folder) || (!entry->member && folder->walked_role == ROLE_LABELS);
	const char *name = file_name_of(entry->member ? entry->member : entry->path);
	const enum unread_kind unread = unread_kind_of(head->content, head->head, head->n);
	const bool may_be_labels = in_labels || (layout->no_family && folder->role == ROLE_UNKNOWN);

	if (entry->member && (is_archive_name(name) || is_npz_name(name)))
		return left_out(SKIP_NESTED_ARCHIVE, true);
	if (is_foreign_archive(head) || head->content == CONTENT_TAR)
		return left_out(SKIP_UNREAD_ARCHIVE, true);
	bool table = (layout->kinds & KIND_BIT(KIND_LIST)) &&
		     (file_name_ends_in(name, ".csv") || file_name_ends_in(name, ".tsv"));

	/* a spreadsheet, or a line without an end */
	if (table && unread == UNREAD_NONE && !is_name_of_notes(name) && head->content != CONTENT_EMPTY &&
	    (!format || (head->n == PEEK_BYTES && !memchr(head->head, '\n', head->n))))
		return left_out(SKIP_UNREAD_FORMAT, true);
	if (head->content == CONTENT_ZIP)
		return left_out(is_zip_of_labels(head) ? SKIP_UNREAD_ARCHIVE : SKIP_NO_LABELS, is_zip_of_labels(head));
	/* landmarks and boxes beside labels are none; alone, they are named */
	if (unread == UNREAD_COORDINATES &&
	    !(format && layout->settings->column && table_has_column(head, layout->settings->column)))
		return layout->no_family ? (struct left_out){ unread_kind_reason(unread), true, unread }
					 : left_out(SKIP_NO_LABELS, false);
	if (format && format->kind == KIND_LIST && !table_has_labels(head, layout->settings->column))
		return left_out(SKIP_TABLE, (table && lists_words_of_images(head)) || is_table_of_images(layout, head));
	/* the split of a set in another format */
	if (format && format->kind == KIND_LIST && !(layout->kinds & KIND_BIT(KIND_LIST)) && is_name_of_split(name) &&
	    text_is_numbering(head->head, head->n, head->n < PEEK_BYTES))
		return left_out(SKIP_NO_LABELS, false);
	/* the weights of a model, a curve */
	if (format && format->kind == KIND_ARRAY && !in_labels && role_of_array(name) != ROLE_LABELS &&
	    array_holds_fractions(head))
		return left_out(SKIP_NO_LABELS, false);
	if (format)
		return left_out(SKIP_OTHER_KIND, true);
	if (content_is_photo(head->content)) {
		/* photos are JPEG mostly; what else lies among masks may be a mask */
		bool mask = unread != UNREAD_NONE && may_be_labels &&
			    (in_labels || layout->no_family || (layout->kinds & KIND_BIT(KIND_MASK)));

		return mask ? (struct left_out){ SKIP_UNREAD_FORMAT, true, unread }
			    : (struct left_out){ SKIP_IMAGE, false, UNREAD_NONE };
	}
	/* arrays and records lie among models and logs, too */
	if (unread != UNREAD_NONE &&
	    (may_be_labels || unread_kind_reason(unread) == SKIP_UNREAD_ANNOTATION || unread_kind_is_dataset(unread)))
		return (struct left_out){ unread_kind_reason(unread), true, unread };
	if (left_out_is_xml(head) ||
	    (head->content == CONTENT_JSON && (has_annotation_key(head) || describes_images(name, layout, head)) &&
	     !is_training_config(file_name_of(name), head)))
		return left_out(SKIP_UNREAD_ANNOTATION, true);
	if (layout->kinds == KIND_BIT(KIND_COCO) && file_name_ends_in(name, ".json") && !is_name_of_notes(name) &&
	    head->content != CONTENT_EMPTY)
		return left_out(SKIP_UNREAD_ANNOTATION, true);
	/* a text in YOLO's folder, whatever it holds, is the label file of an image; so is a broken mask in masks/ */
	if (layout->kinds == KIND_BIT(KIND_YOLO) && is_in_labels(entry) && head->content != CONTENT_EMPTY &&
	    !is_name_of_notes(name))
		return left_out(SKIP_UNREAD_FORMAT, true);
	if ((layout->kinds & KIND_BIT(KIND_MASK)) && head->content == CONTENT_UNKNOWN && strcasestr(name, ".png"))
		return left_out(SKIP_UNREAD_FORMAT, true);
	/* nothing else was found: what lies in labels/ is named, in whatever format */
	if (layout->no_family && in_labels && head->content == CONTENT_UNKNOWN)
		return left_out(SKIP_UNREAD_FORMAT, true);
	/* words that are written in the images, the names of their classes with blanks */
	if (layout->no_family && head->content == CONTENT_TEXT && !is_name_of_notes(name) && !is_name_of_source(name) &&
	    is_table_of_images(layout, head))
		return left_out(SKIP_TABLE, true);
	return left_out(SKIP_NO_LABELS, false);
}

bool left_out_has_label_name(const struct entry *entry, const struct folder_role *folder,
			     const struct dataset_layout *layout)
{
	static const struct {
		const char *end;
		unsigned kinds;
	} names[] = {
		{ ".png", KIND_BIT(KIND_MASK) },
		{ ".npy", KIND_BIT(KIND_ARRAY) },
		{ ".txt", KIND_BIT(KIND_YOLO) },
		{ ".json", KIND_BIT(KIND_COCO) },
		{ ".csv", KIND_BIT(KIND_LIST) },
		{ ".tsv", KIND_BIT(KIND_LIST) },
		{ "-ubyte", KIND_BIT(KIND_IDX) },
		{ ".tar", ALL_KINDS },
		{ ".zip", ALL_KINDS },
	};
	const char *name = file_name_of(entry->member ? entry->member : entry->path);

	if (is_clutter_name(name) || folder->role == ROLE_IMAGES || folder->role == ROLE_ASIDE)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if ((names[i].kinds & layout->kinds) && file_name_ends_in(name, names[i].end))
			return true;
	return false;
}

/* Returns whether some of the first pixels are neither a class nor ignored. */
static bool has_id_out_of_range(const struct png_sight *sight, const struct class_set *classes)
{
	if (sight->wide_ids)
		return true;
	for (unsigned id = 0; sight->has_ids && id < 256; id++)
		if ((sight->ids[id / 64] >> id % 64 & 1) && class_set_role(classes, id) == ID_INVALID)
			return true;
	return false;
}

/* Returns whether a PNG lies where images of YOLO texts do, or has a text of its name there. */
static bool is_image_of_yolo(const struct entry *entry, const struct folder_role *folder,
			     const struct dataset_layout *layout)
{
	return layout->kinds == KIND_BIT(KIND_YOLO) &&
	       ((folder->role == ROLE_IMAGES && !layout->images_in_doubt) ||
		(!entry->member && yolo_find_label(entry->path) == PARTNER_THERE));
}

/*
 * Returns whether a PNG with an alpha channel, taken for a plot among masks, may be a mask in colours: it is flat, and
 * painted from its first pixel on, where plots are white or transparent.
 */
static bool is_mask_with_alpha(const struct png_sight *sight, enum skip_reason reason,
			       const struct dataset_layout *layout)
{
	return reason == SKIP_IMAGE && (layout->kinds & KIND_BIT(KIND_MASK)) && sight->look == PNG_LOOK_COLOUR &&
	       sight->drawn;
}

struct left_out left_out_png(const struct entry *entry, const struct folder_role *folder,
			     const struct dataset_layout *layout, enum skip_reason reason, struct entry_probe *probe)
{
	const char *name = entry_inner_path(entry);
	struct left_out out = left_out(reason, false);
	struct png_sight sight;

	if ((!is_png_name(entry->name) && reason != SKIP_CLUTTER) || (sample_hash(entry) & layout->look_mask) ||
	    (reason == SKIP_IMAGE && is_image_of_yolo(entry, folder, layout)))
		return out;
	if (!probe || (entry->member && !entry->bytes_len) || !photo_probe_look(entry, probe, true, &sight))
		return out;
	bool mask = sight.look == PNG_LOOK_MASK || is_mask_with_alpha(&sight, reason, layout) ||
		    (sight.noise && (layout->kinds & KIND_BIT(KIND_MASK)));
	/* sixteen bits in instances/ or depth/ are what such folders hold */
	bool wrong = (reason != SKIP_NAMED_ASIDE || sight.has_ids) &&
		     has_id_out_of_range(&sight, &layout->settings->classes);
	bool listed = folder->role != ROLE_LABELS &&
		      (folder->content == FOLDER_PHOTOS || name_filter_has_file(&layout->listed, name) ||
		       (layout->listed_cut && folder->role == ROLE_IMAGES));

	/* drawings and scans of few greys are images, too, if a label file lists them, or they lie among photos */
	if (listed)
		mask = mask && sight.has_ids && sight.levels <= LISTED_MASK_LEVELS && wrong;
	else if (reason != SKIP_IMAGE)
		mask = mask && wrong;
	out.looks_like_labels = GUARD(name_hides_a_mask, mask);
	if (mask && reason == SKIP_IMAGE && !listed)
		out.reason = SKIP_OTHER_KIND;
	return out;
}
