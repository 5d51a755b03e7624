#include "layout/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"

enum {
	STEM_MAX = 512,
	VARIANTS = 4,
	MATCHES_MAX = 256, /* rows that have one stem; more are numbers, which all rows have */
};

/* A stem of a row in one variant. */
struct stem_key {
	uint64_t hash;
	uint32_t row;
	uint16_t variant;
};

struct pairing {
	const struct folder_table *t;
	struct stem_key *v; /* sorted by hash; owned */
	size_t count, cap;
	uint32_t *hits; /* indexed by row and variant; owned */
};

/* Says what the names of a row have in common. */
struct affixes {
	size_t prefix, post;
};

static bool is_sign(char c)
{
	return c && strchr("_-. ", c);
}

static struct affixes find_affixes(const struct folder_row *r)
{
	struct affixes a = { 0, 0 };
	size_t n0 = 0, n, pre = 0, post = 0;
	const char *first = r->items_count ? table_item_stem(r->items[0], &n0) : NULL;

	pre = post = n0;
	for (size_t i = 0; i < r->items_count; i++) {
		const char *stem = table_item_stem(r->items[i], &n);
		size_t k = 0;

		while (k < MIN(pre, n) && stem[k] == first[k])
			k++;
		pre = k;
		for (k = 0; k < MIN(post, n) && stem[n - 1 - k] == first[n0 - 1 - k];)
			k++;
		post = k;
	}
	if (r->items_count < 2)
		return a;
	/* the beginning goes to its last letter or sign; the end from its first sign, or its letters */
	while (pre && !ascii_isalpha(first[pre - 1]) && !is_sign(first[pre - 1]))
		pre--;
	a.prefix = pre;
	size_t sign = n0 - post, letters = n0;

	while (sign < n0 && !is_sign(first[sign]))
		sign++;
	while (letters > n0 - post && ascii_isalpha(first[letters - 1]))
		letters--;
	a.post = n0 - MIN(sign, letters);
	return a;
}

/* Hashes a variant of an item's stem. Returns false if there is none. */
static bool hash_variant(const struct affixes *a, const struct table_item *item, unsigned variant, uint64_t *hash)
{
	char plain[STEM_MAX];
	size_t n, from = 0, all;
	const char *stem = table_item_stem(item, &n);

	all = n;
	if (variant == 1) {
		n = stem_without_roles(stem, n, plain, sizeof(plain));
		stem = plain;
	} else if (variant == 2 || variant == 3) {
		n -= MIN(a->post, n);
		from = variant == 3 ? a->prefix : 0;
	}
	if (n <= from || (variant > 1 && n - from == all))
		return false;
	*hash = hash_bytes(1, stem + from, n - from);
	return true;
}

static int by_hash(const void *a, const void *b)
{
	const struct stem_key *x = a, *y = b;

	return x->hash != y->hash        ? (x->hash < y->hash ? -1 : 1)
	       : x->row != y->row        ? (x->row < y->row ? -1 : 1)
	       : x->variant < y->variant ? -1
					 : x->variant > y->variant;
}

struct pairing *pairing_new(const struct folder_table *t, const uint32_t *images, size_t count)
{
	struct pairing *p = xcalloc(1, sizeof(*p));
	uint64_t hash;

	p->t = t;
	p->hits = xcalloc(t->rows_count * VARIANTS + 1, sizeof(*p->hits));
	for (size_t i = 0; i < count; i++) {
		const struct folder_row *r = &t->rows[images[i]];
		const struct affixes a = find_affixes(r);

		for (size_t k = 0; k < r->items_count; k++)
			for (unsigned variant = 0; variant < VARIANTS; variant++) {
				if (!hash_variant(&a, r->items[k], variant, &hash))
					continue;
				GROW(p->v, p->cap, p->count + 1);
				p->v[p->count++] = (struct stem_key){ hash, images[i], (uint16_t)variant };
			}
	}
	if (p->count)
		qsort(p->v, p->count, sizeof(*p->v), by_hash);
	return p;
}

void pairing_free(struct pairing *p)
{
	free(p->v);
	free(p->hits);
	free(p);
}

/* Returns the greatest hash by which a row's items were chosen. */
static uint64_t bound_of(const struct folder_row *r)
{
	return r->cut && r->items_count ? r->items[r->items_count - 1]->hash : UINT64_MAX;
}

static size_t first_at(const struct pairing *p, uint64_t hash)
{
	size_t lo = 0, hi = p->count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->v[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The stems of a row in a variant, each once, with the hash by which the item was chosen. */
struct own_stem {
	uint64_t hash, chosen;
};

static int by_stem(const void *a, const void *b)
{
	const struct own_stem *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static size_t own_stems(const struct pairing *p, uint32_t row, const struct affixes *a, unsigned variant,
			struct own_stem *out)
{
	const struct folder_row *r = &p->t->rows[row];
	size_t count = 0, kept = 0;

	for (size_t k = 0; k < r->items_count; k++) {
		out[count].chosen = r->items[k]->hash;
		count += hash_variant(a, r->items[k], variant, &out[count].hash);
	}
	if (count)
		qsort(out, count, sizeof(*out), by_stem);
	for (size_t i = 0; i < count; i++)
		if (!kept || out[i].hash != out[kept - 1].hash)
			out[kept++] = out[i];
	return kept;
}

double pairing_share(struct pairing *p, uint32_t row, const bool *among, uint32_t *pair)
{
	const struct folder_row *r = &p->t->rows[row];
	const struct affixes a = find_affixes(r);
	FREED struct own_stem *own = xmalloc((r->items_count + 1) * sizeof(*own));
	FREED uint32_t *touched = NULL;
	size_t cap = 0;
	double best = 0;

	*pair = TABLE_NONE;
	for (unsigned variant = 0; variant < VARIANTS; variant++) {
		size_t count = own_stems(p, row, &a, variant, own), touched_count = 0;

		for (size_t i = 0; i < count; i++) {
			size_t at = first_at(p, own[i].hash);

			for (unsigned k = 0; k < MATCHES_MAX && at < p->count && p->v[at].hash == own[i].hash;
			     k++, at++) {
				const uint32_t other = p->v[at].row, slot = other * VARIANTS + p->v[at].variant;

				if (other == row || (among && !among[other]) ||
				    own[i].chosen > bound_of(&p->t->rows[other]))
					continue;
				GROW(touched, cap, touched_count + 1);
				if (!p->hits[slot]++)
					touched[touched_count++] = slot;
			}
		}
		for (size_t i = 0; i < touched_count; i++) {
			const uint32_t other = touched[i] / VARIANTS;
			const uint64_t bound = bound_of(&p->t->rows[other]);
			size_t all = 0;

			for (size_t k = 0; k < count && bound != UINT64_MAX; k++)
				all += own[k].chosen <= bound;
			all = bound == UINT64_MAX ? count : all;
			double share = (double)p->hits[touched[i]] / (double)MAX(all, (size_t)1);

			p->hits[touched[i]] = 0;
			if (share > best) {
				best = share;
				*pair = other;
			}
		}
	}
	return MIN(best, 1.0);
}
