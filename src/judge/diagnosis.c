#include "judge/diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "judge/role.h"
#include "judge/wording.h"

/* Rules 2 and 4: which rule explains which. The first that fits counts. */
static const struct {
	const char *cause, *effect;
} reasons[] = {
	{ "all-ignored", "foreground-is-ignored" },
	{ "all-ignored", "missing-class" },
	{ "color-mask", "missing-class" },
	{ "color-mask", "mixed-encoding" },
	{ "color-mask", "loader-divergence" },
	{ "image-as-mask", "out-of-range-id" },
	{ "image-as-mask", "missing-class" },
	{ "image-as-mask", "lossy-format" },
	{ "interpolated-dataset", "interpolated-mask" },
	{ "interpolated-dataset", "suspected-interpolation" },
	{ "interpolated-dataset", "background-off-by-one" },
	{ "instance-ids", "wide-ids" },
	{ "wrapped-negative-ids", "out-of-range-id" },
	{ "interpolated-mask", "out-of-range-id" },
	{ "edge-halo", "out-of-range-id" },
	{ "dummy-category", "missing-class" },
	{ "foreground-is-ignored", "only-background" },
	{ "foreground-is-ignored", "missing-class" },
	{ "box-numbers", "box-outside-image" },
	{ "box-numbers", "empty-box" },
	{ "box-numbers", "malformed-box" },
	{ "box-numbers", "unusual-box-size" },
	{ "box-numbers", "contradicting-annotation" },
	{ "dtype-misread", "out-of-range-id" },
	{ "dtype-misread", "missing-class" },
	{ "dtype-misread", "only-background" },
	{ "category-names-differ", "out-of-range-id" },
	{ "category-names-differ", "background-off-by-one" },
	{ "category-names-differ", "missing-class" },
	{ "noncontiguous-categories", "out-of-range-id" },
	{ "noncontiguous-categories", "missing-class" },
	{ "noncontiguous-categories", "background-off-by-one" },
	{ "category-map-differs", "split-drift" },
	{ "hidden-class-folder", "split-drift" },
	{ "class-names-differ", "missing-class" },
	{ "unknown-category", "missing-class" },
	{ "unknown-class-name", "missing-class" },
};

/* Rules that each say what the ids of the set mean: one explains those after it, and of_readings. */
static const char *const readings[] = {
	"hidden-class-folder", "cityscapes-label-ids",  "double-reduced-ids",
	"one-based-ids",       "background-off-by-one", "expanded-bit-depth",
	"scaled-ids",          "instance-ids",          "palette-luma-ids",
};
static const char *const of_readings[] = { "out-of-range-id", "missing-class" };

/* By category: an unread file stops a training at once, a strange share of labels does not. */
static const char *const stops_first[] = { "file", "range", "shape", "encoding", "lists", "coco", "content" };

struct diagnosing {
	const struct dataset_stats *dataset;
	const struct settings *settings;
	const struct fix_decision *decision;
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
	for (size_t i = 0; i < rule_count && d->by[rule_index(rule)]; i++)
		rule = d->by[rule_index(rule)];
	return rule;
}

static void take_reason(struct diagnosing *d, const char *cause_name, const char *effect_name)
{
	const struct rule *cause = rule_find(cause_name), *effect = rule_find(effect_name);
	const uint64_t *fired = d->findings->by_rule;

	if (fired[rule_index(cause)] && fired[rule_index(effect)] && !d->by[rule_index(effect)] &&
	    root_of(d, cause) != effect && explains(d, cause, effect))
		d->by[rule_index(effect)] = cause;
}

static void explain(struct diagnosing *d, const char *map)
{
	static const char *const damage[] = { "interpolated-dataset", "interpolated-mask", "suspected-interpolation" };
	const uint64_t *fired = d->findings->by_rule;
	const struct rule *of_map = map ? rule_find(map) : NULL, *out_of_range = rule_find("out-of-range-id");

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
	/* an outline in its own id is no damage */
	for (size_t i = 0; d->decision && d->decision->outlines && i < ARRAY_SIZE(damage); i++)
		if (fired[rule_index(rule_find(damage[i]))] && fired[rule_index(out_of_range)])
			d->by[rule_index(rule_find(damage[i]))] = out_of_range;
	/* and what chance explains is no cause beside what it is found in */
	if (d->findings->rule_worst[rule_index(rule_find("scaled-ids"))] == LEVEL_INFO &&
	    fired[rule_index(out_of_range)])
		d->by[rule_index(rule_find("scaled-ids"))] = out_of_range;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		take_reason(d, reasons[i].cause, reasons[i].effect);
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
		for (size_t k = i + 1; k < ARRAY_SIZE(readings); k++)
			take_reason(d, readings[i], readings[k]);
		for (size_t k = 0; k < ARRAY_SIZE(of_readings); k++)
			take_reason(d, readings[i], of_readings[k]);
	}
}

static struct cause *cause_of(struct diagnosis *out, const struct rule *rule)
{
	for (size_t i = 0; i < out->count; i++)
		if (out->v[i].rule == rule)
			return &out->v[i];
	GROW(out->v, out->cap, out->count + 1);
	out->v[out->count] = (struct cause){
		.rule = rule, .files = DIAGNOSIS_UNCOUNTED, .labels = DIAGNOSIS_UNCOUNTED, .share = DIAGNOSIS_UNCOUNTED
	};
	return &out->v[out->count++];
}

/* ---- the example ------------------------------------------------------------------------------------------------ */

/* Returns the advice that most of the rule's findings have, of the first ADVICES different ones; or NULL. */
static const char *usual_advice(const struct diagnosing *d, const struct rule *rule)
{
	enum { ADVICES = 8 };
	const char *advice[ADVICES];
	uint64_t findings[ADVICES] = { 0 };
	size_t n = 0, most = 0;

	for (size_t i = 0; i < d->findings->count; i++) {
		const struct kept_finding *f = &d->findings->v[i];
		size_t k = 0;

		if (f->rule != rule || f->baselined || !f->path || !f->advice)
			continue;
		while (k < n && strcmp(advice[k], f->advice) != 0)
			k++;
		if (k == ADVICES)
			continue;
		advice[k] = f->advice;
		n = MAX(n, k + 1);
		findings[k]++;
	}
	for (size_t k = 1; k < n; k++)
		most = findings[k] > findings[most] ? k : most;
	return n ? advice[most] : NULL;
}

/* Returns how well a finding shows the cause: its own rule's before another's, one about the set, then a usual one. */
static int telling(const struct kept_finding *f, const struct rule *rule, const char *usual)
{
	const bool its_usual = usual && f->advice && !strcmp(f->advice, usual);

	return f->rule == rule ? 4 + 2 * !f->path + its_usual : 1;
}

static char *place_of(const struct finding_details *d)
{
	RELEASED struct strbuf out = STRBUF_INIT;

	if (!d || (!d->has_first && !d->line))
		return NULL;
	if (!d->has_first)
		strbuf_addf(&out, "line %" PRIu64 ", column %" PRIu64, d->line, d->column);
	else if (d->first_kind == FIRST_XY)
		strbuf_addf(&out, "x %" PRIu64 ", y %" PRIu64, d->first_x, d->first_y);
	else if (d->first_kind == FIRST_LINE)
		strbuf_addf(&out, "line %" PRIu64 ", column %" PRIu64, d->first_y, d->first_x);
	for (size_t i = 0; d->has_first && d->first_kind == FIRST_INDEX && i < d->first_rank; i++)
		strbuf_addf(&out, "%s%" PRIu64, i ? ", " : "index ", d->first_at[i]);
	return strbuf_detach(&out);
}

static int compare_by_files(const void *pa, const void *pb)
{
	const struct id_total *const *a = pa, *const *b = pb;

	if ((*a)->files != (*b)->files)
		return (*a)->files > (*b)->files ? -1 : 1;
	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* Appends "ids 19 (341 files), 33 (253), 200 (43)", or "ids 2-59" if there are many; and what is valid. Not of one id.
 */
static void add_ids_of_set(const struct diagnosing *d, struct strbuf *out)
{
	enum { SAID = 6 };
	FREED const struct id_total **ids = xcalloc(d->dataset->ids_count + 1, sizeof(*ids));
	FREED int64_t *all = xcalloc(d->dataset->ids_count + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < d->dataset->ids_count; i++)
		if (settings_role(d->settings, d->dataset->ids[i].id) == ID_INVALID && d->dataset->ids[i].labels &&
		    !id_is_colour(d->dataset->ids[i].id))
			all[n] = d->dataset->ids[i].id, ids[n++] = &d->dataset->ids[i];
	qsort(ids, n, sizeof(*ids), compare_by_files);
	if (n > SAID)
		strbuf_addf(out, "ids %s", text_ids(all, n).s);
	for (size_t i = 0; n > 1 && n <= SAID && i < n; i++) {
		strbuf_addf(out, "%s%s (", i ? ", " : "ids ", text_id(ids[i]->id).s);
		if (i)
			strbuf_add_grouped(out, ids[i]->files);
		else
			strbuf_add_count(out, ids[i]->files, "file");
		strbuf_addch(out, ')');
	}
	if (n > 1)
		strbuf_addf(out, "; %s", text_valid_ids(d->settings).s);
	if (n > 1 && dataset_numbers_instances(d->dataset))
		strbuf_adds(out, "; the ids of each file count its objects: numbers of instances, not classes");
}

bool cause_names_example(const struct cause *c)
{
	const char *at = c->message;

	/* as a word */
	while (c->example && at && (at = strstr(at, c->example)) != NULL) {
		if ((at == c->message || at[-1] == ' ' || at[-1] == '(') && strchr(" (#,;:)", at[strlen(c->example)]))
			return true;
		at++;
	}
	return false;
}

/* Fills message, example and remedy from the finding that shows it; a set's message says where to look, too. */
static void take_example(const struct diagnosing *d, struct cause *c)
{
	const struct kept_finding *best = NULL, *of_file = NULL;
	const char *usual = usual_advice(d, c->rule);
	RELEASED struct strbuf message = STRBUF_INIT;

	for (size_t i = 0; i < d->findings->count; i++) {
		const struct kept_finding *f = &d->findings->v[i];

		if (f->baselined || root_of(d, f->rule) != c->rule)
			continue;
		if (!best || telling(f, c->rule, usual) > telling(best, c->rule, usual))
			best = f;
		if (f->path && (!of_file || telling(f, c->rule, usual) > telling(of_file, c->rule, usual)))
			of_file = f;
	}
	if (!best)
		return; /* the list is cut */
	if (c->command && !strcmp(c->rule->name, "out-of-range-id") && d->decision->map.rule)
		strbuf_addf(&message, "%s, in every file", d->decision->map.method.s);
	else if (best->advice)
		strbuf_adds(&message, best->advice);
	c->remedy = message.len ? xmemdup0(message.s, message.len) : NULL;
	strbuf_clear(&message);
	if (of_file) {
		c->example = xstrdup(of_file->path);
		c->member = of_file->member ? xstrdup(of_file->member) : NULL;
		c->place = place_of(of_file->details);
	}
	/* another finding of that file may know it */
	for (size_t i = 0; of_file && !c->place && i < d->findings->count; i++)
		if (same_place(of_file, &d->findings->v[i]) && root_of(d, d->findings->v[i].rule) == c->rule)
			c->place = place_of(d->findings->v[i].details);
	if (c->files != DIAGNOSIS_UNCOUNTED && c->files > 1 && !strcmp(c->rule->name, "out-of-range-id"))
		add_ids_of_set(d, &message);
	const bool of_set = message.len;

	if (!of_set)
		strbuf_adds(&message, best->message);
	c->message = xmemdup0(message.s, message.len);
	if (c->example && !of_set && !best->path && strstr(best->message, "first") && !cause_names_example(c)) {
		free(c->example); /* the message names a file, of another kind */
		free(c->member);
		free(c->place);
		c->example = c->member = c->place = NULL;
	}
	if (c->example && (of_set || !best->path) && !cause_names_example(c)) {
		strbuf_addf(&message, "; for example %s", c->example);
		if (c->member)
			strbuf_addf(&message, "#%s", c->member);
		if (c->place)
			strbuf_addf(&message, " (%s)", c->place);
		free(c->message);
		c->message = xmemdup0(message.s, message.len);
	}
}

static void add_cause(const struct diagnosing *d, struct diagnosis *out, size_t rule)
{
	const struct finding_list *l = d->findings;
	struct cause *c = cause_of(out, root_of(d, rule_table[rule]));
	uint64_t labels = 0, whole = 0;

	c->level = MAX(c->level, l->rule_worst[rule]);
	c->findings += l->by_rule[rule];
	if (d->of_files[rule]) {
		const uint64_t files = l->by_rule[rule] - d->of_set[rule]; /* of which one is the set's */

		c->files = c->files == DIAGNOSIS_UNCOUNTED ? files : MAX(c->files, files);
	}
	if (strcmp(rule_table[rule]->name, "out-of-range-id") != 0)
		return;
	for (size_t i = 0; i < d->dataset->ids_count; i++) {
		const struct id_total *t = &d->dataset->ids[i];
		const enum id_role role = settings_role(d->settings, t->id);

		labels += role == ID_INVALID ? t->labels : 0;
		whole += role != ID_IGNORED ? t->labels : 0;
	}
	c->labels = labels;
	if (whole)
		c->share = (uint64_t)(((decimal_wide)labels * 1000000 + whole / 2) / whole);
}

bool diagnosis_of_images(const struct dataset_stats *dataset, const struct finding_list *findings)
{
	const uint64_t *by_rule = findings->by_rule;
	const uint64_t images =
		by_rule[rule_index(rule_find("image-as-mask"))] + by_rule[rule_index(rule_find("lossy-format"))];

	return 2 * images > dataset->files_read + dataset->files_failed;
}

static void set_command(const struct diagnosing *d, struct cause *c, const char *option, uint64_t files, bool at_least)
{
	RELEASED struct strbuf command = STRBUF_INIT;

	strbuf_addf(&command, "labelaudit fix%s%s", option, d->dataset->fix.words);
	free(c->command);
	c->command = xmemdup0(command.s, command.len);
	c->changes = files;
	c->changes_at_least = at_least;
}

/* Gives the causes that a corrected copy cures, if its option about boxes is declared, the command. */
static void add_box_commands(const struct diagnosing *d, struct diagnosis *out)
{
	static const char *const options[] = { " --clip", " --drop no-area" };

	for (size_t n = 0; n < out->count; n++)
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			struct cause *c = &out->v[n];
			const struct finding_list *l = d->findings;
			uint64_t files = 0;

			for (size_t k = 0; k < l->count; k++)
				files += l->v[k].rule == c->rule && !l->v[k].baselined && l->v[k].advice &&
					 strstr(l->v[k].advice, "labelaudit fix --") &&
					 strstr(l->v[k].advice, options[i]);
			if (files && !c->command)
				set_command(d, c, options[i], files, files < l->by_rule[rule_index(c->rule)]);
		}
}

/* Returns the options with which masks in colours are read, of the advice that most have (rules/color_mask.c); owned.
 */
static char *options_of_colours(const struct diagnosing *d, const struct rule *rule)
{
	const char *advice = d->settings->colours.count ? NULL : usual_advice(d, rule);
	const char *begin = advice ? strstr(advice, "with --colors ") : NULL;
	const char *end = begin ? strstr(begin, " masks are read") : NULL;

	return end ? xmemdup0(begin + strlen("with"), (size_t)(end - begin) - strlen("with")) : NULL;
}

/* Gives each cause that a corrected copy cures the command. */
static void add_commands(const struct diagnosing *d, struct diagnosis *out)
{
	const struct fix_decision *decision = d->decision;
	const char *words = d->dataset->fix.words;

	if (words)
		add_box_commands(d, out);
	if (!decision || !words || diagnosis_of_images(d->dataset, d->findings))
		return;
	for (size_t n = 0; n < out->count; n++) {
		struct cause *c = &out->v[n];
		FREED char *colours = !strcmp(c->rule->name, "color-mask") ? options_of_colours(d, c->rule) : NULL;

		if (colours)
			set_command(d, c, colours, c->files, false);
		else if (fix_decision_repairs(decision) &&
			 (decision->repairs[rule_index(c->rule)] ||
			  (decision->map.rule && !strcmp(decision->map.rule, c->rule->name))))
			set_command(d, c, decision->option, decision->files, !decision->files_exact);
	}
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
	      const char *map, const struct fix_decision *decision, struct finding_list *findings)
{
	struct diagnosing d = { dataset,
				settings,
				decision,
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
	add_commands(&d, out);
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
		free(d->v[i].place);
		free(d->v[i].message);
		free(d->v[i].remedy);
		free(d->v[i].command);
	}
	free(d->v);
	*d = (struct diagnosis){ .v = NULL };
}
