#include "command/propose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command_line.h"
#include "judge/rule.h"
#include "layout/label_folder.h"

enum {
	SAMPLE_FILES = 200,
	CLASSES_MAX = 1024, /* more are numbers of instances, or measured values */
};

enum { RUN_MIN = 4, STEP_MIN = 10 };

struct proposal {
	int64_t largest; /* of the ids that look like classes; -1: none does */
	int64_t stray;   /* an id that is apart from them; 0: none is */
	int64_t step;    /* what the classes were multiplied with; 0: nothing */
	struct strbuf ignore;
};

/* Returns whether an id is one that tools write for what is not trained on, and is apart from the others. */
static bool is_ignored(const struct id_ranges *ids, int64_t id)
{
	static const int64_t usual[] = { 255, 65535, -1, -100, 254, 250 };
	int64_t below = -1;

	if (id < 0)
		return true;
	for (size_t i = 0; i < ids->count; i++)
		if (ids->v[i].last < id)
			below = ids->v[i].last;
	/* 0 and 255 alone are a binary mask */
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (usual[i] == id)
			return below > 0 && below + 1 < id && !id_ranges_contain(ids, id - 1);
	return false;
}

/*
 * Returns whether an id is a mistake, not a class which is rare: it is far above the ids before it, or it is the only
 * one that does not follow a run of ids from 0.
 */
static bool is_outlier(const struct id_ranges *ids, const struct id_range *range, int64_t before)
{
	const bool follows_run = range == &ids->v[1] && ids->v[0].first == 0 && ids->v[0].last + 1 >= RUN_MIN;

	return before > 0 && (range->first > 2 * before + 10 ||
			      (follows_run && range->first == range->last && before == ids->v[0].last));
}

/* Returns the step of ids that are evenly spread from 0, such as 0, 127, 254; else 0. */
static int64_t step_of(const struct id_ranges *ids)
{
	const int64_t step = ids->count > 1 ? ids->v[1].first : 0;

	for (size_t i = 0; i < ids->count; i++)
		if (ids->v[i].first != ids->v[i].last || ids->v[i].first != (int64_t)i * step)
			return 0;
	return step >= STEP_MIN ? step : 0;
}

static void propose(const struct id_ranges *ids, const struct id_ranges *ignored, struct proposal *p)
{
	*p = (struct proposal){ .largest = -1, .ignore = STRBUF_INIT };
	p->step = step_of(ids);
	if (p->step) {
		p->largest = (int64_t)ids->count - 1;
		return;
	}
	for (size_t i = 0; i < ids->count; i++) {
		const struct id_range *range = &ids->v[i];
		bool alone = range->first == range->last;

		if (alone && id_ranges_contain(ignored, range->first))
			continue;
		if (alone && is_ignored(ids, range->first))
			strbuf_addf(&p->ignore, "%s%" PRId64, p->ignore.len ? "," : "", range->first);
		else if (!is_outlier(ids, range, p->largest))
			p->largest = range->last;
		else
			p->stray = range->first;
	}
}

/* Appends "0-20 and 255", or "0, 1 and 255". */
static void add_ids(const struct id_ranges *ids, struct strbuf *out)
{
	enum { SHOWN = 8 };

	for (size_t i = 0; i < ids->count && i < SHOWN; i++) {
		strbuf_adds(out, i == 0 ? "" : i + 1 == ids->count ? " and " : ", ");
		strbuf_addf(out, "%" PRId64, ids->v[i].first);
		if (ids->v[i].last != ids->v[i].first)
			strbuf_addf(out, "%s%" PRId64, ids->v[i].first < 0 ? " to " : "-", ids->v[i].last);
	}
	if (ids->count > SHOWN)
		strbuf_adds(out, " ...");
}

static void write_proposal(const struct options *options, const struct id_sample *sample)
{
	struct strbuf text = STRBUF_INIT, added = STRBUF_INIT;
	struct proposal p;

	propose(&sample->ids, &options->settings.classes.ignored, &p);
	strbuf_addf(&text, "labelaudit: error: --classes is missing; %s ",
		    id_ranges_size(&sample->ids) == 1 ? "id" : "ids");
	add_ids(&sample->ids, &text);
	strbuf_addf(&text, "%s in ", id_ranges_size(&sample->ids) == 1 ? " occurs" : " occur");
	strbuf_adds(&text, sample->cut ? "the first " : "");
	strbuf_add_count(&text, sample->files, "file");
	if (p.largest >= 0 && p.largest < CLASSES_MAX) {
		strbuf_addf(&added, "--classes %" PRId64, p.largest + 1);
		if (p.ignore.len)
			strbuf_addf(&added, " --ignore %s", p.ignore.s);
		strbuf_adds(&text, ": try\n  ");
		command_line_add(options, added.s, NULL, NULL, &text);
	} else {
		strbuf_adds(&text, ": as many classes as your model has, or --preset (--preset list prints them)");
	}
	strbuf_addch(&text, '\n');
	if (added.len && p.step)
		strbuf_addf(&text, "  the ids are classes times %" PRId64 ": the audit says how they are divided\n",
			    p.step);
	if (added.len && p.stray)
		strbuf_addf(&text, "  %" PRId64 " is out of range then; if it is a class: --classes %" PRId64 "\n",
			    p.stray, p.stray + 1);
	log_text(text.s);
	strbuf_release(&p.ignore);
	strbuf_release(&added);
	strbuf_release(&text);
}

static void fail_without_ids(const struct options *options, struct error *err)
{
	const char *path = options->input.paths.count ? options->input.paths.v[0] : NULL;
	struct strbuf folder = STRBUF_INIT;

	if (path && label_folder_beside(path, &folder))
		error_set(err, "--classes is missing, and no ids were found in %s; did you mean labelaudit %s?", path,
			  folder.s);
	else
		error_set(err, "--classes or --preset is required: how many classes are there? For example: " EXAMPLE);
	strbuf_release(&folder);
}

enum status propose_classes(struct options *options, struct error *err)
{
	struct id_sample sample = { .files_max = SAMPLE_FILES };

	options->output.format = "none";
	options->output.files_count = 0;
	options->output.progress = PROGRESS_NONE;
	options->output.verbosity = -1;
	options->run.jobs = 1;
	options->run.device.choice = DEVICE_CPU;
	options->run.cache.on = false;
	options->input.images = options->baseline.file = options->baseline.write = NULL;
	options->settings.images.folder = NULL;
	options->settings.images.judged = false;
	for (size_t i = 0; i < rule_count; i++)
		options->settings.rules.levels[i] = LEVEL_OFF;
	enum status status = audit_sample(options, &sample, err);

	if (status == STATUS_OK && sample.ids.count)
		write_proposal(options, &sample);
	else if (status == STATUS_OK)
		fail_without_ids(options, err);
	free(sample.ids.v);
	return STATUS_FAILED;
}
