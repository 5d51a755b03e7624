/*
 * One worker of the audit: it loads the entries of a work unit (load_entry.c), has a backend measure them a batch at a
 * time, and passes each to the rules, the sums and the outputs.
 */
#include "audit/audit_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/escape.h"
#include "base/late.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "judge/cure.h"
#include "judge/finding_list.h"
#include "judge/interpolation.h"
#include "judge/rule.h"
#include "measure/image_content.h"
#include "read/input.h"

/* ---- storage ----------------------------------------------------------------------------------------------------- */

void worker_enter_storage(struct worker *w)
{
	atomic_store(&w->in_storage, true);
}

void worker_leave_storage(struct worker *w)
{
	atomic_store(&w->in_storage, false);
	if (stop_signal() && worker_is_abandoned(w))
		for (;;)
			pause();
}

bool worker_is_abandoned(struct worker *w)
{
	pthread_mutex_lock(&w->audit->lock);
	bool abandoned = w->abandoned;

	pthread_mutex_unlock(&w->audit->lock);
	return abandoned;
}

bool worker_abandon(struct worker *w)
{
	pthread_mutex_lock(&w->audit->lock);
	w->abandoned = atomic_load(&w->in_storage);
	bool abandoned = w->abandoned;

	pthread_mutex_unlock(&w->audit->lock);
	return abandoned;
}

/* ---- judge ------------------------------------------------------------------------------------------------------- */

static void choose_rules(struct worker *w, unsigned facts_available)
{
	const enum level *levels = w->audit->settings->rule_levels;

	w->rules_count = 0;
	w->facts_available = facts_available;
	for (size_t i = 0; i < rule_count; i++)
		if (levels[i] != LEVEL_OFF && rule_applies(rule_table[i], facts_available))
			w->rules[w->rules_count++] = i;
}

/*
 * Applies the rules to one file, but those that were applied already because they need only the facts `judged`. Appends
 * to w->findings, which has `count`, and returns their number. off: by rule, or NULL.
 */
static size_t apply_rules(struct worker *w, const struct rule_input *s, unsigned judged, const bool *off, size_t count)
{
	const bool *unread_only = rule_input_unread(s) ? NULL : w->audit->settings->unread_only;
	unsigned facts_available = rule_input_facts(s);

	if (facts_available != w->facts_available)
		choose_rules(w, facts_available);
	for (size_t at = 0; at < w->rules_count; at++) {
		size_t i = w->rules[at];
		struct finding *f = &w->findings[count];

		if ((unread_only && unread_only[i]) || (judged && !(rule_table[i]->facts_needed & ~judged)))
			continue;
		finding_init(f, rule_table[i]);
		if (!rule_check_file(rule_table[i], s, f))
			continue;
		if (off && off[i]) { /* the report counts what --per-path left out */
			w->dataset.per_path_findings++;
			continue;
		}
		verdict_set_level(s->settings, i, f);
		cure_judge(f, s);
		count++;
	}
	return count;
}

/* Applies the rules to one file. Returns the number of findings, which are in w->findings. */
static size_t judge_file(struct worker *w, const struct rule_input *s)
{
	const bool *off = path_rules_off(&w->path_rules, s->sample->path);
	size_t count = apply_rules(w, s, 0, off, 0);

	if (s->stats->colours && one_channel_init(&w->one_channel, s)) {
		count = apply_rules(w, &w->one_channel.input, rule_input_facts(s), off, count);
		dataset_add_channel(&w->dataset, &w->one_channel.input);
	}
	w->dataset.per_path_files += off != NULL;
	return count;
}

void worker_add_image(struct worker *w, int dirfd, const char *name, const char *path, unsigned split)
{
	const struct settings *settings = w->audit->settings;
	uint64_t content[2];

	if (!settings->check_images || !split)
		return;
	bool nested = atomic_load(&w->in_storage);

	worker_enter_storage(w);
	bool read = image_content_read(dirfd, name, &settings->limits, content);

	worker_leave_storage(w);
	if (read)
		dataset_add_image(&w->dataset, content, split, path);
	if (nested)
		worker_enter_storage(w);
}

/*
 * Returns the image of a label file, with --images. Members of archives have no images beside them; lists and COCO
 * files name their images themselves; the files of an ImageFolder are the images.
 */
static const struct pairing *find_partner(struct worker *w, const struct batch_item *item)
{
	const struct sample *sample = &item->sample;

	if (!w->audit->settings->pairing || sample->status == SAMPLE_SKIPPED || sample->member || sample->archive)
		return NULL;
	if (sample->format == FORMAT_LIST || sample->format == FORMAT_COCO || sample->format == FORMAT_FOLDER) {
		w->names_images = true;
		return NULL;
	}
	size_t at = w->batch_first + (size_t)(item - w->batch.items);
	struct fetched *f = w->ahead ? &w->ahead->files[at] : NULL;
	struct pair_seeker *seeker = f && f->has_partner ? &f->partner : &w->seeker;
	const struct pairing *pairing = &seeker->pairing;

	if (seeker == &w->seeker) {
		worker_enter_storage(w);
		pair_seek_image(seeker, sample->rel_path);
		worker_leave_storage(w);
	}
	w->seeker.flat |= seeker->flat;
	if (pairing->state == PAIR_FOUND)
		worker_add_image(w, w->audit->pairs.images_fd, pairing->partner + seeker->name_at, pairing->partner,
				 sample->split);
	return pairing;
}

/* Adds findings to the audit's list, which also marks those of the baseline; so call it before writing them. */
static void keep_findings(struct audit *a, struct finding *findings, size_t count, const struct sample *sample)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < count; i++)
		finding_list_add(&a->findings, &findings[i], sample->path, sample->member);
	pthread_mutex_unlock(&a->lock);
}

/* Says with --verbose why a name was left out. */
static void log_left_out(const struct sample *sample)
{
	struct strbuf text = STRBUF_INIT;
	char *place = sample_place(sample);

	strbuf_adds(&text, "labelaudit: left out: ");
	escape_terminal(&text, place, strlen(place));
	strbuf_addf(&text, " (%s%s)\n", skip_reason_name((enum skip_reason)sample->skip_reason),
		    sample->looks_like_labels ? ", looks like labels" : "");
	log_text(text.s);
	free(place);
	strbuf_release(&text);
}

/* Judges one file, measured or not, and counts it. */
static void end_file(struct worker *w, const struct batch_item *item, const struct id_stats *ids)
{
	struct audit *a = w->audit;
	const struct sample *sample = &item->sample;
	const struct label_stats *stats = &item->stats;
	const struct rule_input input = rule_input_of(a->settings, sample, stats, ids, find_partner(w, item));

	if (sample->status == SAMPLE_SKIPPED && a->options->verbosity >= 1)
		log_left_out(sample);
	size_t count = sample->status == SAMPLE_SKIPPED ? 0 : judge_file(w, &input);
	/* from the tests, not from the findings, since the verdict on the set must not depend on the rules selected */
	bool interpolated = input.interpolation & INTERPOLATION_DAMAGED;

	if (sample->fault.kind == FAULT_UNREADABLE)
		atomic_store(&a->incomplete, true);
	if (sample->status != SAMPLE_ARCHIVE)
		dataset_add(&w->dataset, a->settings, sample, stats, ids, interpolated);
	cure_add_file(&w->dataset, &input, item->cached ? NULL : &item->input);
	if (count) {
		keep_findings(a, w->findings, count, sample);
		for (size_t i = 0; i < count; i++)
			w->dataset.provisional_findings += w->findings[i].provisional && !w->findings[i].baselined;
		atomic_fetch_add_explicit(&a->files_with_findings, 1, memory_order_relaxed);
	}
	if (a->sample_masks && sample->status == SAMPLE_READ && sample->format == FORMAT_PNG && !sample->member)
		gallery_samples_offer(&w->samples, sample->path);
	for (size_t i = 0; i < outputs_streams(a->outputs); i++)
		outputs_stream(a->outputs, i)->file(&input, w->findings, count, &w->texts[i]);
	if (a->observer)
		a->observer->file(a->observer->self, &input, &item->input, w->findings, count);
	atomic_fetch_add_explicit(&a->files_done, 1, memory_order_relaxed);
}

/* ---- measure ------------------------------------------------------------------------------------------------------
 */

/* Ends one item of the batch that was measured: into the cache, to the rules, into the sums. */
static void end_item(struct worker *w, struct batch_item *item)
{
	const struct id_stats *ids = w->batch.ids + item->stats.ids_at;
	struct sample *sample = &item->sample;

	if (sample->status == SAMPLE_READ && !input_unchanged(&item->input, &sample->fault))
		sample->status = SAMPLE_FAILED;
	if (sample->status == SAMPLE_READ && item->input.warning)
		fault_set(&sample->warning, FAULT_MALFORMED, item->input.warning_at, "%s", item->input.warning);
	if (item->cached)
		sample->status = item->cached_status;
	else if (item->cacheable && !(item->input.stream.read && w->charge.unpacked))
		cache_put(&w->cache, &item->input.st, sample, &item->stats, ids);
	end_file(w, item, ids);
}

/* Measures the batch, judges its items, and empties it. */
static void flush_batch(struct worker *w)
{
	uint64_t since = clock_ns();

	worker_enter_storage(w); /* long files are read meanwhile */
	w->backend->measure(w->backend_self, &w->batch);
	label_measurer_measure(&w->measurer, &w->batch);
	for (size_t i = 0; i < w->batch.count; i++)
		grey_plane_measure(&w->grey_plane, w->audit->settings, &w->batch.items[i], &w->batch);
	worker_leave_storage(w);
	worker_end_stage(w, STAGE_MEASURE, &since);
	const struct batch_item *last = &w->batch.items[w->batch.count - 1];

	work_charge_settle(&w->charge, &last->sample, &last->stats);
	/* Make sure batch.ids is not NULL: NULL + offset is undefined behaviour when every file failed. */
	batch_add_ids(&w->batch, 0);
	for (size_t i = 0; i < w->batch.count; i++)
		end_item(w, &w->batch.items[i]);
	batch_clear(&w->batch);
	worker_end_stage(w, STAGE_JUDGE, &since);
}

size_t worker_unit_files(const struct worker *w)
{
	return MAX((size_t)WORK_UNIT_FILES, w->backend->batch_files);
}

enum status worker_audit_unit(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	uint64_t bytes = 0;
	uint64_t since = clock_ns();

	for (size_t i = 0; i < w->unit.count; i++) {
		if (stop_signal() || atomic_load_explicit(&a->stop, memory_order_relaxed)) {
			atomic_store(&a->incomplete, true);
			break;
		}
		if (!w->ahead && read_ahead_is_due(&a->ahead, &w->late))
			read_ahead_start(&a->ahead, &w->late, &w->ahead, &w->unit, i, worker_unit_files(w));
		struct fetched *f = w->ahead ? &w->ahead->files[i] : NULL;

		if (f && !read_ahead_wait(&a->ahead, f)) {
			atomic_store(&a->incomplete, true);
			break;
		}
		if (f)
			worker_end_stage(w, STAGE_WAIT, &since);
		if (!w->batch.count)
			w->batch_first = i;
		struct batch_item *item = batch_add(&w->batch);
		uint64_t before = since;

		if (!f)
			late_begin();
		worker_enter_storage(w);
		load_entry(w, &w->unit.entries[i], f, item);
		worker_leave_storage(w);
		if (w->replaced)
			return audit_refuse_output(w->replaced, w->unit.entries[i].path, err);
		worker_end_stage(w, STAGE_READ, &since);
		if (!f && !item->sample.member)
			read_ahead_note_time(&w->late, since - before);
		bytes += MIN(item->input.size, (uint64_t)INPUT_WHOLE_MAX); /* unknown for a stream */
		/* what it costs is known, or charged, only when it is measured: before the entries after it */
		bool unsettled = item->input.stream.read || w->charge.taken;

		if (w->batch.count >= w->backend->batch_files || bytes >= w->backend->batch_bytes || unsettled) {
			flush_batch(w);
			bytes = 0;
			since = clock_ns();
		}
	}
	work_budget_end_unit(&a->budget, w->unit.number);
	if (w->batch.count)
		flush_batch(w);
	return STATUS_OK;
}

/* ---- images without a label file --------------------------------------------------------------------------------- */

/* Judges an image without a label file, or with another problem of pairing. self: the worker whose tables are used. */
static void end_image(void *self, const char *path, const struct pairing *pairing)
{
	struct worker *w = self;
	struct audit *a = w->audit;
	const struct label_stats stats = { 0 };
	struct sample sample = { .path = path, .status = SAMPLE_SKIPPED };

	worker_leave_storage(w);
	if (pairing->state == PAIR_UNREADABLE) {
		sample.fault = pairing->fault;
		atomic_store(&a->incomplete, true);
	}
	const struct rule_input input = rule_input_of(a->settings, &sample, &stats, NULL, pairing);
	size_t count = judge_file(w, &input);

	keep_findings(a, w->findings, count, &sample);
	for (size_t i = 0; count && i < outputs_streams(a->outputs); i++)
		outputs_stream(a->outputs, i)->file(&input, w->findings, count, &w->texts[i]);
	if (count && outputs_streams(a->outputs))
		outputs_submit(a->outputs, a->units++, w->texts);
	worker_enter_storage(w);
}

enum status worker_audit_images(struct worker *w, bool seek_masks, struct progress *progress, struct error *err)
{
	worker_enter_storage(w);
	enum status status =
		pair_walk_images(&w->audit->pairs, w->audit->find, seek_masks, progress, end_image, w, err);

	worker_leave_storage(w);
	return status;
}

/* ---- its life ---------------------------------------------------------------------------------------------------- */

void worker_init(struct worker *w, struct audit *a, const struct backend *backend, int device)
{
	memset(w, 0, sizeof(*w));
	w->audit = a;
	w->backend = backend;
	w->device = device;
	work_unit_init(&w->unit);
	folder_role_init(&w->folder);
	batch_init(&w->batch);
	label_measurer_init(&w->measurer, a->settings);
	pair_seeker_init(&w->seeker, &a->pairs);
	path_rules_init(&w->path_rules, a->settings);
	cache_reader_open(&w->cache, a->cache);
	dataset_init(&w->dataset);
	w->rules = xcalloc(rule_count, sizeof(*w->rules));
	choose_rules(w, FACTS_NONE);
	w->findings = xcalloc(rule_count, sizeof(*w->findings));
	w->texts = xcalloc(outputs_streams(a->outputs) + 1, sizeof(*w->texts));
	for (size_t i = 0; i < outputs_streams(a->outputs); i++)
		strbuf_init(&w->texts[i]);
}

void worker_release(struct worker *w)
{
	for (size_t i = 0; i < outputs_streams(w->audit->outputs); i++)
		strbuf_release(&w->texts[i]);
	free(w->texts);
	free(w->findings);
	free(w->rules);
	gallery_samples_release(&w->samples);
	dataset_release(&w->dataset);
	cache_reader_close(&w->cache);
	path_rules_release(&w->path_rules);
	pair_seeker_release(&w->seeker);
	label_measurer_release(&w->measurer);
	grey_plane_release(&w->grey_plane);
	worker_close(w);
}

enum status worker_open(struct worker *w, struct error *err)
{
	if (w->backend_self)
		return STATUS_OK;
	return w->backend->open(&w->backend_self, w->audit->settings, w->device, err);
}

void worker_close(struct worker *w)
{
	batch_release(&w->batch);
	work_unit_release(&w->unit);
	if (w->backend_self)
		w->backend->close(w->backend_self);
	w->backend_self = NULL;
}
