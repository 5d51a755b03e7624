#include "layout/classify.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "find/archive.h"
#include "layout/jpeg_look.h"
#include "layout/jpeg_sample.h"
#include "layout/left_out.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/role_names.h"
#include "layout/text_probe.h"
#include "read/coco.h"
#include "read/identify.h"
#include "read/text_shape.h"
#include "read/yolo_layout.h"

/* Returns whether the entry's folder holds the file entry->name[0..stem), suffix, extension. */
static bool has_beside(const struct entry *entry, size_t stem, const char *suffix, const char *extension)
{
	char name[PATH_MAX];
	struct stat st;
	int n = snprintf(name, sizeof(name), "%.*s%s%s", (int)stem, entry->name, suffix, extension);

	return n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0;
}

/* Returns whether 1_mask.png lies beside 1.png or 1_rgb.png. */
static bool has_mask_beside(const struct entry *entry, const char *suffix)
{
	const char *dot = strrchr(entry->name, '.');
	size_t stem = dot ? (size_t)(dot - entry->name) : 0;

	if (entry->member || !*suffix || !dot)
		return false;
	return has_beside(entry, stem, suffix, dot) ||
	       (role_other_suffix(entry->name, &stem) && has_beside(entry, stem, suffix, dot));
}

/* Returns whether a folder holds an image with that path below it, path[0..stem), in whatever format photos have. */
static bool has_image_below(const char *folder, const char *name, const char *path, size_t stem)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".JPG", ".tif", ".bmp", ".webp" };
	char full[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++) {
		int n = snprintf(full, sizeof(full), "%s/%s/%.*s%s", folder, name, (int)stem, path, extensions[i]);

		if (n < (int)sizeof(full) && fstatat(AT_FDCWD, full, &st, 0) == 0)
			return true;
	}
	return false;
}

/* Returns the last folder of a path that is called as those of labels are, and its length; NULL: none is. */
static const char *last_label_folder(const char *path, size_t *len)
{
	char name[NAME_MAX + 3];

	for (const char *end = strrchr(path, '/'), *from; end; end = from > path ? from - 1 : NULL) {
		for (from = end; from > path && from[-1] != '/';)
			from--;
		*len = (size_t)(end - from);
		int n = snprintf(name, sizeof(name), "%.*s/x", (int)*len, from);

		if (n < (int)sizeof(name) && role_of_folders(name) == ROLE_LABELS)
			return from;
	}
	return NULL;
}

/* Returns whether images/train/1.jpg or the like belongs to masks/train/1.jpg: looks at the folders beside masks/. */
static bool has_image_in_folder_beside(const struct entry *entry)
{
	enum { BESIDE_MAX = 64 }; /* a data set has few folders; each file looks at them again */
	char parent[PATH_MAX] = ".", name[NAME_MAX + 3];
	size_t len, stem = 0;
	const char *folder = last_label_folder(entry->path, &len);
	bool found = false;

	if (!folder || folder - entry->path >= PATH_MAX)
		return false;
	const char *rest = folder + len + 1, *dot = strrchr(rest, '.');
	const char *file = strrchr(entry->path, '/') + 1;
	size_t plain = (size_t)(dot - rest);

	if (role_label_suffix(file, &stem))
		plain = (size_t)(file - rest) + stem;
	if (folder > entry->path)
		snprintf(parent, sizeof(parent), "%.*s", (int)(folder - entry->path), entry->path);
	DIR *dir = opendir(parent);
	const struct dirent *other;

	for (int i = 0; dir && !found && i < BESIDE_MAX && (other = readdir(dir)); i++) {
		snprintf(name, sizeof(name), "%s/x", other->d_name);
		found = other->d_name[0] != '.' && role_of_folders(name) == ROLE_IMAGES &&
			(has_image_below(parent, other->d_name, rest, (size_t)(dot - rest)) ||
			 has_image_below(parent, other->d_name, rest, plain));
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Returns whether a JPEG shows flat areas, as masks do. */
static bool is_flat_jpeg(const struct entry *entry, const struct entry_probe *probe)
{
	struct jpeg_sight sight;

	return jpeg_look_at(entry, probe, &sight) && sight.flat;
}

/* Hashes a file's name without its extension, and with one digit for each number. */
static uint64_t hash_pattern(const char *name)
{
	char pattern[NAME_MAX + 1];
	size_t n = 0;
	const char *end = name + strlen(name) - strlen(file_name_extension(name));

	for (const char *p = name; p < end && n < NAME_MAX; p++)
		if (!ascii_isdigit(*p) || p == name || !ascii_isdigit(p[-1]))
			pattern[n++] = ascii_isdigit(*p) ? '0' : *p;
	return hash_bytes(0, pattern, n);
}

/* Hashes the numbers in a file's name, without the zeros they begin with. Returns 0 if there is none. */
static uint64_t hash_numbers(const char *name)
{
	char numbers[NAME_MAX + 1];
	size_t n = 0;
	const char *end = name + strlen(name) - strlen(file_name_extension(name));

	for (const char *p = name; p < end && n + 1 < NAME_MAX; p++) {
		bool first = p == name || !ascii_isdigit(p[-1]);

		if (!ascii_isdigit(*p))
			continue;
		if (first)
			numbers[n++] = ' ';
		if (*p != '0' || numbers[n - 1] != ' ')
			numbers[n++] = *p;
	}
	return n ? hash_bytes(0, numbers, n) : 0;
}

static void find_png_patterns(const struct entry *entry, struct folder_role *folder)
{
	int fd = openat(entry->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *other;
	int count = 0, i;

	memset(folder->png_numbers, 0, sizeof(folder->png_numbers));
	while (dir && (other = readdir(dir))) {
		uint64_t pattern = hash_pattern(other->d_name);
		size_t numbers = hash_numbers(other->d_name) % PNG_NUMBERS_BITS;

		if (!is_png_name(other->d_name) || other->d_name[0] == '.')
			continue;
		folder->png_numbers[numbers / 64] |= UINT64_C(1) << numbers % 64;
		if (count == PNG_PATTERNS_MAX && pattern >= folder->png_pattern[count - 1])
			continue;
		for (i = 0; i < count && folder->png_pattern[i] < pattern;)
			i++;
		if (i < count && folder->png_pattern[i] == pattern)
			continue;
		count = MIN(count + 1, (int)PNG_PATTERNS_MAX);
		memmove(&folder->png_pattern[i + 1], &folder->png_pattern[i],
			(size_t)(count - 1 - i) * sizeof(folder->png_pattern[0]));
		folder->png_pattern[i] = pattern;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	folder->png_patterns = count;
}

/* Returns whether a PNG of the same folder has the file's name but for its numbers: 008.png and 009.jpg. */
static bool is_named_as_pngs(const struct entry *entry, struct folder_role *folder)
{
	uint64_t pattern = hash_pattern(entry->name);
	bool found = false;

	if (folder->png_patterns < 0)
		find_png_patterns(entry, folder);
	for (int i = 0; i < folder->png_patterns; i++)
		found |= folder->png_pattern[i] == pattern;
	return found;
}

/*
 * Returns whether a PNG of the same folder has the numbers in the file's name: its mask, or what it renders. img_7.jpg
 * beside mask_07.png, vis_7.jpg beside 7.png.
 */
static bool belongs_to_png(const struct entry *entry, struct folder_role *folder)
{
	uint64_t numbers = hash_numbers(entry->name);
	size_t bit = numbers % PNG_NUMBERS_BITS;

	if (folder->png_patterns < 0)
		find_png_patterns(entry, folder);
	return numbers && folder->png_numbers[bit / 64] >> bit % 64 & 1;
}

/* Returns what an entry's folder holds. */
static enum folder_content content_of_folder(const struct entry *entry, struct folder_role *folder,
					     const struct dataset_layout *layout)
{
	if (folder->content < 0)
		folder->content = (int)folder_looks_find(&layout->looks, entry);
	return (enum folder_content)folder->content;
}

/*
 * Returns whether somebody saved a mask as JPEG: no PNG of its name or its numbers lies beside it, it is called neither
 * an image nor a rendering, and
 *
 * - it lies in masks/ and is grey, or an image of its name lies in images/, or it is flat;
 * - it is flat and has a mask's suffix, 1_mask.jpg;
 * - it is flat, its folder has no role, and PNGs there are named like it, or in an archive are masks and far more.
 */
static bool is_mask_as_jpeg(const struct entry *entry, struct folder_role *folder, const struct dataset_layout *layout,
			    const struct entry_probe *probe)
{
	const struct file_head *p = &probe->head;
	const char *dot = strrchr(entry->name, '.'), *suffix = layout->label_suffix;
	size_t stem = dot ? (size_t)(dot - entry->name) : 0, plain;
	const size_t suffix_len = role_label_suffix(entry->name, &plain);
	bool disk = !entry->member, in_masks = (disk ? folder->walked_role : folder->role) == ROLE_LABELS;
	bool named = suffix_len && folder->role == ROLE_UNKNOWN &&
		     (disk ? suffix_len == strlen(suffix) && !strncmp(entry->name + plain, suffix, suffix_len)
			   : layout->member_suffixes);

	if (!(layout->kinds & KIND_BIT(KIND_MASK)) || p->content != CONTENT_JPEG || !is_image_name(entry->name) ||
	    folder->role == ROLE_ASIDE ||
	    (disk && (has_beside(entry, stem, "", ".png") || has_beside(entry, stem, suffix, ".png"))))
		return false;
	/* masks may be called so, too: then PNGs are */
	if ((role_mentions_rendering(entry->name) || role_of_prefix(entry->name) == ROLE_IMAGES) &&
	    !(disk ? is_named_as_pngs(entry, folder) : folder_looks_is_of_pngs(&layout->looks, entry)))
		return false;
	if (in_masks && disk && has_image_in_folder_beside(entry))
		return true;
	if (disk && (in_masks || named) && belongs_to_png(entry, folder))
		return false;
	if (in_masks)
		return (disk && jpeg_is_grey(p->head, p->n) &&
			content_of_folder(entry, folder, layout) != FOLDER_PHOTOS) ||
		       is_flat_jpeg(entry, probe);
	bool beside = disk ? folder->walked_role == ROLE_UNKNOWN && !*suffix && is_named_as_pngs(entry, folder)
			   : folder->role == ROLE_UNKNOWN && folder_looks_is_of_pngs(&layout->looks, entry);

	return (named || beside) && is_flat_jpeg(entry, probe);
}

/* Returns whether the archive has the member's folder with the suffix, too. */
static bool has_packed_folder_beside(const struct entry *entry, const struct dataset_layout *layout)
{
	const char *name = member_name_plain(entry->member), *slash = strrchr(name, '/');
	char path[PATH_MAX];
	int n = slash && layout->packed ? snprintf(path, sizeof(path), "%s/%.*s%s", entry->path, (int)(slash - name),
						   name, layout->folder_suffix)
					: 0;

	return n > 0 && n < (int)sizeof(path) && member_folders_find(layout->packed, path, (size_t)n) != NO_FOLDER;
}

static bool find_label_folder_beside(const struct entry *entry, const struct dataset_layout *layout)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];
	struct stat st;

	if (!*layout->folder_suffix)
		return false;
	if (entry->member)
		return has_packed_folder_beside(entry, layout);
	if (!slash || slash == entry->path || slash[-1] == '/')
		return false;
	int n = snprintf(name, sizeof(name), "%.*s%s", (int)(slash - entry->path), entry->path, layout->folder_suffix);

	return n < (int)sizeof(name) && fstatat(AT_FDCWD, name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* Returns whether a file lies in train/ beside trainannot/. */
static bool has_label_folder_beside(const struct entry *entry, struct folder_role *folder,
				    const struct dataset_layout *layout)
{
	if (folder->labels_beside < 0)
		folder->labels_beside = find_label_folder_beside(entry, layout);
	return folder->labels_beside;
}

static bool has_roles(const struct dataset_layout *s)
{
	return s->folder_roles || s->sample_roles || s->archive_pairs || s->prefix_roles || s->array_roles ||
	       s->member_suffixes || s->looks.count || s->label_suffix[0] || s->folder_suffix[0] || s->preset_files ||
	       s->masked.bits || s->masks_are_named;
}

/* Returns whether a PNG has a palette, or less than a byte a sample: no camera writes these. */
static bool has_indices(const struct entry *entry, struct entry_probe *probe)
{
	struct png_sight sight;

	return photo_probe_look(entry, probe, false, &sight) && sight.indices;
}

/* Returns whether a PNG lies in a folder of photos, and neither its name nor its pixels say that it is a mask. */
static bool is_of_photos(const struct entry *entry, const char *name, enum folder_content content,
			 struct entry_probe *probe)
{
	size_t stem;

	return content == FOLDER_PHOTOS && !role_label_suffix(name, &stem) && !(probe && has_indices(entry, probe));
}

/* Returns whether a PNG lies where projects keep plots: in docs/ or runs/, or beside the folders of the masks. */
static bool is_where_plots_are(const struct entry *entry, const struct dataset_layout *layout)
{
	return role_is_clutter(entry_inner_path(entry)) ||
	       (layout->masks_beside && hash_folder_of(entry) == layout->masks_beside);
}

/*
 * Returns whether a PNG is a plot or a preview among masks of which nearly all have the names of images: it has no such
 * name, nor a number in it, and is a photo, or in colours on white or transparent.
 */
static bool is_plot_of_no_image(const struct entry *entry, const struct dataset_layout *layout,
				struct entry_probe *probe)
{
	const char *name = entry_inner_path(entry);
	struct png_sight sight;

	if (!layout->masked.bits || !probe || strpbrk(file_name_of(name), "0123456789") ||
	    name_filter_has_stem(&layout->masked, name) || !photo_probe_look(entry, probe, true, &sight))
		return false;
	return sight.look == PNG_LOOK_COLOUR ? sight.on_white : photo_probe_is_photo(entry, probe);
}

/*
 * Returns whether a PNG's name says that it renders a mask, or shows depth or points: label_viz.png beside label.png,
 * 1_centers.png beside 1_label.png. With a table of colours it may be the mask.
 */
static bool is_aside(const struct entry *entry, const char *name, const struct dataset_layout *layout)
{
	size_t stem;

	if (layout->settings->colours.count)
		return false;
	const size_t suffix = role_coloured_suffix(entry->name, &stem);

	/* 1_color_mask.png beside 1_mask.png */
	if (suffix && !entry->member)
		return has_beside(entry, stem, layout->label_suffix, ".png") && *layout->label_suffix;
	if (!role_is_aside(name, &stem))
		return false;
	if (entry->member)
		return layout->member_suffixes;
	return role_is_aside(entry->name, &stem) &&
	       (has_beside(entry, stem, "", ".png") ||
		(*layout->label_suffix && has_beside(entry, stem, layout->label_suffix, ".png")));
}

/*
 * Returns whether a PNG in a folder of masks is the image of one: 1_rgb.png beside 1_mask.png, or 1.png that is a
 * photo, or in colours.
 */
static bool is_image_of_suffix(const struct entry *entry, const char *name, const struct dataset_layout *layout,
			       struct entry_probe *probe)
{
	size_t stem;

	if (!(entry->member ? layout->archive_pairs : has_mask_beside(entry, layout->label_suffix)) ||
	    role_label_suffix(name, &stem))
		return false;
	struct png_sight sight;

	return role_other_suffix(name, &stem) || (probe && photo_probe_look(entry, probe, true, &sight) &&
						  (sight_is_of_photo(&sight) || sight.look == PNG_LOOK_COLOUR));
}

/* Returns whether a PNG in images/ is the photo of a mask there: P0000.png beside P0000_instance_color_RGB.png. */
static bool is_photo_of_mask_beside(const struct entry *entry, const char *name, const struct dataset_layout *layout,
				    struct entry_probe *probe)
{
	const char *last = file_name_of(name);

	return layout->image_masks.bits && probe &&
	       name_filter_has(&layout->image_masks, last, strlen(last) - strlen(file_name_extension(last))) &&
	       photo_probe_is_photo(entry, probe);
}

/* Returns whether an array is of fractions by its header: the weights of a model, a curve. */
static bool holds_fractions(const struct entry *entry, struct entry_probe *probe)
{
	struct fault ignored = FAULT_INIT;

	return probe && probe_entry(probe, entry, &ignored) && array_holds_fractions(&probe->head);
}

/* Returns whether an array has more axes than those that names call labels: an image of several channels or times. */
static bool has_more_axes(const struct entry *entry, const struct dataset_layout *layout, struct entry_probe *probe)
{
	struct fault ignored = FAULT_INIT;
	uint64_t sides[ARRAY_SIDES] = { 0 };

	return layout->array_axes && probe && probe_entry(probe, entry, &ignored) &&
	       array_axes(&probe->head, sides) > layout->array_axes;
}

/*
 * Returns why an entry is no label file though its name or its content might be one's: it is an image, or accompanies
 * masks. SKIP_NONE: it is neither.
 */
static enum skip_reason beside_labels(const struct entry *entry, struct folder_role *folder,
				      const struct dataset_layout *layout, struct entry_probe *probe)
{
	const char *name = entry_inner_path(entry);
	bool array = is_array_name(name), png = is_png_name(name);
	enum role role = folder->role;
	size_t stem;

	if (layout->preset_files && png)
		return is_preset_file(name, layout->preset_files) ? SKIP_NONE : SKIP_NOT_PRESET;
	if (png && is_aside(entry, name, layout))
		return SKIP_NAMED_ASIDE;
	/* plots and curves among masks in BMP */
	if (layout->flat_masks && png && probe && photo_probe_has_alpha(entry, probe))
		return SKIP_IMAGE;
	if (layout->flat_masks && array && role_of_array(name) != ROLE_LABELS && holds_fractions(entry, probe))
		return SKIP_NO_LABELS;
	if (png && role == ROLE_IMAGES && is_photo_of_mask_beside(entry, name, layout, probe))
		return SKIP_IMAGE;
	if ((!has_roles(layout) && !layout->photos_by_content) || (!png && !array))
		return SKIP_NONE;
	enum folder_content content = png ? content_of_folder(entry, folder, layout) : FOLDER_UNKNOWN;

	if (layout->folder_roles && role == ROLE_IMAGES)
		return SKIP_NAMED_IMAGE;
	if (layout->folder_roles && role == ROLE_ASIDE && !layout->numbers_alone)
		return SKIP_NAMED_ASIDE;
	if (array && (role == ROLE_LABELS || !layout->array_roles || role_of_array(name) == ROLE_LABELS))
		return SKIP_NONE;
	if (array)
		return role_of_array(name) == ROLE_IMAGES    ? SKIP_NAMED_IMAGE
		       : holds_fractions(entry, probe)       ? SKIP_NO_LABELS
		       : has_more_axes(entry, layout, probe) ? SKIP_IMAGE
							     : SKIP_NONE;
	if (role == ROLE_LABELS && layout->prefix_roles && role_of_prefix(name) == ROLE_IMAGES && probe &&
	    photo_probe_is_photo(entry, probe))
		return SKIP_NAMED_IMAGE;
	if (role == ROLE_LABELS)
		return content == FOLDER_PLOTS                          ? SKIP_NAMED_ASIDE
		       : is_image_of_suffix(entry, name, layout, probe) ? SKIP_NAMED_IMAGE
		       : is_of_photos(entry, name, content, probe)      ? SKIP_IMAGE
									: SKIP_NONE;
	if (layout->archive_pairs && entry->member && !role_label_suffix(name, &stem))
		return SKIP_NAMED_IMAGE;
	if (layout->sample_roles && entry->member &&
	    !strcasecmp(file_name_of(name) + strcspn(file_name_of(name), "."), ".png"))
		return SKIP_NAMED_IMAGE;
	if (content == FOLDER_PLOTS || is_of_photos(entry, name, content, probe))
		return SKIP_IMAGE;
	if (has_mask_beside(entry, layout->label_suffix) || has_label_folder_beside(entry, folder, layout))
		return SKIP_NAMED_IMAGE;
	if (role != ROLE_UNKNOWN || role_label_suffix(name, &stem) || role_of_prefix(name) == ROLE_LABELS)
		return SKIP_NONE;
	if ((layout->masks_are_named && is_where_plots_are(entry, layout)) || is_plot_of_no_image(entry, layout, probe))
		return SKIP_IMAGE;
	if (layout->prefix_roles && role_of_prefix(name) == ROLE_IMAGES)
		return SKIP_NAMED_IMAGE;
	bool labels_have_names = layout->folder_roles || (layout->member_suffixes && entry->member) ||
				 layout->prefix_roles || layout->label_suffix[0] || layout->folder_suffix[0] ||
				 (layout->masks_are_named && folder->walked_role != ROLE_LABELS);

	if ((!labels_have_names && !layout->photos_by_content) || !probe)
		return SKIP_NONE;
	return photo_probe_is_photo(entry, probe) || (labels_have_names && photo_probe_has_alpha(entry, probe))
		       ? SKIP_IMAGE
		       : SKIP_NONE;
}

static struct classification skip(enum skip_reason reason)
{
	return (struct classification){ .class = ENTRY_SKIP, .reason = reason };
}

/* Returns the class of what is left out by its name or its kind; if it looks like a mask, it is reported. */
static struct classification skip_unless_mask(const struct entry *entry, const struct folder_role *folder,
					      const struct dataset_layout *layout, enum skip_reason reason,
					      struct entry_probe *probe)
{
	struct left_out why = left_out_png(entry, folder, layout, reason, probe);

	return (struct classification){ .reason = why.reason,
					.class = ENTRY_SKIP,
					.looks_like_labels = why.looks_like_labels };
}

/* Returns whether a text lies where YOLO's label files do, or beside its image: then its bad rows are findings. */
static bool is_yolo_by_place(const struct entry *entry, const struct dataset_layout *layout,
			     const struct file_head *head)
{
	if (!file_name_ends_in(head->name, ".txt") || is_name_of_notes(head->name) || head->content == CONTENT_EMPTY ||
	    content_packing(head->content) != PACKING_NONE)
		return false;
	if (path_find_folder(entry->member ? entry->member : entry->path, "labels") &&
	    (ascii_isdigit((char)head->head[0]) || strchr("+-.#", head->head[0]) ||
	     (!entry->member && yolo_find_image(entry->path) == PARTNER_THERE)))
		return true;
	/* an archive holds both, wherever in it */
	if (entry->member && name_filter_has_file(&layout->annotated, entry->member))
		return true;
	for (const char *const *extension = ultralytics_extensions; !entry->member && *extension; extension++)
		if (has_beside(entry, strlen(entry->name) - 4, "", *extension))
			return true;
	return false;
}

/*
 * Returns whether a text numbers what the labels beside it are about: subject_train.txt beside y_train.txt has the
 * persons, groups_train.txt the folds.
 */
static bool accompanies_labels(const struct entry *entry)
{
	static const char *const words[] = { "subject", "subjects", "group", "groups",  "patient", "patients",
					     "person",  "user",     "users", "speaker", "fold",    "folds",
					     "session", "id",       "ids",   "index",   "idx",     NULL };
	static const char *const labels[] = { "y_", "Y_", "label_", "labels_", "target_", "targets_", NULL };
	const char *name = entry->name, *rest = strchr(name, '_');
	char word[16], beside[NAME_MAX + 16];
	struct stat st;
	bool known = false;

	if (entry->member || !rest || (size_t)(rest - name) >= sizeof(word) || strlen(rest) > NAME_MAX)
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(rest - name), name);
	for (const char *const *w = words; *w; w++)
		known |= !strcasecmp(word, *w);
	for (const char *const *label = labels; known && *label; label++) {
		snprintf(beside, sizeof(beside), "%s%s", *label, rest + 1);
		if (fstatat(entry->dirfd, beside, &st, 0) == 0)
			return true;
	}
	return false;
}

/* Returns whether a table is called as those of a test split, which may be published without labels: test.csv. */
static bool is_of_test(const struct entry *entry)
{
	return !strncasecmp(file_name_of(entry_inner_path(entry)), "test", strlen("test"));
}

/* Returns whether a table is that of a test split, without the column of labels that others have. */
static bool lacks_labels(const struct entry *entry, const struct dataset_layout *layout, const struct file_head *head)
{
	return layout->some_tables_name_labels && !layout->settings->column && is_of_test(entry) &&
	       head->content == CONTENT_TEXT && table_has_header(head) && !table_has_label_word(head) &&
	       table_has_labels(head, NULL);
}

/*
 * Returns whether a table is none of those with the column of --column: it has another width, and no header or labels
 * of its own. A split that lacks the column is one of them.
 */
static bool is_other_table(const struct dataset_layout *layout, const struct file_head *head)
{
	return layout->tables_width && head->content != CONTENT_JSON && table_width(head) != layout->tables_width &&
	       (!table_has_header(head) || table_names_labels(head));
}

/* Decides by an entry's first bytes. */
static struct classification classify_head(const struct entry *entry, struct folder_role *folder,
					   const struct dataset_layout *layout, struct entry_probe *probe)
{
	const struct classification labels = { .class = ENTRY_LABELS };
	const struct file_head *head = &probe->head;

	if (head->content == CONTENT_OWN_REPORT)
		return skip(SKIP_OWN_REPORT);
	probe->head.is_mask_place =
		layout->settings->kind == KIND_MASK || is_mask_place(entry, folder, layout->flat_masks);
	if (is_mask_as_jpeg(entry, folder, layout, probe))
		return labels;
	const struct label_format *format = format_recognise(head, layout->kinds);

	if (!format && layout->photos_as_masks && content_is_photo(head->content) &&
	    unread_kind_of(head->content, head->head, head->n) == UNREAD_NONE)
		return !layout->label_names_only || has_label_name(entry, folder) ? labels : skip(SKIP_IMAGE);

	if (!format && GUARD(broken_label_text, is_broken_label_text(head, layout->kinds)))
		return labels;
	if (!format && (layout->kinds & KIND_BIT(KIND_COCO)) && has_coco_further_on(entry, probe))
		format = format_of_kind(KIND_COCO);
	if (!format && layout->kinds == KIND_BIT(KIND_YOLO) && is_yolo_by_place(entry, layout, head))
		format = format_of_kind(KIND_YOLO);
	if (format && format->kind == KIND_LIST && layout->some_tables_have_column &&
	    (is_of_test(entry) || is_other_table(layout, head)) && !table_has_column(head, layout->settings->column))
		return (struct classification){ ENTRY_SKIP, NULL, SKIP_TABLE, table_has_header(head), UNREAD_NONE };
	if (format && format->kind == KIND_LIST && lacks_labels(entry, layout, head))
		return (struct classification){ ENTRY_SKIP, NULL, SKIP_TABLE,
						table_width(head) + 1 != layout->labels_width, UNREAD_NONE };
	if (format && format->kind == KIND_LIST &&
	    (accompanies_labels(entry) ||
	     (layout->lists_are_bound && text_is_numbering(head->head, head->n, head->n < PEEK_BYTES))))
		return skip(SKIP_TABLE);
	if (!format || (format->kind == KIND_LIST && layout->some_tables_have_labels &&
			!table_has_labels(head, layout->settings->column))) {
		struct left_out why = left_out_by_head(entry, folder, layout, head);

		return (struct classification){ ENTRY_SKIP, NULL, why.reason, why.looks_like_labels, why.unread };
	}
	/* the first bytes of a packed file may unpack to too few */
	return (struct classification){ .class = ENTRY_LABELS, .format = probe->is_packed ? NULL : format };
}

struct classification classify_entry(const struct entry *entry, struct folder_role *folder,
				     const struct dataset_layout *layout, struct entry_probe *probe,
				     struct fault *fault)
{
	const struct classification labels = { .class = ENTRY_LABELS, .format = entry->format };
	struct sample ignored;

	if (entry->is_wanted || (entry->is_explicit && !entry->member) || entry->standard_input)
		return labels;
	if (layout->folders && classify_by_folder(entry, layout, &ignored))
		return labels;
	enum skip_reason beside = beside_labels(entry, folder, layout, probe);

	if (beside != SKIP_NONE)
		return skip_unless_mask(entry, folder, layout, beside, probe);
	if (!entry->is_explicit && is_clutter_name(file_name_of(entry->member ? entry->member : entry->path)))
		return skip_unless_mask(entry, folder, layout, SKIP_CLUTTER, probe);
	if (entry->is_explicit || (entry->member && is_npz_name(entry->path)))
		return labels;
	if (is_png_name(entry->name) && (layout->kinds & KIND_BIT(KIND_MASK)))
		return labels;
	if (is_array_name(entry->name) && (layout->kinds & KIND_BIT(KIND_ARRAY)))
		return labels;
	/* TIFF and its like in masks/ are named */
	bool may_be_mask = !is_png_name(entry->name) && has_label_name(entry, folder);

	if (is_image_name(entry->name) && (!layout->no_family || is_png_name(entry->name)) && !may_be_mask &&
	    !(layout->kinds & KIND_BIT(KIND_MASK)))
		return skip_unless_mask(entry, folder, layout, SKIP_IMAGE, probe);
	if (!probe_entry(probe, entry, fault))
		return (struct classification){ .class = ENTRY_FAILED };
	return classify_head(entry, folder, layout, probe);
}

enum entry_class classify_alone(const struct entry *entry, const struct dataset_layout *layout)
{
	struct folder_role folder;
	struct entry_probe probe;
	struct fault ignored = FAULT_INIT;

	folder_role_init(&folder);
	folder_role_enter(&folder, entry);
	probe_init(&probe);
	enum entry_class class = classify_entry(entry, &folder, layout, &probe, &ignored).class;

	probe_close(&probe);
	return class;
}

bool classify_left_out(const struct entry *entry, struct folder_role *folder, const struct dataset_layout *layout)
{
	if (entry->skip_reason == SKIP_EXCLUDED || entry->skip_reason == SKIP_NOT_INCLUDED ||
	    entry->skip_reason == SKIP_LINK_REPEATED)
		return false;
	/* classify_member() has looked at its content */
	if (entry->looks_like_labels || entry->skip_reason >= SKIP_OTHER_KIND)
		return entry->looks_like_labels;
	return left_out_has_label_name(entry, folder, layout) &&
	       beside_labels(entry, folder, layout, NULL) == SKIP_NONE;
}

bool classify_lacks_label(const struct entry *entry, const struct dataset_layout *layout)
{
	return layout->kinds == KIND_BIT(KIND_YOLO) && is_image_name(entry->name) &&
	       yolo_find_label(entry->path) == PARTNER_MISSING;
}

bool classify_by_folder(const struct entry *entry, const struct dataset_layout *layout, struct sample *sample)
{
	const struct class_folders *folders = layout->folders;
	unsigned root;

	if (!folders || entry->is_explicit || entry->standard_input || entry->failed || entry->skip_reason ||
	    !has_torchvision_extension(entry->name) ||
	    !class_folders_find(folders, entry->path, entry->rel_offset, entry->member, &root, &sample->folder_id))
		return false;
	sample->format = FORMAT_FOLDER;
	sample->folder = folders->roots[root].names[sample->folder_id];
	sample->folder_root = (uint8_t)root;
	return true;
}

enum skip_reason classify_member(const void *layouts, struct entry *member)
{
	const struct dataset_layout *layout = layout_of(layouts, member);
	struct folder_role folder;
	struct fault ignored = FAULT_INIT;
	struct entry_probe probe;

	probe_init(&probe);
	folder_role_init(&folder);
	folder_role_enter(&folder, member);
	struct classification c = classify_entry(member, &folder, layout, &probe, &ignored);

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
	p.is_mask_place = !is_png_name(entry->name) && !is_array_name(entry->name);
	const struct label_format *format = format_recognise(&p, is_explicit ? layout->explicit_kinds : layout->kinds);
	const enum unread_kind unread = format ? UNREAD_NONE : unread_kind_of(p.content, head, n);

	if (!format && p.content == CONTENT_JSON && coco_looks_like_results(head, n)) {
		fault_set(fault, FAULT_NOT_A_LABEL, 0,
			  "not a label file but COCO results: predictions of a model, without categories");
		snprintf(fault->advice, sizeof(fault->advice),
			 "audit the annotations of its images; if the results are your labels, write them as a "
			 "complete COCO file");
	} else if (!format && unread != UNREAD_NONE && !is_png_name(entry->name) && !is_array_name(entry->name)) {
		unread_kind_fault(unread, fault);
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
