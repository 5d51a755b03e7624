#include "read/unread_kind.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/fields.h"
#include "read/input.h"
#include "read/list_words.h"
#include "read/nifti.h"
#include "read/text_look.h"

/*
 * From unread_kinds.txt: name, text of one, text of many, conversion, each a line; an empty line between two kinds. A
 * conversion ends in one line for a shell, if one converts them, with the word PATH for their folder. It names no file
 * of the set: such a name could hold a command itself.
 */
static const char *const lines[] = {
#include "read/unread_kinds.inc"
};
enum { NAME, ONE, MANY, CONVERSION, KIND_LINES = CONVERSION + 2 };
_Static_assert(ARRAY_SIZE(lines) + 1 == (UNREAD_KINDS - 1) * KIND_LINES, "unread_kinds.txt follows enum unread_kind");

static const char *line(enum unread_kind kind, int which)
{
	return kind == UNREAD_NONE ? NULL : lines[((int)kind - 1) * KIND_LINES + which];
}

const char *unread_kind_name(enum unread_kind kind)
{
	return line(kind, NAME);
}

const char *unread_kind_text(enum unread_kind kind, uint64_t files)
{
	return line(kind, files == 1 ? ONE : MANY);
}

const char *unread_kind_conversion(enum unread_kind kind)
{
	return line(kind, CONVERSION);
}

bool unread_kind_fault(enum unread_kind kind, struct fault *fault)
{
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "the format of %s is not read", line(kind, MANY));
}

enum skip_reason unread_kind_reason(enum unread_kind kind)
{
	return kind == UNREAD_NONE             ? SKIP_NONE
	       : unread_kind_is_doubtful(kind) ? SKIP_UNREAD_DATA
	       : kind >= UNREAD_VOC_XML        ? SKIP_UNREAD_ANNOTATION
					       : SKIP_UNREAD_FORMAT;
}

bool unread_kind_is_doubtful(enum unread_kind kind)
{
	return kind >= UNREAD_NRRD && kind <= UNREAD_PICKLE;
}

/* ---- recognition ------------------------------------------------------------------------------------------------- */

static bool has_at(const uint8_t *head, size_t n, size_t at, const void *bytes, size_t length)
{
	return n >= at + length && !memcmp(head + at, bytes, length);
}

static bool has(const uint8_t *head, size_t n, const char *text)
{
	return memmem(head, n, text, strlen(text)) != NULL;
}

/* CRC-32C, bit by bit: it checks eight bytes a file. */
static uint32_t crc32c(const uint8_t *bytes, size_t n)
{
	const uint32_t polynomial = 0x82f63b78;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

/* A record is its length (8 bytes), the masked CRC of these, its data, and their CRC. */
static bool is_tfrecord(const uint8_t *head, size_t n)
{
	const uint32_t mask_delta = 0xa282ead8;

	if (n < 16 || !memcmp(head, "\0\0\0\0\0\0\0\0", 8))
		return false;
	uint32_t crc = crc32c(head, 8);

	return le32(head + 8) == (crc >> 15 | crc << 17) + mask_delta;
}

/* The superblock is at byte 0, or after a user block of a power of two of at least 512 bytes. */
static bool is_hdf5(const uint8_t *head, size_t n)
{
	static const uint8_t signature[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

	for (size_t at = 0; at + sizeof(signature) <= n; at = at ? 2 * at : 512)
		if (has_at(head, n, at, signature, sizeof(signature)))
			return true;
	return false;
}

/* A file; or a stream, which begins with the length of its first message. */
static bool is_arrow(const uint8_t *head, size_t n)
{
	return has_at(head, n, 0, "ARROW1\0\0", 8) ||
	       (n >= 12 && le32(head) == UINT32_MAX && le32(head + 4) < 1 << 20 && le32(head + 4) % 8 == 0 &&
		le32(head + 8) == 16);
}

static enum unread_kind kind_of_container(const uint8_t *head, size_t n)
{
	static const uint8_t lmdb_magic[] = { 0xde, 0xc0, 0xef, 0xbe }; /* of the first page, after its header */

	if (has_at(head, n, 0, "PAR1", 4))
		return UNREAD_PARQUET;
	if (has_at(head, n, 0, "MATLAB ", 7) && has(head, MIN(n, (size_t)32), "MAT-file"))
		return UNREAD_MAT;
	if (is_hdf5(head, n))
		return UNREAD_HDF5;
	if (nifti_pair_begins(head, n))
		return UNREAD_NIFTI;
	if (has_at(head, n, 0, "NRRD000", 7))
		return UNREAD_NRRD;
	if (has(head, n, "NDims = ") && has(head, n, "ElementDataFile = "))
		return UNREAD_METAIMAGE;
	if (has_at(head, n, 128, "DICM", 4))
		return UNREAD_DICOM;
	if (is_arrow(head, n))
		return UNREAD_ARROW;
	if (n > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 && memchr("}](cX\x95", head[2], 6))
		return UNREAD_PICKLE;
	if (has_at(head, n, 16, lmdb_magic, sizeof(lmdb_magic)))
		return UNREAD_LMDB;
	return is_tfrecord(head, n) ? UNREAD_TFRECORD : UNREAD_NONE;
}

static enum unread_kind kind_of_xml(const uint8_t *head, size_t n)
{
	if (has(head, n, "<annotations>") &&
	    (has(head, n, "<image ") || has(head, n, "<track ") || has(head, n, "<meta>")))
		return UNREAD_CVAT_XML;
	if (has(head, n, "<annotation") && !has(head, n, "<bndbox>") &&
	    (has(head, n, "<polygon>") || has(head, n, "<imagesize>")))
		return UNREAD_LABELME_XML;
	return has(head, n, "<annotation") && (has(head, n, "<object>") || has(head, n, "<filename>")) ? UNREAD_VOC_XML
												       : UNREAD_NONE;
}

#define KEY(name) "\"" name "\""

/* Words that texts of JSON have, all of them, or, after '!', have not. The first row that fits tells the kind. */
static const struct {
	uint8_t kind; /* enum unread_kind */
	const char *words[4];
} json_kinds[] = {
	{ UNREAD_DATUMARO, { KEY("dm_format_version") } },
	{ UNREAD_ZARR, { KEY("zarr_format"), "!" KEY("group") } },
	{ UNREAD_NONE, { KEY("categories"), KEY("category_id") } }, /* COCO, whatever its tool has added */
	{ UNREAD_VIA_JSON, { KEY("_via_settings") } },
	{ UNREAD_VIA_JSON, { KEY("_via_img_metadata") } },
	{ UNREAD_VIA_JSON, { KEY("regions"), KEY("filename"), KEY("shape_attributes") } },
	{ UNREAD_VIA_JSON, { KEY("regions"), KEY("filename"), KEY("file_attributes") } },
	{ UNREAD_VIA3_JSON, { KEY("vid_list"), KEY("loc_prefix") } },
	{ UNREAD_LABELME, { KEY("shapes"), KEY("points") } },
	{ UNREAD_LABELME, { KEY("shapes"), KEY("flags") } },
	{ UNREAD_LABELME, { KEY("shapes"), KEY("imagePath") } },
	/* the image comes first in old ones, and fills what is looked at */
	{ UNREAD_LABELME, { KEY("imageData"), "!" KEY("annotations") } },
	/* in the smaller export each task has its labels beside its image */
	{ UNREAD_LABEL_STUDIO, { KEY("annotation_id"), KEY("annotator") } },
	{ UNREAD_LABEL_STUDIO, { KEY("annotations"), KEY("result"), KEY("data") } },
	{ UNREAD_LABEL_STUDIO, { KEY("annotations"), KEY("result"), KEY("completed_by") } },
	{ UNREAD_ODGT, { KEY("gtboxes"), KEY("fbox") } },
	{ UNREAD_ODVG, { KEY("detection"), KEY("instances"), KEY("bbox") } },
	{ UNREAD_SCALABEL, { KEY("labels"), KEY("box2d"), KEY("x1") } },
	{ UNREAD_LABELBOX, { KEY("Labeled Data"), KEY("Label") } },
	{ UNREAD_LABELBOX, { KEY("data_row"), KEY("projects") } },
	{ UNREAD_DARWIN, { KEY("annotations"), KEY("bounding_box"), "!" KEY("data_row") } },
	{ UNREAD_DARWIN, { "darwin-public" } },
	{ UNREAD_DARWIN, { KEY("workview_url"), KEY("seq") } },
	{ UNREAD_CREATE_ML, { KEY("label"), KEY("coordinates"), KEY("width"), "!" KEY("FeatureCollection") } },
	{ UNREAD_SUPERVISELY, { KEY("objects"), KEY("classTitle") } },
	{ UNREAD_VOC_JSON, { KEY("annotation"), KEY("bndbox") } },
};

static enum unread_kind kind_of_json(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(json_kinds); i++) {
		bool fits = true;

		for (size_t k = 0; fits && k < ARRAY_SIZE(json_kinds[i].words) && json_kinds[i].words[k]; k++) {
			const char *word = json_kinds[i].words[k];

			fits = has(head, n, word + (*word == '!')) == (*word != '!');
		}
		if (fits)
			return (enum unread_kind)json_kinds[i].kind;
	}
	return UNREAD_NONE;
}

/* Returns whether the first line names an image, the next is a number, and the one after that is of a box or more. */
static bool is_wider(const uint8_t *head, size_t n)
{
	enum { LINES = 3, BOX = 4 };
	struct text_field first[LINES], fields[BOX];
	uint64_t number;

	return fields_lines((const char *)head, n, n < PEEK_BYTES, true, first, LINES) == LINES &&
	       value_looks_like_path(first[0].s, first[0].n) && scan_whole_uint64(first[1].s, first[1].n, &number) &&
	       fields_split(first[2].s, first[2].s + first[2].n, FIELDS_BLANKS, fields, BOX, NULL) >= BOX &&
	       scan_whole_uint64(fields[0].s, fields[0].n, &number) &&
	       scan_whole_uint64(fields[BOX - 1].s, fields[BOX - 1].n, &number);
}

/* Returns whether it is JSON Lines that describe images, without a key that means labels: Hugging Face's. */
static bool is_metadata(const uint8_t *head, size_t n)
{
	struct text_look look;

	if (!has(head, n, "\"file_name\""))
		return false;
	text_look((const char *)head, n, n < PEEK_BYTES, &look);
	return look.json && look.names_file && !look.label_word;
}

enum unread_kind unread_kind_of(enum content content, const uint8_t *head, size_t n)
{
	switch (content) {
	case CONTENT_TIFF:
		return UNREAD_TIFF;
	case CONTENT_WEBP: /* lossless, or it may be */
		return UNREAD_WEBP;
	case CONTENT_BMP:
		return UNREAD_BMP;
	case CONTENT_GIF:
		return UNREAD_GIF;
	case CONTENT_NETPBM:
		return UNREAD_NETPBM;
	case CONTENT_XML:
		return kind_of_xml(head, n);
	case CONTENT_JSON: {
		const enum unread_kind kind = kind_of_json(head, n);

		return kind == UNREAD_NONE && is_metadata(head, n) ? UNREAD_JSON_LINES : kind;
	}
	case CONTENT_TEXT: {
		const uint8_t *end = memchr(head, '\n', n);

		if (end && has(head, (size_t)(end - head), "region_shape_attributes"))
			return UNREAD_VIA_CSV;
		if (end && has(head, (size_t)(end - head), "BoxesString"))
			return UNREAD_WHEAT;
		if (is_wider(head, n))
			return UNREAD_WIDER;
		return kind_of_container(head, n); /* MATLAB's header is a text */
	}
	case CONTENT_UNKNOWN:
		return kind_of_container(head, n);
	default:
		return UNREAD_NONE;
	}
}
