/*
 * struct report: a finished audit, and the reporters, one file a format, that write it.
 *
 * Each reporter is a pure function of (finished report, strbuf): it appends text and has no other effect. A streaming
 * format (jsonl) is also given each file as it ends, in the order of the walk.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "base/strbuf.h"
#include "judge/dataset.h"
#include "judge/diagnosis.h"
#include "judge/finding_list.h"
#include "judge/rule.h"

/* The stages of a worker's time; summed over all workers, so that they may exceed the run's seconds. */
enum stage {
	STAGE_WALK,    /* taking work units: folders, names, waiting for the walk's lock */
	STAGE_WAIT,    /* for files that are read ahead */
	STAGE_READ,    /* open, read, close, identify; of files that were read ahead, identify */
	STAGE_MEASURE, /* checksums, inflate, unfilter, statistics */
	STAGE_JUDGE,   /* rules, sums of the dataset, the text of streaming reports */
	STAGES,
};

const char *stage_name(enum stage stage); /* "walk", "wait", "read", "measure", "judge" */

/* The report's `run` object: what differs between two audits of the same data. */
struct run_facts {
	char started[32]; /* RFC 3339, UTC */
	double seconds;
	char device[128]; /* "cpu avx512", "cuda:0 NVIDIA H200" */
	unsigned jobs;
	uint64_t stage_ns[STAGES];
	uint64_t read_ahead;     /* files */
	uint64_t under_way;      /* of them, the most at a time */
	uint64_t peak_memory;    /* largest resident size in bytes; 0: unknown */
	char note[256];          /* "", or one note: a device failed ... */
	char baseline_note[320]; /* "", or a note about the baseline */
};

struct thumbnails; /* report/thumbnail.h */

struct report {
	const struct settings *settings;
	const struct dataset_stats *dataset;
	const struct finding_list *findings; /* finished */
	const struct diagnosis *diagnosis;   /* NULL: of a shard, which has none; borrowed */
	struct run_facts run;
	bool complete; /* false: interrupted, or something could not be read */
	/* What to do besides the remedies of the findings, and what to type next; or NULL. Borrowed. */
	const char *hint, *next;
	bool interrupted;        /* by a signal; a report that was read back does not tell */
	uint64_t files_expected; /* then: of the whole audit, as far as they were counted; 0: unknown */
	const char *root;        /* the first PATH, the location of findings about the dataset; NULL: unknown */
	/*
	 * The repository's root, and the folder that relative paths begin from; absolute, borrowed. Forms for code
	 * hosts write paths relative to that root. NULL: unknown, paths are written as they are.
	 */
	const char *repository, *current;
	const struct thumbnails *pictures; /* of the worst masks, for html; NULL: none were made; borrowed */
	/* for people; formats for machines ignore them */
	bool colour;    /* use escape sequences */
	size_t columns; /* wrap lines at this width; 0: do not wrap */
	bool unicode;   /* use characters beyond ASCII */
	int verbosity;  /* -1 quiet, 0, 1 -v, 2 -vv */
	bool all;       /* every line, however many */
	/* Writes what is in out so far and clears it, so that a report of any length needs no memory; or NULL. */
	void (*flush)(void *self, struct strbuf *out);
	void *flush_self;
};

/* Returns the diagnosis; an empty one if the report has none. */
const struct diagnosis *report_diagnosis(const struct report *r);
/* Returns the command that cures findings of the rule, or of any if rule is NULL; or NULL. */
const char *report_fix(const struct report *r, const struct rule *rule);
/* Writes what a long report has so far, if its flush is set. */
void report_flush(const struct report *r, struct strbuf *out);

struct reporter {
	const char *name;      /* json, jsonl, text, sarif, none ... */
	const char *extension; /* of -o FILE without FMT:, or NULL; several are separated by commas */
	/* Any may be NULL. begin: before the first file. file: after each file. end: for the finished report. */
	void (*begin)(const struct settings *settings, const char *started, struct strbuf *out);
	/* findings: of this file, in order of rule name */
	void (*file)(const struct rule_input *s, const struct finding *findings, size_t count, struct strbuf *out);
	void (*end)(const struct report *r, struct strbuf *out);
};

extern const struct reporter reporter_json;
extern const struct reporter reporter_jsonl;
extern const struct reporter reporter_text;
extern const struct reporter reporter_concise;
extern const struct reporter reporter_sarif;
extern const struct reporter reporter_junit;
extern const struct reporter reporter_github;
extern const struct reporter reporter_gitlab;
extern const struct reporter reporter_csv;
extern const struct reporter reporter_markdown;
extern const struct reporter reporter_html;

/* reporters.c: by the name of --format, and by the extension of an output file. NULL if there is none. */
const struct reporter *reporter_by_name(const char *name);
const struct reporter *reporter_by_extension(const char *file);

/*
 * Appends the Markdown report in at most max bytes: findings are left out first, then the classes, then the table of
 * rules. Below a few hundred bytes nothing may be left.
 */
void report_markdown(const struct report *r, size_t max, struct strbuf *out);

/* Returns the seconds of the run in whole milliseconds: enough for people, and free of the locale's decimal comma. */
uint64_t report_milliseconds(const struct run_facts *run);

/* Returns whether no finding reaches --fail-on; and the exit status of a finished report. */
bool report_passes(const struct report *r);
/* Returns whether there are errors, and --fail-on never lets them pass. */
bool report_has_ignored_errors(const struct report *r);
enum status report_status(const struct report *r);

/* Appends the JSON Schema of the report, for `labelaudit schema`. */
void report_schema(struct strbuf *out);
