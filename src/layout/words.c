#include "layout/words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "read/text_shape.h"

enum { WORD_MAX = 24 }; /* longer words have no meaning */

/* ---- the table ----------------------------------------------------------------------------------------------------
 */

static const char labels[] =
	" mask masks label labels labeled labelled gt gts groundtruth truth ground ann anno annos annot annotation "
	"annotations annots seg segs segmap segmentation segmentations segmentationclass semantic target targets "
	"manual y ys bbox labelids labeltrainids trainids lbl lab ";
static const char images[] =
	" image images img imgs photo photos pic pics picture pictures rgb jpegimages input inputs raw frames x xs "
	"original originals source src jpg jpgs jpeg org leftimg ";
static const char aside[] =
	" color colors colour colours colored coloured colormap colormaps colormask colormasks vis viz visual "
	"visualization visualizations visualisation visualisations overlay overlays preview previews instance "
	"instances instanceids inst panoptic depth depths disparity disparities visibility segmentationobject result "
	"results pred preds predict predicted prediction predictions output outputs blend heatmap heatmaps depthlabel "
	"centers centres centroids ";
static const char clutter[] =
	" doc docs figure figures fig figs plot plots assets asset run runs log logs readme screenshot screenshots "
	"demo demos icon icons static notebooks notebook checkpoints weights wandb tensorboard scripts utils code "
	"configs config eval evaluation confusion curve curves chart logo teaser exemple example examples sample "
	"thumbnails imagesets media misc paper res tmp resources report reports tools ";
/* Names of tools, which begin as words for labels do. */
static const char tools[] = " labelme labelaudit labelbox labelimg labelstudio ";
static const char splits[] = " train training val valid validation test testing dev trainval tr ts ";
/* A word that ends so, or begins so, is one for labels: trainannot, maskgt. */
static const char *const label_beginnings[] = { "mask", "label", "annot", "segmentation", NULL };
static const char *const label_ends[] = { "mask", "masks", "label", "labels", "annot", "annots", NULL };
static const char *const split_beginnings[] = { "train", "valid", "val", "test", "training", NULL };
/* Folders that no tool looks into. */
static const char *const tool_folders[] = { "node_modules", "__pycache__", "site-packages", "__MACOSX", NULL };

const char *role_name(enum role role)
{
	static const char *const names[] = { "", "", "images", "labels", "clutter", "aside" };

	return names[role];
}

static bool is_in(const char *list, const char *word, size_t n)
{
	char wanted[WORD_MAX + 3];

	wanted[0] = ' ';
	memcpy(wanted + 1, word, n);
	memcpy(wanted + 1 + n, " ", 2);
	return strstr(list, wanted);
}

/* Returns the role of a word in lower case. */
static enum role role_of_known(const char *word, size_t n)
{
	return is_in(aside, word, n)     ? ROLE_ASIDE
	       : is_in(clutter, word, n) ? ROLE_CLUTTER
	       : is_in(labels, word, n)  ? ROLE_LABELS
	       : is_in(images, word, n)  ? ROLE_IMAGES
	       : is_in(splits, word, n)  ? ROLE_SPLIT
					 : ROLE_NONE;
}

static enum role role_of_word(const char *word, size_t n)
{
	enum role role = role_of_known(word, n);

	if (is_in(tools, word, n))
		return ROLE_NONE;
	for (const char *const *s = label_beginnings; role == ROLE_NONE && *s; s++)
		if (n > strlen(*s) && !memcmp(word, *s, strlen(*s)))
			role = ROLE_LABELS;
	for (const char *const *s = label_ends; role == ROLE_NONE && *s; s++)
		if (n > strlen(*s) && !memcmp(word + n - strlen(*s), *s, strlen(*s)))
			role = ROLE_LABELS;
	for (const char *const *s = split_beginnings; role == ROLE_NONE && *s; s++)
		if (n > strlen(*s) && !memcmp(word, *s, strlen(*s)))
			role = role_of_known(word + strlen(*s), n - strlen(*s));
	return role;
}

/* Copies the next word of s[*at..n) in lower case, and moves *at to its end. Returns its length, 0 at the end. */
static size_t next_word(const char *s, size_t n, size_t *at, char word[WORD_MAX])
{
	for (size_t i = *at, end; i < n; i = end) {
		end = i + 1;
		if (!ascii_isalpha(s[i]))
			continue;
		/* a capital begins a word only after a small letter: JPEGImages is one word */
		while (end < n && (ascii_islower(s[end]) || (ascii_isupper(s[end]) && ascii_isupper(s[end - 1]))))
			end++;
		*at = end;
		if (end - i >= WORD_MAX)
			continue;
		for (size_t k = i; k < end; k++)
			word[k - i] = ascii_tolower(s[k]);
		return end - i;
	}
	return 0;
}

enum role role_of_name(const char *name, size_t n)
{
	enum role role = ROLE_NONE, first = ROLE_NONE, last = ROLE_NONE, other = ROLE_NONE;
	bool rgb = false, object = false, segmentation = false;
	char word[WORD_MAX];
	size_t len, words = 0;

	for (const char *const *tool = tool_folders; *tool; tool++)
		if (n == strlen(*tool) && !memcmp(name, *tool, n))
			return ROLE_CLUTTER;
	for (size_t at = 0; (len = next_word(name, n, &at, word)); words++) {
		enum role one = role_of_word(word, len);

		rgb |= len == 3 && !memcmp(word, "rgb", 3);
		object |= (len == 6 && !memcmp(word, "object", 6)) || (len == 7 && !memcmp(word, "objects", 7));
		segmentation |= len == 12 && !memcmp(word, "segmentation", 12);
		if (!words)
			first = one;
		last = one;
		if (one > other && one < ROLE_CLUTTER && one != ROLE_SPLIT)
			other = one;
		if (one > role && one != ROLE_SPLIT)
			role = one;
	}
	if (segmentation && object)
		return ROLE_ASIDE; /* Pascal VOC's SegmentationObject */
	/* the last word is what a thing is: loss_plots, but sample_images and static_street; and eval_masks */
	if (role == ROLE_CLUTTER && (other == ROLE_LABELS || last != ROLE_CLUTTER))
		return other;
	if (role == ROLE_LABELS && rgb)
		return ROLE_ASIDE;
	return role == ROLE_NONE && words == 1 && first == ROLE_SPLIT ? ROLE_SPLIT : role;
}

enum role role_of_path(const char *path, size_t n)
{
	while (n) {
		size_t begin = n;

		while (begin && path[begin - 1] != '/')
			begin--;
		enum role role = role_of_name(path + begin, n - begin);

		if (role > ROLE_SPLIT)
			return role;
		n = begin ? begin - 1 : 0;
	}
	return ROLE_NONE;
}

bool name_says_instances(const char *name, size_t n)
{
	char word[WORD_MAX];
	size_t len;

	for (size_t at = 0; (len = next_word(name, n, &at, word));)
		if (len >= 4 && !memcmp(word, "inst", 4))
			return true;
	return false;
}

/* ---- stems --------------------------------------------------------------------------------------------------------
 */

static bool is_sign(char c)
{
	return c == '_' || c == '-' || c == '.' || c == ' ' || c == '(' || c == ')';
}

size_t suffix_at(const char *stem, size_t n, bool all)
{
	size_t at = n, before = n;

	for (size_t end = n; end;) {
		while (end && is_sign(stem[end - 1]))
			end--;
		size_t begin = end;
		unsigned digits = 0;

		while (begin && !is_sign(stem[begin - 1])) {
			begin--;
			digits += ascii_isdigit(stem[begin]);
		}
		if (begin == end || !ascii_isalpha(stem[begin]) || digits > 2)
			break;
		before = at;
		at = end = begin;
	}
	/* the first of several words is the name: s1_mask */
	return all || at || before == n ? at : before;
}

size_t role_prefix_length(const char *stem, size_t n)
{
	size_t len = 0;

	while (len < n && ascii_isalpha(stem[len]))
		len++;
	return len < n && role_of_name(stem, len) > ROLE_SPLIT ? len : 0;
}

size_t stem_without_roles(const char *stem, size_t n, char *out, size_t cap)
{
	size_t len = 0;

	for (size_t at = 0, end; at < n; at = end) {
		if (is_sign(stem[at])) {
			end = at + 1;
			continue;
		}
		for (end = at; end < n && !is_sign(stem[end]);)
			end++;
		if (role_of_name(stem + at, end - at) > ROLE_SPLIT)
			continue;
		if (len && len < cap)
			out[len++] = '_';
		for (size_t i = at; i < end && len < cap; i++)
			out[len++] = stem[i];
	}
	return len;
}

/* ---- names of files ------------------------------------------------------------------------------------------------
 */

static const char *const pictures[] = { ".png", ".bmp", ".gif", ".tif", ".tiff", NULL };
static const char *const jpegs[] = { ".jpg", ".jpeg", ".jfif", NULL };
static const char *const photos[] = { ".ppm", ".pgm", ".pbm", NULL };
static const char *const arrays[] = { ".npy", ".npz", ".nii", ".nrrd", ".mha", NULL };
static const char *const logs[] = { ".pt",     ".pth",  ".ckpt",   ".pkl",   ".pickle", ".onnx", ".pb",
				    ".tflite", ".log",  ".proto",  ".marks", ".make",   ".bin",  ".safetensors",
				    ".mp4",    ".avi",  ".zip",    ".whl",   ".o",      ".so",   ".pdf",
				    ".svg",    ".lock", ".config", ".h",     ".hpp",    ".c",    ".cc",
				    ".cpp",    ".cu",   ".m",      ".tar",   NULL };

/* Returns the length of the first n bytes of a name without their extension. */
static size_t without_extension(const char *name, size_t n)
{
	size_t dot = n;

	while (dot > 1 && name[dot - 1] != '.')
		dot--;
	return dot > 1 ? dot - 1 : n;
}

size_t stem_length(const char *name)
{
	const size_t stem = without_extension(name, strlen(name) - packing_length(name)),
		     inner = without_extension(name, stem);
	char plain[256];

	if (inner == stem || stem >= sizeof(plain))
		return stem;
	memcpy(plain, name, stem);
	plain[stem] = '\0';
	return is_image_name(plain) ? inner : stem;
}

enum file_kind file_kind_of(const char *name)
{
	char plain[256];
	size_t n = strlen(name) - packing_length(name);

	if (n >= sizeof(plain))
		return FILE_NONE;
	memcpy(plain, name, n);
	plain[n] = '\0';
	if (file_name_ends_in_any(plain, pictures))
		return FILE_PICTURE;
	if (file_name_ends_in_any(plain, jpegs))
		return FILE_JPEG;
	if (is_image_name(plain) || file_name_ends_in_any(plain, photos))
		return FILE_PHOTO;
	if (file_name_ends_in_any(plain, arrays))
		return FILE_ARRAY;
	/* Roboflow's _classes.csv may be a table of labels */
	const bool notes = is_name_of_notes(plain) && !file_name_ends_in(plain, ".csv");

	if (file_name_ends_in_any(plain, logs) || strstr(plain, "tfevents") || notes || is_name_of_source(plain))
		return FILE_NONE;
	return role_of_name(plain, strlen(plain) - strlen(file_name_extension(plain))) == ROLE_LABELS ? FILE_LABEL_DOC
												      : FILE_DOC;
}

/* Returns whether a name is in the NULL-terminated list, whatever the case of ASCII letters. */
static bool is_any_of(const char *name, const char *const *list)
{
	for (const char first = ascii_tolower(name[0]); *list; list++)
		if (first == ascii_tolower((*list)[0]) && !strcasecmp(name, *list))
			return true;
	return false;
}

/*
 * Returns whether an editor, a merge or a download left it beside a text: labels.json.bak, #labels.json#. A mask or an
 * array is audited whatever its name adds: nothing edits these.
 */
static bool is_backup_of_text(const char *name)
{
	static const char *const backups[] = { "bak", "orig", "old", "tmp", "lock", "part", NULL };
	static const char *const texts[] = { ".json", ".csv", ".tsv", ".txt", ".xml", ".yaml", ".yml", NULL };
	const char *extension = file_name_extension(name);
	const bool autosaved = name[0] == '#' && file_name_ends_in(name, "#");
	const size_t added = autosaved ? 1 : strlen(extension), n = strlen(name) - added;
	char text[256];

	if (!(autosaved || (added && is_any_of(extension + 1, backups))) || n >= sizeof(text))
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
