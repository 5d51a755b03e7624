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

/* Of the n bytes of a name. */
static enum part part_of_words(const char *s, size_t n, bool array)
{
	enum part part = PART_UNKNOWN;

	for (size_t i = 0, end; i < n && part != PART_LABELS; i = end) {
		char word[WORD_MAX];

		end = i + 1;
		if (!is_upper(s[i]) && !is_lower(s[i]))
			continue;
		/* JPEGImages stays one word: a capital begins one behind a small letter */
		while (end < n && (is_lower(s[end]) || (is_upper(s[end]) && is_upper(s[end - 1]))))
			end++;
		if (end - i >= sizeof(word))
			continue;
		memcpy(word, s + i, end - i);
		word[end - i] = '\0';
		part = MAX(part, part_of_word(word, array));
	}
	return part;
}

enum part part_of_folders(const char *path)
{
	enum part part = PART_UNKNOWN;
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		enum part here = part_of_words(path, (size_t)(slash - path), false);

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

size_t part_label_suffix(const char *name, size_t *stem)
{
	const char *last = file_name_of(name), *dot = strrchr(last, '.');
	size_t end = dot && dot != last ? (size_t)(dot - name) : strlen(name), at = end;

	while (at > (size_t)(last - name) && (is_lower(name[at - 1]) || is_upper(name[at - 1])))
		at--;
	if (at <= (size_t)(last - name) + 1 || at == end || !strchr("_-.", name[at - 1]) ||
	    part_of_words(name + at, end - at, false) != PART_LABELS)
		return 0;
	*stem = at - 1;
	return end - at + 1;
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
