/* The pipeline: find, classify, read, measure, judge, report. Only this room knows their order. */
#pragma once

#include "base/class_set.h"
#include "base/error.h"
#include "cli/options.h"
#include "judge/dataset.h"
#include "judge/finding_list.h"
#include "judge/fix_decision.h"
#include "measure/backend.h"

/*
 * Runs the audit and writes its reports; names the classes of an ImageFolder by its folders. Returns the exit status,
 * or STATUS_FAILED with err filled if the audit could not be done at all. SIGINT, SIGTERM and SIGHUP end it early with
 * a partial report; the signal is then in *signal_number (0 otherwise).
 */
enum status audit_run(struct options *options, int *signal_number, struct error *err);

/* As audit_run() with --explain, and appends to `decisions` the settings that say the same. */
enum status audit_decide(struct options *options, struct strbuf *decisions, int *signal_number, struct error *err);

/*
 * Receives the facts of an audit in place of its reports. `file` is called after each file, from any worker and in any
 * order, so it locks; `input` has the bytes that were read, if they are in memory. `end` is called once, after the last
 * file, with the finished lists. Their arguments live as long as the call.
 */
struct audit_observer {
	void *self;
	void (*file)(void *self, const struct rule_input *file, const struct input *input,
		     const struct finding *findings, size_t count);
	/* May take over the decision, and leaves an empty one then. */
	void (*end)(void *self, const struct finding_list *findings, struct fix_decision *decision, bool complete);
};

/* Audits as audit_run() does, without a report. */
enum status audit_observe(struct options *options, const struct audit_observer *observer, int *signal_number,
			  struct error *err);

/* The first files of an audit. */
struct id_sample {
	uint64_t files_max;
	uint64_t until_ns;            /* CLOCK_MONOTONIC */
	struct dataset_stats dataset; /* those that were read, nothing of it judged; owned */
	bool cut;                     /* there are more */
};

/* Measures up to sample->files_max files, for about a second, without reports; observer: its `file` alone is called. */
enum status audit_sample(struct options *options, struct id_sample *sample, const struct audit_observer *observer,
			 struct error *err);
