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

/* Returns the labels of a finding, by which findings of one rule are ranked. */
static uint64_t severity(const struct kept_finding *f)
{
	const struct finding_details *d = f->details;
	uint64_t sum = 0;

	for (size_t i = 0; d && i < d->ids_count; i++)
		if (!size_add(sum, d->ids[i].labels, &sum))
			return UINT64_MAX;
	return d ? MAX(sum, d->pixels) : 0;
}

/* Returns whether its file may be a mask that was read whole. */
static bool may_show(const struct kept_finding *f)
{
	return f->path && !f->member && f->rule->facts_needed & (FACTS_IDS | FACTS_NEIGHBOURS | FACTS_MASK | FACTS_PNG);
}

/* Chooses the worst findings of a rule, in order; among equals those that are first in the report. Returns how many. */
static size_t choose(const struct selection *l, const struct rule *rule, size_t max, const struct kept_finding **chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct kept_finding *f = l->v[i].finding;
		size_t at = count;

		if (f->rule != rule || !may_show(f))
			continue;
		while (at && severity(chosen[at - 1]) < severity(f))
			at--;
		if (at == max)
			continue;
		count = MIN(count + 1, max);
		memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof(*chosen));
		chosen[at] = f;
	}
	return count;
}

/* The meaning of an id of a mask to a finding: its index among the finding's ids, or one of these. */
enum { ID_OTHER = FINDING_IDS_MAX, ID_UNLISTED, PNG_IDS = 65536 };

struct drawing {
	const struct finding_details *details; /* may be NULL */
	struct thumbnail_png plain, marked;    /* both are drawn, and finish() chooses one */
	uint64_t found[FINDING_IDS_MAX];       /* labels of each of the finding's ids */
	uint16_t meaning[PNG_IDS];
	bool ignored[PNG_IDS];
	uint16_t *row; /* ids */
};

/* Finds the finding's ids. If it lists only some of them, all invalid, all invalid ids are meant. */
static void find_meanings(struct drawing *drawing, const struct settings *settings)
{
	const struct finding_details *d = drawing->details;
	bool all_invalid = d && d->ids_total > d->ids_count;

	for (size_t i = 0; d && i < d->ids_count; i++)
		all_invalid = all_invalid && settings_role(settings, d->ids[i].id) == ID_INVALID;
	for (int64_t id = 0; id < PNG_IDS; id++) {
		enum id_role role = settings_role(settings, id);

		drawing->ignored[id] = role == ID_IGNORED;
		drawing->meaning[id] = all_invalid && role == ID_INVALID ? ID_UNLISTED : ID_OTHER;
	}
	for (size_t i = 0; d && i < d->ids_count; i++)
		if (d->ids[i].id >= 0 && d->ids[i].id < PNG_IDS)
			drawing->meaning[d->ids[i].id] = (uint16_t)i;
}

static void draw_row(struct drawing *drawing, uint32_t y)
{
	const uint32_t width = drawing->plain.mask_width, scale = drawing->plain.scale;

	for (uint32_t x = 0; y % scale == 0 && x < width; x += scale) {
		uint16_t id = drawing->row[x];
		bool ignored = drawing->ignored[id];

		thumbnail_png_pixel(&drawing->plain, x, y, id, ignored);
		thumbnail_png_pixel(&drawing->marked, x, y, id, ignored);
	}
	for (uint32_t x = 0; x < width; x++) {
		uint16_t meaning = drawing->meaning[drawing->row[x]];

		if (meaning == ID_OTHER)
			continue;
		if (meaning < FINDING_IDS_MAX)
			drawing->found[meaning]++;
		thumbnail_png_mark(&drawing->marked, x, y);
	}
}

static bool draw_rows(struct drawing *drawing, struct png_decoder *decoder, const struct view_map *map)
{
	const uint32_t width = drawing->plain.mask_width;
	const uint8_t *narrow = (const uint8_t *)drawing->row;

	for (uint32_t y = 0; y < drawing->plain.mask_height; y++) {
		const void *samples = png_decoder_row(decoder);

		if (!samples)
			return false;
		view_map_row(map, samples, width, drawing->row);
		/* Widen from the back, so that no byte is overwritten before it is read. */
		for (uint32_t x = width; !map->wide && x--;)
			drawing->row[x] = narrow[x];
		draw_row(drawing, y);
	}
	return png_decoder_finish(decoder);
}

/*
 * Returns false if there are fewer pixels than the finding says, because the file has changed. *exact: the finding
 * means all pixels with its ids, not some of them, such as interpolated ones.
 */
static bool compare_counts(const struct drawing *drawing, bool *exact)
{
	const struct finding_details *d = drawing->details;

	*exact = d && d->ids_count;
	for (size_t i = 0; d && i < d->ids_count; i++) {
		if (drawing->found[i] < d->ids[i].labels)
			return false;
		*exact = *exact && drawing->found[i] == d->ids[i].labels;
	}
	return true;
}

static bool finish(struct drawing *drawing, struct thumbnail *t)
{
	const struct finding_details *d = drawing->details;
	uint64_t pixels = (uint64_t)drawing->plain.mask_width * drawing->plain.mask_height;
	bool exact;

	if (!compare_counts(drawing, &exact))
		return false;
	/* A thumbnail with all pixels marked would show nothing. */
	if (exact && drawing->marked.marked && drawing->marked.marked < pixels) {
		thumbnail_png_end(&drawing->marked, t);
		return true;
	}
	if (d && d->has_bbox)
		thumbnail_png_box(&drawing->plain, d->bbox);
	else if (d && d->has_first && d->first_kind == FIRST_XY)
		thumbnail_png_box(&drawing->plain, (const uint64_t[]){ d->first_x, d->first_y, 1, 1 });
	thumbnail_png_end(&drawing->plain, t);
	return true;
}

static bool draw(struct thumbnail *t, const struct settings *settings, const struct png_header *png,
		 struct png_decoder *decoder)
{
	struct drawing *drawing = xcalloc(1, sizeof(*drawing));
	struct view_map map;
	bool drawn = false;

	drawing->details = t->finding->details;
	view_map_init(&map, png, settings->view);
	drawing->row = map.has_ids ? mem_try(png->width, sizeof(*drawing->row)) : NULL;
	if (drawing->row) {
		find_meanings(drawing, settings);
		thumbnail_png_begin(&drawing->plain, png->width, png->height);
		thumbnail_png_begin(&drawing->marked, png->width, png->height);
		drawn = draw_rows(drawing, decoder, &map) && finish(drawing, t);
	}
	free(drawing->row);
	free(drawing);
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

/* Returns the thumbnails per rule: few if many rules fired, so that all get some. */
static size_t share(const struct selection *l)
{
	size_t rules = 0;

	for (size_t rule = 0; rule < rule_count; rule++)
		for (size_t i = 0; i < l->count; i++)
			if (l->v[i].finding->rule == rule_table[rule] && may_show(l->v[i].finding)) {
				rules++;
				break;
			}
	return rules ? MIN(MAX(GALLERY_MAX / rules, (size_t)1), (size_t)GALLERY_RULE_MAX) : 0;
}

void gallery_make(struct thumbnails *thumbnails, const struct report *r)
{
	const struct kept_finding *chosen[GALLERY_RULE_MAX + 1];
	size_t rules, *order = selection_rules(r->findings, &rules), each, tried = 0;
	struct input input;
	struct selection l;

	memset(thumbnails, 0, sizeof(*thumbnails));
	thumbnails->v = xcalloc(GALLERY_MAX, sizeof(*thumbnails->v));
	input_init(&input);
	selection_init(&l, r->findings, 0, 0, 0);
	each = share(&l);
	for (size_t i = 0; i < rules; i++) {
		size_t count = choose(&l, rule_table[order[i]], each, chosen);

		for (size_t j = 0; j < count && tried < GALLERY_MAX && !stop_signal(); j++) {
			struct thumbnail *t = &thumbnails->v[thumbnails->count];

			tried++;
			t->finding = chosen[j];
			thumbnails->count += make(t, r, &input);
		}
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
