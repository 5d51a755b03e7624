/* struct audit: the parts of one audit, for the files of this room that drive it. */
#pragma once

#include <stdbool.h>

#include "audit/ahead.h"
#include "audit/baseline_session.h"
#include "audit/shared.h"
#include "base/progress.h"
#include "cli/options.h"
#include "find/source.h"
#include "output/gallery.h"
#include "output/outputs.h"
#include "output/targets.h"
#include "report/report.h"

struct audit_observer;
struct id_sample;

/* Files per work unit: enough that a draw costs nothing, few enough that the last units end together. */
enum { WORK_UNIT_FILES = 16 };

#define NOTHING_MATCHED "no file matched (pass --allow empty if that is fine)"

struct audit {
	const struct options *options;
	const struct settings *settings;
	/* what drives it */
	const struct backend *backend;
	int devices[CUDA_DEVICES_MAX];   /* of backend_cuda: workers take them in turn */
	unsigned devices_count;          /* at least 1 */
	const struct find_options *find; /* what the source finds */
	struct pool *pool;
	struct dataset_layouts layouts;
	struct source *source;
	struct ahead ahead;
	struct pairs pairs; /* with --images */
	struct member_images members;
	bool folders_only;   /* all PATHs are folders */
	struct cache *cache; /* with --cache */
	struct audit_shared shared;
	/* what becomes of it */
	struct id_sample *sample;              /* only this is wanted, no report; or NULL */
	const struct audit_observer *observer; /* the same */
	struct settings *reported; /* as settings, for what only the audit knows of them: narrowed, options */
	struct outputs *outputs;
	struct targets targets;           /* of the outputs */
	struct baseline_session baseline; /* with --baseline, --write-baseline */
};

/*
 * workers.c: runs `jobs` workers to the end of the source and adds up their sums. Fewer threads are no failure as long
 * as one can be started. If storage does not answer an interruption, it returns without some of them: then
 * last_wait_given_up() is true, and nothing that they may use is to be freed.
 */
enum status workers_run(struct audit *a, unsigned jobs, struct dataset_stats *total, struct run_facts *run,
			struct progress *progress, struct error *err);

/* list_files.c: prints the files that the audit would read. */
enum status audit_list(struct audit *a, int *signal_number, struct error *err);
/*
 * Prints what is audited and why: --explain. Fails as audit_list() does, and if the user is to be asked. decisions:
 * gets it as settings; or NULL.
 */
enum status audit_explain(const struct audit *a, struct strbuf *decisions, int *signal_number, struct error *err);
