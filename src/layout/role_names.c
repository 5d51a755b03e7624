#include "layout/role_names.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"

/* Longer words have no meaning here. */
enum { WORD_MAX = 24 };

/* The meanings of a word, as bits; those of a name are the bits of all its words. */
enum {
	WORD_IMAGE = 1 << 0,
	WORD_LABEL = 1 << 1,
	/* Colour renderings of labels, and numbers that are not labels, regardless of other words. */
	WORD_RENDERING = 1 << 2,
	WORD_NUMBER = 1 << 3,
	/* Only as the first word: depth, depth_png; not bit-depth. */
	WORD_DISTANCE = 1 << 4,
	/* A rendering only with a word for labels, or alone: label_colors, color/. */
	WORD_COLOUR = 1 << 5,
	WORD_RGB = 1 << 6, /* a rendering only with a word for labels */
	/* Pascal VOC's SegmentationObject holds instance numbers; any other object is what a mask shows. */
	WORD_SEGMENTATION = 1 << 7,
	WORD_OBJECT = 1 << 8,
	/* Only for NumPy arrays. */
	WORD_ARRAY_IMAGE = 1 << 9,
	WORD_ARRAY_LABEL = 1 << 10,
	WORD_POINTS = 1 << 11, /* only as the last word of a file's name: one pixel for each object */
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
	{ "centers", WORD_POINTS },
	{ "centres", WORD_POINTS },
	{ "centroids", WORD_POINTS },
	{ "class", WORD_ARRAY_LABEL },
	{ "classes", WORD_ARRAY_LABEL },
	{ "color", WORD_COLOUR },
	{ "colored", WORD_COLOUR },
	{ "colormap", WORD_RENDERING },
	{ "colormaps", WORD_RENDERING },
	{ "colormask", WORD_RENDERING },
	{ "colormasks", WORD_RENDERING },
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
	{ "manual", WORD_LABEL },
	{ "mask", WORD_LABEL },
	{ "masks", WORD_LABEL },
	{ "object", WORD_OBJECT },
	{ "overlay", WORD_RENDERING },
	{ "overlays", WORD_RENDERING },
	{ "panoptic", WORD_NUMBER },
	{ "photo", WORD_IMAGE },
	{ "photos", WORD_IMAGE },
	{ "pic", WORD_IMAGE },
	{ "picture", WORD_IMAGE },
	{ "pictures", WORD_IMAGE },
	{ "pixel", WORD_ARRAY_IMAGE },
	{ "pixels", WORD_ARRAY_IMAGE },
	{ "preview", WORD_RENDERING },
	{ "previews", WORD_RENDERING },
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
	{ "vis", WORD_RENDERING },
	{ "visibility", WORD_NUMBER },
	{ "visual", WORD_RENDERING },
	{ "visualisation", WORD_RENDERING },
	{ "visualisations", WORD_RENDERING },
	{ "visualization", WORD_RENDERING },
	{ "visualizations", WORD_RENDERING },
	{ "viz", WORD_RENDERING },
	{ "x", WORD_ARRAY_IMAGE },
	{ "xs", WORD_ARRAY_IMAGE },
	{ "y", WORD_ARRAY_LABEL },
	{ "ys", WORD_ARRAY_LABEL },
};

/* Returns the WORD_* bits of a word in lower case. */
static unsigned look_up_word(const char *word)
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

/* Copies the next word of s[*at..n) in lower case and moves *at to its end. Returns its length, 0 at the end. */
static size_t next_word(const char *s, size_t n, size_t *at, char word[WORD_MAX])
{
	for (size_t i = *at, end; i < n; i = end) {
		end = i + 1;
		if (!ascii_isalpha(s[i]))
			continue;
		/* a capital begins a word only after a small letter: JPEGImages is one word */
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

static unsigned word_kinds(const char *s, size_t n)
{
	unsigned all = 0, before = 0;
	char word[WORD_MAX];
	size_t len;

	for (size_t at = 0; (len = next_word(s, n, &at, word));) {
		unsigned kinds = look_up_word(word);

		if (at != len)
			kinds &= ~(unsigned)WORD_DISTANCE;
		if ((kinds & WORD_COLOUR) && len == n)
			kinds |= WORD_RENDERING;
		if ((kinds & WORD_OBJECT) && (before & WORD_SEGMENTATION))
			kinds |= WORD_NUMBER;
		all |= kinds;
		before = kinds;
	}
	return all;
}

static enum role role_of_words(unsigned kinds)
{
	return kinds & WORD_LABEL ? ROLE_LABELS : kinds & WORD_IMAGE ? ROLE_IMAGES : ROLE_UNKNOWN;
}

/* Returns whether the words name a colour rendering of labels. */
static bool is_rendering(unsigned kinds)
{
	return kinds & WORD_RENDERING || (kinds & WORD_LABEL && kinds & (WORD_COLOUR | WORD_RGB));
}

/* Returns the length of a folder's name before "with": frames-with-annotations/ are frames, images_with_masks/ both. */
static size_t length_before_with(const char *name, size_t n)
{
	for (size_t i = 1; i + 6 < n; i++)
		if (strchr("-_ ", name[i]) && strchr("-_ ", name[i + 5]) && !strncasecmp(name + i + 1, "with", 4))
			return i;
	return n;
}

static enum role role_of_folder_name(const char *name, size_t n)
{
	const size_t before = length_before_with(name, n);
	unsigned kinds = word_kinds(name, before);
	bool aside = is_rendering(kinds) || kinds & (WORD_NUMBER | WORD_DISTANCE);
	enum role role = aside ? ROLE_ASIDE : role_of_words(kinds);

	return before < n && role == ROLE_IMAGES ? ROLE_UNKNOWN : role;
}

enum role role_of_folders(const char *path)
{
	enum role role = ROLE_UNKNOWN;
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1) {
		enum role here = role_of_folder_name(path, (size_t)(slash - path));

		if (here != ROLE_UNKNOWN)
			role = here;
	}
	return role;
}

enum role role_of_folder(const char *path)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start && start > path && start[-1] != '/')
		start--;
	return end ? role_of_folder_name(start, (size_t)(end - start)) : ROLE_UNKNOWN;
}

enum role role_of_array(const char *name)
{
	const char *last = file_name_of(name);
	unsigned kinds = word_kinds(last, strlen(last) - strlen(file_name_extension(last)));

	if (kinds & (WORD_LABEL | WORD_ARRAY_LABEL))
		return ROLE_LABELS;
	return kinds & (WORD_IMAGE | WORD_ARRAY_IMAGE) ? ROLE_IMAGES : ROLE_UNKNOWN;
}

enum role role_of_sample(const char *name)
{
	const char *last = file_name_of(name), *extension = strchr(last, '.');

	if (!extension)
		return ROLE_UNKNOWN;
	if (!strcasecmp(extension, ".cls"))
		return ROLE_LABELS;
	return role_of_words(word_kinds(extension, strlen(extension)));
}

/* Returns where the last word of a name begins if a stem and one of "_-." come before it, else 0. *end is its end. */
static size_t last_word(const char *name, size_t *end)
{
	const char *last = file_name_of(name), *dot = strrchr(last, '.');
	size_t at;

	*end = at = dot && dot != last ? (size_t)(dot - name) : strlen(name);
	while (at > (size_t)(last - name) && ascii_isalpha(name[at - 1]))
		at--;
	return at <= (size_t)(last - name) + 1 || at == *end || !strchr("_-.", name[at - 1]) ? 0 : at;
}

/*
 * Returns the length of a name's last word and its sign, if the word is one for `role`; 0 if not. Renderings and depth
 * count as images here, never as labels.
 */
static size_t find_suffix(const char *name, size_t *stem, enum role role)
{
	size_t end, at = last_word(name, &end);
	unsigned kinds = at ? word_kinds(name + at, end - at) : 0;
	bool fits = role_of_words(kinds) == role, aside = is_rendering(kinds) || kinds & WORD_DISTANCE;

	if (role == ROLE_LABELS ? !fits || aside : !fits && !aside)
		return 0;
	*stem = at - 1;
	return end - at + 1;
}

enum role role_of_whole_name(const char *name)
{
	const char *last = file_name_of(name);
	size_t n = strlen(last) - strlen(file_name_extension(last)), letters = 0;

	while (letters < n && ascii_isalpha(last[letters]))
		letters++;
	return n && letters == n ? role_of_words(word_kinds(last, n)) : ROLE_UNKNOWN;
}

size_t role_label_suffix(const char *name, size_t *stem)
{
	return find_suffix(name, stem, ROLE_LABELS);
}

size_t role_other_suffix(const char *name, size_t *stem)
{
	return find_suffix(name, stem, ROLE_IMAGES);
}

size_t role_image_stem(const char *name)
{
	const size_t end = strlen(name) - strlen(file_name_extension(name));
	size_t at = end;

	while (at && name[at - 1] != '_' && name[at - 1] != '-')
		at--;
	return at > 1 && role_of_words(word_kinds(name + at, end - at)) == ROLE_IMAGES ? at - 1 : 0;
}

bool role_is_clutter(const char *path)
{
	static const char *const names[] = { "assets",  "asset",       "doc",         "docs",    "demo",    "fig",
					     "figs",    "figure",      "figures",     "plot",    "plots",   "result",
					     "results", "run",         "runs",        "log",     "logs",    "media",
					     "misc",    "paper",       "readme",      "res",     "static",  "tmp",
					     "wandb",   "screenshots", "resources",   "report",  "reports", "output",
					     "outputs", "notebooks",   "notebook",    "configs", "config",  "scripts",
					     "utils",   "tools",       "checkpoints", "weights", NULL };

	for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
		for (const char *const *name = names; *name; name++)
			if (strlen(*name) == (size_t)(slash - path) && !strncasecmp(path, *name, strlen(*name)))
				return true;
	return false;
}

/* Returns whether a folder of a path has a word of such kinds in its name. */
static bool has_folder_of(const char *path, unsigned kinds)
{
	for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
		if (word_kinds(path, (size_t)(slash - path)) & kinds)
			return true;
	return false;
}

bool role_is_coloured(const char *path)
{
	return has_folder_of(path, WORD_RENDERING | WORD_COLOUR | WORD_RGB);
}

bool role_is_number(const char *path)
{
	return has_folder_of(path, WORD_NUMBER);
}

bool role_is_distance(const char *path)
{
	return has_folder_of(path, WORD_DISTANCE);
}

bool role_is_aside(const char *name, size_t *stem)
{
	size_t end, at = last_word(name, &end);
	unsigned kinds = at ? word_kinds(name + at, end - at) : 0;

	*stem = at ? at - 1 : 0;
	return is_rendering(kinds) || kinds & (WORD_DISTANCE | WORD_POINTS);
}

size_t role_coloured_suffix(const char *name, size_t *stem)
{
	size_t suffix = role_label_suffix(name, stem), at = *stem;
	const char *last = file_name_of(name);

	while (suffix && at > (size_t)(last - name) && ascii_isalpha(name[at - 1]))
		at--;
	if (!suffix || at <= (size_t)(last - name) + 1 || at == *stem || !strchr("_-.", name[at - 1]) ||
	    !(word_kinds(name + at, *stem - at) & (WORD_COLOUR | WORD_RGB)))
		return 0;
	*stem = at - 1;
	return suffix;
}

bool role_mentions_rendering(const char *name)
{
	const char *last = file_name_of(name);

	return word_kinds(last, strlen(last) - strlen(file_name_extension(last))) &
	       (WORD_RENDERING | WORD_COLOUR | WORD_RGB);
}

enum role role_of_prefix(const char *name)
{
	const char *last = file_name_of(name);

	if (!ascii_isalpha(*last))
		return ROLE_UNKNOWN;
	size_t n = strlen(last) - strlen(file_name_extension(last)), word = 1;

	while (word < n && ascii_isalpha(last[word]))
		word++;
	if (word >= n)
		return ROLE_UNKNOWN;
	enum role role = role_of_words(word_kinds(last, word));

	return role == ROLE_IMAGES && word_kinds(last, n) & WORD_LABEL ? ROLE_UNKNOWN : role;
}

size_t role_folder_suffix(const char *path, const char **suffix)
{
	static const char annot[] = "annot"; /* SegNet's CamVid has no sign before it */
	const char *end = strrchr(path, '/'), *start = end;
	char folder[2 * WORD_MAX] = "";
	size_t stem, n;

	while (start && start > path && start[-1] != '/')
		start--;
	if (!end || (size_t)(end - start) >= sizeof(folder))
		return 0;
	memcpy(folder, start, (size_t)(end - start));
	folder[end - start] = '\0';
	n = file_name_ends_in(folder, annot) ? sizeof(annot) - 1 : role_label_suffix(folder, &stem);
	*suffix = end - n;
	return n;
}
