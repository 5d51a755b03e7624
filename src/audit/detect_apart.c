#include "audit/detect_apart.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/thread.h"
#include "layout/detect.h"

struct apart {
	const struct options *options;
	const struct targets *targets;
	struct find_options find;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	/* under the lock */
	bool done;
	/* valid once done */
	struct path_state *states; /* of the PATHs */
	enum status status;
	struct dataset_layouts layouts;
	struct error err;
};

/*
 * Asks what the PATHs are, and walks once to see what kind of set it is; of a large one the progress shows the names
 * that were seen.
 */
static void detect(struct apart *d)
{
	const struct options *options = d->options;
	struct progress progress;

	progress_init(&progress, options->progress == PROGRESS_BAR, options->progress == PROGRESS_LINES,
		      options->unicode);
	progress.unit = "names";
	d->find.progress = &progress;
	path_states_query(d->states, d->find.paths, d->find.paths_count, d->find.io);
	d->find.states = d->states;
	d->status = targets_check_inputs(d->targets, options, d->states, &d->err);
	if (d->status == STATUS_OK)
		d->status = layout_detect(&d->find, &options->settings, &d->layouts, &d->err);
	progress_finish(&progress);
}

static void *detect_main(void *arg)
{
	struct apart *d = arg;

	detect(d);
	pthread_mutex_lock(&d->lock);
	d->done = true;
	pthread_cond_signal(&d->ended);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Returns false if the program was interrupted, and the detection goes on. */
static bool wait_for_end(struct apart *d)
{
	uint64_t stopped_ns = 0;

	pthread_mutex_lock(&d->lock);
	while (!d->done && (!stopped_ns || clock_ns() - stopped_ns < STORAGE_NS)) {
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&d->ended, &d->lock, &until);
		if (stop_signal() && !stopped_ns)
			stopped_ns = clock_ns();
	}
	bool done = d->done;

	pthread_mutex_unlock(&d->lock);
	return done;
}

/* Returns states of PATHs that are not known. */
static struct path_state *no_states(size_t count)
{
	struct path_state *states = xcalloc(count + 1, sizeof(*states));

	for (size_t i = 0; i < count; i++)
		states[i].errnum = ECANCELED;
	return states;
}

enum status detect_apart(const struct options *options, const struct targets *targets, struct find_options *find,
			 struct path_state **states, struct dataset_layouts *layouts, bool *abandoned,
			 struct error *err)
{
	struct apart *d = xcalloc(1, sizeof(*d));
	pthread_t thread;

	d->options = options;
	d->targets = targets;
	d->find = *find;
	d->states = no_states(find->paths_count);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->ended, NULL);
	if (!thread_start(&thread, detect_main, d)) {
		detect(d);
	} else if (wait_for_end(d)) {
		pthread_join(thread, NULL);
	} else {
		exit_now_set();
		*abandoned = true;
		find->states = *states = no_states(find->paths_count);
		layout_of_nothing(&options->settings, layouts);
		return STATUS_OK;
	}
	enum status status = d->status;

	find->states = *states = d->states;
	*layouts = d->layouts;
	*err = d->err;
	pthread_cond_destroy(&d->ended);
	pthread_mutex_destroy(&d->lock);
	free(d);
	return status;
}
