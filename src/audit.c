#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cache.h"
#include "find/archive.h"
#include "find/source.h"
#include "judge/dataset.h"
#include "judge/interpolation.h"
#include "judge/rule.h"
#include "judge/verdict.h"
#include "known.h"
#include "measure/backend.h"
#include "measure/label_reader.h"
#include "pair_up.h"
#include "per_path.h"
#include "read/gunzip.h"
#include "read/peek.h"
#include "report/report.h"
#include "sinks.h"
#include "sort_out.h"
#include "stop.h"

/* Files of a unit of work: enough that a draw costs nothing, few enough that the last units end together. */
enum { UNIT_FILES = 32 };

/*
 * A file whose open and read took longer than this came from a disk, not from the page cache (2 to 7 us). When most
 * files of a unit did, the next unit is prefetched: most, not on average, since one preempted thread is slow, too.
 */
enum { COLD_READ_NS = 25000 };

/* Standard input holds one label file; more than any limit on pixels could fill is refused while it is read. */
#define STANDARD_INPUT_MAX ((uint64_t)1 << 30)

struct audit {
	const struct options *options;
	const struct settings *settings;
	const struct backend *backend;
	struct sorting sorting;
	bool folders_only; /* all PATHs are folders */
	struct source *source;
	struct sinks *sinks;
	struct pairs pairs;  /* with --images */
	struct known known;  /* with --baseline, --write-baseline */
	struct cache *cache; /* with --cache */

	pthread_mutex_t lock;
	pthread_cond_t worker_ended;
	/* under the lock */
	struct finding_list findings;
	uint64_t units; /* drawn so far */
	unsigned workers_running;
	struct error error; /* the first worker that failed */
	char note[256];

	atomic_bool stop;       /* a worker failed: the others end after the file in hand */
	atomic_bool incomplete; /* something could not be read, or was not reached */
	atomic_uint_fast64_t files_done;
	atomic_uint_fast64_t files_with_findings;
};

/* One thread's own; nothing in it is shared while it runs. */
struct worker {
	struct audit *audit;
	pthread_t thread;
	void *backend;
	struct unit unit;
	struct batch batch;
	struct label_meter meter;
	struct pair_seeker seeker; /* with --images */
	bool names_images; /* a label file of many images was seen: its images have no label file of their own */
	struct per_path_matcher per_path;
	struct cache_reader cache;
	struct dataset_stats dataset;
	struct finding *findings; /* rule_count of them: those of the file in hand */
	struct strbuf *texts;     /* one a streaming format: the unit in hand */
	uint64_t stage_ns[STAGES];
	bool cold; /* files come from a disk: prefetch */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Adds the time since *since to a stage, and starts the next. */
static void end_stage(struct worker *w, enum stage stage, uint64_t *since)
{
	uint64_t now = now_ns();

	w->stage_ns[stage] += now - *since;
	*since = now;
}

/* ---- judge ------------------------------------------------------------------------------------------------------ */

/* Asks every rule about one file. Returns how many findings are in w->findings. */
static size_t judge_file(struct worker *w, const struct subject *s)
{
	const bool *off = per_path_off(&w->per_path, s->sample->path);
	unsigned offers = subject_offers(s);
	size_t count = 0;

	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];
		struct finding *f = &w->findings[count];

		if (!rule->check_file || (rule->needs & offers) != rule->needs ||
		    s->settings->rule_levels[i] == LEVEL_OFF || (off && off[i]))
			continue;
		finding_init(f, rule);
		if (!rule->check_file(s, f))
			continue;
		f->level = verdict_level(s->settings, i, f->level);
		count++;
	}
	return count;
}

/* With --images. Members of archives have no images beside them; lists and COCO files name their images themselves. */
static const struct pairing *find_partner(struct worker *w, const struct sample *sample)
{
	if (!w->audit->settings->pairing || sample->status == SAMPLE_SKIPPED || sample->member || sample->archive)
		return NULL;
	if (sample->format == FORMAT_LIST || sample->format == FORMAT_COCO) {
		w->names_images = true;
		return NULL;
	}
	return pair_seek_image(&w->seeker, sample->below);
}

/* Before they are written anywhere: it also marks those that are known. */
static void keep_findings(struct audit *a, struct finding *findings, size_t count, const struct sample *sample)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < count; i++)
		finding_list_add(&a->findings, &findings[i], sample->path, sample->member);
	pthread_mutex_unlock(&a->lock);
}

/* Judges one file whose measuring is over, one way or the other, and counts it. */
static void end_file(struct worker *w, const struct sample *sample, const struct label_stats *stats,
		     const struct id_stats *ids)
{
	struct audit *a = w->audit;
	const struct subject subject = { a->settings, sample, stats, ids, find_partner(w, sample) };
	size_t count = sample->status == SAMPLE_SKIPPED ? 0 : judge_file(w, &subject);
	/* Asked here: whether interpolated-mask was chosen must not change what is said of the set. */
	bool interpolated = sample->status == SAMPLE_READ && interpolation_tests(stats, ids) & INTERPOLATION_DAMAGED;

	if (sample->fault.kind == FAULT_UNREADABLE)
		atomic_store(&a->incomplete, true);
	if (sample->status != SAMPLE_ARCHIVE)
		dataset_add(&w->dataset, a->settings, sample, stats, ids, interpolated);
	if (count) {
		keep_findings(a, w->findings, count, sample);
		atomic_fetch_add_explicit(&a->files_with_findings, 1, memory_order_relaxed);
	}
	for (size_t i = 0; i < sinks_streams(a->sinks); i++)
		sinks_stream(a->sinks, i)->file(&subject, w->findings, count, &w->texts[i]);
	atomic_fetch_add_explicit(&a->files_done, 1, memory_order_relaxed);
}

/* ---- read and measure ------------------------------------------------------------------------------------------- */

static void fail_sample(struct sample *sample)
{
	sample->status = SAMPLE_FAILED;
}

/* Of a folder that holds both, the masks are meant. */
static bool lies_below_images(const struct audit *a, const struct entry *entry)
{
	size_t n;

	if (!a->settings->pairing || entry->named)
		return false;
	n = strlen(a->pairs.images);
	return !strncmp(entry->path, a->pairs.images, n) && entry->path[n] == '/';
}

/* Told from its state alone, without opening it. */
static bool take_cached(struct worker *w, const struct entry *entry, struct batch_item *item)
{
	struct stat st;

	if (!w->cache.connection || fstatat(entry->dirfd, entry->name, &st, 0) < 0 || !S_ISREG(st.st_mode) ||
	    !cache_take(&w->cache, &st, &w->batch, item))
		return false;
	item->cached = true;
	item->cached_status = item->sample.status;
	item->sample.status = SAMPLE_SKIPPED; /* until it is judged */
	return true;
}

/* A member of an archive: in the unit's memory, or a stream, whose length the archive declares. */
static bool open_member(const struct entry *entry, struct input *input, struct fault *fault)
{
	const struct input_stream stream = { .self = entry->stream, .read = archive_stream_read };

	_Static_assert((uint64_t)INPUT_WHOLE_MAX == (uint64_t)UNIT_MEMBER_MAX, "what is streamed is so for both");
	if (!entry->stream) {
		input_from_memory(input, entry->bytes, entry->bytes_len, fault);
		return true;
	}
	if (!input_from_stream(input, &stream, fault))
		return false;
	if (!input->bytes)
		input->size = entry->size;
	return true;
}

/* Opens what there is to read. False: there is nothing, and the sample says why; or it is known already. */
static bool open_entry(struct worker *w, const struct entry *entry, struct batch_item *item)
{
	const struct audit *a = w->audit;
	struct sample *sample = &item->sample;
	bool opened = false;

	if (entry->failed) {
		sample->fault = entry->fault;
	} else if (entry->archive) {
		sample->status = SAMPLE_ARCHIVE;
		return false;
	} else if (entry->standard_input) {
		opened = input_read_fd(&item->input, STDIN_FILENO, entry->bytes, entry->bytes_len, STANDARD_INPUT_MAX,
				       &sample->fault);
	} else {
		enum claim claim = entry->skipped || lies_below_images(a, entry)
					   ? CLAIM_OTHER
					   : sort_out_entry(entry, &a->sorting, &sample->fault);

		if (claim == CLAIM_OTHER) {
			sample->status = SAMPLE_SKIPPED;
			sample->lacks_label = !a->settings->pairing && !entry->member && !entry->skipped &&
					      sort_out_lacks_label(entry, &a->sorting);
			return false;
		}
		if (claim == CLAIM_LABELS && !entry->member && take_cached(w, entry, item))
			return false;
		item->cacheable = !entry->member;
		opened = claim == CLAIM_LABELS &&
			 (entry->member ? open_member(entry, &item->input, &sample->fault)
					: input_open(&item->input, entry->dirfd, entry->name, &sample->fault));
	}
	if (!opened)
		fail_sample(sample);
	return opened;
}

/* Fills item from the entry; its status tells whether there is anything to measure. */
static void load_entry(struct worker *w, const struct entry *entry, struct batch_item *item)
{
	const struct audit *a = w->audit;
	struct sample *sample = &item->sample;

	sample->path = entry->path;
	sample->below = entry->below ? entry->path + entry->below : entry->name;
	sample->split = (uint8_t)source_split(a->source, entry);
	sample->named = entry->named || entry->standard_input;
	sample->member = entry->member;
	sample->member_repeated = entry->repeated;
	sample->member_name_cut = entry->name_cut;
	sample->archive = entry->archive;
	fault_clear(&sample->fault);
	fault_clear(&sample->remark);
	if (!open_entry(w, entry, item))
		return;
	sample->file_bytes = item->input.size;

	uint8_t head[PEEK_BYTES];
	int64_t n = gunzip_open(&item->input, head, &a->settings->limits, &sample->fault);

	if (n < 0) {
		fail_sample(sample);
		return;
	}
	const struct label_reader *reader = sort_out_reader(entry, &a->sorting, head, (size_t)n, &sample->fault);

	if (reader)
		sample->format = reader->format;
	else
		fail_sample(sample);
}

/* Measures what the batch holds, judges it, and empties it. */
static enum status flush_batch(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	uint64_t since = now_ns();
	enum status status = a->backend->measure(w->backend, &w->batch, err);

	if (status == STATUS_OK)
		label_meter_measure(&w->meter, &w->batch);
	end_stage(w, STAGE_MEASURE, &since);
	for (size_t i = 0; status == STATUS_OK && i < w->batch.count; i++) {
		struct batch_item *item = &w->batch.items[i];

		if (item->sample.status == SAMPLE_READ && !input_unchanged(&item->input, &item->sample.fault))
			fail_sample(&item->sample);
		if (item->sample.status == SAMPLE_READ && item->input.remark)
			fault_set(&item->sample.remark, FAULT_MALFORMED, item->input.remark_at, "%s",
				  item->input.remark);
		if (item->cached)
			item->sample.status = item->cached_status;
		else if (item->cacheable)
			cache_put(&w->cache, &item->input.st, &item->sample, &item->stats,
				  w->batch.ids + item->stats.ids_at);
		end_file(w, &item->sample, &item->stats, w->batch.ids + item->stats.ids_at);
	}
	batch_clear(&w->batch);
	end_stage(w, STAGE_JUDGE, &since);
	return status;
}

static void prefetch_unit(const struct unit *unit)
{
	for (size_t i = 0; i < unit->count; i++)
		if (!unit->entries[i].failed && !unit->entries[i].standard_input && !unit->entries[i].member &&
		    !unit->entries[i].archive)
			input_prefetch(unit->entries[i].dirfd, unit->entries[i].name);
}

/* One unit, whole unless the audit is stopped. */
static enum status audit_unit(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	uint64_t bytes = 0;
	size_t slow = 0;

	if (w->cold)
		prefetch_unit(&w->unit);
	for (size_t i = 0; i < w->unit.count; i++) {
		if (stop_signal() || atomic_load_explicit(&a->stop, memory_order_relaxed)) {
			atomic_store(&a->incomplete, true);
			break;
		}
		struct batch_item *item = batch_add(&w->batch);
		uint64_t before = now_ns(), since = before;

		load_entry(w, &w->unit.entries[i], item);
		end_stage(w, STAGE_READ, &since);
		slow += !item->sample.member && !item->cached && since - before > COLD_READ_NS;
		bytes += MIN(item->input.size, (uint64_t)INPUT_WHOLE_MAX); /* of a stream it is unknown */
		if (w->batch.count >= a->backend->batch_files || bytes >= a->backend->batch_bytes) {
			if (flush_batch(w, err) != STATUS_OK)
				return STATUS_FAILED;
			bytes = 0;
		}
	}
	w->cold = 2 * slow > w->unit.count;
	return w->batch.count ? flush_batch(w, err) : STATUS_OK;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void count_unit(struct audit *a, uint64_t number)
{
	pthread_mutex_lock(&a->lock);
	a->units = MAX(a->units, number + 1);
	pthread_mutex_unlock(&a->lock);
}

static enum status work(struct worker *w, struct error *err)
{
	struct audit *a = w->audit;
	size_t unit_files = MAX((size_t)UNIT_FILES, a->backend->batch_files);

	while (!stop_signal() && !atomic_load_explicit(&a->stop, memory_order_relaxed)) {
		uint64_t since = now_ns();

		unit_clear(&w->unit);
		if (source_draw(a->source, &w->unit, unit_files, err) != STATUS_OK)
			return STATUS_FAILED;
		end_stage(w, STAGE_WALK, &since);
		if (!w->unit.count)
			return STATUS_OK;
		if (!sinks_wait_for_turn(a->sinks, w->unit.number))
			break;
		count_unit(a, w->unit.number);
		if (audit_unit(w, err) != STATUS_OK)
			return STATUS_FAILED;
		sinks_put(a->sinks, w->unit.number, w->texts);
	}
	atomic_store(&a->incomplete, true);
	return STATUS_OK;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct audit *a = w->audit;
	struct error err = ERROR_INIT;
	enum status status = work(w, &err);

	unit_clear(&w->unit); /* others may wait for the archive that it reads */
	const char *note = a->backend->note(w->backend);

	pthread_mutex_lock(&a->lock);
	if (status != STATUS_OK) {
		atomic_store(&a->stop, true);
		if (!a->error.text[0])
			a->error = err;
	}
	if (note[0] && !a->note[0])
		snprintf(a->note, sizeof(a->note), "%s", note);
	a->workers_running--;
	pthread_cond_signal(&a->worker_ended);
	pthread_mutex_unlock(&a->lock);
	if (status != STATUS_OK) {
		source_stop(a->source);
		sinks_stop(a->sinks);
	}
	return NULL;
}

/* number: of the worker; several GPUs share the workers. */
static enum status worker_init(struct worker *w, struct audit *a, unsigned number, struct error *err)
{
	int device = a->options->cuda_devices[number % a->options->cuda_devices_count];

	memset(w, 0, sizeof(*w));
	w->audit = a;
	if (a->backend->open(&w->backend, a->settings, device, err) != STATUS_OK)
		return STATUS_FAILED;
	unit_init(&w->unit);
	batch_init(&w->batch);
	label_meter_init(&w->meter, a->settings);
	pair_seeker_init(&w->seeker, &a->pairs);
	per_path_init(&w->per_path, a->settings);
	cache_reader_open(&w->cache, a->cache);
	dataset_init(&w->dataset);
	w->findings = xcalloc(rule_count, sizeof(*w->findings));
	w->texts = xcalloc(sinks_streams(a->sinks) + 1, sizeof(*w->texts));
	for (size_t i = 0; i < sinks_streams(a->sinks); i++)
		strbuf_init(&w->texts[i]);
	return STATUS_OK;
}

static void worker_release(struct worker *w)
{
	for (size_t i = 0; i < sinks_streams(w->audit->sinks); i++)
		strbuf_release(&w->texts[i]);
	free(w->texts);
	free(w->findings);
	dataset_release(&w->dataset);
	cache_reader_close(&w->cache);
	per_path_release(&w->per_path);
	pair_seeker_release(&w->seeker);
	label_meter_release(&w->meter);
	batch_release(&w->batch);
	unit_release(&w->unit);
	w->audit->backend->close(w->backend);
}

static void draw_progress(struct audit *a, struct progress *progress)
{
	bool complete;
	uint64_t total = source_progress(a->source, &complete);

	progress_update(progress, atomic_load_explicit(&a->files_done, memory_order_relaxed), complete ? total : 0,
			atomic_load_explicit(&a->files_with_findings, memory_order_relaxed));
}

/* Waits until all workers have ended; meanwhile draws the progress. Wakes ten times a second. */
static void wait_for_workers(struct audit *a, struct progress *progress)
{
	pthread_mutex_lock(&a->lock);
	while (a->workers_running) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		int rc = pthread_cond_timedwait(&a->worker_ended, &a->lock, &until);

		if (rc == ETIMEDOUT) {
			pthread_mutex_unlock(&a->lock);
			if (stop_signal()) {
				source_stop(a->source);
				sinks_stop(a->sinks);
			}
			draw_progress(a, progress);
			pthread_mutex_lock(&a->lock);
		}
	}
	pthread_mutex_unlock(&a->lock);
}

/* Signals are for the main thread: it sleeps in a timed wait and every worker looks at the flag anyway. */
static bool start_worker(struct worker *w)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int rc = pthread_create(&w->thread, NULL, worker_main, w);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

/* An image that no label file belongs to, or whose stem another has; self: the worker whose tables are used. */
static void end_image(void *self, const char *path, const struct pairing *pairing)
{
	struct worker *w = self;
	struct audit *a = w->audit;
	const struct sample sample = { .path = path, .status = SAMPLE_SKIPPED };
	const struct label_stats stats = { 0 };
	const struct subject subject = { a->settings, &sample, &stats, NULL, pairing };
	size_t count = judge_file(w, &subject);

	keep_findings(a, w->findings, count, &sample);
	for (size_t i = 0; count && i < sinks_streams(a->sinks); i++)
		sinks_stream(a->sinks, i)->file(&subject, w->findings, count, &w->texts[i]);
	if (count && sinks_streams(a->sinks))
		sinks_put(a->sinks, a->units++, w->texts);
}

/* When all files are done. Without folders there is nowhere to look for the label file of an image. */
static enum status audit_images(struct audit *a, struct worker *workers, unsigned count, struct dataset_stats *total,
				struct error *err)
{
	bool seek_masks = a->folders_only;

	for (unsigned i = 0; i < count; i++)
		total->images_flat |= workers[i].seeker.flat || workers[i].names_images;
	seek_masks &= !total->images_flat;
	if (stop_signal())
		return STATUS_OK;
	return pair_walk_images(&a->pairs, &a->options->find, seek_masks, end_image, &workers[0], err);
}

/*
 * Runs `jobs` workers to the end of the source and adds up their sums. Fewer threads than asked for is no failure as
 * long as there is one.
 */
static enum status run_workers(struct audit *a, unsigned jobs, struct dataset_stats *total, struct run_facts *run,
			       struct progress *progress, struct error *err)
{
	struct worker *workers = xcalloc(jobs, sizeof(*workers));
	unsigned ready = 0, started = 0;
	enum status status = STATUS_OK;

	while (ready < jobs && status == STATUS_OK) {
		status = worker_init(&workers[ready], a, ready, err);
		if (status == STATUS_OK)
			dataset_borrow_contents(&workers[ready++].dataset, total);
	}
	while (status == STATUS_OK && started < ready) {
		pthread_mutex_lock(&a->lock);
		a->workers_running++;
		pthread_mutex_unlock(&a->lock);
		if (!start_worker(&workers[started])) {
			pthread_mutex_lock(&a->lock);
			a->workers_running--;
			pthread_mutex_unlock(&a->lock);
			if (!started)
				status = error_set(err, "cannot start a thread");
			break;
		}
		started++;
	}
	wait_for_workers(a, progress);
	for (unsigned i = 0; i < SPLITS_MAX; i++)
		dataset_name_split(total, i, source_splits(a->source)->names[i]);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		dataset_merge(total, &workers[i].dataset);
		for (int stage = 0; stage < STAGES; stage++)
			run->stage_ns[stage] += workers[i].stage_ns[stage];
	}
	if (status == STATUS_OK && !a->error.text[0] && a->settings->pairing)
		status = audit_images(a, workers, ready, total, err);
	for (unsigned i = 0; i < ready; i++)
		worker_release(&workers[i]);
	free(workers);
	if (status == STATUS_OK && a->error.text[0]) {
		*err = a->error;
		status = STATUS_FAILED;
	}
	return status;
}

/* ---- the whole audit -------------------------------------------------------------------------------------------- */

/* LABELAUDIT_DECODER=libpng: the plain reference instead of the fast path, to compare them. */
static bool reference_wanted(void)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	return decoder && !strcmp(decoder, "libpng");
}

static enum status check_environment(struct error *err)
{
	const char *decoder = getenv("LABELAUDIT_DECODER");

	if (decoder && strcmp(decoder, "libpng") && strcmp(decoder, "fast"))
		return error_set(err, "LABELAUDIT_DECODER=%s: expected libpng or fast", decoder);
	return STATUS_OK;
}

const struct backend *audit_backend(const struct options *options)
{

	switch (options->device) {
	case DEVICE_CUDA:
		return &backend_cuda;
	case DEVICE_SIM:
		return &backend_sim;
	case DEVICE_AUTO: /* uploading decoded pixels cannot win against the CPU path that has to decode them */
	case DEVICE_CPU:
		break;
	}
	return reference_wanted() ? &backend_cpu_reference : &backend_cpu;
}

/* Bytes that were resident at most. */
static uint64_t peak_memory(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) < 0 ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

static void timestamp(char out[32])
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* --list: the paths that an audit would read, one a line, or NUL-terminated with -0. */
static enum status list_files(const struct audit *a, int *signal_number, struct error *err)
{
	struct unit unit;
	struct strbuf text = STRBUF_INIT;
	enum status status;

	unit_init(&unit);
	do {
		unit_clear(&unit);
		strbuf_clear(&text);
		status = source_draw(a->source, &unit, UNIT_FILES, err);
		for (size_t i = 0; status == STATUS_OK && i < unit.count; i++) {
			struct fault fault;

			fault_clear(&fault);
			if (unit.entries[i].archive || unit.entries[i].skipped ||
			    sort_out_entry(&unit.entries[i], &a->sorting, &fault) != CLAIM_LABELS)
				continue;
			strbuf_adds(&text, unit.entries[i].path);
			if (unit.entries[i].member) {
				strbuf_addch(&text, '#');
				strbuf_adds(&text, unit.entries[i].member);
			}
			strbuf_addch(&text, a->options->find.nul_separated ? '\0' : '\n');
		}
		if (status == STATUS_OK && text.len &&
		    (fwrite(text.s, 1, text.len, stdout) != text.len || fflush(stdout) != 0)) {
			if (errno == EPIPE)
				*signal_number = SIGPIPE;
			else
				error_set_errno(err, errno, "cannot write the list");
			status = STATUS_FAILED;
		}
	} while (status == STATUS_OK && unit.count);
	strbuf_release(&text);
	unit_release(&unit);
	return status;
}

/* Says why an audit that read nothing is not a clean one. */
static enum status check_matched(const struct audit *a, const struct dataset_stats *d, struct error *err)
{
	/* a shard may be empty: the merge sees whether all are */
	if (d->files > d->files_skipped || a->options->allow_empty || stop_signal() || a->settings->shards)
		return STATUS_OK;
	if (d->files)
		return error_set(err, "no label file among the %llu files found (see --kind, or pass --allow-empty)",
				 (unsigned long long)d->files);
	return error_set(err, "no file matched (pass --allow-empty if that is fine)");
}

static enum status report_audit(struct audit *a, const struct dataset_stats *dataset, struct run_facts *run,
				uint64_t start_ns, struct error *err)
{
	struct report report = {
		.settings = a->settings,
		.dataset = dataset,
		.findings = &a->findings,
		.complete = !atomic_load(&a->incomplete),
		.root = a->options->paths.count ? a->options->paths.v[0] : NULL,
		.colour = a->options->colour == WHEN_ALWAYS,
		.unicode = a->options->unicode,
		.statistics = a->options->statistics,
		.verbosity = a->options->verbosity,
	};

	/* Of a shard's sums a rule would say what the whole does not bear out: they are judged when all are added up.
	 */
	if (!a->settings->shards)
		verdict_dataset(a->settings, dataset, &a->findings);
	finding_list_finish(&a->findings);
	snprintf(run->note, sizeof(run->note), "%s", a->note);
	known_note(&a->known, a->settings, report.complete, run->baseline_note, sizeof(run->baseline_note));
	run->seconds = 1e-9 * (double)(now_ns() - start_ns);
	run->peak_memory = peak_memory();
	report.run = *run;
	enum status status = sinks_report(a->sinks, a->options, &report, err);

	if (a->options->verbosity >= 1 && a->cache) {
		struct strbuf text = STRBUF_INIT;

		strbuf_adds(&text, "labelaudit: ");
		cache_summary(a->cache, &text);
		strbuf_addch(&text, '\n');
		log_text(text.s);
		strbuf_release(&text);
	}
	if (a->options->verbosity >= 0 && run->baseline_note[0]) {
		log_text("labelaudit: note: ");
		log_text(run->baseline_note);
		log_text("\n");
	}
	if (!err->text[0] && known_write(&a->known, report.complete, err) != STATUS_OK)
		status = STATUS_FAILED;
	return status;
}

/* What measures, in words: all GPUs, if there are several. */
static enum status probe_devices(const struct audit *a, char *text, size_t n, struct error *err)
{
	struct strbuf all = STRBUF_INIT;
	enum status status = STATUS_OK;

	for (unsigned i = 0; status == STATUS_OK && i < a->options->cuda_devices_count; i++) {
		char one[128] = "";

		status = a->backend->probe(a->options->cuda_devices[i], one, sizeof(one), err);
		strbuf_addf(&all, "%s%s", i ? ", " : "", one);
	}
	snprintf(text, n, "%s", all.s);
	strbuf_release(&all);
	return status;
}

static enum status run_audit(struct audit *a, struct error *err)
{
	const struct options *options = a->options;
	struct dataset_stats dataset;
	struct run_facts run = { .jobs = options->jobs ? options->jobs : cpu_usable_cores() };
	uint64_t start_ns = now_ns();
	struct progress progress;
	enum status status;

	timestamp(run.started);
	a->backend = audit_backend(options);
	status = probe_devices(a, run.device, sizeof(run.device), err);
	if (status != STATUS_OK)
		return status;
	status = known_open(&a->known, options, err);
	if (status == STATUS_OK)
		status = sinks_open(&a->sinks, options, run.started, err);
	if (status != STATUS_OK)
		return status;
	stop_install();
	if (options->cache)
		a->cache = cache_open(a->settings, options->cache_folder, options->cache_verify);
	dataset_init(&dataset);
	finding_list_init(&a->findings, a->settings->max_findings);
	known_watch(&a->known, &a->findings);
	progress_init(&progress, options->progress == PROGRESS_BAR, options->progress == PROGRESS_LINES);
	status = run_workers(a, run.jobs, &dataset, &run, &progress, err);
	progress_finish(&progress);
	if (status == STATUS_OK)
		status = check_matched(a, &dataset, err);
	if (status == STATUS_OK && dataset.contents)
		content_table_sort(dataset.contents); /* as the report of a shard writes it down */
	if (status == STATUS_OK)
		status = report_audit(a, &dataset, &run, start_ns, err);
	if (sinks_pipe_closed(a->sinks))
		err->text[0] = '\0';
	if (a->cache && status != STATUS_FAILED && cache_verdict(a->cache, err) != STATUS_OK)
		status = STATUS_FAILED;
	cache_close(a->cache);
	finding_list_release(&a->findings);
	dataset_release(&dataset);
	return status;
}

static bool are_folders(const struct find_options *find)
{
	struct stat st;

	for (size_t i = 0; i < find->paths_count; i++)
		if (stat(find->paths[i], &st) < 0 || !S_ISDIR(st.st_mode))
			return false;
	return !find->files_from;
}

enum status audit_run(const struct options *options, int *signal_number, struct error *err)
{
	struct audit a = { .options = options, .settings = &options->settings };
	struct find_options find = options->find;
	enum status status = check_environment(err);

	*signal_number = 0;
	find.limits = options->settings.limits;
	if (status == STATUS_OK)
		status = sort_out_census(&find, options->settings.kind, &a.sorting, err);
	if (status != STATUS_OK)
		return status;
	find.wants_member = sort_out_wants;
	find.chooser = &a.sorting;
	find.heads_only = options->list;
	status = source_open(&a.source, &find, err);
	if (status == STATUS_OK && options->images) {
		a.folders_only = are_folders(&options->find);
		status = pairs_open(&a.pairs, options->images, options->find.paths, options->find.paths_count, err);
		if (status != STATUS_OK)
			source_close(a.source);
	}
	if (status != STATUS_OK)
		return status;
	pthread_mutex_init(&a.lock, NULL);
	pthread_cond_init(&a.worker_ended, NULL);
	status = options->list ? list_files(&a, signal_number, err) : run_audit(&a, err);
	if (a.sinks) {
		*signal_number = sinks_pipe_closed(a.sinks) ? SIGPIPE : stop_signal();
		sinks_close(a.sinks);
	}
	known_close(&a.known);
	pthread_cond_destroy(&a.worker_ended);
	pthread_mutex_destroy(&a.lock);
	if (options->images)
		pairs_close(&a.pairs);
	source_close(a.source);
	return status;
}
