/*
 * The state of one audit, shared by the files of this room: audit.c (the whole), prepare.c (what is asked before the
 * first file), list_files.c (--list instead of an audit), workers.c (threads, their order and end), worker.c (one
 * worker: measure, judge, submit), load_entry.c (from an entry to an input), fetch.c (what storage gives of it),
 * read_ahead.c (the same before it is asked for). No other room includes this.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/baseline_session.h"
#include "audit/count_ahead.h"
#include "audit/image_pairs.h"
#include "audit/read_ahead.h"
#include "audit/work_budget.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "cache/cache.h"
#include "cli/options.h"
#include "find/source.h"
#include "judge/dataset.h"
#include "judge/finding_list.h"
#include "judge/one_channel.h"
#include "judge/path_rules.h"
#include "measure/backend.h"
#include "measure/grey_plane.h"
#include "measure/label_measurer.h"
#include "output/gallery.h"
#include "output/outputs.h"
#include "output/targets.h"
#include "report/report.h"

#define NOTHING_MATCHED "no file matched (pass --allow-empty if that is fine)"

/* Files per work unit: enough that a draw costs nothing, few enough that the last units end together. */
enum { WORK_UNIT_FILES = 16 };

struct audit_observer;
struct id_sample;

struct audit {
	const struct options *options;
	const struct settings *settings;
	struct settings *reported; /* the same, for what only the audit knows of them: narrowed, options */
	const struct backend *backend;
	int devices[CUDA_DEVICES_MAX]; /* of backend_cuda: workers take them in turn */
	unsigned devices_count;        /* at least 1 */
	struct dataset_layouts layouts;
	struct id_sample *sample;              /* only this is wanted, no report; or NULL */
	const struct audit_observer *observer; /* the same */
	bool folders_only;                     /* all PATHs are folders */
	const struct find_options *find;       /* what the source finds */
	struct source *source;
	struct count_ahead count;
	struct outputs *outputs;
	struct targets targets;           /* of the outputs */
	struct pairs pairs;               /* with --images */
	struct baseline_session baseline; /* with --baseline, --write-baseline */
	struct cache *cache;              /* with --cache */
	bool sample_masks;                /* for a page's gallery */
	struct gallery_samples samples;   /* of all workers, when they have ended */
	bool abandoned;                   /* a thread still waits for storage: nothing that it may use is freed */
	struct fetch_options fetching;
	struct read_ahead ahead;

	pthread_mutex_t lock;
	pthread_cond_t worker_ended;
	/* under the lock */
	struct finding_list findings;
	uint64_t units; /* number of work units drawn */
	unsigned workers_running;
	struct error error; /* of the first worker that failed */
	char note[256];

	struct work_budget budget;

	atomic_bool stop;       /* a worker failed: the others end after their current file */
	atomic_bool incomplete; /* a file could not be read, or was not reached */
	atomic_uint_fast64_t files_done;
	atomic_uint_fast64_t files_with_findings;
};

/* Belongs to one thread while it runs. */
struct worker {
	struct audit *audit;
	pthread_t thread;
	atomic_bool in_storage; /* in a call that may not come back */
	bool ended;             /* under the audit's lock */
	bool abandoned;         /* the same: nobody waits for it */
	const struct backend *backend;
	int device;         /* for the backend's open */
	void *backend_self; /* NULL before worker_open and after worker_close */
	struct work_unit unit;
	struct ahead_unit *ahead; /* the unit was drawn ahead; or NULL */
	size_t batch_first;       /* index in the unit of the batch's first item */
	struct late_files late;
	struct folder_role folder; /* of the last entry */
	struct batch batch;
	const struct target *replaced; /* what -o would replace, if that was to be audited */
	struct work_charge charge;     /* of the last entry */
	struct label_measurer measurer;
	struct grey_plane grey_plane;
	struct pair_seeker seeker; /* with --images */
	bool names_images;         /* saw a label file of many images, which have no label files of their own */
	struct path_rules path_rules;
	struct cache_reader cache;
	struct dataset_stats dataset;
	/* the rules about files that need no more than facts_available; capacity: rule_count */
	size_t *rules;
	size_t rules_count;
	unsigned facts_available; /* of the last file judged; most files of a set have the same */
	struct finding *findings; /* of the current file; capacity: rule_count */
	struct one_channel one_channel;
	struct strbuf *texts; /* the current work unit, one per streaming format */
	uint64_t stage_ns[STAGES];
	struct gallery_samples samples;
};

/*
 * Call them around whatever waits for storage. If the audit is interrupted, and storage does not answer, the audit ends
 * without the worker, which then never returns from worker_leave_storage(). In between it may use all that the audit
 * frees at its end, which it does not do then, but must not change what is merged or written.
 */
void worker_enter_storage(struct worker *w);
void worker_leave_storage(struct worker *w);
/* Returns whether the audit ends without the worker. Any thread. */
bool worker_is_abandoned(struct worker *w);
/* Abandons the worker if it is in such a call. Returns whether it was. */
bool worker_abandon(struct worker *w);

/* Adds the time since *since to a stage, and sets *since to now. */
static inline void worker_end_stage(struct worker *w, enum stage stage, uint64_t *since)
{
	uint64_t now = clock_ns();

	w->stage_ns[stage] += now - *since;
	*since = now;
}

/* output_check.c: fails if -o would replace an input, as far as that is known before the files are read. */
enum status audit_check_outputs(const struct audit *a, struct error *err);
enum status audit_refuse_output(const struct target *target, const char *input, struct error *err);

/* list_files.c: prints the files that the audit would read. */
enum status audit_list(const struct audit *a, int *signal_number, struct error *err);

/*
 * With --check-images, reads an image of a split (0: none, and it is not read) and adds it to those that are compared.
 * name: below dirfd.
 */
void worker_add_image(struct worker *w, int dirfd, const char *name, const char *path, unsigned split);
/*
 * load_entry.c: fills item from the entry. item->sample.status: SAMPLE_READ if there is something to measure; otherwise
 * the sample says why not, or item->cached is set. f: what was fetched of the entry; or NULL. Sets w->replaced if an
 * output would replace the file.
 */
void load_entry(struct worker *w, const struct entry *entry, struct fetched *f, struct batch_item *item);

/* worker.c */
void worker_init(struct worker *w, struct audit *a, const struct backend *backend, int device);
void worker_release(struct worker *w);
/*
 * Call it in the worker's own thread, so that workers allocate and free in parallel. Opens the backend unless it is
 * open.
 */
enum status worker_open(struct worker *w, struct error *err);
void worker_close(struct worker *w);
/* Returns how many files a work unit has. */
size_t worker_unit_files(const struct worker *w);
/* Reads, measures and judges the entries of w->unit; stops early if the audit is stopped. */
enum status worker_audit_unit(struct worker *w, struct error *err);
/*
 * Judges the images without a label file. Call it after all files are done, for one worker. seek_masks: as
 * pair_walk_images() says.
 */
enum status worker_audit_images(struct worker *w, bool seek_masks, struct progress *progress, struct error *err);

/*
 * workers.c: runs `jobs` workers to the end of the source and adds up their sums. Fewer threads are no failure as long
 * as one can be started.
 */
enum status workers_run(struct audit *a, unsigned jobs, struct dataset_stats *total, struct run_facts *run,
			struct progress *progress, struct error *err);
