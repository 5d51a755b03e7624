#include "output/gallery.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "judge/role.h"
#include "output/thumbnail_png.h"
#include "png/decode.h"
#include "png/view.h"
#include "report/selection.h"

/* Returns the labels that a finding is about: those with ids out of range, if it names any. They rank findings. */
static uint64_t severity(const struct settings *settings, const struct kept_finding *f)
{
	const struct finding_details *d = f->details;
	uint64_t sum[2] = { 0, 0 }; /* of ids out of range, and of all others */

	for (size_t i = 0; d && i < d->ids_count; i++) {
		uint64_t *of = &sum[settings_role(settings, d->ids[i].id) != ID_INVALID];

		*of = size_add_saturating(*of, d->ids[i].labels);
	}
	return sum[0] ? sum[0] : d ? MAX(sum[1], d->pixels) : 0;
}

/* Returns whether its file may be a mask that was read whole. */
static bool may_show(const struct kept_finding *f)
{
	return f->path && !f->member && f->rule->facts_needed & (FACTS_IDS | FACTS_NEIGHBOURS | FACTS_MASK | FACTS_PNG);
}

/* Chooses the worst findings of a cause, one a file, in order; among equals those first in the report. Returns how
 * many. */
static size_t choose(const struct report *r, const struct selection *l, const struct rule *cause, size_t max,
		     const struct kept_finding **chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct kept_finding *f = l->v[i].finding;
		size_t at = count, same = 0;

		if (finding_cause(f) != cause || !may_show(f))
			continue;
		const uint64_t labels = severity(r->settings, f);

		while (same < count && strcmp(chosen[same]->path, f->path) != 0)
			same++;
		if (same < count && severity(r->settings, chosen[same]) >= labels)
			continue;
		if (same < count) { /* the worse one takes its place */
			memmove(&chosen[same], &chosen[same + 1], (count - same - 1) * sizeof(*chosen));
			at = --count;
		}
		while (at && severity(r->settings, chosen[at - 1]) < labels)
			at--;
		if (at == max)
			continue;
		count = MIN(count + 1, max);
		memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof(*chosen));
		chosen[at] = f;
	}
	return count;
}

/* Draws the rows of a mask, and a box around what the finding names of it. */
static bool draw(struct thumbnail *t, const struct settings *settings, const struct png_header *png,
		 struct png_decoder *decoder)
{
	const struct finding_details *d = t->finding->details;
	FREED struct thumbnail_png *drawing = xmalloc(sizeof(*drawing));
	struct view_map map;
	uint16_t *row;

	view_map_init(&map, png, settings->view);
	row = map.has_ids ? mem_try(png->width, sizeof(*row)) : NULL;
	bool drawn = row != NULL;
	enum id_role role = settings_role(settings, 0);
	uint16_t last = 0;

	thumbnail_png_begin(drawing, png->width, png->height);
	for (uint32_t y = 0; drawn && y < png->height; y++) {
		const void *samples = png_decoder_row(decoder);

		drawn = samples != NULL;
		if (drawn)
			view_map_row(&map, samples, png->width, row);
		for (uint32_t x = 0; drawn && x < png->width; x++) {
			const uint16_t id = map.wide ? row[x] : ((const uint8_t *)row)[x];

			if (id != last)
				role = settings_role(settings, id);
			last = id;
			thumbnail_png_pixel(drawing, x, y, id, role);
		}
	}
	drawn = drawn && png_decoder_finish(decoder) && !thumbnail_png_is_flat(drawing);
	if (d && d->has_bbox)
		thumbnail_png_box(drawing, d->bbox);
	else if (d && d->has_first && d->first_kind == FIRST_XY)
		thumbnail_png_box(drawing, (const uint64_t[]){ d->first_x, d->first_y, 1, 1 });
	if (drawn)
		thumbnail_png_end(drawing, t);
	free(row);
	return drawn;
}

/* Returns false if the finding's file has no thumbnail. */
static bool make(struct thumbnail *t, const struct report *r, struct input *input)
{
	struct sample sample = { .path = t->finding->path };
	struct fault fault;
	struct png_decoder *decoder;
	bool drawn = false;

	fault_clear(&sample.fault);
	fault_clear(&sample.warning);
	fault_clear(&fault);
	if (!input_open(input, AT_FDCWD, sample.path, &fault))
		return false;
	struct limits limits = r->settings->limits;

	if (!limits.max_pixels || limits.max_pixels > GALLERY_PIXELS_MAX)
		limits.max_pixels = GALLERY_PIXELS_MAX;
	if (png_decoder_open(&decoder, input, &limits, &sample)) {
		drawn = draw(t, r->settings, &sample.png, decoder);
		png_decoder_close(decoder);
	}
	input_reset(input);
	return drawn;
}

bool gallery_wanted(const struct options *options)
{
	return options_write(options, reporter_html.name);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* The largest share first. */
static int compare_shares(const void *pa, const void *pb)
{
	const struct thumbnail *a = pa, *b = pb;

	return a->share != b->share ? (a->share > b->share ? -1 : 1) : kept_finding_compare(a->finding, b->finding);
}

void gallery_make(struct thumbnails *thumbnails, const struct report *r)
{
	const struct kept_finding *chosen[GALLERY_TRIES + 1];
	size_t rules, *order = selection_rules(r->findings, &rules), tried = 0;
	const struct diagnosis *d = report_diagnosis(r);
	struct input input;
	struct selection l;

	memset(thumbnails, 0, sizeof(*thumbnails));
	thumbnails->v = xcalloc(GALLERY_MAX, sizeof(*thumbnails->v));
	input_init(&input);
	selection_init(&l, r->findings, 0, 0, 0);
	for (size_t i = 0; i < (d->count ? d->count : rules); i++) {
		const struct rule *cause = d->count ? d->v[i].rule : rule_table[order[i]];
		const size_t count = choose(r, &l, cause, GALLERY_TRIES, chosen), first = thumbnails->count;

		for (size_t j = 0;
		     j < count && thumbnails->count < MIN(first + GALLERY_CAUSE_MAX, (size_t)GALLERY_MAX) &&
		     tried < GALLERY_TRIES_MAX && !stop_signal();
		     j++, tried++) {
			struct thumbnail *t = &thumbnails->v[thumbnails->count];

			t->finding = chosen[j];
			if (!make(t, r, &input))
				continue;
			t->share = (double)severity(r->settings, t->finding) / ((double)t->mask_width * t->mask_height);
			thumbnails->count++;
		}
		qsort(thumbnails->v + first, thumbnails->count - first, sizeof(*thumbnails->v), compare_shares);
	}
	selection_release(&l);
	input_release(&input);
	free(order);
}

void gallery_release(struct thumbnails *thumbnails)
{
	for (size_t i = 0; i < thumbnails->count; i++)
		free(thumbnails->v[i].png);
	free(thumbnails->v);
	memset(thumbnails, 0, sizeof(*thumbnails));
}
