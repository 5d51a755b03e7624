#include "audit/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/apart.h"
#include "audit/index_members.h"
#include "audit/pick_device.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/path_state.h"
#include "layout/dataset_layout.h"

/* ---- what is audited --------------------------------------------------------------------------------------------- */

/* Returns states of PATHs that are not known. */
static struct path_state *no_states(size_t count)
{
	struct path_state *states = xcalloc(count + 1, sizeof(*states));

	for (size_t i = 0; i < count; i++)
		states[i].errnum = ECANCELED;
	return states;
}

/*
 * Asks what the PATHs are, and walks once to see what kind of set it is; of a large one the progress shows the names
 * that were seen.
 */
static enum status detect(struct prepared *p, struct error *err)
{
	struct audit *a = &p->audit;
	const struct options *options = a->options;
	struct progress progress;

	progress_init(&progress, options->output.progress == PROGRESS_BAR, options->output.progress == PROGRESS_LINES,
		      options->output.unicode);
	progress.unit = "names";
	p->find.progress = &progress;
	path_states_query(p->states, p->find.paths, p->find.paths_count, p->find.pool);
	enum status status = targets_check_inputs(&a->targets, options, p->states, err);

	if (status == STATUS_OK)
		status = layout_detect(&p->find, a->settings, &a->layouts, err);
	if (status == STATUS_OK && !options->input.explain)
		status = layouts_ask(&a->layouts, &p->find, err);
	if (status == STATUS_OK && !options->input.explain && !options->input.list && a->settings->images.judged)
		status = index_members(&p->find, &a->layouts, &a->members, err);
	layouts_set_members(&a->layouts, &a->members);
	progress_finish(&progress);
	p->find.progress = NULL;
	return status;
}

/* Makes the source find what the kind of the data set asks for. */
static void set_find(struct prepared *p)
{
	struct audit *a = &p->audit;
	const struct options *options = a->options;
	struct find_options *find = &p->find;

	if (layouts_folders(&a->layouts, true)) {
		find->hidden = find->follow = true; /* as ImageFolder does */
		find->members.names_only = true;
	}
	find->members.classify = classify_member;
	find->members.chooser = &a->layouts;
	find->members.heads_only = options->input.list;
	a->find = find;
}

static bool are_folders(const struct find_options *find)
{
	for (size_t i = 0; i < find->paths_count; i++)
		if (!path_is_folder(find, i))
			return false;
	return !find->files_from;
}

static enum status open_source(struct prepared *p, struct error *err)
{
	struct audit *a = &p->audit;
	const struct options *options = a->options;
	enum status status = source_open(&a->source, &p->find, err);
	const char *root = a->settings->list.root;

	if (status == STATUS_OK && root && access(root, X_OK) < 0)
		return error_set_errno(err, errno, "--root: cannot open '%s'", root);
	if (status != STATUS_OK || !options->input.images)
		return status;
	a->folders_only = are_folders(&p->find);
	status = pairs_open(&a->pairs, options->input.images, p->find.paths, p->find.paths_count,
			    &options->input.taken.channels, err);
	if (status == STATUS_OK && options->settings.images.compared)
		a->pairs.limits = &options->settings.limits;
	return status;
}

/* ---- how --------------------------------------------------------------------------------------------------------- */

/* Describes what measures, all GPUs if there are several. */
static enum status probe_devices(const struct audit *a, char *text, size_t n, struct error *err)
{
	RELEASED struct strbuf all = STRBUF_INIT;
	enum status status = STATUS_OK;

	for (unsigned i = 0; status == STATUS_OK && i < a->devices_count; i++) {
		char one[128] = "";

		status = a->backend->probe(a->devices[i], one, sizeof(one), err);
		strbuf_addf(&all, "%s%s", i ? ", " : "", one);
	}
	snprintf(text, n, "%s", all.s);
	return status;
}

static void set_backend(struct audit *a)
{
	a->backend = backend_of(a->options);
	memcpy(a->devices, a->options->run.device.cuda, sizeof(a->devices));
	a->devices_count = a->options->run.device.cuda_count;
}

/* Sets a->backend and describes what measures. With the libpng decoder the CPU is to be compared: no GPU replaces it.
 */
static enum status choose_backend(struct audit *a, struct run_facts *run, struct error *err)
{
	struct device_pick pick;

	set_backend(a);
	if (a->options->run.device.choice == DEVICE_AUTO && a->backend == &backend_cpu) {
		if (pick_device(a, run->jobs, &pick, err) != STATUS_OK)
			return STATUS_FAILED;
		a->backend = pick.backend;
		snprintf(a->shared.note, sizeof(a->shared.note), "%s", pick.note);
		snprintf(run->device, sizeof(run->device), "%s", pick.text);
		if (pick.count) {
			memcpy(a->devices, pick.devices, sizeof(a->devices));
			a->devices_count = pick.count;
		}
	}
	return run->device[0] ? STATUS_OK : probe_devices(a, run->device, sizeof(run->device), err);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static enum status prepare(struct prepared *p, struct error *err)
{
	struct audit *a = &p->audit;
	const struct options *options = a->options;
	enum status status = targets_resolve(&a->targets, options, err);

	if (status != STATUS_OK)
		return status;
	a->pool = p->find.pool = pool_open(options->run.io);
	status = detect(p, err);
	if (status != STATUS_OK)
		return status;
	set_find(p);
	status = open_source(p, err);
	if (status != STATUS_OK || options->input.list || options->input.explain)
		return status;
	if (options->run.cache.on)
		a->cache = cache_open(a->settings, options->run.cache.folder);
	status = choose_backend(a, &p->facts, err);
	return status == STATUS_OK ? baseline_session_open(&a->baseline, options, err) : status;
}

static void prepare_apart(void *self)
{
	struct prepared *p = self;

	p->status = prepare(p, &p->err);
}

static struct prepared *prepared_new(const struct options *options)
{
	struct prepared *p = xcalloc(1, sizeof(*p));
	struct audit *a = &p->audit;

	a->options = options;
	a->settings = &options->settings;
	p->facts.jobs = options->run.jobs ? options->run.jobs : cpu_usable_cores();
	p->find = options->input.find;
	p->find.limits = options->settings.limits;
	strbuf_init(&a->members.texts);
	p->find.states = p->states = no_states(p->find.paths_count);
	return p;
}

/* Prepares an audit that finds nothing: it asks nothing of storage. */
static void prepare_nothing(struct prepared *p)
{
	struct audit *a = &p->audit;

	p->find.files_from = NULL;
	layout_of_nothing(a->settings, &a->layouts);
	set_find(p);
	a->pairs.images_fd = -1;
	set_backend(a);
	p->status = source_open(&a->source, &p->find, &p->err);
}

struct prepared *audit_prepare(const struct options *options)
{
	struct prepared *p = prepared_new(options);

	if (!run_apart(prepare_apart, p, 0)) {
		p = prepared_new(options); /* the other one is the thread's */
		prepare_nothing(p);
	}
	struct audit *a = &p->audit;

	pthread_mutex_init(&a->shared.lock, NULL);
	work_budget_init(&a->shared.budget, a->settings->limits.pixel_budget, &a->shared.stop);
	pthread_cond_init(&a->shared.worker_ended, NULL);
	return p;
}

static void close_cache(void *cache)
{
	cache_close(cache);
}

void audit_close_cache(struct audit *a)
{
	struct cache *cache = a->cache;

	a->cache = NULL;
	if (cache)
		run_apart(close_cache, cache, 0);
}

void prepared_free(struct prepared *p)
{
	struct audit *a = &p->audit;

	if (!last_wait_given_up())
		audit_close_cache(a); /* still open if the audit did not begin */
	if (!pool_stop(a->pool) || last_wait_given_up())
		return;
	pthread_cond_destroy(&a->shared.worker_ended);
	work_budget_release(&a->shared.budget);
	pthread_mutex_destroy(&a->shared.lock);
	baseline_session_close(&a->baseline);
	if (a->pairs.images)
		pairs_close(&a->pairs);
	source_close(a->source);
	dataset_layouts_release(&a->layouts);
	member_images_release(&a->members);
	pool_close(p->find.pool);
	targets_release(&a->targets);
	free(p->states);
	free(p);
}
