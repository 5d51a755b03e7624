#include "judge/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/role.h"

/*
 * Which rule explains which: where both fire, the second is what the first looks like to it. A cause about the set
 * explains all; one about files must have fired in nearly all files with the effect, or, of an effect about the set, in
 * nearly all files. The first that fits counts.
 */
static const struct {
	const char *cause, *effect;
} reasons[] = {
	{ "color-mask", "missing-class" },
	{ "color-mask", "mixed-encoding" },
	{ "color-mask", "loader-divergence" },
	{ "image-as-mask", "out-of-range-id" },
	{ "image-as-mask", "missing-class" },
	{ "image-as-mask", "lossy-format" },
	{ "hidden-class-folder", "out-of-range-id" },
	{ "hidden-class-folder", "background-off-by-one" },
	{ "hidden-class-folder", "one-based-ids" },
	{ "hidden-class-folder", "missing-class" },
	{ "interpolated-dataset", "interpolated-mask" },
	{ "interpolated-dataset", "background-off-by-one" },
	{ "one-based-ids", "out-of-range-id" },
	{ "one-based-ids", "scaled-ids" },
	{ "background-off-by-one", "out-of-range-id" },
	{ "background-off-by-one", "scaled-ids" },
	{ "cityscapes-label-ids", "out-of-range-id" },
	{ "double-reduced-ids", "out-of-range-id" },
	{ "expanded-bit-depth", "scaled-ids" },
	{ "expanded-bit-depth", "out-of-range-id" },
	{ "scaled-ids", "out-of-range-id" },
	{ "scaled-ids", "missing-class" },
	{ "instance-ids", "out-of-range-id" },
	{ "instance-ids", "wide-ids" },
	{ "palette-luma-ids", "out-of-range-id" },
	{ "wrapped-negative-ids", "out-of-range-id" },
	{ "interpolated-mask", "out-of-range-id" },
	{ "edge-halo", "out-of-range-id" },
	{ "dummy-category", "missing-class" },
	{ "foreground-is-ignored", "only-background" },
	{ "foreground-is-ignored", "missing-class" },
};

/* By category: an unread file stops a training at once, a strange share of labels does not. */
static const char *const stops_first[] = { "file", "range", "shape", "encoding", "lists", "coco", "content" };

struct diagnosing {
	const struct dataset_stats *dataset;
	const struct settings *settings;
	struct finding_list *findings;
	const struct rule **by; /* the rule that explains a rule, or NULL; indexed as rule_table */
	bool *of_files;         /* some finding of it is about a file */
	bool *of_set;           /* and about the set */
};

static bool same_place(const struct kept_finding *a, const struct kept_finding *b)
{
	if (!a->path || !b->path || strcmp(a->path, b->path) != 0)
		return false;
	return a->member == b->member || (a->member && b->member && !strcmp(a->member, b->member));
}

/* Returns whether nine of ten files with the effect have the cause, too. */
static bool covers_files(const struct finding_list *l, const struct rule *cause, const struct rule *effect)
{
	uint64_t effects = 0, both = 0;

	for (size_t i = 0, end; i < l->count; i = end) {
		bool has_cause = false, has_effect = false;

		for (end = i; end == i || (end < l->count && same_place(&l->v[i], &l->v[end])); end++) {
			has_cause |= l->v[end].rule == cause;
			has_effect |= l->v[end].rule == effect && l->v[end].path && !l->v[end].baselined;
		}
		effects += has_effect;
		both += has_effect && has_cause;
	}
	return effects && 10 * both >= 9 * effects;
}

static bool explains(const struct diagnosing *d, const struct rule *cause, const struct rule *effect)
{
	const size_t c = rule_index(cause), e = rule_index(effect);
	const uint64_t files = d->dataset->files_read;

	if (d->of_set[c])
		return true;
	if (d->of_set[e])
		return d->findings->by_rule[c] >= files - files / 10;
	return covers_files(d->findings, cause, effect);
}

/* Returns the cause at the end of a chain of explanations. */
static const struct rule *root_of(const struct diagnosing *d, const struct rule *rule)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons) && d->by[rule_index(rule)]; i++)
		rule = d->by[rule_index(rule)];
	return rule;
}

static void explain(struct diagnosing *d, const char *map)
{
	const uint64_t *fired = d->findings->by_rule;
	const struct rule *of_map = map ? rule_find(map) : NULL;

	if (of_map && d->settings->rules.levels[rule_index(of_map)] == LEVEL_OFF)
		of_map = NULL;
	/* one map explains the ids of all files: other rules report what the ids look like without it */
	for (size_t i = 0; of_map && i < rule_count; i++) {
		const struct rule *r = rule_table[i];

		if (fired[i] && r != of_map &&
		    (!strcmp(r->category, of_map->category) || !strcmp(r->name, "missing-class") ||
		     (!strcmp(r->name, "expanded-bit-depth") && !strcmp(map, "scaled-ids"))))
			d->by[i] = of_map;
	}
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		const struct rule *cause = rule_find(reasons[i].cause), *effect = rule_find(reasons[i].effect);

		if (fired[rule_index(cause)] && fired[rule_index(effect)] && !d->by[rule_index(effect)] &&
		    root_of(d, cause) != effect && explains(d, cause, effect))
			d->by[rule_index(effect)] = cause;
	}
}

static struct cause *cause_of(struct diagnosis *out, const struct rule *rule)
{
	for (size_t i = 0; i < out->count; i++)
		if (out->v[i].rule == rule)
			return &out->v[i];
	GROW(out->v, out->cap, out->count + 1);
	out->v[out->count] =
		(struct cause){ .rule = rule, .files = DIAGNOSIS_UNCOUNTED, .labels = DIAGNOSIS_UNCOUNTED };
	return &out->v[out->count++];
}

static char *copy_of(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

/* Takes the finding that shows it: its own before another's, and one about the set, which tells the whole, first. */
static void take_example(const struct diagnosing *d, struct cause *c)
{
	const struct kept_finding *best = NULL;

	for (size_t i = 0; i < d->findings->count; i++) {
		const struct kept_finding *f = &d->findings->v[i];

		if (f->baselined || root_of(d, f->rule) != c->rule)
			continue;
		if (!best || (f->rule == c->rule && best->rule != c->rule) ||
		    (f->rule == c->rule && !f->path && best->path))
			best = f;
	}
	if (!best)
		return; /* the list is cut */
	c->example = copy_of(best->path);
	c->member = copy_of(best->member);
	c->message = copy_of(best->message);
	c->remedy = copy_of(best->advice);
}

static void add_cause(const struct diagnosing *d, struct diagnosis *out, size_t rule)
{
	const struct finding_list *l = d->findings;
	struct cause *c = cause_of(out, root_of(d, rule_table[rule]));
	uint64_t labels = 0;

	c->level = MAX(c->level, l->rule_worst[rule]);
	c->findings += l->by_rule[rule];
	if (d->of_files[rule])
		c->files = c->files == DIAGNOSIS_UNCOUNTED ? l->by_rule[rule] : MAX(c->files, l->by_rule[rule]);
	if (strcmp(rule_table[rule]->name, "out-of-range-id") != 0)
		return;
	for (size_t i = 0; i < d->dataset->ids_count; i++)
		if (settings_role(d->settings, d->dataset->ids[i].id) == ID_INVALID)
			labels += d->dataset->ids[i].labels;
	c->labels = labels;
}

static size_t stop_of(const struct rule *rule)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(stops_first) && strcmp(stops_first[i], rule->category) != 0)
		i++;
	return i;
}

static int compare_causes(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;
	const size_t stop_a = stop_of(a->rule), stop_b = stop_of(b->rule);

	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	if (stop_a != stop_b)
		return stop_a < stop_b ? -1 : 1;
	if (a->findings != b->findings)
		return a->findings > b->findings ? -1 : 1;
	return strcmp(a->rule->name, b->rule->name);
}

void diagnose(struct diagnosis *out, const struct dataset_stats *dataset, const struct settings *settings,
	      const char *map, struct finding_list *findings)
{
	struct diagnosing d = { dataset,
				settings,
				findings,
				xcalloc(rule_count + 1, sizeof(*d.by)),
				xcalloc(rule_count + 1, sizeof(*d.of_files)),
				xcalloc(rule_count + 1, sizeof(*d.of_set)) };

	*out = (struct diagnosis){ .v = NULL };
	for (size_t i = 0; i < findings->count; i++) {
		const struct kept_finding *f = &findings->v[i];

		(f->path ? d.of_files : d.of_set)[rule_index(f->rule)] |= !f->baselined;
	}
	for (size_t i = 0; i < rule_count; i++) /* the list may be cut */
		d.of_files[i] |= findings->by_rule[i] && !d.of_set[i] && !rule_table[i]->check_dataset;
	explain(&d, map);
	for (size_t i = 0; i < rule_count; i++)
		if (findings->by_rule[i])
			add_cause(&d, out, i);
	for (size_t i = 0; i < out->count; i++)
		take_example(&d, &out->v[i]);
	for (size_t i = 0; i < findings->count; i++) {
		const struct rule *root = root_of(&d, findings->v[i].rule);

		findings->v[i].explained_by = root != findings->v[i].rule && !findings->v[i].baselined ? root : NULL;
	}
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), compare_causes);
	free(d.by);
	free(d.of_files);
	free(d.of_set);
}

void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->v[i].example);
		free(d->v[i].member);
		free(d->v[i].message);
		free(d->v[i].remedy);
	}
	free(d->v);
	*d = (struct diagnosis){ .v = NULL };
}

bool diagnosis_explains(const struct diagnosis *d, const struct finding_list *findings)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->v[i].findings > findings->by_rule[rule_index(d->v[i].rule)])
			return true;
	return false;
}
