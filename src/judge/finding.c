#include "judge/finding.h"

#include <string.h>

#include "base/lower_bound.h"

/* Returns the index of the least frequent id; of equals, the largest id, so that the result depends on no order. */
static size_t least_frequent(const struct finding_details *d)
{
	size_t least = 0;

	for (size_t i = 1; i < d->ids_count; i++)
		if (d->ids[i].labels <= d->ids[least].labels)
			least = i;
	return least;
}

static bool id_is_below(const void *entry, const void *id)
{
	return ((const struct finding_id *)entry)->id < *(const int64_t *)id;
}

void finding_add_id(struct finding *f, int64_t id, uint64_t labels)
{
	struct finding_details *d = &f->details;

	d->ids_total++;
	if (labels < d->ids_least)
		return;
	if (d->ids_count == FINDING_IDS_MAX) {
		size_t least = least_frequent(d);
		const struct finding_id *gone = &d->ids[least];

		d->ids_least = gone->labels;
		if (labels < gone->labels || (labels == gone->labels && id > gone->id))
			return;
		d->ids_count--;
		memmove(d->ids + least, d->ids + least + 1, (d->ids_count - least) * sizeof(*d->ids));
	}
	/* Ids usually come in order. */
	size_t from = d->ids_count && id_is_below(&d->ids[d->ids_count - 1], &id) ? d->ids_count : 0;
	size_t at = lower_bound(&id, d->ids, from, d->ids_count, sizeof(*d->ids), id_is_below);

	memmove(d->ids + at + 1, d->ids + at, (d->ids_count - at) * sizeof(*d->ids));
	d->ids[at] = (struct finding_id){ id, labels };
	d->ids_count++;
}

void finding_add_key(struct finding *f, uint64_t key)
{
	f->keys_total++;
	f->details.digest += key;
	if (f->keys_count < KEY_SET_MAX)
		f->keys[f->keys_count++] = key;
}

void finding_add_keys(struct finding *f, const struct key_set *keys)
{
	uint64_t sum = keys->sum;

	for (size_t i = 0; i < keys->count; i++) {
		finding_add_key(f, keys->v[i]);
		sum -= keys->v[i];
	}
	f->keys_total += keys->total - keys->count;
	f->details.digest += sum;
}
