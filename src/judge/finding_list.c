#include "judge/finding_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/guard.h"
#include "base/mem.h"
#include "judge/interpolation.h"

struct finding_spool {
	struct text_spool places, texts;
	/* The last ones, on the heap, and where they are in the spool: a file often has several findings. */
	char *path, *member;
	char *path_at, *member_at;
	struct finding_spool *next;
};

void finding_list_init(struct finding_list *l, uint64_t max)
{
	memset(l, 0, sizeof(*l));
	l->max = max;
	l->by_rule = xcalloc(rule_count + 1, sizeof(*l->by_rule));
	l->rule_worst = xcalloc(rule_count + 1, sizeof(*l->rule_worst));
}

void kept_finding_release(struct kept_finding *k)
{
	if (k->spooled)
		return;
	free(k->path);
	free(k->member);
	free(k->message);
	free(k->advice);
	free(k->details);
}

void finding_list_release(struct finding_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		kept_finding_release(&l->v[i]);
	while (l->spools) {
		struct finding_spool *s = l->spools;

		l->spools = s->next;
		text_spool_release(&s->places);
		text_spool_release(&s->texts);
		free(s->path);
		free(s->member);
		free(s);
	}
	free(l->v);
	free(l->by_rule);
	free(l->rule_worst);
	memset(l, 0, sizeof(*l));
}

static bool details_empty(const struct finding_details *d)
{
	return !d->ids_count && !d->has_first && !d->has_bbox && d->offset == FAULT_NO_OFFSET && !d->line &&
	       !d->pixels && !d->count && !d->digest && !d->map.len;
}

static size_t details_size(const struct finding_details *d)
{
	return offsetof(struct finding_details, ids) + d->ids_count * sizeof(d->ids[0]);
}

/* Copies d up to its last id. */
static struct finding_details *details_copy(const struct finding_details *d)
{
	struct finding_details *copy = xmalloc(details_size(d));

	memcpy(copy, d, offsetof(struct finding_details, map));
	memcpy(&copy->map, &d->map, offsetof(struct text, s) + d->map.len + 1);
	if (d->ids_count)
		memcpy((char *)copy + offsetof(struct finding_details, ids), d->ids, d->ids_count * sizeof(d->ids[0]));
	return copy;
}

/* null_order: 1 if NULL comes after every name (a dataset has no path), -1 if before (a file has no member). */
static int compare_names(const char *a, const char *b, int null_order)
{
	if (!a || !b)
		return a ? -null_order : b ? null_order : 0;
	return strcmp(a, b);
}

int kept_finding_compare(const struct kept_finding *a, const struct kept_finding *b)
{
	int order = compare_names(a->path, b->path, 1);

	if (!order)
		order = compare_names(a->member, b->member, -1);
	return order ? order : strcmp(a->rule->name, b->rule->name);
}

static int compare_kept(const void *pa, const void *pb)
{
	const struct kept_finding *a = pa, *b = pb;
	int order = kept_finding_compare(a, b);

	return order ? order : strcmp(a->message, b->message); /* the same path was given twice */
}

/* ---- the temporary file ------------------------------------------------------------------------------------------ */

static size_t text_size(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

static size_t heap_bytes_of(const struct kept_finding *k)
{
	if (k->spooled)
		return 0;
	return text_size(k->path) + text_size(k->member) + text_size(k->message) + text_size(k->advice) +
	       (k->details ? details_size(k->details) : 0);
}

static char *spool_text(struct text_spool *s, const char *text)
{
	return text ? text_spool_add(s, text, strlen(text) + 1) : NULL;
}

/* Returns where the last finding has the same text, or a copy of it in the spool. */
static char *spool_place(struct text_spool *s, char **last_heap, char **last, const char *text)
{
	if (!text || !*last_heap || strcmp(*last_heap, text) != 0) {
		free(*last_heap);
		*last_heap = text ? xstrdup(text) : NULL;
		*last = spool_text(s, text);
	}
	return *last;
}

static struct finding_spool *open_spool(struct finding_list *l)
{
	if (!l->spools) {
		l->spools = xcalloc(1, sizeof(*l->spools));
		text_spool_init(&l->spools->places);
		text_spool_init(&l->spools->texts);
	}
	return l->spools;
}

/* Moves the texts of k from the heap to the spool. After an error, which finding_list_check() reports, they are lost.
 */
static void spool(struct finding_list *l, struct kept_finding *k)
{
	struct finding_spool *s = open_spool(l);
	struct kept_finding moved = *k;

	moved.path = spool_place(&s->places, &s->path, &s->path_at, k->path);
	moved.member = spool_place(&s->places, &s->member, &s->member_at, k->member);
	moved.message = spool_text(&s->texts, k->message);
	moved.advice = spool_text(&s->texts, k->advice);
	moved.details = k->details ? text_spool_add(&s->texts, k->details, details_size(k->details)) : NULL;
	moved.spooled = true;
	kept_finding_release(k);
	*k = moved;
}

/* Makes what was spooled readable. */
static void flush_spools(const struct finding_list *l)
{
	for (struct finding_spool *s = l->spools; s; s = s->next) {
		text_spool_flush(&s->places);
		text_spool_flush(&s->texts);
	}
}

void finding_list_relax(const struct finding_list *l)
{
	for (const struct finding_spool *s = l->spools; s; s = s->next) {
		text_spool_relax(&s->places);
		text_spool_relax(&s->texts);
	}
}

static const struct error *spool_error(const struct finding_list *l)
{
	for (const struct finding_spool *s = l->spools; s; s = s->next) {
		if (s->places.error.text[0])
			return &s->places.error;
		if (s->texts.error.text[0])
			return &s->texts.error;
	}
	return NULL;
}

enum status finding_list_check(const struct finding_list *l, struct error *err)
{
	const struct error *lost = spool_error(l);

	if (!lost)
		return STATUS_OK;
	*err = *lost;
	return STATUS_FAILED;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* Forgets the finding at v[i]. */
static void release_at(struct finding_list *l, size_t i)
{
	l->heap_bytes -= heap_bytes_of(&l->v[i]);
	kept_finding_release(&l->v[i]);
}

/* Drops up to `drop` findings of files from the end, baselined or new ones. Returns how many it dropped. */
static size_t drop_last(struct finding_list *l, bool baselined, size_t drop)
{
	size_t kept = l->count, dropped = 0;

	for (size_t i = l->count; i-- > 0;) {
		struct kept_finding *k = &l->v[i];

		if (dropped < drop && k->path && k->baselined == baselined) {
			release_at(l, i);
			dropped++;
		} else {
			l->v[--kept] = *k;
		}
	}
	memmove(l->v, l->v + kept, (l->count - kept) * sizeof(*l->v));
	l->count -= kept;
	return dropped;
}

void finding_list_finish(struct finding_list *l)
{
	flush_spools(l);
	if (spool_error(l)) { /* texts are lost */
		while (l->count)
			release_at(l, --l->count);
		return;
	}
	if (l->count)
		qsort(l->v, l->count, sizeof(*l->v), compare_kept);
	finding_list_relax(l);
	if (!l->max || l->count <= l->max)
		return;
	size_t drop = l->count - (size_t)l->max;

	/* Drop what the baseline contains first, and the dataset's findings last: they are few, and name causes. */
	if (l->baselined)
		drop -= drop_last(l, true, drop);
	drop -= drop_last(l, false, drop);
	for (; drop; drop--)
		release_at(l, --l->count);
}

/* Takes over k. */
static void append(struct finding_list *l, const struct kept_finding *k)
{
	size_t bytes = heap_bytes_of(k);

	GROW(l->v, l->cap, l->count + 1);
	l->v[l->count] = *k;
	if (GUARD(findings_without_a_limit, bytes && l->heap_bytes + bytes > FINDINGS_HEAP_MAX))
		spool(l, &l->v[l->count]);
	else
		l->heap_bytes += bytes;
	l->count++;
	/* Sorting after every max additions costs log(max) comparisons for each. */
	if (l->max && l->count / 2 >= l->max)
		finding_list_finish(l);
}

void finding_list_keep(struct finding_list *l, const struct kept_finding *k, const struct finding_details *details)
{
	struct kept_finding kept = *k;

	kept.details = details_empty(details) ? NULL : details_copy(details);
	append(l, &kept);
}

void finding_list_add(struct finding_list *l, struct finding *f, const char *path, const char *member)
{
	size_t rule = rule_index(f->rule);

	if (l->on_add)
		l->on_add(l->context, f, path, member);
	l->total++;
	l->lowered += f->lowered;
	if (f->baselined) {
		l->baselined++;
	} else {
		l->by_level[f->level]++;
		l->by_rule[rule]++;
		l->rule_worst[rule] = MAX(l->rule_worst[rule], f->level);
	}

	const struct kept_finding k = { .rule = f->rule,
					.level = f->level,
					.baselined = f->baselined,
					.beyond_cure = f->beyond_cure,
					.path = path ? xstrdup(path) : NULL,
					.member = member ? xstrdup(member) : NULL,
					.message = xstrdup(f->message.s),
					.advice = f->advice.len ? xstrdup(f->advice.s) : NULL };

	finding_list_keep(l, &k, &f->details);
}

void finding_list_merge(struct finding_list *into, struct finding_list *from)
{
	into->total += from->total;
	into->baselined += from->baselined;
	into->lowered += from->lowered;
	for (size_t level = 0; level < ARRAY_SIZE(into->by_level); level++)
		into->by_level[level] += from->by_level[level];
	for (size_t i = 0; i < rule_count; i++) {
		into->by_rule[i] += from->by_rule[i];
		into->rule_worst[i] = MAX(into->rule_worst[i], from->rule_worst[i]);
	}
	/* with its spools, at the end, since they are filled */
	flush_spools(from);
	struct finding_spool **last = &into->spools;

	if (from->spools)
		open_spool(into);
	while (*last)
		last = &(*last)->next;
	*last = from->spools;
	from->spools = NULL;
	for (size_t i = 0; i < from->count; i++)
		append(into, &from->v[i]);
	from->count = 0;
	finding_list_release(from);
}

void finding_list_raise(struct finding_list *l, const struct rule *rule, uint64_t n)
{
	n = MIN(n, l->by_level[LEVEL_WARNING]); /* a shard's report may claim anything */
	l->by_level[LEVEL_WARNING] -= n;
	l->by_level[LEVEL_ERROR] += n;
	if (n)
		l->rule_worst[rule_index(rule)] = LEVEL_ERROR;
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].rule == rule && l->v[i].level == LEVEL_WARNING)
			l->v[i].level = LEVEL_ERROR;
}

void finding_list_drop(struct finding_list *l, const struct rule *rule)
{
	size_t at = rule_index(rule), kept = 0;

	l->total -= l->by_rule[at];
	l->by_level[l->rule_worst[at]] -= l->by_rule[at];
	l->by_rule[at] = 0;
	l->rule_worst[at] = LEVEL_OFF;
	for (size_t i = 0; i < l->count; i++) {
		if (l->v[i].rule == rule) {
			l->baselined -= l->v[i].baselined;
			l->total -= l->v[i].baselined;
			release_at(l, i);
		} else {
			l->v[kept++] = l->v[i];
		}
	}
	l->count = kept;
}

void verdict_dataset(const struct settings *settings, const struct dataset_stats *dataset,
		     struct finding_list *findings)
{
	struct finding *f = xmalloc(sizeof(*f));
	const struct rule *weak = rule_find("interpolated-mask");

	if (settings->rule_levels[rule_index(weak)] == weak->level &&
	    interpolation_stands(dataset->tested_files, dataset->tested_flagged))
		finding_list_raise(findings, weak, dataset->provisional_findings);
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!rule->check_dataset || settings->rule_levels[i] == LEVEL_OFF)
			continue;
		if (settings->scope == SCOPE_FILES && !rule->tells_unread)
			continue;
		for (unsigned part = 0; part < MAX(rule->dataset_parts, 1u); part++) {
			finding_init(f, rule);
			f->part = part;
			if (!rule_check_dataset(rule, settings, dataset, f))
				continue;
			verdict_set_level(settings, i, f);
			finding_list_add(findings, f, NULL, NULL);
		}
	}
	free(f);
}
