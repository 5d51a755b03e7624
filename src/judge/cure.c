#include "judge/cure.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/id_map.h"
#include "judge/interpolation.h"
#include "judge/rewriting.h"

static bool maps_ids(struct id_map *map, const struct map_question *q)
{
	struct text why;

	text_clear(&why);
	id_map_finish(map);
	return id_map_propose(q, map, &why) == MAP_FOUND && id_map_check(map, q->settings, &why);
}

/* Returns the scale that a corrected copy may take from the ids of the file. */
static int64_t scale_of(const struct rule_input *s, const struct rewriting *r)
{
	const struct png_header *png = &s->sample->png;

	return r->kind == FIX_PNG ? rewriting_scale(s->settings->view, png->colour_type, png->bit_depth) : 1;
}

static bool has_invalid(const struct rule_input *s, const struct rewriting *r, int64_t scale)
{
	uint64_t labels;

	for (size_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, rewriting_id(s, r, i, &labels) / scale) == ID_INVALID)
			return true;
	return false;
}

/* Returns whether one map makes all ids of the file legal. */
static bool map_fits_file(const struct rule_input *s, const struct rewriting *r)
{
	const struct map_question q = { .settings = s->settings,
					.files = 1,
					.has_masks = r->kind == FIX_PNG,
					.has_grids = r->kind == FIX_PNG || s->sample->array.rank > 1 };
	struct id_map map = { 0 };

	if (r->kind == FIX_PNG && s->interpolation & INTERPOLATION_DAMAGED)
		return false;
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t labels;
		int64_t id = rewriting_id(s, r, i, &labels);

		id_map_add(&map, s->settings, id, labels, 1);
	}
	bool ok = maps_ids(&map, &q);

	id_map_release(&map);
	return ok;
}

void cure_judge(struct finding *f, const struct rule_input *s)
{
	enum cure cure = f->rule->cure;
	struct rewriting r;

	if (cure == CURE_UNKNOWN || cure == CURE_NEVER || f->beyond_cure)
		return;
	f->beyond_cure = s->sample->status != SAMPLE_READ || rewriting_of(s, &r) != NULL;
	if (f->beyond_cure)
		return;
	int64_t scale = scale_of(s, &r);

	if (cure == CURE_LOSSY) {
		f->beyond_cure = r.kind != FIX_PNG;
	} else if (!has_invalid(s, &r, 1)) {
		f->beyond_cure = scale != 1; /* the ids that loaders see are meant */
	} else if (scale == 1 || has_invalid(s, &r, scale)) {
		f->needs_map = true;
		f->beyond_cure = scale != 1 || !map_fits_file(s, &r);
	}
}

/* Counts the ids of a mask in several channels. */
static void add_channels(struct cure_facts *c, const struct rule_input *s, const struct rewriting *r)
{
	c->deep_channels |= s->sample->png.bit_depth == 16;
	c->files++;
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t labels;
		int64_t id = rewriting_id(s, r, i, &labels);

		if (id < 0 || id >= (int64_t)ARRAY_SIZE(c->ids))
			continue;
		c->ids[id].labels += labels;
		c->ids[id].files++;
	}
}

void cure_add_file(struct dataset_stats *d, const struct rule_input *s, const struct input *input)
{
	struct cure_facts *c = &d->cures;
	int64_t ids[REWRITTEN_IDS_MAX];
	uint64_t labels;
	struct rewriting r;
	bool packed;

	if (s->sample->status != SAMPLE_READ || rewriting_has_names(s))
		return;
	if (rewriting_of(s, &r) || (input && rewriting_packing(s, input, &packed))) {
		c->keeps_ids |= s->stats->ids_count || r.one_hot;
		return;
	}
	if (r.encoding == MASK_REPLICATED || r.encoding == MASK_ONE_HOT)
		add_channels(c, s, &r);
	if (r.kind == FIX_PNG && s->interpolation & INTERPOLATION_DAMAGED)
		c->is_damaged |= has_invalid(s, &r, 1);
	int64_t scale = scale_of(s, &r);

	if (scale != 1)
		c->scaled |= has_invalid(s, &r, scale);
	if (settings_class_count(s->settings) != CITYSCAPES_TRAIN_IDS)
		return;
	for (size_t i = 0; i < s->stats->ids_count; i++)
		ids[i] = rewriting_id(s, &r, i, &labels);
	c->contrary += map_cityscapes_contradicts(ids, s->stats->ids_count);
}

/* Returns whether ids do not mean the same in each file, or some are known to stay beside others that change. */
static bool has_obstacle(const struct dataset_stats *d, const uint64_t *by_rule)
{
	const struct cure_facts *c = &d->cures;

	return by_rule[rule_index(rule_find("palette-luma-ids"))] > by_rule[rule_index(rule_find("scaled-ids"))] ||
	       by_rule[rule_index(rule_find("inconsistent-palette"))] || c->keeps_ids || c->is_damaged ||
	       c->deep_channels || coverage_labels_of(&d->coverage, SKIP_OTHER_KIND);
}

static int compare_numbers(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	for (int i = 0; i < 2; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Returns whether each number goes with one other: pairs of them. */
static bool are_functions(int64_t (*v)[2], size_t n)
{
	qsort(v, n, sizeof(*v), compare_numbers);
	for (size_t i = 1; i < n; i++)
		if (v[i - 1][0] == v[i][0] && v[i - 1][1] != v[i][1])
			return false;
	return true;
}

/* Returns whether ids and classes of all categories of COCO files go together one to one. */
static bool categories_agree(const struct name_totals *t)
{
	int64_t(*v)[2] = xcalloc(t->count + 1, sizeof(*v));

	for (size_t i = 0; i < t->count; i++)
		v[i][0] = t->v[i].id, v[i][1] = t->v[i].class_id;
	bool agree = are_functions(v, t->count);

	for (size_t i = 0; i < t->count; i++)
		v[i][0] = t->v[i].class_id, v[i][1] = t->v[i].id;
	agree = agree && are_functions(v, t->count);
	free(v);
	return agree;
}

/* Returns whether the masks of the set have bits for each id that the map gives. */
static bool masks_hold(const struct dataset_stats *d, const struct id_map *map)
{
	int64_t largest = INT64_MAX;

	for (size_t i = 0; i < d->formats_count; i++)
		if (d->formats[i].format == FORMAT_PNG)
			largest = MIN(largest, d->formats[i].bit_depth == 16 ? UINT16_MAX : UINT8_MAX);
	for (size_t i = 0; i < map->count && largest < INT64_MAX; i++)
		if (map->v[i].to != map->v[i].id && (map->v[i].to < 0 || map->v[i].to > largest))
			return false;
	return true;
}

void cure_decide(const struct settings *settings, const struct dataset_stats *d, struct finding_list *findings)
{
	const struct cure_facts *c = &d->cures;
	struct map_question q = { .settings = settings,
				  .findings = findings->by_rule,
				  .files = d->files_with_ids + c->files,
				  .has_grids = d->masks_with_ids || c->files,
				  .contrary = c->contrary };
	struct id_map map = { 0 };

	for (size_t i = 0; i < d->formats_count; i++)
		q.has_masks |= d->formats[i].format == FORMAT_PNG;
	for (size_t i = 0; i < d->ids_count; i++)
		id_map_add(&map, settings, d->ids[i].id, d->ids[i].labels, d->ids[i].files);
	for (size_t i = 0; i < ARRAY_SIZE(c->ids); i++)
		if (c->ids[i].files)
			id_map_add(&map, settings, (int64_t)i, c->ids[i].labels, c->ids[i].files);
	const bool agree = categories_agree(&d->categories);

	findings->mapped = !settings->reduce_zero_label && agree && !has_obstacle(d, findings->by_rule) &&
			   maps_ids(&map, &q) && id_map_changes(&map) && masks_hold(d, &map);
	if (!agree)
		findings->curable[rule_index(rule_find("noncontiguous-categories"))] = false;
	if (c->scaled) { /* then the samples are not the ids */
		findings->curable[rule_index(rule_find("expanded-bit-depth"))] = false;
		findings->curable[rule_index(rule_find("scaled-ids"))] = false;
	}
	for (size_t i = 0; i < findings->count; i++) {
		struct kept_finding *k = &findings->v[i];
		bool its_own = map.rule && (!strcmp(map.rule, k->rule->name) ||
					    (map.unwraps && !strcmp(k->rule->name, map_wrapped_ids.rule)));

		if (!k->path && k->rule->cure == CURE_MAP)
			k->beyond_cure = !findings->mapped || !its_own;
	}
	id_map_release(&map);
}

/* Returns whether exact cures fit the rule: its own, or a map of ids that are out of range. */
static bool is_exact(const struct finding_list *findings, size_t i)
{
	const struct rule *rule = rule_table[i];

	if (!strcmp(rule->name, "out-of-range-id"))
		return findings->mapped;
	if (rule->cure != CURE_EXACT && rule->cure != CURE_MAP)
		return false;
	return findings->curable[i] || (findings->mapped && (rule->cure == CURE_MAP || findings->mappable[i]));
}

bool cure_is_of_rule(const struct finding_list *findings, enum cure cure, size_t i)
{
	if (!findings->by_rule[i] || findings->rule_worst[i] < LEVEL_WARNING)
		return false;
	return cure == CURE_EXACT ? is_exact(findings, i) : rule_table[i]->cure == cure && findings->curable[i];
}

enum cure cure_of_set(const struct finding_list *findings)
{
	for (enum cure cure = CURE_EXACT; cure <= CURE_LOSSY; cure++)
		for (size_t i = 0; i < rule_count; i++)
			if (cure_is_of_rule(findings, cure, i))
				return cure;
	return CURE_UNKNOWN;
}
