#include "layout/classify.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/extensions.h"
#include "base/file_name.h"
#include "find/archive.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/role_names.h"
#include "layout/text_probe.h"
#include "read/coco.h"
#include "read/identify.h"
#include "read/yolo_layout.h"

/* Whether the folder of an entry has a file whose name is the first `stem` bytes of the entry's, suffix and extension.
 */
static bool has_beside(const struct entry *entry, size_t stem, const char *suffix, const char *extension)
{
	char name[PATH_MAX];
	struct stat st;
	int n = snprintf(name, sizeof(name), "%.*s%s%s", (int)stem, entry->name, suffix, extension);

	return n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0;
}

/* Whether 1_mask.png lies beside 1.png, or beside 1_rgb.png. */
static bool has_mask_beside(const struct entry *entry, const char *suffix)
{
	const char *dot = strrchr(entry->name, '.');
	size_t stem = dot ? (size_t)(dot - entry->name) : 0;

	if (entry->member || !*suffix || !dot)
		return false;
	return has_beside(entry, stem, suffix, dot) ||
	       (part_other_suffix(entry->name, &stem) && has_beside(entry, stem, suffix, dot));
}

/* A grey JPEG in masks/ that is not the image of a mask there: a mask that somebody saved so. */
static bool is_mask_as_jpeg(const struct entry *entry, const struct entry_folder *folder, const struct sorting *sorting,
			    const struct file_head *p)
{
	const char *dot = strrchr(entry->name, '.');
	size_t stem = dot ? (size_t)(dot - entry->name) : 0;

	return !entry->member && (sorting->kinds & KIND_BIT(KIND_MASK)) && p->content == CONTENT_JPEG &&
	       is_picture_name(entry->name) && jpeg_is_grey(p->head, p->n) && folder->walked_part == PART_LABELS &&
	       !has_beside(entry, stem, "", ".png") && !has_beside(entry, stem, sorting->label_suffix, ".png");
}

/* Whether the folder of a member has one beside it that is called so with the suffix. */
static bool has_packed_folder_beside(const struct entry *entry, const struct sorting *sorting)
{
	const char *name = member_name_plain(entry->member), *slash = strrchr(name, '/');
	char path[PATH_MAX];
	int n = slash && sorting->packed ? snprintf(path, sizeof(path), "%s/%.*s%s", entry->path, (int)(slash - name),
						    name, sorting->folder_suffix)
					 : 0;

	return n > 0 && n < (int)sizeof(path) && member_folders_find(sorting->packed, path, (size_t)n) != NO_FOLDER;
}

static bool find_label_folder_beside(const struct entry *entry, const struct sorting *sorting)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];
	struct stat st;

	if (!*sorting->folder_suffix)
		return false;
	if (entry->member)
		return has_packed_folder_beside(entry, sorting);
	if (!slash || slash == entry->path || slash[-1] == '/')
		return false;
	int n = snprintf(name, sizeof(name), "%.*s%s", (int)(slash - entry->path), entry->path, sorting->folder_suffix);

	return n < (int)sizeof(name) && stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether a file lies in train/ where there is trainannot/. */
static bool has_label_folder_beside(const struct entry *entry, struct entry_folder *folder,
				    const struct sorting *sorting)
{
	if (folder->labels_beside < 0)
		folder->labels_beside = find_label_folder_beside(entry, sorting);
	return folder->labels_beside;
}

/* Whether some names of labels were seen that files with the names of images go with. */
static bool has_parts(const struct sorting *s)
{
	return s->folder_parts || s->sample_parts || s->member_pairs || s->prefix_parts || s->array_parts ||
	       s->label_suffix[0] || s->folder_suffix[0] || s->files;
}

static bool is_image_of_a_set(const struct entry *entry, struct entry_folder *folder, const struct sorting *sorting)
{
	const char *name = entry_found_as(entry);
	bool array = is_array_name(name);
	enum part folders = folder->part;
	size_t stem;

	if (!has_parts(sorting))
		return false;
	if (sorting->files && is_png_name(name))
		return !is_preset_file(name, sorting->files);
	if (sorting->folder_parts && (folders == PART_IMAGES || folders == PART_ASIDE))
		return is_png_name(name) || array;
	if (array)
		return folders != PART_LABELS && sorting->array_parts && part_of_array(name) == PART_IMAGES;
	if (!is_png_name(name))
		return false;
	if (folders == PART_LABELS)
		return sorting->label_suffix[0] && part_other_suffix(name, &stem) &&
		       has_mask_beside(entry, sorting->label_suffix);
	if (sorting->member_pairs && entry->member && !part_label_suffix(name, &stem))
		return true;
	if (sorting->sample_parts && entry->member &&
	    !strcasecmp(file_name_of(name) + strcspn(file_name_of(name), "."), ".png"))
		return true;
	if (has_mask_beside(entry, sorting->label_suffix) || has_label_folder_beside(entry, folder, sorting))
		return true;
	if (folders != PART_UNKNOWN || part_label_suffix(name, &stem) || part_of_prefix(name) == PART_LABELS)
		return false;
	if (sorting->prefix_parts && part_of_prefix(name) == PART_IMAGES)
		return true;
	bool called =
		sorting->folder_parts || sorting->prefix_parts || sorting->label_suffix[0] || sorting->folder_suffix[0];

	return called && png_is_colour_picture(entry);
}

bool sort_out_called_labels(const struct entry *entry, const struct entry_folder *folder)
{
	size_t stem;

	return folder->part == PART_LABELS ||
	       (folder->part == PART_UNKNOWN && part_label_suffix(entry_found_as(entry), &stem));
}

enum claim sort_out_entry(const struct entry *entry, struct entry_folder *folder, const struct sorting *sorting,
			  struct fault *fault)
{
	uint8_t head[PEEK_BYTES];
	struct file_head p;
	struct sample ignored;

	if ((entry->is_explicit && !entry->member) || entry->standard_input)
		return CLAIM_LABELS;
	if (sorting->folders)
		return sort_out_folder(entry, sorting, &ignored) ? CLAIM_LABELS : CLAIM_OTHER;
	if (is_image_of_a_set(entry, folder, sorting) || (!entry->is_explicit && is_cache_name(entry->name)))
		return CLAIM_OTHER;
	if (entry->is_explicit || (entry->member && archive_holds_arrays(entry->path)))
		return CLAIM_LABELS;
	if (is_png_name(entry->name) && (sorting->kinds & KIND_BIT(KIND_MASK)))
		return CLAIM_LABELS;
	if (is_array_name(entry->name) && (sorting->kinds & KIND_BIT(KIND_ARRAY)))
		return CLAIM_LABELS;
	if (is_picture_name(entry->name) && !(sorting->kinds & KIND_BIT(KIND_MASK)))
		return CLAIM_OTHER;
	if (!entry_look(entry, head, &p, fault))
		return CLAIM_FAILED;
	if (is_mask_as_jpeg(entry, folder, sorting, &p))
		return CLAIM_LABELS;
	if (sorting->pictures_too && content_is_picture(p.content))
		return !sorting->called_labels_only || sort_out_called_labels(entry, folder) ? CLAIM_LABELS
											     : CLAIM_OTHER;
	const struct format *reader = format_recognise(&p, sorting->kinds);

	if (!reader)
		return text_claims(&p, sorting->kinds) ? CLAIM_LABELS : CLAIM_OTHER;
	if (reader->kind == KIND_LIST && sorting->tables_show_labels && !text_shows_labels(&p))
		return CLAIM_OTHER;
	return CLAIM_LABELS;
}

bool sort_out_lacks_label(const struct entry *entry, const struct sorting *sorting)
{
	return sorting->kinds == KIND_BIT(KIND_YOLO) && is_picture_name(entry->name) &&
	       yolo_find_label(entry->path) == PARTNER_MISSING;
}

bool sort_out_folder(const struct entry *entry, const struct sorting *sorting, struct sample *sample)
{
	const struct class_folders *folders = sorting->folders;
	unsigned root;

	if (!folders || entry->is_explicit || entry->standard_input || entry->failed || entry->skipped ||
	    !has_torchvision_extension(entry->name) ||
	    !class_folders_find(folders, entry->path, entry->rel_offset, entry->member, &root, &sample->folder_id))
		return false;
	sample->format = FORMAT_FOLDER;
	sample->folder = folders->roots[root].names[sample->folder_id];
	sample->folder_root = (uint8_t)root;
	return true;
}

bool sort_out_wants(const void *sorting, const char *archive, const char *name, const uint8_t *head, size_t n)
{
	const struct entry member = { .path = archive, .name = name, .member = name, .bytes = head, .bytes_len = n };
	struct entry_folder folder;
	struct fault ignored;

	fault_clear(&ignored);
	entry_folder_init(&folder);
	entry_folder_enter(&folder, &member);
	return sort_out_entry(&member, &folder, sorting, &ignored) == CLAIM_LABELS;
}

const struct format *sort_out_reader(const struct entry *entry, const struct sorting *sorting, const uint8_t *head,
				     size_t n, struct fault *fault)
{
	bool named = entry->is_explicit || entry->standard_input;
	struct file_head p = entry_peeked(entry, head, n);
	const struct format *reader = format_recognise(&p, named ? sorting->named_kinds : sorting->kinds);

	if (!reader && p.content == CONTENT_JSON && coco_looks_like_results(head, n)) {
		fault_set(fault, FAULT_NOT_A_LABEL, 0,
			  "not a label file but COCO results: what a model found, and no categories");
		snprintf(fault->advice, sizeof(fault->advice),
			 "audit the annotations of its images; results that are labels belong into a whole COCO file");
	} else if (!reader) {
		identify_fault(p.content, head, n,
			       is_png_name(entry->name)     ? "a PNG"
			       : is_array_name(entry->name) ? "a NumPy array"
							    : "a label file",
			       fault);
	}
	return reader;
}

void sorting_release(struct sorting *sorting)
{
	if (sorting->folders)
		class_folders_release(sorting->folders);
	free(sorting->folders);
	sorting->folders = NULL;
	if (sorting->packed)
		member_folders_release(sorting->packed);
	free(sorting->packed);
	sorting->packed = NULL;
}
