#include "judge/wording.h"

#include <inttypes.h>

#include "base/mem.h"
#include "judge/role.h"

/* Ranges that a sentence can carry. */
enum { RANGES_MAX = 12 };

void word_count(struct text *t, uint64_t n, const char *one, const char *many)
{
	text_addf(t, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

void word_labels(struct text *t, uint64_t n, const struct sample *sample)
{
	text_addf(t, "%" PRIu64 " %s", n, sample_unit(sample, n));
}

void word_percent(struct text *t, uint64_t part, uint64_t whole)
{
	if (!whole)
		return;
	while (part > UINT64_MAX / 2001) { /* beyond 2^53 labels a shift loses nothing that one decimal shows */
		part >>= 1;
		whole >>= 1;
	}
	uint64_t tenths = (2000 * part + whole) / (2 * whole);

	if (part && !tenths)
		text_addf(t, " (under 0.1 %%)");
	else
		text_addf(t, " (%" PRIu64 ".%" PRIu64 " %%)", tenths / 10, tenths % 10);
}

/* ---- ids as ranges ---------------------------------------------------------------------------------------------- */

/* Takes ids in rising order and writes them as ranges; what is over RANGES_MAX is counted. */
struct range_writer {
	struct text *text;
	unsigned ranges;
	bool open;
	int64_t first, last;
	uint64_t unwritten;
};

static void range_writer_close(struct range_writer *w)
{
	if (!w->open)
		return;
	w->open = false;
	if (w->ranges == RANGES_MAX) {
		w->unwritten += (uint64_t)w->last - (uint64_t)w->first + 1;
		return;
	}
	text_addf(w->text, "%s%" PRId64, w->ranges ? ", " : "", w->first);
	if (w->first < 0 && w->last != w->first)
		text_addf(w->text, " to %" PRId64, w->last); /* -3-2 would be a riddle */
	else if (w->last != w->first)
		text_addf(w->text, "-%" PRId64, w->last);
	w->ranges++;
}

static void range_writer_add(struct range_writer *w, int64_t first, int64_t last)
{
	if (w->open && w->last < INT64_MAX && first <= w->last + 1) {
		w->last = MAX(w->last, last);
		return;
	}
	range_writer_close(w);
	w->open = true;
	w->first = first;
	w->last = last;
}

static void range_writer_end(struct range_writer *w, uint64_t more)
{
	range_writer_close(w);
	if (w->unwritten + more)
		text_addf(w->text, " and %" PRIu64 " more", w->unwritten + more);
}

void word_finding_ids(struct text *t, const struct finding *f)
{
	const struct finding_details *d = &f->details;
	struct range_writer w = { .text = t };

	text_addf(t, d->ids_total == 1 ? "id " : "ids ");
	for (size_t i = 0; i < d->ids_count; i++)
		range_writer_add(&w, d->ids[i].id, d->ids[i].id);
	range_writer_end(&w, d->ids_total - d->ids_count);
}

void word_ids(struct text *t, const int64_t *ids, size_t n)
{
	struct range_writer w = { .text = t };

	for (size_t i = 0; i < n; i++)
		range_writer_add(&w, ids[i], ids[i]);
	range_writer_end(&w, 0);
}

static void word_ranges(struct text *t, const struct id_ranges *r)
{
	struct range_writer w = { .text = t };

	for (size_t i = 0; i < r->count; i++)
		range_writer_add(&w, r->v[i].first, r->v[i].last);
	range_writer_end(&w, 0);
}

/* The file ids that train one of r. 0 and 255 never do, see judge/role.h. */
static void word_reduced_classes(struct text *t, const struct id_ranges *r)
{
	struct range_writer w = { .text = t };

	for (size_t i = 0; i < r->count; i++) {
		int64_t first = r->v[i].first + (r->v[i].first >= 0);
		int64_t last = r->v[i].last + (r->v[i].last >= 0);

		if (first < 0 && last >= 0) { /* 0 itself is ignored */
			range_writer_add(&w, first, -1);
			first = 1; /* and so is last at least */
		}
		if (first <= REDUCED_ZERO && last >= REDUCED_ZERO) {
			if (first < REDUCED_ZERO)
				range_writer_add(&w, first, REDUCED_ZERO - 1);
			first = REDUCED_ZERO + 1;
			if (last < first)
				continue;
		}
		range_writer_add(&w, first, last);
	}
	range_writer_end(&w, 0);
}

/* The file ids that are ignored: 0 and 255, and what --ignore adds. That 255 in it means 256 as well is left unsaid. */
static void word_reduced_ignored(struct text *t, const struct id_ranges *r)
{
	static const int64_t always[] = { 0, REDUCED_ZERO };
	struct range_writer w = { .text = t };
	size_t next = 0;

	for (size_t i = 0; i < r->count; i++) {
		int64_t first = r->v[i].first + (r->v[i].first >= 0);

		if (r->v[i].first == REDUCED_ZERO && r->v[i].last == REDUCED_ZERO)
			continue;
		while (next < ARRAY_SIZE(always) && always[next] <= first) {
			range_writer_add(&w, always[next], always[next]);
			next++;
		}
		range_writer_add(&w, first, r->v[i].last + (r->v[i].last >= 0));
	}
	for (; next < ARRAY_SIZE(always); next++)
		range_writer_add(&w, always[next], always[next]);
	range_writer_end(&w, 0);
}

void word_valid_ids(struct text *t, const struct settings *settings)
{
	const struct class_set *s = &settings->classes;

	if (!s->classes.count) {
		text_addf(t, "no id is valid");
	} else {
		text_addf(t, "valid ids are ");
		if (settings->reduce_zero_label)
			word_reduced_classes(t, &s->classes);
		else
			word_ranges(t, &s->classes);
	}
	if (settings->reduce_zero_label) {
		text_addf(t, ", ignored ");
		word_reduced_ignored(t, &s->ignored);
		text_addf(t, " (--reduce-zero-label)");
		return;
	}
	if (s->ignored.count) {
		text_addf(t, ", ignored ");
		word_ranges(t, &s->ignored);
	}
}

/* ---- contents --------------------------------------------------------------------------------------------------- */

void word_at_least(struct text *t, const struct content_table *contents)
{
	if (content_table_share(contents) > 1)
		text_addf(t, "at least ");
}

void word_compared(struct text *t, const struct content_table *contents)
{
	uint64_t share = content_table_share(contents);

	if (share > 1)
		text_addf(t, " (1 in %" PRIu64 " masks was compared)", share);
}
