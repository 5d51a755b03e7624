#include "layout/classify.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "find/archive.h"
#include "layout/row_content.h"
#include "layout/text_probe.h"
#include "read/coco.h"
#include "read/identify.h"
#include "read/text_shape.h"
#include "read/yolo_layout.h"

#define PAIRED_SURELY .5 /* of the stems of a row: its files are labels of the images of another */

enum { PLOTS_MAX = 3 }; /* pictures in flat colours of no image; more may be masks */

static struct classification labels(const struct label_format *format)
{
	return (struct classification){ .class = ENTRY_LABELS, .format = format };
}

static struct classification skip(enum skip_reason reason, bool looks_like_labels)
{
	return (struct classification){ .class = ENTRY_SKIP, .reason = reason, .looks_like_labels = looks_like_labels };
}

static struct classification skip_unread(enum unread_kind unread, bool looks_like_labels)
{
	return (struct classification){ .class = ENTRY_SKIP,
					.reason = unread == UNREAD_NONE ? SKIP_UNREAD_ANNOTATION
									: unread_kind_reason(unread),
					.looks_like_labels = looks_like_labels,
					.unread = looks_like_labels ? unread : UNREAD_NONE };
}

/* Returns whether rows of this family are audited. */
static bool is_audited(const struct dataset_layout *layout, enum family family)
{
	return family != FAMILY_NONE && family != FAMILY_UNREAD && family == layout->decision.family;
}

/* Returns whether the files of a row are audited; NULL: there is none. */
static bool holds_labels(const struct dataset_layout *layout, const struct folder_row *r)
{
	return r && r->role == ROLE_LABELS && is_audited(layout, r->family);
}

/* Returns of a row of documents the part with most of them; NULL: it has none, or there is no row. */
static const struct folder_row *main_part(const struct folder_table *t, uint32_t row)
{
	const uint32_t part = row == TABLE_NONE ? TABLE_NONE : folder_table_part(t, row, t->rows[row].content);

	return part == TABLE_NONE ? NULL : &t->rows[part];
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
	       (f->n >= 6 && !memcmp(f->head, "Rar!\x1a\x07", 6)) || f->content == CONTENT_TAR;
}

/* ---- pictures -----------------------------------------------------------------------------------------------------
 */

/* Returns whether a picture that is left out may be a mask: its row is of such, or it was seen itself. */
static bool is_suspect(const struct folder_row *r, const struct entry *entry)
{
	for (size_t i = 0; i < r->items_count && r->content != LOOK_MASK; i++) {
		const struct table_item *item = r->items[i];

		if (item->look.wrong_id && !strcmp(item->path + item->rel, entry_inner_path(entry)))
			return true;
	}
	return r->content == LOOK_MASK;
}

/* Decides about a picture by its row. */
static struct classification classify_picture(const struct entry *entry, const struct folder_row *r,
					      const struct dataset_layout *layout)
{
	const bool named = r->word == ROLE_IMAGES || r->word >= ROLE_CLUTTER;
	/* what is left out by its name, but holds an id that is no class, may be a mask */
	const bool suspect = GUARD(name_hides_a_mask, r->wrong_id && is_suspect(r, entry));

	switch (r->role) {
	case ROLE_LABELS:
		if (is_audited(layout, r->family))
			return labels(NULL);
		return skip(r->family == FAMILY_UNREAD ? SKIP_UNREAD_FORMAT : SKIP_OTHER_KIND,
			    r->content != LOOK_COLOURS || r->paired >= .5);
	case ROLE_ASIDE:
		return skip(named ? SKIP_NAMED_ASIDE : SKIP_OTHER_KIND,
			    suspect || (!named && (r->content != LOOK_COLOURS || r->files >= PLOTS_MAX)));
	default:
		return skip(r->word == ROLE_IMAGES ? SKIP_NAMED_IMAGE : SKIP_IMAGE, suspect);
	}
}

/* ---- documents ----------------------------------------------------------------------------------------------------
 */

/* Explains by its first bytes why a file holds no labels of the set's kind. */
static struct classification leave_out(const struct entry *entry, const struct dataset_layout *layout,
				       const struct folder_row *r, const struct file_head *head,
				       const struct look *look)
{
	const char *name = head->name;
	/* what projects keep has weight where nothing else is found */
	const bool aside = r && r->word >= ROLE_CLUTTER && layout->decision.outcome != OUTCOME_NOTHING,
		   in_labels = r && r->role == ROLE_LABELS;
	const bool table = (layout->kinds & KIND_BIT(KIND_LIST)) &&
			   file_name_ends_in_any(name, (const char *const[]){ ".csv", ".tsv", NULL });

	if (head->content == CONTENT_OWN_REPORT)
		return skip(SKIP_OWN_REPORT, false);
	if (entry->member && (is_archive_name(name) || is_npz_name(name)))
		return skip(SKIP_NESTED_ARCHIVE, true);
	if (is_foreign_archive(head))
		return skip(SKIP_UNREAD_ARCHIVE, true);
	if (is_name_of_notes(name))
		return skip(SKIP_NO_LABELS, false);
	/* a spreadsheet, or a line without an end */
	if (table && head->content != CONTENT_EMPTY &&
	    (look->content == LOOK_TEXT || (head->n == PEEK_BYTES && !memchr(head->head, '\n', head->n))))
		return skip(SKIP_UNREAD_FORMAT, true);
	if (head->content == CONTENT_ZIP)
		return skip(is_zip_of_labels(head) ? SKIP_UNREAD_ARCHIVE : SKIP_NO_LABELS, is_zip_of_labels(head));
	switch (look->content) {
	case LOOK_YOLO:
	case LOOK_COCO:
	case LOOK_IDX:
	case LOOK_LIST:
		return skip(SKIP_OTHER_KIND, !aside);
	case LOOK_ARRAY:
	case LOOK_FLOATS:
	case LOOK_VOLUME:
		return r && r->role == ROLE_IMAGES   ? skip(SKIP_NAMED_IMAGE, false)
		       : look->content == LOOK_ARRAY ? skip(SKIP_OTHER_KIND, !aside)
						     : skip(SKIP_NO_LABELS, false);
	case LOOK_PHOTO:
		return skip(SKIP_IMAGE, false);
	case LOOK_TABLE:
		/* beside lists it may be one, but for a test split, whose labels are kept back */
		return skip(SKIP_TABLE,
			    !aside && !layout->folders &&
				    (layout->settings->list.column ? look->has_header
				     : layout->kinds == KIND_BIT(KIND_LIST)
					     ? look->is_asked && !look->lacks_word
					     : r && r->paired >= .5 && layout->decision.outcome != OUTCOME_LABELS));
	case LOOK_UNREAD:
		return skip_unread(look->unread, !aside);
	case LOOK_BYTES:
		if (look->unread != UNREAD_NONE)
			return (struct classification){ ENTRY_SKIP, NULL, SKIP_UNREAD_DATA, in_labels, look->unread };
		if (in_labels)
			return skip(SKIP_UNREAD_FORMAT, true);
		break;
	case LOOK_POINTER:
		return skip(SKIP_OTHER_KIND, r && (r->word == ROLE_LABELS || r->kind == FILE_ARRAY));
	default:
		break;
	}
	/* the JSON of a COCO set is annotations, in whatever form */
	if (layout->kinds == KIND_BIT(KIND_COCO) && file_name_ends_in(name, ".json") &&
	    head->content != CONTENT_EMPTY && !aside)
		return skip(SKIP_UNREAD_ANNOTATION, true);
	/* a text beside YOLO's in labels/ may be one, whatever it holds; so may a server's answer of any name */
	if (layout->kinds == KIND_BIT(KIND_YOLO) && head->content != CONTENT_EMPTY &&
	    (file_name_ends_in(name, ".txt") || head->content == CONTENT_HTML) &&
	    path_find_folder(entry->member ? entry->member : entry->path, "labels"))
		return skip(SKIP_UNREAD_FORMAT, true);
	if ((layout->kinds & KIND_BIT(KIND_MASK)) && head->content == CONTENT_UNKNOWN && strcasestr(name, ".png"))
		return skip(SKIP_UNREAD_FORMAT, true);
	return skip(SKIP_NO_LABELS, false);
}

/* Returns whether a document of another content than most of its row, of `part`, is one of these all the same. */
static bool is_among_labels(const struct folder_table *t, const struct entry *entry, const struct folder_row *part,
			    const struct file_head *head, enum content_look content)
{
	if (is_name_of_notes(head->name))
		return false;
	/* an interrupted download; an empty .txt may be one of an image without objects */
	if (content == LOOK_POINTER ||
	    (part->family == FAMILY_LIST && content == LOOK_EMPTY && !file_name_ends_in(head->name, ".txt")))
		return true;
	/* of an image: its text has the name of that */
	if ((part->family == FAMILY_YOLO || part->family == FAMILY_LIST) &&
	    folder_table_has_image(t, look_hash_name(head->name, stem_length(head->name))))
		return true;
	return part->family == FAMILY_YOLO && (content == LOOK_EMPTY || strchr("0123456789+-.#", head->head[0]) ||
					       (!entry->member && file_name_ends_in(head->name, ".txt") &&
						yolo_find_image(NULL, entry->path, NULL) == PARTNER_THERE));
}

static struct classification classify_document(const struct entry *entry, const struct dataset_layout *layout,
					       uint32_t row, struct entry_probe *probe)
{
	const struct folder_table *t = layout->table;
	const struct file_head *head = &probe->head;
	const bool broken = GUARD(broken_label_text, is_broken_label_text(head, layout->kinds));
	struct look look;

	look_at_head(entry, probe, layout->settings, false, &look);
	const struct label_format *format = broken ? NULL : format_recognise(head, layout->kinds);

	if (head->content == CONTENT_OWN_REPORT)
		return leave_out(entry, layout, NULL, head, &look);
	if (!format && (layout->kinds & KIND_BIT(KIND_COCO)) && has_coco_further_on(entry, probe)) {
		format = format_get(FORMAT_COCO);
		look.content = LOOK_COCO;
	}
	if (t)
		look.content = folder_table_content(t, &look);
	const uint32_t at = row == TABLE_NONE ? TABLE_NONE : folder_table_part(t, row, look.content);
	const struct folder_row *part = at == TABLE_NONE ? NULL : &t->rows[at], *most = main_part(t, row);
	const bool is_yolo = layout->kinds == KIND_BIT(KIND_YOLO) && file_name_ends_in(head->name, ".txt");

	if (holds_labels(layout, part) ||
	    (holds_labels(layout, most) && is_among_labels(t, entry, most, head, look.content)) ||
	    (broken && (!part || part->word < ROLE_CLUTTER)) ||
	    /* what the table does not know is audited if it is of the set's kind */
	    (format && !part && (!t || look.content != LOOK_TABLE) && !is_name_of_notes(head->name) &&
	     is_audited(layout, layout->decision.family)))
		return labels(probe->is_packed || broken ? NULL
			      : !format && is_yolo       ? format_get(FORMAT_YOLO)
							 : format);
	return leave_out(entry, layout, part, head, &look);
}

/* ---- entries ------------------------------------------------------------------------------------------------------
 */

/* Decides by the row of an entry's name; without a table, by the name and the declared kind. */
static struct classification classify_by_row(const struct entry *entry, const struct dataset_layout *layout,
					     enum file_kind kind, uint32_t row, struct entry_probe *probe,
					     struct fault *fault)
{
	const struct folder_row *r = row == TABLE_NONE ? NULL : &layout->table->rows[row];
	const bool masks = is_audited(layout, FAMILY_MASK) && (layout->kinds & KIND_BIT(KIND_MASK));

	if ((kind == FILE_PICTURE || kind == FILE_JPEG) && r)
		return classify_picture(entry, r, layout);
	if (kind == FILE_PICTURE || kind == FILE_JPEG)
		return masks && (kind == FILE_PICTURE || (!layout->table && layout->settings->kind == KIND_MASK))
			       ? labels(NULL)
			       : skip(SKIP_IMAGE, false);
	if (kind == FILE_ARRAY && !layout->table && (layout->kinds & KIND_BIT(KIND_ARRAY)))
		return labels(NULL);
	if (!probe_entry(probe, entry, fault))
		return (struct classification){ .class = ENTRY_FAILED };
	const struct file_head *head = &probe->head;

	if (kind == FILE_PHOTO && r && r->role == ROLE_LABELS)
		return (struct classification){ ENTRY_SKIP, NULL, SKIP_UNREAD_FORMAT, true,
						unread_kind_of(head->content, head->head, head->n) };
	if (kind == FILE_PHOTO)
		return skip(r && r->word == ROLE_IMAGES ? SKIP_NAMED_IMAGE : SKIP_IMAGE, false);
	if (head->content == CONTENT_PNG) /* under another name */
		return masks ? labels(NULL) : skip(SKIP_OTHER_KIND, true);
	if (kind == FILE_NONE) { /* sources, logs, events: of no weight, whatever a line of them looks like */
		const struct look nothing = { .content = LOOK_TEXT };

		return leave_out(entry, layout, NULL, head, &nothing);
	}
	return classify_document(entry, layout, r && r->kind >= FILE_ARRAY ? row : TABLE_NONE, probe);
}

/* Changes what was decided where labels are declared: those are audited, whatever they hold, and no others. */
static struct classification classify_declared(const struct entry *entry, const struct dataset_layout *layout,
					       enum file_kind kind, struct classification c)
{
	const struct declared *declared = layout->table->declared;
	/* labels of a kind that is not read are reported all the same: a table beside its masks in TIFF */
	const bool unread = c.reason == SKIP_UNREAD_FORMAT || c.reason == SKIP_UNREAD_ANNOTATION;

	if (declared_role(declared, entry) == ROLE_LABELS)
		return c.class == ENTRY_SKIP && c.unread == UNREAD_NONE && kind != FILE_NONE ? labels(NULL) : c;
	if (c.class != ENTRY_LABELS && (!c.looks_like_labels || (unread && !declared->by_preset)))
		return c;
	return declared->by_preset ? skip(SKIP_NOT_PRESET, true) : skip(SKIP_NOT_DECLARED, false);
}

struct classification classify_entry(const struct entry *entry, const struct dataset_layout *layout,
				     struct entry_probe *probe, struct fault *fault)
{
	const struct folder_table *t = layout->table;
	const char *name = file_name_of(entry->member ? entry->member : entry->path);
	const enum file_kind kind = entry_file_kind(entry, layout->settings);
	struct sample ignored;

	if (entry->is_wanted || (entry->is_explicit && !entry->member) || entry->standard_input)
		return labels(entry->format);
	if (classify_by_folder(entry, layout, &ignored))
		return labels(NULL);
	if (!entry->is_explicit && is_clutter_name(name))
		return skip(SKIP_CLUTTER, probe_entry(probe, entry, fault) && probe->head.content == CONTENT_PNG);
	const uint32_t row = t ? folder_table_find(t, entry, kind) : TABLE_NONE;
	const struct folder_row *part = main_part(t, row);

	/* image.npy beside label.npy in an .npz is what the labels belong to; beside labels of another kind all are */
	if (entry->is_explicit || (entry->member && is_npz_name(entry->path) &&
				   (layout->kinds & KIND_BIT(KIND_ARRAY)) && !(part && part->role == ROLE_IMAGES)))
		return labels(entry->format);
	const struct classification c = classify_by_row(entry, layout, kind, row, probe, fault);

	return t && t->declared->labels && c.class != ENTRY_FAILED ? classify_declared(entry, layout, kind, c) : c;
}

enum entry_class classify_alone(const struct entry *entry, const struct dataset_layout *layout)
{
	struct entry_probe probe;
	struct fault ignored = FAULT_INIT;

	probe_init(&probe);
	enum entry_class class = classify_entry(entry, layout, &probe, &ignored).class;

	probe_close(&probe);
	return class;
}

bool classify_left_out(const struct entry *entry, const struct dataset_layout *layout)
{
	const char *name = file_name_of(entry->member ? entry->member : entry->path), *path = entry_inner_path(entry);
	const char *slash = strrchr(path, '/');

	if (entry->skip_reason == SKIP_EXCLUDED || entry->skip_reason == SKIP_NOT_INCLUDED ||
	    entry->skip_reason == SKIP_LINK_REPEATED)
		return false;
	/* classify_member() has looked at its content */
	if (entry->looks_like_labels || entry->skip_reason >= SKIP_OTHER_KIND)
		return entry->looks_like_labels;
	const enum role role = role_of_path(path, slash ? (size_t)(slash - path) : 0);

	if (is_clutter_name(name) || role == ROLE_IMAGES || role == ROLE_ASIDE)
		return false;
	const uint32_t row = layout->table
				     ? folder_table_find(layout->table, entry, entry_file_kind(entry, layout->settings))
				     : TABLE_NONE;

	if (row != TABLE_NONE && row_is_live(&layout->table->rows[row]) && layout->table->rows[row].role == ROLE_IMAGES)
		return false;
	return (kinds_by_name(name) & layout->kinds) ||
	       file_name_ends_in_any(name, (const char *const[]){ ".tar", ".zip", NULL });
}

/* Appends the path of a row's folder, with a slash. Returns false if that is several, or not a PATH's. */
static bool add_folder(const struct folder_table *t, const struct folder_row *r, struct strbuf *out)
{
	const struct table_folder *folder = &t->folders[r->folder];

	if (strchr(folder->path, '*') || folder->typed_path >= t->find->paths_count)
		return false;
	const char *path = t->find->paths[folder->typed_path];

	strbuf_add(out, path, path_trimmed(path));
	strbuf_addf(out, "/%s%s", folder->path, *folder->path ? "/" : "");
	return true;
}

/*
 * Appends a stem as files of row r have it, with their suffix or prefix after a sign, and an extension of theirs.
 * channel: of nnU-Net's images, or "".
 */
static bool try_image(const struct member_images *members, const struct folder_row *r, const char *stem, size_t n,
		      char sign, const char *channel, struct strbuf *out)
{
	const char signs[2] = { r->suffix[0] ? sign : '\0' };
	const size_t base = out->len;

	for (size_t i = 0; i < r->items_count; i++) {
		const char *extension = file_name_extension(r->items[i]->path);
		bool tried = false;

		for (size_t k = 0; k < i && !tried; k++)
			tried = !strcmp(file_name_extension(r->items[k]->path), extension);
		if (tried)
			continue;
		strbuf_cut(out, base);
		strbuf_addf(out, "%s%s%.*s%s%s%s%s", r->is_prefix ? r->suffix : "", r->is_prefix ? signs : "", (int)n,
			    stem, r->is_prefix ? "" : signs, r->is_prefix ? "" : r->suffix, channel, extension);
		if (path_exists(members, out->s))
			return true;
	}
	strbuf_cut(out, base);
	return false;
}

enum yolo_partner classify_find_image(const struct entry *entry, const struct dataset_layout *layout,
				      struct strbuf *image)
{
	const struct folder_table *t = layout->table;
	const char *path = entry_inner_path(entry);
	const enum file_kind kind = file_kind_of(file_name_of(path));
	const uint32_t row = t && !entry->is_explicit ? folder_table_find(t, entry, kind) : TABLE_NONE;
	const struct folder_row *r = kind >= FILE_ARRAY ? main_part(t, row) : row == TABLE_NONE ? NULL : &t->rows[row];
	const char *stem = file_name_of(path);
	size_t n = stem_length(stem), affix;

	if (!r || r->pair == TABLE_NONE || r->paired < PAIRED_SURELY || r->is_whole || !holds_labels(layout, r))
		return PARTNER_UNKNOWN;
	const struct folder_row *images = &t->rows[r->pair];

	strbuf_clear(image);
	if (!add_folder(t, images, image))
		return PARTNER_UNKNOWN;
	affix = file_is_document(r->kind) ? 0 : strlen(r->suffix);
	if (affix > n)
		return PARTNER_UNKNOWN;
	const char *core = stem + (r->is_prefix ? affix : 0);
	size_t length = n - affix;
	char sign = '_'; /* between the affix and the rest */

	while (affix && length && strchr("_-. ", core[r->is_prefix ? 0 : length - 1])) {
		sign = core[r->is_prefix ? 0 : length - 1];
		core += r->is_prefix;
		length--;
	}
	if ((length && try_image(layout->members, images, core, length, sign, "", image)) ||
	    (affix && try_image(layout->members, images, stem, n, '_', "", image)) ||
	    try_image(layout->members, images, stem, n, '_', "_0000", image))
		return PARTNER_THERE;
	const size_t base = image->len;

	/* a few may have another format than the row */
	for (const char *const *extension = image_extensions; length && *extension; extension++) {
		strbuf_cut(image, base);
		strbuf_addf(image, "%.*s%s", (int)length, core, *extension);
		if (strcmp(image->s, entry->path) != 0 && path_exists(layout->members, image->s))
			return PARTNER_THERE;
	}
	return PARTNER_MISSING;
}

/* Returns the row of audited texts that is paired with a row of images, if it is the only one, and most images have a
 * text; else NULL. */
static const struct folder_row *texts_of(const struct dataset_layout *layout, uint32_t row)
{
	enum { ROWS_SEARCHED = 256 }; /* for each image */
	const struct folder_table *t = layout->table;
	const struct folder_row *texts = NULL;

	for (size_t i = 0; row != TABLE_NONE && t->rows_count <= ROWS_SEARCHED && i < t->rows_count; i++) {
		const struct folder_row *r = &t->rows[i];

		if (r->pair != row || !file_is_document(r->kind) || r->is_whole || !holds_labels(layout, r))
			continue;
		if (texts)
			return NULL;
		texts = r;
	}
	return texts && 2 * texts->files >= t->rows[row].files ? texts : NULL;
}

/* Returns whether most texts have the stem of an image as it is, without more or less. */
static bool have_equal_stems(const struct folder_row *texts, const struct folder_row *images)
{
	const size_t of = MIN(texts->items_count, (size_t)TABLE_SAMPLE);
	size_t alike = 0, n, m;

	for (size_t i = 0; i < of; i++)
		for (size_t k = 0; k < MIN(images->items_count, (size_t)4 * TABLE_SAMPLE); k++) {
			const char *text = table_item_stem(texts->items[i], &n);
			const char *image = table_item_stem(images->items[k], &m);

			alike += n == m && !memcmp(text, image, n);
		}
	return 2 * alike > of;
}

/* Returns whether an image has no text in the row of texts that is paired with its own. */
static bool lacks_text(const struct entry *entry, const struct dataset_layout *layout)
{
	const struct folder_table *t = layout->table;
	const char *name = file_name_of(entry->name);
	const uint32_t row = t ? folder_table_find(t, entry, file_kind_of(name)) : TABLE_NONE;
	const struct folder_row *texts = texts_of(layout, row);
	RELEASED struct strbuf path = STRBUF_INIT;

	if (!texts || !add_folder(t, texts, &path))
		return false;
	strbuf_addf(&path, "%.*s%s", (int)stem_length(name), name, texts->suffix);
	return !path_exists(layout->members, path.s) && have_equal_stems(texts, &t->rows[row]);
}

bool classify_lacks_label(const struct entry *entry, const struct dataset_layout *layout)
{
	RELEASED struct strbuf room = STRBUF_INIT;
	enum yolo_partner label = PARTNER_UNKNOWN;

	if ((layout->decision.family != FAMILY_YOLO && layout->decision.family != FAMILY_LIST) ||
	    !is_image_name(entry->name))
		return false;
	if (layout->kinds == KIND_BIT(KIND_YOLO))
		label = yolo_find_label(layout->members, entry_place(entry, &room));
	return label == PARTNER_MISSING || (label == PARTNER_UNKNOWN && lacks_text(entry, layout));
}

bool classify_by_folder(const struct entry *entry, const struct dataset_layout *layout, struct sample *sample)
{
	const struct class_folders *folders = layout->folders;
	unsigned root;

	if (!folders || entry->is_explicit || entry->standard_input || entry->failed || entry->skip_reason ||
	    !has_torchvision_extension(entry->name) ||
	    !class_folders_find(folders, entry->path, entry->rel_offset, entry->member, &root,
				&sample->class_folder.id))
		return false;
	sample->format = FORMAT_FOLDER;
	sample->class_folder.name = folders->roots[root].names[sample->class_folder.id];
	sample->class_folder.root = (uint8_t)root;
	return true;
}

enum skip_reason classify_member(const void *layouts, struct entry *member)
{
	const struct dataset_layout *layout = layout_of(layouts, member);
	struct fault ignored = FAULT_INIT;
	struct entry_probe probe;

	probe_init(&probe);
	struct classification c = classify_entry(member, layout, &probe, &ignored);

	/* a block of bzip2 or zstd may not end within these bytes: all of the member will show what it is */
	if (probe.is_packed && !probe.head.n && member->bytes_len == ARCHIVE_HEAD)
		return SKIP_NONE;
	/* COCO may begin with a long description: all of the member will show it */
	if (c.class == ENTRY_SKIP && c.reason != SKIP_OWN_REPORT && (layout->kinds & KIND_BIT(KIND_COCO)) &&
	    member->bytes_len == ARCHIVE_HEAD && file_name_ends_in(member->name, ".json"))
		return SKIP_NONE;
	/* a PNG may still be a photo: classify_entry() decides again when the size is known */
	member->is_wanted = c.class == ENTRY_LABELS && !is_png_name(member->name);
	member->format = c.format;
	member->looks_like_labels = c.looks_like_labels;
	member->unread_kind = (uint8_t)c.unread;
	return c.class == ENTRY_LABELS ? SKIP_NONE : c.class == ENTRY_SKIP ? c.reason : SKIP_NO_LABELS;
}

const struct label_format *classify_format(const struct entry *entry, const struct dataset_layout *layout,
					   const uint8_t *head, size_t n, struct fault *fault)
{
	bool is_explicit = entry->is_explicit || entry->standard_input;
	struct file_head p = entry_head(entry, head, n);
	p.is_stream = is_token_stream(entry, &p, layout->settings);
	p.is_mask_place = !is_png_name(entry->name) && !is_array_name(entry->name);
	const struct label_format *format = format_recognise(&p, is_explicit ? layout->explicit_kinds : layout->kinds);
	const enum unread_kind unread = format ? UNREAD_NONE : unread_kind_of(p.content, head, n);

	if (!format && p.content == CONTENT_JSON && coco_looks_like_results(head, n)) {
		fault_set(fault, FAULT_NOT_A_LABEL, 0,
			  "not a label file but a list of COCO annotations alone, or of a model's results: without "
			  "images and categories");
		snprintf(fault->advice, sizeof(fault->advice),
			 "if they are your labels, write an object with images, annotations and categories, as "
			 "pycocotools wants it");
	} else if (!format && unread != UNREAD_NONE && !is_png_name(entry->name) && !is_array_name(entry->name)) {
		unread_kind_fault(unread, fault);
	} else if (!format && p.content == CONTENT_JSON && look_has_annotations(&p)) {
		fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "annotations in a form of JSON that is not read");
		fault_advise(fault, "write them as COCO, or their boxes as a table: image,xmin,ymin,xmax,ymax,class");
	} else if (!format) {
		identify_fault(p.content, head, n,
			       is_png_name(entry->name)     ? "a PNG"
			       : p.content == CONTENT_NUMPY ? "of a kind that is audited here"
			       : is_array_name(entry->name) ? "a NumPy array"
							    : "a label file",
			       fault);
	}
	return format;
}
