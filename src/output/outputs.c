#include "output/outputs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "output/repository.h"
#include "output/targets.h"
#include "report/output_file.h"
#include "report/report.h"
#include "report/summary.h"

/*
 * Work units whose text may wait for an older one. 128 units of 16 files with 1 KB of jsonl each are 2 MB, and the
 * others do not stall until they are 2048 files ahead of a worker that decodes one huge file.
 */
enum { REORDER_WINDOW = 128 };

struct open_output {
	const struct reporter *reporter;
	size_t stream; /* index of the reporter among the streams, if it streams */
	bool standard_output;
	struct output_file file; /* unless standard_output */
	const char *path;
	bool failed; /* nothing more is written */
};

/* The text of a finished unit that waits for its turn. */
struct waiting {
	bool done;
	struct strbuf *texts; /* one per stream */
};

struct outputs {
	struct open_output *v;
	size_t count;
	const struct reporter **streams;
	size_t streams_count;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct waiting window[REORDER_WINDOW]; /* unit n at n % REORDER_WINDOW */
	uint64_t next;                         /* the oldest unwritten unit */
	bool stopped;
	bool pipe_closed;   /* standard output was closed by its reader */
	size_t failed;      /* failed outputs */
	struct error error; /* of the first of them */
};

static enum status write_standard_output(struct outputs *s, const struct strbuf *text, struct error *err)
{
	if (write_all(STDOUT_FILENO, text->s, text->len))
		return STATUS_OK;
	s->pipe_closed = errno == EPIPE;
	return error_set_errno(err, errno, "cannot write the report to standard output");
}

/* Keeps the first error; the other outputs go on. */
static void fail_output(struct outputs *s, struct open_output *output, const struct error *err)
{
	output->failed = true;
	s->failed++;
	if (!s->error.text[0])
		s->error = *err;
}

static void output_write(struct outputs *s, struct open_output *output, const struct strbuf *text)
{
	struct error err = ERROR_INIT;
	enum status status;

	if (output->failed || !text->len)
		return;
	if (output->standard_output)
		status = write_standard_output(s, text, &err);
	else
		status = output_file_write(&output->file, text->s, text->len, &err);
	if (status != STATUS_OK)
		fail_output(s, output, &err);
}

static size_t add_stream(struct outputs *s, const struct reporter *reporter)
{
	for (size_t i = 0; i < s->streams_count; i++)
		if (s->streams[i] == reporter)
			return i;
	s->streams[s->streams_count] = reporter;
	return s->streams_count++;
}

static void add_output(struct outputs *s, const char *format, const char *path)
{
	struct open_output *output = &s->v[s->count++];

	output->reporter = reporter_by_name(format);
	output->path = path;
	output->standard_output = !path;
	output_file_init(&output->file);
	if (output->reporter->file)
		output->stream = add_stream(s, output->reporter);
}

static void write_begin(struct outputs *s, const struct options *options, const char *started)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->count; i++) {
		if (!s->v[i].reporter->begin)
			continue;
		strbuf_clear(&text);
		s->v[i].reporter->begin(&options->settings, started, &text);
		output_write(s, &s->v[i], &text);
	}
}

enum status outputs_open(struct outputs **out, const struct options *options, const char *started, struct error *err)
{
	struct outputs *s = xcalloc(1, sizeof(*s));

	s->v = xcalloc(options->output.files_count + 1, sizeof(*s->v));
	s->streams = xcalloc(options->output.files_count + 1, sizeof(*s->streams));
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->moved, NULL);
	add_output(s, options->output.format, NULL);
	for (size_t i = 0; i < options->output.files_count; i++)
		add_output(s, options->output.files[i].format, options->output.files[i].path);
	for (size_t i = 0; i < REORDER_WINDOW; i++) {
		s->window[i].texts = xcalloc(s->streams_count + 1, sizeof(struct strbuf));
		for (size_t j = 0; j < s->streams_count; j++)
			strbuf_init(&s->window[i].texts[j]);
	}
	for (size_t i = 1; i < s->count; i++) {
		if (output_file_open(&s->v[i].file, s->v[i].path, err) != STATUS_OK) {
			outputs_close(s);
			return STATUS_FAILED;
		}
	}
	write_begin(s, options, started);
	*out = s;
	return STATUS_OK;
}

size_t outputs_streams(const struct outputs *s)
{
	return s->streams_count;
}

const struct reporter *outputs_stream(const struct outputs *s, size_t i)
{
	return s->streams[i];
}

bool outputs_wait_for_turn(struct outputs *s, uint64_t number)
{
	bool go_on;

	pthread_mutex_lock(&s->lock);
	while (s->streams_count && !s->stopped && s->failed < s->count && number >= s->next + REORDER_WINDOW)
		pthread_cond_wait(&s->moved, &s->lock);
	go_on = !s->stopped && s->failed < s->count;
	pthread_mutex_unlock(&s->lock);
	return go_on;
}

static void write_unit(struct outputs *s, struct waiting *unit)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->v[i].reporter->file)
			output_write(s, &s->v[i], &unit->texts[s->v[i].stream]);
}

void outputs_submit(struct outputs *s, uint64_t number, struct strbuf *texts)
{
	if (!s->streams_count)
		return;
	pthread_mutex_lock(&s->lock);
	struct waiting *mine = &s->window[number % REORDER_WINDOW];

	for (size_t i = 0; i < s->streams_count; i++) {
		struct strbuf empty = mine->texts[i];

		mine->texts[i] = texts[i];
		texts[i] = empty;
	}
	mine->done = true;
	for (struct waiting *due = &s->window[s->next % REORDER_WINDOW]; due->done;
	     due = &s->window[s->next % REORDER_WINDOW]) {
		write_unit(s, due);
		for (size_t i = 0; i < s->streams_count; i++)
			strbuf_clear(&due->texts[i]);
		due->done = false;
		s->next++;
	}
	pthread_cond_broadcast(&s->moved);
	pthread_mutex_unlock(&s->lock);
}

void outputs_stop(struct outputs *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopped = true;
	pthread_cond_broadcast(&s->moved);
	pthread_mutex_unlock(&s->lock);
}

struct flushed {
	struct outputs *outputs;
	struct open_output *output;
};

static void flush_output(void *self, struct strbuf *out)
{
	const struct flushed *f = self;

	output_write(f->outputs, f->output, out);
	strbuf_clear(out);
}

/* Writes the end of every output and renames its temporary file. Returns the first failure of any. */
static enum status finish(struct outputs *s, const struct options *options, const struct report *report,
			  struct error *err)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->count; i++) {
		struct open_output *output = &s->v[i];
		struct report mine = *report;
		struct flushed flushed = { s, output };
		struct error failure = ERROR_INIT;

		strbuf_clear(&text);
		mine.flush = flush_output;
		mine.flush_self = &flushed;
		mine.verbosity = options->output.verbosity;
		mine.all = options->output.all;
		mine.colour = options->output.stdout_colour && output->standard_output;
		mine.columns = output->standard_output ? options->output.columns : 0;
		mine.unicode = options->output.unicode && mine.colour; /* a file may be read with another locale */
		if (output->reporter->end)
			output->reporter->end(&mine, &text);
		output_write(s, output, &text);
		if (!output->failed && !output->standard_output &&
		    output_file_commit(&output->file, &failure) != STATUS_OK)
			fail_output(s, output, &failure);
	}
	if (!s->failed)
		return STATUS_OK;
	*err = s->error;
	return STATUS_FAILED;
}

/* Returns whether what is on standard output says the verdict to a person, so that the summary would say it again. */
static bool says_verdict(const struct options *options)
{
	static const char *const formats[] = { "text", "concise", "github" };

	if (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
		return false; /* it went to a file; the terminal is silent */
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(options->output.format, formats[i]))
			return true;
	return false;
}

/* Returns what to type for people where a pipe got JSON unasked, or NULL. A file or a script may want JSON. */
static const char *note_of_pipe(const struct options *options)
{
	const char *ci = getenv("CI");
	struct stat st;

	if (!options->output.format_is_auto || strcmp(options->output.format, "json") != 0 ||
	    fstat(STDOUT_FILENO, &st) != 0 || S_ISREG(st.st_mode))
		return NULL;
	if (ci && *ci && strcmp(ci, "false") != 0) /* a service captures it for its log */
		return "labelaudit: note: standard output has the report as JSON; for this log, pass --format github, "
		       "gitlab, concise or text\n";
	return S_ISFIFO(st.st_mode) ? "labelaudit: JSON, since the output is a pipe; -f text for people\n" : NULL;
}

/* Writes the summary to standard error. */
static void summarize(const struct options *options, const struct report *report)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	struct report mine = *report;

	mine.colour = options->output.stderr_colour;
	mine.verbosity = options->output.verbosity;
	if (options->output.verbosity >= 0 && !says_verdict(options))
		report_summary(&mine, &text);
	if (options->output.verbosity >= 1)
		report_run_summary(&mine, &text);
	const char *note = options->output.verbosity >= 0 ? note_of_pipe(options) : NULL;

	if (note)
		strbuf_adds(&text, note);
	log_text(text.s);
}

enum status outputs_report(struct outputs *s, const struct options *options, const struct report *report,
			   struct error *err)
{
	struct report located = *report;
	struct repository repository;

	repository_find(&repository, &located);
	enum status status = finish(s, options, &located, err);

	repository_release(&repository);
	if (status == STATUS_OK)
		status = step_summary_append(options, report, err);
	if (options->command != COMMAND_RENDER) /* the audit has written its summary */
		summarize(options, report);
	return status == STATUS_OK ? report_status(report) : status;
}

static enum status check_forms(const struct options *options, struct error *err)
{
	for (size_t i = 0; i <= options->output.files_count; i++) {
		const char *format = i ? options->output.files[i - 1].format : options->output.format;

		if (reporter_by_name(format)->file)
			return error_set(err, "--%s %s: it has one line per file, so only an audit can write it",
					 i ? "output" : "format", i ? options->output.files[i - 1].path : format);
	}
	return STATUS_OK;
}

enum status outputs_write(const struct options *options, const struct report *report, int *signal_number,
			  struct error *err)
{
	struct report located = *report;
	struct outputs *s;
	enum status status = check_forms(options, err);

	*signal_number = 0;
	if (status == STATUS_OK)
		status = targets_check(options, err);
	if (status == STATUS_OK) {
		stop_install(output_file_remove_temporary); /* temporary files exist from here on */
		status = outputs_open(&s, options, report->run.started, err);
	}
	if (status != STATUS_OK)
		return status;
	located.root = coverage_first_path(&report->dataset->coverage);
	status = outputs_report(s, options, &located, err);
	if (s->pipe_closed) {
		*signal_number = SIGPIPE;
		err->text[0] = '\0';
	}
	outputs_close(s);
	return status;
}

bool outputs_failed(const struct outputs *s)
{
	return s->failed > 0;
}

bool outputs_pipe_closed(const struct outputs *s)
{
	return s->pipe_closed;
}

void outputs_close(struct outputs *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->v[i].standard_output)
			output_file_abort(&s->v[i].file);
	for (size_t i = 0; i < REORDER_WINDOW; i++) {
		for (size_t j = 0; j < s->streams_count; j++)
			strbuf_release(&s->window[i].texts[j]);
		free(s->window[i].texts);
	}
	pthread_cond_destroy(&s->moved);
	pthread_mutex_destroy(&s->lock);
	free(s->streams);
	free(s->v);
	free(s);
}
