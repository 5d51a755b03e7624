#include "read/format.h"

#include <limits.h>
#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "read/coco.h"
#include "read/input.h"
#include "read/raster.h"
#include "read/text_look.h"
#include "read/text_shape.h"
#include "read/tokens.h"
#include "read/unread_kind.h"

static bool is_whole(const struct file_head *f)
{
	return f->n < PEEK_BYTES;
}

static bool is_png(const struct file_head *f)
{
	return f->content == CONTENT_PNG;
}

/* Returns whether an image in another format than PNG may be a mask: most are photos. */
static bool is_claimed_mask(const struct file_head *f)
{
	return f->is_mask_place || f->is_explicit;
}

static bool is_bmp(const struct file_head *f)
{
	return f->content == CONTENT_BMP && is_claimed_mask(f);
}

static bool is_gif(const struct file_head *f)
{
	return f->content == CONTENT_GIF && GIF_IS_BUILT_IN && is_claimed_mask(f);
}

static bool is_tiff(const struct file_head *f)
{
	return f->content == CONTENT_TIFF && TIFF_IS_BUILT_IN && is_claimed_mask(f);
}

static bool is_npy(const struct file_head *f)
{
	return f->content == CONTENT_NUMPY;
}

static bool is_nifti(const struct file_head *f)
{
	return f->content == CONTENT_VOLUME;
}

/* Labels have one axis. A file with more axes holds the images, unless the user named it. */
static bool is_idx(const struct file_head *f)
{
	return f->content == CONTENT_IDX && f->n >= 4 && (f->head[3] == 1 || f->is_explicit);
}

/* A byte order mark makes the content CONTENT_TEXT; a name that is not UTF-8 makes it CONTENT_UNKNOWN. */
static bool is_coco(const struct file_head *f)
{
	return (f->content == CONTENT_JSON || f->content == CONTENT_TEXT || f->content == CONTENT_UNKNOWN) &&
	       coco_looks_like(f->head, f->n) && unread_kind_of(f->content, f->head, f->n) == UNREAD_NONE;
}

static struct text_look look_of(const struct file_head *f)
{
	struct text_look look;

	if (f->text)
		return *f->text;
	text_look((const char *)f->head, f->n, is_whole(f), &look);
	return look;
}

/* Standard input, "-", has no extension. */
static bool is_named_text(const struct file_head *f)
{
	return file_name_ends_in(f->name, ".txt") || (f->is_explicit && !strcmp(f->name, "-"));
}

/* Recognises a text of boxes. An empty one, recognised by its name alone, is an image without objects. */
static bool is_yolo(const struct file_head *f)
{
	if (!is_named_text(f) || is_name_of_notes(f->name))
		return false;
	if (f->content == CONTENT_EMPTY)
		return strcmp(f->name, "-") != 0;
	if (f->content != CONTENT_TEXT && f->content != CONTENT_UNKNOWN)
		return false;
	const struct text_look look = look_of(f);

	return look.kind == TEXT_IS_YOLO ||
	       (look.numbers && (path_find_folder(f->path, "labels") || (f->is_explicit && f->kind_forced)));
}

/* .cls: the label of one sample in a WebDataset. */
static bool has_table_name(const char *name)
{
	return file_name_ends_in(name, ".csv") || file_name_ends_in(name, ".tsv") || file_name_ends_in(name, ".cls");
}

/* An object of JSON a line. */
static bool has_lines_name(const char *name)
{
	return file_name_ends_in(name, ".jsonl") || file_name_ends_in(name, ".ndjson");
}

/* Returns whether a text of JSON has a list of objects. */
static bool lists_objects(const uint8_t *s, size_t n)
{
	bool open = false; /* after a bracket and blanks */

	for (size_t i = 0; i < n; i++) {
		if (open && s[i] == '{')
			return true;
		open = s[i] == '[' || (open && memchr(" \t\r\n", s[i], 4));
	}
	return false;
}

/*
 * Rows of JSON: lines, which are a table as a CSV is, or the elements of an array, which have labels or lists by their
 * keys. One object may be anything: its keys must say that it has labels, none of them that it is a set of others
 * (data_list: [{...}, ...]), and the user must have named it.
 */
static bool is_json_list(const struct file_head *f)
{
	const bool lines = has_lines_name(f->name);
	const enum unread_kind unread = unread_kind_of(f->content, f->head, f->n);

	if (unread != UNREAD_NONE && !(lines && unread == UNREAD_JSON_LINES))
		return false;
	if (!lines && coco_looks_like_results(f->head, f->n))
		return false;
	const struct text_look look = look_of(f);
	const bool rows = look.json && (lines || look.json != JSON_LINES);

	if (!f->is_explicit)
		return rows && (look.label_word || (lines && unread == UNREAD_NONE));
	return rows ? lines || look.label_word || look.lists || look.json == JSON_ROWS_OF_VALUES
		    : look.json && (look.label_word || look.lists) && !lists_objects(f->head, f->n);
}

/*
 * A file that the user named may be any table; one found in a folder must have the name of one, or labels. In
 * Pascal VOC's ImageSets/ are lists of images: those of a class say 1, 0 and -1 of each, which are no classes.
 */
static bool is_list(const struct file_head *f)
{
	if (f->content == CONTENT_JSON)
		return is_json_list(f);
	if ((f->content != CONTENT_TEXT && f->content != CONTENT_UNKNOWN) || f->has_photo_name ||
	    unread_kind_of(f->content, f->head, f->n) != UNREAD_NONE)
		return false;
	if (!f->is_explicit &&
	    (is_name_of_source(f->name) || (is_name_of_notes(f->name) && !text_is_multi_label(f->name, f->head, f->n))))
		return false;
	if (has_table_name(f->name))
		return true;
	if (f->content == CONTENT_UNKNOWN && !file_name_ends_in(f->name, ".txt"))
		return false;
	const struct text_look look = look_of(f);

	if (f->is_explicit)
		return look.kind != TEXT_IS_NONE && (look.kind != TEXT_IS_NAMES || look.distinct);
	return look.kind == TEXT_IS_BOXES ||
	       (look.kind == TEXT_IS_TABLE && (look.label_word || look.flags || look.images)) ||
	       (look.kind == TEXT_IS_LIST && !path_find_folder(f->path, "ImageSets"));
}

/*
 * A stream of ids without a header has no signature: by chance it may begin like an IDX array. Its name tells it, and
 * that the user names it or says its type.
 */
static bool is_tokens(const struct file_head *f)
{
	if (f->content == CONTENT_TOKENS)
		return true;
	const bool bytes = f->content == CONTENT_UNKNOWN || f->content == CONTENT_IDX;

	return bytes && unread_kind_of(f->content, f->head, f->n) == UNREAD_NONE &&
	       (is_token_name(f->name) ? f->is_stream || f->is_explicit : f->is_stream && f->is_explicit);
}

/* The first format that recognises a file wins, so those with a signature come first. */
static const struct label_format formats[] = {
	{ FORMAT_TOKENS, KIND_ARRAY, is_tokens }, { FORMAT_PNG, KIND_MASK, is_png },
	{ FORMAT_NPY, KIND_ARRAY, is_npy },       { FORMAT_IDX, KIND_IDX, is_idx },
	{ FORMAT_COCO, KIND_COCO, is_coco },      { FORMAT_YOLO, KIND_YOLO, is_yolo },
	{ FORMAT_LIST, KIND_LIST, is_list },      { FORMAT_BMP, KIND_MASK, is_bmp },
	{ FORMAT_GIF, KIND_MASK, is_gif },        { FORMAT_NIFTI, KIND_ARRAY, is_nifti },
	{ FORMAT_TIFF, KIND_MASK, is_tiff },
};

/* Removes the extension of a packed file: labels.csv.gz is recognised like labels.csv. */
static const char *without_packing(const char *name, char plain[NAME_MAX + 1])
{
	const size_t packing = packing_length(name), n = strlen(name) - packing;

	if (!packing || n > NAME_MAX)
		return name;
	memcpy(plain, name, n);
	plain[n] = '\0';
	return plain;
}

const struct label_format *format_recognise(const struct file_head *file, unsigned kinds)
{
	struct file_head f = *file;
	char plain[NAME_MAX + 1];

	if (f.content == CONTENT_OWN_REPORT)
		return NULL;
	f.name = without_packing(f.name, plain);
	f.kind_forced = (kinds & (kinds - 1)) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if ((kinds & KIND_BIT(formats[i].kind)) && formats[i].recognises(&f))
			return &formats[i];
	return NULL;
}

const struct label_format *format_get(enum sample_format format)
{
	size_t i = 0;

	while (formats[i].format != format)
		i++;
	return &formats[i];
}

enum kind format_kind(enum sample_format format)
{
	return format == FORMAT_FOLDER ? KIND_IMAGEFOLDER : format_get(format)->kind;
}
