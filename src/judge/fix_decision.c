#include "judge/fix_decision.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/colours.h"
#include "judge/role.h"

/* A decision on its way. */
struct deciding {
	const struct settings *settings;
	const struct dataset_stats *dataset;
	const struct fix_facts *facts;
	const struct finding_list *findings;
	const struct fix_declared *declared;
	struct fix_decision *out;
};

const char *recoding_rule(enum recoding r)
{
	static const char *const rules[RECODINGS] = {
		[RECODE_EXPAND] = "expanded-bit-depth",
		[RECODE_NARROW] = "wide-ids",
		[RECODE_ONE_CHANNEL] = "replicated-channels",
		[RECODE_COLOURS] = "color-mask",
		[RECODE_STRIP] = "mixed-encoding",
		[RECODE_INTEGERS] = "wrong-dtype",
		[RECODE_CATEGORIES] = "noncontiguous-categories",
		[RECODE_NAMES] = "malformed-box",
	};

	return rules[r];
}

static uint64_t count_of(const struct deciding *d, const char *rule)
{
	return d->findings->by_rule[rule_index(rule_find(rule))];
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

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

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static void gather_ids(struct deciding *d)
{
	const struct fix_facts *f = d->facts;
	struct id_map *map = &d->out->map;

	for (size_t i = 0; !f->counted && i < d->dataset->ids_count; i++)
		id_map_add(map, d->settings, d->dataset->ids[i].id, d->dataset->ids[i].labels,
			   d->dataset->ids[i].files);
	for (size_t i = 0; i < f->ids.count; i++)
		id_map_add(map, d->settings, f->ids.v[i].id, f->ids.v[i].labels, f->ids.v[i].files);
	for (size_t depth = 0; depth < 2; depth++)
		for (size_t i = 0; i < 16; i++) {
			const struct fix_total *t = &f->samples[depth][i];

			if (t->files)
				id_map_add(map, d->settings, (int64_t)(d->out->unscaled ? i : i * (depth ? 17 : 85)),
					   t->labels, t->files);
		}
	id_map_finish(map);
}

static enum map_answer propose(struct deciding *d)
{
	const struct fix_facts *f = d->facts;
	const struct map_question q = { .settings = d->settings,
					.findings = d->findings->by_rule,
					.files = f->counted ? f->files : d->dataset->files_with_ids,
					.has_masks = f->masks,
					.has_grids = f->counted ? f->grids : d->dataset->masks_with_ids,
					.contradicting = f->contradicting.files,
					.contradicting_example = f->contradicting.example };

	return id_map_propose(&q, &d->out->map, &d->out->why);
}

/* Says why the map is refused. Returns false. */
#define contradict(d, ...) (text_addf(&(d)->out->why, __VA_ARGS__), false)

/* Refuses the map. place: the file that this is about; or NULL. */
static bool refuse(struct deciding *d, const char *place, const char *why)
{
	d->out->place = place ? xstrdup(place) : NULL;
	return contradict(d, "%s%s%s", place ? place : "", place ? " " : "", why);
}

/* Returns false, and says why, if ids do not mean the same in each file, or their files prove no map. */
static bool ids_have_meanings(struct deciding *d)
{
	/* a few files of scaled ids are luma by chance, too */
	if (count_of(d, "palette-luma-ids") > count_of(d, "scaled-ids"))
		return refuse(
			d, NULL,
			"the ids are the grey of colours, and two colours can have the same: go back to the source");
	if (count_of(d, "inconsistent-palette"))
		return refuse(d, NULL,
			      "palettes differ from file to file, so an id has no one meaning: declare the colours "
			      "(--colors)");
	if (GUARD(map_of_ringing, d->facts->damaged.files))
		return refuse(d, d->facts->damaged.example, "is interpolated, so its ids are no proof of a map");
	return true;
}

/* Returns false, and says why, if files would keep their ids beside others that change. */
static bool all_can_change(struct deciding *d)
{
	const struct coverage *c = &d->dataset->coverage;
	const struct id_map *map = &d->out->map;
	int64_t largest = d->facts->of_8_bits.files ? UINT8_MAX : d->facts->masks ? UINT16_MAX : INT64_MAX;

	if (GUARD(categories_that_disagree, d->out->categories_disagree))
		return refuse(d, NULL, CATEGORIES_DISAGREE);
	if (GUARD(file_that_keeps_its_ids, d->facts->keeps_ids.files))
		return refuse(d, d->facts->keeps_ids.example, "would keep its ids");
	/* what --exclude names, and what links lead to, is somebody else's */
	for (size_t i = SKIP_NESTED_ARCHIVE; i < SKIP_REASONS; i++)
		if (GUARD(labels_left_out, c->labels[i].files))
			return refuse(
				d, c->labels[i].example,
				"looks like labels, was not audited, and would keep its ids: name it as a PATH, or "
				"--exclude it");
	for (size_t i = 0; i < map->count && largest < INT64_MAX; i++) {
		const struct mapped_id *m = &map->v[i];

		if (GUARD(id_that_no_mask_holds, m->to != m->id && (m->to < 0 || m->to > largest)))
			return contradict(d, "masks cannot hold %" PRId64 ", which %" PRId64 " would become", m->to,
					  m->id);
	}
	return true;
}

/* ---- what is declared -------------------------------------------------------------------------------------------- */

static const struct id_pair *declared_pair(const struct fix_declared *declared, int64_t id)
{
	const struct id_pair key = { .from = id };

	return declared->map_count ? bsearch(&key, declared->map, declared->map_count, sizeof(key), compare_int64)
				   : NULL;
}

/* Returns whether all pairs are ones that may be: two ids become one only if both are named. */
static bool may_merge(struct deciding *d, const struct mapped_id *a, const struct mapped_id *b)
{
	if (a->to != b->to || (declared_pair(d->declared, a->id) && declared_pair(d->declared, b->id)))
		return true;
	const int64_t unnamed = declared_pair(d->declared, a->id) ? b->id : a->id;

	return contradict(d,
			  "ids %" PRId64 " and %" PRId64 " would both become %" PRId64 ": name %" PRId64
			  ", too, if that is meant (--map %" PRId64 ":%" PRId64 ")",
			  a->id, b->id, a->to, unnamed, unnamed, a->to);
}

static int compare_targets(const void *pa, const void *pb)
{
	const struct mapped_id *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Carries out --map: ids that it does not name stay. */
static bool take_map(struct deciding *d)
{
	struct id_map *map = &d->out->map;
	FREED struct mapped_id *sorted = xcalloc(map->count + 1, sizeof(*sorted));
	bool ok = true;

	for (size_t i = 0; i < map->count && ok; i++) {
		struct mapped_id *m = &map->v[i];
		const struct id_pair *pair = declared_pair(d->declared, m->id);

		m->to = pair ? pair->to : m->id;
		if (m->labels && settings_role(d->settings, m->to) == ID_INVALID)
			ok = contradict(d,
					pair ? "--map makes %" PRId64 " of %" PRId64
					       ", which is neither a class nor ignored"
					     : "--map names no id for %" PRId64
					       ", which is neither a class nor ignored (%" PRId64 " stays)",
					pair ? m->to : m->id, m->id);
	}
	if (map->count)
		memcpy(sorted, map->v, map->count * sizeof(*sorted));
	qsort(sorted, map->count, sizeof(*sorted), compare_targets);
	for (size_t i = 1; i < map->count && ok; i++)
		ok = !GUARD(classes_that_merge_unasked, !may_merge(d, &sorted[i - 1], &sorted[i]));
	map->rule = "out-of-range-id";
	text_addf(id_map_method(map), "as --map says");
	return ok;
}

/* Fills both classes. Returns whether there are two. */
static bool two_classes(const struct settings *settings, int64_t *low, int64_t *high)
{
	const struct id_ranges *r = &settings->classes.classes;

	if (id_ranges_size(r) != 2 || settings->reduce_zero_label)
		return false;
	*low = r->v[0].first;
	*high = r->v[r->count - 1].last;
	return true;
}

/* Carries out --threshold: every id that is not ignored becomes one of two classes. */
static bool take_threshold(struct deciding *d)
{
	const int64_t at = d->declared->threshold;
	struct id_map *map = &d->out->map;
	uint64_t most[2] = { 0, 0 }, all = 0;
	int64_t low, high;

	if (!two_classes(d->settings, &low, &high))
		return refuse(d, NULL, "--threshold makes two classes: declare two (--classes 2, or --classes 0,255)");
	if (d->facts->grey_masks < d->facts->files)
		return refuse(d, NULL, "--threshold is for grey masks, and some files are none");
	for (size_t i = 0; i < map->count; i++) {
		struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED)
			continue;
		m->to = m->id >= at ? high : low;
		most[m->id >= at] = MAX(most[m->id >= at], m->labels);
		all += m->labels;
	}
	d->out->neither = all - most[0] - most[1];
	map->rule = "interpolated-mask";
	text_addf(id_map_method(map), "below %" PRId64 " becomes %" PRId64 ", all else %" PRId64, at, low, high);
	return true;
}

/* Fills the map. Returns false, and says why, if there is none. */
static bool fill_map(struct deciding *d)
{
	const struct fix_declared *declared = d->declared;
	struct settings after = *d->settings;

	if (declared && declared->map_count)
		return take_map(d) && (!id_map_changes(&d->out->map) || all_can_change(d));
	if (declared && declared->threshold)
		return take_threshold(d) && (!id_map_changes(&d->out->map) || all_can_change(d));
	if (propose(d) != MAP_FOUND)
		return false;
	if (id_map_changes(&d->out->map) && (!ids_have_meanings(d) || !all_can_change(d)))
		return false;
	fix_decision_settle(d->out, &after);
	return !d->out->map.rule || id_map_check(&d->out->map, &after, &d->out->why);
}

/* ---- recodings --------------------------------------------------------------------------------------------------- */

static bool all_are_narrow(const struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].to < 0 || map->v[i].to > UINT8_MAX)
			return false;
	return true;
}

/* Returns whether some grey mask of few bits has an id that loaders multiply. Then all become 8 bits, to stay alike. */
static bool some_expand(const struct deciding *d)
{
	bool differ = d->facts->few_used;

	for (size_t depth = 0; depth < 2; depth++)
		for (size_t i = 1; i < 16; i++)
			differ |= d->out->unscaled && d->facts->samples[depth][i].files;
	return differ;
}

static unsigned wanted_recodings(const struct deciding *d)
{
	unsigned wanted = 1 << RECODE_ONE_CHANNEL | 1 << RECODE_COLOURS | 1 << RECODE_NAMES;

	wanted |= (unsigned)some_expand(d) << RECODE_EXPAND;
	const char *const categories = "noncontiguous-categories";
	const bool skipped = d->settings->rules.levels[rule_index(rule_find(categories))] == LEVEL_OFF;

	if (!d->out->categories_disagree && ((count_of(d, categories) && !skipped) || id_map_changes(&d->out->map)))
		wanted |= 1 << RECODE_CATEGORIES;
	if (count_of(d, "wrong-dtype"))
		wanted |= 1 << RECODE_INTEGERS;
	if (count_of(d, "wide-ids") && all_are_narrow(&d->out->map))
		wanted |= 1 << RECODE_NARROW;
	if (d->declared && d->declared->strip)
		wanted |= 1 << RECODE_STRIP;
	return wanted;
}

/* ---- what it changes --------------------------------------------------------------------------------------------- */

/*
 * Fills the number of files that the map changes, if it changes a kind of labels that files were counted by, and no
 * other: all, all but 0, or those out of range.
 */
static bool count_mapped(const struct deciding *d, uint64_t *files)
{
	const struct fix_facts *f = d->facts;
	bool all = !d->out->unscaled, but_zero = all, but_valid = all;

	for (size_t i = 0; i < d->out->map.count; i++) {
		const struct mapped_id *m = &d->out->map.v[i];
		const bool changes = m->to != m->id, ignored = m->role == ID_IGNORED;

		if (!m->labels)
			continue;
		all &= changes == !ignored;
		but_zero &= changes == (!ignored && m->id);
		but_valid &= changes == (m->role == ID_INVALID);
	}
	*files = all ? f->labelled : but_zero ? f->beyond_zero : f->invalid;
	return all || but_zero || but_valid;
}

/*
 * Fills how many files change. A file has one recoding at most, so those that are recoded are known; of those that the
 * map changes it is known that there are no fewer than of the id that most have.
 */
static void count_files(struct deciding *d, bool refused)
{
	const struct id_map *map = &d->out->map;
	uint64_t most = 0, sum = 0, recoded = 0, mapped;

	for (size_t i = 0; i < map->count; i++) {
		uint64_t files = map->v[i].to != map->v[i].id ? map->v[i].files : 0;

		most = MAX(most, files);
		sum += files;
	}
	for (int i = 0; i < RECODINGS; i++)
		if (d->out->recodings >> i & 1)
			recoded += d->facts->recodable[i][0] + (refused ? 0 : d->facts->recodable[i][1]);
	if (most && !recoded && count_mapped(d, &mapped))
		most = sum = mapped;
	d->out->files = MAX(most, recoded);
	d->out->files_exact = !most || (!recoded && most == sum) || d->out->files == d->facts->files;
}

static bool is_more_than_info(const struct finding_list *findings, size_t rule)
{
	return findings->by_rule[rule] && findings->rule_worst[rule] >= LEVEL_WARNING;
}

/* Fills which rules' findings are repaired. */
static void fill_repairs(struct deciding *d)
{
	const struct id_map *map = &d->out->map;
	const bool mapped = !d->out->why.len && id_map_changes(map);

	d->out->repairs = xcalloc(rule_count + 1, sizeof(*d->out->repairs));
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];
		bool expands = d->out->unscaled && d->out->recodings >> RECODE_EXPAND & 1;
		bool repaired = (expands && !strcmp(rule->name, "scaled-ids")) ||
				(mapped && (rule->repair == REPAIR_MAP || !strcmp(rule->name, "out-of-range-id")));

		for (int k = 0; k < RECODINGS; k++)
			repaired |= d->out->recodings >> k & 1 &&
				    !strcmp(recoding_rule((enum recoding)k), rule->name) &&
				    d->facts->recodable[k][0] + (d->out->why.len ? 0 : d->facts->recodable[k][1]);
		d->out->repairs[i] = repaired && is_more_than_info(d->findings, i);
	}
}

/* ---- what could be declared -------------------------------------------------------------------------------------- */

/*
 * Returns the threshold of grey masks of two classes: 1 where 1 outlines what another id fills, or
 * ids number instances; else the middle, where
 * nine of ten labels are within an eighth of 0 or of the largest id; 0: neither.
 */
static uint32_t threshold_of(const struct deciding *d)
{
	const struct id_map *map = &d->out->map;
	uint64_t all = 0, near = 0;
	int64_t low, high, max = 0;

	if (!two_classes(d->settings, &low, &high) || low || !map->count || d->facts->grey_masks < d->facts->files)
		return 0;
	if (high == 1 && dataset_numbers_instances(d->dataset))
		return 1;
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].role != ID_IGNORED)
			max = MAX(max, map->v[i].id);
	for (size_t i = 0; i < map->count; i++) {
		const struct mapped_id *m = &map->v[i];

		if (m->role == ID_IGNORED)
			continue;
		all += m->labels;
		near += m->id <= max / 8 || m->id >= max - max / 8 ? m->labels : 0;
	}
	if (map->count == 3 && high == 1 && !map->v[0].id && map->v[1].id == 1 && map->v[2].role == ID_INVALID)
		return 1;
	return map->count > 3 && max > 16 && near >= all - all / 10 ? (uint32_t)(max + 1) / 2 : 0;
}

/* Returns whether ids are out of range because of colours alone, which JPEG or smoothing made of those of the table. */
static bool nearest_explains(const struct deciding *d)
{
	struct near_colours n = { 0 };

	for (size_t i = 0; i < d->dataset->ids_count; i++) {
		const struct id_total *t = &d->dataset->ids[i];

		if (settings_role(d->settings, t->id) != ID_INVALID)
			continue;
		if (!id_is_colour(t->id))
			return false;
		near_colours_add(&n, &d->settings->colours, t->id, t->labels, t->thin);
	}
	return near_colours_explain(&n);
}

static void repair_rules(struct deciding *d)
{
	for (size_t i = 0; i < rule_count; i++)
		d->out->repairs[i] |=
			(rule_table[i]->repair == REPAIR_LOSSY || !strcmp(rule_table[i]->name, "out-of-range-id") ||
			 !strcmp(rule_table[i]->name, "image-as-mask")) &&
			is_more_than_info(d->findings, i);
}

/* Suggests what the user could declare, where there is no map. */
static void suggest(struct deciding *d)
{
	struct fix_decision *out = d->out;
	struct id_map *map = &out->map;
	int64_t low, high;

	if (!out->why.len || d->declared || d->facts->keeps_ids.files)
		return;
	const uint32_t threshold = threshold_of(d);

	if (threshold && two_classes(d->settings, &low, &high)) {
		snprintf(out->option, sizeof(out->option), " --threshold %" PRIu32, threshold);
		out->outlines = threshold == 1;
		for (size_t i = 0; i < map->count; i++)
			if (map->v[i].role != ID_IGNORED)
				map->v[i].to = map->v[i].id >= threshold ? high : low;
	} else if (d->settings->colours.count && nearest_explains(d)) {
		snprintf(out->option, sizeof(out->option), " --nearest");
	} else {
		return;
	}
	repair_rules(d);
	count_files(d, false);
	id_map_keep_all(map);
}

void fix_decide(struct fix_decision *out, const struct settings *settings, const struct dataset_stats *dataset,
		const struct finding_list *findings, const struct fix_declared *declared)
{
	struct deciding d = { settings, dataset, &dataset->fix, findings, declared, out };

	*out = (struct fix_decision){ .place = NULL };
	out->unscaled = d.facts->scaled_invalid && !d.facts->samples_invalid;
	out->categories_disagree = !categories_agree(&dataset->categories);
	gather_ids(&d);
	if (!fill_map(&d)) {
		id_map_keep_all(&out->map);
		if (!out->why.len)
			text_addf(&out->why, "no map explains all ids that are out of range");
	} else {
		text_clear(&out->why);
	}
	out->recodings = wanted_recodings(&d);
	count_files(&d, out->why.len);
	fill_repairs(&d);
	suggest(&d);
}

void fix_decision_release(struct fix_decision *d)
{
	id_map_release(&d->map);
	free(d->repairs);
	free(d->place);
	*d = (struct fix_decision){ .place = NULL };
}

bool fix_decision_repairs(const struct fix_decision *d)
{
	for (size_t i = 0; d->repairs && d->files && i < rule_count; i++)
		if (d->repairs[i])
			return true;
	return false;
}

void fix_decision_mark(const struct fix_decision *d, struct finding_list *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct kept_finding *one = &findings->v[i];
		bool its_own = d->map.rule && (!strcmp(d->map.rule, one->rule->name) ||
					       (d->map.unwraps && !strcmp(one->rule->name, map_wrapped_ids.rule)));

		if (one->path)
			continue;
		if (one->rule->repair == REPAIR_MAP)
			one->unrepairable = !its_own;
		else if (one->rule->repair == REPAIR_LOSSY)
			one->unrepairable = !d->option[0];
		else if (one->rule->repair == REPAIR_EXACT)
			one->unrepairable |= !d->repairs[rule_index(one->rule)];
	}
}

bool fix_decision_find_map(const struct settings *settings, const struct dataset_stats *dataset,
			   const struct finding_list *findings, struct fix_decision *out)
{
	static const struct fix_facts none;
	struct deciding d = { settings, dataset, &none, findings, NULL, out };

	*out = (struct fix_decision){ .place = NULL };
	gather_ids(&d);
	return !settings->reduce_zero_label && propose(&d) == MAP_FOUND && out->map.rule && id_map_changes(&out->map) &&
	       ids_have_meanings(&d) && id_map_check(&out->map, settings, &out->why);
}

const char *fix_decision_explain(const struct settings *settings, const struct dataset_stats *dataset,
				 struct finding_list *findings)
{
	struct fix_decision out;
	struct text advice;

	text_clear(&advice);
	if (fix_decision_find_map(settings, dataset, findings, &out) && dataset->files_with_ids > 1)
		text_addf(&advice, "one map explains all ids of the set: %s, in every file", out.map.method.s);
	for (size_t i = 0; i < findings->count && advice.len; i++) {
		struct kept_finding *one = &findings->v[i];

		if (!one->path || (one->rule->repair != REPAIR_MAP && strcmp(one->rule->name, "out-of-range-id") != 0))
			continue;
		free(one->advice);
		one->advice = xstrdup(advice.s);
	}
	const char *rule = advice.len ? out.map.rule : NULL;

	fix_decision_release(&out);
	return rule;
}

void fix_decision_settle(const struct fix_decision *d, struct settings *settings)
{
	if (!d->map.reduces_zero)
		return;
	settings->reduce_zero_label = settings->classes.zero_reduced = false;
	class_set_finish(&settings->classes);
}
