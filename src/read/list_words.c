#include "read/list_words.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"

static const char *const label_words[] = {
	"label",        "labels",        "labelid",     "labelids", "labelidx",   "labelindex", "class",
	"classes",      "classid",       "classids",    "classidx", "classindex", "classlabel", "classnumber",
	"categoryid",   "category",      "categoryidx", "target",   "targets",    "targetid",   "gt",
	"groundtruth",  "truelabel",     "finelabel",   "y",        "ytrue",      "labelname",  "classname",
	"categoryname", "diagnosis",     "dx",          "species",  "breed",      "sentiment",  "emotion",
	"intent",       "coarselabel",   "survived",    "outcome",  "income",     "churn",      "quality",
	"tag",          "annotationtag",
};

static const char *const path_words[] = {
	"path",      "filepath", "imagepath", "imgpath", "file",    "filename", "fname",  "imagefile",
	"imagename", "imgname",  "image",     "img",     "imageid", "imgid",    "idcode", "id",
};

/* Sides of a box in the header of a table of boxes. */
static const struct {
	const char *word;
	uint8_t side;
} box_words[] = {
	{ "xmin", BOX_LEFT },
	{ "minx", BOX_LEFT },
	{ "x1", BOX_LEFT },
	{ "x0", BOX_LEFT },
	{ "left", BOX_LEFT },
	{ "roix1", BOX_LEFT },
	{ "bboxx", BOX_LEFT },
	{ "x", BOX_LEFT },
	{ "ymin", BOX_TOP },
	{ "miny", BOX_TOP },
	{ "y1", BOX_TOP },
	{ "y0", BOX_TOP },
	{ "top", BOX_TOP },
	{ "roiy1", BOX_TOP },
	{ "bboxy", BOX_TOP },
	{ "y", BOX_TOP },
	{ "xmax", BOX_RIGHT },
	{ "maxx", BOX_RIGHT },
	{ "x2", BOX_RIGHT },
	{ "right", BOX_RIGHT },
	{ "roix2", BOX_RIGHT },
	{ "ymax", BOX_BOTTOM },
	{ "maxy", BOX_BOTTOM },
	{ "y2", BOX_BOTTOM },
	{ "bottom", BOX_BOTTOM },
	{ "roiy2", BOX_BOTTOM },
	{ "bboxw", BOX_WIDTH },
	{ "bboxwidth", BOX_WIDTH },
	{ "w", BOX_WIDTH },
	{ "bboxh", BOX_HEIGHT },
	{ "bboxheight", BOX_HEIGHT },
	{ "h", BOX_HEIGHT },
	{ "xcenter", BOX_OTHER },
	{ "ycenter", BOX_OTHER },
	{ "bbox", BOX_OTHER },
	{ "box", BOX_OTHER },
};

static const char *const other_words[] = {
	"width",      "height", "size",     "area",   "depth", "age",  "year", "month",     "day",    "date",
	"time",       "frame",  "fold",     "split",  "seed",  "lat",  "lon",  "score",     "prob",   "conf",
	"confidence", "weight", "count",    "index",  "idx",   "row",  "no",   "num",       "number", "timestamp",
	"hour",       "price",  "duration", "length", "epoch", "step", "iter", "iteration",
};

void plain_word(const char *s, size_t n, struct plain_word *out)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len + 1 < sizeof(out->s); i++)
		if (ascii_isalnum(s[i]))
			out->s[len++] = ascii_tolower(s[i]);
	out->s[len] = '\0';
}

static bool is_one_of(const struct plain_word *w, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(w->s, words[i]))
			return true;
	return false;
}

bool word_is_label(const struct plain_word *w)
{
	return is_one_of(w, label_words, ARRAY_SIZE(label_words));
}

bool word_is_path(const struct plain_word *w)
{
	return is_one_of(w, path_words, ARRAY_SIZE(path_words));
}

bool word_is_other_number(const struct plain_word *w)
{
	return word_box_side(w) != SIZE_MAX || is_one_of(w, other_words, ARRAY_SIZE(other_words));
}

size_t word_box_side(const struct plain_word *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(box_words); i++)
		if (!strcmp(w->s, box_words[i].word))
			return box_words[i].side;
	return SIZE_MAX;
}

bool word_is_colour(const struct plain_word *w)
{
	static const char *const words[] = { "r", "g", "b", "red", "green", "blue", "rgb", "hex" };

	return is_one_of(w, words, ARRAY_SIZE(words)) || strstr(w->s, "color") || strstr(w->s, "colour");
}

bool word_is_missing(const char *s, size_t n)
{
	static const char *const words[] = { "nan", "na", "n/a", "null", "none" };

	if (!n)
		return true;
	if (n > 4)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !strncasecmp(s, words[i], n))
			return true;
	return false;
}

bool value_looks_like_path(const char *s, size_t n)
{
	size_t i = n;

	if (memchr(s, '/', n) || memchr(s, '\\', n))
		return true;
	while (i > 0 && s[i - 1] != '.')
		i--;
	if (i < 2 || n - i < 2 || n - i > 5)
		return false;
	for (; i < n; i++)
		if (!ascii_isalnum(s[i]))
			return false;
	return true;
}
