#include "report/extent.h"

#include <stdlib.h>

#include "base/decimal.h"
#include "base/guard.h"
#include "base/lower_bound.h"
#include "base/mem.h"

size_t extent_sort(uint64_t *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_uint64);
	for (size_t i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

static struct extent_set ids_of(const struct finding_details *d, uint64_t ids[EXTENT_LISTED_MAX], uint64_t *labels)
{
	struct extent_set set = { d->ids_total, 0, NULL };

	*labels = 0;
	for (size_t i = 0; i < d->ids_count; i++) {
		ids[i] = (uint64_t)d->ids[i].id;
		set.digest += key_of_numbers(ids[i], 0);
		if (!size_add(*labels, d->ids[i].labels, labels))
			*labels = UINT64_MAX;
	}
	if (d->ids_count && d->ids_total <= d->ids_count) {
		set.total = extent_sort(ids, d->ids_count);
		set.v = ids;
	}
	return set;
}

static struct extent_set keys_of(const struct finding *f, uint64_t keys[EXTENT_LISTED_MAX])
{
	struct extent_set set = { f->keys_total, f->details.digest, NULL };

	if (f->keys_total > f->keys_count) /* too many, though few of them are of one finding */
		set.total = MAX(set.total, (uint64_t)EXTENT_LISTED_MAX + 1);
	if (!f->keys_count || f->keys_total > f->keys_count)
		return set;
	for (size_t i = 0; i < f->keys_count; i++)
		keys[i] = f->keys[i];
	set.total = extent_sort(keys, f->keys_count);
	set.v = keys;
	return set;
}

struct extent extent_of(const struct finding *f, struct extent_lists *lists)
{
	const struct finding_details *d = &f->details;
	struct extent e = { .level = f->level };
	uint64_t labels;

	e.ids = ids_of(d, lists->ids, &labels);
	e.keys = keys_of(f, lists->keys);
	e.count = d->count ? d->count : d->pixels ? d->pixels : labels ? labels : d->ids_total ? d->ids_total : 1;
	return e;
}

struct extent extent_of_words(enum level level, uint64_t count, const uint64_t *words)
{
	struct extent e = { .level = level, .count = count };
	struct extent_set *const sets[] = { &e.ids, &e.keys };
	const uint64_t *list = words ? words + EXTENT_WORDS : NULL;

	for (size_t i = 0; words && i < ARRAY_SIZE(sets); i++, words += 2) {
		*sets[i] = (struct extent_set){ words[0], words[1], NULL };
		if (!words[0] || words[0] > EXTENT_LISTED_MAX)
			continue;
		sets[i]->v = list;
		list += words[0];
	}
	return e;
}

/* Returns how many of `now` are not known, at least. */
static uint64_t count_new(const struct extent_set *known, const struct extent_set *now)
{
	uint64_t fresh = 0;

	if (now->total && known->total && (!now->v || !known->v)) {
		bool same = now->total == known->total && now->digest == known->digest;

		return same ? 0 : MAX(now->total, known->total) - MIN(now->total, known->total) + 1;
	}
	if (!now->v || !known->v)
		return now->total;
	for (size_t i = 0, k = 0; i < now->total; i++) {
		while (k < known->total && known->v[k] < now->v[i])
			k++;
		fresh += k == known->total || known->v[k] != now->v[i];
	}
	return fresh;
}

bool extent_covers(const struct extent *known, const struct extent *now, uint64_t percent)
{
	decimal_wide drift = (decimal_wide)known->count * percent / 100;

	return !GUARD(known_level_rose, now->level > known->level) &&
	       !GUARD(known_count_grew, now->count > known->count + drift) &&
	       !GUARD(known_id_is_new, count_new(&known->ids, &now->ids) > 0) &&
	       !GUARD(known_row_is_new, count_new(&known->keys, &now->keys) > drift);
}
