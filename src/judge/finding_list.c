#include "judge/finding_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/guard.h"
#include "base/mem.h"
#include "judge/interpolation.h"

void finding_list_init(struct finding_list *l, uint64_t max)
{
	memset(l, 0, sizeof(*l));
	l->max = max;
	l->bytes_max = FINDINGS_BYTES_MAX;
	l->by_rule = xcalloc(rule_count + 1, sizeof(*l->by_rule));
	l->rule_worst = xcalloc(rule_count + 1, sizeof(*l->rule_worst));
}

void kept_finding_release(struct kept_finding *one)
{
	free(one->path);
	free(one->member);
	free(one->message);
	free(one->advice);
	free(one->example);
	free(one->details);
}

void finding_list_release(struct finding_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		kept_finding_release(&l->v[i]);
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

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static size_t text_size(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

/* Returns the size of a finding, without its advice, which may change in the end. */
static size_t bytes_of(const struct kept_finding *one)
{
	return sizeof(*one) + text_size(one->path) + text_size(one->member) + text_size(one->message) +
	       text_size(one->example) + (one->details ? details_size(one->details) : 0);
}

/* Forgets the finding at v[i]. */
static void release_at(struct finding_list *l, size_t i)
{
	l->bytes -= bytes_of(&l->v[i]);
	kept_finding_release(&l->v[i]);
}

static bool is_over(const struct finding_list *l, size_t count)
{
	return (l->max && count > l->max) || (l->bytes_max && l->bytes > l->bytes_max);
}

/* Drops findings of files from the end, baselined or new ones, until the rest fits. */
static void drop_last(struct finding_list *l, bool baselined)
{
	size_t kept = l->count, left = l->count;

	for (size_t i = l->count; i-- > 0;) {
		struct kept_finding *one = &l->v[i];

		if (is_over(l, left) && one->path && one->baselined == baselined) {
			release_at(l, i);
			left--;
		} else {
			l->v[--kept] = *one;
		}
	}
	memmove(l->v, l->v + kept, left * sizeof(*l->v));
	l->count = left;
}

void finding_list_finish(struct finding_list *l)
{
	if (l->count)
		qsort(l->v, l->count, sizeof(*l->v), compare_kept);
	if (!is_over(l, l->count))
		return;
	/* Drop what the baseline contains first, and the dataset's findings last: they are few, and name causes. */
	if (l->baselined)
		drop_last(l, true);
	drop_last(l, false);
	while (is_over(l, l->count))
		release_at(l, --l->count);
}

/* Takes it over. */
static void append(struct finding_list *l, const struct kept_finding *one)
{
	GROW(l->v, l->cap, l->count + 1);
	l->v[l->count++] = *one;
	l->bytes += bytes_of(one);
	/* Sorting after every max additions costs log(max) comparisons for each. */
	if ((l->max && l->count / 2 >= l->max) ||
	    GUARD(findings_without_a_limit, l->bytes_max && l->bytes / 2 >= l->bytes_max))
		finding_list_finish(l);
}

void finding_list_keep(struct finding_list *l, const struct kept_finding *one, const struct finding_details *details)
{
	struct kept_finding kept = *one;

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

	const struct kept_finding one = { .rule = f->rule,
					  .level = f->level,
					  .baselined = f->baselined,
					  .unrepairable = f->unrepairable,
					  .path = path ? xstrdup(path) : NULL,
					  .member = member ? xstrdup(member) : NULL,
					  .message = xstrdup(f->message.s),
					  .advice = f->advice.len ? xstrdup(f->advice.s) : NULL,
					  .example = f->example ? xstrdup(f->example) : NULL };

	finding_list_keep(l, &one, &f->details);
}

const struct rule *finding_cause(const struct kept_finding *f)
{
	return f->explained_by ? f->explained_by : f->rule;
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

/* Makes the errors of a rule infos: what chance explains as well. Only if --severity leaves its level alone. */
static void lower(struct finding_list *l, const struct rule *rule)
{
	const uint64_t n = MIN(l->by_rule[rule_index(rule)], l->by_level[LEVEL_ERROR]);

	l->by_level[LEVEL_ERROR] -= n;
	l->by_level[LEVEL_INFO] += n;
	l->rule_worst[rule_index(rule)] = LEVEL_INFO;
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].rule == rule && l->v[i].level == LEVEL_ERROR)
			l->v[i].level = LEVEL_INFO;
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

/* Returns whether multiples are so rare among files with ids out of range that some have to be there by chance. */
static bool scaled_by_chance(const struct finding_list *l)
{
	enum { SHARE = 4 };
	const uint64_t scaled = l->by_rule[rule_index(rule_find("scaled-ids"))];

	return scaled && scaled < l->by_rule[rule_index(rule_find("out-of-range-id"))] / SHARE;
}

void verdict_dataset(const struct settings *settings, const struct dataset_stats *dataset,
		     struct finding_list *findings)
{
	FREED struct finding *f = xmalloc(sizeof(*f));
	const struct rule *weak = rule_find("interpolated-mask"), *scaled = rule_find("scaled-ids");

	if (settings->rules.levels[rule_index(weak)] == weak->level &&
	    interpolation_stands(dataset->tested_files, dataset->tested_flagged))
		finding_list_raise(findings, weak, dataset->provisional_findings);
	if (scaled_by_chance(findings) && settings->rules.levels[rule_index(scaled)] == scaled->level)
		lower(findings, scaled);
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!rule->check_dataset || settings->rules.levels[i] == LEVEL_OFF)
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
}
