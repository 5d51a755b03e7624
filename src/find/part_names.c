#include "find/part_names.h"

#include <string.h>
#include <strings.h>

#include "base/file_name.h"
#include "base/mem.h"

/* Longer words are none of ours. */
enum { WORD_MAX = 24 };

static const char *const image_words[] = {
	"image", "images",  "img",      "imgs",  "rgb",    "photo",      "photos",
	"pic",   "picture", "pictures", "input", "inputs", "JPEGImages",
};
static const char *const label_words[] = {
	"mask",         "masks",         "label",    "labels", "annotation", "annotations",
	"annot",        "annots",        "ann",      "anno",   "annos",      "gt",
	"gts",          "groundtruth",   "truth",    "seg",    "segs",       "segmap",
	"segmentation", "segmentations", "semantic", "target", "targets",
};
/* Pictures of labels, and other numbers than labels, whatever words stand beside them. */
static const char *const view_words[] = {
	"colormap", "colormaps", "colormask",     "colormasks",     "vis",           "overlay",
	"overlays", "visual",    "visualization", "visualizations", "visualisation", "visualisations",
};
static const char *const number_words[] = { "instance", "instances", "panoptic" };
/* As the first word: depth, depth_png; but not bit-depth. */
static const char *const distance_words[] = { "depth", "depths", "disparity", "disparities" };
/* Pictures beside a word for labels, or alone: label_colors, color/. */
static const char *const colour_words[] = { "color", "colors", "colour", "colours", "colored", "coloured" };
/* Words that say something in a NumPy archive, and nothing in a folder. */
static const char *const array_image_words[] = { "x", "xs", "data", "feature", "features", "pixel", "pixels" };
static const char *const array_label_words[] = { "y", "ys", "class", "classes", "category", "categories" };

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcasecmp(word, words[i]))
			return true;
	return false;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static enum part part_of_word(const char *word, bool array)
{
	if (is_one_of(word, label_words, ARRAY_SIZE(label_words)) ||
	    (array && is_one_of(word, array_label_words, ARRAY_SIZE(array_label_words))))
		return PART_LABELS;
	if (is_one_of(word, image_words, ARRAY_SIZE(image_words)) ||
	    (array && is_one_of(word, array_image_words, ARRAY_SIZE(array_image_words))))
		return PART_IMAGES;
	return PART_UNKNOWN;
}

/* The next word of the n bytes of a name, from *at on; longer ones are passed by. False: there is none. */
static bool next_word(const char *s, size_t n, size_t *at, char word[WORD_MAX])
{
	for (size_t i = *at, end; i < n; i = end) {
		end = i + 1;
		if (!is_upper(s[i]) && !is_lower(s[i]))
			continue;
		/* JPEGImages stays one word: a capital begins one behind a small letter */
		while (end < n && (is_lower(s[end]) || (is_upper(s[end]) && is_upper(s[end - 1]))))
			end++;
		if (end - i >= WORD_MAX)
			continue;
		memcpy(word, s + i, end - i);
		word[end - i] = '\0';
		*at = end;
		return true;
	}
	return false;
}

static enum part part_of_words(const char *s, size_t n, bool array)
{
	enum part part = PART_UNKNOWN;
	char word[WORD_MAX];

	for (size_t at = 0; part != PART_LABELS && next_word(s, n, &at, word);)
		part = MAX(part, part_of_word(word, array));
	return part;
}

/* Pictures to look at: colours of labels. */
static bool is_view(const char *s, size_t n)
{
	bool labels = part_of_words(s, n, false) == PART_LABELS;
	char word[WORD_MAX];

	for (size_t at = 0; next_word(s, n, &at, word);)
		if (is_one_of(word, view_words, ARRAY_SIZE(view_words)) ||
		    ((labels || strlen(word) == n) && is_one_of(word, colour_words, ARRAY_SIZE(colour_words))) ||
		    (labels && !strcasecmp(word, "rgb")))
			return true;
	return false;
}

/* SegmentationObject is Pascal VOC's; other objects are what masks are of. */
static bool is_other_number(const char *s, size_t n)
{
	bool segmentation = false;
	char word[WORD_MAX];

	for (size_t at = 0; next_word(s, n, &at, word); segmentation = !strcasecmp(word, "segmentation"))
		if (is_one_of(word, number_words, ARRAY_SIZE(number_words)) ||
		    (at == strlen(word) && is_one_of(word, distance_words, ARRAY_SIZE(distance_words))) ||
		    (segmentation && !strcasecmp(word, "object")))
			return true;
	return false;
}

enum part part_of_folders(const char *path)
{
	enum part part = PART_UNKNOWN;
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		size_t n = (size_t)(slash - path);
		enum part here =
			is_view(path, n) || is_other_number(path, n) ? PART_ASIDE : part_of_words(path, n, false);

		if (here != PART_UNKNOWN)
			part = here;
	}
	return part;
}

enum part part_of_array(const char *name)
{
	const char *last = file_name_of(name);

	return part_of_words(last, strlen(last) - strlen(file_name_extension(last)), true);
}

enum part part_of_sample(const char *name)
{
	const char *last = file_name_of(name), *extension = strchr(last, '.');

	if (!extension)
		return PART_UNKNOWN;
	if (!strcasecmp(extension, ".cls"))
		return PART_LABELS;
	return part_of_words(extension, strlen(extension), false);
}

/* Where the last word of a name begins, if a sign stands before it and a stem before that; else 0. */
static size_t last_word(const char *name, size_t *end)
{
	const char *last = file_name_of(name), *dot = strrchr(last, '.');
	size_t at;

	*end = at = dot && dot != last ? (size_t)(dot - name) : strlen(name);
	while (at > (size_t)(last - name) && (is_lower(name[at - 1]) || is_upper(name[at - 1])))
		at--;
	return at <= (size_t)(last - name) + 1 || at == *end || !strchr("_-.", name[at - 1]) ? 0 : at;
}

size_t part_label_suffix(const char *name, size_t *stem)
{
	size_t end, at = last_word(name, &end);

	if (!at || is_view(name + at, end - at) || part_of_words(name + at, end - at, false) != PART_LABELS)
		return 0;
	*stem = at - 1;
	return end - at + 1;
}

size_t part_other_suffix(const char *name, size_t *stem)
{
	size_t end, at = last_word(name, &end);

	if (!at || (!is_view(name + at, end - at) && part_of_words(name + at, end - at, false) != PART_IMAGES))
		return 0;
	*stem = at - 1;
	return end - at + 1;
}

enum part part_of_prefix(const char *name)
{
	const char *last = file_name_of(name);
	size_t n = strlen(last) - strlen(file_name_extension(last)), word = 0;

	while (word < n && (is_lower(last[word]) || is_upper(last[word])))
		word++;
	if (!word || word == n)
		return PART_UNKNOWN;
	enum part part = part_of_words(last, word, false);

	return part == PART_IMAGES && part_of_words(last, n, false) == PART_LABELS ? PART_UNKNOWN : part;
}

size_t part_folder_suffix(const char *path, const char **suffix)
{
	static const char annot[] = "annot"; /* of SegNet's CamVid, without a sign before it */
	const char *end = strrchr(path, '/'), *start = end;
	char folder[2 * WORD_MAX] = "";
	size_t stem, n;

	while (start && start > path && start[-1] != '/')
		start--;
	if (!end || (size_t)(end - start) >= sizeof(folder))
		return 0;
	memcpy(folder, start, (size_t)(end - start));
	folder[end - start] = '\0';
	n = file_name_ends_in(folder, annot) ? sizeof(annot) - 1 : part_label_suffix(folder, &stem);
	*suffix = end - n;
	return n;
}
