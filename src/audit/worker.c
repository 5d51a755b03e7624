/*
 * One worker of the audit: it loads the files of a work unit, has a backend measure them a batch at a time, and passes
 * each to the rules, the sums and the outputs.
 */
#include "audit/worker.h"

#include <fcntl.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/audit_parts.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"

/* Adds the time since *since to a stage, and sets *since to now. */
static void end_stage(struct worker *w, enum stage stage, uint64_t *since)
{
	uint64_t now = clock_ns();

	w->stage_ns[stage] += now - *since;
	*since = now;
}

static bool is_to_end(const struct audit *a)
{
	return stop_signal() || atomic_load_explicit(&a->shared.stop, memory_order_relaxed);
}

/* ---- a batch ----------------------------------------------------------------------------------------------------- */

/* Ends one file of the batch that was measured: into the cache, to the rules, into the sums. */
static void end_item(struct worker *w, const struct fetched *f, struct batch_item *item)
{
	const struct id_stats *ids = w->batch.ids + item->stats.ids_at;
	struct sample *sample = &item->sample;

	if (sample->status == SAMPLE_READ && !input_unchanged(&item->input, &sample->fault))
		sample->status = SAMPLE_FAILED;
	if (item->cached)
		sample->status = item->cached_status;
	else if (item->cacheable && !(item->input.stream.read && w->load.charge.unpacked))
		cache_put(&w->load.cache, &item->input.st, sample, &item->stats, ids);
	emit_file(&w->emit, &w->judge, f, item, ids);
}

/* Measures the batch, judges its items, and empties it. */
static void flush_batch(struct worker *w)
{
	uint64_t since = clock_ns();

	measure_batch(&w->measure, &w->batch);
	end_stage(w, STAGE_MEASURE, &since);
	const struct batch_item *last = &w->batch.items[w->batch.count - 1];

	work_charge_settle(&w->load.charge, &last->sample, &last->stats);
	/* Make sure batch.ids is not NULL: NULL + offset is undefined behaviour when every file failed. */
	batch_add_ids(&w->batch, 0);
	pthread_mutex_lock(&w->emit.lock);
	for (size_t i = 0; i < w->batch.count; i++)
		end_item(w, &w->unit->files[w->batch_first + i], &w->batch.items[i]);
	pthread_mutex_unlock(&w->emit.lock);
	batch_clear(&w->batch);
	end_stage(w, STAGE_JUDGE, &since);
}

/* ---- a unit ------------------------------------------------------------------------------------------------------ */

/* Adds the i-th file of the unit to the batch. */
static struct batch_item *load_file(struct worker *w, size_t i)
{
	uint64_t since = clock_ns();
	struct batch_item *item = batch_add(&w->batch);
	bool early = task_is_begun(&w->unit->files[i].task);
	struct fetched *f = ahead_file(&w->audit->ahead, w->unit, i, &item->input);

	if (early)
		end_stage(w, STAGE_WAIT, &since);
	load_entry(&w->load, f, w->unit->unit.number, item);
	end_stage(w, STAGE_READ, &since);
	return item;
}

/* Fails if an output would replace the entry's file, be it audited or left out. */
static enum status check_met(const struct audit *a, const struct entry *entry, struct error *err)
{
	return targets_check_met(&a->targets, entry->member ? AT_FDCWD : entry->dirfd,
				 entry->member ? entry->path : entry->name, entry->path, err);
}

/* Reads, measures and judges the entries of the unit; stops early if the audit is stopped. */
static enum status audit_unit(struct worker *w, struct error *err)
{
	const struct backend *backend = w->measure.backend;
	struct audit *a = w->audit;
	uint64_t bytes = 0;

	for (size_t i = 0; i < w->unit->unit.count; i++) {
		if (is_to_end(a)) {
			atomic_store(&a->shared.incomplete, true);
			break;
		}
		if (!w->batch.count)
			w->batch_first = i;
		if (check_met(a, &w->unit->unit.entries[i], err) != STATUS_OK)
			return STATUS_FAILED;
		struct batch_item *item = load_file(w, i);

		bytes += MIN(item->input.size, (uint64_t)INPUT_WHOLE_MAX); /* unknown for a stream */
		/* what it costs is known, or charged, only when it is measured: before the entries after it */
		bool unsettled = item->input.stream.read || w->load.charge.taken;

		if (w->batch.count >= backend->batch_files || bytes >= backend->batch_bytes || unsettled) {
			flush_batch(w);
			bytes = 0;
		}
	}
	work_budget_end_unit(&a->shared.budget, w->unit->unit.number);
	if (w->batch.count)
		flush_batch(w);
	pthread_mutex_lock(&w->emit.lock);
	emit_unit(&w->emit, w->unit->unit.number);
	pthread_mutex_unlock(&w->emit.lock);
	return STATUS_OK;
}

/* Takes the next unit: NULL if there is none, or it is not to be audited. */
static enum status take_unit(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	uint64_t since = clock_ns();

	ahead_give_back(&a->ahead, w->unit);
	w->unit = NULL;
	if (ahead_next(&a->ahead, &w->unit, err) != STATUS_OK)
		return STATUS_FAILED;
	end_stage(w, STAGE_WALK, &since);
	return STATUS_OK;
}

/* Counts the unit, when its texts have a place to wait. Returns false if the audit is to end. */
static bool enter_unit(struct worker *w)
{
	struct audit_shared *shared = &w->audit->shared;
	const uint64_t number = w->unit->unit.number;

	if (!outputs_wait_for_turn(w->emit.outputs, number)) {
		work_budget_end_unit(&shared->budget, number);
		return false;
	}
	pthread_mutex_lock(&shared->lock);
	shared->units = MAX(shared->units, number + 1);
	pthread_mutex_unlock(&shared->lock);
	return true;
}

/* Returns whether a sample is large enough; one worker takes it. However late it is, it has a file that was read. */
static bool is_sampled(const struct worker *w)
{
	const struct id_sample *sample = w->audit->sample;
	const uint64_t read = w->emit.dataset.files_read;

	return sample && (read >= sample->files_max || (read && clock_ns() > sample->until_ns));
}

static enum status audit_units(struct worker *w, struct error *err)
{
	while (!is_to_end(w->audit) && !is_sampled(w)) {
		if (take_unit(w, err) != STATUS_OK)
			return STATUS_FAILED;
		if (!w->unit && !stop_signal()) /* a signal may have ended the walk */
			return STATUS_OK;
		if (!w->unit || !enter_unit(w))
			break;
		if (audit_unit(w, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	atomic_store(&w->audit->shared.incomplete, true);
	return STATUS_OK;
}

enum status worker_run(struct worker *w, struct error *err)
{
	enum status status = audit_units(w, err);

	ahead_give_back(&w->audit->ahead, w->unit); /* others may wait for the archive that it reads */
	w->unit = NULL;
	return status;
}

/* ---- images without a label file --------------------------------------------------------------------------------- */

static void end_image(void *self, const char *path, const struct pairing *pairing)
{
	struct worker *w = self;

	pthread_mutex_lock(&w->emit.lock);
	emit_image(&w->emit, &w->judge, path, pairing);
	pthread_mutex_unlock(&w->emit.lock);
}

enum status worker_audit_images(struct worker *w, bool seek_masks, struct progress *progress, struct error *err)
{
	return pair_walk_images(&w->audit->pairs, w->audit->find, seek_masks, progress, end_image, w, err);
}

/* ---- its life ---------------------------------------------------------------------------------------------------- */

void worker_init(struct worker *w, struct audit *a, int device)
{
	memset(w, 0, sizeof(*w));
	w->audit = a;
	batch_init(&w->batch);
	w->load = (struct load_stage){
		.settings = a->settings,
		.layouts = &a->layouts,
		.source = a->source,
		.pairs = &a->pairs,
		.budget = &a->shared.budget,
		.batch = &w->batch,
	};
	cache_reader_open(&w->load.cache, a->cache);
	measure_stage_init(&w->measure, a->settings, a->backend, device);
	w->measure.measurer.pool = a->pool;
	w->measure.measurer.spare = &a->shared.spare;
	w->measure.measurer.members = &a->members;
	judge_stage_init(&w->judge, a->settings);
	w->emit.settings = a->settings;
	w->emit.shared = &a->shared;
	w->emit.outputs = a->outputs;
	w->emit.observer = a->observer;
	w->emit.names_left_out = a->options->output.verbosity >= 1;
	emit_stage_init(&w->emit);
}

void worker_release(struct worker *w)
{
	emit_stage_release(&w->emit);
	judge_stage_release(&w->judge);
	measure_stage_release(&w->measure);
	cache_reader_close(&w->load.cache);
	batch_release(&w->batch);
}

void worker_close(struct worker *w)
{
	batch_release(&w->batch);
	measure_stage_close(&w->measure);
}
