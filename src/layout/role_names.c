#include "layout/role_names.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"

/* Longer words are none of ours. */
enum { WORD_MAX = 24 };

/* What a word is, in bits; or, of a name, what its words are. */
enum {
	WORD_IMAGE = 1 << 0,
	WORD_LABEL = 1 << 1,
	/* Pictures of labels, and other numbers than labels, whatever words stand beside them. */
	WORD_VIEW = 1 << 2,
	WORD_NUMBER = 1 << 3,
	/* As the first word: depth, depth_png; but not bit-depth. */
	WORD_DISTANCE = 1 << 4,
	/* Pictures beside a word for labels, or alone: label_colors, color/. */
	WORD_COLOUR = 1 << 5,
	WORD_RGB = 1 << 6, /* beside a word for labels only */
	/* SegmentationObject is Pascal VOC's; other objects are what masks are of. */
	WORD_SEGMENTATION = 1 << 7,
	WORD_OBJECT = 1 << 8,
	/* Words that say something in a NumPy archive, and nothing in a folder. */
	WORD_ARRAY_IMAGE = 1 << 9,
	WORD_ARRAY_LABEL = 1 << 10,
};

/* Sorted, in lower case. */
static const struct {
	const char *word;
	unsigned kinds;
} known_words[] = {
	{ "ann", WORD_LABEL },
	{ "anno", WORD_LABEL },
	{ "annos", WORD_LABEL },
	{ "annot", WORD_LABEL },
	{ "annotation", WORD_LABEL },
	{ "annotations", WORD_LABEL },
	{ "annots", WORD_LABEL },
	{ "categories", WORD_ARRAY_LABEL },
	{ "category", WORD_ARRAY_LABEL },
	{ "class", WORD_ARRAY_LABEL },
	{ "classes", WORD_ARRAY_LABEL },
	{ "color", WORD_COLOUR },
	{ "colored", WORD_COLOUR },
	{ "colormap", WORD_VIEW },
	{ "colormaps", WORD_VIEW },
	{ "colormask", WORD_VIEW },
	{ "colormasks", WORD_VIEW },
	{ "colors", WORD_COLOUR },
	{ "colour", WORD_COLOUR },
	{ "coloured", WORD_COLOUR },
	{ "colours", WORD_COLOUR },
	{ "data", WORD_ARRAY_IMAGE },
	{ "depth", WORD_DISTANCE },
	{ "depths", WORD_DISTANCE },
	{ "disparities", WORD_DISTANCE },
	{ "disparity", WORD_DISTANCE },
	{ "feature", WORD_ARRAY_IMAGE },
	{ "features", WORD_ARRAY_IMAGE },
	{ "groundtruth", WORD_LABEL },
	{ "gt", WORD_LABEL },
	{ "gts", WORD_LABEL },
	{ "image", WORD_IMAGE },
	{ "images", WORD_IMAGE },
	{ "img", WORD_IMAGE },
	{ "imgs", WORD_IMAGE },
	{ "input", WORD_IMAGE },
	{ "inputs", WORD_IMAGE },
	{ "instance", WORD_NUMBER },
	{ "instances", WORD_NUMBER },
	{ "jpegimages", WORD_IMAGE },
	{ "label", WORD_LABEL },
	{ "labels", WORD_LABEL },
	{ "mask", WORD_LABEL },
	{ "masks", WORD_LABEL },
	{ "object", WORD_OBJECT },
	{ "overlay", WORD_VIEW },
	{ "overlays", WORD_VIEW },
	{ "panoptic", WORD_NUMBER },
	{ "photo", WORD_IMAGE },
	{ "photos", WORD_IMAGE },
	{ "pic", WORD_IMAGE },
	{ "picture", WORD_IMAGE },
	{ "pictures", WORD_IMAGE },
	{ "pixel", WORD_ARRAY_IMAGE },
	{ "pixels", WORD_ARRAY_IMAGE },
	{ "rgb", WORD_IMAGE | WORD_RGB },
	{ "seg", WORD_LABEL },
	{ "segmap", WORD_LABEL },
	{ "segmentation", WORD_LABEL | WORD_SEGMENTATION },
	{ "segmentations", WORD_LABEL },
	{ "segs", WORD_LABEL },
	{ "semantic", WORD_LABEL },
	{ "target", WORD_LABEL },
	{ "targets", WORD_LABEL },
	{ "truth", WORD_LABEL },
	{ "vis", WORD_VIEW },
	{ "visual", WORD_VIEW },
	{ "visualisation", WORD_VIEW },
	{ "visualisations", WORD_VIEW },
	{ "visualization", WORD_VIEW },
	{ "visualizations", WORD_VIEW },
	{ "x", WORD_ARRAY_IMAGE },
	{ "xs", WORD_ARRAY_IMAGE },
	{ "y", WORD_ARRAY_LABEL },
	{ "ys", WORD_ARRAY_LABEL },
};

/* word: in lower case. */
static unsigned kinds_of_word(const char *word)
{
	size_t lo = 0, hi = ARRAY_SIZE(known_words);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(word, known_words[mid].word);

		if (!order)
			return known_words[mid].kinds;
		if (order > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/*
 * The next word of the n bytes of a name, from *at on, in lower case; longer ones are passed by. Returns its length; 0:
 * there is none.
 */
static size_t next_word(const char *s, size_t n, size_t *at, char word[WORD_MAX])
{
	for (size_t i = *at, end; i < n; i = end) {
		end = i + 1;
		if (!ascii_isalpha(s[i]))
			continue;
		/* JPEGImages stays one word: a capital begins one behind a small letter */
		while (end < n && (ascii_islower(s[end]) || (ascii_isupper(s[end]) && ascii_isupper(s[end - 1]))))
			end++;
		if (end - i >= WORD_MAX)
			continue;
		for (size_t k = i; k < end; k++)
			word[k - i] = ascii_tolower(s[k]);
		word[end - i] = '\0';
		*at = end;
		return end - i;
	}
	return 0;
}

static unsigned kinds_of_words(const char *s, size_t n)
{
	unsigned all = 0, before = 0;
	char word[WORD_MAX];
	size_t len;

	for (size_t at = 0; (len = next_word(s, n, &at, word));) {
		unsigned kinds = kinds_of_word(word);

		if (at != len)
			kinds &= ~(unsigned)WORD_DISTANCE;
		if ((kinds & WORD_COLOUR) && len == n)
			kinds |= WORD_VIEW;
		if ((kinds & WORD_OBJECT) && (before & WORD_SEGMENTATION))
			kinds |= WORD_NUMBER;
		all |= kinds;
		before = kinds;
	}
	return all;
}

static enum part part_of_kinds(unsigned kinds)
{
	return kinds & WORD_LABEL ? PART_LABELS : kinds & WORD_IMAGE ? PART_IMAGES : PART_UNKNOWN;
}

/* Pictures to look at: colours of labels. */
static bool is_view(unsigned kinds)
{
	return kinds & WORD_VIEW || (kinds & WORD_LABEL && kinds & (WORD_COLOUR | WORD_RGB));
}

enum part part_of_folders(const char *path)
{
	enum part part = PART_UNKNOWN;
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		unsigned kinds = kinds_of_words(path, (size_t)(slash - path));
		bool aside = is_view(kinds) || kinds & (WORD_NUMBER | WORD_DISTANCE);
		enum part here = aside ? PART_ASIDE : part_of_kinds(kinds);

		if (here != PART_UNKNOWN)
			part = here;
	}
	return part;
}

enum part part_of_array(const char *name)
{
	const char *last = file_name_of(name);
	unsigned kinds = kinds_of_words(last, strlen(last) - strlen(file_name_extension(last)));

	if (kinds & (WORD_LABEL | WORD_ARRAY_LABEL))
		return PART_LABELS;
	return kinds & (WORD_IMAGE | WORD_ARRAY_IMAGE) ? PART_IMAGES : PART_UNKNOWN;
}

enum part part_of_sample(const char *name)
{
	const char *last = file_name_of(name), *extension = strchr(last, '.');

	if (!extension)
		return PART_UNKNOWN;
	if (!strcasecmp(extension, ".cls"))
		return PART_LABELS;
	return part_of_kinds(kinds_of_words(extension, strlen(extension)));
}

/* Where the last word of a name begins, if a sign stands before it and a stem before that; else 0. */
static size_t last_word(const char *name, size_t *end)
{
	const char *last = file_name_of(name), *dot = strrchr(last, '.');
	size_t at;

	*end = at = dot && dot != last ? (size_t)(dot - name) : strlen(name);
	while (at > (size_t)(last - name) && ascii_isalpha(name[at - 1]))
		at--;
	return at <= (size_t)(last - name) + 1 || at == *end || !strchr("_-.", name[at - 1]) ? 0 : at;
}

size_t part_label_suffix(const char *name, size_t *stem)
{
	size_t end, at = last_word(name, &end);
	unsigned kinds = at ? kinds_of_words(name + at, end - at) : 0;

	if (is_view(kinds) || part_of_kinds(kinds) != PART_LABELS)
		return 0;
	*stem = at - 1;
	return end - at + 1;
}

size_t part_other_suffix(const char *name, size_t *stem)
{
	size_t end, at = last_word(name, &end);
	unsigned kinds = at ? kinds_of_words(name + at, end - at) : 0;

	if (!is_view(kinds) && part_of_kinds(kinds) != PART_IMAGES)
		return 0;
	*stem = at - 1;
	return end - at + 1;
}

enum part part_of_prefix(const char *name)
{
	const char *last = file_name_of(name);

	if (!ascii_isalpha(*last))
		return PART_UNKNOWN;
	size_t n = strlen(last) - strlen(file_name_extension(last)), word = 1;

	while (word < n && ascii_isalpha(last[word]))
		word++;
	if (word >= n)
		return PART_UNKNOWN;
	enum part part = part_of_kinds(kinds_of_words(last, word));

	return part == PART_IMAGES && kinds_of_words(last, n) & WORD_LABEL ? PART_UNKNOWN : part;
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
