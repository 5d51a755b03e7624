#include "read/list_words.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"

/* Words in their plain form, with blanks between them. */
static const char label_words[] =
	"label labels labelid labelids labelidx labelindex class classes classid classids classidx classindex"
	" classlabel classnumber categoryid category categories categoryidx target targets targetid gt groundtruth"
	" truelabel finelabel y ytrue labelname classname categoryname diagnosis dx species breed sentiment"
	" nertags postags chunktags emotion intent coarselabel survived outcome income churn quality tag "
	"annotationtag";

/* Ids that index a table of embeddings. */
static const char token_words[] = "inputids tokenids tokens words ids decoderinputids";

static const char path_words[] =
	"path filepath imagepath imgpath file filename fname imagefile imagename imgname image img imageid"
	" imgid idcode id";

/* Names of numbers that are no labels, but for those of boxes. */
static const char other_words[] =
	"size area depth age year month day date time frame fold split seed lat lon score prob"
	" conf confidence weight count index idx row no num number timestamp hour price duration length epoch"
	" step iter iteration attentionmask tokentypeids specialtokensmask positionids lossmask wordids length len"
	" numtokens seqlen docid";

/* Sides of a box in the header of a table of boxes. */
static const char *const box_words[] = {
	[BOX_LEFT] = "xmin minx x1 x0 left roix1 bboxx x",
	[BOX_TOP] = "ymin miny y1 y0 top roiy1 bboxy y",
	[BOX_RIGHT] = "xmax maxx x2 right roix2",
	[BOX_BOTTOM] = "ymax maxy y2 bottom roiy2",
	[BOX_WIDTH] = "bboxw bboxwidth w",
	[BOX_HEIGHT] = "bboxh bboxheight h",
	[BOX_OTHER] = "xcenter ycenter bbox box bboxes boundingbox",
};

void plain_word(const char *s, size_t n, struct plain_word *out)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len + 1 < sizeof(out->s); i++)
		if (ascii_isalnum(s[i]))
			out->s[len++] = ascii_tolower(s[i]);
	out->s[len] = '\0';
}

static bool is_among(const struct plain_word *w, const char *words)
{
	const size_t n = strlen(w->s);

	for (const char *p = words; n && (p = strstr(p, w->s)); p += n)
		if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

bool word_is_label(const struct plain_word *w)
{
	return is_among(w, label_words);
}

bool word_is_tokens(const struct plain_word *w)
{
	return is_among(w, token_words);
}

bool word_is_path(const struct plain_word *w)
{
	return is_among(w, path_words);
}

bool word_is_other_number(const struct plain_word *w)
{
	return word_box_side(w) != SIZE_MAX || word_image_side(w) != SIZE_MAX || is_among(w, other_words);
}

size_t word_box_side(const struct plain_word *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(box_words); i++)
		if (is_among(w, box_words[i]))
			return i;
	return SIZE_MAX;
}

size_t word_image_side(const struct plain_word *w)
{
	return is_among(w, "width imagewidth imgwidth imwidth imagew imgw")       ? 0
	       : is_among(w, "height imageheight imgheight imheight imageh imgh") ? 1
										  : SIZE_MAX;
}

bool word_is_colour(const struct plain_word *w)
{
	return is_among(w, "r g b red green blue rgb hex") || strstr(w->s, "color") || strstr(w->s, "colour");
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
