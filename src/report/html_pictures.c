#include "report/html_pictures.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/mem.h"
#include "report/html_page.h"
#include "report/thumbnail.h"

enum { PICTURES_BYTES = 600 << 10 }; /* of their PNG files; in base64 a third more */

/* Returns how many pictures are shown, those that fit in PICTURES_BYTES. */
static size_t count_shown(const struct thumbnails *pictures)
{
	size_t n = 0, bytes = 0;

	while (n < pictures->count && (bytes += pictures->v[n].png_bytes) <= PICTURES_BYTES)
		n++;
	return n;
}

size_t html_picture_of(const struct thumbnails *pictures, const struct kept_finding *f)
{
	size_t shown = pictures ? count_shown(pictures) : 0;

	for (size_t i = 0; i < shown; i++)
		if (pictures->v[i].finding == f)
			return i;
	return HTML_NO_PICTURE;
}

/* Returns the factor, an integer, by which a small mask is enlarged. */
static uint32_t enlarge(const struct thumbnail *t)
{
	uint32_t edge = MAX(t->width, t->height);

	return edge ? MAX(1U, THUMBNAIL_EDGE / edge) : 1;
}

static void add_ids(const struct finding_details *d, struct strbuf *out)
{
	size_t shown = MIN(d->ids_count, (size_t)6);

	for (size_t i = 0; i < shown; i++) {
		strbuf_addf(out, "%s<span class=\"id\">", i ? ", " : id_is_colour(d->ids[i].id) ? "colour " : "id ");
		id_format(d->ids[i].id, out);
		strbuf_adds(out, "</span> (");
		html_count(d->ids[i].labels, "pixel", out);
		strbuf_addch(out, ')');
	}
	if (d->ids_total > shown)
		strbuf_addf(out, ", %" PRIu64 " more ids", d->ids_total - shown);
}

/* Appends the facts of a finding below its picture. */
static void add_facts(const struct thumbnail *t, size_t number, struct strbuf *out)
{
	const struct finding_details *d = t->finding->details;

	if (t->marked) {
		strbuf_adds(out, ", marked: ");
		html_count(t->marked, "pixel", out);
	}
	if (d && d->ids_count) {
		strbuf_adds(out, "<br>");
		add_ids(d, out);
	}
	if (d && d->has_first && d->first_kind == FIRST_XY)
		strbuf_addf(out, "<br>first at x %" PRIu64 ", y %" PRIu64, d->first_x, d->first_y);
	html_addf(out, "<br><a href=\"#finding-%u\">its finding</a>", (unsigned)number);
}

static void add_figure(const struct thumbnail *t, size_t number, struct strbuf *out)
{
	uint32_t factor = enlarge(t);

	html_addf(out,
		  "<figure id=\"picture-%u\"><img width=\"%u\" height=\"%u\" alt=\"%s: %.300s\" "
		  "src=\"data:image/png;base64,",
		  (unsigned)number, t->width * factor, t->height * factor, t->finding->rule->name, t->finding->path);
	escape_base64(out, (const char *)t->png, t->png_bytes);
	strbuf_adds(out, "\">\n<figcaption>");
	html_addf(out, HTML_RULE "<br>", NAME_TWICE(t->finding->rule));
	html_place(t->finding->path, NULL, out);
	strbuf_addf(out, "<br>%" PRIu32 " x %" PRIu32, t->mask_width, t->mask_height);
	add_facts(t, number, out);
	strbuf_adds(out, "</figcaption></figure>\n");
}

void html_add_pictures(const struct report *r, struct strbuf *out)
{
	const struct thumbnails *p = r->pictures;
	size_t shown = p ? count_shown(p) : 0;

	html_section("pictures", "The worst masks", out);
	if (!p)
		strbuf_adds(out, "<p class=\"faint\">The images are made during an audit "
				 "(<code>labelaudit ... -o report.html</code>); this page was made from reports "
				 "alone.</p>\n");
	else if (!p->count)
		strbuf_adds(out, "<p class=\"faint\">No mask could be shown: a PNG of one channel, not in an archive, "
				 "of at most 16 megapixels.</p>\n");
	else
		strbuf_adds(
			out,
			"<p class=\"small faint\">The worst of each rule, in the colours of PASCAL VOC by id, ignored "
			"ids light grey. The pixels that a finding is about are magenta, if they can be "
			"distinguished, with a yellow box around them or around the first of them. A thumbnail "
			"smaller than its mask still shows every such pixel.</p>\n");
	if (shown)
		strbuf_adds(out, "<div class=\"gallery\">\n");
	for (size_t i = 0; i < shown; i++)
		add_figure(&p->v[i], i, out);
	strbuf_adds(out, shown ? "</div>\n</section>\n" : "</section>\n");
}
