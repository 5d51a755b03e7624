#include "audit/detect_apart.h"

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
	struct find_options find;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	/* under the lock */
	bool done;
	/* valid once done */
	enum status status;
	struct dataset_layouts layouts;
	struct error err;
};

/* Walks once to see what kind of set it is; of a large one the progress shows the names that were seen. */
static void detect(struct apart *d)
{
	const struct options *options = d->options;
	struct progress progress;

	progress_init(&progress, options->progress == PROGRESS_BAR, options->progress == PROGRESS_LINES,
		      options->unicode);
	progress.unit = "names";
	d->find.progress = &progress;
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

static enum status detect_nothing(const struct find_options *find, const struct settings *settings,
				  struct dataset_layouts *layouts, struct error *err)
{
	struct find_options listed = *find;

	listed.files_from = "";
	listed.leave_listings = NULL;
	return layout_detect(&listed, settings, layouts, err);
}

enum status detect_apart(const struct options *options, const struct find_options *find,
			 struct dataset_layouts *layouts, bool *abandoned, struct error *err)
{
	struct apart *d = xcalloc(1, sizeof(*d));
	pthread_t thread;

	d->options = options;
	d->find = *find;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->ended, NULL);
	if (!thread_start(&thread, detect_main, d)) {
		detect(d);
	} else if (wait_for_end(d)) {
		pthread_join(thread, NULL);
	} else {
		exit_now_set();
		*abandoned = true;
		return detect_nothing(find, &options->settings, layouts, err);
	}
	enum status status = d->status;

	*layouts = d->layouts;
	*err = d->err;
	pthread_cond_destroy(&d->ended);
	pthread_mutex_destroy(&d->lock);
	free(d);
	return status;
}
